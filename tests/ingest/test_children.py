from hypothesis import given
from hypothesis import strategies as st

from mcp_graphrag.ingest import chunk_document, estimate_tokens, read_text
from mcp_graphrag.ingest.children import childless, with_children
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


def family(document: Document, *, target: int, children: int) -> list[Chunk]:
    return with_children(document, chunk_document(document, target=target, most=target * 2), target=children)


@given(
    st.lists(st.sampled_from(LINES), max_size=60).map("\n".join).filter(str.strip),
    st.integers(4, 40),
    st.integers(1, 20),
)
def test_chunks_partition_the_document_and_children_their_parent(text: str, target: int, children: int) -> None:
    document = markdown(text)
    chunks = family(document, target=target, children=children)

    tops = [chunk for chunk in chunks if chunk.parent is None]
    assert (chunks[: len(tops)], "".join(chunk.text for chunk in tops)) == (tops, document.text)
    assert [chunk.ordinal for chunk in chunks] == list(range(len(chunks)))
    for parent in tops:
        own = [chunk for chunk in chunks if chunk.parent == parent.ordinal]
        assert len(own) != 1
        assert not own or "".join(chunk.text for chunk in own) == parent.text
        assert all(document.text[chunk.start : chunk.end] == chunk.text for chunk in own)


def test_a_child_has_about_its_target_and_knows_its_headings() -> None:
    text = "# Guide\n\n## Setup\n\n" + "Install the server first. " * 12 + "\n\n## Use\n\n" + "Ask it at once. " * 20
    chunks = family(markdown(text), target=400, children=40)
    children = [chunk for chunk in chunks if chunk.parent is not None]
    assert len(chunks) - len(children) == 2
    assert all(10 < estimate_tokens(chunk.text) <= 70 for chunk in children)
    assert {chunk.headings for chunk in children} == {("Guide", "Setup"), ("Guide", "Use")}
    assert childless(chunks) == [False, False] + [True] * len(children)


def test_rows_of_a_long_table_keep_its_head_in_their_parent_and_in_their_children() -> None:
    rows = "".join(f"| service-{n} | team {n} in building {n} |\n" for n in range(60))
    chunks = family(markdown(f"| service | owner |\n|---|---|\n{rows}"), target=60, children=6)
    head = "| service | owner |\n|---|---|"
    assert len([chunk for chunk in chunks if chunk.parent is not None]) > 10
    assert {chunk.context for chunk in chunks} == {"", head}
    assert all(chunk.context == head for chunk in chunks if chunk.start)


def test_a_short_chunk_and_a_target_of_none_make_no_children() -> None:
    short = markdown("One sentence alone.")
    assert [chunk.parent for chunk in family(short, target=100, children=50)] == [None]
    chunks = chunk_document(markdown("Words and more. " * 50), target=40, most=60)
    assert with_children(markdown("Words and more. " * 50), chunks, target=0) == chunks
