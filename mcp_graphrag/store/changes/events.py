"""What changes did: the events of an entity's history, and the differences between two generations."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from mcp_graphrag.store.engine.transaction import Reader


@dataclass(frozen=True)
class Event:
    """What a change did to a row of a `kind` (entity, triple, merge, verdict, alias:NAME): `recorded`, else retired."""

    change: int
    recorded_at: datetime
    tool: str
    client: str
    operation: int
    undone: bool
    kind: str
    row_id: int
    recorded: bool


def triples_only_known(tx: Reader, *, at: int, against: int) -> list[int]:
    """The triples active after one change and not after another, unless another row states the same there."""
    return tx.values("triples_only_known", {"at": at, "against": against})


def names_only_known(tx: Reader, table: str, *, at: int, against: int) -> list[str]:
    """The names of entities, or uris of documents, active after one change and not after another."""
    name = {"entity": "name", "document": "uri"}[table]
    return tx.values("names_only_known", {"at": at, "against": against}, table=table, name=name)


def entities_once_named(tx: Reader, norm: str) -> list[int]:
    """The entities that once had a normal form as a name and no longer have it."""
    return tx.values("entities_once_named", {"norm": norm})


def events_of(tx: Reader, entity_id: int, *, after: int, limit: int) -> list[Event]:
    """The events of an entity, of those merged into it and of their triples, newest first, skipping `after`."""
    ids = {entity_id}
    while more := {row[0] for row in tx.rows_by_id("merged_into", ids)} - ids:
        ids |= more
    return [Event(*row) for row in tx.rows("events_of", {"ids": sorted(ids), "after": after, "limit": limit})]


def earlier_values_of(tx: Reader, entity_ids: Iterable[int]) -> dict[tuple[int, int], Mapping[str, Any]]:
    """The values that entities had until a change updated or retired them, by (entity id, change)."""
    return {(row[0], row[1]): json.loads(row[2]) for row in tx.rows_by_id("earlier_values", entity_ids)}


def verdicts_of(tx: Reader, conflict_ids: Iterable[int]) -> dict[int, tuple[str, str, str]]:
    """(what it was about, what was kept, reason) of resolved conflicts, by id."""
    return {row[0]: (row[1], row[2], row[3]) for row in tx.rows_by_id("verdicts_of", conflict_ids)}


def merge_names(tx: Reader, merge_ids: Iterable[int]) -> dict[int, tuple[str, str, str]]:
    """(name of the kept entity, name of the merged one, reason) of merges, by id."""
    return {row[0]: (row[1], row[2], row[3]) for row in tx.rows_by_id("merge_names", merge_ids)}
