"""Neighbourhoods: the triples within some hops of an entity, with the path that leads to each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from mcp_graphrag.clean_input import check_range
from mcp_graphrag.index.triple_graph import Walk
from mcp_graphrag.lookup.find_entities import How, known_types, link_nearest, nodes_of
from mcp_graphrag.lookup.query_triples import evidence_texts, fetch_triples, predicate_ids, stored_predicate
from mcp_graphrag.model import Direction, Triple
from mcp_graphrag.snapshot import Snapshot
from mcp_graphrag.store.rows.entity_rows import entity_ids_of_type
from mcp_graphrag.store.rows.triple_rows import predicates as stored_predicates

MAX_HOPS = 4
OPPOSITE: dict[Direction, Direction] = {"out": "in", "in": "out", "both": "both"}
MAX_WALKED = 50_000


@dataclass(frozen=True)
class NeighbourhoodQuery:
    """The start and the extent of a walk. Predicates limit what is walked, types only what is shown."""

    entity: str
    hops: int = 2
    predicates: Sequence[str] = ()
    subject_type: str | None = None
    object_type: str | None = None
    direction: Direction = "both"
    limit: int = 30
    include_chunks: bool = False
    min_confidence: float | None = None


@dataclass(frozen=True)
class Neighbour:
    """A triple of a neighbourhood with its hop, from 1, and the path from the start to it.

    The path has each triple, the neighbour itself last, and whether it was walked from subject to object.
    """

    triple: Triple
    hop: int
    path: Sequence[tuple[Triple, bool]]


@dataclass(frozen=True)
class Neighbourhood:
    """The neighbours, nearest first, the most confident first among equals; `total` counts those not shown too.

    `cut` says that the walk stopped early, so that `total` is a lower bound. `chunk_texts` are the chunk texts of the
    evidence by citation, if the query includes them.
    """

    start: Sequence[str]
    matched: How
    neighbours: Sequence[Neighbour]
    total: int
    cut: bool
    chunk_texts: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def exact(self) -> bool:
        """Whether the start has the name that was given, not the nearest one."""
        return self.matched in {"exact", "alias"}


def get_neighbourhood(snapshot: Snapshot, query: NeighbourhoodQuery) -> Neighbourhood:
    """The neighbourhood of an entity or, if none has the name, of the nearest one.

    Raises UnknownName for an entity, predicate or type that is not stored, BadInput for hops outside 1–4.
    """
    check_range("hops", query.hops, 1, MAX_HOPS)
    linked = link_nearest(snapshot, query.entity)
    predicates = predicate_ids(snapshot, query.predicates)
    graph = snapshot.valid_triples
    nodes, direction = nodes_of(graph, linked.entities), _direction(snapshot, query)
    walk = graph.walk(nodes, query.hops, direction=direction, predicates=predicates, max_triples=MAX_WALKED)
    shown = np.ones(len(walk.slots), dtype=np.bool_)
    for wanted, ends in ((query.subject_type, graph.subjects), (query.object_type, graph.objects)):
        if keys := known_types(snapshot, wanted):
            shown &= np.isin(graph.entities(ends[walk.slots]), entity_ids_of_type(snapshot.tx, *keys))
    rows = [_rows_from_start(walk, row) for row in np.flatnonzero(shown)[: query.limit].tolist()]
    ids = graph.triple_ids[walk.slots].tolist()
    triples = fetch_triples(snapshot, [ids[row] for row in sorted({row for path in rows for row in path})])
    paths = [[(triples[ids[row]], bool(walk.forward[row])) for row in path] for path in rows]
    neighbours = [Neighbour(path[-1][0], len(path), path) for path in paths]
    shown_triples = (neighbour.triple for neighbour in neighbours)
    chunk_texts = evidence_texts(snapshot.tx, shown_triples) if query.include_chunks else {}
    names = [entity.name for entity in linked.entities]
    return Neighbourhood(names, linked.how, neighbours, int(shown.sum()), walk.truncated, chunk_texts)


def _direction(snapshot: Snapshot, query: NeighbourhoodQuery) -> Direction:
    """The direction to walk the stored triples: "Ann approves X" is stored as "X approved_by Ann"."""
    known = stored_predicates(snapshot.tx)
    swaps = [stored_predicate(known, name, snapshot.ontology).swap for name in query.predicates]
    return OPPOSITE[query.direction] if swaps and all(swaps) else query.direction


def _rows_from_start(walk: Walk, row: int) -> list[int]:
    """The rows from the start to a row."""
    rows: list[int] = []
    while row >= 0:
        rows.append(row)
        row = int(walk.parents[row])
    return rows[::-1]
