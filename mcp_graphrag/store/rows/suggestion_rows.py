"""Pairs of entities with similar names, found by common keys in SQL: a million names take seconds."""

from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mcp_graphrag.model import Ids, Matrix
from mcp_graphrag.store.engine.transaction import Reader
from mcp_graphrag.store.rows.embedding_rows import stored_embedder, vectors_by_id

# In what way two names are similar, as bits of `hows`.
EQUAL, JOINED, ACRONYM, SPELLING, CONTAINED, INITIALS, MEANING = (1 << how for how in range(1, 8))
MAX_SMALL = 3_000  # names up to which all with the same first letter are compared
NUMBERS = r"[0-9]+|\b(?:i{1,3}|iv|vi{0,3}|ix|xi{0,3}|jr|sr|junior|senior)\b"
NUMBERS_AND_LETTERS = rf"{NUMBERS}|\b\p{{L}}\b"
# The temporary tables, each with its query.
TABLES = (
    *(("equal_name", "equal_names"), ("acronym", "acronyms"), ("name_key", "name_keys"), ("key_pair", "key_pairs")),
    *(("similar_name", "similar_names"), ("similar_spelling", "similar_spellings"), ("person_name", "person_names")),
)


def name_pairs(tx: Reader, *, persons: Sequence[str], about: Sequence[int] | None) -> dict[str, NDArray[Any]]:
    """Columns a, b, hows, edits, length, share, name, other and types of the pairs with similar names, by id.

    `persons` are the types whose entities may be called by part of their name. With `about`, each pair has one of these
    entities. Pairs that were merged, or marked as distinct, are left out.
    """
    parameters = {"persons": persons, "about": about, "marks": NUMBERS_AND_LETTERS, "generations": NUMBERS}
    with ExitStack() as tables:
        count = tables.enter_context(tx.temporary("compared_name", "compared_names", parameters))
        for table, query in TABLES:
            tables.enter_context(tx.temporary(table, query, {**parameters, "small": count <= MAX_SMALL}))
        return tx.columns("suggested_pairs")


def pair_neighbours(tx: Reader, a: Ids, b: Ids) -> dict[str, NDArray[Any]]:
    """Columns a, b, shared, either, linked of those of the pairs with common neighbours or a triple between them."""
    with tx.incoming("incoming_pair", {"a": a, "b": b}):
        return tx.columns("suggested_neighbours")


def name_vectors(tx: Reader, ids: Ids) -> tuple[Ids, Matrix]:
    """(ids ascending, unit vectors) of those of the entities that have one."""
    embedder = stored_embedder(tx)
    if embedder is None:
        return np.empty(0, dtype=np.int64), np.empty((0, 1), dtype=np.float32)
    embedded = np.array(tx.rows_by_id("embedded_entities", ids.tolist()), dtype=np.int64).ravel()
    if not len(embedded):
        return embedded, np.empty((0, embedder.dimension), dtype=np.float32)
    return embedded, vectors_by_id(tx, "entity", embedder.dimension, embedded)
