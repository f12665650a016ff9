"""What contradicts what: functional predicates, declared opposites, disjoint types, and dates that disagree.

A triple is compared in every reading of its predicate: as it stands, turned round where the predicate is symmetric,
and as its inverse, where that is the inverse of nothing else.
"""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from mcp_graphrag.model import Ids
from mcp_graphrag.resolve.ontology import Ontology, Signature
from mcp_graphrag.store import Reader, Writer
from mcp_graphrag.store.conflicts import (
    NO_CONTRADICTIONS,
    Contradictions,
    Superseding,
    Watched,
    add_conflicts,
    close_triples,
    retire_stale_conflicts,
    superseded_by,
    triples_to_compare,
    types_met,
)
from mcp_graphrag.store.triples import predicates


def record_conflicts(
    tx: Writer, ontology: Ontology, triple_ids: Ids, predicate_ids: Sequence[int] | Ids
) -> Contradictions:
    """Record what new triples contradict in the file; `predicate_ids` are theirs, in the same order.

    Both sides stay in force. Costs next to nothing where none of the predicates can contradict anything.
    """
    if not len(triple_ids):
        return NO_CONTRADICTIONS
    used = np.asarray(predicate_ids, dtype=np.int64)
    known = predicates(tx)
    names = {known_id: name for name, known_id in known.items()}
    present = {names[each] for each in np.flatnonzero(np.bincount(used)).tolist()}
    watched = _watched(ontology, known, present)
    typed = _typed(ontology, present)
    if not watched.readings and not typed:
        return NO_CONTRADICTIONS
    concerned = {predicate for predicate, _, _ in watched.readings} | {known[name] for name in typed}
    is_concerned = np.zeros(max(names) + 1, dtype=np.bool_)
    is_concerned[sorted(concerned)] = True
    ids = np.asarray(triple_ids, dtype=np.int64)[is_concerned[used]]
    refusals = _refusals(tx, ontology, {known[name]: name for name in typed}, ids) if typed else ()
    return add_conflicts(tx, ids, Watched(watched.readings, watched.functional, watched.opposites, refusals))


def settle_conflicts(tx: Writer, ontology: Ontology) -> Contradictions:
    """Let conflicts follow what this write has retired, moved and put in force; to be called at its end.

    Those of triples that are gone go too. What is in force anew is compared, and so is what stands without dates where
    a dated triple has spoken for it until now.
    """
    if not tx.changed:
        return NO_CONTRADICTIONS
    retire_stale_conflicts(tx)
    return record_conflicts(tx, ontology, *triples_to_compare(tx))


def end_superseded(tx: Writer, ontology: Ontology, rows: Superseding) -> tuple[set[int], tuple[Ids, Ids]]:
    """End what the rows replace: triples in force with the same subject, a functional predicate and another object.

    Each is retired and written anew until the row begins to hold, or until now. Answers the positions of the rows that
    have replaced something, and (ids, predicate ids) of what was written anew.
    """
    known = predicates(tx)
    used = set(np.unique(rows.predicate_ids).tolist())
    watched = _watched(ontology, known, {name for name, known_id in known.items() if known_id in used})
    readings = [each for each in watched.readings if each[1] in watched.functional]
    if not readings:
        return set(), (np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64))
    found = superseded_by(tx, rows, Watched(readings))
    # Of several that replace the same one, the first to begin does.
    ends = {old: moment for _, old, moment in sorted(found, key=lambda each: each[2], reverse=True)}
    renewed = close_triples(tx, ends)
    at = {old: position for position, old, _ in found}
    ids = np.array([renewed[old] for old in at], dtype=np.int64)
    predicate_ids = np.array([rows.predicate_ids[position] for position in at.values()], dtype=np.int64)
    return {position for position, _, _ in found}, (ids, predicate_ids)


def _watched(ontology: Ontology, known: Mapping[str, int], present: Iterable[str]) -> Watched:
    """The relations in which triples of the present predicates can contradict others, as far as the file knows them."""
    touched = {name for said in present for name in (said, *(inverse for _, inverse in ontology.inverses(said)))}
    functional = {name for name in touched if ontology.rule(name).functional}
    declared = [(name, other) for name, rule in ontology.predicates.items() for other in rule.opposites]
    turned_round = [(other, name) for name, other in declared]
    opposites = sorted({pair for pair in declared + turned_round if touched & set(pair)})
    relations = sorted(functional | {name for pair in opposites for name in pair})
    number = {name: known.get(name, -1 - at) for at, name in enumerate(relations)}
    readings = [
        (known[said], number[name], turned)
        for name in relations
        for said, turned in _sayings(ontology, name)
        if said in known
    ]
    excluding = [(number[one], number[other]) for one, other in opposites]
    return Watched(readings, {number[name]: name for name in sorted(functional)}, excluding)


def _sayings(ontology: Ontology, relation: str) -> list[tuple[str, bool]]:
    """The predicates by which a relation is said, and whether with subject and object exchanged."""
    said = [(relation, False)]
    if ontology.rule(relation).symmetric:
        said.append((relation, True))
    for _, inverse in ontology.inverses(relation):
        if {name for _, name in ontology.inverses(inverse)} == {relation}:
            said.append((inverse, True))
    return list(dict.fromkeys(said))


def _typed(ontology: Ontology, present: Iterable[str]) -> list[str]:
    """Of the predicates those that may refuse a type: some types are disjoint, and every signature names one."""
    if not any(rule.disjoint_with for rule in ontology.types.values()):
        return []
    return [
        name for name in sorted(present) if all(each.domain or each.range for each in ontology.rule(name).signatures)
    ]


def _refusals(
    tx: Reader, ontology: Ontology, names: Mapping[int, str], triple_ids: Ids
) -> list[tuple[int, str, str, str]]:
    refused: list[tuple[int, str, str, str]] = []
    for predicate_id, subject_type, object_type in types_met(tx, triple_ids):
        if predicate_id in names:
            why = refusal(ontology, names[predicate_id], subject_type, object_type)
            if why:
                refused.append((predicate_id, subject_type, object_type, why))
    return refused


def refusal(ontology: Ontology, predicate: str, subject_type: str, object_type: str) -> str:
    """Why a predicate cannot stand between two types, "" if it can: every signature needs one disjoint with theirs."""
    reasons = [_misfit(ontology, each, subject_type, object_type) for each in ontology.rule(predicate).signatures]
    return f"{predicate} {reasons[0]}" if reasons and all(reasons) else ""


def _misfit(ontology: Ontology, signature: Signature, subject_type: str, object_type: str) -> str:
    for end, wanted, given in (("from", signature.domain, subject_type), ("to", signature.range, object_type)):
        if wanted and given and ontology.are_disjoint(given, wanted):
            return f"leads {end} a {wanted}, which no {given} is"
    return ""
