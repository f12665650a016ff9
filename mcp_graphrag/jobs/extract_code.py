"""Extraction from source code: of all files of a job together, as their names refer to each other."""

from collections.abc import Iterable, Iterator, Sequence

from mcp_graphrag.edit.gc_paused import gc_paused
from mcp_graphrag.extract import PROJECT_FILES, CodeExtractor, Extractor, KnownFiles
from mcp_graphrag.jobs.share_names import with_known_names
from mcp_graphrag.jobs.store_extractions import IngestReport, StoredText, store_extractions
from mcp_graphrag.model import Document, Origin
from mcp_graphrag.resolve.reconcile_names import reconcile_entities
from mcp_graphrag.snapshot import GraphFile
from mcp_graphrag.source_code import LANGUAGES, language_of
from mcp_graphrag.store.rows.document_rows import files_by_type, text_of_document

BATCH_CHARACTERS = 512_000
MAX_PENDING_CHARACTERS = 64_000_000  # what is read beyond them sees only what is stored before it


def is_code(document: Document) -> bool:
    """Whether a document is source code in one of the languages whose structure is read."""
    return language_of(document.media_type) is not None


class PendingCode:
    """The stored source files that are to be extracted once all of them are known."""

    def __init__(self, graph: GraphFile, extractors: Sequence[Extractor], origin: Origin, report: IngestReport) -> None:
        self._graph, self._extractors, self._origin, self._report = graph, extractors, origin, report
        self._texts: list[StoredText] = []
        self._touched: set[int] = set()
        self._size = 0

    def add(self, texts: Sequence[StoredText], touched: Iterable[int]) -> None:
        """Keep files, and the entities of documents that were replaced."""
        self._texts += texts
        self._touched |= set(touched)
        self._size += sum(len(text.document.text) for text in texts)
        if self._size > MAX_PENDING_CHARACTERS:
            self.extract()

    def extract(self) -> None:
        """Extract and store what was kept, then reconcile what the replaced documents said."""
        if self._texts:
            known = known_files(self._graph, self._texts)
            chosen = [each.with_files(known) if isinstance(each, CodeExtractor) else each for each in self._extractors]
            # The code of all files first: what their prose says of it is matched to it.
            chosen.sort(key=lambda extractor: not isinstance(extractor, CodeExtractor))
            for extractor in with_known_names(self._graph, (), chosen):
                for batch in _batches(self._texts):
                    with gc_paused():
                        store_extractions(self._graph, batch, extractor, self._origin, self._report)
        if self._touched:
            with self._graph.writing(self._origin) as write:
                reconcile_entities(write.tx, write.ontology, self._touched)
        self._texts, self._touched, self._size = [], set(), 0


def known_files(graph: GraphFile, texts: Sequence[StoredText]) -> KnownFiles:
    """The stored source files and project files; the texts at hand are not read again."""
    with graph.reading() as snapshot:
        rows = files_by_type(snapshot.tx, [language.media_type for language in LANGUAGES], sorted(PROJECT_FILES))
    at_hand = {text.document.uri: text.document.text for text in texts}
    ids = {uri: document_id for uri, _, document_id in rows}

    def text(uri: str) -> str:
        if uri in at_hand:
            return at_hand[uri]
        with graph.reading() as snapshot:
            return text_of_document(snapshot.tx, ids[uri])

    return KnownFiles({uri: media_type for uri, media_type, _ in rows}, text)


def _batches(texts: Sequence[StoredText]) -> Iterator[list[StoredText]]:
    batch: list[StoredText] = []
    size = 0
    for text in texts:
        batch.append(text)
        size += len(text.document.text)
        if size >= BATCH_CHARACTERS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
