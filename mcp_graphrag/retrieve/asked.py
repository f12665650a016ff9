"""A question on its way through the arms: what each found is kept for those that build on it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from mcp_graphrag.embed import Embedder, make_embedder
from mcp_graphrag.errors import PartMissing
from mcp_graphrag.index.keyword import Keywords
from mcp_graphrag.index.resident import chunk_vectors, keywords, web
from mcp_graphrag.index.web import Web
from mcp_graphrag.model import Ids, Matrix
from mcp_graphrag.retrieve.entities import check_dimension
from mcp_graphrag.retrieve.fuse import Ranked, reciprocal_rank_fusion
from mcp_graphrag.retrieve.question import Fusion, Question, Seed
from mcp_graphrag.retrieve.seeds import link_question, synonyms_of
from mcp_graphrag.store import Reader, Store
from mcp_graphrag.store.triples import predicates

DEPTH = 100  # how far down each arm is read for a fusion
COVERED = 0.5  # share of the question's words, by weight, that the best chunk has where keyword search counts in full
MEASURED = 1_000  # chunks of the collections on which the gate was measured
BESIDE = 0.8  # what the nearest chunk by vector counts beside the best by words
SAMPLE = 1_000  # chunks from which the least cosine is taken

_static = make_embedder("wordllama")


@dataclass(frozen=True)
class Asked:
    """A question with its snapshot. `among` are the chunks that the filters let through, None for all.

    `notes` collects what was left out; a note is said once.
    """

    store: Store
    tx: Reader
    embedder: Embedder
    question: Question
    terms: Sequence[str]
    among: Ids | None
    notes: list[str] = field(default_factory=list[str])

    def note(self, text: str) -> None:
        """Tell the caller something, once."""
        if text not in self.notes:
            self.notes.append(text)

    @property
    def depth(self) -> int:
        """How many chunks an arm is asked for: a few times what is shown, as several may be parts of one."""
        limit = self.question.limit
        return 2 * limit if self.question.mode in {"keyword", "vector"} else max(DEPTH, 2 * limit)

    @cached_property
    def keywords(self) -> Keywords:
        """The resident postings."""
        return keywords(self.store, self.tx)

    @cached_property
    def by_keyword(self) -> Ranked:
        """The keyword arm: BM25 scores."""
        if not self.terms:
            self.note("The query has only stop words or signs, so keyword search found nothing.")
            return []
        return self.keywords.search(self.terms, limit=self.depth, among=self.among)

    @cached_property
    def embedding(self) -> Matrix | None:
        """The question's embedding, None where no chunk has one or the question has no token.

        Raises PartMissing where the embedder is not at hand, even if there is nothing yet to compare with: then it
        is why chunks still wait.
        """
        if not self.keywords.count:
            return None
        vector = self.embedder.embed([self.question.query])[0]
        vectors = chunk_vectors(self.store, self.tx)
        waiting = self.keywords.count - vectors.count
        if waiting > 0 and self.tx.known is None:
            self.note(f"{waiting_in_words(waiting)}; keyword search finds them already.")
        if not vectors.count or not vector.any():
            return None
        check_dimension(self.tx, self.embedder, vector)
        return vector

    @cached_property
    def vector(self) -> Matrix | None:
        """The question's embedding, or None and a note where the embedder is not at hand."""
        try:
            return self.embedding
        except PartMissing as error:
            self.note(f"Without vectors: {error}")
            return None

    @cached_property
    def by_vector(self) -> Ranked:
        """The vector arm: cosines. Raises PartMissing where the embedder is not at hand."""
        if self.embedding is None:
            return []
        return chunk_vectors(self.store, self.tx).nearest(self.tx, self.embedding, limit=self.depth, among=self.among)

    @cached_property
    def near(self) -> Ranked:
        """The vector arm, or nothing and a note where it is not at hand."""
        return [] if self.vector is None else self.by_vector

    @cached_property
    def by_both(self) -> Ranked:
        """Keyword and vector search fused: by ranks, or with gated fusion by scores scaled to [0, 1] and added.

        Scores tell how far the best of an arm stands out, which ranks forget: a weak arm then weighs little. Where even
        the best chunk has few of the question's words, they were chance, and keyword search counts for less.
        """
        fusion = self.question.fusion
        weights = {arm: fusion.weight(arm) for arm in ("keyword", "vector")}
        if fusion.kind == "rrf":
            return fused_by_rank(fusion, {"keyword": self.by_keyword, "vector": self.near})
        found = [*(self.by_keyword if weights["keyword"] else ()), *(self.near if weights["vector"] else ())]
        ids = np.unique(np.array([each for each, _ in found], dtype=np.int64))
        if not len(ids):
            return []
        scores = self.scores_of(ids)
        order = np.lexsort((ids, -scores))
        return list(zip(ids[order].tolist(), scores[order].tolist(), strict=True))

    def scores_of(self, ids: Ids) -> Matrix:
        """What some chunks, at least one, score by words and vectors, each scaled to 1 for the best of them."""
        fusion = self.question.fusion
        said = self.keywords.scores_of(ids, self.terms)
        best = max(float(said.max()), 1e-9)
        told = min(1.0, best / max(self.keywords.whole_score(self.terms), 1e-9) / COVERED) ** 3
        by_words = told * fusion.weight("keyword") * said / best
        return (by_words + BESIDE * fusion.weight("vector") * self._nearness(ids)).astype(np.float32)

    @cached_property
    def closeness(self) -> Mapping[int, float]:
        """How near what words and vectors find is to the question: 1 for the nearest chunk, best first."""
        return {each: score / max(self.by_both[0][1], 1e-9) for each, score in self.by_both}

    @cached_property
    def predicates(self) -> Mapping[str, int]:
        """The ids of the stored predicates by name."""
        return predicates(self.tx)

    @cached_property
    def web(self) -> Web:
        """The web of chunks and entities as of the time that is asked about."""
        return web(self.store, self.tx, self.question.when.as_of)

    @cached_property
    def seeds(self) -> list[Seed]:
        """The entities that the question names."""
        return link_question(self.store, self.tx, self.keywords, self.web.mentions, self.question.query)

    @cached_property
    def entries(self) -> list[Seed]:
        """Where a walk enters the graph: the entities that the question names, and those called nearly the same."""
        question = self.question
        here = (self.store, self.tx, self.embedder, self.web.mentions)
        return [*self.seeds, *synonyms_of(*here, self.seeds, question.synonyms)]

    @cached_property
    def gate(self) -> float:
        """How much the graph counts, 0 to 1: the cube of how specific the question's entities are.

        Cubed, so that names which half of the chunks say do not pull a search by words off its way. What ten of a
        hundred thousand chunks say is as specific as what one of a thousand says.
        """
        fusion = self.question.fusion
        told = sum(seed.weight for seed in self.seeds) * max(1.0, self.keywords.count / MEASURED) ** 0.5
        if not self.seeds:
            return 0.0
        return 1.0 if fusion.kind == "rrf" or fusion.gate <= 0 else min(1.0, told / fusion.gate) ** 3

    def nearness_of_texts(self, texts: Sequence[str]) -> Matrix:
        """The cosine of each short text and the question, by an embedder fast enough to be asked at once."""
        quick = self.embedder if self.embedder.instant else _static
        vectors = quick.embed([self.question.query, *texts])
        return vectors[1:] @ vectors[0]

    def _nearness(self, ids: Ids) -> Matrix:
        """The cosines of chunks scaled so that the least like chunk of a sample has 0 and the nearest 1."""
        if not self.near or self.vector is None:
            return np.zeros(len(ids), dtype=np.float32)
        every = self.keywords.chunk_ids if self.among is None else self.among
        sample = every[:: max(1, len(every) // SAMPLE)]
        cosines = chunk_vectors(self.store, self.tx).cosines(self.tx, self.vector, np.concatenate([ids, sample]))
        if not np.isfinite(cosines[: len(ids)]).any():
            return np.zeros(len(ids), dtype=np.float32)
        floor = float(np.nanmin(cosines))
        span = max(float(np.nanmax(cosines[: len(ids)])) - floor, 1e-9)
        return np.nan_to_num((cosines[: len(ids)] - floor) / span)


def waiting_in_words(chunks: int) -> str:
    """How many chunks wait for their embedding."""
    return f"{'1 chunk waits for its' if chunks == 1 else f'{chunks} chunks wait for their'} embedding"


def fused_by_rank(fusion: Fusion, arms: Mapping[str, Ranked]) -> Ranked:
    """Arms fused by their ranks alone, with the k and the weights that are set."""
    weights = {arm: fusion.weight(arm) for arm in arms}
    return [(each, score) for each, score, _ in reciprocal_rank_fusion(arms, k=fusion.k, weights=weights)]
