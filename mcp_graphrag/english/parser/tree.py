"""One tree a sentence from the probabilities of heads."""

import numpy as np

from mcp_graphrag.english.parser.network import Floats, Integers


def choose_heads(probabilities: Floats, lengths: Integers) -> Integers:
    """The head of each word, shape (sentences, words); the root is its own head, and the heads make a tree.

    `probabilities` has the shape (sentences, words, words as head), the word itself standing for the root; `lengths`
    are the words of each sentence. Every word takes its most probable head; cycles are then broken one by one.
    """
    sentences, longest, _ = probabilities.shape
    rows = np.arange(sentences, dtype=np.int64)
    words = np.arange(longest, dtype=np.int64)
    as_root = np.where(words < lengths[:, None], probabilities[:, words, words], -1)
    roots = as_root.argmax(axis=1)
    others = probabilities.copy()
    others[:, words, words] = -1
    heads = others.argmax(axis=2)
    heads[rows, roots] = roots
    ancestors = heads
    for _ in range(int(longest).bit_length()):
        ancestors = np.take_along_axis(ancestors, ancestors, axis=1)
    lost = (ancestors != roots[:, None]) & (words < lengths[:, None])
    for row in np.flatnonzero(lost.any(axis=1)).tolist():
        length = int(lengths[row])
        heads[row, :length] = _without_cycles(others[row, :length, :length], heads[row, :length], int(roots[row]))
    return heads


def _without_cycles(probabilities: Floats, heads: Integers, root: int) -> Integers:
    """The heads with one arc of each cycle changed: the one whose second choice outside loses the least."""
    heads = heads.copy()
    while cycle := _find_cycle(heads.tolist(), root):
        outside = np.array([not _leads_to(heads.tolist(), word, cycle[0]) for word in range(len(heads))])
        in_cycle = np.array(cycle)
        candidates = np.where(outside, probabilities[in_cycle], -1)
        best = candidates.argmax(axis=1)
        taken = np.arange(len(cycle), dtype=np.int64)
        kept = probabilities[in_cycle, heads[in_cycle]]
        change = int((np.log(np.maximum(candidates[taken, best], 1e-30)) - np.log(np.maximum(kept, 1e-30))).argmax())
        heads[cycle[change]] = best[change]
    return heads


def _find_cycle(heads: list[int], root: int) -> list[int]:
    """The words of a cycle, or none."""
    sound = {root}
    for start in range(len(heads)):
        path: list[int] = []
        word = start
        while word not in sound and word not in path:
            path.append(word)
            word = heads[word]
        if word in path:
            return path[path.index(word) :]
        sound.update(path)
    return []


def _leads_to(heads: list[int], word: int, target: int) -> bool:
    """Whether the target is the word itself or above it."""
    seen: set[int] = set()
    while word not in seen:
        if word == target:
            return True
        seen.add(word)
        word = heads[word]
    return False
