"""One state of the graph with all that a question about it needs, and the file that such states are read from."""

import threading
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from mcp_graphrag.claude import Claude
from mcp_graphrag.clean_input import check_range
from mcp_graphrag.embed import Embedder, Embedders, Endpoint, make_embedders
from mcp_graphrag.errors import BadInput, NotAllowed
from mcp_graphrag.extract import EXTRACTORS, Extractor
from mcp_graphrag.index.chunk_edge_index import ChunkEdges
from mcp_graphrag.index.document_dates import DocumentDates
from mcp_graphrag.index.indexes import Indexes
from mcp_graphrag.index.keyword_index import Keywords
from mcp_graphrag.index.mention_graph import MentionGraph
from mcp_graphrag.index.parent_index import Parents
from mcp_graphrag.index.triple_graph import TripleGraph
from mcp_graphrag.index.vector_index import Vectors
from mcp_graphrag.model import NOW, Matrix, Origin, When
from mcp_graphrag.model_extraction.claude_extractor import CLAUDE, ClaudeExtractor, Sizes
from mcp_graphrag.model_extraction.spending import BATCH_PRICE, Spending
from mcp_graphrag.ontology.active_ontologies import active_ontology
from mcp_graphrag.ontology.ontology import Ontology
from mcp_graphrag.project import FOLDER
from mcp_graphrag.settings import Settings
from mcp_graphrag.store import Home, Reader, Store, Writer
from mcp_graphrag.store.changes.restate import derived_version
from mcp_graphrag.store.rows.change_rows import new_operation
from mcp_graphrag.store.rows.document_rows import is_mostly_english
from mcp_graphrag.store.rows.embedding_rows import stored_model
from mcp_graphrag.store.rows.triple_rows import EvidenceWithin

DERIVED = "3"  # another number has `make_current` called for every file that has not this one
AUTO = ("document", "code", "lite")  # the extractors that cost nothing


@dataclass(frozen=True)
class Snapshot:
    """One state of the graph, as one call sees it: every question to it is answered from the same rows.

    `when` is what the call asks about: `known_at` decided which rows `tx` reads, `as_of` is for functions to apply.
    `ontologies` names those that the settings choose. Triples below `min_confidence` are not shown or walked.
    `roots` are the uris of the folders that paths of documents are relative to. Of triples only those with evidence
    `within` some documents count, and of that only this.
    """

    tx: Reader
    embedders: Embedders
    indexes: Indexes
    ontologies: Sequence[str]
    when: When = NOW
    min_confidence: float = 0.0
    roots: Sequence[str] = ()
    within: EvidenceWithin | None = None

    @cached_property
    def ontology(self) -> Ontology:
        """The types and predicates in force at the moment of the snapshot.

        Raises UnknownName where the settings name an ontology that neither ships nor is in the file.
        """
        return active_ontology(self.tx, self.ontologies)

    @cached_property
    def model(self) -> Embedder | None:
        """The model that embeds the chunks of the file, if there is one."""
        if self.embedders.multilingual is None:
            return self.embedders.model
        stored = stored_model(self.tx)
        return self.embedders.model_of(stored, is_english=bool(stored) or is_mostly_english(self.tx))

    def embed(self, texts: Sequence[str]) -> Matrix:
        """The static vectors of texts, of shape (texts, dimension)."""
        return self.embedders.static.embed(texts)

    @property
    def triple_graph(self) -> TripleGraph:
        """The graph of triples, whatever held when; `as_of` of it applies a date."""
        graph = self.indexes.triple_graph(self.tx) if self.tx.known is None else self._past_triple_graph
        graph = graph.at_least(self.min_confidence)
        return graph if self.within is None else graph.among(self.within.triples)

    @property
    def valid_triples(self) -> TripleGraph:
        """The graph of the triples that are valid at `when.as_of`, of all if there is none."""
        return self.triple_graph.as_of(self.when.as_of)

    @cached_property
    def _past_triple_graph(self) -> TripleGraph:
        return self.indexes.triple_graph(self.tx)

    def mention_graph(self) -> MentionGraph:
        """Mentions and triples as one graph, the triples as of `when.as_of`."""
        return self.indexes.mention_graph(self.tx, self.when.as_of)

    @property
    def keywords(self) -> Keywords:
        """The postings."""
        return self.indexes.keywords(self.tx)

    @property
    def chunk_edges(self) -> ChunkEdges:
        """The edges between chunks."""
        return self.indexes.chunk_edges(self.tx)

    @property
    def document_dates(self) -> DocumentDates:
        """The date of the document of each chunk."""
        return self.indexes.document_dates(self.tx)

    @property
    def parents(self) -> Parents:
        """The parent of each child chunk."""
        return self.indexes.parents(self.tx)

    @property
    def chunk_vectors(self) -> Vectors:
        """The static vectors of chunks."""
        return self.indexes.chunk_vectors(self.tx)

    @property
    def model_vectors(self) -> Vectors:
        """The vectors of chunks by the model of the file."""
        return self.indexes.model_vectors(self.tx)

    @property
    def entity_vectors(self) -> Vectors:
        """The static vectors of entity names."""
        return self.indexes.entity_vectors(self.tx)

    def evidence_ids(self, triple_ids: Iterable[int], *, limit: int | None = None) -> list[int]:
        """The ids of the evidence of each triple, or of the first `limit` pieces, the most confident first."""
        if self.within is not None:
            return self.within.of(triple_ids, limit)
        return self.indexes.evidence_ids(self.tx, triple_ids, limit=limit)

    def entities_named(self, norms: Sequence[str], *, in_documents: bool = False) -> dict[str, list[tuple[int, bool]]]:
        """(entity id, whether only by an alias) of the entities to which each normal form refers, own names first.

        With `in_documents`, for search, a name that holds only inside a document counts too, and an alias of several
        entities.
        """
        return self.indexes.entities_named(self.tx, norms, in_documents=in_documents)


