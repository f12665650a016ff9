import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from index_stories import emptied, put, retire

from mcp_graphrag.index.keyword import Keywords, build_keywords
from mcp_graphrag.index.resident import keywords
from mcp_graphrag.store import Store

WORDS = ["redi", "kafka", "queue", "cach", "log"]
TEXTS = st.lists(st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join), min_size=1, max_size=4)
CORPUS = [
    "redi cach cach log",
    "kafka log log log log queue",
    "queue",
    "redi redi kafka queue cach log kafka",
    "",
    "cach",
]


def _bm25(texts: dict[int, str], query: list[str]) -> dict[int, float]:
    """The formula as the textbook writes it, term by term and text by text."""
    counts = {each: Counter(text.split()) for each, text in texts.items()}
    mean = sum(count.total() for count in counts.values()) / len(counts)
    scores: dict[int, float] = {}
    for each, count in counts.items():
        for word in query:
            holders = sum(word in other for other in counts.values())
            idf = math.log(1 + (len(counts) - holders + 0.5) / (holders + 0.5))
            norm = 1.2 * (1 - 0.75 + 0.75 * count.total() / mean)
            if count[word]:
                scores[each] = scores.get(each, 0) + idf * count[word] * 2.2 / (count[word] + norm)
    return scores


@pytest.mark.parametrize("query", [["redi"], ["cach", "log"], WORDS, ["kafka", "nothing"], ["nothing"], []])
def test_scores_are_those_of_the_textbook_best_first(store: Store, query: list[str]) -> None:
    _, ids = put(store, CORPUS)

    with store.reading() as tx:
        found = keywords(store, tx).search(query, limit=10)

    assert dict(found) == pytest.approx(_bm25(dict(zip(ids, CORPUS, strict=True)), query), abs=1e-5)
    assert found == sorted(found, key=lambda each: (-each[1], each[0]))


def test_a_word_asked_twice_counts_once(store: Store) -> None:
    put(store, CORPUS)

    with store.reading() as tx:
        index = keywords(store, tx)
        assert index.search(["redi", "redi"], limit=9) == index.search(["redi"], limit=9)


def test_equal_scores_are_ordered_by_id_also_where_the_limit_cuts(store: Store) -> None:
    _, ids = put(store, ["redi"] * 7 + ["kafka"])

    with store.reading() as tx:
        assert [each for each, _ in keywords(store, tx).search(["redi"], limit=3)] == ids[:3]


def test_only_allowed_chunks_are_found_with_the_scores_of_the_whole(store: Store) -> None:
    _, ids = put(store, CORPUS)

    with store.reading() as tx:
        index = keywords(store, tx)
        among = np.array([ids[1], ids[3], 999], dtype=np.int64)
        every = index.search(WORDS, limit=9)
        assert index.search(WORDS, limit=9, among=among) == [each for each in every if each[0] in (ids[1], ids[3])]
        assert index.search(WORDS, limit=9, among=np.empty(0, dtype=np.int64)) == []


def test_it_tells_which_words_a_chunk_holds(store: Store) -> None:
    _, ids = put(store, CORPUS)

    with store.reading() as tx:
        index = keywords(store, tx)
        assert index.holding(ids[1], ["redi", "log", "queue", "log"]) == ("log", "queue")
        assert index.holding(ids[4], WORDS) == ()


def _answers(index: Keywords) -> list[list[tuple[int, float]]]:
    return [index.search(query, limit=99) for query in ([word] for word in WORDS)] + [index.search(WORDS, limit=99)]


@settings(max_examples=15, deadline=None)
@given(steps=st.lists(st.one_of(TEXTS, st.integers(0, 9)), max_size=12))
def test_following_the_changes_answers_as_building_anew(shared: Store, steps: list[list[str] | int]) -> None:
    store = emptied(shared)
    documents: list[int] = []
    for step in steps:
        if isinstance(step, list):
            documents.append(put(store, step)[0])
        elif documents:
            retire(store, documents.pop(step % len(documents)))
        with store.reading() as tx:
            followed, built = _answers(keywords(store, tx)), _answers(build_keywords(tx))
        assert [[each for each, _ in found] for found in followed] == [[each for each, _ in found] for found in built]
        assert [score for found in followed for _, score in found] == pytest.approx(
            [score for found in built for _, score in found], abs=1e-5
        )
