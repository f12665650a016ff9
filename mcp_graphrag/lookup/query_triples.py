"""Triples by subject, predicate, object and their types: stored ones first, then inferred ones, then values."""

import difflib
import re
from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from mcp_graphrag.clean_input import check_range
from mcp_graphrag.english.lexicon import lexicon_with
from mcp_graphrag.english.values import read_value
from mcp_graphrag.errors import UnknownName
from mcp_graphrag.lookup.document_paths import triples_within
from mcp_graphrag.lookup.find_entities import (
    MAX_NEAREST,
    Linked,
    exact_name,
    find_named,
    known_types,
    link_definitions,
    link_name,
    with_type,
)
from mcp_graphrag.lookup.hidden_calls import USES, what_may_hide
from mcp_graphrag.lookup.inferred_triples import MAX_INFERRED, infer_triples
from mcp_graphrag.model import PHRASE, VALUE, Evidence, Triple
from mcp_graphrag.ontology.map_predicates import Mapped, canonical_predicate, denial_of, map_predicate
from mcp_graphrag.ontology.ontology import Ontology
from mcp_graphrag.ontology.readings import Reading, stating_predicates
from mcp_graphrag.snapshot import Snapshot
from mcp_graphrag.store import Reader
from mcp_graphrag.store.rows.citations import resolve_citation
from mcp_graphrag.store.rows.document_rows import Tests
from mcp_graphrag.store.rows.entity_rows import EntityLabel, commit_ids, phrase_ids, type_key
from mcp_graphrag.store.rows.triple_rows import (
    TriplePattern,
    count_matching,
    match_pattern,
    predicates,
    predicates_of_phrases,
    triples_by_id,
)
from mcp_graphrag.store.rows.value_rows import ValuePattern, count_values, match_values

CODE = "code"  # the extractor of source code
MAX_EVIDENCE = 3
MAX_FILES = 8  # of source code that are evidence for a triple, as the files of one package may be
MAX_LINES = 20  # of source code that are evidence for a triple
_HASH = re.compile("[0-9a-f]{7,64}")
VALUES_AT = -1_000_000_000  # where a list goes on with values, which it does below this behind the first of them
MIN_LIKENESS = 0.4  # of a predicate that may be meant: share of equal letters, or cosine


@dataclass(frozen=True)
class TripleQuery:
    """Which triples to find, by name; None matches all, for `min_confidence` what the setting says."""

    subject: str | None = None
    predicate: str | None = None
    object: str | None = None
    subject_type: str | None = None
    object_type: str | None = None
    limit: int = 20
    after: int = 0
    infer: bool = True
    min_confidence: float | None = None
    paths: Sequence[str] = ()
    tests: Tests | None = None


@dataclass(frozen=True)
class TriplePage:
    """Triples, the stored ones oldest first, then the inferred ones, the most direct first, then values as read.

    `total` counts the stored ones and the values of all pages. `next_after` continues the list, None at its end;
    `marks` has for each triple the `after` that continues behind it. Of several entities of one name and type the id
    stands behind the name.
    """

    triples: Sequence[Triple]
    next_after: int | None
    marks: Sequence[int] = ()
    notes: Sequence[str] = ()
    total: int = 0


