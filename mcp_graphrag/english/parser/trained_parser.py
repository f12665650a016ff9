"""The parser of this package: a small network trained on the parses of spaCy's model, run by numpy."""

import threading
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import islice
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import ThreadpoolController

from mcp_graphrag.english.parser.network import Floats, Integers, Network, load_network, softmax
from mcp_graphrag.english.parser.tokens import Parse, Token
from mcp_graphrag.english.parser.tree import choose_heads
from mcp_graphrag.processor_time import check_time

WEIGHTS = Path(__file__).with_name("weights.npz")
MAX_GROUP = 1_024  # words parsed at a time, those that fill up short sentences included: 1 MB an array
MAX_CACHED_WORDS = 50_000  # 25 MB


class _Rows(dict[tuple[str, bool], int]):
    """The row of each word, given with whether it is a known name; a new word gets the next row."""

    def __missing__(self, word: tuple[str, bool]) -> int:
        return self.setdefault(word, len(self))


_WORD = itemgetter(Token._fields.index("text"), Token._fields.index("is_name"))


class TrainedParser:
    """Part of every install. The weights are loaded at the first use; the vectors of words are kept between calls."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._threads: Any = ThreadpoolController()  # without types
        self._network: Network | None = None
        self._rows = _Rows()
        self._vectors: Floats = np.zeros((0, 0), dtype=np.float32)

    def parse(self, sentences: Sequence[Sequence[Token]]) -> list[Parse]:
        """One parse per sentence, in the same order, the same alone and among others; certainties have 3 decimals."""
        parses = [_EMPTY] * len(sentences)
        # The products are small: several threads wait for each other most of the time, at full load.
        with self._lock, self._threads.limit(limits=1, user_api="blas"):
            for group in _groups(sentences):
                check_time()
                network, vectors, mask = self._lookup([sentences[index] for index in group])
                for index, parse in zip(group, _parse_group(network, vectors, mask), strict=True):
                    parses[index] = Parse(tuple(sentences[index]), *parse)
        return parses

    def _lookup(self, sentences: list[Sequence[Token]]) -> tuple[Network, Floats, Floats]:
        """The network, the vectors of the words, and the mask."""
        longest = max(map(len, sentences))
        rows = np.zeros((len(sentences), longest), dtype=np.int64)
        mask = np.zeros(rows.shape, dtype=np.float32)
        if self._network is None:
            self._network = load_network(WEIGHTS)
        if len(self._rows) > MAX_CACHED_WORDS:
            self._rows.clear()
        known = self._rows
        kept = len(known)
        for row, sentence in enumerate(sentences):
            rows[row, : len(sentence)] = [known[word] for word in map(_WORD, sentence)]
            mask[row, : len(sentence)] = 1
        if len(known) > kept:
            self._vectors = self._with_new(self._network, kept)
        return self._network, self._vectors[rows], mask

    def _with_new(self, network: Network, kept: int) -> Floats:
        """The cached vectors with those of the words added behind the first `kept`."""
        vectors = network.word_vectors(list(islice(self._rows, kept, None)))
        needed = kept + len(vectors)
        room = self._vectors
        if needed > len(room):
            room = np.zeros((max(needed, 2 * len(room)), vectors.shape[1]), dtype=np.float32)
            if kept:
                room[:kept] = self._vectors[:kept]
        room[kept:needed] = vectors
        return room


_EMPTY = Parse((), (), (), (), (), ())


def _groups(sentences: Sequence[Sequence[Token]]) -> Iterator[list[int]]:
    """Indices of sentences of like length, at most `MAX_GROUP` words together (or one sentence)."""
    group: list[int] = []
    for index in sorted(
        (index for index, sentence in enumerate(sentences) if sentence), key=lambda i: len(sentences[i])
    ):
        if group and (len(group) + 1) * len(sentences[index]) > MAX_GROUP:
            yield group
            group = []
        group.append(index)
    if group:
        yield group


_Columns = tuple[tuple[str, ...], tuple[str, ...], tuple[int, ...], tuple[str, ...], tuple[float, ...]]


def _parse_group(network: Network, vectors: Floats, mask: Floats) -> Iterator[_Columns]:
    """Tags, fine tags, heads, labels and certainties, sentence by sentence."""
    lengths = mask.sum(axis=1).astype(np.int64)
    x = network.encode(vectors, mask)
    tags = network.tag_scores(x).argmax(axis=2)
    arcs = softmax(network.arc_scores(x, mask))
    heads = choose_heads(arcs, lengths)
    labels, of_label = _choose_labels(network, x, heads)
    certainty = np.round(np.take_along_axis(arcs, heads[:, :, None], axis=2)[:, :, 0] * of_label, 3)
    coarse = [tag.partition("/")[0] for tag in network.tags]
    fine = [tag.partition("/")[2] for tag in network.tags]
    for row, length in enumerate(lengths.tolist()):
        tag_row: list[int] = tags[row, :length].tolist()
        label_row: list[int] = labels[row, :length].tolist()
        yield (
            tuple([coarse[tag] for tag in tag_row]),
            tuple([fine[tag] for tag in tag_row]),
            tuple(heads[row, :length].tolist()),
            tuple([network.labels[label] for label in label_row]),
            tuple(certainty[row, :length].tolist()),
        )


def _choose_labels(network: Network, x: Floats, heads: Integers) -> tuple[Integers, Floats]:
    """The labels and their probabilities; ROOT is the label of each root, and of no other word."""
    scores = network.label_scores(x, heads)
    root = network.labels.index("ROOT")
    words = np.arange(heads.shape[1], dtype=np.int64)
    is_root = heads == words
    scores[:, :, root] = np.where(is_root, np.float32(1e9), np.float32(-1e9))
    probabilities = softmax(scores)
    labels = probabilities.argmax(axis=2)
    return labels, np.take_along_axis(probabilities, labels[:, :, None], axis=2)[:, :, 0]


@cache
def default_parser() -> TrainedParser:
    """One parser a process, as loading takes time."""
    return TrainedParser()
