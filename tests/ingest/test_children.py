from hypothesis import given
from hypothesis import strategies as st

from mcp_graphrag.ingest import chunk_document, estimate_tokens, read_text
from mcp_graphrag.ingest.child_chunks import add_child_chunks, leaf_flags
from mcp_graphrag.model import Chunk, Document

LINES = [
    "",
    "# A",
    "## B",
    "- item",
    "  - sub",
    "```py",
    "| a | b |",
    "|---|---|",
    "| 1 | 2 |",
    "Dr. No left. So!",
    "w w w w w w",
]


def markdown(text: str) -> Document:
    return read_text(text, uri="note:1", media_type="text/markdown")


def with_children(document: Document, *, target: int, children: int) -> list[Chunk]:
    chunks = chunk_document(document, target_tokens=target, max_tokens=target * 2)
    return add_child_chunks(document, chunks, target_tokens=children)


@given(
    st.lists(st.sampled_from(LINES), max_size=60).map("\n".join).filter(str.strip),
    st.integers(4, 40),
    st.integers(1, 20),
)
def test_chunks_partition_the_document_and_children_partition_their_parent(
    text: str, target: int, children: int
) -> None:
    document = markdown(text)
    chunks = with_children(document, target=target, children=children)

    parents = [chunk for chunk in chunks if chunk.parent is None]
    assert (chunks[: len(parents)], "".join(chunk.text for chunk in parents)) == (parents, document.text)
    assert [chunk.ordinal for chunk in chunks] == list(range(len(chunks)))
    for parent in parents:
        parts = [chunk for chunk in chunks if chunk.parent == parent.ordinal]
        assert len(parts) != 1
        assert not parts or "".join(chunk.text for chunk in parts) == parent.text
        assert all(document.text[chunk.start : chunk.end] == chunk.text for chunk in parts)


def test_a_child_chunk_has_about_the_target_size_and_its_headings() -> None:
    text = "# Guide\n\n## Setup\n\n" + "Install the server first. " * 12 + "\n\n## Use\n\n" + "Ask it at once. " * 20
    chunks = with_children(markdown(text), target=400, children=40)
    children = [chunk for chunk in chunks if chunk.parent is not None]
    assert len(chunks) - len(children) == 2
    assert all(10 < estimate_tokens(chunk.text) <= 70 for chunk in children)
    assert {chunk.headings for chunk in children} == {("Guide", "Setup"), ("Guide", "Use")}
    assert leaf_flags(chunks) == [False, False] + [True] * len(children)


def test_later_rows_of_a_long_table_have_its_header_as_context_in_parents_and_children() -> None:
    rows = "".join(f"| service-{n} | team {n} in building {n} |\n" for n in range(60))
    chunks = with_children(markdown(f"| service | owner |\n|---|---|\n{rows}"), target=60, children=6)
    header = "| service | owner |\n|---|---|"
    assert len([chunk for chunk in chunks if chunk.parent is not None]) > 10
    assert {chunk.context for chunk in chunks} == {"", header}
    assert all(chunk.context == header for chunk in chunks if chunk.start)


def test_a_short_chunk_or_a_target_of_zero_makes_no_children() -> None:
    short = markdown("One sentence alone.")
    assert [chunk.parent for chunk in with_children(short, target=100, children=50)] == [None]
    chunks = chunk_document(markdown("Words and more. " * 50), target_tokens=40, max_tokens=60)
    assert add_child_chunks(markdown("Words and more. " * 50), chunks, target_tokens=0) == chunks