def query_triples(snapshot: Snapshot, query: TripleQuery) -> TriplePage:
    """The triples in force that match, what follows from them by the ontology, and the values of what is named.

    An object may be a value too: "5432" finds what has it. Without a date in `snapshot.when` all stored triples are
    listed, whenever they hold; with one, those that hold then, by the rule of `TripleGraph.as_of`.
    Raises UnknownName with the nearest names, BadInput for a limit below 1.
    """
    check_range("limit", query.limit, 1)
    snapshot = triples_within(snapshot, query.paths, query.tests)
    query = _as_stored(snapshot, query)
    subject = _asked_for(snapshot, query.subject) if query.subject else None
    sought = _values_sought(snapshot, query, subject)
    stated = count_values(snapshot.tx, sought) if sought else 0
    link = find_object if stated else _asked_for
    ends = [subject, (link(snapshot, query.object) or Linked([], "exact")) if query.object else None]
    subjects, objects = [_ids_of(snapshot, linked) if linked else None for linked in ends]
    pattern = TriplePattern(
        subjects=subjects,
        predicates=_predicate_ids(snapshot, query),
        objects=objects,
        subject_types=known_types(snapshot, query.subject_type),
        object_types=known_types(snapshot, query.object_type),
        as_of=snapshot.when.as_of,
        min_confidence=snapshot.min_confidence,
        among=None if snapshot.within is None else snapshot.within.triples,
    )
    ids: list[int] = []
    if query.after >= 0:
        ids = match_pattern(snapshot.tx, pattern, after=query.after, limit=query.limit + 1).tolist()
    found = fetch_triples(snapshot, ids[: query.limit])
    stored = [found[triple_id] for triple_id in ids[: query.limit]]
    more = len(ids) > query.limit
    # Without a name, inference would only repeat everything in the other direction.
    named = any((query.subject, query.predicate, query.object))
    if query.after <= VALUES_AT:
        page = TriplePage([], None)
    elif more or not query.infer or not named:
        page = TriplePage(stored, stored[-1].id if more else None, [triple.id for triple in stored])
    else:
        page = _with_inferred(snapshot, pattern, query, stored)
    total = count_matching(snapshot.tx, pattern) if more or query.after else len(stored)
    if sought and page.next_after is None:
        page = _with_values(snapshot, sought, query, page)
    page = replace(page, total=total + stated)
    beside = bool(page.triples)
    if not query.after and (not beside or query.predicate in USES):
        asked = ends[1:] if beside else ends
        hidden = [
            note for linked in asked if linked for note in what_may_hide(snapshot, linked.entities, beside=beside)
        ]
        page = replace(page, notes=[*page.notes, *hidden])
    return _told_apart(page, [linked.entities for linked in ends if linked is not None and linked.is_ambiguous])


def link_object(snapshot: Snapshot, name: str) -> Linked:
    """The entities that `link_name` finds, or else the phrase with exactly these words, or the commit."""
    return find_object(snapshot, name) or link_name(snapshot, name)


def _asked_for(snapshot: Snapshot, name: str) -> Linked:
    """As `link_object`; all definitions in code that a short name may mean."""
    return find_object(snapshot, name) or link_definitions(snapshot, name)


def find_object(snapshot: Snapshot, name: str) -> Linked | None:
    """What `link_object` finds, None instead of an error."""
    if (named := find_named(snapshot, name)) is not None:
        return named
    words = name.strip()
    phrases = commit_ids(snapshot.tx, words) if _HASH.fullmatch(words) else phrase_ids(snapshot.tx, [words])
    return Linked([EntityLabel(id_, words, PHRASE) for words, id_ in phrases.items()], "exact") if phrases else None


def _values_sought(snapshot: Snapshot, query: TripleQuery, subject: Linked | None) -> ValuePattern | None:
    """The values that a query asks for, None if it names nothing or wants an object of another type."""
    wanted = type_key(query.object_type or VALUE) == type_key(VALUE)
    if not wanted or not any((query.subject, query.predicate, query.object)):
        return None
    number, unit, _ = read_value(query.object or "")
    return ValuePattern(
        None if subject is None else [entity.id for entity in subject.entities],
        _predicate_ids(snapshot, query),
        query.object,
        number,
        unit,
        known_types(snapshot, query.subject_type),
        snapshot.min_confidence,
        None if snapshot.within is None else snapshot.within.documents,
    )


def _with_values(snapshot: Snapshot, sought: ValuePattern, query: TripleQuery, page: TriplePage) -> TriplePage:
    """The page with as many values as fit; the list continues at VALUES_AT in front of them."""
    skip, free = max(VALUES_AT - query.after, 0), query.limit - len(page.triples)
    found = match_values(snapshot.tx, sought, after=skip, limit=free + 1)
    marks = [*page.marks, *(VALUES_AT - skip - at - 1 for at in range(len(found[:free])))]
    following = VALUES_AT - skip - free if len(found) > free else None
    return replace(page, triples=[*page.triples, *found[:free]], next_after=following, marks=marks)


def _ids_of(snapshot: Snapshot, linked: Linked) -> list[int]:
    """The entities of a name, and what is kept apart under that name: a file or person that commits tell of."""
    names = [entity.name for entity in linked.entities]
    return [*{*(entity.id for entity in linked.entities), *phrase_ids(snapshot.tx, names).values()}]


