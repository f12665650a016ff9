"""What a README says of its own package: its name, and the licence that it is under."""

import re
from collections.abc import Iterator

from mcp_graphrag.extract.draft_triple import DraftTriple, Line
from mcp_graphrag.mentions.find_mentions import DraftMention
from mcp_graphrag.mentions.gazetteer import GAZETTEER
from mcp_graphrag.model import Chunk, Document

_INSTALL = re.compile(
    r"^[ \t>$#]*(?:npm (?:i|install|add)|yarn add|pnpm (?:add|install)|bun add|pip3? install|cargo (?:add|install)"
    r"|gem install|composer require|brew install|go get(?: -u)?)(?: -{1,2}[\w=-]+)* +(?P<name>@?[A-Za-z][\w./-]{1,80})",
    re.MULTILINE,
)
_README = re.compile(r"(?:\A|[/\\])readme(?:[._-][\w.-]{0,20})?\Z", re.IGNORECASE)
_NAME = re.compile(r"@?[A-Za-z][\w./@+-]{1,60}")
_TAG = re.compile(r"<[^<>]{0,400}>|!?\[[^\[\]]{0,200}\]\([^()]{0,300}\)")


def own_package(document: Document) -> str | None:
    """The name of the package; None for a document that is no README, or where its name is not certain."""
    heading = next((block for block in document.blocks if block.kind == "heading"), None)
    title = _TAG.sub("", heading.headings[-1]).strip(" `*_") if heading is not None and heading.headings else ""
    installed = {found["name"].rstrip(".") for found in _INSTALL.finditer(document.text)}
    same = [name for name in installed if _key(name) == _key(title)]
    if same:
        return same[0]
    if _README.search(document.uri) is None or (installed and len(installed) != 1):
        return None
    if installed:
        return next(iter(installed))
    is_name = _NAME.fullmatch(title) is not None and not GAZETTEER.is_common(title)
    return title if is_name and heading is not None and heading.level == 1 else None


def _key(name: str) -> str:
    return "-".join(name.casefold().replace("_", " ").replace("-", " ").split())


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
_STATED = re.compile(
    rf"(?:^#{{1,6}}[ \t]+(?:[^\n]{{0,4}} )?[Ll]icen[sc](?:e|ing)[ \t]*#*\n\s*(?P<below>(?:[-*] |\()?(?:[Tt]he )?"
    rf"(?:(?i:{_UNDER})|[^\n.]{{1,60}} is {_UNDER})?)|(?:^|(?<=[.!] ))(?P<said>(?:The|This) "
    rf"(?:library|project|package|module|software|program|plugin|tool|code|repository) is {_UNDER})){_NAMED}[^\n]*",
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
    for found in _STATED.finditer(chunk.text):
        line = found.start("below" if found["below"] is not None else "said"), found.end()
        others = {other[0] for other in _ANY.finditer(chunk.text, line[0], _end(chunk.text, line[1]))}
        if not _SEVERAL.search(chunk.text, *line) and len(others) == 1:
            subject = DraftMention(0, 0, package, None, "topic", 0.9)
            licence = DraftMention(*found.span("licence"), found["licence"], None, "name", 0.9)
            draft = DraftTriple(subject, "licensed_under", licence, "licence", "line")
            yield Line([licence], [draft], line, {})


def _end(text: str, at: int) -> int:
    """The end of the section in which a place of a text is."""
    heading = text.find("\n#", at)
    return heading if heading >= 0 else len(text)
