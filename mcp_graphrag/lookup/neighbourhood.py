"""Neighbourhoods: the triples within some hops of an entity, with the path that leads to each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from mcp_graphrag.errors import BadInput
from mcp_graphrag.index.triple_graph import TripleGraph, Walk
from mcp_graphrag.lookup.evidence_texts import evidence_texts
from mcp_graphrag.lookup.find_entities import How, known_types, link_name, nodes_of
from mcp_graphrag.lookup.query_triples import fetch_triples, predicate_id, stored_predicate
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


def get_neighbourhood(snapshot: Snapshot, query: NeighbourhoodQuery) -> Neighbourhood:
    """The neighbourhood of an entity.

    Raises UnknownName for an entity, predicate or type that is not stored, BadInput for hops outside 1–4.
    """
    if not 1 <= query.hops <= MAX_HOPS:
        raise BadInput(f"hops is {query.hops}.", f"It is from 1 to {MAX_HOPS}.")
    linked = link_name(snapshot, query.entity, approximate=True)
    predicates = np.array(
        [predicate_id(snapshot.tx, name, snapshot.ontology) for name in query.predicates], dtype=np.int64
    )
    graph = snapshot.triple_graph.as_of(snapshot.when.as_of)
    nodes = nodes_of(graph, linked.entities)
    walk = graph.walk(
        nodes,
        query.hops,
        direction=_direction(snapshot, query),
        predicates=predicates if query.predicates else None,
        max_triples=MAX_WALKED,
    )
    rows, total, triples = _rows_to_show(snapshot, graph, walk, query)
    paths = [_path(graph, walk, row, triples) for row in rows]
    neighbours = [Neighbour(path[-1][0], int(walk.hops[row]), path) for row, path in zip(rows, paths, strict=True)]
    chunk_texts = (
        evidence_texts(snapshot.tx, (neighbour.triple for neighbour in neighbours)) if query.include_chunks else {}
    )
    names = [entity.name for entity in linked.entities]
    return Neighbourhood(names, linked.how, neighbours, total, walk.truncated, chunk_texts)


def _direction(snapshot: Snapshot, query: NeighbourhoodQuery) -> Direction:
    """The direction to walk the stored triples: "Ann approves X" is stored as "X approved_by Ann"."""
    known = stored_predicates(snapshot.tx)
    swaps = [stored_predicate(known, name, snapshot.ontology).swap for name in query.predicates]
    return OPPOSITE[query.direction] if swaps and all(swaps) else query.direction


def _rows_to_show(
    snapshot: Snapshot, graph: TripleGraph, walk: Walk, query: NeighbourhoodQuery
) -> tuple[list[int], int, Mapping[int, Triple]]:
    """The rows to show, how many match in all, and every triple on their paths by id."""
    shown = np.ones(len(walk.slots), dtype=np.bool_)
    for wanted, ends in ((query.subject_type, graph.subjects), (query.object_type, graph.objects)):
        if keys := known_types(snapshot.tx, wanted, snapshot.ontology):
            shown &= np.isin(graph.entities(ends[walk.slots]), entity_ids_of_type(snapshot.tx, *keys))
    rows = np.flatnonzero(shown).tolist()
    kept = rows[: query.limit]
    needed = {lead for row in kept for lead in _rows_from_start(walk, row)}
    ids = [_triple_id(graph, walk, row) for row in sorted(needed)]
    return kept, len(rows), fetch_triples(snapshot, ids)


def _rows_from_start(walk: Walk, row: int) -> list[int]:
    """The rows from the start to a row."""
    rows: list[int] = []
    while row >= 0:
        rows.append(row)
        row = int(walk.parents[row])
    return rows[::-1]


def _path(graph: TripleGraph, walk: Walk, row: int, triples: Mapping[int, Triple]) -> list[tuple[Triple, bool]]:
    return [(triples[_triple_id(graph, walk, lead)], bool(walk.forward[lead])) for lead in _rows_from_start(walk, row)]


def _triple_id(graph: TripleGraph, walk: Walk, row: int) -> int:
    return int(graph.triple_ids[walk.slots[row]])
