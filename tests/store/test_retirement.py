import math
from collections import defaultdict
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from store_helpers import TEST, Row, add_document, add_named_entities, add_rows, query

from mcp_graphrag.store import Store
from mcp_graphrag.store.rows.confidence import CONFIRMED
from mcp_graphrag.store.rows.document_rows import retire_document
from mcp_graphrag.store.rows.mention_rows import NewMention, add_mentions

CONFIDENCES = [0.125, 0.25, 0.5, 0.75]


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """One store for many examples; each uses a subject and documents of its own."""
    store = Store(tmp_path_factory.mktemp("retirement") / "graph.duckdb", wait=0)
    add_named_entities(store, "Redis")
    yield store
    store.close()


@settings(max_examples=15, deadline=None)
@given(
    statements=st.lists(
        st.tuples(st.integers(0, 3), st.sampled_from([None, 0, 1, 2]), st.sampled_from(CONFIDENCES)), max_size=12
    ),
    retired=st.lists(st.sampled_from([0, 1, 2]), unique=True),
)
def test_retiring_documents_retires_exactly_the_triples_that_only_they_support(
    shared: Store, statements: list[tuple[int, int | None, float]], retired: list[int]
) -> None:
    with shared.writing(TEST) as tx:
        documents = [add_document(tx, f"memory://{n}", "text") for n in range(3)]
        base = 10 * documents[0][0]
    chunks = [chunk_ids[0] for _, chunk_ids in documents]
    new = [
        Row(base + number, chunk=None if document is None else chunks[document], confidence=confidence, quote=str(at))
        for at, (number, document, confidence) in enumerate(statements)
    ]
    add_rows(shared, *new)

    for document in retired:
        with shared.writing(TEST) as tx:
            retire_document(tx, documents[document][0])

    best: dict[int, dict[int | None, float]] = defaultdict(dict)
    for number, document, confidence in statements:
        if document not in retired:
            best[base + number][document] = max(confidence, best[base + number].get(document, 0))
    expected = {
        subject: 1 - math.prod(1 - value for value in by_source.values()) for subject, by_source in best.items()
    }
    active = "SELECT subject_id, confidence FROM triple WHERE retired_change IS NULL AND subject_id BETWEEN {} AND {}"
    assert dict(query(shared, active.format(base, base + 9))) == expected


def test_a_retired_triple_that_is_added_again_is_a_new_triple(store: Store) -> None:
    add_named_entities(store, "Checkout", "Redis")
    with store.writing(TEST) as tx:
        document_id, (chunk_id,) = add_document(tx, "memory://a", "Checkout uses Redis")
    add_rows(store, Row(chunk=chunk_id))
    with store.writing(TEST) as tx:
        retire_document(tx, document_id)

    assert add_rows(store, Row()).triple_ids.tolist() == [2]

    assert query(store, "SELECT id, retired_change FROM triple ORDER BY id") == [(1, 4), (2, None)]


def test_a_confirmation_alone_does_not_keep_a_triple_active(store: Store) -> None:
    add_named_entities(store, "Checkout", "Redis")
    with store.writing(TEST) as tx:
        document_id, (chunk_id,) = add_document(tx, "memory://a", "Checkout uses Redis")
    add_rows(store, Row(chunk=chunk_id))
    add_rows(store, Row(source="Monday", confidence=0.125), extractor=CONFIRMED)

    with store.writing(TEST) as tx:
        retire_document(tx, document_id)

    assert query(store, "FROM triples") == query(store, "FROM evidence WHERE retired_change IS NULL") == []


def test_a_retired_document_leaves_every_view_and_its_mentions(store: Store) -> None:
    add_named_entities(store, "Redis")
    with store.writing(TEST) as tx:
        document_id, (chunk_id,) = add_document(tx, "memory://a", "Redis")
        add_mentions(tx, [NewMention(chunk_id, 1, 0, 5, "Redis", None)], "lite")

    with store.writing(TEST) as tx:
        retire_document(tx, document_id)

    for table in ("documents", "chunks", "mention WHERE retired_change IS NULL"):
        assert query(store, f"FROM {table}") == []
    assert query(store, "SELECT text FROM chunk") == [("Redis",)]
