"""The end of a marriage, where the text states it behind the marriage: "married Ann in 1950; they divorced in 1961".

"He died in 1940" directly behind a couple ends the marriage, whichever of the two he is.
"""

import re
from collections.abc import Iterable, Iterator

from mcp_graphrag.english.dates import read_date
from mcp_graphrag.extract.english.draft_triple import DraftTriple
from mcp_graphrag.mentions.find_mentions import in_text_order

# They hold from what happens once until they end.
MARRIAGES = frozenset({"spouse", "wife", "husband"})
MAX_DISTANCE = 200  # characters
DATE_BEHIND = r"\s+(?:in|on)\s+(?P<date>(?:\d{1,2}\s+)?(?:[A-Z][a-z]+\s+(?:\d{1,2},?\s+)?)?\d{4})\b"
_DIVORCE = re.compile(
    r"(?:(?:\b(?:they|(?:the|this|their) (?:couple|two|pair|marriage)|and|but|before|whom s?he|which)\s+|[,;(]\s*)"
    r"(?:(?!parents\b|was\s+born)\w+\s+){0,3}?(?:divorced|divorcing|separated|annulled|dissolved|divorce)\b"
    r"|\b(?:the|this|their|his|her)\s+(?:first\s+)?marriage\s+(?:\w+\s+){0,2}?"
    r"(?:ended(?!\s+in\s+divorce)|failed|collapsed|broke\s+(?:up|down)|fell\s+apart)\b)"
    rf"(?:{DATE_BEHIND})?",
    re.IGNORECASE,
)
# Behind a marriage, "he" and "she" are the two.
_DEATH = re.compile(
    r"(?:\b(?:s?he|who)\s+(?:has\s+|had\s+)?(?:died|passed\s+away|was\s+killed)|\bwidow(?:ed|er)\b|\bbecame\s+a\s+widow"
    rf"|\b(?:until|after|before)\s+(?:his|her)\s+(?:own\s+)?death)\b(?:[^.;\n]{{0,60}}?{DATE_BEHIND})?",
    re.IGNORECASE,
)
# Another person than the two, by a name or as a relative; a capital at the start of a sentence is no name.
_ANOTHER = re.compile(
    r"(?<=[^.;:!?\s] )[A-Z]|\b(?:father|mother|son|daughter|brother|sister|uncle|aunt|cousin|child|widow\w*)\b"
)
_OTHER = re.compile(r"\b(?:re)?(?:married|marries|wed|wife|husband)\b|\n\s*\n", re.IGNORECASE)
_NEXT = re.compile(
    r"\A(?:\s+(?:in|on)\s+[\w ,]{0,20}\d{4})?,?\s+and(?:,?\s+(?:then|later|secondly|again),?)?\s+"
    r"(?:[A-Z][\w.’'-]*\s+){1,4}in\s+\d{4}\b|\bs?he\s+(?:(?:then|later|subsequently|eventually)\s+)?(?:re)?married\b"
    r"|\bremarried\b|\b(?:second|third)\s+(?:wife|husband|marriage)\b",
    re.MULTILINE,
)


def end_marriages(prose: str, drafts: Iterable[DraftTriple]) -> Iterator[DraftTriple]:
    """The triples, marriages with the end that is stated behind them, and without divorces at no known date.

    One that ended with a death or before the next marriage, at no known date, is over.
    """
    for draft in drafts:
        end = max(draft.subject.end, draft.object.end)
        if draft.predicate not in MARRIAGES or draft.valid_to is not None:
            yield draft
            continue
        other = _OTHER.search(prose, end, end + MAX_DISTANCE)
        stop = other.start() if other is not None else end + MAX_DISTANCE
        endings = _DIVORCE.search(prose, end, stop), _death_of_either(prose, draft, end, stop)
        found = [one for one in endings if one is not None]
        ending = min(found, key=lambda one: one.start(), default=None)
        if ending is None:
            is_last = _NEXT.search(prose[end : end + MAX_DISTANCE].split("\n\n", maxsplit=1)[0]) is None
            yield draft if is_last else draft._replace(is_over=True)
        elif (moment := read_date(ending["date"] or "")) is not None:
            yield draft._replace(valid_to=moment[1])
        elif ending.re is _DEATH:
            yield draft._replace(is_over=True)


def _death_of_either(prose: str, draft: DraftTriple, end: int, stop: int) -> re.Match[str] | None:
    """The death of one of a couple behind the marriage, where "he" or "she" can be nobody else."""
    death = _DEATH.search(prose, end, stop)
    first, second = sorted((draft.subject, draft.object), key=in_text_order)
    opening = max(prose.rfind(mark, 0, first.start) for mark in (". ", "\n")) + 1
    around = (opening, first.start), (first.end, second.start), (end, death.start() if death is not None else end)
    return None if any(_ANOTHER.search(prose, *span) for span in around) else death
