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
EMBEDDED = "SELECT entity_id AS id FROM entity_embedding WHERE entity_id IN ({ids}) ORDER BY entity_id"


def name_pairs(tx: Reader, *, persons: Sequence[str], about: Sequence[int] | None) -> dict[str, NDArray[Any]]:
    """Columns a, b, hows, edits, length, share, name, other and types of the pairs with similar names, by id.

    `persons` are the types whose entities may be called by part of their name. With `about`, each pair has one of these
    entities. Pairs that were merged, or marked as distinct, are left out.
    """
    wanted = {"about": None if about is None else list(about)}
    with ExitStack() as tables:
        count = tables.enter_context(
            tx.temporary("compared_name", "compared_names", {"persons": list(persons), **wanted})
        )
        tables.enter_context(tx.temporary("equal_name", "equal_names", wanted))
        tables.enter_context(tx.temporary("acronym", "acronyms", wanted))
        tables.enter_context(tx.temporary("name_key", "name_keys", {**wanted, "small": count <= MAX_SMALL}))
        tables.enter_context(tx.temporary("key_pair", "key_pairs"))
        tables.enter_context(tx.temporary("similar_name", "similar_names", wanted))
        tables.enter_context(tx.temporary("similar_spelling", "similar_spellings", {"marks": NUMBERS_AND_LETTERS}))
        tables.enter_context(tx.temporary("person_name", "person_names", {"generations": NUMBERS}))
        return tx.columns("suggested_pairs")


def pair_neighbours(tx: Reader, a: Ids, b: Ids) -> dict[str, NDArray[Any]]:
    """Columns a, b, shared, either, linked of those of the pairs with common neighbours or a triple between them."""
    with tx.incoming("incoming_pair", {"a": a, "b": b}):
        return tx.columns("suggested_neighbours")


def name_vectors(tx: Reader, ids: Ids) -> tuple[Ids, Matrix]:
    """(ids ascending, unit vectors) of those of the entities that have one."""
    embedder = stored_embedder(tx)
    if embedder is None or not len(ids):
        return np.empty(0, dtype=np.int64), np.empty((0, 1), dtype=np.float32)
    constants = ",".join(str(entity_id) for entity_id in np.unique(ids).tolist())
    embedded = np.asarray(tx.arrays(EMBEDDED.format(ids=constants))["id"], dtype=np.int64)
    if not len(embedded):
        return embedded, np.empty((0, embedder.dimension), dtype=np.float32)
    return embedded, vectors_by_id(tx, "entity", embedder.dimension, embedded)
