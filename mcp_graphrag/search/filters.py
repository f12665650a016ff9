"""Filters of a search: the chunks and triples that they allow, and an explanation where they allow none."""

import functools
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from mcp_graphrag.errors import BadInput, UnknownName
from mcp_graphrag.lookup.document_paths import document_paths, documents_within
from mcp_graphrag.lookup.find_entities import known_types
from mcp_graphrag.lookup.query_triples import MAX_EVIDENCE, predicate_id, stored_predicate
from mcp_graphrag.model import Expanded, Ids
from mcp_graphrag.ontology.map_predicates import canonical_predicate
from mcp_graphrag.ontology.readings import stating_predicates
from mcp_graphrag.search.query import SearchQuery
from mcp_graphrag.snapshot import Snapshot
from mcp_graphrag.store import Reader
from mcp_graphrag.store.rows.citations import cite_chunk
from mcp_graphrag.store.rows.document_rows import (
    ChunkFilter,
    ValueKind,
    chunks_by_id,
    document_date_range,
    filter_chunks,
    similar_documents,
    similar_values,
)
from mcp_graphrag.store.rows.entity_rows import entity_ids_of_type, entity_types
from mcp_graphrag.store.rows.mention_rows import chunks_mentioning, chunks_of_evidence, chunks_stating
from mcp_graphrag.store.rows.triple_rows import predicates, triples_by_id

MAX_TYPES_LISTED = 8
MAX_EVIDENCE_CHECKED = 100  # pieces of evidence of one triple


def allowed_chunks(snapshot: Snapshot, query: SearchQuery) -> Ids | None:
    """The chunks that the filters allow, ascending; None for all.

    Raises UnknownName for a type or predicate that is not stored, BadInput for a period that ends before it begins.
    """
    since, until = query.allowed.since, query.allowed.until
    if since is not None and until is not None and since >= until:
        raise BadInput(
            f"since ({since:%Y-%m-%d}) is not before until ({until:%Y-%m-%d}), which is exclusive.",
            "Swap them, or leave one out.",
        )
    kept: list[Ids] = []
    if not query.allowed.is_open:
        documents = documents_within(snapshot, query.allowed.paths, query.allowed.tests)
        kept.append(filter_chunks(snapshot.tx, query.allowed, documents))
    parents = snapshot.parents
    for ids in (_mentioning(snapshot, query), _stating(snapshot, query)):
        if ids is not None:
            # Mentions and evidence belong to parents, words and vectors to their children.
            children = parents.child_ids[np.isin(parents.parent_ids, ids)]
            kept.append(np.concatenate([ids, children]))
    return functools.reduce(np.intersect1d, kept[1:], np.unique(kept[0])) if kept else None


def triples_within(snapshot: Snapshot, expanded: Sequence[Expanded], among: Ids | None) -> list[Expanded]:
    """The items whose triple has evidence in an allowed chunk, each with the evidence from such chunks only.

    All of them where there is no filter.
    """
    if among is None or not expanded:
        return list(expanded)
    ids = [item.triple.id for item in expanded]
    evidence_ids = snapshot.evidence_ids(ids, limit=MAX_EVIDENCE_CHECKED)
    chunk_ids = sorted({chunk_id for _, chunk_id in chunks_of_evidence(snapshot.tx, evidence_ids)})
    chunks = chunks_by_id(snapshot.tx, np.intersect1d(among, np.array(chunk_ids, dtype=np.int64)))
    cited = {cite_chunk(chunk) for chunk in chunks.values()}
    triples = triples_by_id(snapshot.tx, ids, evidence_ids=evidence_ids) if cited else {}
    kept: list[Expanded] = []
    for item in expanded:
        triple = triples.get(item.triple.id)
        evidence = [piece for piece in triple.evidence if piece.citation in cited] if triple else []
        if triple and evidence:
            kept.append(replace(item, triple=replace(triple, evidence=evidence[:MAX_EVIDENCE])))
    return kept


