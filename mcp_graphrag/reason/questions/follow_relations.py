"""The values of relations, followed from entities through the graph, and what is missing where there are none."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mcp_graphrag.english.dates import Period, whole_date
from mcp_graphrag.english.lemmas import singulars
from mcp_graphrag.index.normalize import normal_form
from mcp_graphrag.index.triple_graph import FAR_FUTURE, Slots
from mcp_graphrag.lookup.find_entities import (
    ambiguous_names,
    every_type,
    exact_name,
    is_ambiguous,
    nodes_of,
    values_in_words,
)
from mcp_graphrag.mentions.type_by_shape import is_guess, may_be_person
from mcp_graphrag.ontology.past_tense import PAST_TENSE
from mcp_graphrag.ontology.readings import equivalent_readings, implied_readings, stating_predicates
from mcp_graphrag.ontology.readings import is_ambiguous as depends_on_types
from mcp_graphrag.ontology.stating import same_things
from mcp_graphrag.reason.questions.question_forms import Term
from mcp_graphrag.reason.questions.question_relations import PLACES, Hop, Step
from mcp_graphrag.reason.questions.question_words import NamedEntity, excludes, type_named, with_article
from mcp_graphrag.search.passages import awaiting_notes
from mcp_graphrag.snapshot import Snapshot
from mcp_graphrag.store.rows.entity_rows import EntityLabel, entity_labels, type_key
from mcp_graphrag.store.rows.triple_rows import predicates

MAX_VALUES = 5_000  # of one step, the most confident
MAX_SHOWN = 8
CLASS = "Class"  # an interface and a trait too
OF_CLASSES = frozenset({"implements", "extends"})


@dataclass(frozen=True)
class Taken:
    """One triple of a path: its slot, whether it is walked from subject to object, and whether it is inferred."""

    slot: int
    forward: bool
    inferred: bool


@dataclass(frozen=True)
class Value:
    """An entity that a term leads to: its node, the path from the start, and the product of its confidences."""

    node: int
    path: tuple[Taken, ...] = ()
    confidence: float = 1.0


@dataclass
class Found:
    """What a term leads to, the most confident first, or why nothing; `cut` says that there may be more."""

    values: Sequence[Value] = ()
    missing: list[str] = field(default_factory=list[str])
    notes: list[str] = field(default_factory=list[str])
    cut: bool = False


class RelationFollower:
    """Follows relations in one snapshot, through the triples that hold at some moment of a period.

    What is only said in the past tense is followed only `with_past`.
    """

    def __init__(self, snapshot: Snapshot, period: Period, *, with_past: bool = False) -> None:
        self.period, self.with_past = period, with_past
        self.snapshot, self.graph = snapshot, snapshot.triple_graph
        self.ids = predicates(snapshot.tx)
        self.names = {predicate_id: name for name, predicate_id in self.ids.items()}
        self.start, self.end = (int(np.datetime64(moment, "us").astype(np.int64)) for moment in period)
        self._labels: dict[int, EntityLabel] = {}
        self._same = same_things(self.graph.as_of(period[0]), snapshot.ontology, self.ids)

    def find(self, term: Term) -> Found:
        """What a term leads to; `missing` of it says what has no value."""
        found = Found()
        if not isinstance(term.start, NamedEntity):
            return Found(missing=[f"The question names no entity, only the type {term.start}."])
        start = self._of_classes(term.start, term.hops)
        found.notes += start.notes
        if start.objection:
            return Found(missing=[start.objection], notes=found.notes)
        if is_ambiguous(start.entities):
            every = start.entities
            listed = ", ".join(exact_name(entity, every) for entity in every)
            return Found(missing=[f"{len(every)} entities are called {start.words}: {listed}. Name one."])
        found.values = [Value(node) for node in sorted(nodes_of(self.graph, start.entities))]
        if not found.values:
            said = self._short_for(start) or [self.around(start)]
            return Found(missing=said, notes=found.notes)
        for hop in term.hops:
            before = found.values
            found = self.follow(found, hop)
            if not found.values:
                others = self._short_for(start) if hop is term.hops[0] else ()
                found.missing = found.missing or [self.absence(before, hop), *others]
                break
        return found

    def _of_classes(self, named: NamedEntity, hops: Sequence[Hop]) -> NamedEntity:
        """The name; where only classes have the first relation, that of those that are called so, if there are any.

        What implements Backoff implements the trait, not the module or the library of that name.
        """
        if not hops or not hops[0].predicates or not OF_CLASSES.issuperset(hops[0].predicates):
            return named
        norm = normal_form(named.words)
        ids = [each for each, _ in self.snapshot.entities_named([norm], in_documents=True).get(norm, ())]
        called = (named.entities, entity_labels(self.snapshot.tx, ids).values())
        classes = next(filter(None, ([each for each in some if each.type == CLASS] for some in called)), None)
        return replace(named, entities=classes) if classes else named

    def _short_for(self, named: NamedEntity) -> list[str]:
        """Which definitions of code words that prose has as a name are short for, if there are several."""
        return [str(each) for each in ambiguous_names(self.snapshot, [named.words], may_be_named=True)]

    def follow(self, found: Found, hop: Hop) -> Found:
        """The values of one relation for values found before."""
        reached: dict[int, Value] = {}
        cut = found.cut
        for chain in hop.chains:
            values: Sequence[Value] = found.values
            for step in chain:
                values, cut_here = self._step(values, step, exclude=found.values if len(chain) > 1 else ())
                cut = cut or cut_here
            for value in values:
                if value.node not in reached or reached[value.node].confidence < value.confidence:
                    reached[value.node] = value
        ordered = sorted(reached.values(), key=lambda value: (-value.confidence, value.path[-1].slot))
        return self._fitting(Found(ordered, notes=found.notes, cut=cut), hop)

    def label(self, node: int) -> EntityLabel:
        """The name and type at a node."""
        if node not in self._labels:
            self.labels([node])
        return self._labels[node]

    def labels(self, nodes: Iterable[int]) -> list[EntityLabel]:
        """The names and types at nodes."""
        wanted = list(nodes)
        new = [node for node in wanted if node not in self._labels]
        ids = self.graph.entities(np.array(new, dtype=np.int64)).tolist()
        found = entity_labels(self.snapshot.tx, ids)
        self._labels.update((node, found[entity]) for node, entity in zip(new, ids, strict=True))
        return [self._labels[node] for node in wanted]

    def same(self, node: int) -> list[int]:
        """The nodes that are the same as a node at the beginning of the period, itself first."""
        nodes = self._same.with_same(np.array([node], dtype=np.int64)).tolist()
        return [node, *(each for each in nodes if each != node)]

    def absence(self, before: Sequence[Value], hop: Hop) -> str:
        """That a relation has no value for some entities, with what is stored about them."""
        heads = self.labels(value.node for value in before[:3])
        names = " or ".join(dict.fromkeys(head.name for head in heads))
        said = f"No stored triple {f'gives the {hop.words}' if hop.noun else f'says {hop.words!r}'} of {names}."
        other = self._other_times(before, hop)
        if other:
            return f"{said} At another time: {', '.join(other)}."
        around = self._around(before, self.graph.entities(np.array([each.node for each in before])).tolist())
        return f"{said} Stored about it: {', '.join(around)}." if around else said

    def around(self, named: NamedEntity) -> str:
        """The predicates of the triples around what a name stands for, and the chunks that await reading, in words."""
        nodes = nodes_of(self.graph, named.entities)
        found = self._around([Value(node) for node in nodes], [entity.id for entity in named.entities])
        name = named.entities[0].name
        said = f"Stored about {name}: {', '.join(found)}." if found else f"No triple is stored about {name}."
        return " ".join([said, *awaiting_notes(self.snapshot, [name])])

    @cached_property
    def _types(self) -> Mapping[str, str]:
        return every_type(self.snapshot)

    def _step(self, values: Sequence[Value], step: Step, exclude: Sequence[Value]) -> tuple[list[Value], bool]:
        """The values of one step, each once by its most confident path, and whether there may be more."""
        origins: dict[int, Value] = {}
        for value in values:
            for node in self.same(value.node):
                origins.setdefault(node, value)
        nodes = np.array(sorted(origins), dtype=np.int64)
        exact: set[tuple[str, bool]] = {(way.predicate, way.forward) for way in step if way.exact}
        readings = {
            (name, way.forward == same)
            for way in step
            for name, same in equivalent_readings(self.snapshot.ontology, way.predicate)
            if name in self.ids
        }
        # What these state depends on the types of their ends, as "contains" does "defined_in".
        typed = {
            (name, forward)
            for way in step
            for name in stating_predicates(self.snapshot.ontology, way.predicate)
            if name in self.ids and depends_on_types(self.snapshot.ontology, name)
            for forward in (True, False)
        }
        reached: dict[int, Value] = {}
        skipped = {value.node for value in exclude}
        cut = False
        for forward in (True, False):
            names = sorted({name for name, way in readings | typed if way == forward})
            if not names:
                continue
            wanted = np.array([self.ids[name] for name in names], dtype=np.int64)
            slots, _ = self.graph.step(nodes, "out" if forward else "in", wanted)
            slots = self._holding(slots)
            order = np.lexsort((slots, -self.graph.confidences[slots]))
            cut = cut or len(order) > MAX_VALUES
            for slot in slots[order[:MAX_VALUES]].tolist():
                subject, object_ = int(self.graph.subjects[slot]), int(self.graph.objects[slot])
                origin, end = (origins[subject], object_) if forward else (origins[object_], subject)
                name = self.names[int(self.graph.predicates[slot])]
                if end == origin.node or end in skipped:
                    continue
                if (name, forward) not in readings and not self._states(name, step, subject, object_, forward=forward):
                    continue
                inferred = (name, forward) not in exact
                confidence = origin.confidence * float(self.graph.confidences[slot])
                known = reached.get(end)
                if known is None or known.confidence < confidence or (known.path[-1].inferred and not inferred):
                    reached[end] = Value(end, (*origin.path, Taken(slot, forward, inferred)), confidence)
        return list(reached.values()), cut

    def _states(self, name: str, step: Step, subject: int, object_: int, *, forward: bool) -> bool:
        """Whether a triple of a predicate states one of the ways of a step by the types of its ends."""
        types = self.label(subject).type, self.label(object_).type
        stated = implied_readings(self.snapshot.ontology, name, *types)
        return any((way.predicate, way.forward == forward) in stated for way in step)

    def _holding(self, slots: Slots) -> Slots:
        """The slots that hold in the period; a triple without dates counts only if it is not stored with dates."""
        graph = self.graph
        slots = slots[self.with_past | ~graph.is_over(slots)]
        keys = np.stack([graph.subjects[slots], graph.predicates[slots], graph.objects[slots]], axis=1)
        dated = graph.has_dates(slots)
        _, triples = np.unique(keys, axis=0, return_inverse=True)
        triples = triples.ravel()  # numpy 2.0 has a column
        slots = slots[dated | ~np.isin(triples, triples[dated])]
        return slots[self._holds(slots)]

    def _holds(self, slots: Slots) -> NDArray[np.bool_]:
        graph = self.graph
        return graph.active[slots] & (graph.valid_from[slots] < self.end) & (self.start < graph.valid_to[slots])

    def _fitting(self, found: Found, hop: Hop) -> Found:
        """The values of the kind and type that the question asks for."""
        if not found.values or not (hop.kind or hop.wanted):
            return found
        heads = dict(zip(found.values, self.labels(value.node for value in found.values), strict=True))
        kept = [value for value in found.values if self._fits(heads[value], hop)]
        names = ", ".join(dict.fromkeys(head.name for head in list(heads.values())[:3]))
        if not kept and hop.kind == "date":
            found.missing.append(f"No date is stored for '{hop.words}', only {names}.")
        elif (not kept and not hop.kind) or (not kept and hop.wanted):
            found.missing.append(f"Nothing stored says that {names} is {with_article(hop.wanted)}.")
        elif hop.wanted and any(not heads[value].type for value in kept):
            found.notes.append(f"'{hop.wanted}' could not be checked: {heads[kept[0]].name} has no stored type.")
        return replace(found, values=kept)

    def _fits(self, head: EntityLabel, hop: Hop) -> bool:
        if hop.kind and (hop.kind == "date") != (whole_date(head.name) is not None):
            return False
        if not hop.wanted:
            return True
        key = type_key(type_named(self._types, hop.wanted))
        if head.type and key:
            is_open = is_guess(head.name, head.type) and hop.wanted not in PLACES
            return is_open or self.snapshot.ontology.is_a(head.type, key)
        if key == "person" and not may_be_person(head.name):
            return False
        is_read = head.type and not is_guess(head.name, head.type)
        if is_read and any(excludes(form, head.type) for form in singulars(hop.wanted.casefold())):
            return False
        # A place of birth need not be a country.
        return not key if head.type else hop.wanted not in PLACES

    def is_surely(self, head: EntityLabel, noun: str) -> bool:
        """Whether an entity is what a noun says, by its type or a word of its name; "" says nothing."""
        type_ = type_named(self._types, noun)
        typed = bool(head.type and type_) and self.snapshot.ontology.is_a(head.type, type_)
        return not noun or typed or not {*head.name.casefold().split()}.isdisjoint(singulars(noun.casefold()))

    def _other_times(self, before: Sequence[Value], hop: Hop) -> list[str]:
        """The values of a relation at other times than the period."""
        always = RelationFollower(self.snapshot, (datetime.min, datetime.max), with_past=True)  # noqa: DTZ901  naive UTC, as stored
        values = always.follow(Found(before), replace(hop, kind="", wanted="")).values
        found: list[str] = []
        for value in values[:3]:
            slot = value.path[-1].slot
            since, until = (self.graph.valid_from[slot], self.graph.valid_to[slot])
            if self.graph.is_over(np.array([slot]))[0]:
                found.append(f"{self.label(value.node).name} ({PAST_TENSE})")
            elif until < FAR_FUTURE and until <= self.start:
                found.append(f"{self.label(value.node).name} (until {np.datetime64(int(until), 'us').item():%Y-%m-%d})")
            elif since > -FAR_FUTURE and since >= self.end:
                found.append(f"{self.label(value.node).name} (from {np.datetime64(int(since), 'us').item():%Y-%m-%d})")
        return found

    def _around(self, before: Sequence[Value], entity_ids: Sequence[int]) -> list[str]:
        """The predicates of the triples around entities, those of which they are the subject first, and values."""
        nodes = np.array(sorted(value.node for value in before), dtype=np.int64)
        found: dict[str, None] = {}
        for direction in ("out", "in"):
            slots, _ = self.graph.step(nodes, direction)
            ids, counts = np.unique(self.graph.predicates[slots[self._holds(slots)]], return_counts=True)
            for predicate in ids[np.argsort(-counts, kind="stable")].tolist():
                found[self.names[predicate]] = None
        values = values_in_words(self.snapshot, entity_ids)
        return [*list(found)[:MAX_SHOWN], *(value for said in values.values() for value in said)]


def moment_period(moment: datetime) -> Period:
    """The period of a single moment."""
    return moment, moment + timedelta(microseconds=1)
