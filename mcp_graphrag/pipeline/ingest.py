"""Documents into the graph: chunk, index, embed, commit; then extract, resolve, commit.

The text commits before anything is extracted from it, so that a document is searchable even if extraction fails.
"""

import json
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from mcp_graphrag.embed import Embedder
from mcp_graphrag.errors import GraphragError
from mcp_graphrag.extract import Extractor
from mcp_graphrag.index.terms import term_frequencies
from mcp_graphrag.ingest.children import childless, with_children
from mcp_graphrag.ingest.chunk import chunk_document
from mcp_graphrag.model import (
    Candidate,
    Chunk,
    Counts,
    Document,
    Extraction,
    Ids,
    Matrix,
    Origin,
    Skipped,
    StoredDocument,
)
from mcp_graphrag.pipeline.chunk_edges import EdgeFinder
from mcp_graphrag.pipeline.conflicts import record_new
from mcp_graphrag.pipeline.discover_edges import compare_new_documents
from mcp_graphrag.pipeline.embed import embed_entities
from mcp_graphrag.pipeline.ontology import taught
from mcp_graphrag.pipeline.pipeline import Pipeline, claim_embeddings
from mcp_graphrag.pipeline.pointers import Told
from mcp_graphrag.pipeline.quotes import quoted
from mcp_graphrag.pipeline.texts import embedded_text, keyword_text
from mcp_graphrag.pipeline.undisturbed import undisturbed
from mcp_graphrag.pipeline.vocabulary import fitting, worded
from mcp_graphrag.resolve.conflicts import settle_conflicts
from mcp_graphrag.resolve.entities import Group, Named, Resolved, resolve_names
from mcp_graphrag.resolve.said import SaidAlias
from mcp_graphrag.resolve.settle import settle
from mcp_graphrag.store import Writer
from mcp_graphrag.store.conflicts import MOST_NAMED
from mcp_graphrag.store.documents import (
    add_documents,
    add_extractions,
    chunk_ids_of_document,
    chunks_by_id,
    describe_document,
    extracted_by,
    find_documents,
    retire_document,
    text_hash,
    to_json,
)
from mcp_graphrag.store.embeddings import add_embeddings, forget_entity_embeddings
from mcp_graphrag.store.entities import NewMention, add_mentions
from mcp_graphrag.store.history import new_operation
from mcp_graphrag.store.postings import add_postings
from mcp_graphrag.store.removal import touched_by_document
from mcp_graphrag.store.triples import TripleRows, add_predicates, add_triples

BATCH_CHARACTERS = 512_000
BATCH_SECONDS = 2.0
MOST_LISTED = 50

Progress = Callable[[int, str], None]


@dataclass
class IngestReport:
    """What became of everything that was to be ingested; it grows while the work goes on.

    `conflicts` counts the contradictions that were found, of which `conflicts_named` has the first in words.
    """

    added: int = 0
    updated: int = 0
    unchanged: int = 0
    counts: Counts = field(default_factory=Counts)
    skipped: list[Skipped] = field(default_factory=list[Skipped])
    skipped_by_reason: Counter[str] = field(default_factory=Counter[str])
    dropped: Counter[str] = field(default_factory=Counter[str])
    warnings: list[str] = field(default_factory=list[str])
    conflicts: int = 0
    conflicts_named: list[str] = field(default_factory=list[str])

    def skip(self, skipped: Skipped) -> None:
        """Count something that was not ingested; the first are listed with their names."""
        if len(self.skipped) < MOST_LISTED:
            self.skipped.append(skipped)
        # A reason may go on with particulars, as in "too large: 12.3 MB", that make no reason of their own.
        self.skipped_by_reason[skipped.reason.partition(":")[0]] += 1

    @property
    def done(self) -> int:
        """How many things have been dealt with."""
        return self.added + self.updated + self.unchanged + sum(self.skipped_by_reason.values())


@dataclass(frozen=True)
class Prepared:
    """A document to be written. `stored` is what the file has under its uri; `same` says that the text is that."""

    document: Document
    stored: StoredDocument | None
    same: bool
    read_by: frozenset[str] = frozenset()
    chunks: Sequence[Chunk] = ()


@dataclass(frozen=True)
class Stored:
    """A document in the file, with its top-level chunks and their ids in one order; `read_by` are its extractors."""

    document: Document
    document_id: int
    chunks: Sequence[Chunk]
    chunk_ids: Ids
    read_by: frozenset[str] = frozenset()


