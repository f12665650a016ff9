"""The end of an office behind its beginning: "became director in 1978. She was succeeded by B in 1991"."""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from mcp_graphrag.extract.english.dates import read_date
from mcp_graphrag.extract.english.draft_triple import DraftTriple
from mcp_graphrag.extract.english.find_mentions import DraftMention
from mcp_graphrag.extract.english.marriages import DATE_BEHIND
from mcp_graphrag.extract.spans import Span

MAX_DISTANCE = 250  # characters
_BEGINNING = re.compile(
    r"\b(?:became|appointed|elected|named|promoted|installed|hired|took\s+over|succeeded|followed|replaced)\b"
)
_BREAK = re.compile(rf"\n\s*\n|{_BEGINNING.pattern}")
_OFFICES = frozenset({"has_role", "affiliated_with", "leads", "led_by", "headed_by", "ceo"})
_OF = re.compile(r"(?:\s(?:of|at|for)|\A's\s.*)\Z")


# "led by Ann Lee (acting)", "led by Ann Lee for the time being", "led by Ann Lee, who is acting head"
_PROVISIONAL = re.compile(
    r"[*_]*(?:\s*[(\[]\s*(?:acting|interim|ad\s+interim|a\.i\.|caretaker|pro\s+tem\w*|temporar(?:y|ily)|provisional(?:ly)?"
    r"|stand-?in|designate|incoming|outgoing|for\s+now|tb[acd]|to\s+be\s+(?:confirmed|decided|announced))\b"
    r"|,?\s+(?:for\s+now|for\s+the\s+(?:time\s+being|moment)|on\s+an?\s+(?:interim|acting|temporary|caretaker)\s+basis"
    r"|ad\s+interim|temporarily|in\s+the\s+interim|until\s+further\s+notice)\b"
    r"|,\s+(?:who\s+is\s+)?(?:the\s+|its\s+|as\s+)?(?:acting|interim|caretaker|temporary)\b)",
    re.IGNORECASE,
)


def without_provisional(prose: str, drafts: Iterable[DraftTriple]) -> Iterator[DraftTriple]:
    """The triples without those of a person of whom the words behind say that it is for a time only."""
    for draft in drafts:
        ends = (draft.subject, draft.object)
        is_provisional = any(_PROVISIONAL.match(prose, end.end) for end in ends if end.kind != "date")
        if not is_provisional or "Person" not in {end.type for end in ends}:
            yield draft


def end_offices(prose: str, span: Span, drafts: Iterable[DraftTriple]) -> Iterator[DraftTriple]:
    """The triples of a sentence, offices that it tells the beginning of with the end that is stated behind them.

    Where that has no date, the office is over.
    """
    begins = _BEGINNING.search(prose, *span) is not None
    for draft in drafts:
        holder = _holder(draft) if begins and draft.valid_to is None else None
        if holder is None:
            yield draft
            continue
        first = max(draft.subject.end, draft.object.end)
        ending = _succession(holder.name).search(prose, first, first + MAX_DISTANCE)
        if ending is None or _BREAK.search(prose, first, ending.start()) is not None:
            yield draft
        elif (moment := read_date(ending["date"] or "")) is not None:
            yield draft._replace(valid_to=moment[1])
        else:
            yield draft._replace(is_over=True)


def _holder(draft: DraftTriple) -> DraftMention | None:
    """The person of a triple that states an office, by its predicate or by a noun with "of"."""
    persons = [end for end in (draft.subject, draft.object) if end.type == "Person"]
    is_office = draft.predicate in _OFFICES or _OF.search(draft.surface) is not None
    return persons[0] if len(persons) == 1 and is_office else None


@lru_cache(maxsize=256)
def _succession(name: str) -> re.Pattern[str]:
    """What says that somebody came after a person, who is also meant by a pronoun."""
    names = "|".join(map(re.escape, dict.fromkeys((name, name.split()[-1]))))
    return re.compile(
        rf"\b(?:(?:[Ss]?[Hh]e|[Ww]ho|{names})\s+(?:was|were|has\s+been)\s+(?:(?:then|later|eventually)\s+)?"
        r"(?:succeeded|replaced|followed|dismissed|removed|ousted|sacked)"
        rf"|(?:and|but|[Ss]?[Hh]e|{names})\s+(?:(?:then|later|eventually)\s+)?(?:resigned|retired|(?:stepped|stood)\s+down)"
        rf"|(?:succeeded|replaced|followed|succeeding|replacing|(?:took|taking)\s+over\s+from)\s+(?:him|her|{names}))\b"
        rf"(?:[^.;\n]{{0,80}}?{DATE_BEHIND})?"
    )
