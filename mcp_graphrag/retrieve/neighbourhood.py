"""Neighbourhoods: the triples within some hops of an entity, with the path that leads to each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from mcp_graphrag.embed import Embedder
from mcp_graphrag.errors import BadInput
from mcp_graphrag.index.graph import Graph, Walk
from mcp_graphrag.index.resident import graph
from mcp_graphrag.model import NOW, Direction, Triple, When
from mcp_graphrag.resolve.ontology import Ontology
from mcp_graphrag.resolve.vocabulary_files import default_ontology
from mcp_graphrag.retrieve.entities import How, known_types, link_name
from mcp_graphrag.retrieve.triples import fetch_triples, predicate_id, stored_predicate
from mcp_graphrag.store import Reader, Store
from mcp_graphrag.store.entities import entity_ids_of_type
from mcp_graphrag.store.triples import predicates as stored_predicates

MOST_HOPS = 4
TURNED: dict[Direction, Direction] = {"out": "in", "in": "out", "both": "both"}
MOST_WALKED = 50_000


@dataclass(frozen=True)
class NeighbourhoodQuery:
    """Where to start and what to walk. Predicates decide what is walked; types only what is shown."""

    entity: str
    hops: int = 2
    predicates: Sequence[str] = ()
    subject_type: str | None = None
    object_type: str | None = None
    direction: Direction = "both"
    limit: int = 30
    when: When = NOW
    ontology: Ontology = field(default_factory=default_ontology)


@dataclass(frozen=True)
class Neighbour:
    """A triple of a neighbourhood: its hop from 1, and the triples walked to it from the start, itself last.

    `forward` says of each triple on the path whether it was walked from subject to object.
    """

    triple: Triple
    hop: int
    path: Sequence[tuple[Triple, bool]]


@dataclass(frozen=True)
class Neighbourhood:
    """The neighbours, nearest first and the surest first among equals. `total` counts all that fit, shown or not.

    `cut` says that the walk stopped early, so that `total` is a lower bound.
    """

    start: Sequence[str]
    matched: How
    neighbours: Sequence[Neighbour]
    total: int
    cut: bool


def get_neighbourhood(store: Store, embedder: Embedder, query: NeighbourhoodQuery) -> Neighbourhood:
    """The neighbourhood of an entity.

    Raises UnknownName for an entity, predicate or type that is not stored, BadInput for hops outside 1–4.
    """
    if not 1 <= query.hops <= MOST_HOPS:
        raise BadInput(f"hops is {query.hops}.", f"It is from 1 to {MOST_HOPS}.")
    with store.reading(known_at=query.when.known_at) as tx:
        linked = link_name(store, tx, query.entity, embedder=embedder)
        predicates = np.array([predicate_id(tx, each, query.ontology) for each in query.predicates], dtype=np.int64)
        resident = graph(store, tx).as_of(query.when.as_of)
        nodes = [node for node in (resident.node(entity.id) for entity in linked.entities) if node is not None]
        walk = resident.walk(
            nodes,
            query.hops,
            direction=_direction(tx, query),
            predicates=predicates if query.predicates else None,
            most=MOST_WALKED,
        )
        rows, total, triples = _shown(store, tx, resident, walk, query)
        paths = [_path(resident, walk, row, triples) for row in rows]
        neighbours = [Neighbour(path[-1][0], int(walk.hops[row]), path) for row, path in zip(rows, paths, strict=True)]
    return Neighbourhood([entity.name for entity in linked.entities], linked.how, neighbours, total, walk.cut)


def _direction(tx: Reader, query: NeighbourhoodQuery) -> Direction:
    """The direction in which the triples are stored: what Ann approves is stored as approved by Ann."""
    known = stored_predicates(tx)
    turned = [stored_predicate(known, each, query.ontology).swap for each in query.predicates]
    return TURNED[query.direction] if turned and all(turned) else query.direction


def _shown(
    store: Store, tx: Reader, resident: Graph, walk: Walk, query: NeighbourhoodQuery
) -> tuple[list[int], int, Mapping[int, Triple]]:
    """The rows to show, how many would fit in all, and every triple on their paths by id."""
    fits = np.ones(len(walk.slots), dtype=np.bool_)
    for wanted, ends in ((query.subject_type, resident.subjects), (query.object_type, resident.objects)):
        if keys := known_types(tx, wanted, query.ontology):
            fits &= np.isin(resident.entities(ends[walk.slots]), entity_ids_of_type(tx, *keys))
    rows = np.flatnonzero(fits).tolist()
    kept = rows[: query.limit]
    needed = {lead for row in kept for lead in _leads(walk, row)}
    ids = [_id(resident, walk, row) for row in sorted(needed)]
    return kept, len(rows), fetch_triples(store, tx, ids)


def _leads(walk: Walk, row: int) -> list[int]:
    """The rows from the start to a row."""
    leads: list[int] = []
    while row >= 0:
        leads.append(row)
        row = int(walk.parents[row])
    return leads[::-1]


def _path(resident: Graph, walk: Walk, row: int, triples: Mapping[int, Triple]) -> list[tuple[Triple, bool]]:
    return [(triples[_id(resident, walk, lead)], bool(walk.forward[lead])) for lead in _leads(walk, row)]


def _id(resident: Graph, walk: Walk, row: int) -> int:
    return int(resident.triple_ids[walk.slots[row]])
