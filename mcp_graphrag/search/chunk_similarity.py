"""How near chunks are to a text in meaning: by the model's vectors where a chunk has one, else by static vectors.

While the model has read a part of the chunks only, static cosines are mapped to the scale of the model: those of a
sample of chunks that have both get the same mean and the same standard deviation.
"""

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from mcp_graphrag.embed import Embedder
from mcp_graphrag.embed.embedder import embed_questions
from mcp_graphrag.errors import PartMissing
from mcp_graphrag.fusion import Ranked
from mcp_graphrag.model import Ids, Matrix
from mcp_graphrag.snapshot import Snapshot
from mcp_graphrag.store.rows.embedding_rows import check_model

MIN_BOTH = 32  # chunks with both vectors from which the two scales can be compared
MAX_REMEMBERED = 256  # texts
MAX_SAMPLE = 4_000  # chunks among which those with both are compared


@dataclass(frozen=True)
class ChunkSimilarity:
    """The similarity of chunks to one text: cosines, or static cosines mapped to those of the model.

    `by_model` is None where the file has no vectors of the model, or the model is not available; `lacking` then says
    why. A static vector of zeros is of a text without a token that the embedder knows.
    """

    snapshot: Snapshot
    static: Matrix
    by_model: Matrix | None = None
    lacking: str = ""

    @property
    def is_blank(self) -> bool:
        """Whether there is nothing to compare chunks with."""
        return self.by_model is None and not self.static.any()

    @cached_property
    def waiting(self) -> int:
        """How many chunks have no vector of the model yet, 0 where it is not used."""
        if self.by_model is None:
            return 0
        return max(0, self.snapshot.chunk_vectors.count - self.snapshot.model_vectors.count)

    def nearest(self, *, limit: int, among: Ids | None = None) -> Ranked:
        """(chunk id, similarity) of the nearest chunks, best first, ties by the lower id."""
        tx, vectors = self.snapshot.tx, self.snapshot.chunk_vectors
        if self.by_model is None or self._scale is None:
            return vectors.nearest(tx, self.static, limit=limit, among=among)
        near = self.snapshot.model_vectors.nearest(tx, self.by_model, limit=limit, among=among)
        if not self.waiting or not self.static.any():
            return near
        # The nearest by static vectors may be those that the model has read.
        near = [*near, *vectors.nearest(tx, self.static, limit=2 * limit, among=among)]
        ids = np.unique(np.array([chunk_id for chunk_id, _ in near], dtype=np.int64))
        scores = self.of(ids)
        order = np.lexsort((ids, -scores))[:limit]
        return list(zip(ids[order].tolist(), scores[order].tolist(), strict=True))

    def of(self, ids: Ids) -> Matrix:
        """The similarity of chunks, NaN for one without a vector."""
        tx, vectors = self.snapshot.tx, self.snapshot.chunk_vectors
        if self.by_model is None or self._scale is None:
            return vectors.cosines(tx, self.static, ids)
        found = self.snapshot.model_vectors.cosines(tx, self.by_model, ids)
        waiting = np.isnan(found)
        if waiting.any() and self.static.any():
            slope, shift = self._scale
            found[waiting] = slope * vectors.cosines(tx, self.static, ids[waiting]) + shift
        return found

    @cached_property
    def _scale(self) -> tuple[float, float] | None:
        """(slope, shift) for chunks that the model has not read; None where too few have both vectors to tell."""
        if self.by_model is None or not self.waiting or not self.static.any():
            return 1.0, 0.0
        tx, keywords = self.snapshot.tx, self.snapshot.keywords
        ids = keywords.chunk_ids[keywords.active]
        ids = ids[:: max(1, len(ids) // MAX_SAMPLE)]
        model = self.snapshot.model_vectors.cosines(tx, self.by_model, ids)
        static = self.snapshot.chunk_vectors.cosines(tx, self.static, ids)
        both = np.isfinite(model) & np.isfinite(static)
        if np.count_nonzero(both) < MIN_BOTH:
            return None
        slope = float(model[both].std()) / max(float(static[both].std()), 1e-9)
        return slope, float(model[both].mean()) - slope * float(static[both].mean())


def similarity_to(snapshot: Snapshot, text: str) -> ChunkSimilarity:
    """The similarity of chunks to a text, such as a question."""
    return similarities_to(snapshot, [text])[0]


def similarities_to(snapshot: Snapshot, texts: Sequence[str]) -> list[ChunkSimilarity]:
    """The similarity of chunks to each of the texts."""
    static, by_model, lacking = snapshot.embed(texts), None, ""
    model = snapshot.model if texts and snapshot.model_vectors.count else None
    if model is not None:
        try:
            check_model(snapshot.tx, model.name)  # before a paid request
            by_model = snapshot.indexes.cache(_Remembered).embed(model, texts)
            check_model(snapshot.tx, model.name, dimension=by_model.shape[1])
        except PartMissing as error:
            by_model, lacking = None, str(error)
    if by_model is None:
        return [ChunkSimilarity(snapshot, vector, None, lacking) for vector in static]
    return [
        ChunkSimilarity(snapshot, vector, other if other.any() else None)
        for vector, other in zip(static, by_model, strict=True)
    ]


@dataclass
class _Remembered:
    """The model's vectors of the last texts: those that measure what vectors are worth are compared again and again."""

    _lock: threading.Lock = field(default_factory=threading.Lock)
    _vectors: dict[tuple[str, str], Matrix] = field(default_factory=dict[tuple[str, str], Matrix])

    def embed(self, model: Embedder, texts: Sequence[str]) -> Matrix:
        """Unit vectors of shape (texts, dimension). Raises PartMissing like the model."""
        with self._lock:
            found = {text: self._vectors[model.name, text] for text in texts if (model.name, text) in self._vectors}
        missing = [text for text in dict.fromkeys(texts) if text not in found]
        if missing:
            found |= dict(zip(missing, embed_questions(model, missing), strict=True))
        with self._lock:
            self._vectors |= {(model.name, text): found[text] for text in missing}
            for text in list(self._vectors)[: max(0, len(self._vectors) - MAX_REMEMBERED)]:
                del self._vectors[text]
        return np.stack([found[text] for text in texts])