def ingest(
    pipeline: Pipeline,
    documents: Iterable[Document | Skipped],
    extractors: Sequence[Extractor],
    origin: Origin,
    *,
    report: IngestReport,
    progress: Progress = lambda _done, _what: None,
) -> None:
    """Bring the documents into the graph, in batches of their own transactions; `report` says what became of each.

    A document whose text is stored already changes nothing, except that what no extractor has read yet is extracted.
    """
    extractors = taught(pipeline, extractors)
    if origin.operation is None:
        with pipeline.writing(origin) as tx:
            origin = replace(origin, operation=new_operation(tx))
    edges = EdgeFinder(pipeline.settings)
    for batch in _batches(documents, report):
        with undisturbed():
            prepared = _prepared(pipeline, batch, extractors, report)
            if prepared:
                stored, touched = _store_text(pipeline, prepared, origin, report, edges)
                for extractor in extractors:
                    _extract(pipeline, stored, extractor, origin, report)
                settle_entities(pipeline, touched, origin)
        progress(report.done, batch[-1].title)
    if pipeline.settings.discover_edges and edges.documents:
        report.warnings += compare_new_documents(pipeline, origin, edges.documents)


def settle_entities(pipeline: Pipeline, entity_ids: Iterable[int], origin: Origin) -> int:
    """Settle the entities of documents that were replaced; answers how many nothing supports any more."""
    wanted = list(entity_ids)
    if not wanted:
        return 0
    with pipeline.store.writing(origin) as tx:
        pruned, renamed = settle(tx, wanted)
        settle_conflicts(tx, pipeline.ontology(tx))
        forget_entity_embeddings(tx, [entity_id for entity_id, _ in renamed])
    return pruned


def _batches(documents: Iterable[Document | Skipped], report: IngestReport) -> Iterator[list[Document]]:
    batch: dict[str, Document] = {}
    size, since = 0, time.monotonic()
    for document in documents:
        if isinstance(document, Skipped):
            report.skip(document)
            continue
        if document.uri in batch:
            # The same uri twice: the second must find the first in the file.
            yield list(batch.values())
            batch, size, since = {}, 0, time.monotonic()
        batch[document.uri] = document
        size += len(document.text)
        if size >= BATCH_CHARACTERS or time.monotonic() - since >= BATCH_SECONDS:
            yield list(batch.values())
            batch, size, since = {}, 0, time.monotonic()
    if batch:
        yield list(batch.values())


def _prepared(
    pipeline: Pipeline, batch: Sequence[Document], extractors: Sequence[Extractor], report: IngestReport
) -> list[Prepared]:
    with pipeline.reading() as tx:
        stored = find_documents(tx, [document.uri for document in batch])
        read_by = extracted_by(tx, [each.id for each in stored.values()])
    prepared: list[Prepared] = []
    for given in batch:
        old = stored.get(given.uri)
        document = given if old is None else _with_words_kept(given, old)
        # A new title is read by every search, so it is as good as a new text.
        if old is None or (old.sha256, old.title) != (text_hash(document.text), document.title):
            sizes = pipeline.settings
            chunks = chunk_document(document, target=sizes.chunk_target, most=sizes.chunk_most)
            chunks = with_children(document, chunks, target=sizes.chunk_children)
            prepared.append(Prepared(document, old, same=False, chunks=chunks))
        elif _same_words(old, document) and all(each.name in read_by[old.id] for each in extractors):
            report.unchanged += 1
        else:
            prepared.append(Prepared(document, old, same=True, read_by=read_by[old.id]))
    return prepared


def _with_words_kept(document: Document, stored: StoredDocument) -> Document:
    """The document with what was said of it before, where it is not said anew."""
    same = stored.sha256 == text_hash(document.text)
    metadata = {**stored.metadata, **document.metadata} if same else document.metadata or stored.metadata
    title = stored.title if same and not document.title_given else document.title
    return replace(document, title=title, source=document.source or stored.source, metadata=metadata)


def _same_words(stored: StoredDocument, document: Document) -> bool:
    return (stored.title, stored.source, dict(stored.metadata)) == (
        document.title,
        document.source,
        json.loads(to_json(document.metadata)),
    )


