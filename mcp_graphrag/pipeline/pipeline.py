"""The parts that ingest and answer, put together from the settings, and the file with its embedder checked."""

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from weakref import WeakKeyDictionary

from mcp_graphrag.embed import Embedder, Endpoint, make_embedder
from mcp_graphrag.errors import BadInput, EmbedderMismatch
from mcp_graphrag.extract import EXTRACTORS, Extractor
from mcp_graphrag.index.resident import VectorChoice, configure
from mcp_graphrag.model import Origin
from mcp_graphrag.resolve.in_force import ontology_in_force
from mcp_graphrag.resolve.ontology import Ontology
from mcp_graphrag.settings import Settings
from mcp_graphrag.store import Reader, Store, Writer
from mcp_graphrag.store.embeddings import EmbedderMark, embedder_mark, make_embeddings

# What was in force when a store was last asked: (settings, epoch, generation, known_at), ontology.
_IN_FORCE: WeakKeyDictionary[Store, tuple[tuple[object, ...], Ontology]] = WeakKeyDictionary()


@dataclass(frozen=True)
class Pipeline:
    """A store with what fills it. Settings stand here as plain values."""

    store: Store
    embedder: Embedder
    extractors: Mapping[str, Extractor]
    settings: Settings

    @property
    def max_bytes(self) -> int:
        """The size above which a file or text is refused."""
        return int(self.settings.max_file_mb * 1_000_000)

    @contextmanager
    def reading(self, *, known_at: datetime | None = None) -> Generator[Reader]:
        """A snapshot of the file, of what was known at a moment if one is given.

        Raises EmbedderMismatch where its vectors come from another embedder.
        """
        with self.store.reading(known_at=known_at) as tx:
            check_embedder(tx, self)
            yield tx

    @contextmanager
    def writing(self, origin: Origin) -> Generator[Writer]:
        """The write in progress. Raises EmbedderMismatch where the file's vectors come from another embedder."""
        with self.store.writing(origin) as tx:
            check_embedder(tx, self)
            yield tx

    def ontology(self, tx: Reader) -> Ontology:
        """The types and predicates in force for this file: those that the settings name, and by default its own.

        Raises UnknownName where the settings name an ontology that neither ships nor is in the file.
        """
        chosen = self.settings.ontology
        if isinstance(tx, Writer):
            return ontology_in_force(tx, chosen)
        at = (chosen, self.store.epoch, tx.generation, tx.known)
        known = _IN_FORCE.get(self.store)
        if known is None or known[0] != at:
            known = _IN_FORCE[self.store] = (at, ontology_in_force(tx, chosen))
        return known[1]

    def chosen_extractors(self, extract: str | list[str]) -> list[Extractor]:
        """The extractors that `extract` names: auto, none, or names. Raises BadInput for an unknown one."""
        names = [extract] if isinstance(extract, str) else extract
        if names in (["none"], []):
            return []
        if names == ["auto"]:
            names = ["structure", "lite"]
        if unknown := [name for name in names if name not in self.extractors]:
            known = ", ".join(["auto", "none", *self.extractors])
            raise BadInput(f"No extractor named '{unknown[0]}'.", f"Choose of {known}.")
        return [self.extractors[name] for name in dict.fromkeys(names)]


def make_pipeline(settings: Settings) -> Pipeline:
    """The pipeline of these settings. Opens and loads nothing yet."""
    store = Store(
        settings.db,
        read_only=settings.read_only,
        memory_limit=settings.memory_limit,
        threads=settings.threads,
        wait=settings.lock_wait,
    )
    configure(store, VectorChoice(settings.vector_index, settings.matrix_most))
    endpoint = Endpoint(settings.embed_url, settings.embed_model, settings.embed_key)
    limits = (settings.entities_per_chunk, settings.triples_per_chunk)
    extractors = {name: make(*limits) for name, make in EXTRACTORS.items()}
    return Pipeline(store, make_embedder(settings.embedder, endpoint), extractors, settings)


def check_embedder(tx: Reader, pipeline: Pipeline) -> None:
    """Raise EmbedderMismatch where the file's vectors come from another embedder than the pipeline's."""
    mark = embedder_mark(tx)
    if mark is not None and mark.name != pipeline.embedder.name:
        raise EmbedderMismatch(pipeline.store.path, mark.name, pipeline.embedder.name)


def claim_embeddings(tx: Writer, embedder: Embedder) -> None:
    """Make the file's tables of vectors for this embedder where it has none yet."""
    if embedder_mark(tx) is None:
        make_embeddings(tx, EmbedderMark(embedder.name, embedder.dimension))
