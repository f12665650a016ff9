"""What a walk reaches, and the edges that its paths can have, found in the graph in memory."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mcp_graphrag.index.csr import concatenated_ranges
from mcp_graphrag.index.triple_graph import Slots, TripleGraph
from mcp_graphrag.model import Ids

MAX_WALKED = 300_000  # edges
MAX_REACHED = 3_000_000  # pairs of a start and an edge
NEVER = 2**31 - 1  # hops to a node that is not reached
Reading = tuple[int, bool]  # the id of a predicate, and whether it is read from subject to object
_Step = tuple[Slots, Slots, Slots]  # the slots at some nodes, the node at which each begins, and that to which it leads
_Walk = tuple[NDArray[np.int32], list[_Step]]


@dataclass(frozen=True)
class EdgeWalk:
    """A walk of `most` hops over edges by some readings: along them (`way` is 1), against them (-1) or both (0).

    `check_time` is called at each hop, and raises where the time is over.
    """

    graph: TripleGraph
    readings: Collection[Reading]
    way: int
    most: int
    check_time: Callable[[], None]

    def between(self, starts: Slots, goals: Slots | None) -> Mapping[str, Ids] | None:
        """The ids of the edges within the hops of the starts, of those only the ones on a way to the goals.

        None where there are too many.
        """
        if not self.most:
            return {"id": self.graph.triple_ids[:0]}
        walk = self._hops(self.way, starts)
        if walk is None:
            return None
        back = self._hops(-self.way, goals) if goals is not None else None
        hops, found = walk[0].astype(np.int64), list[Slots]()
        for slots, begins, ends in walk[1]:
            kept = slice(None) if back is None else hops[begins] + 1 + back[0][ends] <= self.most
            found.append(slots[kept])
        return {"id": self.graph.triple_ids[np.unique(np.concatenate(found))]}

    def shortest(self, starts: Slots, goals: Slots, *, is_all: bool) -> Mapping[str, Ids]:
        """For each start (`seed`) the edges, by `hop`, on shortest paths to the goals: on one to each, or on all."""
        found = {name: [np.empty(0, dtype=np.int64)] for name in ("id", "seed", "hop")}
        for start in starts.tolist():
            walk = self._hops(self.way, np.array([start], dtype=np.int64), goals)
            assert walk is not None  # noqa: S101  # with goals it has no limit but the graph
            hops, taken = walk
            wanted = np.zeros(len(hops), dtype=np.bool_)
            wanted[goals] = True
            for hop, (slots, begins, ends) in reversed([*enumerate(taken, 1)]):
                on_path = np.flatnonzero(wanted[ends] & (hops[ends] == hop))
                if not is_all:
                    on_path = on_path[np.unique(ends[on_path], return_index=True)[1]]
                wanted[begins[on_path]] = True
                found["id"].append(self.graph.triple_ids[slots[on_path]])
                found["seed"].append(np.full(len(on_path), self.graph.entities(np.array([start]))[0]))
                found["hop"].append(np.full(len(on_path), hop))
        return {name: np.concatenate(columns) for name, columns in found.items()}

    def reached(self, starts: Slots, least: int) -> Mapping[str, Ids] | None:
        """The pairs of a start (`s`) and a node (`e`) at the ends of paths of at least 0 or 1 hops, each once.

        None where there are too many. A start is reached from itself in a circle, of different edges where these are
        followed both ways: where two nodes beside each other are reached by different first ones.
        """
        count, circles = self.graph.node_count, least > 0 and self.way == 0
        pairs = np.arange(len(starts)) * count + starts
        # Without a search for circles a start that is reached from itself is one of the nodes reached.
        seen = [pairs] if circles or not least else list[Slots]()  # each sorted, the first ones the longest
        new, first = pairs, np.full(len(pairs), -1)
        found, taken, total = [(new, first)], list[_Step](), 0
        while len(new) and len(found) <= self.most:
            nodes = new % count
            slots, left, right = self._step(self.way, np.unique(nodes))
            order = np.argsort(left, kind="stable")
            low, high = (np.searchsorted(left[order], nodes, side) for side in ("left", "right"))
            total += int((high - low).sum())
            if total > MAX_REACHED:
                return None
            rows, at = np.repeat(np.arange(len(new)), high - low), order[concatenated_ranges(low, high - low)]
            slots, begins, ends = slots[at], new[rows], new[rows] - nodes[rows] + right[at]
            if circles:
                taken.append((slots, begins, ends))
            keys, where = np.unique(ends, return_index=True)
            for each in seen:
                is_new = each.take(np.searchsorted(each, keys), mode="clip") != keys
                keys, where = keys[is_new], where[is_new]
            new, first = keys, slots[where] if len(found) == 1 else first[rows[where]]
            found.append((new, first))
            seen.append(new)
            while len(seen) > 1 and len(seen[-2]) <= 2 * len(seen[-1]):  # so that each is sorted few times
                seen[-2:] = [np.sort(np.concatenate(seen[-2:]), kind="stable")]
        keys = np.concatenate([pairs[:0], *(new for new, _ in found[least:])])
        if taken:
            slots, begins, ends = (np.concatenate(column) for column in zip(*taken, strict=True))
            hops = np.repeat(np.arange(len(found)), [len(new) for new, _ in found])
            nodes, first = (np.concatenate(column) for column in zip(*found, strict=True))
            order = np.argsort(nodes)
            b, e = (order[np.searchsorted(nodes[order], each)] for each in (begins, ends))
            closes = (first[b] != first[e]) & (slots != first[b]) & (slots != first[e])
            closes = (closes | (begins == ends) & (hops[b] == 0)) & (hops[b] + hops[e] < self.most)
            keys = np.concatenate([keys, pairs[np.unique(begins[closes] // count)]])
        return {"s": self.graph.entities(starts[keys // count]), "e": self.graph.entities(keys % count)}

    def _hops(self, way: int, starts: Slots, goals: Slots | None = None) -> _Walk | None:
        """The hops to each node, and the steps of each hop, until all goals are reached; None for too large a walk."""
        hops = np.full(self.graph.node_count, NEVER, dtype=np.int32)
        hops[starts] = 0
        taken: list[_Step] = []
        nodes, total = starts, 0
        for hop in range(1, self.most + 1):
            slots, begins, ends = self._step(way, nodes)
            total += len(slots)
            if goals is None and total > MAX_WALKED:
                return None
            taken.append((slots, begins, ends))
            nodes = np.unique(ends[hops[ends] == NEVER])
            hops[nodes] = hop
            if not len(nodes) or (goals is not None and hops[goals].max(initial=0) < NEVER):
                break
        return hops, taken

    def _step(self, way: int, nodes: Slots) -> _Step:
        self.check_time()
        found: list[_Step] = []
        graph: Any = self.graph
        for is_out, ends in ((True, (graph.subjects, graph.objects)), (False, (graph.objects, graph.subjects))):
            ids = [id_ for id_, is_forward in self.readings if way == 0 or is_forward == (is_out == (way > 0))]
            if ids:
                slots, _ = graph.step(nodes, "out" if is_out else "in", np.array(sorted({*ids}), dtype=np.int64))
                found.append((slots, ends[0][slots], ends[1][slots]))
        return tuple(np.concatenate(column) for column in zip(*found, strict=True)) if found else (nodes[:0],) * 3  # pyright: ignore[reportReturnType]