def _store_text(
    pipeline: Pipeline, batch: Sequence[Prepared], origin: Origin, report: IngestReport, edges: EdgeFinder
) -> tuple[list[Stored], set[int]]:
    """The batch as stored, and the entities of the documents that it replaces."""
    touched: set[int] = set()
    new = [each for each in batch if not each.same]
    alone = np.array([found for each in new for found in childless(each.chunks)], dtype=np.bool_)
    chunks = [(each.document.title, chunk) for each in new for chunk in each.chunks]
    chunks = [chunk for chunk, searched in zip(chunks, alone.tolist(), strict=True) if searched]
    frequencies = [term_frequencies(keyword_text(title, chunk)) for title, chunk in chunks]
    vectors = embed_now(pipeline.embedder, [embedded_text(title, chunk) for title, chunk in chunks])
    with pipeline.writing(origin) as tx:
        stored = [_known(tx, each, each.stored) for each in batch if each.same and each.stored is not None]
        pointing = edges.pointing_at(tx, [each.stored.id for each in new if each.stored is not None])
        for each in new:
            if each.stored is not None:
                touched.update(touched_by_document(tx, each.stored.id))
                retire_document(tx, each.stored.id)
        ids = add_documents(tx, [(each.document, each.chunks) for each in new])
        chunk_ids = np.concatenate([own for _, own in ids]) if ids else np.empty(0, dtype=np.int64)
        if any(each.stored for each in new):
            settle_conflicts(tx, pipeline.ontology(tx))
        add_postings(tx, chunk_ids[alone], frequencies)
        if vectors is not None and len(vectors):
            claim_embeddings(tx, pipeline.embedder)
            add_embeddings(tx, "chunk", chunk_ids[alone], vectors)
        told = [Told(own[0], each.document, each.chunks, own[1].tolist()) for each, own in zip(new, ids, strict=True)]
        edges.store(tx, told, pointing)
    reworded = sum(
        each.same and each.stored is not None and not _same_words(each.stored, each.document) for each in batch
    )
    report.updated += sum(each.stored is not None for each in new) + reworded
    report.added += sum(each.stored is None for each in new)
    report.unchanged += len(batch) - len(new) - reworded
    report.counts += Counts(documents=len(new), chunks=len(chunk_ids))
    stored += [_stored(each, document_id, own) for each, (document_id, own) in zip(new, ids, strict=True)]
    return stored, touched


def _stored(each: Prepared, document_id: int, chunk_ids: Ids) -> Stored:
    # Extractors read the chunks of the document, whole; what they find is of these, not of their children.
    tops = [chunk for chunk in each.chunks if chunk.parent is None]
    return Stored(each.document, document_id, tops, chunk_ids[: len(tops)])


def _known(tx: Writer, each: Prepared, stored: StoredDocument) -> Stored:
    if not _same_words(stored, each.document):
        describe_document(tx, stored.id, each.document)
    # The chunks as stored count: they may have been cut with other settings.
    ids = chunk_ids_of_document(tx, stored.id)
    found = chunks_by_id(tx, ids)
    chunks = [
        Chunk(row.ordinal, row.start, row.end, row.text, row.headings, context=row.context)
        for row in (found[chunk_id] for chunk_id in ids)
    ]
    return Stored(each.document, stored.id, chunks, np.array(ids, dtype=np.int64), each.read_by)


