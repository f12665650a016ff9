"""The licence of the package that a README describes: by a section of its own, or a sentence about "this library"."""

import re
from collections.abc import Iterator

from mcp_graphrag.extract.draft_triple import DraftTriple
from mcp_graphrag.extract.layout.line import Line
from mcp_graphrag.mentions.find_mentions import DraftMention
from mcp_graphrag.model import Chunk

_LICENCE = (
    r"(?P<licence>MIT(?:-0)?|ISC|0BSD|Unlicense|BSD(?:[- ][234][- ]Clause)?"
    r"|Apache(?:[ -]License)?(?:,? [Vv]ersion|,? v)?[ -]?2\.0"
    r"|[AL]?GPL(?:[ -]?v?\d(?:\.\d)?)?(?:-only|-or-later|\+)?|MPL[ -]?2\.0|EPL[ -]?\d\.0|CC0(?:[- ]1\.0)?"
    r"|CC[- ]BY(?:-[A-Z]{2})*(?:[- ]\d\.0)?|WTFPL|Zlib|BSL[ -]1\.[01]|Boost Software License"
    r"|GNU (?:Lesser |Affero )?General Public License(?:,? (?:v|version )\d(?:\.\d)?)?"
    r"|Mozilla Public License(?:,? (?:v|version )?2\.0)?)"
)
_NAMED = rf"\[?{_LICENCE}(?![\w-])(?: open[ -]source)?(?:[ -][Ll]icen[sc]ed?)?\]?"
_UNDER = r"(?:released|licensed|distributed|available|published|provided) under (?:the |an? )?(?:terms of (?:the )?)?"
_SECTION = re.compile(
    rf"^#{{1,6}}[ \t]+(?:[^\n]{{0,4}} )?[Ll]icen[sc](?:e|ing)[ \t]*#*\n\s*(?P<line>(?:[-*] |\()?(?:[Tt]he )?"
    rf"(?:(?i:{_UNDER})|[^\n.]{{1,60}} is {_UNDER})?{_NAMED}(?P<rest>[^\n]*))",
    re.MULTILINE,
)
_SENTENCE = re.compile(
    r"(?:^|(?<=[.!] ))(?P<line>(?:The|This) "
    r"(?:library|project|package|module|software|program|plugin|tool|code|repository)"
    rf" is {_UNDER}{_NAMED}(?P<rest>[^\n]*))",
    re.MULTILINE,
)
_ANY = re.compile(_LICENCE.replace("(?P<licence>", r"\b(?:") + r"(?![\w-])")
_SEVERAL = re.compile(
    r"\b(?:or|either|dual|except|excluding|parts|portions|some|unless|other|third|formerly|previously|until|before|will)\b",
    re.IGNORECASE,
)


def licence_lines(chunk: Chunk, package: str | None) -> Iterator[Line]:
    """What a chunk says of the licence of the package that the document describes; none where there are several."""
    if package is None or "icen" not in chunk.text:
        return
    for found in (*_SECTION.finditer(chunk.text), *_SENTENCE.finditer(chunk.text)):
        others = {other[0] for other in _ANY.finditer(chunk.text, found.start("line"), _end(chunk.text, found.end()))}
        if not _SEVERAL.search(found["line"]) and len(others) == 1:
            subject = DraftMention(0, 0, package, None, "topic", 0.9)
            licence = DraftMention(*found.span("licence"), found["licence"], None, "name", 0.9)
            draft = DraftTriple(subject, "licensed_under", licence, "licence", "line")
            yield Line([licence], [draft], found.span("line"), {})


def _end(text: str, at: int) -> int:
    """The end of the section in which a place of a text is."""
    heading = text.find("\n#", at)
    return heading if heading >= 0 else len(text)
