"""What walks over relationships reach, and the paths on which they go, as arrays of numbers."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mcp_graphrag.index.csr import concatenated_ranges
from mcp_graphrag.model import Ids
from mcp_graphrag.query.asked import Refused

MAX_WALKED = 3_000_000  # relationships, for each path or start that goes over one
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


class _Hop(NamedTuple):
    """The paths of one number of hops: the rows of those that they go on, the slots of their last edges, their ends.

    `first` are their first edges, -1 for paths without one.
    """

    rows: NDArray[np.int64]
    slots: NDArray[np.int64]
    starts: Nodes
    ends: Nodes
    first: Ids


@dataclass(frozen=True)
class Walk:
    """A walk of `most` hops from some nodes, to goals if there are any, over edges that lead from nodes to others.

    Where it `is_turned`, what it finds is told from its end. `check_time` is called at each hop, and raises where the
    time is over. Too large a walk raises Refused.
    """

    edges: Ids
    begins: Nodes
    ends: Nodes
    starts: Nodes
    goals: Nodes | None
    most: int
    is_turned: bool
    check_time: Callable[[], None]

    @cached_property
    def _count(self) -> int:
        """More than the number of any node."""
        known = (self.begins, self.ends, self.starts, self.starts[:0] if self.goals is None else self.goals)
        return 1 + max(int(each.max(initial=0)) for each in known)

    def paths(self, kind: str, least: int) -> tuple[Table, Table]:
        """The paths in none of which an edge stands twice; with goals at least those that lead there.

        Of `kind` "shortest" one with the fewest hops from each start to each node, of "all_shortest" all of them. A
        table of paths with their ends, and one of the edges on each by hop, with the nodes behind them.
        """
        found, count = self._followed(kind, self._pairs(self.starts, self.starts)), 0
        way, behind = (-1, self.begins) if self.is_turned else (1, self.ends)
        ends, steps = list[Sequence[Ids]](), list[Sequence[Ids]]()
        for last in range(least, len(found)):
            rows = np.arange(len(found[last].ends))
            path, count = rows + count, count + len(rows)
            ends.append((path, *(ids_of(each) for each in (found[last].starts, found[last].ends)[::way])))
            for hop in range(last, 0, -1):
                slots = found[hop].slots[rows]
                steps.append((path, np.full(len(path), hop * way), self.edges[slots], ids_of(behind[slots])))
                rows = found[hop].rows[rows]
        return _table(("path", "f.id", "t.id"), ends), _table(("path", "hop", "id", "node"), steps)

    def reached(self, least: int, *, both: bool) -> Table:
        """The pairs of a start and a node at the ends of paths of at least 0 or 1 hops, each once.

        Where edges are followed in `both` directions, a start is reached from itself in a circle of different edges.
        """
        circles, seen = both and least > 0, self._pairs(self.starts, self.starts)
        # Without a search for circles a start that is reached from itself is one of the nodes reached.
        found = self._followed("ends", seen if circles or not least else seen[:0])
        pairs = [(each.starts, each.ends) for each in found[least:]]
        pairs += [(again, again) for again in [self._in_circles(found)] if circles]
        return _table(("f.id", "t.id"), [tuple(map(ids_of, pair[:: -1 if self.is_turned else 1])) for pair in pairs])

    def _followed(self, kind: str, seen: Ids) -> Sequence[_Hop]:
        """The paths of each number of hops from 0; with a kind only those to pairs that are not yet seen."""
        hops = self._hops_to(self.goals) if self.goals is not None else np.zeros(self._count, dtype=np.int64)
        is_one = kind and self.goals is not None and len(self.goals) == 1
        most = min(self.most, int(hops[self.starts].max(initial=0))) if is_one else self.most
        found, total = [_Hop(seen[:0], seen[:0], self.starts, self.starts, np.full(len(self.starts), -1))], 0
        while len(found) <= most and len(found[-1].ends):
            last = found[-1]
            rows, slots = self._onward(last.ends, MAX_WALKED - total)
            total += len(slots)
            kept = np.flatnonzero(len(found) + hops[self.ends[slots]] <= most)
            if kind:
                pairs = self._pairs(last.starts[rows[kept]], self.ends[slots[kept]])
                new, first = np.unique(pairs, return_index=True)
                is_new = ~np.isin(new, seen)
                seen = np.concatenate([seen, new[is_new]])
                kept = kept[np.isin(pairs, new[is_new]) if kind == "all_shortest" else first[is_new]]
            before = rows[kept]
            for hop in reversed(found[1:] if not kind else []):
                is_other = self.edges[hop.slots[before]] != self.edges[slots[kept]]
                kept, before = kept[is_other], hop.rows[before[is_other]]
            rows, slots = rows[kept], slots[kept]
            first = last.first[rows] if len(found) > 1 else self.edges[slots]
            found.append(_Hop(rows, slots, last.starts[rows], self.ends[slots], first))
        return found

    def _in_circles(self, found: Sequence[_Hop]) -> Nodes:
        """The starts that are reached from themselves: nodes beside each other are reached by different first edges."""
        starts, ends, first = map(np.concatenate, zip(*(each[2:] for each in found), strict=True))
        hops = np.repeat(np.arange(len(found)), [len(each.ends) for each in found])
        pairs = self._pairs(starts, ends)
        half = np.flatnonzero(2 * hops < self.most)
        rows, slots = self._onward(ends[half], MAX_WALKED)
        one, edges, wanted = half[rows], self.edges[slots], self._pairs(starts[half[rows]], self.ends[slots])
        order = np.argsort(pairs)
        other = order[np.searchsorted(pairs[order], wanted).clip(max=len(pairs) - 1)]
        closes = (first[one] != first[other]) & (edges != first[one]) & (edges != first[other])
        closes |= (ends[one] == self.ends[slots]) & (hops[one] == 0)
        return np.unique(starts[one[closes & (pairs[other] == wanted) & (hops[one] + hops[other] < self.most)]])

    def _pairs(self, starts: Nodes, ends: Nodes) -> Ids:
        """A number for each pair of nodes."""
        return starts * self._count + ends

    def _onward(self, nodes: Nodes, most: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The edges that begin at nodes, at most so many: the place of the node, and that of the edge."""
        self.check_time()
        marks = np.zeros(self._count, dtype=np.bool_)
        marks[nodes] = True
        slots = np.flatnonzero(marks[self.begins])
        slots = slots[np.argsort(self.begins[slots], kind="stable")]
        low, high = (np.searchsorted(self.begins[slots], nodes, side) for side in ("left", "right"))
        if (high - low).sum() > most:
            raise Refused(f"A walk has over {MAX_WALKED} relationships.", "Name an end of it, or give it fewer hops.")
        return np.repeat(np.arange(len(nodes)), high - low), slots[concatenated_ranges(low, high - low)]

    def _hops_to(self, goals: Nodes) -> NDArray[np.int64]:
        """The fewest hops from each node to a goal."""
        hops = np.full(self._count, _NEVER, dtype=np.int64)
        hops[goals] = 0
        for hop in range(1, self.most + 1):
            self.check_time()
            new = self.begins[hops[self.ends] == hop - 1]
            new = new[hops[new] == _NEVER]
            if not len(new):
                break
            hops[new] = hop
        return hops


def _table(names: Sequence[str], parts: Sequence[Sequence[Ids]]) -> Table:
    """The parts of columns as a table."""
    none = np.empty(0, dtype=np.int64)
    return {name: np.concatenate([none, *(each[at] for each in parts)]) for at, name in enumerate(names)}
