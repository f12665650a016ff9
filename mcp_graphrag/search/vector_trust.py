"""How much vectors are worth in a collection, measured without questions: do they find a chunk by its own sentence?

The vector of a long or mixed chunk is near to everything; such a collection is searched better by words. The measure
is the mean reciprocal rank of the chunk by vectors relative to that by words, as copies are hard to find for both.
"""

import threading
from dataclasses import dataclass, field

import numpy as np

from mcp_graphrag.errors import GraphragError
from mcp_graphrag.index.csr import positions_of
from mcp_graphrag.index.tokenize import text_terms
from mcp_graphrag.model import Ids, Matrix
from mcp_graphrag.sentences import split_sentences
from mcp_graphrag.snapshot import Snapshot
from mcp_graphrag.store.rows.document_rows import chunks_by_id
from mcp_graphrag.store.rows.embedding_rows import vectors_by_id

MAX_PROBES = 64  # sentences that are searched
MAX_RIVALS = 1_000  # chunks among which each is searched
MIN_TERMS = 5  # of a sentence that is searched
PRIOR_PROBES = 8  # sentences that vectors are taken to find like words, so that a small collection says little
GROWTH = 1.5  # factor by which the embedded chunks change before it is measured again


@dataclass
class VectorTrust:
    """The measure of one file, kept until the file has changed much. Safe to use from many threads."""

    _lock: threading.Lock = field(default_factory=threading.Lock)
    _measured: dict[tuple[int, str], tuple[int, float]] = field(
        default_factory=dict[tuple[int, str], tuple[int, float]]
    )

    def of(self, snapshot: Snapshot) -> float:
        """The worth of vectors relative to words, in (0, 1]."""
        key, count = (snapshot.tx.epoch, snapshot.embedder.name), snapshot.chunk_vectors.count
        with self._lock:
            at, trust = self._measured.get(key, (0, 1.0))
            if not at / GROWTH <= count <= at * GROWTH:
                trust = measure_trust(snapshot)
                self._measured = {key: (count, trust)}
            return trust


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
    try:
        embedded = snapshot.embedder.embed(list(probes.values()))
    except GraphragError:
        return 1.0  # the search itself says why there are no vectors
    # Some chunks may wait for their vector; the others are read once, as not every index has them in memory.
    rivals = rivals[np.isfinite(snapshot.chunk_vectors.cosines(snapshot.tx, embedded[0], rivals))]
    vectors = vectors_by_id(snapshot.tx, "chunk", embedded.shape[1], rivals)
    by_words = by_vectors = float(PRIOR_PROBES)
    for own, sentence, vector in zip(
        positions_of(np.array(list(probes)), rivals), probes.values(), embedded, strict=True
    ):
        if own >= 0:
            by_vectors += _reciprocal_rank(vectors @ vector, own)
            by_words += _reciprocal_rank(keywords.scores_of(rivals, text_terms(sentence)), own)
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
