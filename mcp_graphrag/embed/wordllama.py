"""Static token vectors (WordLlama l2_supercat, 256-d): a text is the weighted mean of its tokens' vectors."""

import threading
from collections.abc import Sequence

import numpy as np
from safetensors.numpy import load_file  # pyright: ignore[reportUnknownVariableType]
from tokenizers import Tokenizer

from mcp_graphrag.embed.files import packaged_file
from mcp_graphrag.model import Matrix

INSTALL = "pip install --force-reinstall wordllama==0.2.2.post0"
WEIGHTS = ("weights/l2_supercat_256.safetensors", "64b47a2dc493cb8e85944076601189739852d7b64e0e1eedcb1937a251cd9fd5")
TOKENIZER = (
    "tokenizers/l2_supercat_tokenizer_config.json",
    "bf467c9e0f536bda271283c6ef85eb1a943e3196b621c8a912d64953b205df83",
)

WORD_START = "▁"
INSIDE = 0.9  # weight of a piece that starts no word
MOST_TOKENS = 1_000  # whose vectors are gathered at a time: a megabyte, which the processor keeps at hand


class WordllamaEmbedder:
    """The default: part of every install, a few hundred microseconds a chunk. Loaded at the first use."""

    name = "wordllama"
    dimension = 256
    instant = True

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loaded: tuple[Tokenizer, Matrix] | None = None

    def embed(self, texts: Sequence[str]) -> Matrix:
        """Unit vectors of shape (texts, 256)."""
        tokenizer, weights = self._load()
        # The tokenizer refuses lone surrogates.
        readable = [text.encode("utf-8", "replace").decode("utf-8") for text in texts]
        encoded = tokenizer.encode_batch_fast(readable, add_special_tokens=False)
        vectors = _sums(weights, [encoding.ids for encoding in encoded])
        return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)

    def _load(self) -> tuple[Tokenizer, Matrix]:
        with self._lock:
            if self._loaded is None:
                weights = load_file(packaged_file("wordllama", *WEIGHTS, install=INSTALL))["embedding.weight"]
                tokenizer = Tokenizer.from_file(str(packaged_file("wordllama", *TOKENIZER, install=INSTALL)))
                tokenizer.no_truncation()
                tokenizer.no_padding()
                self._loaded = tokenizer, _weighed(tokenizer, weights.astype(np.float32))
            return self._loaded


def _weighed(tokenizer: Tokenizer, weights: Matrix) -> Matrix:
    """The vectors by how much their tokens say: signs alone say nothing, and pieces inside of words a little less.

    How a text is punctuated is not what it is about, and words in several pieces are mostly names, which keyword search
    and the graph find. Worth 8 points of recall at 5 where questions have other words than their answer, and neutral
    elsewhere; removing common components of all vectors as well adds nothing to it.
    """
    shares = np.ones(len(weights), dtype=np.float32)
    for token, at in tokenizer.get_vocab().items():
        if not token.startswith(WORD_START):
            shares[at] = INSIDE
        if not any(map(str.isalnum, token)):
            shares[at] = 0
    weights *= shares[:, None]
    return weights


def _sums(weights: Matrix, texts: Sequence[Sequence[int]]) -> Matrix:
    """The sum of each text's token vectors, shape (texts, dimension).

    Texts of one length go together: one by one, names cost more in calls than in additions, and `np.add.reduceat` over
    all takes six times as long.
    """
    summed = np.zeros((len(texts), weights.shape[1]), dtype=np.float32)
    lengths = np.array([len(tokens) for tokens in texts], dtype=np.int64)
    for length in np.unique(lengths[lengths > 0]).tolist():
        rows: list[int] = np.flatnonzero(lengths == length).tolist()
        step = max(1, MOST_TOKENS // length)
        for at in range(0, len(rows), step):
            part = rows[at : at + step]
            summed[part] = weights[np.array([texts[row] for row in part])].sum(axis=1)
    return summed