def explain_no_match(snapshot: Snapshot, query: SearchQuery) -> str:
    """Why the filters exclude every chunk: which one does alone, or that they do together.

    Raises UnknownName, with the nearest names, for a document, source, media type or metadata that is not stored.
    """
    tx = snapshot.tx
    _check_names(tx, query.allowed)
    paths, given, tests = document_paths(snapshot), query.allowed.paths, query.allowed.tests
    if given and not len(paths.within(given, None)):
        near = [paths.path(each) for each in similar_documents(tx, given[0])]
        raise UnknownName("path", given[0], near, "`get_source` of a folder with outline lists what is in it.")
    if tests and not len(paths.within(given, tests)):
        return f"By their paths {'no' if tests == 'only' else 'all'} documents there are tests."
    if period := _empty_period(tx, query.allowed):
        return period
    mentioning, stating = _mentioning(snapshot, query), _stating(snapshot, query)
    if mentioning is not None and not len(mentioning):
        known = [type_ for type_ in entity_types(tx) if type_][:MAX_TYPES_LISTED]
        return f"No chunk mentions an entity of type '{query.entity_type}'. Types are {', '.join(known)}."
    if stating is not None and not len(stating):
        then = " that held then" if snapshot.when.as_of else ""
        return (
            f"No chunk states a triple with '{query.predicate}'{then}. `query_triples` lists triples without a chunk."
        )
    return "Each filter alone matches some chunks, but no chunk matches all of them. Leave one out."


def _check_names(tx: Reader, allowed: ChunkFilter) -> None:
    """Raise UnknownName for a filter that alone matches no document."""
    if allowed.documents and not len(filter_chunks(tx, ChunkFilter(documents=allowed.documents))):
        name = allowed.documents[0]
        raise UnknownName("document", name, similar_documents(tx, name), "Give a whole uri or title.")
    filters: tuple[tuple[ValueKind, Sequence[str], ChunkFilter], ...] = (
        ("source", allowed.sources, ChunkFilter(sources=allowed.sources)),
        ("media type", allowed.media_types, ChunkFilter(media_types=allowed.media_types)),
    )
    for kind, names, alone in filters:
        if names and not len(filter_chunks(tx, alone)):
            near = similar_values(tx, kind, names[0])
            raise UnknownName(kind, names[0], near, f"Give the whole {kind}." if near else f"No document has a {kind}.")
    for key, value in (allowed.metadata or {}).items():
        if len(filter_chunks(tx, ChunkFilter(metadata={key: value}))):
            continue
        keys = similar_values(tx, "metadata key", key)
        if key.lower() not in map(str.lower, keys):
            raise UnknownName("metadata key", key, keys, "" if keys else "No document has metadata.")
        raise UnknownName(f"metadata value of '{key}'", value, similar_values(tx, "metadata value", value, key=key))


def _empty_period(tx: Reader, allowed: ChunkFilter) -> str:
    """A sentence on a period without documents, "" if there are some."""
    bounds = (("since", allowed.since), ("until", allowed.until))
    wanted = " ".join(f"{word} {day:%Y-%m-%d}" for word, day in bounds if day)
    days = document_date_range(tx) if wanted else None
    if days is None or len(filter_chunks(tx, ChunkFilter(since=allowed.since, until=allowed.until))):
        return ""
    return f"No document is dated {wanted}. The oldest is dated {days[0]:%Y-%m-%d}, the newest {days[1]:%Y-%m-%d}."


def _mentioning(snapshot: Snapshot, query: SearchQuery) -> Ids | None:
    """The chunks that mention an entity of the wanted type."""
    if not query.entity_type:
        return None
    keys = known_types(snapshot, query.entity_type) or []
    return chunks_mentioning(snapshot.tx, entity_ids_of_type(snapshot.tx, *keys))


def _stating(snapshot: Snapshot, query: SearchQuery) -> Ids | None:
    """The chunks that state a triple with the wanted predicate or with one that may state it."""
    if not query.predicate:
        return None
    known, ontology = predicates(snapshot.tx), snapshot.ontology
    # Such a triple may be stored with the name itself, with what it maps to, or with what states these.
    names = {canonical_predicate(query.predicate), stored_predicate(known, query.predicate, ontology).predicate}
    names |= {stating for name in names for stating in stating_predicates(ontology, name)}
    ids = [known[name] for name in names if name in known]
    wanted = np.array(ids or [predicate_id(snapshot, query.predicate)], dtype=np.int64)
    return chunks_stating(snapshot.tx, wanted, snapshot.when.as_of)
