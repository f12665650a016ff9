"""What walks over relationships reach, and the paths on which they go, as arrays of numbers."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mcp_graphrag.index.csr import concatenated_ranges
from mcp_graphrag.model import Ids
from mcp_graphrag.query.asked import Refused

MAX_WALKED = 3_000_000  # relationships, for each path or start that goes over them
OF_KIND = 10**15  # ids of nodes of one kind
_KINDS, _PHRASE = 4, 3
_NEVER = 2**31 - 1
Table = Mapping[str, Ids]
Nodes = NDArray[np.int64]  # by numbers that are small: those of entities, chunks, documents and phrases in turn


def numbers_of(ids: Ids) -> Nodes:
    """The numbers of nodes."""
    return abs(ids) % OF_KIND * _KINDS + np.where(ids < 0, _PHRASE, ids // OF_KIND)


def ids_of(nodes: Nodes) -> Ids:
    """The ids of nodes."""
    numbers, kinds = nodes // _KINDS, nodes % _KINDS
    return np.where(kinds == _PHRASE, -numbers, kinds * OF_KIND + numbers)


@dataclass(frozen=True)
class Walk:
    """A walk of `most` hops from some nodes, to goals if there are any, over edges: "id", and "f.id" to "t.id".

    Where it `is_turned`, it begins at the ends of these. `check_time` is called at each hop, and raises where the time
    is over. Too large a walk raises Refused.
    """

    edges: Table
    starts: Nodes
    goals: Nodes | None
    most: int
    is_turned: bool
    check_time: Callable[[], None]

    @cached_property
    def _begins(self) -> Nodes:
        return numbers_of(self.edges["t.id" if self.is_turned else "f.id"])

    @cached_property
    def _ends(self) -> Nodes:
        return numbers_of(self.edges["f.id" if self.is_turned else "t.id"])

    @cached_property
    def _count(self) -> int:
        """More than the number of any node."""
        known = (self._begins, self._ends, self.starts, self.starts[:0] if self.goals is None else self.goals)
        return 1 + max(int(each.max(initial=0)) for each in known)

    def paths(self, kind: str, least: int) -> tuple[Table, Table]:
        """The paths in none of which an edge stands twice; with goals at least those that lead there.

        Of `kind` "shortest" one with the fewest hops from each start to each node, of "all_shortest" all of them. A
        table of paths with their ends, and one of the edges on each by hop, with the nodes behind them.
        """
        hops = self._hops_to(self.goals) if self.goals is not None else np.zeros(self._count, dtype=np.int64)
        is_one = kind and self.goals is not None and len(self.goals) == 1
        most = min(self.most, int(hops[self.starts].max(initial=0))) if is_one else self.most
        starts = self.starts[hops[self.starts] <= most]
        found, seen = [(starts[:, None], np.empty((len(starts), 0), dtype=np.int64))], starts * self._count + starts
        total = 0
        while len(found) <= most and len(found[-1][0]):
            nodes, edges = found[-1]
            rows, slots = self._onward(nodes[:, -1], (MAX_WALKED - total) // len(found))
            kept = np.flatnonzero(len(found) + hops[self._ends[slots]] <= most)
            kept = kept[(edges[rows[kept]] != self.edges["id"][slots[kept], None]).all(axis=1)]
            if kind:
                pairs = nodes[rows[kept], 0] * self._count + self._ends[slots[kept]]
                is_new = np.flatnonzero(~np.isin(pairs, seen))
                seen = np.concatenate([seen, pairs[is_new]])
                kept = kept[is_new[np.unique(pairs[is_new], return_index=True)[1]] if kind == "shortest" else is_new]
            rows, slots = rows[kept], slots[kept]
            total += len(found) * len(slots)
            nodes = np.column_stack([nodes[rows], self._ends[slots]])
            found.append((nodes, np.column_stack([edges[rows], self.edges["id"][slots]])))
        return self._tables(found[least:])

    def _tables(self, paths: Sequence[tuple[Nodes, Ids]]) -> tuple[Table, Table]:
        count, none = 0, np.empty(0, dtype=np.int64)
        ends, steps = [(none, none, none)], [(none, none, none, none)]
        for nodes, edges in paths:
            path, hops = np.arange(count, count + len(nodes)), int(edges.shape[1])
            count += len(nodes)
            way = -1 if self.is_turned else 1
            ids = ids_of(nodes)[:, ::way]
            ends.append((path, ids[:, 0], ids[:, -1]))
            hop = np.tile(np.arange(hops), len(path))
            steps.append((np.repeat(path, hops), hop, edges[:, ::way].ravel(), ids[:, 1:].ravel()))
        return _table(("path", "f.id", "t.id"), ends), _table(("path", "hop", "id", "node"), steps)

    def reached(self, least: int, *, circles: bool) -> Table:
        """The pairs of a start and a node at the ends of paths of at least 0 or 1 hops, each once.

        A start is reached from itself in a circle: with `circles`, as edges are followed both ways, in one of different
        edges, where two nodes beside each other are reached by different first ones.
        """
        starts = self.starts
        pairs = np.arange(len(starts)) * self._count + starts
        # Without a search for circles a start that is reached from itself is one of the nodes reached.
        seen = [pairs] if circles or not least else list[Nodes]()  # each sorted, the first ones the longest
        new, first = pairs, np.full(len(pairs), -1)
        found, taken = [(new, first)], list[tuple[Any, ...]]()
        total = 0
        while len(new) and len(found) <= self.most:
            nodes = new % self._count
            rows, slots = self._onward(nodes, MAX_WALKED - total)
            total += len(slots)
            edges, begins, ends = self.edges["id"][slots], new[rows], new[rows] - nodes[rows] + self._ends[slots]
            if circles:
                taken.append((edges, begins, ends))
            keys, where = np.unique(ends, return_index=True)
            for each in seen:
                is_new = each.take(np.searchsorted(each, keys), mode="clip") != keys
                keys, where = keys[is_new], where[is_new]
            new, first = keys, edges[where] if len(found) == 1 else first[rows[where]]
            found.append((new, first))
            seen.append(new)
            while len(seen) > 1 and len(seen[-2]) <= 2 * len(seen[-1]):  # so that each is sorted few times
                seen[-2:] = [np.sort(np.concatenate(seen[-2:]), kind="stable")]
        keys = np.concatenate([pairs[:0], *(new for new, _ in found[least:])])
        if taken:
            edges, begins, ends = (np.concatenate(column) for column in zip(*taken, strict=True))
            hops = np.repeat(np.arange(len(found)), [len(new) for new, _ in found])
            nodes, first = (np.concatenate(column) for column in zip(*found, strict=True))
            order = np.argsort(nodes)
            b, e = (order[np.searchsorted(nodes[order], each)] for each in (begins, ends))
            closes = (first[b] != first[e]) & (edges != first[b]) & (edges != first[e])
            closes = (closes | (begins == ends) & (hops[b] == 0)) & (hops[b] + hops[e] < self.most)
            keys = np.concatenate([keys, pairs[np.unique(begins[closes] // self._count)]])
        ends = [(ids_of(starts[keys // self._count]), ids_of(keys % self._count))]
        return _table(("t.id", "f.id") if self.is_turned else ("f.id", "t.id"), ends)

    def _onward(self, nodes: Nodes, most: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The edges that begin at nodes, at most so many: the place of the node, and that of the edge."""
        self.check_time()
        marks = np.zeros(self._count, dtype=np.bool_)
        marks[nodes] = True
        slots = np.flatnonzero(marks[self._begins])
        slots = slots[np.argsort(self._begins[slots], kind="stable")]
        low, high = (np.searchsorted(self._begins[slots], nodes, side) for side in ("left", "right"))
        if (high - low).sum() > most:
            raise Refused(f"A walk has over {MAX_WALKED} relationships.", "Name an end of it, or give it fewer hops.")
        return np.repeat(np.arange(len(nodes)), high - low), slots[concatenated_ranges(low, high - low)]

    def _hops_to(self, goals: Nodes) -> NDArray[np.int64]:
        """The fewest hops from each node to a goal."""
        hops = np.full(self._count, _NEVER, dtype=np.int64)
        hops[goals] = 0
        for hop in range(1, self.most + 1):
            self.check_time()
            new = self._begins[hops[self._ends] == hop - 1]
            new = new[hops[new] == _NEVER]
            if not len(new):
                break
            hops[new] = hop
        return hops


def _table(names: Sequence[str], parts: Sequence[Sequence[Ids]]) -> Table:
    return {name: np.concatenate(column) for name, column in zip(names, zip(*parts, strict=True), strict=True)}
