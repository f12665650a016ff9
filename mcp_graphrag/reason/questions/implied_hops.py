"""Relations that the types of the ontology imply: who approves for a team is found by its cost center."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from mcp_graphrag.index.tokenize import STOP_WORDS, text_terms
from mcp_graphrag.ontology.ontology import Ontology
from mcp_graphrag.ontology.readings import equivalent_readings
from mcp_graphrag.reason.questions.question_relations import Way

MAX_BEFORE, MAX_AFTER = 3, 2
WHO_TYPES = ("Person", "Team", "Organization")
# Words in the names of predicates that say what kind of relation it is, not which.
_SMALL = frozenset(text_terms("threshold limit has by of to in on at from for with")) | STOP_WORDS


class Typed(NamedTuple):
    """A step between types."""

    way: Way
    start: str
    target: str


class ImpliedChain(NamedTuple):
    """The steps of a chain, and which of them is the one that the question asks for."""

    ways: Sequence[Way]
    asked: int


def implied_chains(ontology: Ontology, start: str, verb: str, wanted: Sequence[str]) -> list[ImpliedChain]:
    """The shortest chains from a type over a predicate that a verb means to one of the wanted types.

    Only relations that the ontology declares between types are followed. A chain may have steps before the asked
    predicate only if that does not apply to `start`, and behind it only if it does not lead to a wanted type.
    """
    found: dict[tuple[object, ...], ImpliedChain] = {}
    for name, domain, target in _asked(ontology, verb):
        for before in _shortest(ontology, start, [domain], MAX_BEFORE):
            for after in _shortest(ontology, target, wanted, MAX_AFTER):
                ways = [*(step.way for step in before), Way(name, forward=True), *(step.way for step in after)]
                key = tuple(_stated(ontology, way) for way in ways)
                found.setdefault(key, ImpliedChain(ways, len(before)))
    least = min((len(chain.ways) for chain in found.values()), default=0)
    return [chain for chain in found.values() if len(chain.ways) == least]


def _asked(ontology: Ontology, verb: str) -> Iterator[tuple[str, str, str]]:
    """(predicate, domain, range) of the predicates whose words are all in the verb."""
    stems = frozenset(text_terms(verb))
    for name, rule in ontology.predicates.items():
        words = frozenset(text_terms(name.replace("_", " "))) - _SMALL
        if words and words <= stems:
            for signature in rule.signatures:
                if signature.domain and signature.range:
                    yield name, signature.domain, signature.range


def _shortest(ontology: Ontology, start: str, wanted: Sequence[str], most: int) -> list[list[Typed]]:
    """The shortest chains from a type to a wanted one; one without steps if it is one itself."""
    level: list[list[Typed]] = [[]]
    seen = {start}
    for _ in range(most + 1):
        ends = [chain[-1].target if chain else start for chain in level]
        arrived = [c for c, end in zip(level, ends, strict=True) if any(ontology.is_a(end, one) for one in wanted)]
        if arrived:
            return arrived
        longer = [
            [*chain, step]
            for chain, end in zip(level, ends, strict=True)
            for step in _declared(ontology)
            if ontology.is_a(end, step.start) and step.target not in seen
        ]
        seen |= {chain[-1].target for chain in longer}
        level = longer
    return []


def _declared(ontology: Ontology) -> Iterator[Typed]:
    for name, rule in ontology.predicates.items():
        for signature in rule.signatures:
            if signature.domain and signature.range:
                yield Typed(Way(name, forward=True), signature.domain, signature.range)
                yield Typed(Way(name, forward=False), signature.range, signature.domain)


def _stated(ontology: Ontology, way: Way) -> frozenset[tuple[str, bool]]:
    """All that states a step, so that an inverse is no other chain."""
    return frozenset((name, way.forward == same) for name, same in equivalent_readings(ontology, way.predicate))
