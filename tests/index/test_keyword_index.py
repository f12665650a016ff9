import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from index_helpers import add_document, emptied, retire

from mcp_graphrag.index.indexes import Indexes
from mcp_graphrag.index.keyword_index import Keywords, build_keywords, update_keywords
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
    """The formula computed term by term and text by text."""
    counts = {chunk_id: Counter(text.split()) for chunk_id, text in texts.items()}
    mean = sum(count.total() for count in counts.values()) / len(counts)
    scores: dict[int, float] = {}
    for chunk_id, count in counts.items():
        for word in query:
            frequency = sum(word in other for other in counts.values())
            idf = math.log(1 + (len(counts) - frequency + 0.5) / (frequency + 0.5))
            norm = 1.2 * (1 - 0.75 + 0.75 * count.total() / mean)
            if count[word]:
                scores[chunk_id] = scores.get(chunk_id, 0) + idf * count[word] * 2.2 / (count[word] + norm)
    return scores


@pytest.mark.parametrize("query", [["redi"], ["cach", "log"], WORDS, ["kafka", "nothing"], ["nothing"], []])
def test_scores_are_those_of_the_formula_best_first(store: Store, query: list[str]) -> None:
    _, ids = add_document(store, CORPUS)

    with store.reading() as tx:
        found = build_keywords(tx).search(query, limit=10)

    assert dict(found) == pytest.approx(_bm25(dict(zip(ids, CORPUS, strict=True)), query), abs=1e-5)
    assert found == sorted(found, key=lambda scored: (-scored[1], scored[0]))


def test_a_repeated_query_term_counts_once(store: Store) -> None:
    add_document(store, CORPUS)

    with store.reading() as tx:
        index = build_keywords(tx)
        assert index.search(["redi", "redi"], limit=9) == index.search(["redi"], limit=9)


def test_equal_scores_are_ordered_by_id_also_at_the_limit(store: Store) -> None:
    _, ids = add_document(store, ["redi"] * 7 + ["kafka"])

    with store.reading() as tx:
        assert [chunk_id for chunk_id, _ in build_keywords(tx).search(["redi"], limit=3)] == ids[:3]


def test_a_filter_limits_the_chunks_and_keeps_their_scores(store: Store) -> None:
    _, ids = add_document(store, CORPUS)

    with store.reading() as tx:
        index = build_keywords(tx)
        among = np.array([ids[1], ids[3], 999], dtype=np.int64)
        unfiltered = index.search(WORDS, limit=9)
        expected = [scored for scored in unfiltered if scored[0] in (ids[1], ids[3])]
        assert index.search(WORDS, limit=9, among=among) == expected
        assert index.search(WORDS, limit=9, among=np.empty(0, dtype=np.int64)) == []


def test_the_matched_terms_of_chunks_are_known(store: Store) -> None:
    _, ids = add_document(store, CORPUS)

    with store.reading() as tx:
        index = build_keywords(tx)
        assert index.terms_in_chunks([ids[1], ids[4]], ["redi", "log", "queue", "log"]) == [("log", "queue"), ()]


def test_the_chunks_with_all_terms_are_counted_whenever_they_were_added(store: Store) -> None:
    add_document(store, ["redi log", "log queue", "redi"])
    with store.reading() as tx:
        index, generation = build_keywords(tx), tx.generation
    add_document(store, ["log redi queue", "redi kafka"])

    with store.reading() as tx:
        updated = update_keywords(tx, index, generation)

    assert updated is not None
    wanted = [["redi", "log"], ["redi", "log", "queue"], ["redi", "nowhere"], ["redi", "redi"]]
    assert [len(updated.chunks_with(terms)) for terms in wanted] == [2, 1, 0, 4]


def _answers(index: Keywords) -> list[list[tuple[int, float]]]:
    return [index.search(query, limit=99) for query in ([word] for word in WORDS)] + [index.search(WORDS, limit=99)]


@settings(max_examples=8, deadline=None)
@given(steps=st.lists(st.one_of(TEXTS, st.integers(0, 9)), max_size=12))
def test_an_updated_index_answers_like_a_new_one(shared: Store, steps: list[list[str] | int]) -> None:
    store, indexes = emptied(shared), Indexes()
    documents: list[int] = []
    for step in steps:
        if isinstance(step, list):
            documents.append(add_document(store, step)[0])
        elif documents:
            retire(store, documents.pop(step % len(documents)))
        with store.reading() as tx:
            updated, built = _answers(indexes.keywords(tx)), _answers(build_keywords(tx))
        assert [[chunk_id for chunk_id, _ in found] for found in updated] == [
            [chunk_id for chunk_id, _ in found] for found in built
        ]
        assert [score for found in updated for _, score in found] == pytest.approx(
            [score for found in built for _, score in found], abs=1e-5
        )
