"""The values of entities in a line."""

from collections.abc import Iterable

from mcp_graphrag.snapshot import Snapshot
from mcp_graphrag.store.rows.value_rows import ValuePattern, first_values

MAX_SHOWN = 8
MAX_LENGTH = 60  # characters of a value


def values_in_words(snapshot: Snapshot, entity_ids: Iterable[int]) -> dict[int, list[str]]:
    """The first values of those of the entities that have some, "port 5432" each, then how many more there are."""
    documents = None if snapshot.within is None else snapshot.within.documents
    words: dict[int, list[str]] = {}
    totals: dict[int, int] = {}
    pattern = ValuePattern(list(entity_ids), documents=documents)
    for entity_id, predicate, value, total in first_values(snapshot.tx, pattern, limit=MAX_SHOWN):
        cut = "…" if len(value) > MAX_LENGTH else ""
        words.setdefault(entity_id, []).append(f"{predicate} {value[:MAX_LENGTH]}{cut}")
        totals[entity_id] = total
    return {
        each: [*said, *([f"{more} more"] if (more := totals[each] - len(said)) else [])] for each, said in words.items()
    }