@dataclass(frozen=True)
class Write(Snapshot):
    """The write in progress. What it reads, it reads with its own changes."""

    tx: Writer  # pyright: ignore[reportIncompatibleVariableOverride]  # frozen, so narrower is sound


class _Current:
    """The epoch of the file for which it is known to be current, shared by all clients of a file."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.epoch = -1
        self.is_checking = False


class GraphFile:
    """One graph file with what reads and fills it. Nothing is opened or loaded before the first use.

    Only the façade (`graph.py`), long work (`jobs/`) and `verify/` open snapshots and writes; every other function is
    given one.
    """

    def __init__(
        self, settings: Settings, *, embedders: Embedders | None = None, shares: "GraphFile | None" = None
    ) -> None:
        """With `shares`, the file and the indexes in memory are those of another one, as for two clients of a file."""
        self.settings = settings
        self.store = shares.store if shares else _home(settings)
        vectors = settings.vector_index, settings.max_matrix_vectors
        self.indexes = shares.indexes if shares else Indexes(*vectors, settings.db)
        endpoint = Endpoint(settings.embed_url, settings.embed_model, settings.embed_key)
        self._embedder_choice = (settings.embedder, endpoint)
        if embedders is None and shares and shares._embedder_choice == self._embedder_choice:  # noqa: SLF001
            embedders = shares.embedders
        self.embedders: Embedders = embedders or make_embedders(settings.embedder, endpoint)
        self._current = shares._current if shares else _Current()  # noqa: SLF001
        # One thread at a time builds the communities.
        self.build_lock = shares.build_lock if shares else threading.Lock()
        # Operations of several writes that go on.
        self.unfinished: set[int] = shares.unfinished if shares else set()

    @cached_property
    def roots(self) -> Sequence[str]:
        """The uris of the folders that paths of documents are relative to: the roots, and that of the project."""
        folders = [Path(root).expanduser() for root in self.settings.roots]
        if self.settings.db.parent.name == FOLDER:
            folders.append(self.settings.db.parent.parent)
        return [folder.resolve().as_uri().rstrip("/") for folder in folders]

    @property
    def max_bytes(self) -> int:
        """The size above which a file or text is refused."""
        return int(self.settings.max_file_mb * 1_000_000)

    def claude(self, *, is_asked: bool = True) -> Claude:
        """Claude, as the settings configure it. Raises PartMissing without a key or the package if it `is_asked`."""
        one = self.settings
        return Claude(one.claude_key, one.claude_model, one.claude_url, is_asked=is_asked)

    @contextmanager
    def reading(self, when: When = NOW, *, min_confidence: float | None = None) -> Generator[Snapshot]:
        """A snapshot of what is known, or was known at `when.known_at`; `min_confidence` is in place of the setting.

        Raises BadInput for a moment to come or a confidence outside 0 to 1.
        """
        if min_confidence is not None:
            check_range("min_confidence", min_confidence, 0, 1)
        if self.settings.read_only:
            self.store.check_has_content()
        with self._current_file(), self.store.reading(known_at=when.known_at) as tx:
            snapshot = self.snapshot_of(tx, when)
            yield snapshot if min_confidence is None else replace(snapshot, min_confidence=min_confidence)

    @contextmanager
    def writing(self, origin: Origin) -> Generator[Write]:
        """The write in progress. Raises NotAllowed for a client that may only read."""
        if self.settings.read_only:
            raise NotAllowed("This graph is open read-only.", "Start the server without --read-only to write.")
        with self._current_file():
            pass  # and not held: who waits to write does not keep the file from being closed
        with self.store.writing(origin) as tx:
            tx.find_names = partial(self.indexes.find_names, tx)
            tx.find_triples = partial(self.indexes.find_triples, tx)
            yield Write(tx, self.embedders, self.indexes, self.settings.ontology)
        self.indexes.follow(tx)

    @contextmanager
    def _current_file(self) -> Generator[None]:
        """The file held open, after what an earlier version has written was made current."""
        with self.store.held():
            current = self._current
            if not self.store.read_only and current.epoch != self.store.epoch:
                self._check_current(current)
            yield

    def _check_current(self, current: _Current) -> None:
        with current.lock:
            if current.is_checking or current.epoch == self.store.epoch:
                return  # it is this thread that is making the file current
            current.is_checking = True
            try:
                with self.store.reading() as tx:
                    is_current = derived_version(tx) == DERIVED
                if not is_current:
                    self.make_current()
                self.read_artefact()
                current.epoch = self.store.epoch
            finally:
                current.is_checking = False

    def make_current(self) -> None:
        """Make anew what an earlier version has derived from the rows; a copy of a file is left as it is."""

    def read_artefact(self) -> None:
        """Take in the graph that the repository has, where it is new; a copy of a file is left as it is."""

    @contextmanager
    def operation(self, origin: Origin) -> Generator[Origin]:
        """The origin of several writes that are one operation, which cannot be undone before the block ends."""
        with self.writing(origin) as write:
            operation = new_operation(write.tx)
            self.unfinished.add(operation)
        try:
            yield replace(origin, operation=operation)
        finally:
            self.unfinished.discard(operation)

    def snapshot_of(self, tx: Reader, when: When = NOW) -> Snapshot:
        """The snapshot of a transaction."""
        one = self.settings
        return Snapshot(tx, self.embedders, self.indexes, one.ontology, when, one.min_confidence, self.roots)

    def close(self) -> None:
        """Close the file, whoever uses it, and save indexes for the next process."""
        self.store.release()
        self.store.close()
        if self.store.released_state is not None:
            self.indexes.save(self.store.epoch, self.store.released_state)
        self.indexes.close()

    @cached_property
    def extractors(self) -> Mapping[str, Extractor]:
        """The extractors that need no model, by name."""
        limits = (self.settings.entities_per_chunk, self.settings.triples_per_chunk)
        return {name: make(*limits) for name, make in EXTRACTORS.items()}

    def chosen_extractors(self, extract: str | list[str]) -> list[Extractor]:
        """The extractors that `extract` names: auto, none, or names. `auto` may be named with others.

        Naming `claude` is the consent to send it the texts; whether it can be asked is checked as a job starts. Raises
        BadInput for an unknown extractor.
        """
        names = [extract] if isinstance(extract, str) else extract
        if names in (["none"], []):
            return []
        names = [one for name in names for one in (AUTO if name == "auto" else (name,))]
        if unknown := [name for name in names if name not in (*self.extractors, CLAUDE)]:
            known = ", ".join(["auto", "none", *self.extractors, CLAUDE])
            raise BadInput(f"No extractor named '{unknown[0]}'.", f"Choose one of {known}.")
        claude = self.claude_extractor(is_asked=False)
        return [claude if name == CLAUDE else self.extractors[name] for name in dict.fromkeys(names)]

    def claude_extractor(self, *, is_asked: bool = True) -> ClaudeExtractor:
        """The extractor `claude` of one job, whose budget it keeps. Raises as `claude`."""
        one = self.settings
        sizes = Sizes(
            one.claude_chunks,
            one.claude_overlap,
            one.claude_workers,
            one.entities_per_chunk,
            one.triples_per_chunk,
            one.claude_batches,
        )
        spending = Spending(
            one.claude_model, one.max_dollars, one.max_tokens_spent, factor=BATCH_PRICE if one.claude_batches else 1.0
        )
        return ClaudeExtractor(self.claude(is_asked=is_asked), spending, sizes)


def _home(settings: Settings) -> Home:
    given: dict[str, Any] = {
        "read_only": settings.read_only,
        "memory_limit": settings.memory_limit,
        "threads": settings.threads,
        "wait": settings.lock_wait,
    }
    if url := settings.postgres:
        from mcp_graphrag.store.engine.postgres import PostgresStore  # noqa: PLC0415  (few graphs are in a database)

        return PostgresStore(url, settings.db, **given)
    return Store(settings.db, **given)
