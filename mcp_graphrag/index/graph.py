"""The resident graph: triples in force as compressed rows in both directions, walked without touching the file.

A slot is one triple. The base is built once; triples recorded since lie in a small overlay, retired ones are marked.
A graph of another moment is the same rows with other marks, and what was in force then alone as overlay.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mcp_graphrag.index.runs import places_of_runs
from mcp_graphrag.model import Direction, Ids
from mcp_graphrag.store.transaction import Reader
from mcp_graphrag.store.triples import graph_rows, graph_rows_since, graph_rows_then

Slots = NDArray[np.int64]
MOST_OVERLAY = 5_000
ALL_BITS = 0x7FFF_FFFF


@dataclass(frozen=True)
class Adjacency:
    """Compressed rows: the slots around node n are slots[starts[n]:starts[n + 1]]."""

    starts: Ids
    slots: Slots

    def around(self, nodes: Slots) -> Slots:
        """The slots around any of the nodes, node by node."""
        known = nodes[nodes < len(self.starts) - 1]
        first, last = self.starts[known], self.starts[known + 1]
        return self.slots[places_of_runs(first, last - first)]


@dataclass(frozen=True)
class Walk:
    """The triples within some hops of a start, nearest first.

    All arrays have one row a triple: its slot, its hop from 1, whether it was walked from subject to object, and the
    row that led to it (-1 for the first hop). `cut` says that the walk stopped at its limit of triples.
    """

    slots: Slots
    hops: NDArray[np.int64]
    forward: NDArray[np.bool_]
    parents: NDArray[np.int64]
    cut: bool


@dataclass(frozen=True)
class Graph:
    """Triples in force. Nodes are positions in `entity_ids`, which ascend; slots are positions in `triple_ids`.

    Entities that came with the overlay have positions behind the base's, in `late`. `valid_from` and `valid_to` are
    microseconds since 1970, open ends at the ends of int64; `moment` is the world time that is asked about, if any.
    """

    entity_ids: Ids
    late: dict[int, int]
    triple_ids: Ids
    subjects: Slots
    predicates: Ids
    objects: Slots
    confidences: NDArray[np.float32]
    valid_from: Ids
    valid_to: Ids
    recorded: Ids
    alive: NDArray[np.bool_]
    out: Adjacency
    into: Adjacency
    base: int
    moment: int | None = None

    def as_of(self, moment: datetime | None) -> "Graph":
        """The graph of what holds in the world at a moment; of all that is known for None."""
        return self if moment is None else replace(self, moment=microseconds(moment))

    def holds(self, slots: Slots) -> NDArray[np.bool_]:
        """Which slots are in force, at the moment asked about if there is one."""
        kept = self.alive[slots]
        if self.moment is not None:
            kept = kept & (self.valid_from[slots] <= self.moment) & (self.moment < self.valid_to[slots])
        return kept

    @property
    def node_count(self) -> int:
        """How many nodes there are: every node is below it."""
        return len(self.entity_ids) + len(self.late)

    @property
    def size(self) -> int:
        """The number of triples in force."""
        return int(self.alive.sum())

    def node(self, entity_id: int) -> int | None:
        """The position of an entity, None where no triple names it."""
        at = int(np.searchsorted(self.entity_ids, entity_id))
        if at < len(self.entity_ids) and self.entity_ids[at] == entity_id:
            return at
        return self.late.get(entity_id)

    def entities(self, nodes: Slots) -> Ids:
        """The entity ids at the nodes."""
        return np.concatenate([self.entity_ids, np.array(list(self.late), dtype=np.int64)])[nodes]

    def walk(
        self,
        starts: Sequence[int],
        hops: int,
        *,
        direction: Direction = "both",
        predicates: Ids | None = None,
        most: int = 50_000,
    ) -> Walk:
        """The triples within `hops` of the nodes; only those of the predicates are walked, at most `most` in all."""
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
            fresh = np.flatnonzero(~taken[slots])
            order, cut = _surest(slots[fresh], self.confidences[slots[fresh]], most - total)
            slots, forward = slots[fresh[order]], forward[fresh[order]]
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
            if cut or not len(frontier):
                return _walk(found, levels, cut=cut)
        return _walk(found, levels, cut=False)

    def step(
        self, frontier: Slots, direction: Direction = "both", predicates: Ids | None = None
    ) -> tuple[Slots, NDArray[np.bool_]]:
        """The slots in force around a sorted frontier, and of each whether it leads from subject to object."""
        outward = self._around(self.out, self.subjects, frontier) if direction != "in" else _no_slots()
        inward = self._around(self.into, self.objects, frontier) if direction != "out" else _no_slots()
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
        late = np.flatnonzero(np.isin(ends[self.base :], frontier)) + self.base
        return np.concatenate([slots, late])


def build_graph(tx: Reader) -> Graph:
    """The triples in force, without overlay."""
    rows = graph_rows(tx)
    entity_ids = np.unique(np.concatenate([rows["subject_id"], rows["object_id"]])).astype(np.int64)
    subjects = np.searchsorted(entity_ids, rows["subject_id"])
    objects = np.searchsorted(entity_ids, rows["object_id"])
    count = len(rows["id"])
    return Graph(
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


def update_graph(tx: Reader, old: Graph, since: int) -> Graph | None:
    """The graph after the changes since a generation; None asks for a rebuild, when the overlay would be large."""
    rows = graph_rows_since(tx, since)
    retired = np.asarray(rows["retired"], dtype=np.bool_)
    at = _slots_of(old, rows["id"])
    known = at >= 0
    fresh = ~retired & ~known
    if len(old.triple_ids) - old.base + int(fresh.sum()) > max(MOST_OVERLAY, old.base // 50):
        return None
    alive, confidences = old.alive.copy(), old.confidences.copy()
    recorded = old.recorded.copy()
    alive[at[known]] = ~retired[known]
    confidences[at[known]] = rows["confidence"][known]
    recorded[at[known]] = rows["recorded_change"][known]
    marked = replace(old, alive=alive, confidences=confidences, recorded=recorded)
    return _overlaid(marked, {name: column[fresh] for name, column in rows.items()})


def graph_then(tx: Reader, present: Graph) -> Graph:
    """The graph of what the snapshot knew, from the graph of the present.

    The snapshot is one that looks back (see `store.known`), `present` that of the newest change it can see.
    """
    assert tx.known is not None  # noqa: S101  (a slip of ours, not of a caller)
    marked = replace(present, alive=present.alive & (present.recorded <= tx.known))
    return _overlaid(marked, graph_rows_then(tx))


def microseconds(moment: datetime) -> int:
    """A naive UTC moment in microseconds since 1970."""
    since = moment.replace(tzinfo=UTC) - datetime(1970, 1, 1, tzinfo=UTC)
    return (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds


def _slots_of(graph: Graph, triple_ids: NDArray[Any]) -> Slots:
    """The slot of each triple, -1 for those that are not there."""
    order = None if np.all(graph.triple_ids[1:] > graph.triple_ids[:-1]) else np.argsort(graph.triple_ids)
    ids = graph.triple_ids if order is None else graph.triple_ids[order]
    if not len(ids):
        return np.full(len(triple_ids), -1, dtype=np.int64)
    at = np.minimum(np.searchsorted(ids, triple_ids), len(ids) - 1)
    found = np.where(ids[at] == triple_ids, at, -1)
    return found if order is None else np.where(found >= 0, order[found], -1)


def _overlaid(graph: Graph, rows: dict[str, NDArray[Any]]) -> Graph:
    """The graph with more triples in its overlay."""
    if not len(rows["id"]):
        return graph
    late = dict(graph.late)
    subjects = _positions(graph, late, rows["subject_id"])
    objects = _positions(graph, late, rows["object_id"])
    return replace(
        graph,
        late=late,
        triple_ids=np.concatenate([graph.triple_ids, rows["id"]]),
        subjects=np.concatenate([graph.subjects, subjects]),
        predicates=np.concatenate([graph.predicates, rows["predicate_id"]]),
        objects=np.concatenate([graph.objects, objects]),
        confidences=np.concatenate([graph.confidences, rows["confidence"]]).astype(np.float32),
        valid_from=np.concatenate([graph.valid_from, rows["valid_from"]]),
        valid_to=np.concatenate([graph.valid_to, rows["valid_to"]]),
        recorded=np.concatenate([graph.recorded, rows["recorded_change"]]),
        alive=np.concatenate([graph.alive, np.ones(len(rows["id"]), dtype=np.bool_)]),
    )


def _positions(graph: Graph, late: dict[int, int], entity_ids: NDArray[Any]) -> Slots:
    """The node of each entity; those that no node stands for yet get one in `late`."""
    base = len(graph.entity_ids)
    if base:
        at = np.minimum(np.searchsorted(graph.entity_ids, entity_ids), base - 1)
        positions = np.where(graph.entity_ids[at] == entity_ids, at, -1).astype(np.int64)
    else:
        positions = np.full(len(entity_ids), -1, dtype=np.int64)
    for row in np.flatnonzero(positions < 0).tolist():
        positions[row] = late.setdefault(int(entity_ids[row]), base + len(late))
    return positions


def _adjacency(ends: Slots, nodes: int) -> Adjacency:
    starts = np.concatenate(([0], np.cumsum(np.bincount(ends, minlength=nodes)))).astype(np.int64)
    return Adjacency(starts, np.argsort(ends, kind="stable"))


def _no_slots() -> Slots:
    return np.empty(0, dtype=np.int64)


def _walk(found: list[tuple[Slots, NDArray[np.bool_], NDArray[np.int64]]], levels: list[int], *, cut: bool) -> Walk:
    hops = [np.full(len(slots), level, dtype=np.int64) for (slots, _, _), level in zip(found, levels, strict=True)]
    return Walk(
        np.concatenate([slots for slots, _, _ in found]),
        np.concatenate(hops),
        np.concatenate([forward for _, forward, _ in found]),
        np.concatenate([parents for _, _, parents in found]),
        cut,
    )


def _surest(slots: Slots, confidences: NDArray[np.float32], most: int) -> tuple[NDArray[np.int64], bool]:
    """Where at most `most` of the slots stand, each once, the surest first, then the lower; and whether there are more.

    A slot may come twice, walked from either end; its first place counts.
    """
    # The bits of positive floats are in the order of the floats: one key for confidence and slot, of which the best
    # are split off before anything is sorted. Around hubs there are a hundred thousand for a thousand that are kept.
    keys = (ALL_BITS - confidences.view(np.int32)).astype(np.int64) << 32 | slots
    rows = np.arange(len(keys))
    if len(keys) > 2 * most:
        rows = np.sort(np.argpartition(keys, 2 * most)[: 2 * most])
    found, first = np.unique(keys[rows], return_index=True)
    return rows[first[:most]], len(keys) > 2 * most or len(found) > most


def _is_one_of(values: Ids, few: Ids) -> NDArray[np.bool_]:
    """Which of many small numbers are among a few; `np.isin` takes eight times as long."""
    among = np.zeros(int(max(values.max(initial=0), few.max(initial=0))) + 1, dtype=np.bool_)
    among[few[few >= 0]] = True  # -1 stands for what is not stored
    return among[values]
