"""A citation finds the text it was made of, also in a version of the document that is no longer in force."""

import pytest
from store_helpers import TEST, add_document

from mcp_graphrag.errors import BadInput, UnknownName
from mcp_graphrag.model import Chunk, Document
from mcp_graphrag.store import Store
from mcp_graphrag.store.rows.citations import CitedText, cite, cite_chunk, resolve_citation
from mcp_graphrag.store.rows.document_rows import add_documents, chunks_by_id, retire_document, text_hash

URI = "memory://a#b?c=é"


@pytest.fixture
def cited(store: Store) -> Store:
    """The document "one two three", in chunks of a word, and the retired "one 2 three" before it."""
    with store.writing(TEST) as tx:
        document_id, _ = add_document(tx, URI, "one ", "2 ", "three")
        retire_document(tx, document_id)
        add_document(tx, URI, "one ", "two ", "three")
    return store


def resolved(store: Store, citation: str) -> CitedText:
    with store.reading() as tx:
        return resolve_citation(tx, citation)


@pytest.mark.parametrize(
    ("span", "text", "chunks"),
    [
        ("#chunk:4-8", "two ", [5]),
        ("#chunk:0-13", "one two three", [4, 5, 6]),
        ("#chunk:0-4", "one ", [4]),
        ("#chunk:2-10", "e two th", [4, 5, 6]),
        ("#chunk:8-13", "three", [6]),
        ("#chunk:5-6", "w", [5]),
        ("", "one two three", [4, 5, 6]),
        (f"#chunk:4-8@{text_hash('two ')[:8]}", "two ", [5]),
        (f"#chunk:4-6@{text_hash('2 ')[:8]}", "2 ", [2]),
        (f"#chunk:0-11@{text_hash('one 2 three')[:8]}", "one 2 three", [1, 2, 3]),
    ],
)
def test_a_citation_gives_its_span_and_the_chunks_that_overlap_it(
    cited: Store, span: str, text: str, chunks: list[int]
) -> None:
    found = resolved(cited, f" {URI}{span}\n")

    assert (found.text, found.end - found.start) == (text, len(text))
    assert [chunk.id for chunk in found.chunks] == chunks
    assert (found.document.retired_at is None) == (chunks[0] > 3)


def test_a_span_beyond_the_end_gives_what_there_is(cited: Store) -> None:
    found = resolved(cited, f"{URI}#chunk:8-99")

    assert (found.text, found.start, found.end) == ("three", 8, 13)


@pytest.mark.parametrize(
    ("citation", "error", "message"),
    [
        ("memory://b", UnknownName, "memory://b"),
        (f"{URI}#chunk:4-4", BadInput, "The span 4-4 is empty"),
        (f"{URI}#chunk:5-4", BadInput, "The span 5-4 is empty"),
        (f"{URI}#chunk:20-30", UnknownName, "The document has 13 characters"),
        (f"{URI}#chunk:4-8@00000000", UnknownName, "The document has 13 characters"),
    ],
)
def test_what_no_version_has_is_refused(cited: Store, citation: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error) as caught:
        resolved(cited, citation)

    assert message in f"{caught.value} {getattr(caught.value, 'hint', '')}"


def test_the_citation_of_a_chunk_finds_that_chunk_without_its_children(store: Store) -> None:
    with store.writing(TEST) as tx:
        chunks = [Chunk(0, 0, 3, "one"), Chunk(1, 0, 2, "on", parent=0)]
        add_documents(tx, [(Document(URI, URI, "one"), chunks)])
    with store.reading() as tx:
        whole = chunks_by_id(tx, [1])[1]

    assert cite_chunk(whole) == cite(URI, 0, 3, text_hash("one")) == f"{URI}#chunk:0-3@{text_hash('one')[:8]}"
    assert resolved(store, cite_chunk(whole)) == CitedText(whole.document, 0, 3, "one", (whole,))
    assert resolved(store, URI).text == "one"
