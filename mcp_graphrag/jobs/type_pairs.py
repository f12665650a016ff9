"""Candidate pairs of chunks, typed by Claude as any relation of chunk edges; what it answers is kept in the file."""

import hashlib
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from mcp_graphrag.jobs.ask_model import StoredResults
from mcp_graphrag.model import ChunkEdge, Extraction, StoredChunk
from mcp_graphrag.model_extraction.ask_questions import Asking
from mcp_graphrag.model_extraction.claude_extractor import CLAUDE, ClaudeExtractor
from mcp_graphrag.model_extraction.pair_question import VERSION, Pair, PairQuestion, grouped
from mcp_graphrag.model_extraction.prompt import chunk_key
from mcp_graphrag.model_extraction.results import EdgeFound, Result
from mcp_graphrag.model_extraction.spending import Spending
from mcp_graphrag.snapshot import GraphFile
from mcp_graphrag.store.rows.document_rows import chunks_by_id
from mcp_graphrag.store.rows.model_result_rows import ResultOf

KEPT_AS = "claude pairs"


@dataclass
class TypedPairs:
    """The edges of the pairs that were read. `left` counts the others, `why` says why they were not, "" if none is."""

    edges: list[ChunkEdge] = field(default_factory=list[ChunkEdge])
    dropped: Counter[str] = field(default_factory=Counter[str])
    left: int = 0
    why: str = ""


def type_pairs(
    graph: GraphFile, model: ClaudeExtractor, pairs: Sequence[tuple[int, int]], stop: Callable[[], bool] = lambda: False
) -> TypedPairs:
    """How the chunks of each pair relate, by Claude; a pair that was asked about before is not paid for again."""
    run, keys, wanted = _start(graph, model, pairs)
    asking: Asking[PairQuestion] = Asking(model.claude, model.spending, model.sizes.workers, stop)
    asking.ask(run.questions(model.sizes.chunks))
    left = sum(pair not in run.found for pair in run.pairs)
    cause = asking.ends_job or asking.failure
    typed = TypedPairs([], run.dropped, left, str(cause) if cause and left else "")
    for ids, pair in wanted.items():
        id_of = {keys[chunk_id]: chunk_id for chunk_id in ids}
        typed.edges += [
            ChunkEdge(id_of[edge.source], id_of[edge.target], edge.relation, edge.weight, edge.description, CLAUDE)
            for edge in run.found.get(pair, ())
        ]
    return typed


def cost_of_pairs(graph: GraphFile, model: ClaudeExtractor, pairs: Sequence[tuple[int, int]]) -> Spending:
    """What `type_pairs` would request now, estimated."""
    run, *_ = _start(graph, model, pairs)
    return model.spending.planned(question.tokens for question in run.questions(model.sizes.chunks))


def _start(
    graph: GraphFile, model: ClaudeExtractor, pairs: Sequence[tuple[int, int]]
) -> tuple["_Run", Mapping[int, str], Mapping[tuple[int, int], Pair]]:
    """What was found of the pairs before; the keys of their chunks, and of each pair."""
    with graph.reading() as snapshot:
        chunks = chunks_by_id(snapshot.tx, {chunk_id for pair in pairs for chunk_id in pair})
    keys = {chunk_id: chunk_key(chunk.document.title, chunk) for chunk_id, chunk in chunks.items()}
    wanted = {(one, other): _pair(keys[one], keys[other]) for one, other in pairs if one in keys and other in keys}
    run = _Run(
        StoredResults(graph, ResultOf(KEPT_AS, VERSION, model.claude.model)),
        {keys[chunk_id]: chunk for chunk_id, chunk in chunks.items()},
    )
    run.find({pair for pair in wanted.values() if pair[0] != pair[1]})
    model.spending.factor = 1.0  # these requests are made one by one
    return run, keys, wanted


@dataclass
class _Run:
    """Pairs of chunks, by key, and what was found of them.

    With each of the two chunks the edges are kept that quote it, so that they are deleted with it.
    """

    results: StoredResults
    chunks: Mapping[str, StoredChunk]
    pairs: Collection[Pair] = ()
    found: dict[Pair, Sequence[EdgeFound]] = field(default_factory=dict[Pair, Sequence[EdgeFound]])
    dropped: Counter[str] = field(default_factory=Counter[str])

    def find(self, pairs: Collection[Pair]) -> None:
        """Take what was found of the pairs before."""
        self.pairs = pairs
        keys = {pair: [_kept_key(pair, side) for side in pair] for pair in pairs}
        stored = self.results.find([key for mine in keys.values() for key in mine])
        for pair, mine in keys.items():
            if all(key in stored for key in mine):
                self.found[pair] = [edge for key in mine for edge in stored[key].edges]

    def questions(self, max_chunks: int) -> Iterator[PairQuestion]:
        """Questions about the other pairs."""
        for group in grouped([pair for pair in self.pairs if pair not in self.found], max_chunks):
            yield PairQuestion(self.chunks, group, self.keep, self.dropped)

    def keep(self, found: Mapping[Pair, Sequence[EdgeFound]]) -> None:
        """Keep the edges of pairs."""
        self.found |= found
        rows: dict[str, tuple[StoredChunk, Result]] = {}
        for pair, edges in found.items():
            quoted = [next(side for side in pair if _has(self.chunks[side], edge.description)) for edge in edges]
            for side in pair:
                mine = [edge for edge, of in zip(edges, quoted, strict=True) if of == side]
                rows[_kept_key(pair, side)] = self.chunks[side], Result(Extraction(), mine)
        self.results.keep(rows)


def _has(chunk: StoredChunk, words: str) -> bool:
    return words in " ".join(chunk.text.split())


def _pair(one: str, other: str) -> Pair:
    return min(one, other), max(one, other)


def _kept_key(pair: Pair, side: str) -> str:
    return hashlib.sha256(" ".join([*pair, side]).encode()).hexdigest()
