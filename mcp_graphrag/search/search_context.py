"""The state of one search: the question, its snapshot, and the result of each arm, computed at most once."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice

import numpy as np

from mcp_graphrag.fusion import Ranked, reciprocal_rank_fusion, relative_to_best
from mcp_graphrag.index.keyword_index import Keywords
from mcp_graphrag.index.mention_graph import MentionGraph
from mcp_graphrag.index.tokenize import STOP_WORDS, WORD
from mcp_graphrag.model import Ids, Matrix, StoredChunk
from mcp_graphrag.ontology.map_predicates import map_predicate
from mcp_graphrag.search.chunk_similarity import ChunkSimilarity, similarity_to
from mcp_graphrag.search.entity_linking import link_question
from mcp_graphrag.search.query import Fusion, SearchQuery, Seed
from mcp_graphrag.search.quoted_identifiers import identifiers
from mcp_graphrag.search.vector_trust import VectorTrust
from mcp_graphrag.snapshot import Snapshot
from mcp_graphrag.store.rows.document_rows import chunks_by_id
from mcp_graphrag.store.rows.entity_rows import EntityLabel, entity_labels
from mcp_graphrag.store.rows.triple_rows import predicates

DEPTH = 100  # how many chunks an arm ranks for a fusion
MIN_DEPTH = 20  # how many chunks a single arm ranks at least
FULL_COVERAGE = 0.4  # share of the query terms in the best chunk, by weight; below it keyword search weighs less
REFERENCE_CHUNKS = 1_000  # size of the collections on which the gate was tuned
MIN_SAID = 3  # different terms of a question, one of which a chunk may have by coincidence
COINCIDENCE = 0.1  # factor of the weight of keyword search where it found no more than that
VECTOR_SHARE = 0.8  # score of the nearest chunk by vector; the best by words has 1
MAX_FLOOR_SAMPLE = 1_000  # chunks among which the lowest cosine is taken
MAX_WORDS = 60  # of a question, read for predicates
MAX_PHRASE_WORDS = 3


@dataclass(frozen=True)
class SearchContext:
    """A question with its snapshot. `among` are the chunks that the filters allow, None for all.

    `notes` collects what the caller should know, each note once.
    """

    snapshot: Snapshot
    query: SearchQuery
    terms: Sequence[str]
    among: Ids | None
    notes: list[str] = field(default_factory=list[str])
    _labels: dict[int, EntityLabel] = field(default_factory=dict[int, EntityLabel], init=False)
    _chunks: dict[int, StoredChunk] = field(default_factory=dict[int, StoredChunk], init=False)

    def note(self, *texts: str) -> None:
        """Add notes for the caller, each once."""
        self.notes.extend(text for text in dict.fromkeys(texts) if text not in self.notes)

    def labels(self, entity_ids: Collection[int]) -> dict[int, EntityLabel]:
        """Names and types of entities by id; what was read once is not read again."""
        self._labels.update(entity_labels(self.snapshot.tx, set(entity_ids) - self._labels.keys()))
        return {entity_id: self._labels[entity_id] for entity_id in entity_ids if entity_id in self._labels}

    def chunks(self, chunk_ids: Iterable[int]) -> dict[int, StoredChunk]:
        """Chunks by id; what was read once is not read again."""
        wanted = list(chunk_ids)
        self._chunks.update(chunks_by_id(self.snapshot.tx, set(wanted) - self._chunks.keys()))
        return {chunk_id: self._chunks[chunk_id] for chunk_id in wanted if chunk_id in self._chunks}

    @property
    def depth(self) -> int:
        """How many chunks an arm ranks: more than are shown, as several may be children of one parent."""
        return max(MIN_DEPTH if self.query.mode in {"keyword", "vector"} else DEPTH, 2 * self.query.limit)

    @cached_property
    def keywords(self) -> Keywords:
        """The postings."""
        return self.snapshot.keywords

    @cached_property
    def by_keyword(self) -> Ranked:
        """The keyword arm: BM25 scores."""
        if not self.terms:
            self.note("The query has only stop words or punctuation, so keyword search found nothing.")
            return []
        return self.keywords.search(self.terms, limit=self.depth, among=self.among)

    @cached_property
    def similarity(self) -> ChunkSimilarity:
        """The similarity of chunks to the question; a note says why the model did not read it."""
        similarity = similarity_to(self.snapshot, self.query.text)
        if similarity.lacking:
            self.note(f"Without the vectors of the model: {similarity.lacking}")
        elif self.query.explain and similarity.waiting and self.snapshot.tx.known is None:
            self.note(f"{awaiting_embedding(similarity.waiting)} by the model; static vectors stand in for it.")
        return similarity

    @cached_property
    def by_vector(self) -> Ranked:
        """The vector arm: similarities."""
        if not self.keywords.count or self.similarity.is_blank:
            return []
        return self.similarity.nearest(limit=self.depth, among=self.among)

    @cached_property
    def by_both(self) -> Ranked:
        """Keyword and vector search fused: by ranks, or with gated fusion by adding scores scaled to [0, 1].

        Unlike ranks, scores tell how far the best hit of an arm stands out, so that a weak arm weighs little. Vectors
        weigh what they are worth in this collection. If even the best chunk has few words of the question, or one that
        it may have by coincidence, keyword search weighs less, as far as vectors can take its place.
        """
        fusion = self.query.fusion
        if fusion.kind == "rrf":
            return fuse_by_rank(fusion, {"keyword": self.by_keyword, "vector": self.by_vector})
        found = [*(self.by_keyword if fusion.weight("keyword") else ())]
        found += self.by_vector if fusion.weight("vector") else ()
        ids = np.unique(np.array([chunk_id for chunk_id, _ in found], dtype=np.int64))
        if not len(ids):
            return []
        scores = self.scores_of(ids)
        order = np.lexsort((ids, -scores))
        return list(zip(ids[order].tolist(), scores[order].tolist(), strict=True))

    def scores_of(self, ids: Ids) -> Matrix:
        """The hybrid scores of chunks, at least one; words and vectors are each scaled to 1 for the best of them."""
        fusion = self.query.fusion
        keyword_scores = self.keywords.scores_of(ids, self.terms)
        best = max(float(keyword_scores.max()), 1e-9)
        coverage = min(1.0, best / max(self.keywords.ideal_score(self.terms), 1e-9) / FULL_COVERAGE)
        word_weight = coverage**3
        if coverage < 1 and self._is_coincidence(ids):
            word_weight *= COINCIDENCE
        trust = self.vector_trust
        by_words = (1 - trust * (1 - word_weight)) * fusion.weight("keyword") * keyword_scores / best
        by_vector = trust * VECTOR_SHARE * fusion.weight("vector") * self._scaled_cosines(ids)
        return (by_words + by_vector).astype(np.float32)

    @cached_property
    def vector_trust(self) -> float:
        """The square of what vectors are worth in this collection relative to words, in (0, 1]."""
        return self.snapshot.indexes.cache(VectorTrust).of(self.snapshot) ** 2 if self.by_vector else 1.0

    @cached_property
    def relative_scores(self) -> Mapping[int, float]:
        """The hybrid score of each hit relative to the best one, best first."""
        return dict(relative_to_best(self.by_both))

    @cached_property
    def predicates(self) -> Mapping[str, int]:
        """The ids of the stored predicates by name."""
        return predicates(self.snapshot.tx)

    @cached_property
    def verbs(self) -> Mapping[int, str]:
        """The stored predicates as words, by id."""
        return {predicate_id: name.replace("_", " ") for name, predicate_id in self.predicates.items()}

    @cached_property
    def named_predicates(self) -> set[int]:
        """The ids of the stored predicates that the question names ("the director of …"), and of their inverses."""
        ontology = self.snapshot.ontology
        named = {map_predicate(" ".join(run), ontology).predicate for run in _phrases(self.query.text)}
        named |= {inverse for name in named for _, inverse in ontology.inverses(name)}
        return {self.predicates[name] for name in named if name in self.predicates}

    @cached_property
    def mention_graph(self) -> MentionGraph:
        """The graph of chunks and entities as of the time of the snapshot."""
        return self.snapshot.mention_graph()

    @cached_property
    def seeds(self) -> list[Seed]:
        """The entities that the question names."""
        return link_question(self.snapshot, self.keywords, self.mention_graph.mentions, self.query.text)

    @cached_property
    def gate(self) -> float:
        """The weight of the graph, 0 to 1: the cube of how specific the most specific entity of the question is.

        It is cubed so that names which half of the chunks have do not distort a search by words, and many such names
        do not add up to a specific one. A name in ten of a hundred thousand chunks is as specific as a name in one of
        a thousand.
        """
        fusion = self.query.fusion
        if not self.seeds:
            return 0.0
        rarest = max(seed.weight for seed in self.seeds)
        specificity = rarest * max(1.0, self.keywords.texts / REFERENCE_CHUNKS) ** 0.5
        return 1.0 if fusion.kind == "rrf" or fusion.gate <= 0 else min(1.0, specificity / fusion.gate) ** 3

    def _is_coincidence(self, ids: Ids) -> bool:
        """Whether no chunk has two terms of a question of several, which says no name and no identifier."""
        if len(set(self.terms)) < MIN_SAID or any(identifiers(self.query.text)) or self.seeds:
            return False
        return max(map(len, self.keywords.terms_in_chunks(ids.tolist(), self.terms))) < 2

    def text_cosines(self, texts: Sequence[str]) -> Matrix:
        """The cosine of each short text to the question, by static vectors."""
        return self.snapshot.embed(texts) @ self.similarity.static

    def _scaled_cosines(self, ids: Ids) -> Matrix:
        """The similarities of chunks, scaled so that the lowest of a sample of all chunks is 0 and the highest is 1."""
        if not self.by_vector:
            return np.zeros(len(ids), dtype=np.float32)
        every = self.keywords.chunk_ids if self.among is None else self.among
        sample = every[:: max(1, len(every) // MAX_FLOOR_SAMPLE)]
        cosines = self.similarity.of(np.concatenate([ids, sample]))
        if not np.isfinite(cosines[: len(ids)]).any():
            return np.zeros(len(ids), dtype=np.float32)
        floor = float(np.nanmin(cosines))
        span = max(float(np.nanmax(cosines[: len(ids)])) - floor, 1e-9)
        return np.nan_to_num((cosines[: len(ids)] - floor) / span)


def _phrases(query: str) -> Iterator[list[str]]:
    """Runs of up to MAX_PHRASE_WORDS words, not all of them stop words, that may name a predicate; also as singular."""
    words = [match[0].casefold() for match in islice(WORD.finditer(query), MAX_WORDS)]
    for length in range(1, MAX_PHRASE_WORDS + 1):
        for first in range(len(words) - length + 1):
            run = words[first : first + length]
            if not STOP_WORDS.issuperset(run):
                yield run
                if run[-1].endswith("s"):
                    yield [*run[:-1], run[-1][:-1]]


def awaiting_embedding(chunks: int) -> str:
    """How many chunks have no embedding yet, in words."""
    return f"{'1 chunk waits for its' if chunks == 1 else f'{chunks} chunks wait for their'} embedding"


def fuse_by_rank(fusion: Fusion, arms: Mapping[str, Ranked]) -> Ranked:
    """Arms fused by ranks alone, with the k and the weights of the settings."""
    return reciprocal_rank_fusion(arms, k=fusion.k, weights={arm: fusion.weight(arm) for arm in arms})
