"""Lines that open with a name and say behind a dash who leads or makes it: "Consumer Apps - led by Ann Lee"."""

import re
from collections.abc import Iterator

from mcp_graphrag.extract.english.draft_triple import DraftTriple
from mcp_graphrag.extract.english.unasserted.retractions import is_taken_back
from mcp_graphrag.extract.layout.line import Line
from mcp_graphrag.mentions.find_mentions import DraftMention
from mcp_graphrag.mentions.person_names import is_full_name
from mcp_graphrag.mentions.proper_names import WordUsage
from mcp_graphrag.mentions.type_by_shape import type_of_name
from mcp_graphrag.model import Chunk

_VERBS = {
    "led": "led_by",
    "headed": "headed_by",
    "managed": "managed_by",
    "run": "managed_by",
    "chaired": "chaired_by",
    "owned": "owned_by",
    "maintained": "maintained_by",
}
_LINE = re.compile(
    r"^[ \t>]*(?:[-*+•][ \t]+|\d{1,2}[.)][ \t]+)?(?:[*_]{2})?"
    r"(?P<name>[A-Z][\w&.'’-]*(?: (?:[A-Z&][\w&.'’-]*|of|and|for)){0,4})(?:[*_]{2})?"
    r"(?:[ \t]+[-–—][ \t]+|, |:[ \t]+|[ \t]+\()(?P<verb>led|headed|managed|run|chaired|owned|maintained) by "
    r"(?P<person>[^\W\d_][\w’'-]*(?: [^\W\d_][\w’'-]*){1,3}?)(?=[ \t]*(?:[.,;)(]|$| who\b))",
    re.MULTILINE,
)


def headed_by_lines(chunk: Chunk, usage: WordUsage) -> Iterator[Line]:
    """The lines of a chunk whose first name is followed by who leads it, by a full name."""
    for found in _LINE.finditer(chunk.text):
        person = found["person"]
        is_person = is_full_name(person) or usage.known_type(person) == "Person"
        if not is_person or type_of_name(found["name"], "", "") == "Person" or is_taken_back(chunk.text, found.span()):
            continue
        group = DraftMention(*found.span("name"), found["name"], type_of_name(found["name"], "", ""), "name", 0.9)
        other = DraftMention(*found.span("person"), person, "Person", "name", 0.9)
        draft = DraftTriple(group, _VERBS[found["verb"]], other, f"{found['verb']} by", "line")
        yield Line([group, other], [draft], found.span(), {})
