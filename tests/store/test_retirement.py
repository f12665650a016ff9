import math
from collections import defaultdict
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from store_helpers import TEST, Row, add_document, add_named_entities, add_rows, query

from mcp_graphrag.errors import BadInput, UnknownName
from mcp_graphrag.model import Chunk, Document
from mcp_graphrag.store import Store
from mcp_graphrag.store.rows.citations import CitedText, cite_chunk, resolve_citation
from mcp_graphrag.store.rows.confidence import CONFIRMED
from mcp_graphrag.store.rows.document_rows import add_documents, chunks_by_id, retire_document
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


def _find(store: Store, citation: str) -> CitedText:
    with store.reading() as tx:
        return resolve_citation(tx, citation)


def _citations(store: Store, chunk_ids: list[int]) -> list[str]:
    with store.reading() as tx:
        found = chunks_by_id(tx, chunk_ids)
        return [cite_chunk(found[chunk_id]) for chunk_id in chunk_ids]


@pytest.fixture
def cited(store: Store) -> tuple[Store, list[str]]:
    """A store with a document of three chunks, and their citations."""
    with store.writing(TEST) as tx:
        _, chunk_ids = add_document(tx, "memory://a#b?c=é", "One two. ", "Three four. ", "Fünf.")
    return store, _citations(store, chunk_ids)


def test_a_citation_finds_its_chunk(cited: tuple[Store, list[str]]) -> None:
    store, citations = cited

    found = [_find(store, citation) for citation in citations]

    assert [span.text for span in found] == ["One two. ", "Three four. ", "Fünf."]
    assert [[chunk.ordinal for chunk in span.chunks] for span in found] == [[0], [1], [2]]


def test_a_span_within_or_across_chunks_is_found(cited: tuple[Store, list[str]]) -> None:
    store, _ = cited
    uri = "memory://a#b?c=é"

    assert _find(store, f"{uri}#chunk:4-7").text == "two"
    across = _find(store, f"{uri}#chunk:4-23")
    assert (across.text, [chunk.ordinal for chunk in across.chunks]) == ("two. Three four. Fü", [0, 1, 2])
    assert _find(store, f"{uri}#chunk:21-999").text == "Fünf."


def test_a_uri_alone_finds_the_whole_document(cited: tuple[Store, list[str]]) -> None:
    store, _ = cited

    found = _find(store, "  memory://a#b?c=é\n")

    assert (found.text, found.start, found.end) == ("One two. Three four. Fünf.", 0, 26)


def test_a_citation_that_matches_no_text_is_refused(cited: tuple[Store, list[str]]) -> None:
    store, citations = cited
    wrong = citations[0][:-8] + "00000000"

    with pytest.raises(UnknownName, match="26 characters"):
        _find(store, wrong)
    with pytest.raises(UnknownName, match="No document named 'memory://nowhere'"):
        _find(store, "memory://nowhere#chunk:0-4")
    with pytest.raises(UnknownName):
        _find(store, "memory://a#b?c=é#chunk:100-200")
    with pytest.raises(BadInput, match="is empty"):
        _find(store, "memory://a#b?c=é#chunk:4-4")


def test_a_citation_still_finds_its_text_after_the_document_changed(store: Store) -> None:
    with store.writing(TEST) as tx:
        old_id, old_chunks = add_document(tx, "memory://a", "The old text.")
    (old,) = _citations(store, old_chunks)
    with store.writing(TEST) as tx:
        retire_document(tx, old_id)
        _, new_chunks = add_document(tx, "memory://a", "A new text.")
    (new,) = _citations(store, new_chunks)

    assert (_find(store, old).text, _find(store, old).document.retired_at is None) == ("The old text.", False)
    assert (_find(store, new).text, _find(store, new).document.retired_at) == ("A new text.", None)
    assert _find(store, "memory://a").text == "A new text."


def test_a_citation_of_a_chunk_with_children_has_its_text_once(store: Store) -> None:
    chunks = [Chunk(0, 0, 8, "One two."), Chunk(1, 0, 3, "One", parent=0), Chunk(2, 4, 8, "two.", parent=0)]
    with store.writing(TEST) as tx:
        ((_, chunk_ids),) = add_documents(tx, [(Document("memory://a", "A", "One two."), chunks)])

    assert [_find(store, citation).text for citation in _citations(store, chunk_ids.tolist())] == [
        "One two.",
        "One",
        "two.",
    ]
    assert _find(store, "memory://a").text == "One two."
