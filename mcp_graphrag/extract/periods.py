"""The periods for which a sentence says that something holds: "since 1 March 2025", "from 2019 to 2023"."""

import re
from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from mcp_graphrag.english.dates import read_date
from mcp_graphrag.english.spans import MASK, Span
from mcp_graphrag.extract.draft_triple import DraftTriple
from mcp_graphrag.mentions.find_mentions import DraftMention
from mcp_graphrag.mentions.identifiers import find_shapes

_FROM = (
    r"(?:since|as from|as of|with effect from|effective(?: from| as of| on)?|(?:starting|beginning)(?: from| in| on)?)"
)
# An end within a period: "until her death in 1990" may be at any time of that year.
_ENDING = r"\s+(?:(?:his|her|its|their)\s+\w+\s+(?:in|on)|the\s+(?:end|close)\s+of)"
_LEAD = re.compile(
    rf"\b(?:(?P<since>{_FROM})|(?P<range>from|between)|(?P<until>until|till|up to|up until|before|prior to"
    rf"|(?P<through>through))(?P<ending>{_ENDING})?|(?P<after>after))\s+(?:the\s+)?\Z",
    re.IGNORECASE,
)
_MIDDLE = re.compile(rf"\s*(?:to|(?:until|till)(?P<ending>{_ENDING})?|up to|and|through|–|—|-)\s*\Z", re.IGNORECASE)
_MAX_LEAD_LENGTH = 40

# Predicates of what happens at a moment: a date does not make them hold from or until then.
_EVENT_LIST = (
    "caused_by resolved_by follows occurred_on authored_by approved_by published_in identified recommended is_a"
    " same_as born_in born_on died_in died_on founded_by founded_on created_by created_for released_by released_on"
    " won acquired_by met said left named_after adapted_from nationality child_of sibling replaces"
    " moved_to succeeded_by"
)
EVENTS = frozenset(_EVENT_LIST.split())


class Period(NamedTuple):
    """The span of the words, with their preposition, and the period: `start` inclusive, `end` exclusive.

    `dates` are the indexes of the mentions that it consists of.
    """

    span: Span
    start: datetime | None
    end: datetime | None
    dates: tuple[int, ...]

    def apply_to(self, draft: DraftTriple, text: str) -> DraftTriple:
        """The triple with this period and its words, if it can hold for a time."""
        address = draft.predicate == "located_in" and (draft.surface == "," or draft.subject.type == "Location")
        # What is done to a thing "until 1999" is no event: "the park was named after A until 1999".
        is_event = draft.predicate in EVENTS and (self.start is not None or self.end is None)
        if is_event or address or "date" in {draft.subject.kind, draft.object.kind}:
            return draft
        words = " ".join(text[slice(*self.span)].replace(MASK, " ").split())
        return draft._replace(
            when=words, valid_from=self.start or draft.valid_from, valid_to=self.end or draft.valid_to
        )


def find_periods(prose: str, span: Span, mentions: Sequence[DraftMention]) -> list[Period]:
    """The periods of a sentence, in order.

    A closing date is the end of the period, so that a period that starts on that date does not overlap it.
    """
    found: list[Period] = []
    index = 0
    while index < len(mentions):
        period = _period(prose, span, mentions, index) if mentions[index].kind == "date" else None
        if period is not None:
            found.append(period)
            index = period.dates[-1]
        index += 1
    return found


def _period(prose: str, span: Span, mentions: Sequence[DraftMention], index: int) -> Period | None:
    """The period that a date and the words in front of it make."""
    date = mentions[index]
    lead = _LEAD.search(prose, max(span[0], date.start - _MAX_LEAD_LENGTH), date.start)
    if lead is None:
        return None
    following = mentions[index + 1] if index + 1 < len(mentions) else None
    if lead["range"] and following is not None and following.kind == "date":
        return _range(prose, lead.start(), (date, following), index)
    moment = read_date(date.name)
    # "since the 2010 election" is no date, "between 2010" no period.
    adjective = date.name.isdigit() and lead[0].rstrip(f" {MASK}").lower().endswith(" the")
    if moment is None or adjective or (lead["range"] or "").lower() == "between":
        return None
    where = (lead.start(), date.end)
    # What is in front of "(from 2030: Bob Moss)" is so until then.
    is_next = prose[: lead.start()].endswith("(") and prose[date.end :].lstrip().startswith(":")
    if lead["until"] or is_next:
        return Period(where, None, moment[1] if lead["ending"] or lead["through"] else moment[0], (index,))
    return Period(where, moment[1] if lead["after"] else moment[0], None, (index,))


def _range(prose: str, start: int, dates: tuple[DraftMention, DraftMention], index: int) -> Period | None:
    """The period from the first date to the last one, which "through" includes."""
    last = read_date(dates[1].name)
    first = read_date(dates[0].name, year=last[0].year if last is not None else None)
    middle = _MIDDLE.fullmatch(prose, dates[0].end, dates[1].start)
    if first is None or last is None or first[0] >= last[0] or middle is None:
        return None
    end = last[1] if middle["ending"] or "through" in middle[0].lower() else last[0]
    return Period((start, dates[1].end), first[0], end, (index, index + 1))


def period_in(text: str, span: Span) -> Period | None:
    """The first period in the value of a label or cell: "Identity Team (since 1 March 2025)"."""
    if sum(map(str.isdigit, text[slice(*span)])) < 4:
        return None
    dates = [
        DraftMention(shape.start, shape.end, text[shape.start : shape.end], "Date", "date", 0.5)
        for shape in find_shapes(text, *span)
        if shape.kind == "date"
    ]
    return next(iter(find_periods(text, span, dates)), None)
