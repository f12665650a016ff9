"""Static token vectors (WordLlama l2_supercat, 256-d): a text is the weighted mean of its tokens' vectors."""

import threading
from collections.abc import Sequence
from functools import cache

import numpy as np
from safetensors.numpy import load_file  # pyright: ignore[reportUnknownVariableType]
from tokenizers import Tokenizer

from mcp_graphrag.embed.model_files import packaged_file
from mcp_graphrag.model import Matrix
from mcp_graphrag.unit_vectors import unit_vectors

INSTALL = "pip install --force-reinstall wordllama==0.2.2.post0"
WEIGHTS = ("weights/l2_supercat_256.safetensors", "64b47a2dc493cb8e85944076601189739852d7b64e0e1eedcb1937a251cd9fd5")
TOKENIZER = (
    "tokenizers/l2_supercat_tokenizer_config.json",
    "bf467c9e0f536bda271283c6ef85eb1a943e3196b621c8a912d64953b205df83",
)

WORD_START = "▁"
INNER_WEIGHT = 0.9  # of a token inside a word
MAX_GATHERED = 1_000  # token vectors gathered at a time: 1 MB, which fits in the CPU cache


class WordllamaEmbedder:
    """The static embedder: part of every install, a few hundred microseconds per chunk. Loaded at the first use."""

    name = "wordllama"

    def __init__(self) -> None:
        self._lock = threading.Lock()

    def embed(self, texts: Sequence[str]) -> Matrix:
        """Unit vectors of shape (texts, 256)."""
        with self._lock:  # a second thread waits, instead of loading it too
            tokenizer, weights = load_wordllama()
        # The tokenizer rejects lone surrogates.
        encodable = [text.encode("utf-8", "replace").decode("utf-8") for text in texts]
        encoded = tokenizer.encode_batch_fast(encodable, add_special_tokens=False)
        vectors = _sum_vectors(weights, [encoding.ids for encoding in encoded])
        return unit_vectors(vectors)


@cache
def load_wordllama() -> tuple[Tokenizer, Matrix]:
    """The tokenizer, and a vector for each of its tokens; once a process. Raises PartMissing."""
    weights = load_file(packaged_file("wordllama", *WEIGHTS, install=INSTALL))["embedding.weight"]
    tokenizer = Tokenizer.from_file(str(packaged_file("wordllama", *TOKENIZER, install=INSTALL)))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer, _weighted(tokenizer, weights.astype(np.float32))


def _weighted(tokenizer: Tokenizer, weights: Matrix) -> Matrix:
    """The vectors weighted by the information of their tokens: zero for punctuation, `INNER_WEIGHT` inside words.

    Punctuation does not tell the topic of a text, and words of several tokens are mostly names, which keyword search
    and the graph find. This adds 8 points of recall at 5 if questions and answers use different words, and is neutral
    otherwise; removing common components of all vectors as well adds nothing.
    """
    token_weights = np.ones(len(weights), dtype=np.float32)
    for token, index in tokenizer.get_vocab().items():
        if not token.startswith(WORD_START):
            token_weights[index] = INNER_WEIGHT
        if not any(map(str.isalnum, token)):
            token_weights[index] = 0
    weights *= token_weights[:, None]
    return weights


def _sum_vectors(weights: Matrix, texts: Sequence[Sequence[int]]) -> Matrix:
    """The sum of each text's token vectors, shape (texts, dimension).

    Texts of one length are summed together: for short texts, calls one by one cost more than the additions, and
    `np.add.reduceat` over all takes six times as long.
    """
    summed = np.zeros((len(texts), weights.shape[1]), dtype=np.float32)
    lengths = np.array([len(tokens) for tokens in texts], dtype=np.int64)
    for length in np.unique(lengths[lengths > 0]).tolist():
        rows: list[int] = np.flatnonzero(lengths == length).tolist()
        step = max(1, MAX_GATHERED // length)
        for start in range(0, len(rows), step):
            part = rows[start : start + step]
            summed[part] = weights[np.array([texts[row] for row in part])].sum(axis=1)
    return summed
