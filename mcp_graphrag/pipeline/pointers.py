"""Pointers of texts resolved: to the documents that are stored, and to the chunks of these that are meant."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from mcp_graphrag.extract.chunk_edges import Found, find_chunk_edges
from mcp_graphrag.extract.places import squeezed, title_key
from mcp_graphrag.extract.pointers import Pointer
from mcp_graphrag.ingest.markdown import read_markdown
from mcp_graphrag.model import Chunk, ChunkEdge, Document, StoredDocument
from mcp_graphrag.store import Reader
from mcp_graphrag.store.chunk_edges import KeyKind, chunks_as_read, documents_by_key, first_chunks
from mcp_graphrag.store.documents import documents_by_id

SEVERAL = -1
MOST_NOTED = 20_000
KINDS: tuple[KeyKind, ...] = ("uri", "title", "name")


@dataclass(frozen=True)
class Told:
    """A document with all its chunks, and their ids in the same order."""

    document_id: int
    document: Document
    chunks: Sequence[Chunk]
    chunk_ids: Sequence[int]


class Pending(NamedTuple):
    """A pointer with the chunk and the document that it stands in."""

    chunk_id: int
    document_id: int
    pointer: Pointer


@dataclass
class Targets:
    """What pointers lead to, as far as it was asked for: the first chunk of documents, and the chunks of anchors."""

    first: dict[int, int] = field(default_factory=dict[int, int])
    anchors: dict[int, dict[str, int]] = field(default_factory=dict[int, dict[str, int]])

    def resolve(self, tx: Reader, pending: Sequence[Pending]) -> tuple[list[ChunkEdge], list[Pending]]:
        """The edges of the pointers whose document is stored, and the other pointers."""
        known = _documents_known(tx, pending)
        meant: list[tuple[Pending, int]] = []
        left: list[Pending] = []
        for each in pending:
            document_id = next((known[key] for key in each.pointer.keys if known.get(key, SEVERAL) != SEVERAL), None)
            if document_id is None:
                left.append(each)
            elif document_id != each.document_id or each.pointer.fragment:
                meant.append((each, document_id))
        self._learn(tx, meant)
        return [edge for each, document_id in meant for edge in self._edge(each, document_id)], left

    def note(self, told: Told, found: Found) -> None:
        """Keep where the headings of a document are."""
        if len(self.anchors) < MOST_NOTED:
            self.anchors[told.document_id] = {anchor: told.chunk_ids[at] for anchor, at in found.places.anchors.items()}

    def _learn(self, tx: Reader, meant: Sequence[tuple[Pending, int]]) -> None:
        documents = {document_id for _, document_id in meant}
        self.first |= first_chunks(tx, documents - self.first.keys())
        anchored = {document_id for each, document_id in meant if each.pointer.fragment} - self.anchors.keys()
        for told in told_documents(tx, anchored):
            self.note(told, find_chunk_edges(told.document, told.chunks))

    def _edge(self, each: Pending, document_id: int) -> Iterable[ChunkEdge]:
        pointer = each.pointer
        anchors = self.anchors.get(document_id, {})
        target = anchors.get(squeezed(pointer.fragment)) if pointer.fragment else None
        if target is None and document_id != each.document_id:
            target = self.first.get(document_id)
        if target is not None and target != each.chunk_id:
            yield ChunkEdge(
                each.chunk_id, target, pointer.relation, pointer.weight, pointer.description, pointer.extractor
            )


def told_documents(tx: Reader, document_ids: Iterable[int]) -> list[Told]:
    """Stored documents in force as they were read, with their chunks."""
    found = chunks_as_read(tx, document_ids)
    documents = documents_by_id(tx, found)
    return [_told(documents[document_id], chunks) for document_id, chunks in found.items()]


def _told(stored: StoredDocument, chunks: Sequence[tuple[int, Chunk]]) -> Told:
    text = "".join(chunk.text for _, chunk in chunks if chunk.parent is None)
    document = Document(stored.uri, stored.title, text, stored.media_type, stored.source)
    if stored.media_type != "text/plain":
        # What is stored of a web page is Markdown too.
        document = replace(document, blocks=read_markdown(text).blocks)
    return Told(stored.id, document, [chunk for _, chunk in chunks], [chunk_id for chunk_id, _ in chunks])


def keys_of(document: Document) -> list[str]:
    """The keys by which pointers may know a document."""
    name = document.uri.rpartition("/")[2].rpartition(":")[2].casefold()
    stem, dot, _ = name.rpartition(".")
    names = [f"name {name}", *([f"name {stem}"] if dot else [])]
    return [f"uri {document.uri}", f"title {title_key(document.title)}", *names]


def _documents_known(tx: Reader, pending: Sequence[Pending]) -> dict[str, int]:
    """The one document in force that each key stands for, `SEVERAL` for more than one."""
    wanted: dict[str, set[str]] = defaultdict(set)
    for each in pending:
        for key in each.pointer.keys:
            kind, _, name = key.partition(" ")
            wanted[kind].add(name)
    known: dict[str, int] = {}
    for kind in KINDS:
        for name, document_id in documents_by_key(tx, kind, wanted[kind]):
            key = f"{kind} {name}"
            known[key] = document_id if known.get(key, document_id) == document_id else SEVERAL
    return known
