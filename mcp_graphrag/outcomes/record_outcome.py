"""Outcomes stored as entities, triples and notes: failures, fixes and successes.

A failure is error —caused_by→ tool and error —in_session→ session, and —similar_to→ the errors that are similar. A fix
is error —resolved_by→ fix and fix —learned_from→ session. Both have a note, a small document, so that search finds them
and their triples have a chunk to cite. A success raises confidences (see `confirm_fix`).

`prepare_outcome` reads a snapshot and does the slow part, embedding; `record_outcome` writes.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from mcp_graphrag.edit.index_text import embed_entities
from mcp_graphrag.errors import BadInput
from mcp_graphrag.model import Triple
from mcp_graphrag.outcomes.confirm_fix import Boost, Raised, confirm, confirmed_triples, find_error, related, similar_to
from mcp_graphrag.outcomes.outcome_names import CleanOutcome, Kind, Outcome, clean_outcome
from mcp_graphrag.outcomes.outcome_notes import NoteLimits, PreparedNote, StoredNote, prepare_note, store_note
from mcp_graphrag.outcomes.similar_errors import SimilarError, similar_errors
from mcp_graphrag.resolve.callers_names import name_without_id, settle_names
from mcp_graphrag.resolve.detect_conflicts import record_contradictions
from mcp_graphrag.resolve.resolve_entities import AGENT, Group, resolve_names
from mcp_graphrag.snapshot import Snapshot, Write
from mcp_graphrag.store import Reader, Writer
from mcp_graphrag.store.rows.entity_rows import entity_descriptions, entity_ids_of_type, update_entities
from mcp_graphrag.store.rows.mention_rows import NewMention, add_mentions
from mcp_graphrag.store.rows.triple_rows import (
    PlacedTriples,
    TripleRows,
    add_predicates,
    add_triples,
    evidence_ids_of,
    triples_by_id,
)

SIMILARITY = "similarity"  # the extractor of similar_to, which comes from a comparison of texts
FIX_CONFIDENCE = 0.7  # when it is first recorded; further reports and successes raise it
MAX_SIMILAR = 5
MAX_FIXES = 10
MAX_EVIDENCE = 3
TYPES = {"error": "Error", "tool": "Tool", "session": "Session", "fix": "Fix"}
NO_SESSION = "No session was given, so the outcome is linked to none."


@dataclass(frozen=True)
class KnownFix:
    """The fix of the error, with similarity 1, or of a similar one; `triple` is its resolved_by."""

    triple: Triple
    similarity: float


@dataclass(frozen=True)
class Recorded:
    """A recorded outcome: `triples` are those stored for it, `new` the ids of those that are new.

    `document` is the uri of its note, "" for a success, whose `raised` triples have a new confidence. `fixes` are
    ordered by similarity times confidence.
    """

    error: str
    kind: Kind
    triples: Sequence[Triple] = ()
    new: frozenset[int] = frozenset()
    document: str = ""
    similar: Sequence[SimilarError] = ()
    fixes: Sequence[KnownFix] = ()
    raised: Sequence[Raised] = ()
    entities_added: int = 0
    notes: Sequence[str] = ()


@dataclass(frozen=True)
class PreparedOutcome:
    """An outcome ready to be stored. `note` is None for a success of a fix that is recorded for the error."""

    outcome: CleanOutcome
    note: PreparedNote | None = None
    similar: Sequence[SimilarError] = ()


def prepare_outcome(
    snapshot: Snapshot, outcome: Outcome, *, limits: NoteLimits, min_similarity: float
) -> PreparedOutcome:
    """The outcome with clean names, its note, and the recorded errors that are at least so similar.

    Raises BadInput if a part is missing, cannot be stored or is the name of several entities, UnknownName for the
    success of an error that is not recorded.
    """
    tx, given = snapshot.tx, clean_outcome(outcome)
    types = snapshot.ontology.subtypes("Error")
    if given.kind == "success" and confirmed_triples(tx, given, types):
        return PreparedOutcome(given)
    known = find_error(tx, given.error.name, types)
    name, description = entity_descriptions(tx, [known])[known] if known else (given.error.name, "")
    text = f"{name} {given.error.text or description}"
    similar = similar_errors(snapshot, text, types=types, min_similarity=min_similarity, limit=MAX_SIMILAR + 1)
    if name_without_id(given.error.name) == given.error.name:
        given = replace(given, error=replace(given.error, name=name))
    note = prepare_note(snapshot.embedders.static, given, description if description != given.context else "", limits)
    return PreparedOutcome(given, note, [error for error in similar if error.entity_id != known][:MAX_SIMILAR])


def record_outcome(write: Write, prepared: PreparedOutcome, *, boost: Boost) -> Recorded:
    """Store a failure, a fix or a success; the answer has the fixes of this error and of similar ones.

    The same outcome again in the same session adds nothing. Raises BadInput if the fix of a success was removed after
    `prepare_outcome`.
    """
    given = prepared.outcome
    if given.kind == "success":
        raised = confirm(write.tx, given, write.ontology.subtypes("Error"), boost)
        if raised is not None:
            counted = "this session" if given.session else "a day without a session"
            notes = [] if raised else [f"Nothing was raised: {counted} counts once, or the confidence is 1 already."]
            name = given.error.name or (raised[0].triple.subject if raised else "")
            return Recorded(name, "success", raised=raised, notes=notes)
    if prepared.note is None:
        raise BadInput("The fix that the success confirms was removed meanwhile.", "Record the success again.")
    return _store(write, given, prepared.note, prepared.similar, boost)


def _store(
    write: Write, given: CleanOutcome, note: PreparedNote, similar: Sequence[SimilarError], boost: Boost
) -> Recorded:
    tx = write.tx
    stored = store_note(tx, note)
    parts = {"error": given.error, "tool": given.tool, "session": given.session, "fix": given.fix}
    names = {part: text.name for part, text in parts.items() if text}
    named = {part: (name, TYPES[part]) for part, name in names.items()}
    settled = settle_names(tx, list(named.values()))
    resolved = resolve_names(tx, [Group([each for each in named.values() if each not in settled])], AGENT)
    ids = {part: {**resolved.ids[0], **settled}[each] for part, each in named.items()}
    _describe(tx, ids, given)
    is_new = ids["error"] in {entity_id for entity_id, _ in resolved.fresh}
    placed = _store_triples(write, _statements(given, is_new=is_new), ids, note, stored)
    if stored.is_new:
        _store_mentions(tx, ids, names, stored)
    linked = _link(write, ids["error"], similar, stored)
    raised = (confirm(tx, given, write.ontology.subtypes("Error"), boost) or []) if given.kind == "success" else []
    embed_entities(tx, write.embedders.static, resolved.fresh)
    all_ids = [*placed.triple_ids.tolist(), *linked]
    return Recorded(
        given.error.name,
        given.kind,
        _with_evidence(tx, all_ids),
        frozenset([*placed.triple_ids[placed.is_new].tolist(), *linked]),
        note.document.uri,
        similar,
        _known_fixes(tx, ids["error"], similar),
        raised,
        entities_added=len(resolved.fresh),
        notes=[] if given.session else [NO_SESSION],
    )


def _statements(given: CleanOutcome, *, is_new: bool) -> list[tuple[str, str, str, float]]:
    """(subject, predicate, object, confidence) of the triples of the outcome; subject and object are parts of it."""
    in_session = bool(given.session) and (not given.fix or is_new)
    statements = [
        (bool(given.tool), ("error", "caused_by", "tool", 1.0)),
        (in_session, ("error", "in_session", "session", 1.0)),
        (bool(given.fix), ("error", "resolved_by", "fix", FIX_CONFIDENCE)),
        (bool(given.fix and given.session), ("fix", "learned_from", "session", FIX_CONFIDENCE)),
    ]
    return [statement for holds, statement in statements if holds]


def _store_triples(
    write: Write,
    statements: Sequence[tuple[str, str, str, float]],
    ids: Mapping[str, int],
    note: PreparedNote,
    stored: StoredNote,
) -> PlacedTriples:
    tx = write.tx
    known = add_predicates(tx, [predicate for _, predicate, _, _ in statements])
    places = [stored.find(note.lines[predicate]) for _, predicate, _, _ in statements]
    rows = TripleRows(
        [ids[subject] for subject, _, _, _ in statements],
        [known[predicate] for _, predicate, _, _ in statements],
        [ids[object_] for _, _, object_, _ in statements],
        [confidence for _, _, _, confidence in statements],
        chunk_ids=[chunk_id for chunk_id, _, _, _ in places],
        quotes=[quote for _, quote, _, _ in places],
        starts=[start for _, _, start, _ in places],
        ends=[end for _, _, _, end in places],
    )
    placed = add_triples(tx, rows, AGENT)
    record_contradictions(tx, write.ontology, rows, placed)
    return placed


def _describe(tx: Writer, ids: Mapping[str, int], given: CleanOutcome) -> None:
    """Store the text of an error or a fix as its description, if it has none."""
    texts = {"error": given.error.text or given.context, "fix": given.fix.text}
    known = entity_descriptions(tx, ids.values())
    lacking = {part: text for part, text in texts.items() if text and part in ids and not known[ids[part]][1]}
    update_entities(tx, [(ids[part], {"description": text}) for part, text in lacking.items()])


def _store_mentions(tx: Writer, ids: Mapping[str, int], names: Mapping[str, str], stored: StoredNote) -> None:
    places = {part: stored.find(name) for part, name in names.items()}
    mentions = [
        NewMention(chunk_id, ids[part], start, end, names[part], TYPES[part])
        for part, (chunk_id, _, start, end) in places.items()
        if start is not None and end is not None
    ]
    add_mentions(tx, mentions, AGENT)


def _link(write: Write, error: int, similar: Sequence[SimilarError], stored: StoredNote) -> list[int]:
    """The ids of the new similar_to triples; a pair that is linked in either direction stays as it is."""
    tx = write.tx
    known = {other for other, _ in similar_to(tx, [error])}
    # An error may have been removed since the comparison.
    in_force = entity_ids_of_type(tx, *write.ontology.subtypes("Error"))
    fresh = [other for other in similar if other.entity_id not in known and other.entity_id in in_force]
    if not fresh:
        return []
    predicate_id = add_predicates(tx, ["similar_to"])["similar_to"]
    rows = TripleRows(
        [error] * len(fresh),
        [predicate_id] * len(fresh),
        [other.entity_id for other in fresh],
        [round(other.similarity, 4) for other in fresh],
        chunk_ids=[stored.chunks[0][0]] * len(fresh),
    )
    return add_triples(tx, rows, SIMILARITY).triple_ids.tolist()


def _with_evidence(tx: Reader, ids: Sequence[int]) -> list[Triple]:
    found = triples_by_id(tx, ids, evidence_ids=evidence_ids_of(tx, ids, limit=MAX_EVIDENCE))
    return [found[triple_id] for triple_id in dict.fromkeys(ids)]


def _known_fixes(tx: Reader, error: int, similar: Sequence[SimilarError]) -> list[KnownFix]:
    """The fixes of the error and of similar ones."""
    similarity = {other: triple.confidence for other, triple in similar_to(tx, [error])}
    similarity |= {error.entity_id: error.similarity for error in similar} | {error: 1.0}
    fixes = [triple.id for triple in related(tx, "resolved_by", subjects=similarity)]
    found = [KnownFix(triple, similarity[triple.subject_id]) for triple in _with_evidence(tx, fixes)]
    return sorted(found, key=lambda fix: (-fix.similarity * fix.triple.confidence, fix.triple.id))[:MAX_FIXES]
