import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mcp_graphrag.english.parser.network import Floats
from mcp_graphrag.english.parser.tree import choose_heads


def heads_of(*sentences: list[list[float]]) -> list[list[int]]:
    longest = max(map(len, sentences))
    probabilities: Floats = np.zeros((len(sentences), longest, longest), dtype=np.float32)
    for row, sentence in enumerate(sentences):
        probabilities[row, : len(sentence), : len(sentence)] = sentence
    heads = choose_heads(probabilities, np.array([len(sentence) for sentence in sentences]))
    return [heads[row, : len(sentence)].tolist() for row, sentence in enumerate(sentences)]


def test_each_word_takes_its_most_probable_head_and_the_root_itself() -> None:
    assert heads_of([[0.1, 0.9, 0.0], [0.0, 0.8, 0.2], [0.1, 0.7, 0.2]]) == [[1, 1, 1]]


def test_there_is_one_root_even_if_two_words_would_be_it() -> None:
    assert heads_of([[0.6, 0.4], [0.3, 0.7]]) == [[1, 1]]


def test_a_cycle_is_broken_where_it_costs_least() -> None:
    cycle = [[0.0, 0.9, 0.1], [0.6, 0.0, 0.4], [0.0, 0.1, 0.9]]
    assert heads_of(cycle) == [[1, 2, 2]]


def test_sentences_of_other_lengths_change_nothing() -> None:
    short = [[0.1, 0.9], [0.3, 0.7]]
    long = [[0.0, 0.9, 0.1], [0.6, 0.0, 0.4], [0.0, 0.1, 0.9]]
    assert heads_of(short, long) == [*heads_of(short), *heads_of(long)]


@given(st.integers(1, 12), st.integers(0, 10_000))
def test_heads_make_a_tree(words: int, seed: int) -> None:
    probabilities = np.random.default_rng(seed).random((1, words, words), dtype=np.float32)
    heads: list[int] = choose_heads(probabilities, np.array([words]))[0].tolist()
    roots = [word for word in range(words) if heads[word] == word]
    assert len(roots) == 1
    for start in range(words):
        word = start
        for _ in range(words):
            word = heads[word]
        assert word == roots[0]
