"""Impact: the entities that depend on one, directly or not, level by level, each with a shortest path."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mcp_graphrag.errors import BadInput
from mcp_graphrag.index.triple_graph import Slots, TripleGraph
from mcp_graphrag.lookup.find_entities import Linked, link_name, nodes_of
from mcp_graphrag.lookup.query_triples import fetch_triples, predicate_id, stored_predicate
from mcp_graphrag.model import Ids, Triple
from mcp_graphrag.ontology.map_predicates import Mapped
from mcp_graphrag.ontology.ontology import Ontology
from mcp_graphrag.snapshot import Snapshot
from mcp_graphrag.store import Reader
from mcp_graphrag.store.rows.entity_rows import EntityLabel, entity_labels
from mcp_graphrag.store.rows.triple_rows import predicates as stored_predicates

MAX_DEPTH = 100


@dataclass(frozen=True)
class ImpactQuery:
    """The entity whose impact to trace, and along which predicates, by default the dependencies of the ontology.

    Impact goes from object to subject for every predicate: what depends on, uses or is part of an entity is affected
    by it.
    """

    entity: str
    predicates: Sequence[str] = ()
    max_depth: int = 10
    limit: int = 100


@dataclass(frozen=True)
class Affected:
    """An affected entity, its level from 1, and a shortest path from the start to it."""

    entity: EntityLabel
    level: int
    path: Sequence[tuple[Triple, bool]]


@dataclass(frozen=True)
class Impact:
    """The affected entities that are shown, nearest first, the most confident first among equals.

    `levels` counts all of them by level from 1. `predicates` are those that were followed, with their inverses.
    """

    start: Linked
    predicates: Sequence[str]
    affected: Sequence[Affected]
    levels: Sequence[int]

    @property
    def total(self) -> int:
        """How many entities are affected, shown or not."""
        return sum(self.levels)


@dataclass(frozen=True)
class _Predicates:
    """Predicate ids by direction of impact: to the subject, or for inverses to the object."""

    names: Sequence[str]
    to_subject: Ids
    to_object: Ids


@dataclass(frozen=True)
class _Level:
    """The nodes that one more step affects, the most confident first, with the slot and the parent row of each."""

    nodes: Slots
    slots: Slots
    parents: Slots
    confidence: NDArray[np.float64]


def trace_impact(snapshot: Snapshot, query: ImpactQuery) -> Impact:
    """The entities that depend on an entity, directly or not; there may be none.

    Raises UnknownName for an entity or predicate that is not stored, BadInput for a depth out of range.
    """
    if not 1 <= query.max_depth <= MAX_DEPTH:
        raise BadInput(f"max_depth is {query.max_depth}.", f"It is from 1 to {MAX_DEPTH}.")
    if query.limit < 1:
        raise BadInput(f"limit is {query.limit}.", "It is at least 1.")
    linked = link_name(snapshot, query.entity, approximate=True)
    predicates = _choose_predicates(snapshot.tx, snapshot.ontology, query.predicates)
    graph = snapshot.triple_graph.as_of(snapshot.when.as_of)
    levels = _levels(graph, nodes_of(graph, linked.entities), predicates, query.max_depth)
    affected = _affected(snapshot, graph, levels, query.limit)
    return Impact(linked, predicates.names, affected, [len(level.nodes) for level in levels])


def _choose_predicates(tx: Reader, ontology: Ontology, given: Sequence[str]) -> _Predicates:
    known = stored_predicates(tx)
    for name in given:
        predicate_id(tx, name, ontology)
    mapped = [stored_predicate(known, name, ontology) for name in given] or list(map(Mapped, ontology.dependencies()))
    wanted = [predicate.predicate for predicate in mapped if not predicate.swap]
    turned = [predicate.predicate for predicate in mapped if predicate.swap]
    back = [inverse for name in wanted for inverse in _inverses(ontology, name)]
    back += [name for name in wanted if ontology.rule(name).symmetric]
    wanted += [inverse for name in turned for inverse in _inverses(ontology, name)]
    ids = [[known[name] for name in dict.fromkeys(names) if name in known] for names in (wanted, [*turned, *back])]
    stored = [name for name in dict.fromkeys([*wanted, *turned, *back]) if name in known]
    return _Predicates(stored, *(np.array(names, dtype=np.int64) for names in ids))


def _inverses(ontology: Ontology, predicate: str) -> list[str]:
    """The inverses of a predicate that are the inverse of nothing else."""
    names = dict.fromkeys(name for _, name in ontology.inverses(predicate))
    return [name for name in names if {back for _, back in ontology.inverses(name)} == {predicate}]


def _levels(graph: TripleGraph, starts: Sequence[int], predicates: _Predicates, max_depth: int) -> list[_Level]:
    seen = np.zeros(graph.node_count, dtype=np.bool_)
    frontier = np.array(sorted(starts), dtype=np.int64)
    seen[frontier] = True
    rows, confidence = np.full(len(frontier), -1, dtype=np.int64), np.ones(len(frontier))
    levels: list[_Level] = []
    total = 0
    while len(levels) < max_depth and len(frontier):
        level = _next_level(graph, frontier, rows, confidence, seen, predicates)
        if not len(level.nodes):
            break
        levels.append(level)
        seen[level.nodes] = True
        order = np.argsort(level.nodes)
        frontier, rows, confidence = level.nodes[order], order + total, level.confidence[order]
        total += len(level.nodes)
    return levels


def _next_level(
    graph: TripleGraph,
    frontier: Slots,
    rows: Slots,
    confidence: NDArray[np.float64],
    seen: NDArray[np.bool_],
    by: _Predicates,
) -> _Level:
    """The entities that the frontier affects directly and that were not seen yet."""
    found = [graph.step(frontier, "in", by.to_subject)[0], graph.step(frontier, "out", by.to_object)[0]]
    slots = np.concatenate(found)
    inward = np.arange(len(slots)) < len(found[0])
    origin = np.where(inward, graph.objects[slots], graph.subjects[slots])
    nodes = np.where(inward, graph.subjects[slots], graph.objects[slots])
    fresh = ~seen[nodes]
    slots, origin, nodes = slots[fresh], origin[fresh], nodes[fresh]
    at = np.searchsorted(frontier, origin)
    worth = confidence[at] * graph.confidences[slots]
    order = np.lexsort((slots, -worth, nodes))
    order = order[np.unique(nodes[order], return_index=True)[1]]
    order = order[np.lexsort((slots[order], -worth[order]))]
    return _Level(nodes[order], slots[order], rows[at[order]], worth[order])


def _affected(snapshot: Snapshot, graph: TripleGraph, levels: Sequence[_Level], limit: int) -> list[Affected]:
    """The first rows as entities, with their paths."""
    if not levels:
        return []
    nodes, slots, parents = (
        np.concatenate([columns[part] for columns in ((level.nodes, level.slots, level.parents) for level in levels)])[
            :limit
        ]
        for part in range(3)
    )
    depth = np.repeat(np.arange(1, len(levels) + 1), [len(level.nodes) for level in levels])[:limit]
    triples = fetch_triples(snapshot, sorted(graph.triple_ids[slots].tolist()))
    ids = graph.entities(nodes).tolist()
    heads = entity_labels(snapshot.tx, ids)
    paths: list[list[tuple[Triple, bool]]] = []
    for entity_id, slot, parent in zip(ids, slots.tolist(), parents.tolist(), strict=True):
        triple = triples[int(graph.triple_ids[slot])]
        hop = (triple, triple.object_id == entity_id)
        paths.append([*paths[parent], hop] if parent >= 0 else [hop])
    return [
        Affected(heads[entity_id], int(level), path) for entity_id, level, path in zip(ids, depth, paths, strict=True)
    ]