def _extract(
    pipeline: Pipeline, stored: Sequence[Stored], extractor: Extractor, origin: Origin, report: IngestReport
) -> None:
    found: list[tuple[Stored, list[Extraction]]] = []
    for each in stored:
        if extractor.name in each.read_by:
            continue
        try:
            found.append((each, quoted(extractor.extract(each.document, each.chunks), each.chunks, extractor)))
        except GraphragError as error:
            report.warnings.append(f"{each.document.title}: searchable, but {extractor.name} failed: {error}")
    if not found:
        return
    with pipeline.writing(origin) as tx:
        ontology, strict = pipeline.ontology(tx), pipeline.settings.strict
        found = [(each, [worded(one, ontology, strict=strict) for one in kept]) for each, kept in found]
        groups = [Group(_names(kept), each.document_id, _said(kept)) for each, kept in found]
        resolved = resolve_names(tx, groups, extractor.name)
        if strict:
            fit = [fitting(tx, kept, ids, ontology) for (_, kept), ids in zip(found, resolved.ids, strict=True)]
            found = [(each, kept) for (each, _), kept in zip(found, fit, strict=True)]
        rows = _triple_rows(tx, found, resolved)
        placed = add_triples(tx, rows, extractor.name)
        contradictions = record_new(tx, ontology, rows, placed)
        add_mentions(tx, _mention_rows(found, resolved), extractor.name)
        counted = [(len(one.triples), to_json(one.dropped)) for _, kept in found for one in kept]
        chunk_ids = np.concatenate([each.chunk_ids for each, _ in found])
        add_extractions(tx, (extractor.name, extractor.version), chunk_ids, counted)
        embed_entities(tx, pipeline.embedder, resolved.fresh)
    report.conflicts += contradictions.count
    report.conflicts_named += contradictions.named[: MOST_NAMED - len(report.conflicts_named)]
    for _, kept in found:
        for one in kept:
            report.dropped.update(one.dropped)
    new_triples = len(set(placed.triple_ids[placed.is_new].tolist()))
    report.counts += Counts(entities=len(resolved.fresh), triples=new_triples)


def _names(extractions: Iterable[Extraction]) -> list[Named]:
    names: list[Named] = []
    for extraction in extractions:
        names += [(mention.name, mention.type) for mention in extraction.mentions]
        for triple in extraction.triples:
            names += [_subject(triple), _object(triple)]
    return names


def _said(extractions: Sequence[Extraction]) -> list[SaidAlias]:
    aliases = [each for extraction in extractions for each in extraction.aliases]
    types = dict(_names(extractions)) if aliases else {}
    return [SaidAlias((each.name, types.get(each.name, each.type)), each.alias) for each in aliases]


def _triple_rows(tx: Writer, found: Sequence[tuple[Stored, Sequence[Extraction]]], resolved: Resolved) -> TripleRows:
    said = [
        (triple, chunk.start, chunk_id, ids, other)
        for (each, kept), ids, other in zip(found, resolved.ids, resolved.renamed, strict=True)
        for extraction, chunk, chunk_id in zip(kept, each.chunks, each.chunk_ids.tolist(), strict=True)
        for triple in extraction.triples
        if ids[_subject(triple)] != ids[_object(triple)]
    ]
    triples = [triple for triple, _, _, _, _ in said]
    predicates = add_predicates(tx, (triple.predicate for triple in triples))
    return TripleRows(
        [ids[_subject(triple)] for triple, _, _, ids, _ in said],
        [predicates[triple.predicate] for triple in triples],
        [ids[_object(triple)] for triple, _, _, ids, _ in said],
        [triple.confidence for triple in triples],
        [triple.quote for triple in triples],
        [chunk_id for _, _, chunk_id, _, _ in said],
        [None if triple.start is None else start + triple.start for triple, start, _, _, _ in said],
        [None if triple.end is None else start + triple.end for triple, start, _, _, _ in said],
        [triple.surface for triple in triples],
        [triple.source for triple in triples],
        [triple.valid_from for triple in triples],
        [triple.valid_to for triple in triples],
        [to_json(triple.metadata) if triple.metadata else None for triple in triples],
        [triple.subject if _subject(triple) in other else None for triple, _, _, _, other in said],
        [triple.object if _object(triple) in other else None for triple, _, _, _, other in said],
    )


def _subject(triple: Candidate) -> Named:
    return triple.subject, triple.subject_type


def _object(triple: Candidate) -> Named:
    return triple.object, triple.object_type


def _mention_rows(found: Sequence[tuple[Stored, Sequence[Extraction]]], resolved: Resolved) -> list[NewMention]:
    return [
        NewMention(
            chunk_id,
            ids[mention.name, mention.type],
            chunk.start + mention.start,
            chunk.start + mention.end,
            mention.name,
            mention.type,
        )
        for (each, kept), ids in zip(found, resolved.ids, strict=True)
        for extraction, chunk, chunk_id in zip(kept, each.chunks, each.chunk_ids.tolist(), strict=True)
        for mention in extraction.mentions
    ]


def embed_now(embedder: Embedder, texts: Sequence[str]) -> Matrix | None:
    """The vectors, or None where the embedder is too slow to wait for: then they are made in background."""
    return embedder.embed(texts) if embedder.instant else None
