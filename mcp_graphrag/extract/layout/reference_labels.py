"""What labels of reference documentation state of the identifier that they stand under: context, default, since when.

Their values are ordinary words as often as names, "Context: server config, virtual host", so that only these labels
may introduce them.
"""

import re
from collections.abc import Callable, Iterable, Iterator

from mcp_graphrag.english.spans import Span, strip_span
from mcp_graphrag.extract.english.draft_triple import DraftTriple
from mcp_graphrag.extract.layout.cells import items_of
from mcp_graphrag.extract.layout.line import Line
from mcp_graphrag.extract.layout.members import is_owner
from mcp_graphrag.mentions.find_mentions import DraftMention
from mcp_graphrag.mentions.gazetteer import GAZETTEER
from mcp_graphrag.mentions.placeholders import is_placeholder
from mcp_graphrag.model import Chunk

MAX_WORDS = 3
MAX_LENGTH = 30
_PREDICATES = {
    "context": "has_context",
    "default": "has_default",
    "default value": "has_default",
    "compatibility": "introduced_in",
    "availability": "introduced_in",
}
_SINCE = re.compile(
    r"^[ \t]*(?:[-*] )?(?P<label>(?:Added|Introduced|New) in(?: version)?|Since|Deprecated (?:since|in)(?: version)?):?"
    r" (?P<version>v?\d{1,4}(?:\.\d{1,5}){1,3})(?=[\s,;:)]|\.(?!\d)|$)",
    re.MULTILINE,
)
_OF_DEFAULT = re.compile(r"[ \t]*(?:[-*] )?[*_]{0,2}Default(?: value)?[*_]{0,2}:")
_CODE_HEADING = re.compile(r"#{1,6} +`(?P<name>[A-Za-z_][\w.-]{2,60})`[ \t]*")
_AVAILABLE = re.compile(
    r"(?:Only )?[Aa]vailable (?:in|since|from) "
    r"(?P<version>(?:[A-Za-z][\w.]* ){0,4}v?\d{1,4}(?:\.\d{1,5}){1,3})(?![\w.]*\d)"
)
_LINK = re.compile(r"\[([^\[\]]*)\]\([^()\s]*\)")
_WORDS = re.compile(r"[A-Za-z.][\w./-]*(?: [\w./-]+){0,2}")
_DEFAULT = re.compile(r"[\w-]*[./_][\w./-]*[A-Za-z][\w./-]*")


def reference_lines(
    chunk: Chunk, labels: Iterable[tuple[str, Span, Span]], topic_at: Callable[[int], DraftMention | None]
) -> Iterator[Line]:
    """The triples of the labels, and of lines such as "Added in: v1.2.0"; `topic_at` says what an offset is about."""
    text = chunk.text
    for label, head, value in labels:
        predicate = _PREDICATES.get(label.casefold())
        topic = topic_at(head[0]) if predicate is not None else None
        if predicate is not None and topic is not None and is_owner(topic):
            values = [one for one in _values(text, value, predicate, topic.name) if one.name != topic.name]
            drafts = [DraftTriple(topic, predicate, one, label, "label") for one in values]
            if drafts:
                yield Line(values, drafts, (head[0], value[1]), {})
    for since in _SINCE.finditer(text):
        heading = _heading_above(text[: since.start()])
        topic = topic_at(since.start()) if heading is not None else None
        code = _CODE_HEADING.fullmatch(heading) if heading is not None and not is_owner(topic) else None
        if code is not None and not GAZETTEER.is_common(code["name"]):  # a word of its own in code: "### `timezone`"
            topic = DraftMention(0, 0, code["name"], None, "topic", 0.8)
        if topic is not None and (code is not None or is_owner(topic)):
            version = DraftMention(*since.span("version"), since["version"], None, "version", 0.9)
            predicate = "deprecated_in" if since["label"].startswith("Deprecated") else "introduced_in"
            yield Line([version], [DraftTriple(topic, predicate, version, since["label"], "label")], since.span(), {})


def _heading_above(before: str) -> str | None:
    """The heading between which and the end of the text is nothing but such lines and a default; None if there is none.

    Below a definition the line is about what that defines, and nothing tells how far it reaches.
    """
    lines = before.rstrip().splitlines()
    while lines and (not lines[-1].strip() or _SINCE.match(lines[-1]) or _OF_DEFAULT.match(lines[-1])):
        lines.pop()
    return lines[-1] if lines and lines[-1].startswith("#") else None


def _values(text: str, value: Span, predicate: str, topic: str) -> Iterator[DraftMention]:
    """The values of a label; none at all if one of them is more than a few words."""
    start, end = strip_span(text, value)
    if predicate == "introduced_in":
        version = _AVAILABLE.match(text, start, end)
        if version is not None:
            yield DraftMention(*version.span("version"), version["version"], None, "name", 0.8)
        return
    found: list[DraftMention] = []
    for first, last in items_of(text, (start, end)):
        said = " ".join(_LINK.sub(r"\1", text[first:last]).strip(" `*|").split())
        form = _WORDS
        if predicate == "has_default":
            said, form = said.removeprefix(f"{topic} "), _DEFAULT
        is_short = 2 <= len(said) <= MAX_LENGTH and len(said.split()) <= MAX_WORDS
        if not is_short or is_placeholder(said) or form.fullmatch(said) is None:
            return
        at = text.find(said, first, last)
        found.append(
            DraftMention(at if at >= 0 else first, at + len(said) if at >= 0 else last, said, None, "code", 0.8)
        )
    yield from found
