"""The graph of triples in memory: compressed sparse rows in both directions, walked without touching the file.

A slot is one triple. The base is built once; triples recorded since are in a small overlay, retired ones are marked.
The graph of a past moment has the same rows with other marks, and the triples that were active only then as overlay.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mcp_graphrag.index.csr import concatenated_ranges
from mcp_graphrag.model import Direction, Ids
from mcp_graphrag.store.engine.transaction import Reader
from mcp_graphrag.store.rows.triple_rows import graph_rows, graph_rows_since, past_graph_rows

Slots = NDArray[np.int64]
MAX_OVERLAY = 5_000
ALL_BITS = 0x7FFF_FFFF


@dataclass(frozen=True)
class Adjacency:
    """Compressed sparse rows: the slots of node n are slots[starts[n]:starts[n + 1]]."""

    starts: Ids
    slots: Slots

    def around(self, nodes: Slots) -> Slots:
        """The slots of the nodes, node by node."""
        known = nodes[nodes < len(self.starts) - 1]
        first, last = self.starts[known], self.starts[known + 1]
        return self.slots[concatenated_ranges(first, last - first)]


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
    microseconds since 1970, open ends at the ends of int64; with a `moment`, only triples valid then are walked.
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
    recorded: Ids
    active: NDArray[np.bool_]
    outgoing: Adjacency
    incoming: Adjacency
    base: int
    moment: int | None = None

    def as_of(self, moment: datetime | None) -> "TripleGraph":
        """The graph of the triples valid at a moment; of all triples for None."""
        return self if moment is None else replace(self, moment=microseconds(moment))

    def holds(self, slots: Slots) -> NDArray[np.bool_]:
        """Which slots are active, and valid at the moment if there is one."""
        kept = self.active[slots]
        if self.moment is not None:
            kept = kept & (self.valid_from[slots] <= self.moment) & (self.moment < self.valid_to[slots])
        return kept

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
        """The entity ids at the nodes."""
        return np.concatenate([self.entity_ids, np.array(list(self.added_nodes), dtype=np.int64)])[nodes]

    def walk(
        self,
        starts: Sequence[int],
        hops: int,
        *,
        direction: Direction = "both",
        predicates: Ids | None = None,
        max_triples: int = 50_000,
    ) -> Walk:
        """The triples within `hops` of the nodes, along the predicates if given, at most `max_triples` in all."""
        seen = np.zeros(self.node_count, dtype=np.bool_)
        taken = np.zeros(len(self.triple_ids), dtype=np.bool_)
        frontier = np.array(sorted(starts), dtype=np.int64)
        leads = np.full(len(frontier), -1, dtype=np.int64)
        seen[frontier] = True
        found: list[tuple[Slots, NDArray[np.bool_], NDArray[np.int64]]] = []
        levels: list[int] = []
        total = 0
        for hop in range(1, hops + 1):
            slots, forward = self.step(frontier, direction, predicates)
            new = np.flatnonzero(~taken[slots])
            order, truncated = _most_confident(slots[new], self.confidences[slots[new]], max_triples - total)
            slots, forward = slots[new[order]], forward[new[order]]
            taken[slots] = True
            origin = np.where(forward, self.subjects[slots], self.objects[slots])
            reached = np.where(forward, self.objects[slots], self.subjects[slots])
            by_node = np.argsort(frontier, kind="stable")
            parents = leads[by_node[np.searchsorted(frontier, origin, sorter=by_node)]]
            found.append((slots, forward, parents))
            levels.append(hop)
            rows = np.arange(total, total + len(slots))
            total += len(slots)
            nodes, where = np.unique(reached, return_index=True)
            unseen = ~seen[nodes]
            seen[nodes] = True
            frontier, leads = nodes[unseen], rows[where[unseen]]
            if truncated or not len(frontier):
                return _walk(found, levels, truncated=truncated)
        return _walk(found, levels, truncated=False)

    def step(
        self, frontier: Slots, direction: Direction = "both", predicates: Ids | None = None
    ) -> tuple[Slots, NDArray[np.bool_]]:
        """The active slots of a sorted frontier, and whether each leads from subject to object."""
        outward = self._around(self.outgoing, self.subjects, frontier) if direction != "in" else _no_slots()
        inward = self._around(self.incoming, self.objects, frontier) if direction != "out" else _no_slots()
        slots = np.concatenate([outward, inward])
        kept = self.holds(slots)
        if predicates is not None:
            kept &= _is_one_of(self.predicates[slots], predicates)
        rows = np.flatnonzero(kept)
        return slots[rows], rows < len(outward)

    def _around(self, base: Adjacency, ends: Slots, frontier: Slots) -> Slots:
        slots = base.around(frontier)
        if self.base == len(self.triple_ids):
            return slots
        overlay = np.flatnonzero(np.isin(ends[self.base :], frontier)) + self.base
        return np.concatenate([slots, overlay])


def build_graph(tx: Reader) -> TripleGraph:
    """The active triples, without overlay."""
    rows = graph_rows(tx)
    entity_ids = np.unique(np.concatenate([rows["subject_id"], rows["object_id"]])).astype(np.int64)
    subjects = np.searchsorted(entity_ids, rows["subject_id"])
    objects = np.searchsorted(entity_ids, rows["object_id"])
    count = len(rows["id"])
    return TripleGraph(
        entity_ids,
        {},
        np.asarray(rows["id"], dtype=np.int64),
        subjects,
        np.asarray(rows["predicate_id"], dtype=np.int64),
        objects,
        np.asarray(rows["confidence"], dtype=np.float32),
        np.asarray(rows["valid_from"], dtype=np.int64),
        np.asarray(rows["valid_to"], dtype=np.int64),
        np.asarray(rows["recorded_change"], dtype=np.int64),
        np.ones(count, dtype=np.bool_),
        _adjacency(subjects, len(entity_ids)),
        _adjacency(objects, len(entity_ids)),
        count,
    )


def update_graph(tx: Reader, old: TripleGraph, since: int) -> TripleGraph | None:
    """The graph after the changes since a generation; None if the overlay would become large, to rebuild."""
    rows = graph_rows_since(tx, since)
    retired = np.asarray(rows["retired"], dtype=np.bool_)
    at = _slots_of(old, rows["id"])
    known = at >= 0
    new = ~retired & ~known
    if len(old.triple_ids) - old.base + int(new.sum()) > max(MAX_OVERLAY, old.base // 50):
        return None
    active, confidences = old.active.copy(), old.confidences.copy()
    recorded = old.recorded.copy()
    active[at[known]] = ~retired[known]
    confidences[at[known]] = rows["confidence"][known]
    recorded[at[known]] = rows["recorded_change"][known]
    marked = replace(old, active=active, confidences=confidences, recorded=recorded)
    return _with_overlay(marked, {name: column[new] for name, column in rows.items()})


def past_graph(tx: Reader, present: TripleGraph) -> TripleGraph:
    """The graph for a snapshot of the past (see `store.engine.time_travel`), from the graph of the newest change."""
    assert tx.known is not None  # noqa: S101  # a bug, not a caller's error
    marked = replace(present, active=present.active & (present.recorded <= tx.known))
    return _with_overlay(marked, past_graph_rows(tx))


def microseconds(moment: datetime) -> int:
    """A naive UTC moment in microseconds since 1970."""
    since = moment.replace(tzinfo=UTC) - datetime(1970, 1, 1, tzinfo=UTC)
    return (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds


def _slots_of(graph: TripleGraph, triple_ids: NDArray[Any]) -> Slots:
    """The slot of each triple, -1 for those without one."""
    order = None if np.all(graph.triple_ids[1:] > graph.triple_ids[:-1]) else np.argsort(graph.triple_ids)
    ids = graph.triple_ids if order is None else graph.triple_ids[order]
    if not len(ids):
        return np.full(len(triple_ids), -1, dtype=np.int64)
    at = np.minimum(np.searchsorted(ids, triple_ids), len(ids) - 1)
    found = np.where(ids[at] == triple_ids, at, -1)
    return found if order is None else np.where(found >= 0, order[found], -1)


def _with_overlay(graph: TripleGraph, rows: dict[str, NDArray[Any]]) -> TripleGraph:
    """The graph with more triples in its overlay."""
    if not len(rows["id"]):
        return graph
    added_nodes = dict(graph.added_nodes)
    subjects = _nodes(graph, added_nodes, rows["subject_id"])
    objects = _nodes(graph, added_nodes, rows["object_id"])
    return replace(
        graph,
        added_nodes=added_nodes,
        triple_ids=np.concatenate([graph.triple_ids, rows["id"]]),
        subjects=np.concatenate([graph.subjects, subjects]),
        predicates=np.concatenate([graph.predicates, rows["predicate_id"]]),
        objects=np.concatenate([graph.objects, objects]),
        confidences=np.concatenate([graph.confidences, rows["confidence"]]).astype(np.float32),
        valid_from=np.concatenate([graph.valid_from, rows["valid_from"]]),
        valid_to=np.concatenate([graph.valid_to, rows["valid_to"]]),
        recorded=np.concatenate([graph.recorded, rows["recorded_change"]]),
        active=np.concatenate([graph.active, np.ones(len(rows["id"]), dtype=np.bool_)]),
    )


def _nodes(graph: TripleGraph, added_nodes: dict[int, int], entity_ids: NDArray[Any]) -> Slots:
    """The node of each entity; those without one get one in `added_nodes`."""
    base = len(graph.entity_ids)
    if base:
        at = np.minimum(np.searchsorted(graph.entity_ids, entity_ids), base - 1)
        nodes = np.where(graph.entity_ids[at] == entity_ids, at, -1).astype(np.int64)
    else:
        nodes = np.full(len(entity_ids), -1, dtype=np.int64)
    for row in np.flatnonzero(nodes < 0).tolist():
        nodes[row] = added_nodes.setdefault(int(entity_ids[row]), base + len(added_nodes))
    return nodes


def _adjacency(ends: Slots, nodes: int) -> Adjacency:
    starts = np.concatenate(([0], np.cumsum(np.bincount(ends, minlength=nodes)))).astype(np.int64)
    return Adjacency(starts, np.argsort(ends, kind="stable"))


def _no_slots() -> Slots:
    return np.empty(0, dtype=np.int64)


def _walk(
    found: list[tuple[Slots, NDArray[np.bool_], NDArray[np.int64]]], levels: list[int], *, truncated: bool
) -> Walk:
    hops = [np.full(len(slots), level, dtype=np.int64) for (slots, _, _), level in zip(found, levels, strict=True)]
    return Walk(
        np.concatenate([slots for slots, _, _ in found]),
        np.concatenate(hops),
        np.concatenate([forward for _, forward, _ in found]),
        np.concatenate([parents for _, _, parents in found]),
        truncated,
    )


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


def _is_one_of(values: Ids, few: Ids) -> NDArray[np.bool_]:
    """Which of many small numbers are among a few; eight times faster than `np.isin`."""
    among = np.zeros(int(max(values.max(initial=0), few.max(initial=0))) + 1, dtype=np.bool_)
    among[few[few >= 0]] = True  # -1 stands for an unknown predicate
    return among[values]
