"""Which chunks and facts the filters of a question let through; where none, which filter bars them, what there is."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from mcp_graphrag.errors import BadInput, UnknownName
from mcp_graphrag.index.resident import evidence_of, parents_of_chunks
from mcp_graphrag.model import Expanded, Ids
from mcp_graphrag.resolve.ontology import Ontology
from mcp_graphrag.resolve.vocabulary import canonical_predicate
from mcp_graphrag.retrieve.entities import known_types
from mcp_graphrag.retrieve.question import Question
from mcp_graphrag.retrieve.triples import MOST_EVIDENCE, fetch_triples, predicate_id, stored_predicate
from mcp_graphrag.store import Reader, Store
from mcp_graphrag.store.citation import cite_chunk
from mcp_graphrag.store.documents import (
    ChunkFilter,
    NameKind,
    chunk_ids_where,
    chunks_by_id,
    document_days,
    documents_like,
    names_like,
)
from mcp_graphrag.store.entities import entity_ids_of_type, entity_types
from mcp_graphrag.store.mentions import chunks_mentioning, chunks_of_evidence, chunks_stating
from mcp_graphrag.store.triples import predicates

MOST_TYPES = 8
MOST_WEIGHED = 100  # pieces of evidence of one fact that filters look at


def check_period(allowed: ChunkFilter) -> None:
    """Raise BadInput for a time that ends before it has begun."""
    if allowed.since is not None and allowed.until is not None and allowed.since >= allowed.until:
        raise BadInput(
            f"since ({allowed.since:%Y-%m-%d}) is not before until ({allowed.until:%Y-%m-%d}), which is exclusive.",
            "Exchange them, or leave one out.",
        )


def allowed_chunks(store: Store, tx: Reader, question: Question) -> Ids | None:
    """The chunks that the filters let through, ascending, None for all.

    Raises UnknownName for a type or predicate that is not stored, BadInput for a time that ends before it begins.
    """
    check_period(question.allowed)
    kept: list[Ids] = [] if question.allowed.is_open else [chunk_ids_where(tx, question.allowed)]
    told = [each for each in (_mentioning(tx, question), _stating(tx, question)) if each is not None]
    parents = parents_of_chunks(store, tx)
    for ids in told:
        # Mentions and evidence are of parents; words and vectors of their children.
        children = parents.child_ids[np.isin(parents.parent_ids, ids)] if parents else ids[:0]
        kept.append(np.concatenate([ids, children]))
    if not kept:
        return None
    among = np.unique(kept[0])
    for ids in kept[1:]:
        among = np.intersect1d(among, ids)
    return among


def facts_within(store: Store, tx: Reader, facts: Sequence[Expanded], among: Ids | None) -> list[Expanded]:
    """The facts for which a chunk that the filters let through gives evidence, each with the evidence of such chunks.

    All of them where there is no filter.
    """
    if among is None or not facts:
        return list(facts)
    ids = [each.triple.id for each in facts]
    told = {chunk_id for _, chunk_id in chunks_of_evidence(tx, evidence_of(store, tx, ids, most=MOST_WEIGHED))}
    chunks = chunks_by_id(tx, np.intersect1d(among, np.array(sorted(told), dtype=np.int64)))
    cited = {cite_chunk(each) for each in chunks.values()}
    triples = fetch_triples(store, tx, ids, most_evidence=MOST_WEIGHED) if cited else {}
    kept: list[Expanded] = []
    for each in facts:
        triple = triples.get(each.triple.id)
        evidence = [piece for piece in triple.evidence if piece.citation in cited] if triple else []
        if triple and evidence:
            kept.append(replace(each, triple=replace(triple, evidence=evidence[:MOST_EVIDENCE])))
    return kept


def why_none(tx: Reader, question: Question) -> str:
    """Why the filters exclude every chunk: which of them alone, or all together.

    Raises UnknownName, with the nearest there are, for a document, source, media type or metadata that is not stored.
    """
    _check_names(tx, question.allowed)
    period = _empty_period(tx, question.allowed)
    if period:
        return period
    mentioning, stating = _mentioning(tx, question), _stating(tx, question)
    if mentioning is not None and not len(mentioning):
        there = [type_ for type_ in entity_types(tx) if type_][:MOST_TYPES]
        return f"No passage mentions an entity of the type '{question.entity_type}'. Types are {', '.join(there)}."
    if stating is not None and not len(stating):
        then = " that held then" if question.when.as_of else ""
        return f"No passage states a fact with '{question.predicate}'{then}; query_triples lists those without one."
    return "Each filter lets some passages through, but none fits all of them: leave one out."


def _check_names(tx: Reader, allowed: ChunkFilter) -> None:
    """Raise UnknownName for a filter by which alone no document is found."""
    if allowed.documents and not len(chunk_ids_where(tx, ChunkFilter(documents=allowed.documents))):
        name = allowed.documents[0]
        raise UnknownName("document", name, documents_like(tx, name), "Give a whole uri or title.")
    filters: tuple[tuple[NameKind, Sequence[str], ChunkFilter], ...] = (
        ("source", allowed.sources, ChunkFilter(sources=allowed.sources)),
        ("media type", allowed.media_types, ChunkFilter(media_types=allowed.media_types)),
    )
    for kind, names, alone in filters:
        if names and not len(chunk_ids_where(tx, alone)):
            near = names_like(tx, kind, names[0])
            raise UnknownName(kind, names[0], near, f"Give the whole {kind}." if near else f"No document has a {kind}.")
    for key, value in (allowed.metadata or {}).items():
        if len(chunk_ids_where(tx, ChunkFilter(metadata={key: value}))):
            continue
        keys = names_like(tx, "metadata key", key)
        if key not in keys:
            raise UnknownName("metadata key", key, keys, "" if keys else "No document has metadata.")
        raise UnknownName(f"metadata value of '{key}'", value, names_like(tx, "metadata value", value, key=key))


def _empty_period(tx: Reader, allowed: ChunkFilter) -> str:
    """What to say of a time of which there is no document, "" where there are some."""
    if allowed.since is None and allowed.until is None:
        return ""
    if len(chunk_ids_where(tx, ChunkFilter(since=allowed.since, until=allowed.until))):
        return ""
    days = document_days(tx)
    if days is None:
        return ""
    bounds = [f"since {allowed.since:%Y-%m-%d}" if allowed.since else ""]
    bounds += [f"until {allowed.until:%Y-%m-%d}" if allowed.until else ""]
    wanted = " ".join(each for each in bounds if each)
    return (
        f"No document is of the time {wanted}. The oldest is of {days[0]:%Y-%m-%d}, the newest of {days[1]:%Y-%m-%d}."
    )


def _mentioning(tx: Reader, question: Question) -> Ids | None:
    """The chunks that mention an entity of the type asked for."""
    if not question.entity_type:
        return None
    keys = known_types(tx, question.entity_type, question.ontology) or []
    return chunks_mentioning(tx, entity_ids_of_type(tx, *keys))


def _stating(tx: Reader, question: Question) -> Ids | None:
    """The chunks that state a fact with the predicate asked for, or with an inverse of it."""
    if not question.predicate:
        return None
    wanted = np.array(_predicate_ids(tx, question.predicate, question.ontology), dtype=np.int64)
    return chunks_stating(tx, wanted, question.when.as_of)


def _predicate_ids(tx: Reader, name: str, ontology: Ontology) -> list[int]:
    """The predicates in which a fact with this one is stored: itself, what it is stored as, and inverses of either."""
    known = predicates(tx)
    names = dict.fromkeys([canonical_predicate(name), stored_predicate(known, name, ontology).predicate])
    names |= dict.fromkeys([inverse for each in names for _, inverse in ontology.inverses(each)])
    return [known[each] for each in names if each in known] or [predicate_id(tx, name, ontology)]
