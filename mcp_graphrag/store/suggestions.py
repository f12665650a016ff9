"""Pairs of entities with like names, found block by block in SQL: a million names take seconds."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mcp_graphrag.model import Ids, Matrix
from mcp_graphrag.store.embeddings import EmbedderMark, embedder_mark, vectors_by_id
from mcp_graphrag.store.transaction import Reader

# How two names are alike, as bits of `hows`.
EQUAL, JOINED, ACRONYM, SPELLED, CONTAINED, INITIALS, MEANT = (1 << how for how in range(1, 8))
SMALL = 3_000  # names up to which all that begin with the same letter are compared
NUMBERS = r"[0-9]+|\b(?:i{1,3}|iv|vi{0,3}|ix|xi{0,3}|jr|sr|junior|senior)\b"
MARKS = rf"{NUMBERS}|\b\p{{L}}\b"
EMBEDDED = "SELECT entity_id AS id FROM entity_embedding WHERE entity_id IN ({ids}) ORDER BY entity_id"


def name_pairs(tx: Reader, *, persons: Sequence[str], about: Sequence[int] | None) -> dict[str, NDArray[Any]]:
    """Columns a, b, hows, edits, length, share, name, other and types of the pairs with like names, by id.

    `persons` are the types whose bearers may be called by part of their name, `about` the entities to which all pairs
    shall belong. Pairs that somebody has merged, or said to be two things, are left out.
    """
    wanted = {"about": None if about is None else list(about)}
    tx.rows("suggest_names", {"persons": list(persons), **wanted})
    tx.rows("suggest_none")
    tx.rows("suggest_equal", wanted)
    tx.rows("suggest_acronyms", wanted)
    tx.rows("suggest_keys", {**wanted, "small": tx.count("name_count") <= SMALL})
    tx.rows("suggest_blocks")
    tx.rows("suggest_alike", wanted)
    tx.rows("suggest_spelled", {"marks": MARKS})
    tx.rows("suggest_persons", {"generations": NUMBERS})
    tx.rows("suggest_pairs")
    return tx.columns("suggested_pairs")


def pair_neighbours(tx: Reader) -> dict[str, NDArray[Any]]:
    """Columns a, b, shared, either, linked of the pairs found last that have neighbours in common or each other."""
    return tx.columns("suggested_neighbours")


def forget_pairs(tx: Reader) -> None:
    """Drop what finding the pairs has left in this snapshot."""
    tx.rows("forget_suggestions")


def name_vectors(tx: Reader, ids: Ids) -> tuple[Ids, Matrix]:
    """(ids ascending, unit vectors) of those of the entities that have one."""
    mark = embedder_mark(tx)
    if mark is None or not len(ids):
        return np.empty(0, dtype=np.int64), np.empty((0, 1), dtype=np.float32)
    return _vectors(tx, mark, ids)


def _vectors(tx: Reader, mark: EmbedderMark, ids: Ids) -> tuple[Ids, Matrix]:
    listed = ",".join(str(each) for each in np.unique(ids).tolist())
    known = np.asarray(tx.arrays(EMBEDDED.format(ids=listed))["id"], dtype=np.int64)
    if not len(known):
        return known, np.empty((0, mark.dimension), dtype=np.float32)
    return known, vectors_by_id(tx, "entity", mark.dimension, known)
