"""The end of a marriage, where the text states it behind the marriage: "married Ann in 1950; they divorced in 1961"."""

import re
from collections.abc import Iterable, Iterator

from mcp_graphrag.extract.english.dates import read_date
from mcp_graphrag.extract.english.draft_triple import DraftTriple

# They hold from what happens once until they end.
MARRIAGES = frozenset({"spouse", "wife", "husband"})
MAX_DISTANCE = 200  # characters
_DIVORCE = re.compile(
    r"(?:\b(?:they|(?:the|this|their) (?:couple|two|pair|marriage)|and|but|before|whom s?he|which)\s+|[,;(]\s*)"
    r"(?:(?!parents\b|was\s+born)\w+\s+){0,3}?(?:divorced|divorcing|separated|annulled|dissolved|divorce)\b"
    r"(?:\s+(?:in|on)\s+(?P<date>(?:\d{1,2}\s+)?(?:[A-Z][a-z]+\s+(?:\d{1,2},?\s+)?)?\d{4})\b)?",
    re.IGNORECASE,
)
_OTHER = re.compile(r"\b(?:re)?(?:married|marries|wed|wife|husband)\b|\n\s*\n", re.IGNORECASE)


def end_marriages(prose: str, drafts: Iterable[DraftTriple]) -> Iterator[DraftTriple]:
    """The triples, marriages with the end that is stated behind them, and without those that ended at no known date."""
    for draft in drafts:
        end = max(draft.subject.end, draft.object.end)
        if draft.predicate not in MARRIAGES or draft.valid_to is not None:
            yield draft
            continue
        other = _OTHER.search(prose, end, end + MAX_DISTANCE)
        divorce = _DIVORCE.search(prose, end, other.start() if other is not None else end + MAX_DISTANCE)
        if divorce is None:
            yield draft
        elif (moment := read_date(divorce["date"] or "")) is not None:
            yield draft._replace(valid_to=moment[1])
