"""Discovery of chunk edges between stored chunks: references in their texts, and similar chunks, typed or not."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from mcp_graphrag.chunk_edges.add_edges import cite_ends
from mcp_graphrag.chunk_edges.resolve_links import indexed_documents
from mcp_graphrag.chunk_edges.store_edges import EdgeFinder, EdgeLimits, store_edges
from mcp_graphrag.clean_input import check_range
from mcp_graphrag.edit.remove import find_named_document
from mcp_graphrag.errors import BadInput
from mcp_graphrag.index.near_pairs import ChunkVectors, Pair, near_pairs
from mcp_graphrag.jobs.type_pairs import cost_of_pairs, type_pairs
from mcp_graphrag.model import ChunkEdge, Origin, Relation
from mcp_graphrag.model_extraction.claude_extractor import ClaudeExtractor
from mcp_graphrag.model_extraction.spending import Spending
from mcp_graphrag.settings import Settings
from mcp_graphrag.snapshot import GraphFile
from mcp_graphrag.store import Reader, Writer
from mcp_graphrag.store.rows.chunk_edge_rows import (
    active_chunks,
    document_ids_after,
    recorded_edges,
)
from mcp_graphrag.store.rows.document_rows import chunk_documents
from mcp_graphrag.store.rows.embedding_rows import vectors_since

MAX_PAIRS = 100
MAX_EXAMPLES = 10
BATCH = 32  # documents read in one transaction

Progress = Callable[[int, int, str], None]


@dataclass
class EdgesReport:
    """The edges that a discovery has stored: how many of each relation, and the first few of each.

    `citations` are those of the chunks of the examples, by id. `chunks` were compared with others, which gave `pairs`
    of similar ones; what a model said of these and was not borne out is `dropped`, and `spending` is what it cost.
    `stopped` is whether it was stopped before the end, `nothing` why nothing was added, "" if
    something was.
    """

    added: Counter[Relation] = field(default_factory=Counter[Relation])
    examples: list[ChunkEdge] = field(default_factory=list[ChunkEdge])
    citations: dict[int, str] = field(default_factory=dict[int, str])
    documents: int = 0
    chunks: int = 0
    pairs: int = 0
    stopped: bool = False
    nothing: str = ""
    dropped: Counter[str] = field(default_factory=Counter[str])
    spending: Spending | None = None
    notes: list[str] = field(default_factory=list[str])


@dataclass(frozen=True)
class Discovery:
    """What to discover. `documents` are uris or titles: one is compared with all others, several with each other.

    Without `across`, only references in the texts. `threshold` and `pairs` are None for the settings' values. `model`
    says how similar chunks relate, which are similar_to without it. With `dry_run` nothing is stored or sent, only
    similar chunks are counted, and what the model would cost is estimated.
    """

    documents: Sequence[str] = ()
    threshold: float | None = None
    pairs: int | None = None
    across: bool = True
    model: ClaudeExtractor | None = None
    dry_run: bool = False


EVERYTHING = Discovery()


def discover_chunk_edges(
    graph: GraphFile, origin: Origin, discovery: Discovery, *, stop: Callable[[], bool], progress: Progress
) -> EdgesReport:
    """The edges that were stored; the same call again adds nothing.

    Raises UnknownName for a document that is not stored, BadInput for a threshold or number of pairs out of range.
    """
    settings = graph.settings
    threshold = settings.edge_similarity if discovery.threshold is None else discovery.threshold
    pairs = settings.edge_pairs if discovery.pairs is None else discovery.pairs
    if not 0 < threshold <= 1:
        raise BadInput(f"The threshold is {threshold:g}.", "It is a cosine above 0 and at most 1.")
    check_range("pairs", pairs, 1, MAX_PAIRS)
    with graph.reading() as snapshot:
        named = [find_named_document(snapshot.tx, name)[0] for name in dict.fromkeys(discovery.documents)]
        document_ids = document_ids_after(snapshot.tx, 0, limit=2**62)
    if discovery.dry_run:
        run = _Run(graph, origin, stop, progress)
        if discovery.across:
            run.plan(threshold, pairs, named, discovery.model)
        return run.report
    with graph.operation(origin) as one:
        run = _Run(graph, one, stop, progress)
        run.read_texts(named or document_ids)
        report = run.report
        if discovery.across and not report.stopped:
            run.compare(threshold, pairs, named, apart=len(named) > 1, model=discovery.model)
    if discovery.model is not None:
        report.spending = discovery.model.spending
    if not (report.added or report.stopped or report.notes):
        minimum = max(threshold, settings.edge_min_weight)
        report.nothing = _why_nothing(report, len(document_ids), minimum, named=bool(named))
    return report


def compare_new_documents(
    graph: GraphFile, origin: Origin, document_ids: Sequence[int], model: ClaudeExtractor | None = None
) -> list[str]:
    """Store the edges from documents that were just ingested to similar chunks; notes for the caller.

    `model` says how they relate, which are similar_to without it.
    """
    run = _Run(graph, origin, model.stop if model else lambda: False)
    run.compare(graph.settings.edge_similarity, graph.settings.edge_pairs, document_ids, model=model)
    return run.report.notes


def edge_limits(settings: Settings) -> EdgeLimits:
    """The limits that the settings give to stored chunk edges."""
    return EdgeLimits(settings.edge_min_weight, settings.max_edges_per_chunk)


@dataclass
class _Run:
    """A discovery in progress, which `report` counts."""

    graph: GraphFile
    origin: Origin
    stop: Callable[[], bool] = lambda: False
    progress: Progress = lambda _done, _total, _what: None
    report: EdgesReport = field(default_factory=EdgesReport)

    def read_texts(self, document_ids: Sequence[int]) -> None:
        """Store the references in the texts of documents, also those to documents that were ingested later."""
        finder, total = EdgeFinder(edge_limits(self.graph.settings)), len(document_ids)
        for start in range(0, total, BATCH):
            if self.stop():
                self.report.stopped = True
                return
            with self.graph.writing(self.origin) as write:
                finder.store(write.tx, indexed_documents(write.tx, document_ids[start : start + BATCH]))
                self._count(write.tx)
            done = self.report.documents = min(start + BATCH, total)
            self.progress(done, total, f"{done} of {total} documents read")

    def compare(
        self,
        threshold: float,
        pairs: int,
        document_ids: Sequence[int],
        *,
        apart: bool = False,
        model: ClaudeExtractor | None = None,
    ) -> None:
        """Store the edges between similar chunks of different documents: similar_to, or what the model says.

        The chunks of the given documents (of all, if none is given) are compared with all others or, if `apart`, with
        each other.
        """
        found = self._similar_pairs(threshold, pairs, document_ids, apart=apart)
        typed = None if model is None else self._typed(found, model)
        with self.graph.writing(self.origin) as write:
            edges = _similar(found, self.graph.embedders.static.name) if typed is None else typed
            # A document may have been replaced during the comparison.
            in_force = active_chunks(write.tx, {end for edge in edges for end in (edge.source, edge.target)})
            active = [edge for edge in edges if edge.source in in_force and edge.target in in_force]
            store_edges(write.tx, active, edge_limits(self.graph.settings))
            self._count(write.tx)

    def plan(self, threshold: float, pairs: int, document_ids: Sequence[int], model: ClaudeExtractor | None) -> None:
        """Count similar chunks as `compare` finds them, and estimate what the model would cost."""
        found = self._similar_pairs(threshold, pairs, document_ids, apart=len(document_ids) > 1)
        if model is not None:
            self.report.spending = cost_of_pairs(self.graph, model, [pair[1:] for pair in found])

    def _similar_pairs(
        self, threshold: float, pairs: int, document_ids: Sequence[int], *, apart: bool
    ) -> Sequence[Pair]:
        with self.graph.reading() as snapshot:
            vectors, among = _vectors(snapshot.tx, document_ids, apart=apart)
        total = int(among.sum())

        def done(count: int) -> bool:
            self.report.chunks = count
            self.progress(count, total, f"{count} of {total} chunks compared")
            self.report.stopped = count < total and self.stop()
            return not self.report.stopped

        found = near_pairs(vectors, threshold=threshold, pairs=pairs, among=among, done=done)
        self.report.pairs = sum(cosine >= self.graph.settings.edge_min_weight for cosine, *_ in found)
        return found

    def _typed(self, found: Sequence[Pair], model: ClaudeExtractor) -> list[ChunkEdge]:
        typed = type_pairs(self.graph, model, [pair[1:] for pair in found], self.stop)
        self.report.dropped += typed.dropped
        self.report.stopped = self.report.stopped or self.stop()
        if typed.left:
            self.report.notes.append(f"{typed.left} of {len(found)} pairs were not read: {typed.why}".rstrip(": "))
        return typed.edges

    def _count(self, tx: Writer) -> None:
        """Count the edges that a write has stored."""
        report, shown = self.report, len(self.report.examples)
        for edge in recorded_edges(tx):
            if report.added[edge.relation] < MAX_EXAMPLES:
                report.examples.append(edge)
            report.added[edge.relation] += 1
        report.citations |= cite_ends(tx, report.examples[shown:])


def _why_nothing(report: EdgesReport, documents: int, minimum: float, *, named: bool) -> str:
    """Why nothing was added, and what finds more; `documents` counts those stored, `minimum` is of the similarity."""
    if not documents:
        return "No document is stored: ingest some first."
    if not report.chunks:
        return "Every reference in the texts is stored already."
    if documents == 1:
        return "There is no other document to compare with."
    if not report.pairs:
        return f"No two chunks of different documents have a similarity of {minimum:g}: a lower threshold finds more."
    more = "A lower threshold or more pairs find more"
    if not named:
        more += "; so does naming documents, whose chunks are then compared with fewer others"
    return f"Nothing new: what was found is stored already. {more}."


def _vectors(tx: Reader, document_ids: Sequence[int], *, apart: bool) -> tuple[ChunkVectors, NDArray[np.bool_]]:
    """The vectors to compare, and for which of them similar ones are searched."""
    ids, rows = vectors_since(tx, "chunk", since=-1)
    chunk_ids, owners = chunk_documents(tx, since=-1)
    documents = owners[np.searchsorted(chunk_ids, ids)]
    wanted = np.isin(documents, document_ids) if document_ids else np.ones(len(ids), dtype=np.bool_)
    if apart:
        ids, documents, rows, wanted = ids[wanted], documents[wanted], rows[wanted], wanted[wanted]
    return ChunkVectors(ids, documents, rows), wanted


def _similar(found: Sequence[Pair], embedder: str) -> list[ChunkEdge]:
    return [
        ChunkEdge(one, other, "similar_to", min(round(cosine, 4), 1.0), f"similarity {cosine:.2f}", embedder)
        for cosine, one, other in found
    ]
