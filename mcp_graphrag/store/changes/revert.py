"""Undo: changes taken back, so that what they retired is active again and what they recorded is retired."""

import json
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from mcp_graphrag.store.changes.removal import retire_unsupported_entities
from mcp_graphrag.store.engine.transaction import Writer
from mcp_graphrag.store.rows.confidence import combine_changed_evidence
from mcp_graphrag.store.rows.embedding_rows import delete_some_embeddings
from mcp_graphrag.store.rows.entity_rows import entity_labels, update_entities
from mcp_graphrag.store.rows.mention_rows import SPAN_TABLES
from mcp_graphrag.store.rows.ontology_rows import ONTOLOGIES
from mcp_graphrag.store.rows.past_rows import keep_values, restore_rows

ACTIVE_DOCUMENTS = "(SELECT id FROM document WHERE retired_change IS NULL)"
ACTIVE_CHUNKS = "(SELECT id FROM chunk WHERE retired_change IS NULL)"
ACTIVE_TRIPLES = "(SELECT id FROM triple WHERE retired_change IS NULL)"


# Tables whose rows have an id, with the condition under which one may be restored, in the order in which they are:
# those that a row depends on come before it.
TABLES = {
    "document": "true",
    "chunk": f"document_id IN {ACTIVE_DOCUMENTS}",
    "chunk_edge": f"source_id IN {ACTIVE_CHUNKS} AND target_id IN {ACTIVE_CHUNKS}",
    "entity": "true",
    "triple": "true",
    "evidence": f"triple_id IN {ACTIVE_TRIPLES} AND (chunk_id IS NULL OR chunk_id IN {ACTIVE_CHUNKS})",
    "conflict": "true",
    "merge": "true",
}
# Tables whose rows have no id, with the columns by which two rows are the same.
IDENTITIES: Mapping[str, str] = {
    "entity_alias": "entity_id, norm, origin, coalesce(document_id, -1), coalesce(said_in, -1)",
    "mention": "chunk_id, entity_id, start_offset, end_offset, extractor",
    "entity_value": "chunk_id, entity_id, predicate_id, start_offset, end_offset, extractor",
    "extraction": "chunk_id, extractor, version",
    "distinct_pair": "entity_id, other_id",
    "ontology": "name, body",
}
WITHOUT_TIME = frozenset({*SPAN_TABLES, "extraction"})  # of retirement


def revert(tx: Writer, changes: Iterable[int]) -> None:
    """Take changes back; they must be the newest that are not undone yet."""
    tx.log_change()
    tx.voids_indexes = True
    with tx.temporary("reverted", "reverted_changes", {"changes": sorted(int(change) for change in changes)}):
        values = tx.rows("values_to_restore")
        _retire_recorded(tx)
        for table, condition in TABLES.items():
            with _active_without(tx, table):
                restore_rows(tx, table, "rows_to_restore", condition=condition)
        for name, columns in IDENTITIES.items():
            with tx.temporary("lost", "lost_rows", table=name, columns=columns):
                tx.execute(f"restore_{name}")
        _restore_values(tx, values)
        combine_changed_evidence(tx)
        tx.execute("mark_undone")
    tx.forget(ONTOLOGIES)
    retire_unsupported_entities(tx, tx.values("entities_of_change"))


@contextmanager
def _active_without(tx: Writer, table: str) -> Generator[None]:
    """The rows that the reverted changes have touched, and those of them that are active without these."""
    with tx.temporary("touched", "touched", table=table), tx.temporary("active_without", "active_without", table=table):
        yield


def _retire_recorded(tx: Writer) -> None:
    """Retire what the reverted changes have recorded; triples and entities only if nothing else supports them."""
    for table in reversed(TABLES):
        if table not in {"triple", "entity"}:
            with _active_without(tx, table):
                tx.execute("retire_recorded", table=table)
    for name, columns in IDENTITIES.items():
        retired = f"{'' if name in WITHOUT_TIME else 'retired_at = $now, '}retired_change = $change"
        tx.execute("retire_recorded_rows", table=name, columns=columns, retired=retired)
    tx.execute("retire_unsupported_triples")


def _restore_values(tx: Writer, values: Sequence[tuple[str, int, str]]) -> None:
    """Restore earlier values, (table, id, values as JSON text) each, of entities and documents."""
    entities = [(row_id, _texts(json.loads(was))) for table, row_id, was in values if table == "entity"]
    labels = entity_labels(tx, (entity_id for entity_id, _ in entities))
    renamed = [entity_id for entity_id, was in entities if was["name"] != labels[entity_id].name]
    update_entities(tx, entities)
    delete_some_embeddings(tx, "entity", renamed)
    for table, row_id, was in values:
        if table == "document":
            keep_values(tx, "document", [row_id])
            tx.execute("restore_document_values", {"id": row_id, "was": was})


def _texts(values: Mapping[str, Any]) -> dict[str, str]:
    return {column: value if isinstance(value, str) else json.dumps(value) for column, value in values.items()}
