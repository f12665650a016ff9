"""Names of organizations with "and" or "for" inside: "Food and Drug Administration", "Center for Soil Research"."""

import re
from collections.abc import Iterator

from mcp_graphrag.english.spans import Span
from mcp_graphrag.mentions.gazetteer import GAZETTEER
from mcp_graphrag.mentions.person_names import is_given_name

_BODY = (
    r"(?:Administration|Agency|Association|Authority|Board|Bureau|Cent(?:er|re)s?|College|Commission|Committee|Council"
    r"|Department|Faculty|Federation|Foundation|Fund|Institute|Institution|Ministry|Office|Organi[sz]ation|School|Society"
    r"|Union)"
)
_WORD = r"[A-Z][a-z]{2,20}"
_WORDS = rf"{_WORD}(?:[ \xa0]{_WORD}){{0,3}}"
_MORE = rf"(?:,[ \xa0]{_WORDS}){{0,2}},?[ \xa0](?:and|&)[ \xa0]"
_BEFORE = rf"(?:(?!The\b){_WORD}[ \xa0]){{0,3}}"
_NAMES = re.compile(
    rf"{_BEFORE}{_BODY}[ \xa0](?:of|for)[ \xa0](?P<first>{_WORDS}){_MORE}(?P<last>{_WORDS})(?![\w-])"
    rf"|{_BEFORE}{_BODY}[ \xa0]for[ \xa0](?:(?:an?|the)[ \xa0]{_WORDS}|(?P<alone>{_WORDS}))(?![\w-])"
    rf"|(?<=[Tt]he[ \xa0])(?P<one>{_WORDS}){_MORE}(?P<other>{_WORDS})[ \xa0]{_BODY}(?![\w-])"
)
_HAS_BODY = re.compile(_BODY)


def organization_names(prose: str, span: Span) -> Iterator[Span]:
    """The spans of such names; what is joined are ordinary words, so that no second name is taken in."""
    if not _HAS_BODY.search(prose, *span):
        return  # sooner
    for found in _NAMES.finditer(prose, *span):
        joined = [part for name in ("first", "last", "alone", "one", "other") if (part := found[name])]
        if all(map(_is_ordinary, joined)):
            yield found.span()


def _is_ordinary(words: str) -> bool:
    parts = words.replace("\xa0", " ").split()
    if words in GAZETTEER.places or any(map(is_given_name, parts)):
        return False
    return all(GAZETTEER.is_common(part.lower()) or part.endswith(("ic", "al")) for part in parts)
