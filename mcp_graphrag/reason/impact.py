"""Impact: what depends on an entity, directly or not, level by level, with one shortest reason each."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mcp_graphrag.embed import Embedder
from mcp_graphrag.errors import BadInput
from mcp_graphrag.index.graph import Graph, Slots
from mcp_graphrag.index.resident import graph
from mcp_graphrag.model import NOW, Ids, Triple, When
from mcp_graphrag.reason.paths import nodes_of
from mcp_graphrag.resolve.ontology import Ontology
from mcp_graphrag.resolve.vocabulary import Mapped
from mcp_graphrag.retrieve.entities import Linked, link_name
from mcp_graphrag.retrieve.triples import fetch_triples, predicate_id, stored_predicate
from mcp_graphrag.store import Reader, Store
from mcp_graphrag.store.entities import EntityHead, entity_heads
from mcp_graphrag.store.triples import predicates as stored_predicates

MOST_DEPTH = 100


@dataclass(frozen=True)
class ImpactQuery:
    """Whose fall to follow, and along which predicates; none given are those that the ontology calls dependencies.

    Trouble travels from object to subject whatever the predicate: who depends on, uses or is part of a thing is
    affected by it.
    """

    entity: str
    predicates: Sequence[str] = ()
    max_depth: int = 10
    limit: int = 100
    when: When = NOW


@dataclass(frozen=True)
class Affected:
    """An entity, its level from 1, and a shortest chain of triples that leads from the start to it."""

    entity: EntityHead
    level: int
    path: Sequence[tuple[Triple, bool]]


@dataclass(frozen=True)
class Impact:
    """What is affected, nearest first and the surest first among equals, as far as it is shown.

    `levels` counts all by level from 1. `predicates` are those followed, with their inverses.
    """

    start: Linked
    predicates: Sequence[str]
    affected: Sequence[Affected]
    levels: Sequence[int]

    @property
    def total(self) -> int:
        """How many are affected, shown or not."""
        return sum(self.levels)


@dataclass(frozen=True)
class _Followed:
    """Predicate ids by the way trouble travels: to the subject, or for inverses to the object."""

    names: Sequence[str]
    to_subject: Ids
    to_object: Ids


@dataclass(frozen=True)
class _Level:
    """What one more step affects, the surest first: nodes, the slot that leads to each, and the row it comes from."""

    nodes: Slots
    slots: Slots
    parents: Slots
    sure: NDArray[np.float64]


def trace_impact(store: Store, embedder: Embedder, ontology: Ontology, query: ImpactQuery) -> Impact:
    """What depends on an entity, directly or not; nothing is an answer too.

    Raises UnknownName for an entity or predicate that is not stored, BadInput for a depth out of range.
    """
    if not 1 <= query.max_depth <= MOST_DEPTH:
        raise BadInput(f"max_depth is {query.max_depth}.", f"It is from 1 to {MOST_DEPTH}.")
    if query.limit < 1:
        raise BadInput(f"limit is {query.limit}.", "It is at least 1.")
    with store.reading(known_at=query.when.known_at) as tx:
        linked = link_name(store, tx, query.entity, embedder=embedder)
        followed = _followed(tx, ontology, query.predicates)
        resident = graph(store, tx).as_of(query.when.as_of)
        levels = _levels(resident, nodes_of(resident, linked), followed, query.max_depth)
        affected = _affected(store, tx, resident, levels, query.limit)
    return Impact(linked, followed.names, affected, [len(level.nodes) for level in levels])


def _followed(tx: Reader, ontology: Ontology, given: Sequence[str]) -> _Followed:
    known = stored_predicates(tx)
    for name in given:
        predicate_id(tx, name, ontology)
    asked = [stored_predicate(known, name, ontology) for name in given] or list(map(Mapped, ontology.dependencies()))
    wanted = [each.predicate for each in asked if not each.swap]
    turned = [each.predicate for each in asked if each.swap]
    back = [inverse for name in wanted for inverse in _inverses(ontology, name)]
    back += [name for name in wanted if ontology.rule(name).symmetric]
    wanted += [inverse for name in turned for inverse in _inverses(ontology, name)]
    ids = [[known[name] for name in dict.fromkeys(each) if name in known] for each in (wanted, [*turned, *back])]
    stored = [name for name in dict.fromkeys([*wanted, *turned, *back]) if name in known]
    return _Followed(stored, *(np.array(each, dtype=np.int64) for each in ids))


def _inverses(ontology: Ontology, predicate: str) -> list[str]:
    """The predicates that say the same the other way round, and nothing else besides."""
    names = dict.fromkeys(name for _, name in ontology.inverses(predicate))
    return [name for name in names if {back for _, back in ontology.inverses(name)} == {predicate}]


def _levels(resident: Graph, starts: Sequence[int], followed: _Followed, most: int) -> list[_Level]:
    seen = np.zeros(resident.node_count, dtype=np.bool_)
    frontier = np.array(sorted(starts), dtype=np.int64)
    seen[frontier] = True
    rows, sure = np.full(len(frontier), -1, dtype=np.int64), np.ones(len(frontier))
    levels: list[_Level] = []
    total = 0
    while len(levels) < most and len(frontier):
        level = _next(resident, frontier, rows, sure, seen, followed)
        if not len(level.nodes):
            break
        levels.append(level)
        seen[level.nodes] = True
        order = np.argsort(level.nodes)
        frontier, rows, sure = level.nodes[order], order + total, level.sure[order]
        total += len(level.nodes)
    return levels


def _next(
    resident: Graph, frontier: Slots, rows: Slots, sure: NDArray[np.float64], seen: NDArray[np.bool_], by: _Followed
) -> _Level:
    """The entities that those of the frontier affect directly and that were not seen yet."""
    found = [resident.step(frontier, "in", by.to_subject)[0], resident.step(frontier, "out", by.to_object)[0]]
    slots = np.concatenate(found)
    inward = np.arange(len(slots)) < len(found[0])
    origin = np.where(inward, resident.objects[slots], resident.subjects[slots])
    nodes = np.where(inward, resident.subjects[slots], resident.objects[slots])
    fresh = ~seen[nodes]
    slots, origin, nodes = slots[fresh], origin[fresh], nodes[fresh]
    at = np.searchsorted(frontier, origin)
    worth = sure[at] * resident.confidences[slots]
    order = np.lexsort((slots, -worth, nodes))
    order = order[np.unique(nodes[order], return_index=True)[1]]
    order = order[np.lexsort((slots[order], -worth[order]))]
    return _Level(nodes[order], slots[order], rows[at[order]], worth[order])


def _affected(store: Store, tx: Reader, resident: Graph, levels: Sequence[_Level], limit: int) -> list[Affected]:
    """The first rows with names, and the chains that lead to them."""
    if not levels:
        return []
    nodes, slots, parents = (
        np.concatenate([each[part] for each in ((level.nodes, level.slots, level.parents) for level in levels)])[:limit]
        for part in range(3)
    )
    depth = np.repeat(np.arange(1, len(levels) + 1), [len(level.nodes) for level in levels])[:limit]
    triples = fetch_triples(store, tx, sorted(resident.triple_ids[slots].tolist()))
    ids = resident.entities(nodes).tolist()
    heads = entity_heads(tx, ids)
    paths: list[list[tuple[Triple, bool]]] = []
    for entity_id, slot, parent in zip(ids, slots.tolist(), parents.tolist(), strict=True):
        triple = triples[int(resident.triple_ids[slot])]
        hop = (triple, triple.object_id == entity_id)
        paths.append([*paths[parent], hop] if parent >= 0 else [hop])
    return [
        Affected(heads[entity_id], int(level), path) for entity_id, level, path in zip(ids, depth, paths, strict=True)
    ]
