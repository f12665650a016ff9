"""Ontologies: types with their hierarchy, predicates with their rules.

An ontology applies when the graph is queried and does not change what is stored: a Microservice is a Component because
the hierarchy says so at the time of the query. Types are compared by `type_key`, predicates by canonical name.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeVar, cast

from mcp_graphrag.english.lexicon import Phrase, load_lexicon
from mcp_graphrag.settings import ONTOLOGIES
from mcp_graphrag.store.rows.entity_rows import type_key

VERB = re.compile(r"[a-z]{2,}[^s_]s(?:_[a-z]+)?|[a-z]+_by")  # "inhibits", "complies_with", "paid_by"
SHIPPED = ONTOLOGIES
SAME_AS = "same_as"
DEPENDS_ON = "depends_on"


@dataclass(frozen=True)
class TypeRule:
    """A type with its supertypes and the types that are disjoint with it."""

    name: str
    subclass_of: tuple[str, ...] = ()
    description: str = ""
    disjoint_with: tuple[str, ...] = ()


@dataclass(frozen=True)
class Signature:
    """One use of a predicate: from a type to a type, None for any; `inverse` states it in the other direction."""

    domain: str | None = None
    range: str | None = None
    inverse: str | None = None


@dataclass(frozen=True)
class PredicateRule:
    """A predicate. Signatures are alternatives.

    `functional`: a subject has one object at a time. `dependency`: what affects the object affects the subject.
    `opposites` cannot hold between the same two entities at once. The predicate implies each of `broader`, in the same
    direction, and means the same as each of `equivalent`. `lexicon` has raw verbs that map to the predicate,
    `swapped_lexicon` those that map to it with subject and object exchanged.
    """

    name: str
    description: str = ""
    signatures: tuple[Signature, ...] = (Signature(),)
    symmetric: bool = False
    transitive: bool = False
    functional: bool = False
    dependency: bool = False
    opposites: tuple[str, ...] = ()
    broader: tuple[str, ...] = ()
    equivalent: tuple[str, ...] = ()
    lexicon: tuple[str, ...] = ()
    swapped_lexicon: tuple[str, ...] = ()


Rule = TypeVar("Rule", TypeRule, PredicateRule)
Value = TypeVar("Value")


@dataclass(frozen=True)
class Ontology:
    """Types by `type_key` and predicates by name: one ontology, or several combined."""

    types: Mapping[str, TypeRule] = field(default_factory=dict[str, TypeRule])
    predicates: Mapping[str, PredicateRule] = field(default_factory=dict[str, PredicateRule])
    description: str = ""

    def supertypes(self, type_: str) -> list[str]:
        """The types above a type, the nearest first."""
        return [self.spelling(key) for key in _closure(type_key(type_), self.parents)]

    def subtypes(self, type_: str) -> list[str]:
        """The keys of a type and of all types below it."""
        key = type_key(type_)
        return [key, *_closure(key, self._children)]

    def is_a(self, type_: str, wanted: str) -> bool:
        """Whether a type is the wanted type or below it."""
        return type_key(wanted) in {type_key(type_), *_closure(type_key(type_), self.parents)}

    def are_disjoint(self, type_: str, other: str) -> bool:
        """Whether no entity can be of both types, as declared for them or for types above them."""
        mine, theirs = ({key, *_closure(key, self.parents)} for key in (type_key(type_), type_key(other)))
        return any((a, b) in self._disjoint for a in mine for b in theirs)

    def spelling(self, type_: str) -> str:
        """A type in the spelling of the ontology, or as given if it is unknown."""
        rule = self.types.get(type_key(type_))
        return rule.name if rule else type_

    def implied_type(self, predicate: str, *, of_subject: bool) -> str:
        """The type of the subject or object of a predicate, "" if its signatures differ or leave it open."""
        ends = {signature.domain if of_subject else signature.range for signature in self.rule(predicate).signatures}
        return (ends.pop() or "") if len(ends) == 1 else ""

    def narrowest(self, types: Iterable[str]) -> str:
        """The type that is below all the others, "" if there is none."""
        given = list(types)
        return next((type_ for type_ in given if all(self.is_a(type_, other) for other in given)), "")

    def rule(self, predicate: str) -> PredicateRule:
        """The rule of a predicate, or an empty rule if it is unknown. same_as is always symmetric and transitive."""
        rule = self.predicates.get(predicate) or PredicateRule(predicate)
        return replace(rule, symmetric=True, transitive=True) if predicate == SAME_AS else rule

    def broader(self, predicate: str) -> Sequence[str]:
        """The predicates that a predicate implies in the same direction: by its own rule, else by the lexicon."""
        return self.rule(predicate).broader or load_lexicon().broader.get(predicate, ())

    def inverses(self, predicate: str) -> Sequence[tuple[Signature, str]]:
        """(signature of the predicate, inverse) for each inverse, declared on either of the two."""
        return self._inverses.get(predicate, ())

    def inverse_for(self, predicate: str, subject_type: str, object_type: str) -> str | None:
        """The inverse that holds between entities of these types, "" for unknown; None if that is not certain.

        If there is only one inverse, types do not matter: outside strict mode a triple may have any types.
        """
        known = self.inverses(predicate)
        names = {inverse for _, inverse in known}
        if len(names) <= 1:
            return next(iter(names), None)
        fitting = {name for signature, name in known if self.fits(signature, subject_type, object_type, surely=True)}
        return fitting.pop() if len(fitting) == 1 else None

    def fits(self, signature: Signature, subject_type: str, object_type: str, *, surely: bool = False) -> bool:
        """Whether types match a signature; an unknown type matches, unless `surely`."""
        ends = ((signature.domain, subject_type), (signature.range, object_type))
        return all(wanted is None or (self.is_a(given, wanted) if given else not surely) for wanted, given in ends)

    def dependencies(self) -> list[str]:
        """The dependency predicates: what affects the object of such a triple affects the subject.

        depends_on is one by its name, whether it is declared or not.
        """
        return list(dict.fromkeys([*(name for name, rule in self.predicates.items() if rule.dependency), DEPENDS_ON]))

    @cached_property
    def implied(self) -> dict[tuple[str, str, str], frozenset[tuple[str, bool]]]:
        """A cache for `implied_readings`, by predicate and types."""
        return {}

    @cached_property
    def phrases(self) -> tuple[Phrase, ...]:
        """The phrases for its predicates, beyond those of the shipped lexicon."""
        known = load_lexicon().predicates
        found: list[Phrase] = []
        for name, rule in self.predicates.items():
            named = (name.replace("_", " "),) if name not in known and VERB.fullmatch(name) else ()
            ends = {
                "subject": self.implied_type(name, of_subject=True) or None,
                "object": self.implied_type(name, of_subject=False) or None,
            }
            found += [Phrase(name, words, swap=False, **ends) for words in (*rule.lexicon, *named)]
            found += [Phrase(name, words, swap=True, **ends) for words in rule.swapped_lexicon]
        return tuple(found)

    @cached_property
    def parents(self) -> Mapping[str, Sequence[str]]:
        """The keys of the types directly above each type, by its key."""
        return {key: [type_key(parent) for parent in rule.subclass_of] for key, rule in self.types.items()}

    @cached_property
    def _children(self) -> Mapping[str, Sequence[str]]:
        return _grouped((parent, key) for key, parents in self.parents.items() for parent in parents)

    @cached_property
    def _disjoint(self) -> frozenset[tuple[str, str]]:
        pairs = {(key, type_key(other)) for key, rule in self.types.items() for other in rule.disjoint_with}
        return frozenset(pairs | {(b, a) for a, b in pairs})

    @cached_property
    def narrower(self) -> Mapping[str, Sequence[str]]:
        """By predicate those that imply it in the same direction."""
        names = (*self.predicates, *load_lexicon().broader)
        return _grouped((broader, name) for name in names for broader in self.broader(name))

    @cached_property
    def equivalents(self) -> Mapping[str, Sequence[str]]:
        """By predicate those that mean the same, declared on either of the two."""
        pairs = [(name, other) for name, rule in self.predicates.items() for other in rule.equivalent]
        return _grouped(way for one, other in pairs for way in ((one, other), (other, one)))

    @cached_property
    def _inverses(self) -> Mapping[str, Sequence[tuple[Signature, str]]]:
        declared: list[tuple[str, tuple[Signature, str]]] = []
        for name, rule in self.predicates.items():
            for signature in rule.signatures:
                if signature.inverse:
                    turned = Signature(signature.range, signature.domain, name)
                    declared += [(name, (signature, signature.inverse)), (signature.inverse, (turned, name))]
        found = _grouped(declared)
        # Where no ontology says otherwise: those of the lexicon, and of "capital_of" the noun itself.
        nouns = [(name, name.removesuffix("_of")) for name in self.predicates if name.endswith("_of")]
        for name, inverse in (*load_lexicon().inverses.items(), *nouns):
            if name not in found and found.get(inverse, []) in ([], [(Signature(), name)]):
                found[name], found[inverse] = [(Signature(), inverse)], [(Signature(), name)]
        return found


def combine(ontologies: Iterable[Ontology]) -> Ontology:
    """Several ontologies as one: signatures of one predicate are alternatives, flags and supertypes add up."""
    types: dict[str, TypeRule] = {}
    predicates: dict[str, PredicateRule] = {}
    for ontology in ontologies:
        for key, rule in ontology.types.items():
            types[key] = _merged(types[key], rule) if key in types else rule
        for name, rule in ontology.predicates.items():
            predicates[name] = _merged(predicates[name], rule) if name in predicates else rule
    return Ontology(types, predicates)


def _merged(old: Rule, new: Rule) -> Rule:
    """One rule of both: lists and flags add up, of two texts the first stays."""
    merged: dict[str, Any] = {}
    for field_name, mine in vars(old).items():
        theirs: Any = getattr(new, field_name)
        if isinstance(mine, tuple):
            merged[field_name] = tuple(dict.fromkeys((*cast("tuple[object, ...]", mine), *theirs)))
        else:
            merged[field_name] = mine or theirs
    return replace(old, **merged)


def _grouped(pairs: Iterable[tuple[str, Value]]) -> dict[str, list[Value]]:
    """What belongs to each key, in the order given, each once."""
    found: dict[str, list[Value]] = {}
    for key, value in dict.fromkeys(pairs):
        found.setdefault(key, []).append(value)
    return found


def _closure(start: str, steps: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """All keys reachable from a key, the nearest first, each once; cycles are allowed."""
    seen = {start}
    level = [start]
    while level:
        following = [key_ for key in level for key_ in steps.get(key, ())]
        level = [key for key in dict.fromkeys(following) if key not in seen]
        seen.update(level)
        yield from level
