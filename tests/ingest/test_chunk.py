import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_graphrag.errors import BadInput
from mcp_graphrag.ingest import READERS, chunk_document, estimate_tokens, read_text
from mcp_graphrag.ingest.sentences import split_sentences
from mcp_graphrag.model import Chunk, Document

LINES = [
    *[
        "",
        "\t",
        "# A",
        "## B",
        "###",
        "Title\n===",
        "- item",
        "  - sub",
        "1. one",
        "```py",
        "~~~",
        "> quote",
        "    code",
    ],
    *[
        "---",
        "a: 1",
        "| a | b |",
        "|---|---|",
        "<p>x",
        "<ul>",
        "<li>y",
        "<table><tr><td>z",
        "</table>",
        "<h2>h",
        "<pre>",
    ],
    *["<!--", "Dr. No said so. Then he left!", "word word word word", "漢字。かな。", "a" * 50],
]
TEXTS = st.text(max_size=300) | st.lists(st.sampled_from(LINES), max_size=40).map("\n".join)


def markdown(text: str) -> Document:
    return read_text(text, uri="note:1", media_type="text/markdown")


def words(count: int) -> str:
    return "Word " + "word " * (count - 2) + "end. "


def texts(chunks: list[Chunk]) -> list[str]:
    return [chunk.text for chunk in chunks]


@given(TEXTS, st.sampled_from([reader.media_type for reader in READERS]), st.integers(1, 60), st.integers(0, 60))
def test_blocks_and_chunks_rejoin_to_the_document(text: str, media_type: str, target: int, more: int) -> None:
    try:
        document = read_text(text, uri="note:1", media_type=media_type)
    except BadInput:
        return
    chunks = chunk_document(document, target=target, most=target + more)
    assert "".join(document.text[block.start : block.end] for block in document.blocks) == document.text
    assert "".join(texts(chunks)) == document.text
    assert [(chunk.ordinal, chunk.text) for chunk in chunks] == [
        (ordinal, document.text[chunk.start : chunk.end]) for ordinal, chunk in enumerate(chunks)
    ]
    assert_headings_hold(document, chunks)


def assert_headings_hold(document: Document, chunks: list[Chunk]) -> None:
    """No chunk ends with a heading that content follows; each has the path of the block that it starts with."""
    pairs = zip(document.blocks, document.blocks[1:], strict=False)
    titles = {block.end for block, after in pairs if block.kind == "heading" and after.kind != "heading"}
    assert [chunk for chunk in chunks if chunk.end in titles] == []
    paths = {block.start: block.headings for block in document.blocks}
    assert [
        chunk for chunk in chunks if chunk.headings[: len(paths.get(chunk.start, ()))] != paths.get(chunk.start, ())
    ] == []


@given(st.text())
def test_sentences_rejoin(text: str) -> None:
    assert "".join(split_sentences(text)) == text


def test_sentences_end_where_a_reader_would_say_so() -> None:
    text = (
        'Dr. A. Smith of Acme Inc. paid e.g. 3.5 dollars. "Really?" he asked… no. It is (so).  Run cmd. exe 漢字。かな'
    )
    assert list(split_sentences(text)) == [
        "Dr. A. Smith of Acme Inc. paid e.g. 3.5 dollars. ",
        '"Really?" ',
        "he asked… ",
        "no. It is (so).  ",
        "Run cmd. exe 漢字。",
        "かな",
    ]


@pytest.mark.timeout(20)
def test_a_row_of_dots_is_one_sentence() -> None:
    assert list(split_sentences("." * 300_000)) == ["." * 300_000]


def test_short_sections_share_a_chunk_under_the_first_heading() -> None:
    assert chunk_document(markdown("# A\n\nOne.\n\n## B\n\nTwo.\n")) == [
        Chunk(0, 0, 22, "# A\n\nOne.\n\n## B\n\nTwo.\n", ("A",))
    ]


def test_a_chunk_of_fair_size_does_not_reach_into_another_top_section() -> None:
    first, second = f"# A\n\n{words(60)}\n\n", f"# B\n\n{words(60)}\n"
    chunks = chunk_document(markdown(first + second))
    assert [(chunk.text, chunk.headings) for chunk in chunks] == [(first, ("A",)), (second, ("B",))]


def test_sections_under_one_title_count_as_top_sections() -> None:
    first, second = f"# T\n\n## A\n\n{words(60)}\n\n", f"## B\n\n{words(60)}\n"
    chunks = chunk_document(markdown(first + second))
    assert [(chunk.text, chunk.headings) for chunk in chunks] == [(first, ("T", "A")), (second, ("T", "B"))]


def test_a_long_paragraph_is_cut_behind_sentences_and_keeps_its_heading() -> None:
    sentence = words(20)
    chunks = chunk_document(markdown("# A\n\n" + sentence * 10), target=60, most=80)
    assert texts(chunks) == ["# A\n\n" + sentence * 2, sentence * 2, sentence * 2, sentence * 2, sentence * 2]
    assert {chunk.headings for chunk in chunks} == {("A",)}


def test_a_stretch_without_sentences_or_spaces_is_cut_all_the_same() -> None:
    chunks = chunk_document(read_text("x" * 1000, uri="note:1"), target=20, most=20)
    assert max(estimate_tokens(chunk.text) for chunk in chunks) <= 20
    assert "".join(texts(chunks)) == "x" * 1000


def test_a_table_stays_whole_up_to_four_times_the_most() -> None:
    table = "| a | b |\n|---|---|\n" + "| 1 | 2 |\n" * 40
    assert texts(chunk_document(markdown(table), target=40, most=60)) == [table]


def test_a_longer_table_is_cut_at_rows_and_repeats_its_header_as_context() -> None:
    row = "| 1 | 2 |\n"
    chunks = chunk_document(markdown("| a | b |\n|---|---|\n" + row * 60), target=50, most=50)
    assert [chunk.context for chunk in chunks] == ["", *["| a | b |\n|---|---|"] * (len(chunks) - 1)]
    assert {chunk.text for chunk in chunks[1:]} == {row * 10, row * 3}


def test_a_long_fence_is_cut_at_lines_and_remembers_how_it_opened() -> None:
    chunks = chunk_document(markdown("```py\n" + "x = y\n" * 100 + "```\n"), target=30, most=30)
    assert {chunk.context for chunk in chunks[1:]} == {"```py"}
    assert all(chunk.text.endswith("\n") for chunk in chunks)


def test_a_section_that_fits_in_one_chunk_stays_whole() -> None:
    section = f"# A\n\n{words(25)}\n\n{words(25)}\n\n{words(20)}\n"
    assert texts(chunk_document(markdown(section), target=60, most=80)) == [section]


def test_a_long_list_is_cut_between_its_outermost_items() -> None:
    item = "- " + "word " * 12 + "\n  - sub one\n  - sub two\n"
    chunks = chunk_document(markdown(item * 6), target=40, most=60)
    assert texts(chunks) == [item * 2, item * 2, item * 2]
    assert texts(chunk_document(markdown(item * 6), target=10, most=10)) == [item] * 6


def test_sizes_that_cannot_be_kept_are_refused() -> None:
    with pytest.raises(BadInput) as refused:
        chunk_document(markdown("x"), target=500)
    assert str(refused.value) == "A chunk target of 500 tokens does not fit a maximum of 400. Use 0 < target <= most."


@pytest.mark.parametrize(
    ("text", "tokens"), [("", 0), ("a b", 2), ("extraordinary!", 4), ("漢字かな", 4), ("naïve café", 2)]
)
def test_tokens_are_estimated(text: str, tokens: int) -> None:
    assert estimate_tokens(text) == tokens
