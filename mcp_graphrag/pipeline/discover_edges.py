"""Chunk edges of what is stored already, found by a call of their own: those of the text, and of similar chunks."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from mcp_graphrag.errors import BadInput
from mcp_graphrag.index.pairs import Pair, Vectors, near_pairs
from mcp_graphrag.model import ChunkEdge, Origin, Relation
from mcp_graphrag.pipeline.chunk_edges import EdgeFinder, store_edges
from mcp_graphrag.pipeline.pipeline import Pipeline
from mcp_graphrag.pipeline.pointers import told_documents
from mcp_graphrag.pipeline.remove import find_named_document
from mcp_graphrag.store import Reader, Writer
from mcp_graphrag.store.chunk_edges import chunks_in_force, document_ids_after, documents_of_chunks, recorded_edges
from mcp_graphrag.store.embeddings import embedder_mark, pending_chunks, vectors_since
from mcp_graphrag.store.history import new_operation

MOST_PAIRS = 100
MOST_EXAMPLES = 10
EMBEDDING = "A server embeds in the background, mcp-graphrag reindex at once."
BATCH = 32  # documents read again in one transaction

Progress = Callable[[int, int, str], None]


@dataclass
class EdgesReport:
    """What a discovery has written: how many edges of each relation, and the first few of each.

    `chunks` were compared with others, which gave `pairs` that are alike. `stopped` says that it was told to stop
    before the end, `nothing` why nothing was added where nothing was.
    """

    added: Counter[Relation] = field(default_factory=Counter[Relation])
    examples: list[ChunkEdge] = field(default_factory=list[ChunkEdge])
    documents: int = 0
    chunks: int = 0
    pairs: int = 0
    stopped: bool = False
    nothing: str = ""
    notes: list[str] = field(default_factory=list[str])

    def count(self, edges: Sequence[ChunkEdge]) -> None:
        """Count edges that were written."""
        for edge in edges:
            if self.added[edge.relation] < MOST_EXAMPLES:
                self.examples.append(edge)
            self.added[edge.relation] += 1


@dataclass(frozen=True)
class Discovery:
    """What to look for. `documents` are uris or titles: one is compared with all others, several among themselves.

    Without `across`, only what the texts themselves say. `threshold` and `pairs` are None for the settings' values.
    """

    documents: Sequence[str] = ()
    threshold: float | None = None
    pairs: int | None = None
    across: bool = True


@dataclass(frozen=True)
class Comparison:
    """Whose neighbours to look for: the chunks of `documents` (none: of all), if `apart` only among themselves."""

    threshold: float
    pairs: int
    documents: Sequence[int] = ()
    apart: bool = False


EVERYTHING = Discovery()


def discover_chunk_edges(
    pipeline: Pipeline,
    origin: Origin,
    discovery: Discovery = EVERYTHING,
    *,
    stop: Callable[[], bool] = lambda: False,
    progress: Progress = lambda _done, _total, _what: None,
) -> EdgesReport:
    """The edges that were found and not stored before; the same call again adds nothing.

    Raises UnknownName for a document that is not stored, BadInput for a threshold or number of pairs out of range.
    """
    settings = pipeline.settings
    threshold = settings.edge_similarity if discovery.threshold is None else discovery.threshold
    pairs = settings.edge_pairs if discovery.pairs is None else discovery.pairs
    if not 0 < threshold <= 1:
        raise BadInput(f"The threshold is {threshold:g}.", "It is a cosine above 0 and at most 1.")
    if not 1 <= pairs <= MOST_PAIRS:
        raise BadInput(f"pairs is {pairs}.", f"It is from 1 to {MOST_PAIRS}.")
    with pipeline.reading() as tx:
        named = [find_named_document(tx, name)[0] for name in dict.fromkeys(discovery.documents)]
        every = document_ids_after(tx, 0, limit=2**62)
    scope = named or every
    with pipeline.writing(origin) as tx:
        origin = replace(origin, operation=origin.operation or new_operation(tx))
    report = EdgesReport()
    _read_again(pipeline, origin, scope, report, stop, progress)
    if discovery.across and not report.stopped:
        comparison = Comparison(threshold, pairs, named, apart=len(named) > 1)
        compare_chunks(pipeline, origin, comparison, report, stop=stop, progress=progress)
    if not (report.added or report.stopped):
        least = max(threshold, settings.edge_min_weight)
        report.nothing = _why_nothing(report, len(every), least, named=bool(named))
    return report


def compare_chunks(
    pipeline: Pipeline,
    origin: Origin,
    comparison: Comparison,
    report: EdgesReport,
    *,
    stop: Callable[[], bool] = lambda: False,
    progress: Progress = lambda _done, _total, _what: None,
) -> None:
    """Store the similar_to edges between chunks of different documents; `report` counts them."""
    with pipeline.reading() as tx:
        waiting = pending_chunks(tx)
        vectors, among = _vectors(tx, comparison)
    total = int(among.sum())
    if waiting:
        report.notes.append(_without_embedding(waiting, compared=total))

    def done(count: int) -> bool:
        report.chunks = count
        progress(count, total, f"{count} of {total} passages compared")
        report.stopped = count < total and stop()
        return not report.stopped

    found = near_pairs(vectors, threshold=comparison.threshold, pairs=comparison.pairs, among=among, done=done)
    report.pairs = sum(cosine >= pipeline.settings.edge_min_weight for cosine, *_ in found)
    with pipeline.writing(origin) as tx:
        store_edges(tx, _similar(tx, found, pipeline.embedder.name), pipeline.settings)
        report.count(recorded_edges(tx))


def compare_new_documents(pipeline: Pipeline, origin: Origin, document_ids: Sequence[int]) -> list[str]:
    """Store the similar_to edges of documents that were just ingested, as the settings say; answers what to know."""
    report = EdgesReport()
    settings = pipeline.settings
    compare_chunks(pipeline, origin, Comparison(settings.edge_similarity, settings.edge_pairs, document_ids), report)
    return report.notes


def _read_again(
    pipeline: Pipeline,
    origin: Origin,
    scope: Sequence[int],
    report: EdgesReport,
    stop: Callable[[], bool],
    progress: Progress,
) -> None:
    """Store what the texts of the documents say of their chunks, and of other documents that came later."""
    finder = EdgeFinder(pipeline.settings)
    for start in range(0, len(scope), BATCH):
        if stop():
            report.stopped = True
            return
        with pipeline.writing(origin) as tx:
            finder.store(tx, told_documents(tx, scope[start : start + BATCH]))
            report.count(recorded_edges(tx))
        report.documents = min(start + BATCH, len(scope))
        progress(report.documents, len(scope), f"{report.documents} of {len(scope)} documents read")


def _without_embedding(waiting: int, *, compared: int) -> str:
    which = "None of the passages has an embedding yet, so none was compared"
    if compared:
        which = f"{waiting} {'passage has' if waiting == 1 else 'passages have'} no embedding yet and stayed apart"
    return f"{which}: call discover_edges again when describe_graph shows none waiting. {EMBEDDING}"


def _why_nothing(report: EdgesReport, documents: int, least: float, *, named: bool) -> str:
    """Why nothing was added, and what finds more; `documents` are stored, `least` is the similarity that was asked."""
    if not documents:
        return "No document is stored: ingest some first."
    if not report.chunks:
        return "The texts point at nothing that is not stored already."
    if documents == 1:
        return "There is no other document to compare with."
    if not report.pairs:
        return f"No two passages of different documents have a similarity of {least:g}: a lower threshold finds more."
    more = "A lower threshold or more pairs find more"
    if not named:
        more += "; so does naming documents, whose passages then share their pairs with fewer others"
    return f"Nothing new: what was found is stored already. {more}."


def _vectors(tx: Reader, comparison: Comparison) -> tuple[Vectors, NDArray[np.bool_]]:
    """The vectors to compare, and for which of them neighbours are looked for."""
    mark = embedder_mark(tx)
    if mark is None:
        nothing = np.empty(0, dtype=np.int64)
        return Vectors(nothing, nothing, np.empty((0, 0), dtype=np.float32)), np.empty(0, dtype=np.bool_)
    ids, rows = vectors_since(tx, "chunk", mark.dimension, since=-1)
    chunk_ids, document_ids = documents_of_chunks(tx)
    documents = document_ids[np.searchsorted(chunk_ids, ids)]
    wanted = np.isin(documents, comparison.documents) if comparison.documents else np.ones(len(ids), dtype=np.bool_)
    if comparison.apart:
        ids, documents, rows, wanted = ids[wanted], documents[wanted], rows[wanted], wanted[wanted]
    return Vectors(ids, documents, rows), wanted


def _similar(tx: Writer, found: Sequence[Pair], embedder: str) -> list[ChunkEdge]:
    # Somebody may have replaced a document while its chunks were compared.
    living = chunks_in_force(tx, {end for _, *ends in found for end in ends})
    return [
        ChunkEdge(one, other, "similar_to", min(round(cosine, 4), 1.0), f"similarity {cosine:.2f}", embedder)
        for cosine, one, other in found
        if one in living and other in living
    ]
