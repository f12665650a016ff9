"""Learning from errors: what failed, what fixed it and what worked again, as entities, triples and small texts.

A failure is error —caused_by→ tool and error —in_session→ session, and —similar_to→ the errors that it is like. A fix
is error —resolved_by→ fix and fix —learned_from→ session. Each is told in a document too, so that search finds it and
the triples have a passage to cite. A success makes what was learnt surer (see `confirm`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from mcp_graphrag.model import Ids, Origin, Triple
from mcp_graphrag.pipeline.confirm import Boost, Raised, confirm, find_error, related, similar_to
from mcp_graphrag.pipeline.conflicts import record_new
from mcp_graphrag.pipeline.embed import embed_entities
from mcp_graphrag.pipeline.outcome_names import Kind, Outcome, Told, told
from mcp_graphrag.pipeline.outcome_notes import Prepared, Stored, prepare, store_note
from mcp_graphrag.pipeline.pipeline import Pipeline
from mcp_graphrag.pipeline.triples import CALLER
from mcp_graphrag.resolve.entities import Group, resolve_names
from mcp_graphrag.retrieve.errors import LikeError, similar_errors
from mcp_graphrag.store import Reader, Writer
from mcp_graphrag.store.entities import NewMention, add_mentions, entity_ids_of_type, said_of_entities
from mcp_graphrag.store.history import reword_entities
from mcp_graphrag.store.triples import (
    Placed,
    TripleRows,
    add_predicates,
    add_triples,
    evidence_ids_of,
    triples_by_id,
)

LIKENESS = "likeness"  # the extractor of similar_to: nobody said it, texts were compared
# How sure a fix is when it is first told; that it worked again, or that others tell it too, makes it surer.
FIRST_FIX = 0.7
MOST_SIMILAR = 5
MOST_FIXES = 10
MOST_EVIDENCE = 3
TYPES = {"error": "Error", "tool": "Tool", "session": "Session", "fix": "Fix"}
NO_SESSION = "No session was given, so nothing links this to one."


@dataclass(frozen=True)
class KnownFix:
    """What resolved an error, this one with similarity 1 or one that it is like; `triple` is its resolved_by."""

    triple: Triple
    similarity: float


@dataclass(frozen=True)
class Recorded:
    """What became of an outcome: `triples` are what is stored of it, `new` the ids of those that are new.

    `document` is the uri of the text that tells it, "" for a success, which instead has `raised` the confidence of
    triples. `fixes` are the likeliest first: by similarity times confidence.
    """

    error: str
    kind: Kind
    triples: Sequence[Triple] = ()
    new: frozenset[int] = frozenset()
    document: str = ""
    similar: Sequence[LikeError] = ()
    fixes: Sequence[KnownFix] = ()
    raised: Sequence[Raised] = ()
    entities_added: int = 0
    notes: Sequence[str] = ()


def record_outcome(pipeline: Pipeline, outcome: Outcome, origin: Origin) -> Recorded:
    """Store a failure, a fix or a success in one transaction, and answer what helped against the like before.

    The same again in the same session adds nothing. Raises BadInput for what lacks a part, UnknownName for the success
    of an error that was never recorded.
    """
    given = told(outcome)
    if given.kind == "success":
        with pipeline.writing(origin) as tx:
            raised = _confirm(pipeline, tx, given)
        if raised is not None:
            return _confirmed(given, raised)
    with pipeline.reading() as tx:
        types = _types(pipeline, tx)
        known = find_error(tx, given.error.name, types)
        name, said = said_of_entities(tx, [known])[known] if known else (given.error.name, "")
        like = similar_errors(
            pipeline.store,
            tx,
            pipeline.embedder,
            f"{name} {given.error.text or said}",
            types=types,
            least=pipeline.settings.error_likeness,
            limit=MOST_SIMILAR + 1,
        )
    given = replace(given, error=replace(given.error, name=name))
    note = prepare(pipeline, given, said if said != given.context else "")
    with pipeline.writing(origin) as tx:
        return _write(pipeline, tx, given, note, [each for each in like if each.entity_id != known][:MOST_SIMILAR])


def _types(pipeline: Pipeline, tx: Reader) -> list[str]:
    return pipeline.ontology(tx).subtypes("Error")


def _confirm(pipeline: Pipeline, tx: Writer, given: Told) -> list[Raised] | None:
    boost = Boost(pipeline.settings.success_boost, pipeline.settings.success_spread)
    return confirm(tx, given, _types(pipeline, tx), boost)


def _confirmed(given: Told, raised: Sequence[Raised]) -> Recorded:
    counted = "This session" if given.session else "Today, without a session, a success"
    notes = [] if raised else [f"{counted} has confirmed it before, and counts once; or it is as sure as can be."]
    name = given.error.name or (raised[0].triple.subject if raised else "")
    return Recorded(name, "success", raised=raised, notes=notes)


def _write(pipeline: Pipeline, tx: Writer, given: Told, note: Prepared, like: Sequence[LikeError]) -> Recorded:
    stored = store_note(tx, pipeline, note, CALLER)
    parts = {"error": given.error, "tool": given.tool, "session": given.session, "fix": given.fix}
    named = {part: (each.name, TYPES[part]) for part, each in parts.items() if each}
    resolved = resolve_names(tx, [Group(list(named.values()))], CALLER)
    ids = {part: resolved.ids[0][each] for part, each in named.items()}
    _describe(tx, ids, given)
    is_new = ids["error"] in {entity_id for entity_id, _ in resolved.fresh}
    placed = _say(pipeline, tx, _sayings(given, is_new=is_new), ids, note, stored)
    if stored.is_new:
        _mention(tx, ids, parts={part: name for part, (name, _) in named.items()}, stored=stored)
    linked = _link(pipeline, tx, ids["error"], like, stored)
    raised = (_confirm(pipeline, tx, given) or []) if given.kind == "success" else []
    embed_entities(tx, pipeline.embedder, resolved.fresh)
    all_ids = [*placed.triple_ids.tolist(), *linked]
    return Recorded(
        given.error.name,
        given.kind,
        _with_evidence(tx, all_ids),
        frozenset([*placed.triple_ids[placed.is_new].tolist(), *linked]),
        note.document.uri,
        like,
        _known_fixes(tx, ids["error"], like),
        raised,
        entities_added=len(resolved.fresh),
        notes=[] if given.session else [NO_SESSION],
    )


def _sayings(given: Told, *, is_new: bool) -> list[tuple[str, str, str, float]]:
    """(subject, predicate, object, confidence) of what the outcome says, by part."""
    sayings: list[tuple[str, str, str, float]] = []
    if given.tool:
        sayings.append(("error", "caused_by", "tool", 1.0))
    if given.session and (not given.fix or is_new):
        sayings.append(("error", "in_session", "session", 1.0))
    if given.fix:
        sayings.append(("error", "resolved_by", "fix", FIRST_FIX))
    if given.fix and given.session:
        sayings.append(("fix", "learned_from", "session", FIRST_FIX))
    return sayings


def _say(
    pipeline: Pipeline,
    tx: Writer,
    sayings: Sequence[tuple[str, str, str, float]],
    ids: Mapping[str, int],
    note: Prepared,
    stored: Stored,
) -> Placed:
    known = add_predicates(tx, [predicate for _, predicate, _, _ in sayings])
    places = [stored.find(note.lines[predicate]) for _, predicate, _, _ in sayings]
    nothing = [None] * len(sayings)
    rows = TripleRows(
        [ids[subject] for subject, _, _, _ in sayings],
        [known[predicate] for _, predicate, _, _ in sayings],
        [ids[object_] for _, _, object_, _ in sayings],
        [confidence for _, _, _, confidence in sayings],
        [place.quote for place in places],
        [place.chunk_id for place in places],
        [place.start for place in places],
        [place.end for place in places],
        nothing,
        nothing,
        nothing,
        nothing,
        nothing,
    )
    placed = add_triples(tx, rows, CALLER)
    record_new(tx, pipeline.ontology(tx), rows, placed)
    return placed


def _describe(tx: Writer, ids: Mapping[str, int], given: Told) -> None:
    """Keep the whole text of an error or a fix as its description, where it has none."""
    texts = {"error": given.error.text or given.context, "fix": given.fix.text}
    known = said_of_entities(tx, ids.values())
    lacking = {part: text for part, text in texts.items() if text and part in ids and not known[ids[part]][1]}
    reword_entities(tx, [(ids[part], {"description": text}) for part, text in lacking.items()])


def _mention(tx: Writer, ids: Mapping[str, int], *, parts: Mapping[str, str], stored: Stored) -> None:
    places = {part: stored.find(name) for part, name in parts.items()}
    mentions = [
        NewMention(place.chunk_id, ids[part], place.start, place.end or 0, parts[part], TYPES[part])
        for part, place in places.items()
        if place.start is not None
    ]
    add_mentions(tx, mentions, CALLER)


def _link(pipeline: Pipeline, tx: Writer, error: int, like: Sequence[LikeError], stored: Stored) -> list[int]:
    """The ids of the new similar_to triples; a pair that is linked already, either way round, stays as it is."""
    known = {other for other, _ in similar_to(tx, [error])}
    there: Ids = np.concatenate([entity_ids_of_type(tx, each) for each in _types(pipeline, tx)])
    fresh = [each for each in like if each.entity_id not in known and each.entity_id in there]
    if not fresh:
        return []
    nothing = [None] * len(fresh)
    rows = TripleRows(
        [error] * len(fresh),
        [add_predicates(tx, ["similar_to"])["similar_to"]] * len(fresh),
        [each.entity_id for each in fresh],
        [round(each.similarity, 4) for each in fresh],
        nothing,
        [stored.chunks[0][0]] * len(fresh),
        nothing,
        nothing,
        nothing,
        nothing,
        nothing,
        nothing,
        nothing,
    )
    return add_triples(tx, rows, LIKENESS).triple_ids.tolist()


def _with_evidence(tx: Reader, ids: Sequence[int]) -> list[Triple]:
    found = triples_by_id(tx, ids, evidence_ids=evidence_ids_of(tx, ids, most=MOST_EVIDENCE))
    return [found[each] for each in dict.fromkeys(ids)]


def _known_fixes(tx: Reader, error: int, like: Sequence[LikeError]) -> list[KnownFix]:
    """How the error, and those that it is like, were resolved before."""
    similarity = {other: triple.confidence for other, triple in similar_to(tx, [error])}
    similarity |= {each.entity_id: each.similarity for each in like} | {error: 1.0}
    fixes = [each.id for each in related(tx, "resolved_by", subjects=similarity)]
    found = [KnownFix(each, similarity[each.subject_id]) for each in _with_evidence(tx, fixes)]
    return sorted(found, key=lambda each: (-each.similarity * each.triple.confidence, each.triple.id))[:MOST_FIXES]
