"""A success: the fix that worked again is surer, and a little so is what was learnt from similar errors.

The triples error —resolved_by→ fix and fix —learned_from→ session gain the boost; those of errors one similar_to step
away gain its spread, boost times spread, whatever their fix. It is stored as evidence of the extractor `outcome` with
the session as its source, so it is logged, can be undone, and counts once a session (without one, once a day). No
confidence goes above 1.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from mcp_graphrag.errors import BadInput, UnknownName
from mcp_graphrag.index.norms import normal_form
from mcp_graphrag.model import Triple
from mcp_graphrag.pipeline.outcome_names import Told
from mcp_graphrag.store import Reader, Writer
from mcp_graphrag.store.confidence import CONFIRMED
from mcp_graphrag.store.entities import entities_like, entity_heads, match_norms, type_key
from mcp_graphrag.store.triples import (
    Pattern,
    TripleRows,
    add_triples,
    predicates,
    triple_ids_like,
    triples_by_id,
)

EVERY = 2**31
FIRST = "Record it as fixed, with the fix that worked."


@dataclass(frozen=True)
class Raised:
    """A triple after a success, its confidence before, and whether the success was its own or a similar error's."""

    triple: Triple
    before: float
    directly: bool


@dataclass(frozen=True)
class Boost:
    """How much a success adds to what it confirms, and the share of it that similar errors get."""

    whole: float
    spread: float


def confirm(tx: Writer, told: Told, types: Sequence[str], boost: Boost) -> list[Raised] | None:
    """Raise the confidence of what a success confirms; None where the fix was not known to resolve the error.

    Raises UnknownName for an error or fix that was never recorded, BadInput where it is open which fix worked.
    """
    direct = _confirmed(tx, told, types)
    if not direct:
        return None
    errors = {each.subject_id for each in direct}
    similar = _similar(tx, errors)
    own = {each.id: each for each in (*direct, *_learned(tx, (each.object_id for each in direct)))}
    fixes = related(tx, "resolved_by", subjects=similar)
    near = {each.id: each for each in (*fixes, *_learned(tx, (each.object_id for each in fixes)))}
    near = {each: triple for each, triple in near.items() if each not in own}
    source = told.session.name or f"success of {tx.recorded_at:%Y-%m-%d}"
    _add(tx, list(own.values()), boost.whole, source)
    _add(tx, list(near.values()), boost.whole * boost.spread, source)
    after = triples_by_id(tx, [*own, *near])
    before = {**own, **near}
    return [
        Raised(after[each], before[each].confidence, each in own)
        for each in before
        if after[each].confidence > before[each].confidence
    ]


def find_error(tx: Reader, name: str, types: Sequence[str]) -> int | None:
    """The entity of an error's name, None where none is recorded."""
    found = [
        match.entity_id
        for match in match_norms(tx, [normal_form(name)] if name else [])
        if not match.type or type_key(match.type) in types
    ]
    return found[0] if found else None


def related(
    tx: Reader, predicate: str, *, subjects: Iterable[int] | None = None, objects: Iterable[int] | None = None
) -> list[Triple]:
    """The triples in force of a predicate with one of the subjects and one of the objects; None for any."""
    known = predicates(tx)
    if predicate not in known:
        return []
    pattern = Pattern(
        subjects=None if subjects is None else list(subjects),
        predicates=[known[predicate]],
        objects=None if objects is None else list(objects),
    )
    ids = triple_ids_like(tx, pattern, after=0, limit=EVERY).tolist()
    found = triples_by_id(tx, ids)
    return [found[each] for each in ids]


def similar_to(tx: Reader, errors: Iterable[int]) -> list[tuple[int, Triple]]:
    """(the other error, the triple) for each similar_to of the errors, whichever way it was stored."""
    mine = set(errors)
    found = [(each.object_id, each) for each in related(tx, "similar_to", subjects=mine)]
    found += [(each.subject_id, each) for each in related(tx, "similar_to", objects=mine)]
    return [(other, each) for other, each in found if other not in mine]


def _similar(tx: Reader, errors: Iterable[int]) -> list[int]:
    return sorted({other for other, _ in similar_to(tx, errors)})


def _learned(tx: Reader, fixes: Iterable[int]) -> list[Triple]:
    return related(tx, "learned_from", subjects=set(fixes))


def _confirmed(tx: Reader, told: Told, types: Sequence[str]) -> list[Triple]:
    """The resolved_by triples that a success is about, none where its fix is new for its error."""
    error = find_error(tx, told.error.name, types)
    if told.error and error is None:
        if told.fix:
            return []
        like = entities_like(tx, normal_form(told.error.name), types=types, limit=5)
        names = entity_heads(tx, [each for each, _ in like])
        nearest = [names[each].name for each, _ in like]
        raise UnknownName("error", told.error.name, nearest, FIRST)
    fixes = [each.entity_id for each in match_norms(tx, [normal_form(told.fix.name)])] if told.fix else None
    subjects = None if error is None else [error]
    found = related(tx, "resolved_by", subjects=subjects, objects=fixes)
    if not found and (error is None or not told.fix):
        raise BadInput(
            f"Nothing is known to be resolved by '{told.fix.name}'."
            if told.fix
            else f"No fix of {told.error.name} is known.",
            FIRST,
        )
    if not told.fix and len(found) > 1:
        listed = "; ".join(each.object for each in found)
        raise BadInput(f"{told.error.name} has {len(found)} known fixes: {listed}.", "Say which worked, as fix.")
    return found


def _add(tx: Writer, triples: Sequence[Triple], boost: float, source: str) -> None:
    known = predicates(tx)
    nothing = [None] * len(triples)
    rows = TripleRows(
        [each.subject_id for each in triples],
        [known[each.predicate] for each in triples],
        [each.object_id for each in triples],
        [boost] * len(triples),
        nothing,
        nothing,
        nothing,
        nothing,
        nothing,
        [source] * len(triples),
        [each.valid_from for each in triples],
        [each.valid_to for each in triples],
        nothing,
    )
    if boost > 0:
        add_triples(tx, rows, CONFIRMED)
