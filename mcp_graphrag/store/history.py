"""Changes taken back: what they retired is in force again, what they recorded no longer is.

Nothing is overwritten. A row that comes back keeps its identity; the interval in which it was known before goes to
`past`, as do the words of an entity or document before they are changed. So every look back finds what was known.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np

from mcp_graphrag.store.confidence import combine_touched
from mcp_graphrag.store.documents import texts
from mcp_graphrag.store.statements import statements
from mcp_graphrag.store.transaction import Reader, Writer, id_column

WORDS = ("name", "norm", "type", "type_extractor", "description", "properties")
CHANGE = "retired_change = $change"
WORDS_OF_ENTITY = "json_object(" + ", ".join(f"'{word}', {word}" for word in WORDS) + ")"
WORDS_OF_DOCUMENT = "json_object('title', title, 'source', source, 'metadata', metadata)"
HAS_TRIPLE = "triple_id IN (SELECT id FROM triple WHERE retired_change IS NULL)"
CHUNKS = "(SELECT id FROM chunk WHERE retired_change IS NULL)"
HAS_CHUNK = "(chunk_id IS NULL OR chunk_id IN (SELECT id FROM chunk WHERE retired_change IS NULL))"


@dataclass(frozen=True)
class Table:
    """A table whose rows have an id: which words go to `past` with an interval, and what a row stands on."""

    name: str
    was: str = "NULL"
    condition: str = "true"


# In the order in which their rows come back: what a row stands on before the row.
TABLES = (
    Table("document", WORDS_OF_DOCUMENT),
    Table("chunk", condition="document_id IN (SELECT id FROM document WHERE retired_change IS NULL)"),
    Table("chunk_edge", condition=f"source_id IN {CHUNKS} AND target_id IN {CHUNKS}"),
    Table("entity", WORDS_OF_ENTITY),
    Table("triple"),
    Table("evidence", condition=f"{HAS_TRIPLE} AND {HAS_CHUNK}"),
    Table("conflict"),
    Table("merge"),
)
# Tables whose rows have none, with the columns that make two of them the same.
ROWS: Mapping[str, str] = {
    "entity_alias": "entity_id, norm, origin, coalesce(document_id, -1), coalesce(said_in, -1)",
    "mention": "chunk_id, entity_id, start_offset, end_offset, extractor",
    "distinct_pair": "entity_id, other_id",
    "ontology": "name, body",
}


@dataclass(frozen=True)
class Operation:
    """The changes of one call or job."""

    id: int
    changes: Sequence[int]
    recorded_at: datetime
    client: str
    tool: str


def reword_entities(tx: Writer, words: Sequence[tuple[int, Mapping[str, str]]]) -> None:
    """Give entities other words, (id, words) each; `properties` as JSON text. The old ones go to `past`."""
    if not words:
        return
    columns: dict[str, Any] = {"id": np.array([entity_id for entity_id, _ in words], dtype=np.int64)}
    columns |= {word: texts(each.get(word) for _, each in words) for word in WORDS}
    with tx.offering("incoming_words", columns):
        tx.rows("keep_words_of_entities", tx.stamp())
        tx.rows("reword_entities", tx.stamp())


def new_operation(tx: Writer) -> int:
    """A number for an operation of several changes, to be put into the origin of each."""
    return int(tx.new_ids("change_id", 1)[0])


def last_operations(tx: Reader, *, limit: int) -> list[Operation]:
    """The operations that an undo would take back, the newest first."""
    return [Operation(*row) for row in tx.rows("last_operations", {"limit": limit})]


def last_purge(tx: Reader) -> int:
    """The newest change that removed something for good, 0 for none."""
    return tx.count("last_purge")


def revert(tx: Writer, changes: Iterable[int]) -> None:
    """Take changes back; they must be the newest that are not undone yet."""
    stamp = tx.stamp()
    tx.rows("begin_revert", {"changes": sorted(int(each) for each in changes)})
    words = tx.rows("words_to_restore")
    _retire_recorded(tx)
    for table in TABLES:
        _run(tx, "to_restore", table=table.name, condition=table.condition)
        _run(tx, "keep_interval", table=table.name, was=table.was)
        _run(tx, "restore", stamp, table=table.name)
    for statement in ("restore_aliases", "restore_pairs", "restore_ontologies"):
        tx.rows(statement, stamp)
    tx.rows("restore_mentions", {"change": tx.change})
    _restore_words(tx, words)
    combine_touched(tx)
    tx.rows("mark_undone", {"change": tx.change})
    prune_entities(tx, touched_entities(tx))


def _retire_recorded(tx: Writer) -> None:
    """Take out of force what the reverted changes have recorded: entities and triples only where nothing else holds."""
    stamp = tx.stamp()
    for table in reversed(TABLES):
        if table.name not in {"triple", "entity"}:
            _run(tx, "recorded_by", table=table.name)
            _run(tx, "retire_recorded", stamp, table=table.name)
    for name, columns in ROWS.items():
        if name == "mention":
            _run(tx, "retire_recorded_rows", {"change": tx.change}, table=name, columns=columns, stamp=CHANGE)
        else:
            _run(tx, "retire_recorded_rows", stamp, table=name, columns=columns, stamp=f"retired_at = $now, {CHANGE}")
    tx.rows("retire_unsupported_triples", stamp)


def touched_entities(tx: Writer) -> list[int]:
    """The entities around which this write has recorded or retired something."""
    return [row[0] for row in tx.rows("touched_by", {"change": tx.change})]


def prune_entities(tx: Writer, candidates: Iterable[int]) -> list[int]:
    """Retire those of the entities that nothing supports any more; answers their ids."""
    column = id_column(candidates)
    if not len(column["id"]):
        return []
    with tx.offering("candidate", column):
        pruned = [row[0] for row in tx.rows("retire_orphans", tx.stamp())]
    if pruned:
        tx.rows("retire_names_of_retired", tx.stamp())
    return pruned


def orphan_count(tx: Reader) -> int:
    """How many entities in force nothing supports: no mention, no triple, no declaration."""
    return len(tx.rows("orphans"))


def _run(tx: Writer, statement: str, values: Mapping[str, Any] | None = None, **parts: str) -> None:
    tx.run(statements()[statement].format(**parts), values)


def _restore_words(tx: Writer, words: Sequence[tuple[Any, ...]]) -> None:
    reword_entities(tx, [(row[1], _as_text(json.loads(row[2]))) for row in words if row[0] == "entity"])
    for kind, document_id, was in words:
        if kind == "document":
            tx.rows("keep_words_of_document", {"id": document_id, **tx.stamp()})
            tx.rows("restore_documents_words", {"id": document_id, "was": was, **tx.stamp()})


def _as_text(words: Mapping[str, Any]) -> dict[str, str]:
    return {word: said if isinstance(said, str) else json.dumps(said) for word, said in words.items()}


@dataclass(frozen=True)
class Event:
    """What a change did to a row of a `kind` (entity, triple, merge, alias:NAME): it `came` into force, or went."""

    change: int
    recorded_at: datetime
    tool: str
    client: str
    operation: int
    undone: bool
    kind: str
    row_id: int
    came: bool


def triples_only_known(tx: Reader, *, at: int, against: int) -> list[int]:
    """The triples known at the one generation and not at the other, unless another row said the same there."""
    return [row[0] for row in tx.rows("known_between", {"at": at, "against": against})]


def names_only_known(tx: Reader, table: str, *, at: int, against: int) -> list[str]:
    """The names of entities, or uris of documents, known at the one generation and not at the other."""
    sql = statements()["known_rows_between"].format(table=table, name={"entity": "name", "document": "uri"}[table])
    return [row[0] for row in tx.run(sql, {"at": at, "against": against}).fetchall()]


def once_named(tx: Reader, norm: str) -> list[int]:
    """The entities that carry or once carried a normal form, those that carry it now first."""
    return [row[0] for row in tx.rows("once_named", {"norm": norm})]


def events_of(tx: Reader, entity_id: int, *, after: int, limit: int) -> list[Event]:
    """What happened to an entity, to those merged into it and to their triples, the newest first, from `after` on."""
    ids = {entity_id}
    while more := {row[0] for row in tx.rows_by_id("merged_into", ids)} - ids:
        ids |= more
    return [Event(*row) for row in tx.rows("events_of", {"ids": sorted(ids), "after": after, "limit": limit})]


def words_then(tx: Reader, entity_ids: Iterable[int]) -> dict[tuple[int, int], Mapping[str, Any]]:
    """What entities were called until a change reworded or retired them, by (entity id, change)."""
    return {(row[0], row[1]): json.loads(row[2]) for row in tx.rows_by_id("words_then", entity_ids)}


def merge_names(tx: Reader, merge_ids: Iterable[int]) -> dict[int, tuple[str, str, str]]:
    """(kept, merged, reason) of merges, by id."""
    return {row[0]: (row[1], row[2], row[3]) for row in tx.rows_by_id("merge_names", merge_ids)}
