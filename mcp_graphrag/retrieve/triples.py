"""Triples by pattern: any of subject, predicate, object and their types."""

import difflib
from collections.abc import Sequence
from dataclasses import dataclass

from mcp_graphrag.errors import BadInput, UnknownName
from mcp_graphrag.index.resident import evidence_of
from mcp_graphrag.model import NOW, Triple, When
from mcp_graphrag.resolve.vocabulary import canonical_predicate
from mcp_graphrag.retrieve.entities import known_type, link_name
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


@dataclass(frozen=True)
class TriplePage:
    """Triples, oldest first. `next_after` continues the list, None at its end."""

    triples: Sequence[Triple]
    next_after: int | None


def query_triples(store: Store, query: TripleQuery) -> TriplePage:
    """The triples in force that fit.

    Raises UnknownName, with the nearest, for a name that nothing has, BadInput for a limit below 1.
    """
    if query.limit < 1:
        raise BadInput(f"limit is {query.limit}.", "It is at least 1.")
    with store.reading(known_at=query.when.known_at) as tx:
        pattern = Pattern(
            subjects=_entity_ids(store, tx, query.subject),
            predicates=None if query.predicate is None else [predicate_id(tx, query.predicate)],
            objects=_entity_ids(store, tx, query.object),
            subject_type=known_type(tx, query.subject_type),
            object_type=known_type(tx, query.object_type),
            as_of=query.when.as_of,
        )
        ids = triple_ids_like(tx, pattern, after=query.after, limit=query.limit + 1).tolist()
        found = fetch_triples(store, tx, ids[: query.limit])
    more = len(ids) > query.limit
    return TriplePage([found[each] for each in ids[: query.limit]], ids[query.limit - 1] if more else None)


def fetch_triples(
    store: Store, tx: Reader, ids: Sequence[int], *, most_evidence: int = MOST_EVIDENCE
) -> dict[int, Triple]:
    """Triples by id, each with its first pieces of evidence, the surest of them first."""
    return triples_by_id(tx, ids, evidence_ids=evidence_of(store, tx, ids, most=most_evidence))


def predicate_id(tx: Reader, name: str) -> int:
    """The id of a predicate in any spelling. Raises UnknownName with the nearest ones."""
    known = predicates(tx)
    canonical = canonical_predicate(name)
    if canonical not in known:
        near = difflib.get_close_matches(canonical, known, n=5, cutoff=0.4) or sorted(known)[:5]
        raise UnknownName("predicate", name, near, "describe_graph lists the predicates.")
    return known[canonical]


def _entity_ids(store: Store, tx: Reader, name: str | None) -> list[int] | None:
    return None if not name else [entity.id for entity in link_name(store, tx, name).entities]
