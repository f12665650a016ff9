"""The vector arm ranked anew with passages: the static vector of a long chunk says little about each of its sentences.

A chunk counts by the mean of its cosine and that of its nearest passage. In mode auto, where words and the graph find
what vectors miss, this brings no more hits for a third more time.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from mcp_graphrag.english.sentences import split_sentences
from mcp_graphrag.fusion import Ranked
from mcp_graphrag.model import StoredChunk
from mcp_graphrag.search.search_context import SearchContext

MAX_READ = 20  # chunks
MIN_LENGTH = 100  # characters up to which sentences and lines are put together


def rank_by_passages(context: SearchContext) -> Ranked:
    """The vector arm, its first `MAX_READ` chunks scored with their passages unless a model has read them."""
    near = context.by_vector
    if not near or context.similarity.by_model is not None:
        return near
    chunks = list(context.chunks(chunk_id for chunk_id, _ in near[:MAX_READ]).values())
    best = dict(zip((chunk.id for chunk in chunks), _best_cosines(context, chunks), strict=True))
    ranked = [(chunk_id, (cosine + best.get(chunk_id, cosine)) / 2) for chunk_id, cosine in near]
    return sorted(ranked, key=lambda pair: (-pair[1], pair[0]))


def _best_cosines(context: SearchContext, chunks: Sequence[StoredChunk]) -> list[float]:
    """The cosine of the nearest passage of each chunk to the question, by static vectors."""
    passages = [list(split_passages(chunk.text)) for chunk in chunks]
    heads = ["\n".join(dict.fromkeys([chunk.document.title, *chunk.headings])) for chunk in chunks]
    texts = [f"{head}\n{passage}" for head, parts in zip(heads, passages, strict=True) for passage in parts]
    starts = np.cumsum([0, *(len(parts) for parts in passages[:-1])])
    return np.maximum.reduceat(context.text_cosines(texts), starts).tolist()


def split_passages(text: str) -> Iterator[str]:
    """The sentences and lines of a text, at least one, short ones put together with those behind them."""
    passage = ""
    for line in (line for sentence in split_sentences(text) for line in sentence.splitlines()):
        passage = f"{passage} {line}".strip()
        if len(passage) >= MIN_LENGTH:
            yield passage
            passage = ""
    if passage or not text.strip():
        yield passage
