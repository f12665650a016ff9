"""The stored triples that state given predicates, by what is declared of the predicates in force."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mcp_graphrag.index.same_nodes import SameNodes, same_nodes
from mcp_graphrag.index.triple_graph import Slots, TripleGraph, is_one_of
from mcp_graphrag.model import Direction, Ids, Triple
from mcp_graphrag.ontology.ontology import Ontology
from mcp_graphrag.ontology.readings import (
    Reading,
    explain_reading,
    implied_readings,
    is_ambiguous,
    same_as_predicates,
    stating_predicates,
)
from mcp_graphrag.store.engine.transaction import Reader
from mcp_graphrag.store.rows.entity_rows import entity_labels

Mask = NDArray[np.bool_]

MAX_TYPED = 5_000  # triples around a node whose ends' types are looked up
OPPOSITE: Mapping[Direction, Direction] = {"out": "in", "in": "out", "both": "both"}
NONE = np.empty(0, dtype=np.int64)


@dataclass(frozen=True)
class Statements:
    """The triples of a graph that state any of the wanted readings; of every predicate if `wanted` is None.

    `straight` are the ids of the predicates that do as they stand, `turned` of those that do from object to subject,
    and `checked`, by id, those for which it depends on the types of their ends.
    """

    graph: TripleGraph
    wanted: Collection[Reading] | None = None
    straight: Ids = field(default_factory=NONE.copy)
    turned: Ids = field(default_factory=NONE.copy)
    ontology: Ontology = field(default_factory=Ontology)
    checked: Mapping[int, str] = field(default_factory=dict[int, str])
    tx: Reader | None = None

    @cached_property
    def predicates(self) -> Ids:
        """The ids of all predicates that may state a reading."""
        return np.unique(np.concatenate([self.straight, self.turned, np.array(list(self.checked), dtype=np.int64)]))

    def step(self, frontier: Slots, direction: Direction) -> tuple[Slots, Mask, bool]:
        """The slots of a sorted frontier that state a reading, whether each leads from its subject, and whether cut.

        The frontier has subjects of the reading if the direction is out, objects if it is in, either if both.
        """
        every = self.wanted is None
        predicates = None if every else self.predicates
        one_way = not self.checked and not ((every or len(self.straight)) and len(self.turned))
        if one_way or (direction == "both" and (every or not self.checked)):
            ways = direction if every or len(self.straight) else OPPOSITE[direction]
            return *self.graph.step(frontier, ways, predicates), False
        slots, leads = self.graph.step(frontier, "both", predicates)
        kept, cut = self.matching(slots, leads == (direction != "in"))
        if direction == "both":
            more, cut_too = self.matching(slots, ~leads)
            kept, cut = kept | more, cut or cut_too
        return slots[kept], leads[kept], cut

    def matching(self, slots: Slots, as_it_stands: Mask) -> tuple[Mask, bool]:
        """Which slots state a reading, as they stand or turned, and whether some were not checked."""
        predicates = self.graph.predicates[slots]
        straight = is_one_of(predicates, self.straight) if self.wanted is not None else as_it_stands
        kept = np.where(as_it_stands, straight, is_one_of(predicates, self.turned))
        if not self.checked:
            return kept, False
        candidates = np.flatnonzero(~kept & np.isin(predicates, list(self.checked)))
        rows = candidates[:MAX_TYPED]
        known: dict[tuple[str, str, str, bool], bool] = {}
        for row, (subject_type, object_type) in zip(rows.tolist(), self._types(slots[rows]), strict=True):
            key = self.checked[int(predicates[row])], subject_type, object_type, bool(as_it_stands[row])
            if key not in known:
                known[key] = bool(self.stated(*key))
            kept[row] = known[key]
        return kept, len(candidates) > len(rows)

    def states(self, triple: Triple, *, as_it_stands: bool) -> bool:
        """Whether a triple states a reading, as it stands or turned."""
        return bool(self.stated(triple.predicate, triple.subject_type, triple.object_type, as_it_stands))

    def reason(self, triple: Triple, *, as_it_stands: bool) -> str:
        """Why a triple states a reading, as it stands or turned; "" if it is one."""
        ends = triple.predicate, triple.subject_type, triple.object_type
        stated = self.stated(*ends, as_it_stands)
        return explain_reading(self.ontology, ends[0], stated, *ends[1:])

    def stated(self, name: str, subject_type: str, object_type: str, as_it_stands: bool) -> set[Reading]:  # noqa: FBT001  # part of a key
        """What is wanted of what a triple states, as it stands or turned."""
        readings = implied_readings(self.ontology, name, subject_type, object_type)
        if self.wanted is None:
            return {reading for reading in readings if reading[1] == as_it_stands}
        return {(wanted, forward == as_it_stands) for wanted, forward in self.wanted} & readings

    def _types(self, slots: Slots) -> list[tuple[str, str]]:
        """The types of the ends of slots, "" for unknown."""
        assert self.tx is not None  # noqa: S101  # a bug, not a caller's error
        graph = self.graph
        subjects, objects = (graph.entities(ends[slots]).tolist() for ends in (graph.subjects, graph.objects))
        types = {head.id: head.type for head in entity_labels(self.tx, [*subjects, *objects]).values()}
        return [(types.get(one, ""), types.get(other, "")) for one, other in zip(subjects, objects, strict=True)]


def statements(
    tx: Reader, graph: TripleGraph, ontology: Ontology, ids: Mapping[str, int], wanted: Collection[Reading] | None
) -> Statements:
    """The triples that state any of the wanted readings, or for None all triples, with all that they state.

    `ids` are those of the stored predicates.
    """
    names = ids if wanted is None else [name for each, _ in wanted for name in stating_predicates(ontology, each)]
    stored = [name for name in dict.fromkeys(names) if name in ids]
    found = Statements(graph, wanted, ontology=ontology)
    straight, turned = (
        np.array([ids[name] for name in stored if found.stated(name, "", "", way)], dtype=np.int64)
        for way in (True, False)
    )
    checked = {ids[name]: name for name in stored if is_ambiguous(ontology, name)}
    return Statements(graph, wanted, straight, turned, ontology, checked, tx)


def stored_statements(graph: TripleGraph, ids: Mapping[str, int], wanted: Sequence[Reading] | None) -> Statements:
    """The triples that are stored with the wanted predicates, or all for None, without what follows from others."""
    straight, turned = (
        np.array([ids[name] for name, forward in wanted or () if name in ids and forward == way], dtype=np.int64)
        for way in (True, False)
    )
    return Statements(graph, wanted, straight, turned)


def same_things(graph: TripleGraph, ontology: Ontology, ids: Mapping[str, int]) -> SameNodes:
    """The nodes that are one thing by same_as and what implies it, at the moment of the graph."""
    return same_nodes(graph, [ids[name] for name in same_as_predicates(ontology, ids)])


def nothing_same(graph: TripleGraph) -> SameNodes:
    """Each node is only itself."""
    return SameNodes(graph, NONE, NONE, NONE)
