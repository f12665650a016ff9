"""Paths: the shortest chains of triples between two entities."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from mcp_graphrag.clean_input import check_range
from mcp_graphrag.errors import BadInput
from mcp_graphrag.lookup.find_entities import Linked, link_name, nodes_of
from mcp_graphrag.lookup.query_triples import evidence_texts, fetch_triples, predicate_ids
from mcp_graphrag.model import Triple
from mcp_graphrag.reason.k_shortest import PathFilter, shortest_paths
from mcp_graphrag.snapshot import Snapshot

MAX_HOPS = 8
MAX_PATHS = 20


@dataclass(frozen=True)
class PathQuery:
    """The ends of paths, their maximal length, and the predicates to use, by default all."""

    source: str
    target: str
    max_hops: int = 4
    k: int = 3
    directed: bool = False
    predicates: Sequence[str] = ()
    include_chunks: bool = False


@dataclass(frozen=True)
class FoundPath:
    """A chain of triples, each with whether it is walked from subject to object."""

    hops: Sequence[tuple[Triple, bool]]

    @property
    def confidence(self) -> float:
        """The product of the confidences of its triples."""
        return math.prod(triple.confidence for triple, _ in self.hops)


@dataclass(frozen=True)
class Paths:
    """The paths, fewest hops first, the most confident first among equals.

    `source` and `target` are the entities that the names refer to. `cut` says that the search stopped early, so that
    paths may be missing. `chunk_texts` are the chunk texts of the evidence by citation, if the query includes them.
    """

    source: Linked
    target: Linked
    paths: Sequence[FoundPath]
    cut: bool
    chunk_texts: Mapping[str, str] = field(default_factory=dict[str, str])


def find_paths(snapshot: Snapshot, query: PathQuery) -> Paths:
    """The k shortest simple paths between two entities; there may be none within `max_hops`.

    Raises UnknownName for an entity or predicate that is not stored, BadInput for limits out of range and for two
    names of one entity.
    """
    check_range("max_hops", query.max_hops, 1, MAX_HOPS)
    check_range("k", query.k, 1, MAX_PATHS)
    source = link_name(snapshot, query.source)
    target = link_name(snapshot, query.target)
    same = [entity.name for entity in target.entities if entity in source.entities]
    if same:
        raise BadInput(
            f"'{query.source}' and '{query.target}' are the same entity, {same[0]}.",
            "Name two entities, or call `get_neighbourhood` to see what is around one.",
        )
    filter_ = PathFilter(query.directed, predicate_ids(snapshot, query.predicates))
    graph = snapshot.valid_triples
    starts, goals = nodes_of(graph, source.entities), nodes_of(graph, target.entities)
    found = shortest_paths(graph, starts, goals, query.max_hops, query.k, filter_)
    ids = {slot: int(graph.triple_ids[slot]) for path in found.paths for slot, _ in path}
    triples = fetch_triples(snapshot, sorted(set(ids.values())))
    paths = [FoundPath([(triples[ids[slot]], forward) for slot, forward in path]) for path in found.paths]
    on_paths = (triple for path in paths for triple, _ in path.hops)
    chunk_texts = evidence_texts(snapshot.tx, on_paths) if query.include_chunks else {}
    return Paths(source, target, paths, found.cut, chunk_texts)
