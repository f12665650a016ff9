"""How much vectors are worth in a collection, measured without questions: do they find a chunk by its own sentence?

The vector of a long or mixed chunk is near to everything; such a collection is searched better by words. The measure
is the mean reciprocal rank of the chunk by vectors relative to that by words, as copies are hard to find for both.
"""

import threading
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from mcp_graphrag.english.sentences import split_sentences
from mcp_graphrag.index.csr import positions_of
from mcp_graphrag.index.tokenize import text_terms
from mcp_graphrag.model import Ids, Matrix
from mcp_graphrag.search.chunk_similarity import similarities_to
from mcp_graphrag.snapshot import Snapshot
from mcp_graphrag.store.rows.document_rows import chunks_by_id

MAX_PROBES = 64  # sentences that are searched
MAX_RIVALS = 1_000  # chunks among which each is searched
MIN_TERMS = 5  # of a sentence that is searched
PRIOR_PROBES = 8  # sentences that vectors are taken to find like words, so that a small collection says little
GROWTH = 1.5  # factor by which the embedded chunks change before it is measured again


class _Key(NamedTuple):
    """What the measure depends on: the file, the model, and how many chunks have static vectors and the model's."""

    epoch: int
    model: str
    static: int
    by_model: int

    def is_near(self, other: "_Key") -> bool:
        """Whether the measure of the other holds for this one as well."""
        counts = ((self.static, other.static), (self.by_model, other.by_model))
        return self[:2] == other[:2] and all(max(pair) <= GROWTH * min(pair) for pair in counts)


@dataclass
class VectorTrust:
    """The measure of one file, kept until the file has changed much. Safe to use from many threads."""

    _lock: threading.Lock = field(default_factory=threading.Lock)
    _measured: tuple[_Key, float] | None = None

    def of(self, snapshot: Snapshot) -> float:
        """The worth of vectors relative to words, in (0, 1]."""
        model = snapshot.embedders.model
        key = _Key(
            snapshot.tx.epoch, model.name if model else "", snapshot.chunk_vectors.count, snapshot.model_vectors.count
        )
        with self._lock:
            if self._measured is None or not key.is_near(self._measured[0]):
                self._measured = key, measure_trust(snapshot)
            return self._measured[1]


def measure_trust(snapshot: Snapshot) -> float:
    """The mean reciprocal rank of chunks by vectors, searched with a sentence of their own, relative to that by words.

    1 where vectors are as good as words, and where there is nothing to measure.
    """
    keywords = snapshot.keywords
    every = keywords.chunk_ids[keywords.active]
    rivals = every[:: max(1, len(every) // MAX_RIVALS)][:MAX_RIVALS]
    probes = _probes(snapshot, rivals[:: max(1, len(rivals) // MAX_PROBES)][:MAX_PROBES])
    if not probes:
        return 1.0
    by_words = by_vectors = float(PRIOR_PROBES)
    own = positions_of(np.array(list(probes)), rivals)
    for position, sentence, similarity in zip(
        own, probes.values(), similarities_to(snapshot, list(probes.values())), strict=True
    ):
        by_vectors += _reciprocal_rank(np.nan_to_num(similarity.of(rivals), nan=-1), position)
        by_words += _reciprocal_rank(keywords.scores_of(rivals, keywords.terms_of(sentence)), position)
    return min(1.0, by_vectors / by_words)


def _probes(snapshot: Snapshot, chunk_ids: Ids) -> dict[int, str]:
    """A sentence from the middle of each chunk that has several, by chunk."""
    probes: dict[int, str] = {}
    for chunk_id, chunk in chunks_by_id(snapshot.tx, chunk_ids.tolist()).items():
        sentences = [sentence for sentence in split_sentences(chunk.text) if len(text_terms(sentence)) >= MIN_TERMS]
        if len(sentences) > 1:
            probes[chunk_id] = sentences[len(sentences) // 2].strip()
    return probes


def _reciprocal_rank(scores: Matrix, own: np.int64) -> float:
    """1 over the rank of one of the scores, the last one among equals: what tells nothing apart finds nothing."""
    return 1 / int(np.count_nonzero(scores >= scores[own]))
