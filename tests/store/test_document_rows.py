"""Documents and their chunks as they are stored, and which chunks a filter matches."""

from datetime import datetime
from typing import Any

import pytest
from store_helpers import TEST, query

from mcp_graphrag.model import Chunk, Document
from mcp_graphrag.store import Store
from mcp_graphrag.store.rows.document_rows import (
    ChunkFilter,
    add_documents,
    chunks_by_id,
    document_date_range,
    filter_chunks,
    find_document,
    first_lines,
    text_hash,
)

MAY, JUNE = datetime(2024, 5, 1), datetime(2024, 6, 1)  # noqa: DTZ001  (times in the file are naive UTC)
FILTERS: list[tuple[dict[str, Any], list[int]]] = [
    ({}, [1, 2, 3, 4]),
    ({"documents": ["memory://a"]}, [1, 2]),
    ({"documents": ["second", "no such"]}, [3]),
    ({"sources": ["WIKI"]}, [1, 2]),
    ({"sources": ["wiki", "mail"]}, [1, 2, 3]),
    ({"media_types": ["text/html"]}, [3]),
    ({"metadata": {"a/b": "x"}}, [1, 2]),
    ({"metadata": {"~tags": "new", "a/b": "x"}}, [1, 2]),
    ({"metadata": {"~tags": "new", "a/b": "y"}}, []),
    ({"since": JUNE}, [3, 4]),
    ({"until": JUNE}, [1, 2]),
    ({"since": MAY, "until": JUNE}, [1, 2]),
    ({"sources": ["wiki"], "media_types": ["text/html"]}, []),
]


@pytest.fixture
def three_documents(store: Store) -> Store:
    """Chunks 1 and 2 of a document of May, 3 of one of June, 4 of one without a date."""
    first = {"a/b": "x", "~tags": ["new", "big"], "date": "2024-05-01"}
    second = {"a/b": "y", "date": "2024-06-01"}
    with store.writing(TEST) as tx:
        add_documents(
            tx,
            [
                (Document("memory://a", "First", "ab", source="wiki", metadata=first), [_chunk(0, 0), _chunk(1, 1)]),
                (Document("memory://b", "Second", "c", "text/html", "mail", metadata=second), [_chunk(0, 0)]),
                (Document("memory://c", "Third", "d"), [_chunk(0, 0)]),
            ],
        )
    return store


def _chunk(ordinal: int, start: int) -> Chunk:
    return Chunk(ordinal, start, start + 1, "x")


@pytest.mark.parametrize(("asked", "ids"), FILTERS, ids=str)
def test_a_filter_finds_the_chunks_of_the_documents_that_match_all_of_it(
    three_documents: Store, asked: dict[str, Any], ids: list[int]
) -> None:
    with three_documents.reading() as tx:
        assert filter_chunks(tx, ChunkFilter(**asked)).tolist() == ids


@pytest.mark.parametrize(("asked", "ids"), FILTERS, ids=str)
def test_only_a_filter_without_a_condition_is_open(asked: dict[str, Any], ids: list[int]) -> None:
    assert ChunkFilter(**asked).is_open == (ids == [1, 2, 3, 4])


def test_the_dates_of_documents_are_those_in_their_metadata(store: Store) -> None:
    with store.writing(TEST) as tx:
        assert document_date_range(tx) is None
        for day in ("2024-06-01", "2024-05-01"):
            add_documents(tx, [(Document(f"memory://{day}", "", "", metadata={"date": day}), [])])
        assert document_date_range(tx) == (MAY, JUNE)


def test_documents_get_their_own_chunks_also_where_one_of_them_has_none(store: Store) -> None:
    with store.writing(TEST) as tx:
        first, empty, third = (Document(f"memory://{name}", name, "xx") for name in ("a", "b", "c"))
        added = add_documents(tx, [(first, [_chunk(0, 0), _chunk(1, 1)]), (empty, []), (third, [_chunk(0, 0)])])
        assert add_documents(tx, []) == []

    assert [(document_id, ids.tolist()) for document_id, ids in added] == [(1, [1, 2]), (2, []), (3, [3])]
    assert query(store, "SELECT id, document_id FROM chunk ORDER BY id") == [(1, 1), (2, 1), (3, 3)]


def test_a_chunk_is_read_as_it_was_written_with_its_document_and_its_parent(store: Store) -> None:
    whole = Chunk(0, 0, 2, "äb", ("Guide", "Start"))
    part = Chunk(1, 1, 2, "b", (), parent=0, context="header")
    document = Document("memory://a", "Guide", "äb", "text/markdown", "wiki", {"city": "Zürich"})
    with store.writing(TEST) as tx:
        ((_, ids),) = add_documents(tx, [(document, [whole, part])])

    with store.reading() as tx:
        assert find_document(tx, "memory://b") is None
        stored = find_document(tx, "memory://a")
        found = chunks_by_id(tx, ids.tolist())
    assert stored
    assert (stored.id, stored.title, stored.media_type, stored.source) == (1, "Guide", "text/markdown", "wiki")
    assert (stored.metadata, stored.sha256, stored.length) == ({"city": "Zürich"}, text_hash("äb"), 2)
    assert [(chunk.document, chunk.ordinal, chunk.start, chunk.end) for chunk in (found[1], found[2])] == [
        (stored, 0, 0, 2),
        (stored, 1, 1, 2),
    ]
    assert (found[1].headings, found[1].text, found[1].context) == (("Guide", "Start"), "äb", "")
    assert (found[2].headings, found[2].sha256, found[2].context) == ((), text_hash("b"), "header")
    assert query(store, "SELECT id, parent_id FROM chunk ORDER BY id") == [(1, None), (2, 1)]


def test_metadata_is_stored_as_readable_text(store: Store) -> None:
    with store.writing(TEST) as tx:
        document = Document("memory://a", "", "", metadata={"city": "Zürich", "at": MAY})
        add_documents(tx, [(document, [])])

    assert query(store, "SELECT metadata::VARCHAR FROM document") == [('{"city":"Zürich","at":"2024-05-01 00:00:00"}',)]


def test_a_part_of_a_chunk_begins_in_its_own_line_and_the_view_says_the_same(store: Store) -> None:
    text = "one\ntwo\nthree\nfour\nfive\n"
    spans = [(0, 14, None), (14, 24, None), (0, 4, 0), (4, 14, 0), (14, 19, 1), (19, 24, 1)]
    chunks = [Chunk(at, start, end, text[start:end], parent=of) for at, (start, end, of) in enumerate(spans)]
    with store.writing(TEST) as tx:
        ((_, ids),) = add_documents(tx, [(Document("a", "a", text), chunks)])
        lines = first_lines(tx, ids.tolist())

    assert list(lines.values()) == [1, 4, 1, 2, 4, 5]
    assert query(store, "SELECT line FROM chunk_lines ORDER BY chunk_id") == [(line,) for line in lines.values()]
