"""Triples by pattern: any of subject, predicate, object and their types, stored ones first, then what follows."""

import difflib
from collections.abc import Container, Sequence
from dataclasses import dataclass, field, replace

from mcp_graphrag.errors import BadInput, UnknownName
from mcp_graphrag.index.resident import evidence_of
from mcp_graphrag.model import NOW, Triple, When
from mcp_graphrag.resolve.ontology import Ontology
from mcp_graphrag.resolve.vocabulary import Mapped, canonical_predicate, map_predicate
from mcp_graphrag.resolve.vocabulary_files import default_ontology
from mcp_graphrag.retrieve.entities import known_types, link_name
from mcp_graphrag.retrieve.inferred import MOST_INFERRED, InferenceQuery, can_be_inferred, infer_triples
from mcp_graphrag.store import Reader, Store
from mcp_graphrag.store.triples import Pattern, predicates, triple_ids_like, triples_by_id

MOST_EVIDENCE = 3


@dataclass(frozen=True)
class TripleQuery:
    """What triples to find, by name; None holds for all."""

    subject: str | None = None
    predicate: str | None = None
    object: str | None = None
    subject_type: str | None = None
    object_type: str | None = None
    limit: int = 20
    after: int = 0
    when: When = NOW
    infer: bool = True
    ontology: Ontology = field(default_factory=default_ontology)


@dataclass(frozen=True)
class TriplePage:
    """Triples, the stored ones oldest first, then the inferred ones, the most direct first.

    `next_after` continues the list, None at its end; `marks` say for each triple how to continue behind it.
    """

    triples: Sequence[Triple]
    next_after: int | None
    marks: Sequence[int] = ()
    notes: Sequence[str] = ()


def query_triples(store: Store, query: TripleQuery) -> TriplePage:
    """The triples in force that fit, and what follows from them by the ontology.

    Raises UnknownName, with the nearest, for a name that nothing has, BadInput for a limit below 1.
    """
    if query.limit < 1:
        raise BadInput(f"limit is {query.limit}.", "It is at least 1.")
    with store.reading(known_at=query.when.known_at) as tx:
        query = _as_stored(tx, query)
        pattern = Pattern(
            subjects=_entity_ids(store, tx, query.subject),
            predicates=_predicate_ids(tx, query),
            objects=_entity_ids(store, tx, query.object),
            subject_types=known_types(tx, query.subject_type, query.ontology),
            object_types=known_types(tx, query.object_type, query.ontology),
            as_of=query.when.as_of,
        )
        stored, more = _stored_page(store, tx, pattern, query)
        # What follows from all there is would only say it all again, the other way round.
        asks = any((query.subject, query.predicate, query.object))
        if more or not query.infer or not asks:
            return TriplePage(stored, stored[-1].id if more else None, [each.id for each in stored])
        return _with_inferred(store, tx, pattern, query, stored)


def _stored_page(store: Store, tx: Reader, pattern: Pattern, query: TripleQuery) -> tuple[list[Triple], bool]:
    """The stored triples of the page, and whether there are more of them."""
    if query.after < 0:
        return [], False
    ids = triple_ids_like(tx, pattern, after=query.after, limit=query.limit + 1).tolist()
    found = fetch_triples(store, tx, ids[: query.limit])
    return [found[each] for each in ids[: query.limit]], len(ids) > query.limit


def _with_inferred(store: Store, tx: Reader, pattern: Pattern, query: TripleQuery, stored: list[Triple]) -> TriplePage:
    """The last stored triples, then as many inferred ones as the page has room for.

    Behind the stored ones the list is continued at -1, behind the first inferred one at -2, and so on.
    """
    skip = max(-query.after - 1, 0)
    room = min(query.limit - len(stored), MOST_INFERRED - skip)
    wanted = InferenceQuery(
        None if query.predicate is None else canonical_predicate(query.predicate),
        pattern.subjects,
        pattern.objects,
        pattern.subject_types,
        pattern.object_types,
        query.when.as_of,
        max(room, 1),
        query.ontology,
    )
    found = infer_triples(store, tx, wanted, skip=skip)
    shown = list(found.triples[: max(room, 0)])
    marks = [*(each.id for each in stored), *(-(skip + at + 2) for at in range(len(shown)))]
    more = found.cut or len(shown) < len(found.triples)
    ended = skip + len(shown) >= MOST_INFERRED
    notes = [
        *found.notes,
        *([f"Only the first {MOST_INFERRED} inferred triples are listed."] if more and ended else []),
    ]
    return TriplePage([*stored, *shown], -(skip + len(shown) + 1) if more and not ended else None, marks, notes)


def fetch_triples(
    store: Store, tx: Reader, ids: Sequence[int], *, most_evidence: int = MOST_EVIDENCE
) -> dict[int, Triple]:
    """Triples by id, each with its first pieces of evidence, the surest of them first."""
    return triples_by_id(tx, ids, evidence_ids=evidence_of(store, tx, ids, most=most_evidence))


def predicate_id(tx: Reader, name: str, ontology: Ontology | None = None) -> int:
    """The id of a predicate in any spelling, or of that which a raw verb is stored as.

    Raises UnknownName with the nearest ones.
    """
    known = predicates(tx)
    found = stored_predicate(known, name, ontology or default_ontology()).predicate
    if found not in known:
        near = difflib.get_close_matches(found, known, n=5, cutoff=0.4) or sorted(known)[:5]
        raise UnknownName("predicate", name, near, "describe_graph lists the predicates.")
    return known[found]


def stored_predicate(known: Container[str], name: str, ontology: Ontology) -> Mapped:
    """The name under which a predicate is asked for: itself where it is known, else what a raw verb is stored as."""
    canonical = canonical_predicate(name)
    return Mapped(canonical) if canonical in known else map_predicate(name, ontology)


def _as_stored(tx: Reader, query: TripleQuery) -> TripleQuery:
    """The query in the words in which its triples are stored: what Ann approves is approved by Ann."""
    if query.predicate is None:
        return query
    mapped = stored_predicate(predicates(tx), query.predicate, query.ontology)
    if mapped.predicate == canonical_predicate(query.predicate):
        return query
    if not mapped.swap:
        return replace(query, predicate=mapped.predicate)
    return replace(
        query,
        subject=query.object,
        predicate=mapped.predicate,
        object=query.subject,
        subject_type=query.object_type,
        object_type=query.subject_type,
    )


def _predicate_ids(tx: Reader, query: TripleQuery) -> list[int] | None:
    """The predicate asked for; none where nothing is stored of it but of an inverse, from which it follows."""
    if query.predicate is None:
        return None
    name, stored = canonical_predicate(query.predicate), predicates(tx)
    if name not in stored and query.infer and can_be_inferred(query.ontology, name, stored):
        return []
    return [predicate_id(tx, query.predicate)]


def _entity_ids(store: Store, tx: Reader, name: str | None) -> list[int] | None:
    return None if not name else [entity.id for entity in link_name(store, tx, name).entities]
