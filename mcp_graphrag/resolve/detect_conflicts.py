"""Contradictions: by functional predicates, declared opposites, disjoint types, and dates that disagree.

A triple is compared in every reading of its predicate that holds whatever the types of its ends are: as it is, and as
what symmetry, inverses, equivalents and broader predicates make of it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

import numpy as np

from mcp_graphrag.english.dates import read_date
from mcp_graphrag.model import Ids
from mcp_graphrag.ontology.map_predicates import asserted_of
from mcp_graphrag.ontology.ontology import Ontology
from mcp_graphrag.ontology.readings import equivalent_readings, may_state
from mcp_graphrag.store import Writer
from mcp_graphrag.store.rows.conflict_rows import (
    NO_CONTRADICTIONS,
    ConflictRules,
    Contradictions,
    add_conflicts,
    close_triples,
    retire_stale_conflicts,
    superseded_by,
    triples_to_compare,
    type_signatures,
)
from mcp_graphrag.store.rows.entity_rows import entity_types
from mcp_graphrag.store.rows.triple_rows import PlacedTriples, TripleRows, predicates

Renewed: TypeAlias = tuple[Ids, Ids]  # ids of triples and of their predicates, in the same order
NOTHING: Renewed = (np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64))


def record_contradictions(
    tx: Writer, ontology: Ontology, rows: TripleRows, placed: PlacedTriples, renewed: Renewed = NOTHING
) -> Contradictions:
    """The contradictions of the rows that are new, and of what `end_superseded` rewrote; they are recorded."""
    ids = np.concatenate([placed.triple_ids[placed.is_new], renewed[0]])
    predicate_ids = np.concatenate([np.asarray(rows.predicate_ids, dtype=np.int64)[placed.is_new], renewed[1]])
    are_dated = bool(len(ids)) and (any(rows.valid_from) or any(rows.valid_to))
    found = _record(tx, ontology, ids, predicate_ids, has_periods=are_dated)
    if len(renewed[0]) or are_dated:
        retire_stale_conflicts(tx)
    return found


def _record(
    tx: Writer, ontology: Ontology, triple_ids: Ids, predicate_ids: Ids, *, has_periods: bool = True
) -> Contradictions:
    """The contradictions of triples with others in the file, recorded; `predicate_ids` are theirs, in the same order.

    Fast if none of the predicates can contradict anything.
    """
    known = predicates(tx)
    used = set(np.unique(predicate_ids).tolist())
    present = {name for name, known_id in known.items() if known_id in used}
    watched = _watched(ontology, known, present)
    typed = _typed(ontology, present)
    if not watched.readings and not typed and not has_periods:
        return NO_CONTRADICTIONS
    if watched.functional:
        types = [type_ for type_ in entity_types(tx) if type_]
        watched = replace(watched, unfit=_unfit(ontology, watched.functional, types))
    concerned = {predicate for predicate, _, _ in watched.readings} | {known[name] for name in typed}
    ids = triple_ids if has_periods else triple_ids[np.isin(predicate_ids, list(concerned))]
    names = {known[name]: name for name in typed}
    violations = [
        (predicate_id, subject_type, object_type, reason)
        for predicate_id, subject_type, object_type in (type_signatures(tx, ids) if typed else ())
        if predicate_id in names and (reason := refusal(ontology, names[predicate_id], subject_type, object_type))
    ]
    return add_conflicts(tx, ids, replace(watched, violations=violations, has_periods=has_periods))


def reconcile_conflicts(tx: Writer, ontology: Ontology) -> Contradictions:
    """The contradictions of the triples that this write has put in force, recorded; to be called at its end.

    Conflicts of triples that are no longer in force are retired. New triples and those in force again are compared, and
    undated ones whose dated form is no longer in force.
    """
    if not tx.changed:
        return NO_CONTRADICTIONS
    retire_stale_conflicts(tx)
    return _record(tx, ontology, *triples_to_compare(tx))


def end_superseded(tx: Writer, ontology: Ontology, rows: TripleRows) -> tuple[TripleRows, Renewed]:
    """The rows, after the triples that they supersede were ended, and what was rewritten for that.

    To be called before the rows are stored. Superseded are triples in force with the same subject and predicate, in any
    of its readings, and an object that no row has: each is retired and stored again as valid until the row begins, or
    until now. A row that supersedes something and has no beginning begins now.
    """
    predicate_ids = np.asarray(rows.predicate_ids, dtype=np.int64)
    known = predicates(tx)
    used = set(np.unique(predicate_ids).tolist())
    watched = _watched(ontology, known, {name for name, known_id in known.items() if known_id in used})
    readings = [reading for reading in watched.readings if reading[1] in watched.functional]
    functional = {predicate for predicate, _, _ in readings}
    readings += [(each, each, False) for each in used if each not in functional]
    found = superseded_by(tx, rows, readings)
    # Of several rows that supersede the same triple, the first to begin ends it.
    ends = {old: moment for _, old, moment in sorted(found, key=lambda row: row[2], reverse=True)}
    renewed = close_triples(tx, ends)
    at = {old: position for position, old, _ in found}
    ids = np.array([renewed[old] for old in at], dtype=np.int64)
    superseding = {position for position, _, _ in found}
    begins = [
        tx.recorded_at if begin is None and position in superseding else begin
        for position, begin in enumerate(rows.valid_from)
    ]
    return replace(rows, valid_from=begins), (ids, predicate_ids[list(at.values())])


def _watched(ontology: Ontology, known: Mapping[str, int], present: Iterable[str]) -> ConflictRules:
    """The relations in which triples of the present predicates can contradict others in the file."""
    touched = {name for used in present for name in may_state(ontology, used)}
    functional = {name for name in touched if ontology.rule(name).functional}
    declared = [(name, other) for name, rule in ontology.predicates.items() for other in rule.opposites]
    declared += [(asserted, name) for name in known if (asserted := asserted_of(name)) is not None]
    both_ways = declared + [(other, name) for name, other in declared]
    opposites = sorted({pair for pair in both_ways if touched & set(pair)})
    relations = sorted(functional | {name for pair in opposites for name in pair})
    number = {name: known.get(name, -1 - at) for at, name in enumerate(relations)}
    readings = [
        (known[predicate], number[name], not forward)
        for name in relations
        for predicate, forward in sorted(equivalent_readings(ontology, name))
        if predicate in known
    ]
    excluding = [(number[one], number[other]) for one, other in opposites]
    names = {number[name]: name for name in sorted(functional)}
    return ConflictRules(readings, names, excluding, agree=_is_same_date)


def _is_same_date(one: str, other: str) -> bool:
    """Whether one of two dates lies in the other, "May 16, 1801" in "1801"."""
    first, second = read_date(one), read_date(other)
    if first is None or second is None:
        return False
    both = max(first[0], second[0]), min(first[1], second[1])
    return both in {first, second}


def _unfit(ontology: Ontology, functional: Mapping[int, str], types: Sequence[str]) -> list[tuple[int, str, bool]]:
    """Of functional relations the types that no signature has: a building may be owned by two, a component may not."""
    return [
        (relation, type_, is_holder)
        for relation, name in functional.items()
        for is_holder in (True, False)
        for type_ in types
        if not any(
            wanted is None or ontology.is_a(type_, wanted)
            for signature in ontology.rule(name).signatures
            for wanted in (signature.domain if is_holder else signature.range,)
        )
    ]


def _typed(ontology: Ontology, present: Iterable[str]) -> list[str]:
    """The predicates that can refuse a type: all their signatures have domain or range, and some types are disjoint."""
    if not any(rule.disjoint_with for rule in ontology.types.values()):
        return []
    return [
        name
        for name in sorted(present)
        if all(signature.domain or signature.range for signature in ontology.rule(name).signatures)
    ]


def refusal(ontology: Ontology, predicate: str, subject_type: str, object_type: str) -> str:
    """Why a predicate cannot stand between two types, "" if it can: every signature needs one disjoint with theirs."""
    reasons: list[str] = []
    for signature in ontology.rule(predicate).signatures:
        for end, wanted, given in (("from", signature.domain, subject_type), ("to", signature.range, object_type)):
            if wanted and given and ontology.are_disjoint(given, wanted):
                reasons.append(f"leads {end} a {wanted}, which no {given} is")
                break
        else:
            return ""
    return f"{predicate} {reasons[0]}" if reasons else ""
