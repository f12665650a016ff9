"""Which stored predicates state which: by inverses, symmetry, equivalents and broader predicates, in any combination.

A reading is (predicate, forward): the predicate from subject to object, or from object to subject. Two questions must
be kept apart: what a triple implies (`implied_readings`), and which triples state a predicate (`equivalent_readings`).
A narrower predicate states the broader one; nothing follows in the other direction.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

from mcp_graphrag.ontology.ontology import SAME_AS, Ontology

Reading = tuple[str, bool]
Readings = frozenset[Reading]


def implied_readings(ontology: Ontology, predicate: str, subject_type: str = "", object_type: str = "") -> Readings:
    """All that a triple of a predicate between entities of these types, "" for unknown, states: itself first of all."""
    key = predicate, subject_type, object_type
    if key not in ontology.implied:
        ontology.implied[key] = frozenset(_implied_with_reasons(ontology, *key))
    return ontology.implied[key]


def equivalent_readings(ontology: Ontology, predicate: str, subject_type: str = "", object_type: str = "") -> Readings:
    """The triples that state a predicate between entities of these types, "" for unknown: itself first of all.

    Read (name, forward) as: a triple of `name` from subject to object if `forward`, or else from object to subject.
    """
    found: set[Reading] = set()
    for name in stating_predicates(ontology, predicate):
        for forward in (True, False):
            ends = (subject_type, object_type) if forward else (object_type, subject_type)
            if (predicate, forward) in implied_readings(ontology, name, *ends):
                found.add((name, forward))
    return frozenset(found)


def explain_reading(
    ontology: Ontology, name: str, wanted: Collection[Reading], subject_type: str = "", object_type: str = ""
) -> str:
    """Why a triple of `name` states one of the wanted readings, the nearest of them: "inverse of owns".

    "" if it is one of them itself, or states none of them.
    """
    reasons = _implied_with_reasons(ontology, name, subject_type, object_type)
    return next(("; ".join(why) for reading, why in reasons.items() if reading in wanted), "")


def stating_predicates(ontology: Ontology, predicate: str) -> list[str]:
    """The predicate and all whose triples may state it, for some types at least."""
    return _closure(ontology, predicate, lambda name: ontology.narrower.get(name, ()))


def may_state(ontology: Ontology, predicate: str) -> list[str]:
    """The predicate and all that its triples may state, for some types at least."""
    return _closure(ontology, predicate, ontology.broader)


def is_ambiguous(ontology: Ontology, predicate: str) -> bool:
    """Whether it depends on the types of its ends what a triple of the predicate states."""
    return any(len({inverse for _, inverse in ontology.inverses(name)}) > 1 for name in may_state(ontology, predicate))


def is_transitive(ontology: Ontology, predicate: str) -> bool:
    """Whether the predicate is transitive: by its own rule, or by that of one that it implies and is implied by."""
    return any(
        ontology.rule(name).transitive and (predicate, forward) in implied_readings(ontology, name)
        for name, forward in implied_readings(ontology, predicate)
    )


def transitive_readings(ontology: Ontology, predicate: str) -> list[Reading]:
    """The transitive readings that state a predicate: itself alone if it is transitive."""
    if is_transitive(ontology, predicate):
        return [(predicate, True)]
    return sorted(
        reading for reading in equivalent_readings(ontology, predicate) if is_transitive(ontology, reading[0])
    )


def follows_from_chains(ontology: Ontology, predicate: str) -> bool:
    """Whether triples of the predicate can follow from chains of triples."""
    return bool(transitive_readings(ontology, predicate))


def same_as_predicates(ontology: Ontology, known: Iterable[str]) -> list[str]:
    """Those of the known predicates whose triples state that their ends are one thing: same_as, and what implies it."""
    stating = {name for name, _ in equivalent_readings(ontology, SAME_AS)}
    return [name for name in known if name in stating]


def _closure(ontology: Ontology, predicate: str, along: Callable[[str], Sequence[str]]) -> list[str]:
    """The predicates that inverses, equivalents and broader or narrower ones lead to, whatever the types."""
    found = {predicate: None}
    waiting = [predicate]
    while waiting:
        name = waiting.pop()
        inverses = [inverse for _, inverse in ontology.inverses(name)]
        for other in (*inverses, *ontology.equivalents.get(name, ()), *along(name)):
            if other not in found:
                found[other] = None
                waiting.append(other)
    return list(found)


def _implied_with_reasons(
    ontology: Ontology, predicate: str, subject_type: str, object_type: str
) -> dict[Reading, tuple[str, ...]]:
    """What a triple states, the nearest first, each with the reasons that lead to it."""
    found: dict[Reading, tuple[str, ...]] = {(predicate, True): ()}
    waiting = [(predicate, True)]
    for name, forward in waiting:
        ends = (subject_type, object_type) if forward else (object_type, subject_type)
        for other, turned, reason in _one_step(ontology, name, *ends):
            reading = other, forward != turned
            if reading not in found:
                found[reading] = (*found[name, forward], reason)
                waiting.append(reading)
    return found


def _one_step(ontology: Ontology, name: str, subject_type: str, object_type: str) -> Iterator[tuple[str, bool, str]]:
    """(predicate, whether turned, reason) of what follows from a triple by one rule."""
    if ontology.rule(name).symmetric:
        yield name, True, f"{name} is symmetric"
    inverse = ontology.inverse_for(name, subject_type, object_type)
    if inverse:
        yield inverse, True, f"inverse of {name}"
    for other in ontology.equivalents.get(name, ()):
        yield other, False, f"{name} means the same as {other}"
    for broader in ontology.broader(name):
        yield broader, False, f"{name} is narrower than {broader}"
