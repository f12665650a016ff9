"""Ontologies: types with their hierarchy, predicates with what follows from them.

An ontology says what may be asked together, never what is stored: a Microservice is a Component because the hierarchy
says so at the time of asking. Types are compared by `type_key`, predicates by their canonical name.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TypeVar

from mcp_graphrag.extract import Phrase, load_lexicon
from mcp_graphrag.settings import ONTOLOGIES
from mcp_graphrag.store.entities import type_key

T = TypeVar("T")

VERB = re.compile(r"[a-z]{2,}[^s_]s(?:_[a-z]+)?|[a-z]+_by")  # "inhibits", "complies_with", "paid_by"
SHIPPED = ONTOLOGIES


@dataclass(frozen=True)
class TypeRule:
    """A type: the types it is a kind of, and those that nothing of it can be."""

    name: str
    subclass_of: tuple[str, ...] = ()
    description: str = ""
    disjoint_with: tuple[str, ...] = ()


@dataclass(frozen=True)
class Signature:
    """One way to use a predicate: from a type to a type, None for any; `inverse` says the same the other way round."""

    domain: str | None = None
    range: str | None = None
    inverse: str | None = None


@dataclass(frozen=True)
class PredicateRule:
    """A predicate. Signatures are alternatives.

    `functional`: a subject has one object at a time. `dependency`: what happens to the object happens to the subject.
    `opposites` cannot hold between the same two things at once. `lexicon` are raw verbs that mean it, `swapped_lexicon`
    those that mean it with subject and object exchanged.
    """

    name: str
    description: str = ""
    signatures: tuple[Signature, ...] = (Signature(),)
    symmetric: bool = False
    transitive: bool = False
    functional: bool = False
    dependency: bool = False
    opposites: tuple[str, ...] = ()
    lexicon: tuple[str, ...] = ()
    swapped_lexicon: tuple[str, ...] = ()


@dataclass(frozen=True)
class Ontology:
    """Types by `type_key` and predicates by name: one ontology, or several in force together."""

    types: Mapping[str, TypeRule] = field(default_factory=dict[str, TypeRule])
    predicates: Mapping[str, PredicateRule] = field(default_factory=dict[str, PredicateRule])
    description: str = ""

    def supertypes(self, type_: str) -> list[str]:
        """The types that everything of a type is too, the nearest first, without itself."""
        return [self._name(key) for key in _closure(type_key(type_), self._parents)]

    def subtypes(self, type_: str) -> list[str]:
        """The keys of a type and of all that are kinds of it."""
        key = type_key(type_)
        return [key, *_closure(key, self._children)]

    def is_a(self, type_: str, wanted: str) -> bool:
        """Whether everything of a type is of the wanted type."""
        return type_key(wanted) in {type_key(type_), *_closure(type_key(type_), self._parents)}

    def are_disjoint(self, type_: str, other: str) -> bool:
        """Whether nothing can be of both types, by what is declared of them or of types above them."""
        mine = {type_key(type_), *_closure(type_key(type_), self._parents)}
        theirs = {type_key(other), *_closure(type_key(other), self._parents)}
        return any((a, b) in self._disjoint for a in mine for b in theirs)

    def spelling(self, type_: str) -> str:
        """A type as it is written here; in its own spelling where it is not in the vocabulary."""
        rule = self.types.get(type_key(type_))
        return rule.name if rule else type_

    def implied_type(self, predicate: str, *, of_subject: bool) -> str:
        """The type of whatever stands before or behind a predicate, "" where its signatures leave that open."""
        ends = {each.domain if of_subject else each.range for each in self.rule(predicate).signatures}
        return (ends.pop() or "") if len(ends) == 1 else ""

    def narrowest(self, types: Iterable[str]) -> str:
        """The one of several types that is of all the others too, "" where none is."""
        given = list(types)
        return next((each for each in given if all(self.is_a(each, other) for other in given)), "")

    def rule(self, predicate: str) -> PredicateRule:
        """The rule of a predicate; one of which nothing follows where it is not in the vocabulary."""
        return self.predicates.get(predicate) or PredicateRule(predicate)

    def inverses(self, predicate: str) -> Sequence[tuple[Signature, str]]:
        """(signature of the predicate, inverse) for each inverse, declared on either of the two."""
        return self._inverses.get(predicate, ())

    def inverse_for(self, predicate: str, subject_type: str, object_type: str) -> str | None:
        """The inverse that holds between things of these types, "" for unknown; None where none surely does.

        With one inverse only, types do not matter: in open mode a triple may stand between any two.
        """
        known = self.inverses(predicate)
        names = {inverse for _, inverse in known}
        if len(names) <= 1:
            return next(iter(names), None)
        fitting = {name for signature, name in known if self.fits(signature, subject_type, object_type, surely=True)}
        return fitting.pop() if len(fitting) == 1 else None

    def fits(self, signature: Signature, subject_type: str, object_type: str, *, surely: bool = False) -> bool:
        """Whether things of these types may stand in a signature; of an unknown type they may, but not surely."""
        ends = ((signature.domain, subject_type), (signature.range, object_type))
        return all(wanted is None or (self.is_a(given, wanted) if given else not surely) for wanted, given in ends)

    def dependencies(self) -> list[str]:
        """The predicates along which trouble travels, from object to subject."""
        return [name for name, rule in self.predicates.items() if rule.dependency]

    @cached_property
    def phrases(self) -> tuple[Phrase, ...]:
        """How its predicates are said, besides what the lexicon that ships knows of them."""
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
    def _parents(self) -> Mapping[str, Sequence[str]]:
        return {key: [type_key(parent) for parent in rule.subclass_of] for key, rule in self.types.items()}

    @cached_property
    def _children(self) -> Mapping[str, Sequence[str]]:
        found: dict[str, list[str]] = {}
        for key, parents in self._parents.items():
            for parent in parents:
                found.setdefault(parent, []).append(key)
        return found

    @cached_property
    def _disjoint(self) -> frozenset[tuple[str, str]]:
        pairs = {(key, type_key(other)) for key, rule in self.types.items() for other in rule.disjoint_with}
        return frozenset(pairs | {(b, a) for a, b in pairs})

    @cached_property
    def _inverses(self) -> Mapping[str, Sequence[tuple[Signature, str]]]:
        found: dict[str, dict[tuple[Signature, str], None]] = {}
        for name, rule in self.predicates.items():
            for each in rule.signatures:
                if each.inverse:
                    found.setdefault(name, {})[each, each.inverse] = None
                    turned = Signature(each.range, each.domain, name)
                    found.setdefault(each.inverse, {})[turned, name] = None
        return {name: list(each) for name, each in found.items()}

    def _name(self, key: str) -> str:
        rule = self.types.get(key)
        return rule.name if rule else key


def combined(ontologies: Iterable[Ontology]) -> Ontology:
    """Several ontologies in force together: signatures of one predicate are alternatives, flags and parents add up."""
    types: dict[str, TypeRule] = {}
    predicates: dict[str, PredicateRule] = {}
    for ontology in ontologies:
        for key, rule in ontology.types.items():
            types[key] = _joined_types(types[key], rule) if key in types else rule
        for name, each in ontology.predicates.items():
            predicates[name] = _joined_predicates(predicates[name], each) if name in predicates else each
    return Ontology(types, predicates)


def _joined_types(old: TypeRule, new: TypeRule) -> TypeRule:
    return TypeRule(
        old.name,
        _together(old.subclass_of, new.subclass_of),
        old.description or new.description,
        _together(old.disjoint_with, new.disjoint_with),
    )


def _joined_predicates(old: PredicateRule, new: PredicateRule) -> PredicateRule:
    return replace(
        old,
        description=old.description or new.description,
        signatures=_together(old.signatures, new.signatures),
        symmetric=old.symmetric or new.symmetric,
        transitive=old.transitive or new.transitive,
        functional=old.functional or new.functional,
        dependency=old.dependency or new.dependency,
        opposites=_together(old.opposites, new.opposites),
        lexicon=_together(old.lexicon, new.lexicon),
        swapped_lexicon=_together(old.swapped_lexicon, new.swapped_lexicon),
    )


def _together(old: tuple[T, ...], new: tuple[T, ...]) -> tuple[T, ...]:
    return tuple(dict.fromkeys((*old, *new)))


def _closure(start: str, steps: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Everything reachable from a key, the nearest first, each once; a cycle ends where it began."""
    seen = {start}
    level = [start]
    while level:
        following = [each for key in level for each in steps.get(key, ())]
        level = [each for each in dict.fromkeys(following) if each not in seen]
        seen.update(level)
        yield from level
