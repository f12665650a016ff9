"""Who made or maintains the package that a README describes: "Written by Ann Lee; maintained by Bob Ray."."""

import re
from collections.abc import Iterator

from mcp_graphrag.english.dates import read_date
from mcp_graphrag.extract.english.draft_triple import DraftTriple
from mcp_graphrag.extract.layout.line import Line
from mcp_graphrag.mentions.find_mentions import DraftMention
from mcp_graphrag.mentions.person_names import is_full_name
from mcp_graphrag.mentions.proper_names import WordUsage
from mcp_graphrag.model import Chunk

_VERBS = {
    "written": "authored_by",
    "created": "created_by",
    "developed": "developed_by",
    "designed": "designed_by",
    "maintained": "maintained_by",
}
_CREDIT = re.compile(
    r"(?:^(?:[-*+•] )?|(?<=[.;] ))(?P<first>[Oo]riginally |[Ii]nitially |[Cc]urrently |[Nn]ow )?"
    rf"(?P<verb>(?i:{'|'.join(_VERBS)})) by \[?(?P<person>[^\W\d_][\w’'-]*(?: [^\W\d_][\w’'-]*){{1,3}}?)"
    r"(?:\]\([^()\s]{1,200}\))?(?: since (?P<since>(?:[A-Z][a-z]+ )?\d{4}))?(?=[.;]?[ \t]*$|[.;] )",
    re.MULTILINE,
)
_HEADING = re.compile(r"^(?P<level>#{1,6})[ \t]+(?P<words>[^\n]+)$", re.MULTILINE)
_ABOUT_PACKAGE = re.compile(r"licen[cs]|author|credit|maintain|about|copyright|history", re.IGNORECASE)


def credit_lines(chunk: Chunk, package: str | None, usage: WordUsage) -> Iterator[Line]:
    """The persons that a chunk credits in a sentence without a subject, below the title or in a section on credits."""
    if package is None or " by " not in chunk.text:
        return
    for found in _CREDIT.finditer(chunk.text):
        verb, person = found["verb"].lower(), found["person"]
        is_past = verb == "maintained" and (found["first"] or "").lower() in {"originally ", "initially "}
        is_person = is_full_name(person) or usage.known_type(person) == "Person"
        if is_past or not is_person or not _is_of_package(chunk, found.start(), package):
            continue
        since = read_date(found["since"]) if found["since"] else None
        subject = DraftMention(0, 0, package, None, "topic", 0.9)
        other = DraftMention(*found.span("person"), person, "Person", "name", 0.9)
        draft = DraftTriple(subject, _VERBS[verb], other, f"{verb} by", "line")
        yield Line([other], [draft._replace(valid_from=since[0] if since else None)], found.span(), {})


def _is_of_package(chunk: Chunk, at: int, package: str) -> bool:
    """Whether the section around a place is about the whole package."""
    above = [found["words"] for found in _HEADING.finditer(chunk.text, 0, at)]
    heading = above[-1] if above else chunk.headings[-1] if chunk.headings else ""
    return package.casefold() in heading.casefold() or _ABOUT_PACKAGE.search(heading) is not None
