"""Batches of documents: by size, by time, and never two documents of one uri."""

from mcp_graphrag.jobs.batches import MIN_BATCH_CHARACTERS, BatchSize, batches_of
from mcp_graphrag.model import Document


def documents(*lengths: int) -> list[Document]:
    return [Document(f"memo:{number}", "Memo", "x" * length) for number, length in enumerate(lengths)]


def uris(*given: Document, size: BatchSize | None = None) -> list[list[str]]:
    return [[each.uri for each in batch] for batch in batches_of(given, size)]


def test_a_batch_ends_with_the_document_that_fills_it() -> None:
    assert uris(*documents(6, 3, 2, 9), size=BatchSize(10)) == [["memo:0", "memo:1", "memo:2"], ["memo:3"]]


def test_the_second_document_with_a_uri_is_of_the_next_batch() -> None:
    assert uris(*documents(1), *documents(1, 1)) == [["memo:0"], ["memo:0", "memo:1"]]


def test_a_batch_that_took_too_long_makes_the_next_smaller_and_a_fast_one_larger_again() -> None:
    size = BatchSize(200_000)
    sizes: list[int] = []
    for seconds in (4.0, 1.5, 0.5, 0.5):
        size.took(size.characters, seconds)
        sizes.append(size.characters)

    assert sizes == [100_000, 100_000, 200_000, 200_000]


def test_a_batch_is_never_too_small_to_get_on() -> None:
    size = BatchSize()
    size.took(256_000, 3600)
    assert size.characters == MIN_BATCH_CHARACTERS