def _told_apart(page: TriplePage, homonyms: Sequence[Sequence[EntityLabel]]) -> TriplePage:
    """The page with a note for each name of several entities, which have their ids behind it where types are equal."""
    notes, named = list(page.notes), dict[int, str]()
    for entities in homonyms:
        if len({entity.name for entity in entities}) > 1:
            whole = sorted(map(with_type, entities))
            more = f" and {len(whole) - MAX_NEAREST} more" if len(whole) > MAX_NEAREST else ""
            notes.append(f"All that the name is short for is meant: {', '.join(whole[:MAX_NEAREST])}{more}.")
            continue
        exact = {entity.id: exact_name(entity, entities) for entity in entities}
        named |= {entity_id: name for entity_id, name in exact.items() if "(#" in name}
        listed = ", ".join(sorted(exact.values()))
        notes.append(f"{len(entities)} entities have the name '{entities[0].name}': ask for one of {listed}.")
    return replace(page, notes=notes, triples=[_with_names(triple, named) for triple in page.triples])


def _with_names(triple: Triple, named: Mapping[int, str]) -> Triple:
    if not named:
        return triple
    return replace(
        triple,
        subject=named.get(triple.subject_id, triple.subject),
        object=named.get(triple.object_id, triple.object),
        inferred_from=[_with_names(each, named) for each in triple.inferred_from],
    )


def _with_inferred(snapshot: Snapshot, pattern: TriplePattern, query: TripleQuery, stored: list[Triple]) -> TriplePage:
    """The last stored triples, then as many inferred ones as fit on the page.

    The list continues at -1 behind the stored ones, at -2 behind the first inferred one, and so on.
    """
    skip = max(-query.after - 1, 0)
    free = min(query.limit - len(stored), MAX_INFERRED - skip)
    predicate = None if query.predicate is None else canonical_predicate(query.predicate)
    inferred, cut, notes = infer_triples(snapshot, predicate, pattern, skip=skip, limit=max(free, 1))
    seen = inferred[: max(free, 0)]
    # What follows from several triples is less certain than each of them.
    sure = [at for at, triple in enumerate(seen) if triple.confidence >= snapshot.min_confidence]
    shown, end = [seen[at] for at in sure], skip + len(seen)
    marks = [*(triple.id for triple in stored), *(-skip - 2 - at for at in sure)]
    more, ended = cut or len(seen) < len(inferred), end >= MAX_INFERRED
    last = [f"Only the first {MAX_INFERRED} inferred triples are listed."] if more and ended else []
    return TriplePage([*stored, *shown], -(end + 1) if more and not ended else None, marks, [*notes, *last])


def fetch_triples(snapshot: Snapshot, ids: Sequence[int], *, max_evidence: int = MAX_EVIDENCE) -> dict[int, Triple]:
    """Triples by id, each with its first pieces of evidence, the most confident first; lines of one file are one."""
    most = max(max_evidence, MAX_LINES if max_evidence >= MAX_EVIDENCE else 0)
    found = triples_by_id(snapshot.tx, ids, evidence_ids=snapshot.evidence_ids(ids, limit=most))
    return {id_: _with_lines(snapshot, triple, max_evidence, most) for id_, triple in found.items()}


def _with_lines(snapshot: Snapshot, triple: Triple, max_evidence: int, most: int) -> Triple:
    """The triple with its first evidence, that of a file of code as one with all its lines."""
    by_file: dict[object, list[Evidence]] = defaultdict(list)
    for at, each in enumerate(triple.evidence):
        by_file[each.citation.partition("#")[0] if each.extractor == CODE and each.line else at].append(each)
    pieces = [
        replace(first, lines=tuple(sorted({each.line or 0 for each in others} - {first.line})))
        for first, *others in (sorted(group, key=lambda each: each.line or 0) for group in by_file.values())
    ]
    is_code = max_evidence >= MAX_EVIDENCE and any(each.extractor == CODE for each in triple.evidence[:1])
    kept = pieces[: MAX_FILES if is_code else max_evidence]
    is_cut = max_evidence >= MAX_EVIDENCE and len(triple.evidence) >= most
    count = len(snapshot.evidence_ids([triple.id])) if is_cut else len(triple.evidence)
    return replace(triple, evidence=kept, left_out=count - sum(map(len, list(by_file.values())[: len(kept)])))


def evidence_texts(tx: Reader, triples: Iterable[Triple]) -> dict[str, str]:
    """The text of each citation in the evidence of the triples."""
    citations = dict.fromkeys(piece.citation for triple in triples for piece in triple.evidence if piece.citation)
    return {citation: resolve_citation(tx, citation).text for citation in citations}


