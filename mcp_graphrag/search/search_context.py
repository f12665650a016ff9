"""The state of one search: the question, its snapshot, and the result of each arm, computed at most once."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from mcp_graphrag.fusion import Ranked, reciprocal_rank_fusion, relative_to_best
from mcp_graphrag.index.keyword_index import Keywords
from mcp_graphrag.index.mention_graph import MentionGraph
from mcp_graphrag.index.normalize import normal_form
from mcp_graphrag.model import Ids, Matrix, StoredChunk
from mcp_graphrag.search.asked_ends import asked_ends
from mcp_graphrag.search.chunk_similarity import ChunkSimilarity, similarity_to
from mcp_graphrag.search.entity_linking import link_question
from mcp_graphrag.search.named_predicates import NamedPredicate, named_predicates
from mcp_graphrag.search.query import Fusion, SearchQuery, Seed
from mcp_graphrag.search.quoted_identifiers import identifiers
from mcp_graphrag.search.vector_share import features, vector_share
from mcp_graphrag.snapshot import Snapshot
from mcp_graphrag.store.rows.document_rows import chunks_by_id
from mcp_graphrag.store.rows.entity_rows import EntityLabel, entity_labels
from mcp_graphrag.store.rows.triple_rows import predicates

DEPTH = 100  # how many chunks an arm ranks for a fusion
MIN_DEPTH = 20  # how many chunks a single arm ranks at least
REFERENCE_CHUNKS = 1_000  # size of the collections on which the gate was tuned
COVERED = 0.4  # coverage from which the words that were found are no coincidence
MIN_SAID = 3  # different terms of a question, one of which a chunk may have by coincidence
COINCIDENCE = 0.1  # factor of the weight of keyword search where it found no more than that
MAX_SAMPLE = 1_000  # chunks from which a hit has to stand out
LEAST_DEVIATION = 1e-6  # of scores that differ at all


@dataclass(frozen=True)
class SearchContext:
    """A question with its snapshot. `among` are the chunks that the filters allow, None for all.

    `terms` are of the words that are sought, and so are the vectors: `sought`, or the whole question where it is empty.

    `notes` collects what the caller should know, each note once.
    """

    snapshot: Snapshot
    query: SearchQuery
    terms: Sequence[str]
    among: Ids | None
    sought: str = ""
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
        similarity = similarity_to(self.snapshot, self.sought or self.query.text)
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
        """Keyword and vector search fused: by ranks, or with gated fusion by adding what `scores_of` gives each.

        Unlike ranks, scores tell how far the best hit of an arm stands out, so that a weak arm weighs little.
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
        """The hybrid scores of chunks, at least one: how far words and vectors set each apart, weighted.

        How far is told in standard deviations from the mean of the chunks that are searched.
        """
        fusion, every = self.query.fusion, self.keywords.chunk_ids if self.among is None else self.among
        sampled = np.concatenate([ids, every[:: max(1, len(every) // MAX_SAMPLE)]])
        by_words = _apart(self.keywords.scores_of(sampled, self.terms), len(ids))
        by_vector = _apart(self.similarity.of(sampled), len(ids)) if self.by_vector else np.zeros_like(by_words)
        if self._is_coincidence(ids):
            by_words *= COINCIDENCE
        share = self.vector_share
        by_words *= (1 - share) * fusion.weight("keyword")
        return (by_words + share * fusion.weight("vector") * by_vector).astype(np.float32)

    @cached_property
    def vector_share(self) -> float:
        """The share of vectors in a hybrid score, the rest being that of words."""
        return vector_share(self.share_features)

    @property
    def share_features(self) -> dict[str, float]:
        """What the share of vectors follows from."""
        embedded = self.snapshot.chunk_vectors.count if self.similarity.by_model is not None else 0
        read = 1 - self.similarity.waiting / embedded if embedded else 0.0
        return features(chunk_length=self.keywords.mean_length, read=read, coverage=self.coverage)

    @cached_property
    def coverage(self) -> float:
        """The highest keyword score over that of a chunk of mean length that has every term of the question once."""
        best = self.by_keyword[0][1] if self.by_keyword else 0.0
        return best / max(self.keywords.ideal_score(self.terms), 1e-9)

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
    def named_predicates(self) -> Sequence[NamedPredicate]:
        """The stored predicates that the question names ("the director of …"), and their inverses."""
        return list(named_predicates(self.query.text, self.snapshot.ontology, self.predicates))

    @property
    def named_predicate_ids(self) -> set[int]:
        """The ids of the predicates that the question names."""
        return {each.predicate_id for each in self.named_predicates}

    @cached_property
    def mention_graph(self) -> MentionGraph:
        """The graph of chunks and entities as of the time of the snapshot."""
        return self.snapshot.mention_graph()

    @cached_property
    def seeds(self) -> list[Seed]:
        """The entities that the question names."""
        return link_question(self.snapshot, self.keywords, self.mention_graph.mentions, self.query.text)

    @cached_property
    def leading(self) -> list[Seed]:
        """The entities of the question that lead further than words do.

        Keyword search finds whatever has an identifier, as TestCLI or parse_args, or a word in lower case, as zip. If
        no triple tells of it, and no document has it as title, a walk from it only adds what happens to have other
        names of these chunks.
        """
        mentions, graph = self.mention_graph.mentions, self.mention_graph.graph
        return [
            seed
            for seed in self.seeds
            if graph.node(seed.entity_id) is not None
            or normal_form(seed.words) in mentions.titles
            or not (any(identifiers(seed.words)) or (seed.words.islower() and " " not in normal_form(seed.words)))
        ]

    @cached_property
    def asked(self) -> list[Seed]:
        """The other ends of triples about these entities, by predicates that the question names."""
        if not self.seeds:
            return []
        ends = asked_ends(self.mention_graph.graph, self.query.text, self.seeds, self.named_predicates)
        heads = self.labels(ends)
        counts = self.mention_graph.mentions.chunk_counts(np.array(list(heads), dtype=np.int64)).tolist()
        found: list[Seed] = []
        for (entity_id, head), count in zip(heads.items(), counts, strict=True):
            of, predicate = ends[entity_id]
            words = f"“{self.verbs[predicate.predicate_id]}” of {of.name}"
            found.append(Seed(entity_id, words, of.weight, count, head.name, head.type))
        return found

    @cached_property
    def gate(self) -> float:
        """The weight of the graph, 0 to 1: the cube of how specific the most specific entity of the question is.

        What the triples have as an answer counts as well. It is cubed so that names which half of the chunks have do
        not distort a search by words, and many such names do not add up to a specific one. A name in ten of a hundred
        thousand chunks is as specific as a name in one of a thousand.
        """
        fusion = self.query.fusion
        if not self.seeds or fusion.kind == "rrf" or fusion.gate <= 0:
            return float(bool(self.seeds))
        rarest = max((seed.weight for seed in [*self.leading, *self.asked]), default=0.0)
        specificity = rarest * max(1.0, self.keywords.texts / REFERENCE_CHUNKS) ** 0.5
        return min(1.0, specificity / fusion.gate) ** 3

    def _is_coincidence(self, ids: Ids) -> bool:
        """Whether no chunk has two terms of a question of several, which says no name and no identifier."""
        if (
            self.coverage >= COVERED
            or len(set(self.terms)) < MIN_SAID
            or any(identifiers(self.query.text))
            or self.seeds
        ):
            return False
        return max(map(len, self.keywords.terms_in_chunks(ids.tolist(), self.terms))) < 2

    def text_cosines(self, texts: Sequence[str]) -> Matrix:
        """The cosine of each short text to the question, by static vectors."""
        return self.snapshot.embed(texts) @ self.similarity.static


def _apart(scores: Matrix, count: int) -> Matrix:
    """The first `count` scores in standard deviations from the mean of the others; NaN as the mean."""
    first, others = scores[:count], scores[count:][np.isfinite(scores[count:])]
    highest = first[np.isfinite(first)].max(initial=-np.inf)
    if highest > others.max(initial=-np.inf):
        others = np.append(others, highest)  # the best of many thousands is seldom among them
    if not len(others):
        return np.zeros(count, dtype=np.float32)
    return np.nan_to_num((first - others.mean()) / max(float(others.std()), LEAST_DEVIATION))


def awaiting_embedding(chunks: int) -> str:
    """How many chunks have no embedding yet, in words."""
    return f"{'1 chunk waits for its' if chunks == 1 else f'{chunks} chunks wait for their'} embedding"


def fuse_by_rank(fusion: Fusion, arms: Mapping[str, Ranked]) -> Ranked:
    """Arms fused by ranks alone, with the k and the weights of the settings."""
    return reciprocal_rank_fusion(arms, k=fusion.k, weights={arm: fusion.weight(arm) for arm in arms})
