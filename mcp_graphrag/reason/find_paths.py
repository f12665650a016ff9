"""Paths: the shortest chains of triples between two entities."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from mcp_graphrag.clean_input import check_range
from mcp_graphrag.errors import BadInput
from mcp_graphrag.index.triple_graph import Slots, TripleGraph
from mcp_graphrag.lookup.find_entities import Linked, link_name, nodes_of
from mcp_graphrag.lookup.query_triples import evidence_texts, fetch_triples, wanted_readings
from mcp_graphrag.model import Triple
from mcp_graphrag.ontology.past_tense import denials
from mcp_graphrag.ontology.readings import same_as_predicates
from mcp_graphrag.ontology.stating import Statements, nothing_same, same_things, statements, stored_statements
from mcp_graphrag.reason.k_shortest import SAME, PathGraph, SlotPath, shortest_paths
from mcp_graphrag.snapshot import Snapshot
from mcp_graphrag.store.rows.triple_rows import TriplePattern, count_matching
from mcp_graphrag.store.rows.triple_rows import predicates as stored_predicates

MAX_HOPS = 8
MAX_PATHS = 20
MIN_HUB = 16  # triples
# Predicates that connect almost anything: of one kind, or mentioned together.
SAYING_LITTLE = frozenset({"is_a", "related_to", "mentions", "references", "has_status", "attended_by", "missed_by"})


@dataclass(frozen=True)
class PathQuery:
    """The ends of paths, their maximal length, and the predicates to use, by default all.

    With `infer`, triples that state a predicate by the ontology are used too, in a directed path also as their inverse,
    and entities that are the same by same_as count as one.
    """

    source: str
    target: str
    max_hops: int = 4
    k: int = 3
    directed: bool = False
    predicates: Sequence[str] = ()
    include_chunks: bool = False
    infer: bool = True


@dataclass(frozen=True)
class FoundPath:
    """A chain of triples, each with whether it is walked from subject to object.

    `reasons` has for each why it counts where it is inferred, or else "". Triples of same_as that connect two hops are
    part of the chain, and not counted in `length`.
    """

    hops: Sequence[tuple[Triple, bool]]
    reasons: Sequence[str] = ()

    @property
    def length(self) -> int:
        """How many hops it has."""
        return len(self.hops) - sum(reason == SAME for reason in self.reasons)

    @property
    def is_over(self) -> bool:
        """Whether a hop is only said in the past tense."""
        return any(triple.is_over for triple, _ in self.hops)

    @property
    def confidence(self) -> float:
        """The product of the confidences of its triples."""
        return math.prod(triple.confidence for triple, _ in self.hops)


@dataclass(frozen=True)
class Paths:
    """The paths, fewest hops first, the most confident first among equals; those through hubs come last.

    `source` and `target` are the entities that the names refer to. `cut` says that the search stopped early, so that
    paths may be missing. `denied` are predicates that say what is not so, or no longer: they connect nothing, unless
    the query names them. `chunk_texts` are the chunk texts of the evidence by citation, if the query includes them.
    `alone` are those of the two names that no triple has, where there is no path.
    """

    source: Linked
    target: Linked
    paths: Sequence[FoundPath]
    cut: bool
    chunk_texts: Mapping[str, str] = field(default_factory=dict[str, str])
    denied: Sequence[str] = ()
    alone: Sequence[str] = ()


def find_paths(snapshot: Snapshot, query: PathQuery) -> Paths:
    """The k shortest simple paths between two entities; there may be none within `max_hops`.

    Chains of telling predicates come before those through a hub, or through predicates that say little: that two things
    are both applications connects them last.

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
    known = stored_predicates(snapshot.tx)
    denied = [] if query.predicates else denials(known)
    graph = snapshot.valid_triples
    graph = graph.without(graph.slots_of([known[name] for name in denied])) if denied else graph
    starts, goals = nodes_of(graph, source.entities), nodes_of(graph, target.entities)
    saying_little = [] if query.predicates else [known[name] for name in sorted(SAYING_LITTLE & known.keys())]
    telling = _without_hubs(graph, [*starts, *goals], saying_little)
    within = _within(snapshot, query, known, telling)
    found = shortest_paths(within, starts, goals, query.max_hops, query.k)
    slot_paths = list(found.paths)
    if len(slot_paths) < query.k and telling is not graph:
        within = _within(snapshot, query, known, graph)
        every = shortest_paths(within, starts, goals, query.max_hops, query.k)
        slot_paths += [path for path in every.paths if path not in slot_paths][: query.k - len(slot_paths)]
        found = replace(found, cut=found.cut or every.cut)
    ids = {slot: int(graph.triple_ids[slot]) for path in slot_paths for slot, _ in path}
    triples = fetch_triples(snapshot, sorted(set(ids.values())))
    paths = [_found(within, path, {slot: triples[id_] for slot, id_ in ids.items()}) for path in slot_paths]
    on_paths = (triple for path in paths for triple, _ in path.hops)
    chunk_texts = evidence_texts(snapshot.tx, on_paths) if query.include_chunks else {}
    alone = [] if paths else [linked.entities[0].name for linked in (source, target) if _is_alone(snapshot, linked)]
    return Paths(source, target, paths, found.cut, chunk_texts, denied, alone)


