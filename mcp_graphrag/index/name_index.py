"""Names in memory: normal form to entities, by hash, so that a million names take a few megabytes."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

import numpy as np

from mcp_graphrag.index.keyed_rows import KeyedRows, keyed, sorted_rows
from mcp_graphrag.store.engine.transaction import Reader
from mcp_graphrag.store.rows.entity_rows import alias_changes, alias_hashes, hash_norms

VALUES = ("entity_id", "is_alias", "in_document")  # of a row


@dataclass(frozen=True)
class Names:
    """Every active name: by the hash of its normal form the entity, and whether it is an alias.

    `in_document` is true for a name that holds only inside one document, as a surname does.
    The hashes are 64 bits of MD5: two forms with the same one are taken for one, which is less likely than one in ten
    million at a million names. DuckDB's own hash of texts is the same for many names that differ in two letters.
    """

    by_hash: KeyedRows

    def names(self, norms: Sequence[str]) -> Iterator[tuple[str, int, bool, bool]]:
        """(normal form, entity id, whether an alias, whether it holds only inside a document) of each such name."""
        for norm, rows in zip(norms, self.by_hash.of(hash_norms(norms).tolist()), strict=True):
            for entity_id, is_alias, in_document in rows:
                yield norm, entity_id, is_alias, in_document


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
    rows = alias_hashes(tx)
    columns = [np.asarray(rows["entity_id"], np.int64), *(np.asarray(rows[name], np.bool_) for name in VALUES[1:])]
    return Names(sorted_rows(np.asarray(rows["hash"], np.uint64), columns))


def update_names(tx: Reader, old: Names, since: int) -> Names | None:
    """The names after the changes since a generation; None to rebuild."""
    rows = alias_changes(tx, since=since)
    changed = list(zip(keyed(rows, "hash", VALUES), rows["retired"].tolist(), strict=True))
    if not changed:
        return old
    removed, added = ([row for row, retired in changed if retired == wanted] for wanted in (True, False))
    updated = old.by_hash.after(removed, added)
    return None if updated is None else Names(updated)


def with_names(old: Names, rows: Iterable[Mapping[str, Any]]) -> Names | None:
    """The names after some were added: the own ones, with `id` and `norm`, of new entities; None to rebuild."""
    rows = list(rows)
    hashes = hash_norms(row["norm"] for row in rows).tolist()
    updated = old.by_hash.after((), [(key, (row["id"], False, False)) for key, row in zip(hashes, rows, strict=True)])
    return None if updated is None else Names(updated)
