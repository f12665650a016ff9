"""Changes of the graph: the difference between two moments, and the history of one entity."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from mcp_graphrag.errors import BadInput, UnknownName
from mcp_graphrag.index.normalize import normal_form
from mcp_graphrag.lookup.find_entities import single_entity
from mcp_graphrag.lookup.query_triples import fetch_triples
from mcp_graphrag.model import Triple
from mcp_graphrag.snapshot import Snapshot
from mcp_graphrag.store.changes.events import (
    Event,
    earlier_values_of,
    entities_once_named,
    events_of,
    merge_names,
    names_only_known,
    triples_only_known,
    verdicts_of,
)
from mcp_graphrag.store.changes.removal import compacted
from mcp_graphrag.store.engine.time_travel import generation_at
from mcp_graphrag.store.engine.transaction import now
from mcp_graphrag.store.rows.entity_rows import EntityLabel, entity_labels
from mcp_graphrag.store.rows.value_rows import values_only_known


@dataclass(frozen=True)
class Difference:
    """What was added and removed between two moments. Totals count all; lists have the first of each, values last."""

    since: datetime
    until: datetime
    triples_added: Sequence[Triple]
    triples_removed: Sequence[Triple]
    entities_added: Sequence[str]
    entities_removed: Sequence[str]
    documents_added: Sequence[str]
    documents_removed: Sequence[str]
    total_added: int
    total_removed: int


@dataclass(frozen=True)
class HistoryEvent:
    """One event in the history of an entity; `triple` is the one that was added or removed, if it was one."""

    recorded_at: datetime
    change: int
    operation: int
    tool: str
    client: str
    what: str
    undone: bool
    triple: Triple | None = None


@dataclass(frozen=True)
class History:
    """The events of an entity, the newest first. `next_after` continues the list, None at its end.

    `marks` has for each event the `after` that continues behind it. What was retired until `dropped_until`, UTC, was
    dropped, so that events before it may be missing.
    """

    entity: EntityLabel
    events: Sequence[HistoryEvent]
    next_after: int | None
    marks: Sequence[int]
    dropped_until: datetime | None = None


def diff(snapshot: Snapshot, *, since: datetime, until: datetime | None = None, limit: int = 50) -> Difference:
    """What was known at `until` (by default now) and not at `since`, and the reverse.

    Raises BadInput for a moment in the future, or for an empty period.
    """
    newer = until or now()
    if max(since, newer) > now():
        raise BadInput("diff compares two moments in the past.", "Give moments up to now.")
    if since >= newer:
        raise BadInput(f"since ({since:%Y-%m-%d %H:%M:%S}) is not before until.", "Swap them.")
    early, late = generation_at(snapshot.tx, since), generation_at(snapshot.tx, newer)
    added = triples_only_known(snapshot.tx, at=late, against=early)
    removed = triples_only_known(snapshot.tx, at=early, against=late)
    shown = fetch_triples(snapshot, [*added[:limit], *removed[:limit]])
    room = max(limit - len(added), 0), max(limit - len(removed), 0)
    stated, were_stated = values_only_known(snapshot.tx, at=late, against=early, limit=room[0])
    unstated, were_unstated = values_only_known(snapshot.tx, at=early, against=late, limit=room[1])
    entities, documents = (
        (
            names_only_known(snapshot.tx, table, at=late, against=early),
            names_only_known(snapshot.tx, table, at=early, against=late),
        )
        for table in ("entity", "document")
    )
    return Difference(
        since,
        newer,
        [*(shown[triple_id] for triple_id in added[:limit]), *stated],
        [*(shown[triple_id] for triple_id in removed[:limit]), *unstated],
        *entities,
        *documents,
        len(added) + were_stated,
        len(removed) + were_unstated,
    )


def history(snapshot: Snapshot, name: str, *, limit: int = 50, after: int = 0) -> History:
    """The events of the entity that has a name, or had it once.

    Raises UnknownName with the nearest names, BadInput for a name that several entities have.
    """
    try:
        ids = [single_entity(snapshot, name).id]
    except UnknownName:
        ids = entities_once_named(snapshot.tx, normal_form(name))
        if not ids:
            raise
    events = events_of(snapshot.tx, ids[0], after=after, limit=limit + 1)
    described = _describe(snapshot, events[:limit])
    shown = [event for event in described if event is not None]
    marks = [after + at + 1 for at, event in enumerate(described) if event is not None]
    head = entity_labels(snapshot.tx, ids[:1])[ids[0]]
    dropped = compacted(snapshot.tx)
    following = after + limit if len(events) > limit else None
    return History(head, shown, following, marks, dropped.at if dropped else None)


def _describe(snapshot: Snapshot, events: Sequence[Event]) -> list[HistoryEvent | None]:
    """Each event with a description; None for one that another event of the same change describes."""
    triples = fetch_triples(snapshot, [event.row_id for event in events if event.kind == "triple"])
    heads = entity_labels(snapshot.tx, {event.row_id for event in events if event.kind == "entity"})
    words = earlier_values_of(snapshot.tx, heads)
    merges = merge_names(snapshot.tx, {event.row_id for event in events if event.kind == "merge"})
    verdicts = verdicts_of(snapshot.tx, {event.row_id for event in events if event.kind == "verdict"})
    updated = {(event.row_id, event.change) for event in events if event.kind == "entity" and not event.recorded}
    found: list[HistoryEvent | None] = []
    for event in events:
        triple = triples.get(event.row_id) if event.kind == "triple" else None
        what = ""
        if triple is not None:
            what = f"{'recorded' if event.recorded else 'retired'}: {triple.subject} {triple.predicate} {triple.object}"
        elif event.kind == "entity" and not (event.recorded and (event.row_id, event.change) in updated):
            what = _describe_entity(event, heads, words)
        elif event.kind == "merge":
            kept, merged, reason = merges[event.row_id]
            why = f": {reason}" if reason else ""
            what = f"{merged} {'merged into' if event.recorded else 'split from'} {kept}{why}"
        elif event.kind == "verdict":
            detail, kept, reason = verdicts[event.row_id]
            what = f"resolved: {detail}; kept {kept}, because: {reason}"
        elif event.kind.startswith("alias:"):
            what = f"alias {event.kind.removeprefix('alias:')} {'added' if event.recorded else 'removed'}"
        at, who = (event.recorded_at, event.change, event.operation), (event.tool, event.client)
        found.append(HistoryEvent(*at, *who, what, event.undone, triple) if what else None)
    return found


def _describe_entity(
    event: Event, heads: Mapping[int, EntityLabel], words: Mapping[tuple[int, int], Mapping[str, Any]]
) -> str:
    was = words.get((event.row_id, event.change))
    if event.recorded or was is None:
        return f"{heads[event.row_id].name} {'added' if event.recorded else 'removed'}"
    return f"was {was['name']} ({was['type'] or 'untyped'}) until then"
