"""The end of a marriage, where the text states it behind the marriage: "married Ann in 1950; they divorced in 1961".

"He died in 1940" directly behind a couple ends the marriage, whichever of the two he is.
"""

import re
from collections.abc import Iterable, Iterator

from mcp_graphrag.extract.english.dates import read_date
from mcp_graphrag.extract.english.draft_triple import DraftTriple
from mcp_graphrag.extract.english.find_mentions import in_text_order

# They hold from what happens once until they end.
MARRIAGES = frozenset({"spouse", "wife", "husband"})
MAX_DISTANCE = 200  # characters
_DIVORCE = re.compile(
    r"(?:\b(?:they|(?:the|this|their) (?:couple|two|pair|marriage)|and|but|before|whom s?he|which)\s+|[,;(]\s*)"
    r"(?:(?!parents\b|was\s+born)\w+\s+){0,3}?(?:divorced|divorcing|separated|annulled|dissolved|divorce)\b"
    r"(?:\s+(?:in|on)\s+(?P<date>(?:\d{1,2}\s+)?(?:[A-Z][a-z]+\s+(?:\d{1,2},?\s+)?)?\d{4})\b)?",
    re.IGNORECASE,
)
_DATE = r"(?:\s+(?:in|on)\s+(?P<date>(?:\d{1,2}\s+)?(?:[A-Z][a-z]+\s+(?:\d{1,2},?\s+)?)?\d{4})\b)?"
# Up to the death no word begins with a capital, so that nobody else has been named.
_DEATH = re.compile(
    r"[^.;:A-Z\n]{0,80}(?:[.;]\s+|,\s+(?:and\s+|but\s+)?)(?:[Hh]e|[Ss]he|(?:[Hh]is|[Hh]er)\s+(?:husband|wife))\s+"
    rf"(?:(?:soon|later|already|suddenly)\s+)?(?:died|was\s+(?:killed|executed|murdered)|passed\s+away){_DATE}"
)
# Another person than the two, by a name or as a relative.
_ANOTHER = re.compile(r"[A-Z]|\b(?:father|mother|son|daughter|brother|sister|uncle|aunt|cousin|child|widow\w*)\b")
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
        over = divorce or _death_of_either(prose, draft, end)
        if over is None:
            yield draft
        elif (moment := read_date(over["date"] or "")) is not None:
            yield draft._replace(valid_to=moment[1])


def _death_of_either(prose: str, draft: DraftTriple, end: int) -> re.Match[str] | None:
    """The death of one of a couple in the words right behind it, where "he" or "she" can be nobody else."""
    first, second = sorted((draft.subject, draft.object), key=in_text_order)
    before = prose[max(prose.rfind(mark, 0, first.start) for mark in (". ", "\n")) + 1 : first.start]
    between = prose[first.end : second.start]
    if _ANOTHER.search(before.strip()[1:]) or _ANOTHER.search(between):
        return None
    return _DEATH.match(prose, end)