def _is_alone(snapshot: Snapshot, linked: Linked) -> bool:
    """Whether no stored triple has the entities."""
    ids = [entity.id for entity in linked.entities]
    ends = (TriplePattern(subjects=ids), TriplePattern(objects=ids))
    return not any(count_matching(snapshot.tx, pattern) for pattern in ends)


def _without_hubs(graph: TripleGraph, ends: Sequence[int], predicates: Sequence[int]) -> TripleGraph:
    """The graph without the triples of these predicates and of hubs, but for those of the ends.

    A hub is a node of more triples than the root of their number, and 16 at least: what nearly everything has.
    """
    hubs, slots = _hubs(graph)
    hubs = hubs.copy()
    hubs[list(ends)] = False
    slots = slots[hubs[graph.subjects[slots]] | hubs[graph.objects[slots]]]
    left_out = np.concatenate([slots, graph.slots_of(predicates)])
    return graph.without(left_out) if len(left_out) else graph


def _hubs(graph: TripleGraph) -> tuple[NDArray[np.bool_], Slots]:
    """Which nodes are hubs, and the active triples that have one; computed once for the same active triples."""
    kept: tuple[NDArray[np.bool_], NDArray[np.bool_], Slots] | None = graph.memo.get("hubs")
    if kept is None or kept[0] is not graph.active:
        active = np.flatnonzero(graph.active)
        subjects, objects = graph.subjects[active], graph.objects[active]
        degrees = np.bincount(subjects, minlength=graph.node_count) + np.bincount(objects, minlength=graph.node_count)
        hubs = degrees > max(MIN_HUB, len(active) ** 0.5)
        kept = graph.memo["hubs"] = graph.active, hubs, active[hubs[subjects] | hubs[objects]]
    return kept[1], kept[2]


def _within(snapshot: Snapshot, query: PathQuery, known: Mapping[str, int], graph: TripleGraph) -> PathGraph:
    """The triples that the paths may use."""
    ontology = snapshot.ontology
    wanted = wanted_readings(snapshot, known, query.predicates, infer=query.infer) or None
    if not query.infer:
        return PathGraph(stored_statements(graph, known, wanted), nothing_same(graph), query.directed)
    stating = Statements(graph, ontology=ontology)
    if wanted or query.directed:
        stating = statements(snapshot.tx, graph, ontology, known, wanted)
    walked = wanted and same_as_predicates(ontology, [name for name, _ in wanted])
    return PathGraph(stating, nothing_same(graph) if walked else same_things(graph, ontology, known), query.directed)


def _found(within: PathGraph, path: SlotPath, triples: Mapping[int, Triple]) -> FoundPath:
    """A path with its triples, and why each counts."""
    graph, same = within.graph, within.same
    hops, reasons = list[tuple[Triple, bool]](), list[str]()
    for slot, forward in path:
        inside = np.unique(same.lead(np.array([graph.subjects[slot], graph.objects[slot]])))
        hops.append((triples[slot], forward))
        reasons.append(SAME if len(inside) == 1 else _reason(within, triples[slot], forward=forward))
    return FoundPath(hops, reasons)


def _reason(within: PathGraph, triple: Triple, *, forward: bool) -> str:
    """Why a triple is a hop: in a path without direction it is walked either way."""
    ways = (forward,) if within.directed else (True, False)
    stating = within.stating
    if any(stating.states(triple, as_it_stands=way) and not stating.reason(triple, as_it_stands=way) for way in ways):
        return ""
    return next((reason for way in ways if (reason := stating.reason(triple, as_it_stands=way))), "")
