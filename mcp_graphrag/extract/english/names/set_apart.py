"""Words behind a name that make it that of another thing: "Moss Rovers (women)", "Ann Lee the younger"."""

import re

from mcp_graphrag.extract.english.find_mentions import DraftMention

_OF_PERSON = re.compile(r"[ \xa0]+(?:the[ \xa0]+(?:younger|elder)|junior|senior)\b")
_BRACKETS = re.compile(r"[ \xa0]\((?P<first>[a-z][a-z'’-]+)(?:[ \xa0][a-z'’-]+){0,2}\)")
# Words that begin a remark in brackets, which tells nothing apart: "(via the proxy)", "(now closed)", "(pictured)".
_REMARKS = frozenset(
    """
    via by over with without in on at for from to of since until as now then today still formerly previously once also
    see including and or but the a an not if when where which who that left right above below aged both all only
    """.split()  # noqa: SIM905
)


def is_set_apart(prose: str, mention: DraftMention) -> bool:
    """Whether words behind a name set it apart from that of another thing."""
    is_open = mention.type in {None, "Person"}
    return mention.kind == "name" and words_set_apart(prose, mention.start, mention.end, may_be_person=is_open)


def words_set_apart(text: str, start: int, end: int, *, may_be_person: bool = True) -> bool:
    """Whether words behind those of a name set it apart.

    In brackets they do where the text has the name without them before; behind its first occurrence they describe it.
    """
    if may_be_person and _OF_PERSON.match(text, end):
        return True
    behind = _BRACKETS.match(text, end)
    if behind is None or behind["first"] in _REMARKS or behind["first"].endswith(("ly", "ed")):
        return False
    name = re.compile(rf"\b{re.escape(text[start:end])}\b(?![ \xa0]\()")
    return name.search(text, 0, start) is not None
