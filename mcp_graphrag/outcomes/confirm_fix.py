"""Successes: they raise the confidence of the fix that worked and, less, of the fixes of similar errors.

The triples error —resolved_by→ fix and fix —learned_from→ session gain the boost; those of errors one similar_to step
away gain the boost times the spread, whatever their fix. A boost is stored as evidence of the extractor `outcome` with
the session as its source, so it is logged, can be undone, and counts once a session (without one, once a day). No
confidence rises above 1.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from mcp_graphrag.errors import BadInput, UnknownName
from mcp_graphrag.index.normalize import normal_form
from mcp_graphrag.model import Triple
from mcp_graphrag.outcomes.outcome_names import CleanOutcome
from mcp_graphrag.resolve.callers_names import ambiguous_name, matches_of
from mcp_graphrag.store import Reader, Writer
from mcp_graphrag.store.rows.confidence import CONFIRMED
from mcp_graphrag.store.rows.entity_rows import entity_labels, similar_entities, type_key
from mcp_graphrag.store.rows.triple_rows import (
    TriplePattern,
    TripleRows,
    add_triples,
    match_pattern,
    predicates,
    triples_by_id,
)

NO_LIMIT = 2**31
RECORD_FIX = "Record it as fixed, with the fix that worked."


@dataclass(frozen=True)
class Raised:
    """A triple after a success, its confidence before, and whether it is the confirmed one, not of a similar error."""

    triple: Triple
    before: float
    directly: bool


@dataclass(frozen=True)
class Boost:
    """What a success adds to the confidence of its triples, and the share of it that those of similar errors get."""

    whole: float
    spread: float


def confirm(tx: Writer, outcome: CleanOutcome, types: Sequence[str], boost: Boost) -> list[Raised] | None:
    """The triples whose confidence the success has raised; None if the fix is not recorded for the error.

    Raises UnknownName for an error that was never recorded, BadInput if the fix is ambiguous.
    """
    direct = confirmed_triples(tx, outcome, types)
    if not direct:
        return None
    similar = {other for other, _ in similar_to(tx, {triple.subject_id for triple in direct})}
    own = _with_learned(tx, direct)
    near = _with_learned(tx, related(tx, "resolved_by", subjects=sorted(similar)))
    near = {triple_id: triple for triple_id, triple in near.items() if triple_id not in own}
    source = outcome.session.name or f"success of {tx.recorded_at:%Y-%m-%d}"
    _add(tx, list(own.values()), boost.whole, source)
    _add(tx, list(near.values()), boost.whole * boost.spread, source)
    after = triples_by_id(tx, [*own, *near])
    return [
        Raised(after[triple_id], before.confidence, triple_id in own)
        for triple_id, before in {**own, **near}.items()
        if after[triple_id].confidence > before.confidence
    ]


def find_error(tx: Reader, name: str, types: Sequence[str]) -> int | None:
    """The entity id of an error by its name, None if it is not recorded. Raises BadInput if several have the name."""
    matches = matches_of(tx, name) if name else []
    errors = [match for match in matches if not match.type or type_key(match.type) in types]
    own = [match.entity_id for match in errors if not match.by_alias]
    if len(own) > 1:
        raise ambiguous_name(tx, name, own)
    # An alias of several errors is the name of none.
    return errors[0].entity_id if errors and (own or len(errors) == 1) else None


def related(
    tx: Reader, predicate: str, *, subjects: Iterable[int] | None = None, objects: Iterable[int] | None = None
) -> list[Triple]:
    """The triples in force of a predicate with one of the subjects and one of the objects; None for any."""
    known = predicates(tx)
    if predicate not in known:
        return []
    pattern = TriplePattern(
        subjects=None if subjects is None else list(subjects),
        predicates=[known[predicate]],
        objects=None if objects is None else list(objects),
    )
    ids = match_pattern(tx, pattern, after=0, limit=NO_LIMIT).tolist()
    found = triples_by_id(tx, ids)
    return [found[triple_id] for triple_id in ids]


def similar_to(tx: Reader, errors: Iterable[int]) -> list[tuple[int, Triple]]:
    """(the other error, the triple) for each similar_to of the errors, in both directions."""
    mine = set(errors)
    found = [(triple.object_id, triple) for triple in related(tx, "similar_to", subjects=mine)]
    found += [(triple.subject_id, triple) for triple in related(tx, "similar_to", objects=mine)]
    return [(other, triple) for other, triple in found if other not in mine]


def _with_learned(tx: Reader, fixes: Sequence[Triple]) -> dict[int, Triple]:
    """The resolved_by triples and the learned_from triples of their fixes, by id."""
    learned = related(tx, "learned_from", subjects={triple.object_id for triple in fixes})
    return {triple.id: triple for triple in (*fixes, *learned)}


def confirmed_triples(tx: Reader, outcome: CleanOutcome, types: Sequence[str]) -> list[Triple]:
    """The resolved_by triples that a success confirms, none if the fix is not recorded for the error.

    Raises as `confirm` does.
    """
    error = find_error(tx, outcome.error.name, types)
    if outcome.error and error is None:
        if outcome.fix:
            return []
        near = similar_entities(tx, normal_form(outcome.error.name), types=types, limit=5)
        names = entity_labels(tx, [entity_id for entity_id, _ in near])
        nearest = [names[entity_id].name for entity_id, _ in near]
        raise UnknownName("error", outcome.error.name, nearest, RECORD_FIX)
    fixes = [match.entity_id for match in matches_of(tx, outcome.fix.name)] if outcome.fix else None
    subjects = None if error is None else [error]
    found = related(tx, "resolved_by", subjects=subjects, objects=fixes)
    if not found and (error is None or not outcome.fix):
        unrecorded = f"No error is recorded as resolved by '{outcome.fix.name}'."
        raise BadInput(unrecorded if outcome.fix else f"No fix of {outcome.error.name} is recorded.", RECORD_FIX)
    if not outcome.fix and len(found) > 1:
        fact = f"{outcome.error.name} has {len(found)} recorded fixes: {'; '.join(triple.object for triple in found)}."
        raise BadInput(fact, "Give the one that worked as fix.")
    return found


def _add(tx: Writer, triples: Sequence[Triple], boost: float, source: str) -> None:
    if boost <= 0 or not triples:
        return
    known = predicates(tx)
    rows = TripleRows(
        [triple.subject_id for triple in triples],
        [known[triple.predicate] for triple in triples],
        [triple.object_id for triple in triples],
        [boost] * len(triples),
        sources=[source] * len(triples),
        valid_from=[triple.valid_from for triple in triples],
        valid_to=[triple.valid_to for triple in triples],
    )
    add_triples(tx, rows, CONFIRMED)
