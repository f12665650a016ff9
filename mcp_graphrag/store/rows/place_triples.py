"""The stored triple of each row that is to be added: one that states the same already, or a new one."""

from collections.abc import Collection
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mcp_graphrag.model import Ids
from mcp_graphrag.store.engine.transaction import Columns, Reader, Writer, id_constants

IDENTITY = ("subject_id", "predicate_id", "object_id", "valid_from", "valid_to")
UNKNOWN = np.iinfo(np.int64).min  # a time that is not known, as numpy has it
NOT_STORED = -1
MAX_LOOKED_UP = 100  # triples; for more, a join takes less than comparing them here


def place_triples(tx: Writer, columns: Columns, new_entities: Collection[int] = ()) -> dict[str, NDArray[Any]]:
    """Columns that tell what becomes of rows, which are given as by `triple_columns`.

    `new_entities` are some that no stored triple names.

    `triple_id`, `is_new`, `is_first` (of the rows of a new triple) and `stated_once` (by the only row of a new triple).
    """
    firsts, groups = _by_identity(columns)
    ids = _stored_ids(tx, {name: columns[name][firsts] for name in IDENTITY}, new_entities)
    new = ids == NOT_STORED
    ids[new] = tx.new_ids("triple_id", int(new.sum()))
    is_first = np.zeros(len(groups), dtype=np.bool_)
    is_first[firsts[new]] = True
    stated_once = (new & (np.bincount(groups) == 1))[groups]
    return {
        "triple_id": ids[groups],
        "is_new": new[groups],
        "is_first": is_first,
        "stated_once": stated_once,
    }


def _by_identity(columns: Columns) -> tuple[Ids, Ids]:
    """(the first row of each identity, ascending; the number of each row's identity, as in the former)."""
    if len(columns[IDENTITY[0]]) == 1:
        return np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64)
    keys = [columns[name].view(np.int64) for name in IDENTITY]
    order = np.lexsort(keys)  # stable, so that the first of equal rows comes first
    begins = np.ones(len(order), dtype=np.bool_)
    begins[1:] = np.any([np.diff(key[order]) != 0 for key in keys], axis=0)
    firsts = order[begins]
    groups = np.empty(len(order), dtype=np.int64)
    groups[order] = np.argsort(np.argsort(firsts))[np.cumsum(begins) - 1]
    return np.sort(firsts), groups


def _stored_ids(tx: Reader, identities: Columns, new_entities: Collection[int]) -> Ids:
    """The active triple of each identity, or NOT_STORED."""
    subjects, predicates, objects, begins, ends = (identities[name].view(np.int64).tolist() for name in IDENTITY)
    if len(subjects) <= MAX_LOOKED_UP:
        if all(one in new_entities or other in new_entities for one, other in zip(subjects, objects, strict=True)):
            return np.full(len(subjects), NOT_STORED, dtype=np.int64)
        between = {"subjects": subjects, "predicates": predicates, "objects": objects}
        wanted = {name: id_constants(ids) for name, ids in between.items()}
        if found := tx.find_triples(subjects, objects):
            rows = tx.rows("triples_between_since", {"since": found[0]}, **wanted, ids=id_constants(found[1]) or "-1")
        else:
            rows = tx.rows("triples_between", None, **wanted)
        stored = {tuple(UNKNOWN if key is None else key for key in row[:-1]): row[-1] for row in rows}
        keys = zip(subjects, predicates, objects, begins, ends, strict=True)
        return np.array([stored.get(key, NOT_STORED) for key in keys], dtype=np.int64)
    ids = np.full(len(subjects), NOT_STORED, dtype=np.int64)
    with tx.incoming("incoming_identity", {"position": np.arange(len(ids)), **identities}):
        matched = tx.columns("match_triples")
    ids[matched["position"]] = matched["triple_id"]
    return ids
