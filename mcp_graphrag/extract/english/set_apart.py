"""Words beside a name that make it that of another thing: "Moss Rovers (women)", "Ann Lee the younger"."""

import re

from mcp_graphrag.extract.english.draft_triple import is_demonym
from mcp_graphrag.mentions.find_mentions import DraftMention

_IN_FRONT = re.compile(
    r"\b(?:another|(?:an?|the|some)[ \xa0](?:different|other|first|second|third|fourth|fifth))[ \xa0]\Z", re.IGNORECASE
)
_MAX_IN_FRONT = 20
_OF_PERSON = re.compile(r"[ \xa0]+(?:the[ \xa0]+(?:younger|elder)|junior|senior)\b")
_BRACKETS = re.compile(r"[ \xa0]\((?P<first>[a-z][a-z'’-]+)(?:[ \xa0][a-z'’-]+){0,2}\)")
_YEAR = re.compile(r"[ \xa0]\((?P<year>\d{4})(?:[ \xa0][a-z]+)?\)")
# Words that begin a remark in brackets, which tells nothing apart: "(via the proxy)", "(now closed)", "(pictured)".
_REMARKS = frozenset(
    """
    via by over with without in on at for from to of since until as now then today still formerly previously once also
    see including and or but the a an not if when where which who that left right above below aged both all only
    """.split()  # noqa: SIM905
)


def is_set_apart(prose: str, mention: DraftMention) -> bool:
    """Whether words beside a name set it apart from that of another thing."""
    is_open = mention.type in {None, "Person"}
    is_thing = mention.kind == "name" and not is_demonym(mention.name)  # "the first Roman emperor"
    return is_thing and words_set_apart(prose, mention.start, mention.end, may_be_person=is_open)


def words_set_apart(text: str, start: int, end: int, *, may_be_person: bool = True) -> bool:
    """Whether words beside those of a name set it apart.

    In brackets they do where the text has the name without them before, or with another year; behind its first
    occurrence they describe it.
    """
    is_other = _IN_FRONT.search(text, max(start - _MAX_IN_FRONT, 0), start) is not None
    if is_other or (may_be_person and _OF_PERSON.match(text, end)):
        return True
    words, year = _BRACKETS.match(text, end), _YEAR.match(text, end)
    if words is not None and words["first"] not in _REMARKS and not words["first"].endswith(("ly", "ed")):
        before = r"(?![ \xa0]\()"
    elif year is not None:
        before = rf"[ \xa0]\((?!{year['year']})\d{{4}}\b"
    else:
        return False
    name = re.compile(rf"\b{re.escape(text[start:end])}\b{before}")
    return name.search(text, 0, start) is not None
