"""The forward pass of the trained model by numpy: word vectors in, scores of tags, heads and labels out.

Convolutions over three words and self-attention with biases for distances, each added to its input; heads by a
biaffine product (Dozat and Manning, 2017), labels by one hidden layer over both ends of an arc. Arrays have the shape
(sentences, words, …); sentences shorter than the longest are filled up, and a mask of ones and zeros says with what.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from mcp_graphrag.english.parser.word_features import feature_rows

Floats: TypeAlias = npt.NDArray[np.float32]
Integers: TypeAlias = npt.NDArray[np.int64]

ATTENTION_HEADS = 4
MAX_DISTANCE = 24  # in words; those farther away share one weight
NEVER = np.float32(-1e9)


@dataclass(frozen=True)
class Network:
    """The weights and what their columns stand for."""

    arrays: dict[str, Floats]
    embedding: npt.NDArray[np.int8]
    embedding_scale: Floats
    vocabulary: dict[str, int]
    tags: tuple[str, ...]
    labels: tuple[str, ...]
    layers: tuple[str, ...]

    def word_vectors(self, words: list[tuple[str, bool]]) -> Floats:
        """The input vectors of words, each given with whether it is a known name."""
        rows = np.array([feature_rows(text, self.vocabulary, is_name=is_name) for text, is_name in words])
        summed = np.einsum("wfd,wf->wd", self.embedding[rows].astype(np.float32), self.embedding_scale[rows])
        return summed @ self.arrays["input"] + self.arrays["input_bias"]

    def encode(self, vectors: Floats, mask: Floats) -> Floats:
        """Vectors of words in their sentence, shape (sentences, words, width)."""
        full = bool(mask.all())
        masked = mask[:, :, None]
        x = vectors if full else vectors * masked
        for index, kind in enumerate(self.layers):
            normal = _normalized(x)
            if kind == "attention":
                x = x + self._attend(normal, mask, index)
            else:
                x = x + self._convolve(normal, int(kind[-1]), index)
            if not full:
                x *= masked
        return _normalized(x)

    def tag_scores(self, x: Floats) -> Floats:
        """Shape (sentences, words, tags)."""
        return _times(x, self.arrays["tag"]) + self.arrays["tag_bias"]

    def arc_scores(self, x: Floats, mask: Floats) -> Floats:
        """Scores of word j as the head of word i, shape (sentences, words i, words j); i itself stands for the root."""
        dep = _times(x, self.arrays["arc_dep"]) + self.arrays["arc_dep_bias"]
        head = _times(x, self.arrays["arc_head"]) + self.arrays["arc_head_bias"]
        scores = np.matmul(dep, head.transpose(0, 2, 1))
        scores *= np.float32(dep.shape[2] ** -0.5)
        near = _times(dep, self.arrays["arc_distance"])
        words = np.arange(x.shape[1], dtype=np.int64)
        for word, steps in enumerate(_distances(x.shape[1])):
            scores[:, word] += near[:, word, steps]
        scores[:, words, words] = _times(x, self.arrays["root"])[:, :, 0]
        return scores if mask.all() else np.where(mask[:, None, :] > 0, scores, NEVER)

    def label_scores(self, x: Floats, heads: Integers) -> Floats:
        """Scores of the labels of the arcs from the given heads, shape (sentences, words, labels)."""
        sentences, length, _ = x.shape
        of_head = _times(x, self.arrays["label_head"])[np.arange(sentences, dtype=np.int64)[:, None], heads]
        steps = np.clip(heads - np.arange(length, dtype=np.int64), -MAX_DISTANCE, MAX_DISTANCE) + MAX_DISTANCE
        hidden = _times(x, self.arrays["label_dep"])
        hidden += of_head
        hidden += self.arrays["label_distance"][steps]
        return _times(np.maximum(hidden, 0, out=hidden), self.arrays["label_out"]) + self.arrays["label_bias"]

    def _convolve(self, x: Floats, step: int, index: int) -> Floats:
        sentences, length, width = x.shape
        moved = max(length - step, 0)
        window = np.empty((sentences, length, 3 * width), dtype=np.float32)
        window[:, :step, :width] = 0
        window[:, step:, :width] = x[:, :moved]
        window[:, :, width : 2 * width] = x
        window[:, :moved, 2 * width :] = x[:, step:]
        window[:, moved:, 2 * width :] = 0
        y = _times(window, self.arrays[f"{index}.conv"])
        y += self.arrays[f"{index}.bias"]
        return np.maximum(y, 0, out=y)

    def _attend(self, x: Floats, mask: Floats, index: int) -> Floats:
        sentences, length, width = x.shape
        size = width // ATTENTION_HEADS
        projected = _times(x, self.arrays[f"{index}.qkv"]).reshape(sentences, length, 3, ATTENTION_HEADS, size)
        queries, keys, values = (np.ascontiguousarray(projected[:, :, part].swapaxes(1, 2)) for part in range(3))
        scores = np.matmul(queries, keys.swapaxes(2, 3))
        scores *= np.float32(size**-0.5)
        scores += self.arrays[f"{index}.distance"][:, _distances(length)]
        if not mask.all():
            scores += np.where(mask > 0, np.float32(0), NEVER)[:, None, None, :]
        mixed = np.matmul(softmax(scores), values).swapaxes(1, 2).reshape(sentences, length, width)
        return _times(mixed, self.arrays[f"{index}.out"])


def load_network(path: Path) -> Network:
    """The network in an .npz file: the embedding as int8 with a scale per row, other weights as float16, and lists."""
    with np.load(path) as file:
        stored: dict[str, npt.NDArray[Any]] = {key: file[key] for key in file.files}
    words, tags, labels, layers = (
        stored.pop(key).tobytes().decode().split("\n") for key in ("words", "tags", "labels", "layers")
    )
    embedding = stored.pop("embedding")
    scale = stored.pop("embedding_scale").astype(np.float32)
    return Network(
        arrays={key: array.astype(np.float32) for key, array in stored.items()},
        embedding=embedding,
        embedding_scale=scale,
        vocabulary={word: index for index, word in enumerate(words)},
        tags=tuple(tags),
        labels=tuple(labels),
        layers=tuple(layers),
    )


def softmax(scores: Floats) -> Floats:
    """Probabilities along the last axis; overwrites the scores."""
    # Along an axis as short as a sentence, `max` takes twice as long.
    starts = np.arange(0, scores.size, scores.shape[-1], dtype=np.int64)
    scores -= np.maximum.reduceat(scores.reshape(-1), starts).reshape(*scores.shape[:-1], 1)
    np.exp(scores, out=scores)
    scores /= scores.sum(axis=-1, keepdims=True)
    return scores


def _times(x: Floats, weights: Floats) -> Floats:
    """One product for all sentences; `np.matmul` would make one per sentence."""
    return (x.reshape(-1, x.shape[-1]) @ weights).reshape(*x.shape[:-1], weights.shape[1])


def _normalized(x: Floats) -> Floats:
    """Each vector divided by the root of the mean of its squares."""
    squares = np.einsum("swd,swd->sw", x, x)
    return x * (1 / np.sqrt(squares / np.float32(x.shape[2]) + np.float32(1e-6)))[:, :, None]


def _distances(length: int) -> Integers:
    """From word i (row) to word j: j - i, clipped, counted from 0."""
    words = np.arange(length, dtype=np.int64)
    steps = words[None, :] - words[:, None]
    return np.clip(steps, -MAX_DISTANCE, MAX_DISTANCE) + MAX_DISTANCE
