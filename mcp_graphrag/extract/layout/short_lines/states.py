"""Lines that say in one or two words how something stands: "Status: Accepted", "Severity: SEV2", "## Status"."""

import re
from collections.abc import Iterator

from mcp_graphrag.english.spans import Span
from mcp_graphrag.extract.english.draft_triple import DraftTriple
from mcp_graphrag.mentions.find_mentions import DraftMention
from mcp_graphrag.model import Chunk

NEAR_START = 600  # characters of a document among which a line may be about the document
# The words of a label, and the predicate of each.
STATES = {"status": "has_status", "severity": "has_severity", "priority": "has_priority"}
_SCALES = frozenset({"severity", "priority"})  # whose values may be digits
_VALUE = re.compile(r"\.?[A-Za-z][\w.-]{1,24}(?: [a-z][\w-]{1,20}){0,2}")
_NO_VALUES = frozenset(
    {"tbd", "tba", "todo", "unknown", "none", "null", "n/a", "na", "yes", "no", "see", "ok", "various", "any", "all"}
    | {"not", "optional", "required", "default", "true", "false"}
)
_SECTION = re.compile(
    r"^#{1,6}[ \t]+(?P<label>Status|Severity|Priority)[ \t]*\n(?:[ \t]*\n)?"
    r"(?P<value>[^\n]{2,40})(?=[ \t]*(?:\n[ \t]*\n|\n#|\Z))",
    re.MULTILINE,
)
_MARKUP = " \t*_`|"


def is_state(label: str) -> bool:
    """Whether a label says how something stands."""
    return label.casefold() in STATES


def state_triples(text: str, topic: DraftMention, label: str, value: Span) -> list[DraftTriple]:
    """What a label with a word or two behind it states of the topic; none for a value that is a sentence."""
    predicate, state = STATES.get(label.casefold()), _state(text, value, is_scale=label.casefold() in _SCALES)
    if predicate is None or state is None:
        return []
    return [DraftTriple(topic, predicate, state, label, "line")]


def state_sections(chunk: Chunk) -> Iterator[tuple[str, Span, Span]]:
    """The headings of a chunk that are such labels, with the only line below each: label, its span, the value's."""
    for found in _SECTION.finditer(chunk.text):
        yield found["label"], (found.start(), found.end("label")), found.span("value")


def _state(text: str, span: Span, *, is_scale: bool) -> DraftMention | None:
    start, end = span
    while start < end and text[start] in _MARKUP:
        start += 1
    while start < end and text[end - 1] in _MARKUP:
        end -= 1
    said = text[start:end]
    is_level = said.isdigit() and len(said) == 1 and is_scale
    if is_level:
        return DraftMention(start, end, said, None, "value", 0.8)
    if _VALUE.fullmatch(said) is None or said.split()[0].casefold() in _NO_VALUES:
        return None
    return DraftMention(start, end, said, None, "value", 0.8)
