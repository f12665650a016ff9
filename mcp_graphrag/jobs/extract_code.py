"""Source files of a job: extracted once all of them are known, as their names refer to each other."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from mcp_graphrag.extract import PROJECT_NAMES, CodeExtractor, Extractor, KnownFiles, has_project_name
from mcp_graphrag.jobs.batches import BATCH_CHARACTERS, BatchSize, batches_of
from mcp_graphrag.jobs.reread_code import FormerFile, former_files
from mcp_graphrag.model import Document
from mcp_graphrag.snapshot import GraphFile
from mcp_graphrag.source_code import CODE_TYPES, forget_sources, is_code
from mcp_graphrag.source_code.sql import forget_sql
from mcp_graphrag.store.rows.document_rows import files_by_type, text_of_document

CODE_CHARACTERS = 2 * BATCH_CHARACTERS  # of a batch: reading code is fast, and each batch has statements of its own
MAX_WAITING_CHARACTERS = 64_000_000  # what is read beyond them sees only what is stored before it

Batch = tuple[list[Document], Sequence[Extractor]]


class SourceFiles:
    """Holds the source files of a job back until all are known, and has them stored before the prose behind them.

    Project files, which tell the names of modules, are held back with them.
    """

    def __init__(self, graph: GraphFile, extractors: Sequence[Extractor]) -> None:
        self._graph, self._extractors = graph, extractors
        self._waiting: dict[str, Document] = {}
        self._projects: dict[str, Document] = {}
        self._size = 0
        self._of_batch = BatchSize(CODE_CHARACTERS)
        self.former: dict[str, FormerFile | None] = {}  # as they were before they were given

    def in_order(self, batches: Iterable[Sequence[Document]]) -> Iterator[Batch]:
        """The documents of the batches in batches to store, each with the extractors that are to read it."""
        for batch in batches:
            code = {document.uri: document for document in batch if is_code(document.media_type)}
            others = {document.uri: document for document in batch if document.uri not in code}
            projects = {uri: others.pop(uri) for uri in list(others) if has_project_name(uri)}
            if code.keys() & self._waiting.keys() or projects.keys() & self._projects.keys():
                # The second document with a uri is compared with the first, which must be stored for that.
                yield from self._known()
            self._waiting |= code
            self._projects |= projects
            self._size += sum(len(document.text) for document in code.values())
            if others or self._size > MAX_WAITING_CHARACTERS:
                # What prose says of the code is matched to it.
                yield from self._known()
            if others:
                yield list(others.values()), self._extractors
        yield from self._known()

    def _known(self) -> Iterator[Batch]:
        """The files that wait, to be read by extractors that know all of them; none waits then."""
        waiting, self._waiting, self._size = self._waiting, {}, 0
        projects, self._projects = self._projects, {}
        with self._graph.reading() as snapshot:
            self.former = former_files(snapshot.tx, {**projects, **waiting}) | self.former
        if not (waiting or projects):
            return
        known = known_files(self._graph, {**projects, **waiting})
        readers = [each.with_files(known) if isinstance(each, CodeExtractor) else each for each in self._extractors]
        if waiting:
            yield from self._read(waiting, list(readers))
        if projects:
            yield list(projects.values()), readers

    def _read(self, waiting: Mapping[str, Document], readers: list[Extractor]) -> Iterator[Batch]:
        # What comments say of the code is matched to it.
        readers.sort(key=lambda extractor: not isinstance(extractor, CodeExtractor))
        try:
            for batch in batches_of(waiting.values(), self._of_batch):
                yield batch, readers
        finally:
            forget_sources()
            forget_sql()


def known_files(graph: GraphFile, given: Mapping[str, Document]) -> KnownFiles:
    """The stored source files and project files, and the given ones."""
    with graph.reading() as snapshot:
        rows = files_by_type(snapshot.tx, CODE_TYPES, PROJECT_NAMES)
    ids = {uri: document_id for uri, _, document_id in rows}
    types = {uri: media_type for uri, media_type, _ in rows}
    types |= {uri: document.media_type for uri, document in given.items()}

    def text(uri: str) -> str:
        if uri in given:
            return given[uri].text
        with graph.reading() as snapshot:
            return text_of_document(snapshot.tx, ids[uri])

    return KnownFiles(types, text)