class _Predicates:
    """The predicates of names, of one generation; None until they are read."""

    by_name: dict[str, int] | None = None


def predicates_of_names(snapshot: Snapshot) -> Mapping[str, int]:
    """The stored predicates without those of phrases or values alone, which are no reason to take a word for one."""
    kept = snapshot.indexes.of_generation(snapshot.tx, _Predicates)
    if kept.by_name is None:
        left_out = predicates_of_phrases(snapshot.tx)
        kept.by_name = {name: number for name, number in predicates(snapshot.tx).items() if number not in left_out}
    return kept.by_name


def predicate_id(snapshot: Snapshot, name: str) -> int:
    """The id of a predicate in any spelling, or of the predicate as which a raw verb is stored.

    Raises UnknownName with the nearest predicates.
    """
    known = predicates(snapshot.tx)
    found = stored_predicate(known, name, snapshot.ontology).predicate
    if found not in known:
        raise unknown_predicate(snapshot, name, found, known)
    return known[found]


def wanted_readings(
    snapshot: Snapshot, known: Mapping[str, int], names: Sequence[str], *, infer: bool
) -> list[Reading]:
    """The predicates of names, each with whether it is stored in the direction of the words.

    `known` are those that are stored. Raises UnknownName, with the nearest ones, for a name that no stored predicate
    is, or with `infer` states.
    """
    readings: dict[Reading, None] = {}
    for name in names:
        mapped = stored_predicate(known, name, snapshot.ontology)
        stating = stating_predicates(snapshot.ontology, mapped.predicate) if infer else [mapped.predicate]
        if not known.keys() & stating:
            raise unknown_predicate(snapshot, name, mapped.predicate, known)
        readings[mapped.predicate, not mapped.swap] = None
    return list(readings)


def unknown_predicate(
    snapshot: Snapshot, given: str, canonical: str, known: Iterable[str], first: Iterable[str] | None = None
) -> UnknownName:
    """The error for a predicate that is not known, with the nearest in spelling or meaning, or else any."""
    names = sorted(known)
    vectors = snapshot.embed([name.replace("_", " ") for name in (canonical, *names)])
    meant: list[float] = (vectors[1:] @ vectors[0]).tolist()
    spelt = (difflib.SequenceMatcher(None, name, canonical).ratio() for name in names)
    ranked = sorted(zip(map(max, meant, spelt), names, strict=True), key=lambda each: (-each[0], each[1]))
    near = [name for score, name in ranked if score >= MIN_LIKENESS] or sorted(names if first is None else first)
    return UnknownName("predicate", given, near[:MAX_NEAREST], "`brief` lists the predicates.")


def stored_predicate(known: Container[str], name: str, ontology: Ontology) -> Mapped:
    """A predicate as it is stored: the name itself if it is known, or else what the raw verb maps to."""
    canonical = canonical_predicate(name)
    return Mapped(canonical) if canonical in known else map_predicate(name, ontology)


def _as_stored(snapshot: Snapshot, query: TripleQuery) -> TripleQuery:
    """The query in terms of stored predicates: "Ann approves X" is stored as "X approved_by Ann"."""
    if query.predicate is None:
        return query
    known = predicates(snapshot.tx)
    mapped = stored_predicate(known, query.predicate, snapshot.ontology)
    if known.keys().isdisjoint(stating_predicates(snapshot.ontology, mapped.predicate)):  # nor does it follow
        heading = lexicon_with(snapshot.ontology.phrases).header(query.predicate.replace("_", " "), None)
        mapped = Mapped(heading.predicate, heading.swap) if heading and heading.predicate in known else mapped
    if mapped.predicate == canonical_predicate(query.predicate):
        return query
    query = replace(query, predicate=mapped.predicate)
    if not mapped.swap:
        return query
    return replace(
        query,
        subject=query.object,
        object=query.subject,
        subject_type=query.object_type,
        object_type=query.subject_type,
    )


def _predicate_ids(snapshot: Snapshot, query: TripleQuery) -> list[int] | None:
    """The wanted predicate with what denies it; an empty list if only others are stored from which it follows."""
    if query.predicate is None:
        return None
    name, stored = canonical_predicate(query.predicate), predicates(snapshot.tx)
    if query.infer and name not in stored and stored.keys() & stating_predicates(snapshot.ontology, name):
        return []
    found = predicate_id(snapshot, query.predicate)
    return [found, *([stored[denied]] if (denied := denial_of(name)) in stored else [])]
