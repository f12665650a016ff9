"""Impact: the entities that depend on one, directly or not, level by level, each with a shortest path."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mcp_graphrag.clean_input import check_range
from mcp_graphrag.index.triple_graph import Slots, TripleGraph
from mcp_graphrag.lookup.find_entities import Linked, link_name, nodes_of
from mcp_graphrag.lookup.query_triples import fetch_triples, predicate_id, stored_predicate
from mcp_graphrag.model import Ids, Triple
from mcp_graphrag.ontology.map_predicates import Mapped
from mcp_graphrag.ontology.ontology import Ontology
from mcp_graphrag.snapshot import Snapshot
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
class _Level:
    """The nodes that one more step affects, the most confident first, with slot, confidence and parent of each.

    A parent is the row of a node in all levels together.
    """

    nodes: Slots
    slots: Slots
    parents: Slots
    confidence: NDArray[np.float64]


def trace_impact(snapshot: Snapshot, query: ImpactQuery) -> Impact:
    """The entities that depend on an entity, directly or not; there may be none.

    Raises UnknownName for an entity or predicate that is not stored, BadInput for a depth out of range.
    """
    check_range("max_depth", query.max_depth, 1, MAX_DEPTH)
    check_range("limit", query.limit, 1)
    linked = link_name(snapshot, query.entity)
    known = stored_predicates(snapshot.tx)
    to_subject, to_object = _choose_predicates(snapshot, known, query.predicates)
    graph = snapshot.valid_triples
    ids = [np.array([known[name] for name in names], dtype=np.int64) for names in (to_subject, to_object)]
    levels = list(_levels(graph, nodes_of(graph, linked.entities), ids[0], ids[1], query.max_depth))
    affected = _affected(snapshot, graph, levels, query.limit) if levels else []
    followed = list(dict.fromkeys([*to_subject, *to_object]))
    return Impact(linked, followed, affected, [len(level.nodes) for level in levels])


def _choose_predicates(
    snapshot: Snapshot, known: Mapping[str, int], given: Sequence[str]
) -> tuple[list[str], list[str]]:
    """The stored predicates by which impact goes to the subject, and those, as inverses, by which to the object."""
    ontology = snapshot.ontology
    for name in given:
        predicate_id(snapshot.tx, name, ontology)
    mapped = [stored_predicate(known, name, ontology) for name in given] or list(map(Mapped, ontology.dependencies()))
    wanted = [predicate.predicate for predicate in mapped if not predicate.swap]
    turned = [predicate.predicate for predicate in mapped if predicate.swap]
    back = [inverse for name in wanted for inverse in _inverses(ontology, name)]
    back += [name for name in wanted if ontology.rule(name).symmetric]
    wanted += [inverse for name in turned for inverse in _inverses(ontology, name)]
    to_subject, to_object = (dict.fromkeys(names) for names in (wanted, [*turned, *back]))
    return [name for name in to_subject if name in known], [name for name in to_object if name in known]


def _inverses(ontology: Ontology, predicate: str) -> list[str]:
    """The inverses of a predicate that are the inverse of nothing else."""
    names = dict.fromkeys(name for _, name in ontology.inverses(predicate))
    return [name for name in names if {back for _, back in ontology.inverses(name)} == {predicate}]


def _levels(
    graph: TripleGraph, starts: Sequence[int], to_subject: Ids, to_object: Ids, max_depth: int
) -> Iterator[_Level]:
    """Level by level, the nodes that are affected and were not reached before."""
    seen = np.zeros(graph.node_count, dtype=np.bool_)
    frontier = np.array(sorted(starts), dtype=np.int64)
    rows, confidence = np.full(len(frontier), -1, dtype=np.int64), np.ones(len(frontier))
    total = 0
    for _ in range(max_depth):
        seen[frontier] = True
        found = [graph.step(frontier, "in", to_subject)[0], graph.step(frontier, "out", to_object)[0]]
        slots = np.concatenate(found)
        inward = np.arange(len(slots)) < len(found[0])
        nodes = np.where(inward, graph.subjects[slots], graph.objects[slots])
        at = np.searchsorted(frontier, np.where(inward, graph.objects[slots], graph.subjects[slots]))
        fresh = ~seen[nodes]
        slots, nodes, at = slots[fresh], nodes[fresh], at[fresh]
        if not len(nodes):
            return
        worth = confidence[at] * graph.confidences[slots]
        best = np.lexsort((slots, -worth, nodes))
        best = best[np.unique(nodes[best], return_index=True)[1]]
        best = best[np.lexsort((slots[best], -worth[best]))]
        level = _Level(nodes[best], slots[best], rows[at[best]], worth[best])
        yield level
        order = np.argsort(level.nodes)
        frontier, rows, confidence = level.nodes[order], order + total, level.confidence[order]
        total += len(level.nodes)


def _affected(snapshot: Snapshot, graph: TripleGraph, levels: Sequence[_Level], limit: int) -> list[Affected]:
    """The first nodes of the levels as entities, with their paths."""
    ids = graph.entities(np.concatenate([level.nodes for level in levels])[:limit]).tolist()
    triple_ids = graph.triple_ids[np.concatenate([level.slots for level in levels])[:limit]].tolist()
    parents = np.concatenate([level.parents for level in levels])[:limit].tolist()
    triples = fetch_triples(snapshot, sorted(triple_ids))
    heads = entity_labels(snapshot.tx, ids)
    affected: list[Affected] = []
    for entity_id, triple_id, parent in zip(ids, triple_ids, parents, strict=True):
        triple = triples[triple_id]
        path = [*(affected[int(parent)].path if parent >= 0 else ()), (triple, triple.object_id == entity_id)]
        affected.append(Affected(heads[entity_id], len(path), path))
    return affected
