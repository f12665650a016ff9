"""Search: a question to hits, by keyword, by vector, or both fused."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

from mcp_graphrag.embed import Embedder
from mcp_graphrag.errors import BadInput, PartMissing
from mcp_graphrag.index.resident import chunk_vectors, keywords
from mcp_graphrag.index.terms import text_terms
from mcp_graphrag.model import NOW, ArmRank, Hit, Ids, When
from mcp_graphrag.retrieve.entities import check_dimension
from mcp_graphrag.retrieve.fuse import Ranked, reciprocal_rank_fusion
from mcp_graphrag.store import Reader, Store
from mcp_graphrag.store.citation import cite_chunk
from mcp_graphrag.store.documents import ChunkFilter, chunk_ids_where, chunks_by_id

Mode = Literal["keyword", "vector", "hybrid"]
MODES: tuple[Mode, ...] = get_args(Mode)
DEPTH = 100  # how far down each arm is read for a fusion
LONGEST_QUESTION = 20_000
MOST_TERMS = 400


@dataclass(frozen=True)
class Question:
    """What is asked. `limit` counts hits; `rrf_k` is the k of the fusion."""

    query: str
    mode: Mode = "hybrid"
    limit: int = 10
    allowed: ChunkFilter = field(default_factory=ChunkFilter)
    rrf_k: int = 60
    when: When = NOW


@dataclass(frozen=True)
class SearchAnswer:
    """Hits, best first, with notes on what was left out and why."""

    mode: Mode
    hits: Sequence[Hit]
    notes: Sequence[str] = ()


@dataclass(frozen=True)
class Asked:
    """A question on its way through the arms. `among` are the chunks that the filters let through, None for all."""

    store: Store
    tx: Reader
    embedder: Embedder
    question: Question
    terms: Sequence[str]
    among: Ids | None

    @property
    def depth(self) -> int:
        """How many chunks an arm is asked for."""
        return self.question.limit if self.question.mode != "hybrid" else max(DEPTH, self.question.limit)


def search(store: Store, embedder: Embedder, question: Question) -> SearchAnswer:
    """The best chunks for a question.

    An arm that is not at hand is left out with a note, unless it was asked for by name: then PartMissing is raised.
    Raises BadInput for an empty or overlong question.
    """
    _check(question)
    notes: list[str] = []
    with store.reading(known_at=question.when.known_at) as tx:
        among = None if question.allowed.is_open else chunk_ids_where(tx, question.allowed)
        if among is not None and not len(among):
            return SearchAnswer(
                question.mode, [], ["The filters exclude every chunk; see describe_graph for what there is."]
            )
        asked = Asked(store, tx, embedder, question, text_terms(question.query)[:MOST_TERMS], among)
        arms = _run_arms(asked, notes)
        hits = _hits(asked, arms)
    if not hits and not notes:
        notes.append("Nothing matches. Try other words, mode vector, or find_entities.")
    return SearchAnswer(question.mode, hits, notes)


def _check(question: Question) -> None:
    if not question.query.strip():
        raise BadInput("The query is empty.", "Ask a question or give some words.")
    if len(question.query) > LONGEST_QUESTION:
        raise BadInput(
            f"The query has {len(question.query)} characters; the most is {LONGEST_QUESTION}.",
            "Ask a shorter question.",
        )


def _run_arms(asked: Asked, notes: list[str]) -> dict[str, Ranked]:
    mode = asked.question.mode
    wanted = ("keyword", "vector") if mode == "hybrid" else (mode,)
    arms: dict[str, Ranked] = {}
    for name in wanted:
        try:
            arms[name] = ARMS[name](asked, notes)
        except PartMissing as error:
            if mode != "hybrid":
                raise
            notes.append(f"Without vectors: {error}")
    return arms


def _by_keyword(asked: Asked, notes: list[str]) -> Ranked:
    if not asked.terms:
        notes.append("The query has only stop words or signs, so keyword search found nothing.")
        return []
    return keywords(asked.store, asked.tx).search(asked.terms, limit=asked.depth, among=asked.among)


def _by_vector(asked: Asked, notes: list[str]) -> Ranked:
    vectors = chunk_vectors(asked.store, asked.tx)
    waiting = keywords(asked.store, asked.tx).count - vectors.count
    if waiting > 0 and asked.tx.known is None:
        notes.append(f"{waiting} chunks wait for their embedding; keyword search finds them already.")
    if not vectors.count:
        return []
    vector = asked.embedder.embed([asked.question.query])[0]
    if not vector.any():
        return []
    check_dimension(asked.store, asked.tx, asked.embedder, vector)
    return vectors.nearest(asked.tx, vector, limit=asked.depth, among=asked.among)


ARMS: Mapping[str, Callable[[Asked, list[str]], Ranked]] = {"keyword": _by_keyword, "vector": _by_vector}


def _hits(asked: Asked, arms: Mapping[str, Ranked]) -> list[Hit]:
    ranked: list[tuple[int, float, list[ArmRank]]]
    if asked.question.mode == "hybrid":
        ranked = reciprocal_rank_fusion(arms, k=asked.question.rrf_k)
    else:
        (name, found), *_ = arms.items()
        ranked = [(each, score, [ArmRank(name, rank, score)]) for rank, (each, score) in enumerate(found, start=1)]
    ranked = ranked[: asked.question.limit]
    chunks = chunks_by_id(asked.tx, [each for each, _, _ in ranked])
    postings = keywords(asked.store, asked.tx)
    return [
        Hit(chunks[each], cite_chunk(chunks[each]), score, arms_of, postings.holding(each, asked.terms))
        for each, score, arms_of in ranked
        if each in chunks
    ]
