"""What was known when: the difference between two moments, and what happened to one entity."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from mcp_graphrag.errors import BadInput, UnknownName
from mcp_graphrag.index.norms import normal_form
from mcp_graphrag.model import Triple
from mcp_graphrag.retrieve.entities import find_entities
from mcp_graphrag.retrieve.triples import fetch_triples
from mcp_graphrag.store import Reader, Store
from mcp_graphrag.store.entities import EntityHead, entity_heads
from mcp_graphrag.store.history import (
    Event,
    events_of,
    merge_names,
    names_only_known,
    once_named,
    triples_only_known,
    words_then,
)
from mcp_graphrag.store.known import generation_at
from mcp_graphrag.store.transaction import now


@dataclass(frozen=True)
class Difference:
    """What was learned and what was given up between two moments. Totals count all, lists hold the first of each."""

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
class Happened:
    """One event in the history of an entity, in words; `triple` is the one that came or went, if it was one."""

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
    """What happened to an entity, the newest first. `next_after` continues the list, None at its end.

    `marks` say for each event how to continue behind it.
    """

    entity: EntityHead
    events: Sequence[Happened]
    next_after: int | None
    marks: Sequence[int]


def diff(store: Store, *, since: datetime, until: datetime | None = None, limit: int = 50) -> Difference:
    """What was known at `until` (now, if None) and not at `since`, and the reverse.

    Raises BadInput for a moment in the future, or for an empty span.
    """
    with store.reading() as tx:
        newer = until or now()
        if max(since, newer) > now():
            raise BadInput("diff compares what was known at two moments of the past.", "Name moments until now.")
        if since >= newer:
            raise BadInput(f"since ({since:%Y-%m-%d %H:%M:%S}) is not before until.", "Swap them.")
        early, late = generation_at(tx, since), generation_at(tx, newer)
        added = triples_only_known(tx, at=late, against=early)
        removed = triples_only_known(tx, at=early, against=late)
        shown = fetch_triples(store, tx, [*added[:limit], *removed[:limit]])
        names = {
            (table, came): names_only_known(tx, table, at=late if came else early, against=early if came else late)
            for table in ("entity", "document")
            for came in (True, False)
        }
    return Difference(
        since,
        newer,
        [shown[each] for each in added[:limit]],
        [shown[each] for each in removed[:limit]],
        names["entity", True],
        names["entity", False],
        names["document", True],
        names["document", False],
        len(added),
        len(removed),
    )


def history(store: Store, name: str, *, limit: int = 50, after: int = 0) -> History:
    """What happened to the entity that bears a name, or once bore it. Raises UnknownName."""
    with store.reading() as tx:
        ids = once_named(tx, normal_form(name)) if name.strip() else []
        if not ids:
            near = [each.entity.name for each in find_entities(store, tx, name, limit=5)] if name.strip() else []
            raise UnknownName("entity", name, near, "Call find_entities to look for it.")
        events = events_of(tx, ids[0], after=after, limit=limit + 1)
        happened = _in_words(store, tx, events[:limit])
        shown = [each for each in happened if each is not None]
        marks = [after + at + 1 for at, each in enumerate(happened) if each is not None]
        head = entity_heads(tx, ids[:1])[ids[0]]
    return History(head, shown, after + limit if len(events) > limit else None, marks)


def _in_words(store: Store, tx: Reader, events: Sequence[Event]) -> list[Happened | None]:
    """Each event in words; None for one that another event of the same change tells."""
    triples = fetch_triples(store, tx, [each.row_id for each in events if each.kind == "triple"])
    heads = entity_heads(tx, {each.row_id for each in events if each.kind == "entity"})
    words = words_then(tx, heads)
    merges = merge_names(tx, {each.row_id for each in events if each.kind == "merge"})
    reworded = {(each.row_id, each.change) for each in events if each.kind == "entity" and not each.came}
    found: list[Happened | None] = []
    for each in events:
        triple = triples.get(each.row_id) if each.kind == "triple" else None
        what = ""
        if triple is not None:
            what = f"{'recorded' if each.came else 'retired'}: {triple.subject} {triple.predicate} {triple.object}"
        elif each.kind == "entity":
            what = "" if each.came and (each.row_id, each.change) in reworded else _of_entity(each, heads, words)
        elif each.kind == "merge":
            kept, merged, reason = merges[each.row_id]
            what = f"{merged} {'merged into' if each.came else 'split from'} {kept}{f': {reason}' if reason else ''}"
        elif each.kind.startswith("alias:"):
            what = f"alias {each.kind.removeprefix('alias:')} {'added' if each.came else 'removed'}"
        told = (each.recorded_at, each.change, each.operation, each.tool, each.client, what, each.undone, triple)
        found.append(Happened(*told) if what else None)
    return found


def _of_entity(
    event: Event, heads: Mapping[int, EntityHead], words: Mapping[tuple[int, int], Mapping[str, Any]]
) -> str:
    was = words.get((event.row_id, event.change))
    if event.came or was is None:
        return f"{heads[event.row_id].name} {'added' if event.came else 'removed'}"
    return f"was {was['name']} ({was['type'] or 'untyped'}) until then"
