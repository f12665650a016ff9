"""What a query takes from the indexes in memory: the edges of its walks, and what a search finds, as tables of ids.

A walk here only says which edges the paths can have; the SELECT follows them. Where it would be too large, or its
beginning is not known before, the SELECT follows all edges.
"""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from mcp_graphrag.index.triple_graph import Slots, TripleGraph, with_phrases
from mcp_graphrag.model import Ids
from mcp_graphrag.query.asked import GraphQuery
from mcp_graphrag.query.compile_query import with_ctes
from mcp_graphrag.query.cypher_types import FLOAT, NODE, Type
from mcp_graphrag.query.cypher_values import Value, fresh, struct
from mcp_graphrag.query.graph_tables import FIRST_IDS, GraphTables, Seeds, Steps
from mcp_graphrag.query.variable_uses import ALL_KINDS
from mcp_graphrag.snapshot import Snapshot

MAX_STARTS = 1_000  # nodes that a walk begins or ends at
MAX_SHORTEST_STARTS = 100
MAX_WALKED = 300_000  # edges
_Step = tuple[Slots, Slots, Slots]  # the slots at some nodes, the node at which each begins, and that to which it leads
_Walk = tuple[NDArray[np.int32], list[_Step]]
NEVER = 2**31 - 1  # hops to a node that is not reached


