"""The one date of an event, where a sentence gives several or none for certain: "died 1901 or 1902"."""

import re
from collections.abc import Iterable, Iterator

from mcp_graphrag.extract.english.draft_triple import DraftTriple

_OR_BEHIND = re.compile(
    r"\s*,?\s*(?:or|/)\s*(?:(?:in|on|about|around|possibly|perhaps)\s+)?(?:[A-Z][a-z]+\s+)?\d{1,4}\b"
)
_OR_BEFORE = re.compile(r"\d\s*,?\s*(?:or|/)\s*(?:(?:in|on|about|around|possibly|perhaps)\s+)?\Z")
MAX_BEFORE = 24  # characters


def with_one_date(prose: str, drafts: Iterable[DraftTriple]) -> Iterator[DraftTriple]:
    """The triples without dates that are alternatives, and with the first of several dates of one event."""
    dated: dict[tuple[str, str], str] = {}
    for draft in drafts:
        date = next((one for one in (draft.object, draft.subject) if one.kind == "date"), None)
        if date is None:
            yield draft
            continue
        before = prose[max(date.start - MAX_BEFORE, 0) : date.start]
        is_alternative = _OR_BEHIND.match(prose, date.end) or _OR_BEFORE.search(before)
        other = draft.object if date is draft.subject else draft.subject
        if not is_alternative and dated.setdefault((other.name, draft.predicate), date.name) == date.name:
            yield draft
