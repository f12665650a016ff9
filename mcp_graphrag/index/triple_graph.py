"""The graph of triples in memory: compressed sparse rows in both directions, walked without touching the file.

A slot is one triple. The base is built once; triples recorded since are in a small overlay, retired ones are marked.
The graph of a past moment has the same rows with other marks, and the triples that were active only then as overlay.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mcp_graphrag.index.csr import (
    Adjacency,
    adjacency,
    appended,
    concatenated_ranges,
    mark_slots,
    max_overlay,
    microseconds,
    positions_of,
    typed_columns,
    with_room,
    with_values,
)
from mcp_graphrag.model import Direction, Ids
from mcp_graphrag.store.engine.transaction import Reader
from mcp_graphrag.store.rows.triple_rows import (
    graph_rows,
    graph_rows_by_id,
    past_graph_rows,
    phrase_graph_rows,
    triples_changed_since,
)

Slots = NDArray[np.int64]
ALL_BITS = 0x7FFF_FFFF
OPEN = 2**63 - 1  # where an interval has no end, its negative where it has no beginning
FAR_FUTURE = 2**62  # microseconds, beyond any date
FIELDS = {
    "triple_ids": ("id", np.int64),
    "predicates": ("predicate_id", np.int64),
    "confidences": ("confidence", np.float32),
    "valid_from": ("valid_from", np.int64),
    "valid_to": ("valid_to", np.int64),
    "said_until": ("said_until", np.int64),
    "recorded": ("recorded_change", np.int64),
}
UPDATED = ("confidences", "recorded", "said_until")  # those of them that change while a triple keeps its id
Join = Callable[[NDArray[Any], NDArray[Any]], NDArray[Any]]


@dataclass(frozen=True)
class Walk:
    """The triples within some hops of a start, nearest first.

    All arrays have one row per triple: its slot, its hop from 1, whether it was walked from subject to object, and the
    row that led to it (-1 for the first hop). `truncated` says that the walk stopped at its limit of triples.
    """

    slots: Slots
    hops: NDArray[np.int64]
    forward: NDArray[np.bool_]
    parents: NDArray[np.int64]
    truncated: bool


@dataclass(frozen=True)
class TripleGraph:
    """Triples as a graph. Nodes are positions in `entity_ids`, which ascend; slots are positions in `triple_ids`.

    Entities of the overlay have nodes after those of the base, in `added_nodes`. `valid_from` and `valid_to` are
    microseconds since 1970, open ends at the ends of int64; with a `moment`, only triples valid then are walked, and of
    those that are only said in the past tense (`said_until`) only `with_past`. `memo` keeps what was computed of the
    columns of the base that never change; all graphs over one base share it.
    """

    entity_ids: Ids
    added_nodes: dict[int, int]
    triple_ids: Ids
    subjects: Slots
    predicates: Ids
    objects: Slots
    confidences: NDArray[np.float32]
    valid_from: Ids
    valid_to: Ids
    said_until: Ids
    recorded: Ids
    active: NDArray[np.bool_]
    outgoing: Adjacency
    incoming: Adjacency
    moment: int | None = None
    with_past: bool = False
    memo: dict[str, Any] = field(default_factory=dict[str, Any], compare=False, repr=False)

    def as_of(self, moment: datetime | None, *, with_past: bool = False) -> "TripleGraph":
        """The graph of the triples valid at a moment, naive UTC; of all triples for None.

        What is only said in the past tense does not count, unless `with_past`.

        A triple without dates does not count as valid at any moment where the same subject, predicate and object are
        stored with dates: the dates say when it holds. Every question about a moment goes by this. Without a moment
        all stored triples are listed, dated or not, past or future.
        """
        if moment is None:
            return self
        return replace(self, moment=microseconds(moment), with_past=with_past)

    def at_least(self, confidence: float) -> "TripleGraph":
        """The graph of the triples of at least this confidence."""
        if confidence <= 0:
            return self
        return replace(self, active=self.active & (self.confidences >= np.float32(confidence)))

    def among(self, triple_ids: Ids) -> "TripleGraph":
        """The graph of those of these triples, ascending, that it has."""
        return replace(self, active=self.active & (positions_of(self.triple_ids, triple_ids) >= 0))

    def without(self, slots: Slots) -> "TripleGraph":
        """The graph without these triples."""
        active = self.active.copy()
        active[slots] = False
        return replace(self, active=active)

    def holds(self, slots: Slots) -> NDArray[np.bool_]:
        """Which slots are active, and valid at the moment if there is one (see `as_of`)."""
        kept = self.active[slots]
        if self.moment is None:
            return kept
        kept = kept & (self.valid_from[slots] <= self.moment) & (self.moment < self.valid_to[slots]) & self._said(slots)
        undated = np.flatnonzero(kept & ~self.has_dates(slots))
        kept[undated[self._is_dated_elsewhere(slots[undated])]] = False
        return kept

    def _said(self, slots: Slots) -> NDArray[np.bool_]:
        """Which slots are not only said in the past tense, or all `with_past`."""
        return self.with_past | ~self.is_over(slots)

    def is_over(self, slots: Slots) -> NDArray[np.bool_]:
        """Which slots are only said in the past tense."""
        return np.asarray(self.said_until[slots] < FAR_FUTURE)

    def has_dates(self, slots: Slots) -> NDArray[np.bool_]:
        """Which slots have a beginning or an end."""
        return (self.valid_from[slots] > -FAR_FUTURE) | (self.valid_to[slots] < FAR_FUTURE)

    def slots_of(self, predicates: Sequence[int]) -> Slots:
        """The slots of the predicates, active or not, ascending."""
        base = len(self.outgoing.slots)
        found: list[Slots] = []
        for predicate in predicates:
            key = f"slots of {predicate}"
            if key not in self.memo:
                self.memo[key] = np.flatnonzero(self.predicates[:base] == predicate)
            found += [self.memo[key], np.flatnonzero(self.predicates[base:] == predicate) + base]
        return np.sort(np.concatenate([*found, np.empty(0, dtype=np.int64)]))

    def _is_dated_elsewhere(self, slots: Slots) -> NDArray[np.bool_]:
        """For which slots an active one with dates has the same subject, predicate and object."""
        base = len(self.outgoing.slots)
        if "dated" not in self.memo:
            dated = np.flatnonzero(self.has_dates(np.arange(base)))
            keys = self._ends(dated)
            order = np.argsort(keys, kind="stable")
            self.memo["dated"] = keys[order], dated[order]
        added = np.arange(base, len(self.triple_ids))
        added = added[self.has_dates(added)]
        order = np.argsort(self._ends(added), kind="stable")
        found = np.zeros(len(slots), dtype=np.bool_)
        wanted = self._ends(slots)
        for keys, dated in (self.memo["dated"], (self._ends(added)[order], added[order])):
            if len(keys):
                first, last = np.searchsorted(keys, wanted), np.searchsorted(keys, wanted, "right")
                rows = np.repeat(np.arange(len(slots)), last - first)
                others = dated[concatenated_ranges(first, last - first)]
                same = (
                    self.active[others] & (self.predicates[others] == self.predicates[slots[rows]]) & self._said(others)
                )
                found[rows[same]] = True
        return found

    def _ends(self, slots: Slots) -> Ids:
        """Subject and object in one number."""
        return self.subjects[slots] << 32 | self.objects[slots]

    @property
    def node_count(self) -> int:
        """How many nodes there are."""
        return len(self.entity_ids) + len(self.added_nodes)

    @property
    def size(self) -> int:
        """The number of active triples."""
        return int(self.active.sum())

    def node(self, entity_id: int) -> int | None:
        """The node of an entity, None if no triple names it."""
        at = int(np.searchsorted(self.entity_ids, entity_id))
        if at < len(self.entity_ids) and self.entity_ids[at] == entity_id:
            return at
        return self.added_nodes.get(entity_id)

    def entities(self, nodes: Slots) -> Ids:
        """The entity ids at the nodes, in the shape in which these are given."""
        base = len(self.entity_ids)
        found = self.entity_ids.take(nodes, mode="clip") if base else np.zeros_like(nodes)
        if self.added_nodes:
            added = nodes >= base
            found[added] = np.array(list(self.added_nodes), dtype=np.int64)[nodes[added] - base]
        return found

    def between(self, subject_ids: Iterable[int], object_ids: Iterable[int]) -> Ids:
        """The ids of the active triples from entities to others, whatever their predicates."""
        subjects, objects = (
            np.array(sorted({at for one in ids if (at := self.node(one)) is not None}), dtype=np.int64)
            for ids in (subject_ids, object_ids)
        )
        if self.incoming.count(objects) < self.outgoing.count(subjects):
            slots = self.incoming.around(objects, self.objects)
        else:
            slots = self.outgoing.around(subjects, self.subjects)
        slots = slots[np.isin(self.subjects[slots], subjects) & np.isin(self.objects[slots], objects)]
        return self.triple_ids[slots[self.active[slots]]]

    def walk(
        self,
        starts: Sequence[int],
        hops: int,
        *,
        direction: Direction = "both",
        predicates: Ids | None = None,
        ending: Sequence[int] = (),
        max_triples: int = 50_000,
    ) -> Walk:
        """The triples within `hops` of the nodes, along the predicates if given, at most `max_triples` in all.

        No walk leads further over triples of the predicates `ending`.
        """
        seen = np.zeros(self.node_count, dtype=np.bool_)
        taken = np.zeros(len(self.triple_ids), dtype=np.bool_)
        frontier = np.array(sorted(starts), dtype=np.int64)
        leads = np.full(len(frontier), -1, dtype=np.int64)
        seen[frontier] = True
        found: list[tuple[NDArray[Any], ...]] = []
        total, truncated = 0, False
        for hop in range(1, hops + 1):
            slots, forward = self.step(frontier, direction, predicates)
            new = np.flatnonzero(~taken[slots])
            order, truncated = _most_confident(slots[new], self.confidences[slots[new]], max_triples - total)
            slots, forward = slots[new[order]], forward[new[order]]
            taken[slots] = True
            origin = np.where(forward, self.subjects[slots], self.objects[slots])
            reached = np.where(forward, self.objects[slots], self.subjects[slots])
            parents = leads[np.searchsorted(frontier, origin)]
            found.append((slots, np.full(len(slots), hop, dtype=np.int64), forward, parents))
            rows = np.arange(total, total + len(slots))
            total += len(slots)
            leading = ~np.isin(self.predicates[slots], ending)
            nodes, where = np.unique(reached[leading], return_index=True)
            unseen = ~seen[nodes]
            seen[nodes] = True
            frontier, leads = nodes[unseen], rows[leading][where[unseen]]
            if truncated or not len(frontier):
                break
        return Walk(*(np.concatenate(column) for column in zip(*found, strict=True)), truncated=truncated)

    def step(
        self, frontier: Slots, direction: Direction = "both", predicates: Ids | None = None
    ) -> tuple[Slots, NDArray[np.bool_]]:
        """The active slots of a sorted frontier, and whether each leads from subject to object."""
        outward = self.outgoing.around(frontier, self.subjects) if direction != "in" else frontier[:0]
        inward = self.incoming.around(frontier, self.objects) if direction != "out" else frontier[:0]
        slots = np.concatenate([outward, inward])
        kept = self.holds(slots)
        if predicates is not None:
            kept &= is_one_of(self.predicates[slots], predicates)
        rows = np.flatnonzero(kept)
        return slots[rows], rows < len(outward)


def build_graph(tx: Reader) -> TripleGraph:
    """The active triples, without overlay."""
    rows = graph_rows(tx)
    ends = [np.asarray(rows[name], np.int64) for name in ("subject_id", "object_id")]
    # Ids come from a sequence, so a mark for each up to the highest takes less than sorting them.
    is_end = np.zeros(max(int(ids.max(initial=0)) for ids in ends) + 1, dtype=np.bool_)
    for ids in ends:
        is_end[ids] = True
    entity_ids, numbers = np.flatnonzero(is_end), np.cumsum(is_end) - 1
    subjects, objects = (numbers[ids] for ids in ends)
    columns = {"subjects": subjects, "objects": objects, "active": np.ones(len(subjects), dtype=np.bool_)}
    return TripleGraph(
        entity_ids,
        {},
        **{name: with_room(column) for name, column in (columns | typed_columns(rows, FIELDS)).items()},
        outgoing=adjacency(subjects, len(entity_ids)),
        incoming=adjacency(objects, len(entity_ids)),
        moment=None,
        with_past=False,
        memo={},
    )


def update_graph(tx: Reader, old: TripleGraph, since: int) -> TripleGraph | None:
    """The graph after the changes since a generation; None if the overlay would become large, to rebuild.

    It is the newest version (see `appended`). Columns are copied only where values of known triples differ.
    """
    ids = triples_changed_since(tx, since)
    if not len(ids):
        return old
    if len(ids) > max_overlay(len(old.outgoing.slots)):
        return None
    rows = graph_rows_by_id(tx, ids)
    changed = mark_slots(rows, old.triple_ids, old.active, old.outgoing)
    if changed is None:
        return None
    slots, known, new, active = changed
    updated = {name: with_values(getattr(old, name), slots, rows[FIELDS[name][0]][known]) for name in UPDATED}
    return _with_overlay(replace(old, active=active, **updated), {name: rows[name][new] for name in rows}, appended)


def with_triples(old: TripleGraph, given: Iterable[Mapping[str, Any]], change: int) -> TripleGraph | None:
    """The graph after a change that added triples, given by their values; None if the overlay would become large."""
    rows = [row for row in given if row["object_id"] > 0]  # no walk leads over a phrase
    if len(old.triple_ids) + len(rows) > len(old.outgoing.slots) + max_overlay(len(old.outgoing.slots)):
        return None
    names = {"id": "triple_id"} | {name: name for name in ("subject_id", "predicate_id", "object_id", "confidence")}
    columns = {name: np.array([row[given] for row in rows]) for name, given in names.items()}
    for name, open_end in (("valid_from", -OPEN), ("valid_to", OPEN), ("said_until", OPEN)):
        columns[name] = np.array([microseconds(row[name]) if row[name] else open_end for row in rows], dtype=np.int64)
    return _with_overlay(old, {**columns, "recorded_change": np.full(len(rows), change)}, appended)


def with_phrases(tx: Reader, graph: TripleGraph, confidence: float) -> TripleGraph:
    """The graph with the triples whose objects are phrases, of at least a confidence; no walk leads on from these."""
    return _with_overlay(graph, phrase_graph_rows(tx, confidence), lambda column, more: np.concatenate([column, more]))


def past_graph(tx: Reader, present: TripleGraph) -> TripleGraph:
    """The graph for a snapshot of the past (see `store.engine.time_travel`), from the graph of the newest change."""
    assert tx.known is not None  # noqa: S101  # a bug, not a caller's error
    marked = replace(present, active=present.active & (present.recorded <= tx.known))
    return _with_overlay(marked, past_graph_rows(tx), lambda column, more: np.concatenate([column, more]))


def _with_overlay(graph: TripleGraph, rows: dict[str, NDArray[Any]], join: Join) -> TripleGraph:
    """The graph with more triples in its overlay, each column joined with more rows."""
    if not len(rows["id"]):
        return graph
    added_nodes = dict(graph.added_nodes)
    subjects = _nodes(graph, added_nodes, rows["subject_id"])
    objects = _nodes(graph, added_nodes, rows["object_id"])
    active = np.ones(len(rows["id"]), dtype=np.bool_)
    new = {"subjects": subjects, "objects": objects, "active": active, **typed_columns(rows, FIELDS)}
    extended = {name: join(getattr(graph, name), column) for name, column in new.items()}
    return replace(graph, added_nodes=added_nodes, **extended)


def _nodes(graph: TripleGraph, added_nodes: dict[int, int], entity_ids: NDArray[Any]) -> Slots:
    """The node of each entity; those without one get one in `added_nodes`."""
    nodes = positions_of(entity_ids, graph.entity_ids)
    for row in np.flatnonzero(nodes < 0).tolist():
        nodes[row] = added_nodes.setdefault(int(entity_ids[row]), len(graph.entity_ids) + len(added_nodes))
    return nodes


def _most_confident(slots: Slots, confidences: NDArray[np.float32], limit: int) -> tuple[NDArray[np.int64], bool]:
    """The positions of the `limit` most confident slots, ties by the lower slot, and whether there are more.

    A slot that occurs twice, walked from either end, counts once, at its first position.
    """
    # The bits of positive floats sort like the floats, so one integer key orders by confidence and slot. The best are
    # partitioned off before sorting: hubs have a hundred thousand slots, of which a thousand are kept.
    keys = (ALL_BITS - confidences.view(np.int32)).astype(np.int64) << 32 | slots
    rows = np.arange(len(keys))
    if len(keys) > 2 * limit:
        rows = np.sort(np.argpartition(keys, 2 * limit)[: 2 * limit])
    found, first = np.unique(keys[rows], return_index=True)
    return rows[first[:limit]], len(keys) > 2 * limit or len(found) > limit


def is_one_of(values: Ids, few: Ids) -> NDArray[np.bool_]:
    """Which of many small numbers are among a few; eight times faster than `np.isin`."""
    among = np.zeros(int(max(values.max(initial=0), few.max(initial=0))) + 1, dtype=np.bool_)
    among[few[few >= 0]] = True  # -1 stands for an unknown predicate
    return among[values]
