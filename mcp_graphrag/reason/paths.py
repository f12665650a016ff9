"""Paths: how two entities hang together, the shortest chains of triples between them."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mcp_graphrag.embed import Embedder
from mcp_graphrag.errors import BadInput
from mcp_graphrag.index.graph import Graph
from mcp_graphrag.index.resident import graph
from mcp_graphrag.model import NOW, Ids, Triple, When
from mcp_graphrag.reason.layers import Choice, Ways, shortest_ways
from mcp_graphrag.retrieve.entities import Linked, link_name
from mcp_graphrag.retrieve.triples import fetch_triples, predicate_id
from mcp_graphrag.store import Reader, Store

MOST_HOPS = 8
MOST_PATHS = 20


@dataclass(frozen=True)
class PathQuery:
    """Between which entities to look, how far, and over which predicates; none given are all."""

    source: str
    target: str
    max_hops: int = 4
    k: int = 3
    directed: bool = False
    predicates: Sequence[str] = ()
    when: When = NOW


@dataclass(frozen=True)
class FoundPath:
    """A chain of triples; `True` beside one says that it was walked from subject to object."""

    hops: Sequence[tuple[Triple, bool]]

    @property
    def confidence(self) -> float:
        """The product over its triples."""
        return math.prod(triple.confidence for triple, _ in self.hops)


@dataclass(frozen=True)
class Paths:
    """The paths, fewest hops first, the surest first among equals.

    `source` and `target` are the names that were found for what was asked. `cut` says that the search stopped early,
    so that some paths may be missing.
    """

    source: Linked
    target: Linked
    paths: Sequence[FoundPath]
    cut: bool


def find_paths(store: Store, embedder: Embedder, query: PathQuery) -> Paths:
    """The k shortest simple paths between two entities; none within `max_hops` is an answer too.

    Raises UnknownName for an entity or predicate that is not stored, BadInput for limits out of range and for two
    names of one entity.
    """
    for name, given, most in (("max_hops", query.max_hops, MOST_HOPS), ("k", query.k, MOST_PATHS)):
        if not 1 <= given <= most:
            raise BadInput(f"{name} is {given}.", f"It is from 1 to {most}.")
    with store.reading(known_at=query.when.known_at) as tx:
        source = link_name(store, tx, query.source, embedder=embedder)
        target = link_name(store, tx, query.target, embedder=embedder)
        _check_ends(query, source, target)
        predicates = np.array([predicate_id(tx, name) for name in query.predicates], dtype=np.int64)
        resident = graph(store, tx).as_of(query.when.as_of)
        ways = _ways(resident, source, target, query, predicates if query.predicates else None)
        return Paths(source, target, _paths(store, tx, resident, ways), ways.cut)


def nodes_of(resident: Graph, linked: Linked) -> list[int]:
    """The nodes of the entities that a name stands for; those that no triple names have none."""
    return [node for node in (resident.node(entity.id) for entity in linked.entities) if node is not None]


def _check_ends(query: PathQuery, source: Linked, target: Linked) -> None:
    names = {entity.id: entity.name for entity in source.entities}
    same = [names[entity.id] for entity in target.entities if entity.id in names]
    if same:
        raise BadInput(
            f"'{query.source}' and '{query.target}' are the same entity, {same[0]}.",
            "Name two, or call get_neighbourhood for what is around one.",
        )


def _ways(resident: Graph, source: Linked, target: Linked, query: PathQuery, predicates: Ids | None) -> Ways:
    starts, goals = nodes_of(resident, source), nodes_of(resident, target)
    if not starts or not goals:
        return Ways([], cut=False, reached=query.max_hops)
    return shortest_ways(resident, starts, goals, query.max_hops, query.k, Choice(query.directed, predicates))


def _paths(store: Store, tx: Reader, resident: Graph, ways: Ways) -> list[FoundPath]:
    ids = {slot: int(resident.triple_ids[slot]) for way in ways.ways for slot, _ in way}
    found = fetch_triples(store, tx, sorted(set(ids.values())))
    return [FoundPath([(found[ids[slot]], forward) for slot, forward in way]) for way in ways.ways]
