"""Resolution of references in texts: to stored documents, and to chunks of these."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from mcp_graphrag.chunk_edges.document_edges import DocumentEdges, find_chunk_edges
from mcp_graphrag.chunk_edges.heading_index import anchor_key, title_key
from mcp_graphrag.chunk_edges.reference import Reference
from mcp_graphrag.ingest.read_markdown import read_markdown
from mcp_graphrag.model import Chunk, ChunkEdge, Document, StoredDocument
from mcp_graphrag.store import Reader
from mcp_graphrag.store.rows.chunk_edge_rows import DocumentKey, chunks_of_documents, documents_by_key, first_chunks
from mcp_graphrag.store.rows.document_rows import documents_by_id

AMBIGUOUS = -1
MAX_CACHED = 20_000
KINDS: tuple[DocumentKey, ...] = ("uri", "title", "name")


@dataclass(frozen=True)
class IndexedDocument:
    """A document with all its chunks, and their ids in the same order."""

    document_id: int
    document: Document
    chunks: Sequence[Chunk]
    chunk_ids: Sequence[int]


class LocatedReference(NamedTuple):
    """A reference with the ids of the chunk and the document that contain it."""

    chunk_id: int
    document_id: int
    reference: Reference


@dataclass
class Targets:
    """Cached targets of references: the first chunk of documents, and the chunks with their anchors."""

    first: dict[int, int] = field(default_factory=dict[int, int])
    anchors: dict[int, dict[str, int]] = field(default_factory=dict[int, dict[str, int]])

    def resolve(
        self, tx: Reader, references: Sequence[LocatedReference]
    ) -> tuple[list[ChunkEdge], list[LocatedReference]]:
        """The edges of the references to stored documents, and the other references."""
        known = _documents_known(tx, references)
        resolved: list[tuple[LocatedReference, int]] = []
        unresolved: list[LocatedReference] = []
        for located in references:
            ids = (known.get(key, AMBIGUOUS) for key in located.reference.keys)
            document_id = next((known_id for known_id in ids if known_id != AMBIGUOUS), None)
            if document_id is None:
                unresolved.append(located)
            elif document_id != located.document_id or located.reference.fragment:
                resolved.append((located, document_id))
        self._load(tx, resolved)
        return [edge for located, document_id in resolved for edge in self._edge(located, document_id)], unresolved

    def cache_anchors(self, indexed: IndexedDocument, found: DocumentEdges) -> None:
        """Cache which chunks of a document have its headings."""
        if len(self.anchors) < MAX_CACHED:
            ids = indexed.chunk_ids
            self.anchors[indexed.document_id] = {anchor: ids[at] for anchor, at in found.headings.anchors.items()}

    def _load(self, tx: Reader, resolved: Sequence[tuple[LocatedReference, int]]) -> None:
        documents = {document_id for _, document_id in resolved}
        self.first |= first_chunks(tx, documents - self.first.keys())
        anchored = {document_id for located, document_id in resolved if located.reference.fragment}
        for indexed in indexed_documents(tx, anchored - self.anchors.keys()):
            self.cache_anchors(indexed, find_chunk_edges(indexed.document, indexed.chunks))

    def _edge(self, located: LocatedReference, document_id: int) -> Iterable[ChunkEdge]:
        source, reference = located.chunk_id, located.reference
        anchors = self.anchors.get(document_id, {})
        target = anchors.get(anchor_key(reference.fragment)) if reference.fragment else None
        if target is None and document_id != located.document_id:
            target = self.first.get(document_id)
        if target is not None and target != source:
            yield ChunkEdge(
                source, target, reference.relation, reference.weight, reference.description, reference.extractor
            )


def indexed_documents(tx: Reader, document_ids: Iterable[int]) -> list[IndexedDocument]:
    """Stored documents in force, as their reader produced them, with their chunks."""
    found = chunks_of_documents(tx, document_ids)
    documents = documents_by_id(tx, found)
    return [_indexed(documents[document_id], chunks) for document_id, chunks in found.items()]


def _indexed(stored: StoredDocument, chunks: Sequence[tuple[int, Chunk]]) -> IndexedDocument:
    text = "".join(chunk.text for _, chunk in chunks if chunk.parent is None)
    document = Document(stored.uri, stored.title, text, stored.media_type, stored.source)
    if stored.media_type in {"text/markdown", "text/html"}:
        # The stored text of a web page is Markdown too.
        document = replace(document, blocks=read_markdown(text).blocks)
    return IndexedDocument(stored.id, document, [chunk for _, chunk in chunks], [chunk_id for chunk_id, _ in chunks])


def keys_of(document: Document) -> list[str]:
    """The keys by which a reference may name a document."""
    name = document.uri.rpartition("/")[2].rpartition(":")[2].casefold()
    stem, dot, _ = name.rpartition(".")
    names = [f"name {name}", *([f"name {stem}"] if dot else [])]
    return [f"uri {document.uri}", f"title {title_key(document.title)}", *names]


def _documents_known(tx: Reader, references: Sequence[LocatedReference]) -> dict[str, int]:
    """The document in force with each key, `AMBIGUOUS` if there are several."""
    wanted: dict[str, set[str]] = defaultdict(set)
    for located in references:
        for key in located.reference.keys:
            kind, _, name = key.partition(" ")
            wanted[kind].add(name)
    known: dict[str, int] = {}
    for kind in KINDS:
        for name, document_id in documents_by_key(tx, kind, wanted[kind]):
            key = f"{kind} {name}"
            known[key] = document_id if known.get(key, document_id) == document_id else AMBIGUOUS
    return known
