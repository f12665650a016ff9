"""Impact: the entities that depend on one, directly or not, level by level, each with a shortest path."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from mcp_graphrag.clean_input import check_range
from mcp_graphrag.index.triple_graph import Slots
from mcp_graphrag.lookup.document_paths import triples_within
from mcp_graphrag.lookup.find_entities import DEFINITIONS, Linked, link_definitions, nodes_of
from mcp_graphrag.lookup.hidden_calls import CALLED
from mcp_graphrag.lookup.query_triples import fetch_triples, wanted_readings
from mcp_graphrag.lookup.unresolved_imports import missing_from_impact
from mcp_graphrag.model import Triple
from mcp_graphrag.ontology.level_walk import Level, walk_levels
from mcp_graphrag.ontology.ontology import SAME_AS
from mcp_graphrag.ontology.stating import Statements, nothing_same, same_things, statements, stored_statements
from mcp_graphrag.reason.k_shortest import SAME
from mcp_graphrag.snapshot import Snapshot
from mcp_graphrag.store.rows.document_rows import Tests, lines_at
from mcp_graphrag.store.rows.entity_rows import EntityLabel, entity_labels
from mcp_graphrag.store.rows.mention_rows import definition_chunks
from mcp_graphrag.store.rows.triple_rows import predicates as stored_predicates

MAX_DEPTH = 100
MAX_OTHERS, MAX_OVER = 10, 10  # predicates, triples
UNRELATED = frozenset({"related_to", "mentions", "references", SAME_AS})  # predicates that say nothing of a failure
IN_CODE = "references"  # which in code is a use that breaks
NONE = np.empty(0, dtype=np.int64)


@dataclass(frozen=True)
class ImpactQuery:
    """The entity whose impact to trace, and along which predicates, by default the dependencies of the ontology.

    Impact goes from object to subject for every predicate: what depends on, uses or is part of an entity is affected by
    it, as is what `references` a definition of code. With `infer`, triples that state a predicate by the ontology are
    followed too, and entities that are the same by same_as count as one: on one level, the start's own not affected.
    `paths` and `tests` say which files' uses are listed and counted; the way to them may lead through any file.
    """

    entity: str
    predicates: Sequence[str] = ()
    max_depth: int = 10
    limit: int = 100
    infer: bool = True
    paths: Sequence[str] = ()
    tests: Tests | None = None


@dataclass(frozen=True)
class Affected:
    """An affected entity, its level from 1, and a shortest path from the start to it.

    `reasons` has for each hop why it counts where it is inferred, or else "". Triples of same_as are part of the path
    and no level of their own. `line` is that of the definition of a function or class, in the file of its evidence.
    """

    entity: EntityLabel
    level: int
    path: Sequence[tuple[Triple, bool]]
    reasons: Sequence[str] = ()
    line: int | None = None


@dataclass(frozen=True)
class Impact:
    """The affected entities that are shown, nearest first, the most confident first among equals.

    `levels` counts all of them by level from 1, `outside` those beside them that other files than the wanted ones say.
    `predicates` are the stored ones that were followed, with those that state them. `others` are the other predicates
    of triples into the start, with how many there are. `over` are triples that would lead to entities directly if what
    is said in the past tense still held. `cut` says that some triples were not looked at. `hidden` says what is not
    resolved, or why nothing may be affected.
    """

    start: Linked
    predicates: Sequence[str]
    affected: Sequence[Affected]
    levels: Sequence[int]
    cut: bool = False
    outside: int = 0
    others: Mapping[str, int] = field(default_factory=dict[str, int])
    over: Sequence[Triple] = ()
    hidden: Sequence[str] = ()

    @property
    def total(self) -> int:
        """How many entities are affected, shown or not."""
        return sum(self.levels)


def trace_impact(snapshot: Snapshot, query: ImpactQuery) -> Impact:
    """The entities that depend on an entity, directly or not; there may be none.

    Raises UnknownName for an entity or predicate that is not stored, BadInput for a depth out of range.
    """
    check_range("max_depth", query.max_depth, 1, MAX_DEPTH)
    check_range("limit", query.limit, 1)
    scoped = triples_within(snapshot, query.paths, query.tests)
    linked = link_definitions(snapshot, query.entity)
    known = stored_predicates(snapshot.tx)
    graph, ontology = snapshot.valid_triples, snapshot.ontology
    wanted = wanted_readings(snapshot, known, query.predicates, infer=query.infer)
    is_code = any(each.type in DEFINITIONS for each in linked.entities)
    wanted = wanted or [(name, True) for name in [*ontology.dependencies(), *([IN_CODE] if is_code else [])]]
    stating, same = stored_statements(graph, known, wanted), nothing_same(graph)
    if query.infer:
        stating, same = statements(snapshot.tx, graph, ontology, known, wanted), same_things(graph, ontology, known)
    starts = nodes_of(graph, linked.entities)
    levels = list(walk_levels(stating, same, starts, "in", query.max_depth))
    within = None if scoped.within is None else scoped.within.triples
    kept = [
        np.ones(len(level.nodes), np.bool_) if within is None else np.isin(graph.triple_ids[level.slots], within)
        for level in levels
    ]
    counts = [np.count_nonzero(each).item() for each in kept[1:]]
    shown = _Shown(snapshot, stating, levels).affected(np.concatenate(kept), query.limit) if sum(counts) else []
    names = {id_: name for name, id_ in known.items()}
    followed = [names[id_] for id_ in stating.predicates.tolist()]
    around = _Around(snapshot, stating, np.sort(levels[0].nodes) if levels else NONE)
    cut = any(level.cut for level in levels)
    inner = graph.entities(np.concatenate([NONE, *(level.nodes for level in levels[1 : query.max_depth])]))
    on_the_way = list(entity_labels(snapshot.tx, inner[: query.limit].tolist()).values())
    hidden = missing_from_impact(scoped, linked.entities, followed, on_the_way, beside=bool(sum(counts)))
    outside = sum(map(len, kept[1:])) - sum(counts)
    return Impact(linked, followed, shown, counts, cut, outside, around.other_predicates(names), around.over(), hidden)


@dataclass(frozen=True)
class _Around:
    """What leads to the starts of an impact and is not followed."""

    snapshot: Snapshot
    stating: Statements
    starts: Slots

    def other_predicates(self, names: Mapping[int, str]) -> dict[str, int]:
        """The predicates of triples into the starts that are not followed, the most frequent first."""
        slots, _ = self.stating.graph.step(self.starts, "in")
        ids, counts = np.unique(self.stating.graph.predicates[slots], return_counts=True)
        found = {names[id_]: count for id_, count in zip(ids.tolist(), counts.tolist(), strict=True)}
        followed = {names[id_] for id_ in self.stating.predicates.tolist()}
        left = sorted(found.keys() - followed - UNRELATED, key=lambda name: (-found[name], name))
        return {name: found[name] for name in left[:MAX_OTHERS]}

    def over(self) -> list[Triple]:
        """The first triples into the starts that would be followed if they still held."""
        graph = self.stating.graph
        if graph.moment is None:
            return []
        now_slots, _, _ = self.stating.step(self.starts, "in")
        every = replace(self.stating, graph=replace(graph, with_past=True))
        slots = np.setdiff1d(every.step(self.starts, "in")[0], now_slots)
        ids = graph.triple_ids[slots[:MAX_OVER]].tolist()
        found = fetch_triples(self.snapshot, ids)
        return [found[id_] for id_ in ids]


@dataclass(frozen=True)
class _Shown:
    """The levels of an impact as entities with their paths."""

    snapshot: Snapshot
    stating: Statements
    levels: Sequence[Level]

    def affected(self, kept: NDArray[np.bool_], limit: int) -> list[Affected]:
        """The first entities of the levels, of the rows that are `kept`, without the starts."""
        starts, graph = len(self.levels[0].nodes), self.stating.graph
        listed: list[int] = (starts + np.flatnonzero(kept[starts:])[:limit]).tolist()
        most = listed[-1] + 1
        nodes = np.concatenate([level.nodes for level in self.levels])[:most]
        slots = np.concatenate([level.slots for level in self.levels])[:most]
        parents: list[int] = np.concatenate([level.parents for level in self.levels])[:most].tolist()
        numbers = np.repeat(np.arange(len(self.levels)), [len(level.nodes) for level in self.levels]).tolist()
        leads, needed = (graph.objects[slots] == nodes).tolist(), set(listed)
        for row in reversed(range(most)):
            needed |= {parents[row]} if row in needed else set()
        ids = dict(zip(listed, graph.entities(nodes[listed]).tolist(), strict=True))
        slots_of_ids = graph.triple_ids[slots].tolist()
        triples = fetch_triples(self.snapshot, sorted({slots_of_ids[row] for row in needed if row >= 0 <= slots[row]}))
        heads = entity_labels(self.snapshot.tx, ids.values())
        paths: dict[int, tuple[tuple[tuple[Triple, bool], ...], tuple[str, ...]]] = {}  # hops, and why each counts
        found: list[Affected] = []
        for row in sorted(needed - {-1}):
            parent = parents[row]
            hops, reasons = paths[parent] if parent >= 0 else ((), ())
            if slots[row] >= 0:
                triple, forward = triples[slots_of_ids[row]], leads[row]
                inside = row < starts or numbers[parent] == numbers[row]
                reason = SAME if inside else self.stating.reason(triple, as_it_stands=not forward)
                hops, reasons = (*hops, (triple, forward)), (*reasons, reason)
            paths[row] = hops, reasons
            if row in ids:
                found.append(Affected(heads[ids[row]], numbers[row], hops, reasons))
        called = [each.entity.id for each in found if each.entity.type in CALLED]
        lines = lines_at(self.snapshot.tx, definition_chunks(self.snapshot.tx, called)) if called else {}
        return [replace(each, line=lines.get(each.entity.id)) for each in found]