class WalkedTables(GraphTables):
    """The tables for one query, with those made of the indexes; these are gone with the context."""

    def __init__(self, snapshot: Snapshot, query: GraphQuery, *, whole: bool) -> None:
        super().__init__(snapshot, whole=whole)
        self.query, self._made = query, ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self._made.close()

    def walked(self, steps: Steps, ctes: Mapping[str, str]) -> str | None:
        """The table of the edges that a walk may have, None where that is not known before."""
        if not self.is_of_triples(steps.types):
            return None
        starts, goals = self._nodes(steps.seeds, ctes), self._nodes(steps.goals, ctes)
        if starts is None or (steps.kind != "edges" and (goals is None or len(starts) > MAX_SHORTEST_STARTS)):
            return None
        columns = self._shortest(steps, starts, goals) if goals is not None and steps.kind != "edges" else None
        columns = columns or self._between(steps, starts, goals)
        return self._table(columns) if columns is not None else None

    def _table(self, columns: Mapping[str, NDArray[Any]]) -> str:
        name = fresh("walked")
        self._made.enter_context(self.snapshot.tx.incoming(name, dict(columns)))
        return name

    def _nodes(self, seeds: Seeds | None, ctes: Mapping[str, str]) -> Slots | None:
        """The nodes of the graph in memory that are among the seeds, None for too many."""
        if seeds is None:
            return None
        ids, is_cut = seeds.ids, False
        if ids is None:
            sql = with_ctes(ctes, f"SELECT id FROM ({seeds.sql})")
            rows, is_cut = self.snapshot.tx.bounded_rows(sql, {}, seconds=self.query.seconds, limit=MAX_STARTS)
            ids = [id_ for (id_,) in rows]
        found = {self._graph.node(id_) for id_ in ids} - {None}
        return None if is_cut else np.array(sorted(found), dtype=np.int64)  # pyright: ignore[reportArgumentType]

    @cached_property
    def _graph(self) -> TripleGraph:
        return with_phrases(self.snapshot.tx, self.snapshot.valid_triples, self.snapshot.min_confidence)

    def _step(self, steps: Steps, way: int, nodes: Slots) -> _Step:
        """The slots at some nodes, in the way of the steps or the other one."""
        graph, readings = self._graph, self.readings(steps.types)
        found: list[_Step] = []
        for is_out, ends in ((True, (graph.subjects, graph.objects)), (False, (graph.objects, graph.subjects))):
            ids = [id_ for id_, is_forward in readings if way == 0 or is_forward == (is_out == (way > 0))]
            if ids:
                slots, _ = graph.step(nodes, "out" if is_out else "in", np.array(sorted({*ids}), dtype=np.int64))
                found.append((slots, ends[0][slots], ends[1][slots]))
        return tuple(np.concatenate(column) for column in zip(*found, strict=True)) if found else (nodes[:0],) * 3  # pyright: ignore[reportReturnType]

    def _hops(self, steps: Steps, way: int, starts: Slots, goals: Slots | None = None) -> _Walk | None:
        """The hops to each node, and the steps of each hop, until all goals are reached; None for too large a walk."""
        hops = np.full(self._graph.node_count, NEVER, dtype=np.int32)
        hops[starts] = 0
        taken: list[_Step] = []
        nodes, total = starts, 0
        for hop in range(1, steps.hops + 1):
            slots, begins, ends = self._step(steps, way, nodes)
            total += len(slots)
            if goals is None and total > MAX_WALKED:
                return None
            taken.append((slots, begins, ends))
            nodes = np.unique(ends[hops[ends] == NEVER])
            hops[nodes] = hop
            if not len(nodes) or (goals is not None and hops[goals].max(initial=0) < NEVER):
                break
        return hops, taken

    def _between(self, steps: Steps, starts: Slots, goals: Slots | None) -> Mapping[str, Ids] | None:
        """The edges within the hops of the starts, of those only the ones on a way to the goals."""
        walk = self._hops(steps, steps.way, starts)
        if walk is None:
            return None
        back = self._hops(steps, -steps.way, goals) if goals is not None else None
        hops, found = walk[0].astype(np.int64), list[Slots]()
        for slots, begins, ends in walk[1]:
            kept = slice(None) if back is None else hops[begins] + 1 + back[0][ends] <= steps.hops
            found.append(slots[kept])
        return {"id": self._graph.triple_ids[np.unique(np.concatenate(found))]}

    def _shortest(self, steps: Steps, starts: Slots, goals: Slots) -> Mapping[str, Ids]:
        """For each start the edges on shortest paths to the goals, on one to each or on all."""
        found = {name: [np.empty(0, dtype=np.int64)] for name in ("id", "seed", "hop")}
        for start in starts.tolist():
            walk = self._hops(steps, steps.way, np.array([start], dtype=np.int64), goals)
            assert walk is not None  # noqa: S101  # with goals it has no limit but the graph
            hops, taken = walk
            wanted = np.zeros(len(hops), dtype=np.bool_)
            wanted[goals] = True
            for hop, (slots, begins, ends) in reversed([*enumerate(taken, 1)]):
                on_path = np.flatnonzero(wanted[ends] & (hops[ends] == hop))
                if steps.kind == "shortest":
                    on_path = on_path[np.unique(ends[on_path], return_index=True)[1]]
                wanted[begins[on_path]] = True
                found["id"].append(self._graph.triple_ids[slots[on_path]])
                found["seed"].append(np.full(len(on_path), self._graph.entities(np.array([start]))[0]))
                found["hop"].append(np.full(len(on_path), hop))
        return {name: np.concatenate(columns) for name, columns in found.items()}

    def seeds(self, function: str, wanted: str, most: int) -> Value:
        """What a function of search finds, the best first: a list of maps with a node and a score."""
        snapshot = self.snapshot
        found: list[tuple[int, float]] = []
        if function == "search":
            keywords = snapshot.keywords
            chunks: Sequence[tuple[int, float]] = keywords.search(keywords.terms_of(wanted), limit=most)
        else:
            vector = snapshot.embed([wanted])[0]
            chunks = snapshot.chunk_vectors.nearest(snapshot.tx, vector, limit=most)
            found += snapshot.entity_vectors.nearest(snapshot.tx, vector, limit=most)
        found += [(FIRST_IDS["Chunk"] + id_, score) for id_, score in chunks]
        found = sorted(found, key=lambda each: -each[1])[:most]
        table = self._table(
            {
                "id": np.array([id_ for id_, _ in found], np.int64),
                "score": np.array([score for _, score in found], float),
            }
        )
        columns = self.columns(NODE, None)
        nodes = self.nodes(ALL_KINDS - {"Document"}, columns)
        node = struct((each, f'n."{each}"') for each in columns)
        listed = f"list({{'node': {node}, 'score': s.score}} ORDER BY s.score DESC, s.id)"
        sql = f"(SELECT coalesce({listed}, []) FROM {table} s JOIN {nodes} n ON n.id = s.id)"
        return Value(sql, Type.map_of([("node", NODE), ("score", FLOAT)]).listed)
