import math
from collections import defaultdict
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from store_stories import TEST, Said, name_things, put, query, say

from mcp_graphrag.errors import BadInput, UnknownName
from mcp_graphrag.model import Chunk, Document
from mcp_graphrag.store import Store
from mcp_graphrag.store.citation import Cited, cite_chunk, find_cited
from mcp_graphrag.store.confidence import CONFIRMED
from mcp_graphrag.store.documents import add_documents, chunks_by_id, retire_document
from mcp_graphrag.store.entities import NewMention, add_mentions

SURE = [0.125, 0.25, 0.5, 0.75]


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """One store for many examples; each takes a subject and documents of its own."""
    store = Store(tmp_path_factory.mktemp("retirement") / "graph.duckdb", wait=0)
    name_things(store, "Redis")
    yield store
    store.close()


@settings(max_examples=30, deadline=None)
@given(
    said=st.lists(st.tuples(st.integers(0, 3), st.sampled_from([None, 0, 1, 2]), st.sampled_from(SURE)), max_size=12),
    retired=st.lists(st.sampled_from([0, 1, 2]), unique=True),
)
def test_retiring_documents_retires_exactly_what_they_alone_supported(
    shared: Store, said: list[tuple[int, int | None, float]], retired: list[int]
) -> None:
    with shared.writing(TEST) as tx:
        documents = [put(tx, f"memory://{n}", "text") for n in range(3)]
        base = 10 * documents[0][0]
    offer = [
        Said(base + what, chunk=None if document is None else documents[document][1][0], confidence=sure, quote=str(at))
        for at, (what, document, sure) in enumerate(said)
    ]
    say(shared, *offer)

    for each in retired:
        with shared.writing(TEST) as tx:
            retire_document(tx, documents[each][0])

    best: dict[int, dict[int | None, float]] = defaultdict(dict)
    for what, document, sure in said:
        if document not in retired:
            best[base + what][document] = max(sure, best[base + what].get(document, 0))
    expected = {what: 1 - math.prod(1 - sure for sure in each.values()) for what, each in best.items()}
    in_force = "SELECT subject_id, confidence FROM triple WHERE retired_change IS NULL AND subject_id BETWEEN {} AND {}"
    assert dict(query(shared, in_force.format(base, base + 9))) == expected


def test_what_was_retired_and_is_said_again_is_a_new_triple(store: Store) -> None:
    name_things(store, "Checkout", "Redis")
    with store.writing(TEST) as tx:
        document_id, (chunk_id,) = put(tx, "memory://a", "Checkout uses Redis")
    say(store, Said(chunk=chunk_id))
    with store.writing(TEST) as tx:
        retire_document(tx, document_id)

    assert say(store, Said()).triple_ids.tolist() == [2]

    assert query(store, "SELECT id, retired_change FROM triple ORDER BY id") == [(1, 4), (2, None)]


def test_a_confirmation_alone_does_not_keep_a_triple(store: Store) -> None:
    name_things(store, "Checkout", "Redis")
    with store.writing(TEST) as tx:
        document_id, (chunk_id,) = put(tx, "memory://a", "Checkout uses Redis")
    say(store, Said(chunk=chunk_id))
    say(store, Said(source="Monday", confidence=0.125), extractor=CONFIRMED)

    with store.writing(TEST) as tx:
        retire_document(tx, document_id)

    assert query(store, "FROM triples") == query(store, "FROM evidence WHERE retired_change IS NULL") == []


def test_a_retired_document_leaves_every_view_and_its_mentions(store: Store) -> None:
    name_things(store, "Redis")
    with store.writing(TEST) as tx:
        document_id, (chunk_id,) = put(tx, "memory://a", "Redis")
        add_mentions(tx, [NewMention(chunk_id, 1, 0, 5, "Redis", None)], "lite")

    with store.writing(TEST) as tx:
        retire_document(tx, document_id)

    for empty in ("documents", "chunks", "mention WHERE retired_change IS NULL"):
        assert query(store, f"FROM {empty}") == []
    assert query(store, "SELECT text FROM chunk") == [("Redis",)]


def _find(store: Store, citation: str) -> Cited:
    with store.reading() as tx:
        return find_cited(tx, citation)


def _citations(store: Store, chunk_ids: list[int]) -> list[str]:
    with store.reading() as tx:
        found = chunks_by_id(tx, chunk_ids)
        return [cite_chunk(found[each]) for each in chunk_ids]


@pytest.fixture
def cited(store: Store) -> tuple[Store, list[str]]:
    """A store with a document of three chunks, and their citations."""
    with store.writing(TEST) as tx:
        _, chunk_ids = put(tx, "memory://a#b?c=é", "One two. ", "Three four. ", "Fünf.")
    return store, _citations(store, chunk_ids)


def test_a_citation_finds_its_chunk(cited: tuple[Store, list[str]]) -> None:
    store, citations = cited

    found = [_find(store, citation) for citation in citations]

    assert [each.text for each in found] == ["One two. ", "Three four. ", "Fünf."]
    assert [[chunk.ordinal for chunk in each.chunks] for each in found] == [[0], [1], [2]]


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


def test_a_citation_that_fits_no_text_is_refused(cited: tuple[Store, list[str]]) -> None:
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
        old_id, old_chunks = put(tx, "memory://a", "The old text.")
    (old,) = _citations(store, old_chunks)
    with store.writing(TEST) as tx:
        retire_document(tx, old_id)
        _, new_chunks = put(tx, "memory://a", "A new text.")
    (new,) = _citations(store, new_chunks)

    assert (_find(store, old).text, _find(store, old).document.retired_at is None) == ("The old text.", False)
    assert (_find(store, new).text, _find(store, new).document.retired_at) == ("A new text.", None)
    assert _find(store, "memory://a").text == "A new text."


def test_a_citation_of_a_chunk_with_parts_has_its_text_once(store: Store) -> None:
    chunks = [Chunk(0, 0, 8, "One two."), Chunk(1, 0, 3, "One", parent=0), Chunk(2, 4, 8, "two.", parent=0)]
    with store.writing(TEST) as tx:
        ((_, chunk_ids),) = add_documents(tx, [(Document("memory://a", "A", "One two."), chunks)])

    assert [_find(store, each).text for each in _citations(store, chunk_ids.tolist())] == ["One two.", "One", "two."]
    assert _find(store, "memory://a").text == "One two."
