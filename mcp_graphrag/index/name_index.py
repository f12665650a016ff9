"""Names in memory: normal form to entities, by hash, so that a million names take a few megabytes."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mcp_graphrag.index.csr import typed_columns
from mcp_graphrag.model import Ids
from mcp_graphrag.store.engine.transaction import Reader
from mcp_graphrag.store.rows.entity_rows import alias_hashes, hash_norms, names_were_retired

FIELDS = {
    "hashes": ("hash", np.uint64),
    "entity_ids": ("entity_id", np.int64),
    "is_alias": ("is_alias", np.bool_),
    "in_document": ("in_document", np.bool_),
}

MAX_ADDED = 5_000  # names kept beside the others


@dataclass(frozen=True)
class SortedNames:
    """Names: ascending hashes of normal forms, with the entity of each and whether it is an alias.

    `in_document` are names that hold only inside one document, as a surname does.
    The hashes are 64 bits of MD5: two forms with the same one are taken for one, which is less likely than one in ten
    million at a million names. DuckDB's own hash of texts is the same for many names that differ in two letters.
    """

    hashes: NDArray[np.uint64]
    entity_ids: Ids
    is_alias: NDArray[np.bool_]
    in_document: NDArray[np.bool_]


@dataclass(frozen=True)
class Names:
    """Every active name. `added` are those of later changes, few beside the others: one more does not copy them all."""

    built: SortedNames
    added: SortedNames | None = None

    def names(self, norms: Sequence[str]) -> Iterator[tuple[str, int, bool, bool]]:
        """(normal form, entity id, whether an alias, whether it holds only inside a document) of each such name."""
        hashes = hash_norms(norms)
        for names in (self.built, self.added) if self.added else (self.built,):
            firsts = np.searchsorted(names.hashes, hashes, side="left").tolist()
            lasts = np.searchsorted(names.hashes, hashes, side="right").tolist()
            for norm, first, last in zip(norms, firsts, lasts, strict=True):
                for row in range(first, last):
                    yield norm, int(names.entity_ids[row]), bool(names.is_alias[row]), bool(names.in_document[row])


def exact_entities(names: Iterable[tuple[str, int, bool, bool]]) -> dict[str, list[tuple[int, bool]]]:
    """(entity id, whether only by an alias) of the entities to which each normal form refers, own names first.

    An alias of several entities refers to none of them, nor does a name that holds only inside a document.
    """
    found = entities_by_form(name for name in names if not name[3])
    return {norm: entities for norm, entities in found.items() if len(entities) == 1 or not entities[0][1]}


def entities_by_form(names: Iterable[tuple[str, int, bool, bool]]) -> dict[str, list[tuple[int, bool]]]:
    """(entity id, whether only by an alias) of all entities that have each normal form as a name, own names first."""
    found: dict[str, dict[int, bool]] = {}
    for norm, entity_id, is_alias, _ in names:
        entities = found.setdefault(norm, {})
        entities[entity_id] = entities.get(entity_id, True) and is_alias
    return {norm: sorted(entities.items(), key=itemgetter(1, 0)) for norm, entities in found.items()}


def build_names(tx: Reader) -> Names:
    """All active names."""
    return Names(_sorted(alias_hashes(tx, since=-1)))


def update_names(tx: Reader, old: Names, since: int) -> Names | None:
    """The names after the changes since a generation; None to rebuild."""
    if names_were_retired(tx, since=since):
        return None
    new = _sorted(alias_hashes(tx, since=since))
    if not len(new.hashes):
        return old
    added = _inserted(old.added, new) if old.added else new
    return Names(old.built, added) if len(added.hashes) <= MAX_ADDED else Names(_inserted(old.built, added))


def _inserted(names: SortedNames, new: SortedNames) -> SortedNames:
    at = np.searchsorted(names.hashes, new.hashes, side="right")
    return SortedNames(**{field: np.insert(getattr(names, field), at, getattr(new, field)) for field in FIELDS})


def _sorted(rows: dict[str, NDArray[Any]]) -> SortedNames:
    order = np.argsort(rows["hash"], kind="stable")
    return SortedNames(**{field: column[order] for field, column in typed_columns(rows, FIELDS).items()})
