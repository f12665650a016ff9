"""Static token vectors (WordLlama l2_supercat, 256-d): a text is the mean of its tokens' vectors."""

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
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for vector, encoding in zip(vectors, encoded, strict=True):
            # One sum a text: `np.add.reduceat` over all of them takes six times as long.
            if tokens := encoding.ids:
                vector[:] = weights[np.array(tokens)].sum(axis=0) / len(tokens)
        return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)

    def _load(self) -> tuple[Tokenizer, Matrix]:
        with self._lock:
            if self._loaded is None:
                weights = load_file(packaged_file("wordllama", *WEIGHTS, install=INSTALL))["embedding.weight"]
                tokenizer = Tokenizer.from_file(str(packaged_file("wordllama", *TOKENIZER, install=INSTALL)))
                tokenizer.no_truncation()
                tokenizer.no_padding()
                self._loaded = tokenizer, weights.astype(np.float32)
            return self._loaded
