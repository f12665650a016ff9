"""Values: numbers, dates and short texts that documents state of entities, and that are no entities themselves."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Any, NamedTuple

from mcp_graphrag.model import VALUE, Evidence, Ids, StoredChunk, Triple
from mcp_graphrag.store.engine.columns import record_columns
from mcp_graphrag.store.engine.transaction import Reader, Writer, id_constants
from mcp_graphrag.store.rows.citations import cite_chunk
from mcp_graphrag.store.rows.document_rows import chunks_by_id, lines_at
from mcp_graphrag.store.rows.entity_rows import EntityLabel, entity_labels
from mcp_graphrag.store.rows.triple_rows import predicates

BATCH = 122_880  # rows, which DuckDB compresses together
NEAR = 200  # characters of its line that are quoted on either side of a value


class NewValue(NamedTuple):
    """A value to add, with its span in the document; `name` is that of the entity there, None for its own."""

    chunk_id: int
    entity_id: int
    predicate_id: int
    value: str
    number: float | None
    moment: datetime | None
    start: int
    end: int
    confidence: float
    surface: str | None
    name: str | None


@dataclass(frozen=True)
class ValuePattern:
    """Which values to find, by `text` in any case or by `number` and `unit`; None matches all, and types are keys."""

    subjects: Sequence[int] | None = None
    predicates: Sequence[int] | None = None
    text: str | None = None
    number: float | None = None
    unit: str = ""
    subject_types: Sequence[str] | None = None
    min_confidence: float = 0.0
    documents: Ids | None = None


def add_values(tx: Writer, values: Iterable[NewValue], extractor: str) -> int:
    """Add the values that one extractor found, batch by batch; answers how many."""
    count, values = 0, iter(values)
    while batch := list(islice(values, BATCH)):
        with tx.incoming("incoming_value", record_columns(NewValue, batch)):
            tx.execute("add_values", {"extractor": extractor})
        count += len(batch)
    return count


def remove_values(tx: Writer, pattern: ValuePattern, *, purge: bool) -> int:
    """Take the values that match out of force, or delete those of the text for good; answers how many were in force."""
    count = count_values(tx, pattern)
    if count:
        tx.execute("purge_values" if purge else "retire_values", vars(pattern), **_ids_of(pattern))
    return count


def match_values(tx: Reader, pattern: ValuePattern, *, after: int, limit: int) -> list[Triple]:
    """The active values that match, in reading order, without the first `after`; each as a triple without an id."""
    bounds = {"after": after, "limit": limit}
    return _stated(tx, tx.rows("match_values", {**vars(pattern), **bounds}, **_ids_of(pattern)))


def count_values(tx: Reader, pattern: ValuePattern) -> int:
    """How many active values match."""
    return int(tx.rows("count_values", vars(pattern), **_ids_of(pattern))[0][0])


def first_values(tx: Reader, pattern: ValuePattern, *, limit: int) -> dict[int, list[str]]:
    """The first values of each entity by the ids of a pattern, "port 5432" each, each once; then how many more."""
    rows = tx.rows("first_values", {"limit": limit}, **_ids_of(pattern))
    return {each: [*said, *([f"{total - limit} more"] if total > limit else [])] for each, said, total in rows}


def chunks_of_tables(tx: Reader, *, since: int) -> Ids:
    """The chunks of large tables, recorded after a generation: nearly all chunks of such a document state values."""
    return tx.ids("chunks_of_tables", {"since": since})


def value_counts(tx: Reader) -> dict[str, int]:
    """How many active values each predicate has, most frequent first."""
    return dict(tx.rows("value_counts"))


def values_only_known(tx: Reader, *, at: int, against: int, limit: int) -> tuple[list[Triple], int]:
    """The first of the values stated after one change and not after another, each once, and how many there are."""
    rows = tx.rows("values_only_known", {"at": at, "against": against, "limit": max(limit, 1)})
    return _stated(tx, [row[:-1] for row in rows[:limit]]), rows[0][-1] if rows else 0


def _ids_of(pattern: ValuePattern) -> dict[str, str]:
    """The conditions on ids, as constants: those of the segments of a table that have none of them are not read."""
    of_documents = "v.chunk_id IN (SELECT id FROM chunk WHERE document_id"
    return {
        "subjects": _among("v.entity_id", pattern.subjects),
        "predicates": _among("v.predicate_id", pattern.predicates),
        "documents": "true" if pattern.documents is None else f"{_among(of_documents, pattern.documents)})",
    }


def _among(column: str, ids: Iterable[int] | None) -> str:
    return "true" if ids is None else f"{column} IN ({id_constants(ids) or 'NULL'})"


def _stated(tx: Reader, rows: Sequence[tuple[Any, ...]]) -> list[Triple]:
    """The values of rows as triples, each with the part of its line around it as quote."""
    labels = entity_labels(tx, {row[0] for row in rows})
    names = {predicate_id: name for name, predicate_id in predicates(tx).items()} if rows else {}
    chunks = chunks_by_id(tx, {row[3] for row in rows})
    lines = lines_at(tx, {at: (row[3], row[4]) for at, row in enumerate(rows)}) if rows else {}
    return [_triple(row, names[row[1]], labels[row[0]], chunks[row[3]], lines[at]) for at, row in enumerate(rows)]


def _triple(row: tuple[Any, ...], predicate: str, subject: EntityLabel, chunk: StoredChunk, line: int) -> Triple:
    entity_id, _, value, _, start, end, extractor, confidence, surface, recorded_at = row
    text, first, last = chunk.text, start - chunk.start, end - chunk.start
    begin = max(text.rfind("\n", 0, first) + 1, first - NEAR)
    quote = text[begin:last] + text[last : last + NEAR].partition("\n")[0]
    span = chunk.start + begin, chunk.start + begin + len(quote)
    sure = round(float(confidence), 4)
    evidence = Evidence(chunk.document.source, cite_chunk(chunk), quote, *span, extractor, sure, surface, line)
    ends = entity_id, subject.name, subject.type, predicate, 0, value, VALUE
    return Triple(0, *ends, sure, evidence=[evidence], recorded_at=recorded_at)
