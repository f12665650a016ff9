"""The end of an office behind its beginning: "became director in 1978. She was succeeded by B in 1991"."""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from mcp_graphrag.english.dates import read_date
from mcp_graphrag.english.lexicon import load_lexicon
from mcp_graphrag.english.spans import Span
from mcp_graphrag.extract.english.draft_triple import DraftTriple
from mcp_graphrag.extract.english.marriages import DATE_BEHIND
from mcp_graphrag.mentions.find_mentions import DraftMention

MAX_DISTANCE = 250  # characters
_BEGINNING = re.compile(
    r"\b(?:became|appointed|elected|named|promoted|installed|hired|took\s+over|succeeded|followed|replaced)\b"
)
_BREAK = re.compile(rf"\n\s*\n|{_BEGINNING.pattern}")
OFFICES = frozenset(
    {"has_role", "affiliated_with", "leads", "led_by", "headed_by", "ceo", "directed_by", "chaired_by", "edited_by"}
)
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

# "its director, Ann Lee, resigned in May"
_LEAVING = re.compile(
    r"[*_]*\s*,\s+(?:(?:has|had|have|then|later|abruptly|suddenly|unexpectedly)\s+)*(?:resigned|retired|quit|departed"
    r"|(?:stepped|stood)\s+down|(?:was|were|been)\s+(?:fired|dismissed|sacked|ousted|removed|suspended|voted\s+out))\b"
)


_PROVISIONAL_BEFORE = re.compile(r"\b(?:acting|interim|caretaker|temporary)\s+(?:[a-z-]+\s+){1,3}\Z", re.IGNORECASE)


def without_provisional(prose: str, drafts: Iterable[DraftTriple]) -> Iterator[DraftTriple]:
    """The triples without those of a person of whom the words behind say that it is for a time only, or over."""
    for draft in drafts:
        ends = (draft.subject, draft.object)
        is_provisional = any(
            _PROVISIONAL.match(prose, end.end)
            or (draft.predicate in OFFICES and _PROVISIONAL_BEFORE.search(prose, max(end.start - 40, 0), end.start))
            or (draft.predicate in OFFICES and _LEAVING.match(prose, end.end))
            for end in ends
            if end.kind != "date"
        )
        if not is_provisional or "Person" not in {end.type for end in ends}:
            yield draft


def end_offices(prose: str, span: Span, drafts: Iterable[DraftTriple]) -> Iterator[DraftTriple]:
    """The triples of a sentence, offices that it tells the beginning of with the end that is stated behind them.

    Where that has no date, the office is over.
    """
    for draft in drafts:
        first = max(draft.subject.end, draft.object.end)
        begins = draft.valid_to is None and _BEGINNING.search(prose, span[0], first) is not None
        holder = _holder(draft) if begins else None
        if holder is None:
            yield draft
            continue
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
    is_event = draft.predicate in load_lexicon().events - OFFICES
    is_office = draft.predicate in OFFICES or (_OF.search(draft.surface) is not None and not is_event)
    return persons[0] if len(persons) == 1 and is_office else None


@lru_cache(maxsize=256)
def _succession(name: str) -> re.Pattern[str]:
    """What says that somebody came after a person, who is also meant by a pronoun."""
    names = "|".join(map(re.escape, dict.fromkeys((name, name.rsplit(maxsplit=1)[-1]))))
    later = r"(?:(?:then|later|eventually)\s+)?"
    return re.compile(
        rf"(?:\b(?:[Ss]?[Hh]e|[Ww]ho|{names})\s+(?:was|were|has\s+been)\s+{later}(?:succeeded|replaced|followed|dismissed"
        rf"|removed|ousted|sacked)|\b(?:and|but|[Ss]?[Hh]e|{names})\s+{later}(?:resigned|retired|(?:stepped|stood)\s+down)"
        rf"|\b(?!(?:S?He|They)\b)[A-Z][\w.’'-]*\s+{later}(?:succeed(?:ed|ing)|replac(?:ed|ing)|followed|(?:took|taking)\s+over"
        rf"\s+from)\s+(?:him|her|{names})|\b(?:[Hh]is|[Hh]er)\s+successor|\b(?:held|kept|served|remained|stayed|continued)\b"
        rf"[^.;\n]{{0,40}}?\suntil)\b(?:[^.;\n]{{0,80}}?{DATE_BEHIND})?"
    )
