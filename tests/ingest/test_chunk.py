import pytest
from cpu_time import check_linear
from hypothesis import given
from hypothesis import strategies as st

from mcp_graphrag.english.sentences import split_sentences
from mcp_graphrag.errors import BadInput
from mcp_graphrag.ingest import READERS, chunk_document, estimate_tokens, read_text
from mcp_graphrag.ingest.child_chunks import add_child_chunks, leaf_flags
from mcp_graphrag.model import Chunk, Document

LINES = [
    "", "\t", "# A", "## B", "###", "Title\n===", "- item", "  - sub", "1. one", "```py", "~~~", "> quote", "    code",
    "---", "a: 1", "| a | b |", "|---|---|", "<p>x", "<ul>", "<li>y", "<table><tr><td>z", "</table>", "<h2>h", "<pre>",
    "<!--", "Dr. No said so. Then he left!", "word word word word", "漢字。かな。", "a" * 50,
    "-- name: q", "select 1 from a", "create table b (c int);", "$$", "insert into b values (1, '", "/*", "end;",
    ": meaning", "term::", "  -a  all", ":field: x", "<dl><dt>t", "<dd>d", "</dl>", "<figure><figcaption>c", "why?",
]  # fmt: skip
TEXTS = st.text(max_size=300) | st.lists(st.sampled_from(LINES), max_size=40).map("\n".join)


def markdown(text: str) -> Document:
    return read_text(text, uri="note:1", media_type="text/markdown")


def words(count: int) -> str:
    return "Word " + "word " * (count - 2) + "end. "


def texts(chunks: list[Chunk]) -> list[str]:
    return [chunk.text for chunk in chunks]


@given(
    TEXTS,
    st.sampled_from([reader.media_type for reader in READERS]),
    st.integers(1, 60),
    st.integers(0, 60),
    st.integers(0, 20),
)
def test_blocks_and_chunks_rejoin_to_the_document_and_children_to_their_parent(
    text: str, media_type: str, target: int, margin: int, child_target: int
) -> None:
    try:
        document = read_text(text, uri="note:1", media_type=media_type)
    except BadInput:
        return
    parents = chunk_document(document, target_tokens=target, max_tokens=target + margin)
    assert "".join(document.text[block.start : block.end] for block in document.blocks) == document.text
    assert "".join(texts(parents)) == document.text
    assert_headings_are_right(document, parents)
    chunks = add_child_chunks(document, parents, target_tokens=child_target)
    assert chunks[: len(parents)] == parents
    assert [(chunk.ordinal, chunk.text) for chunk in chunks] == [
        (ordinal, document.text[chunk.start : chunk.end]) for ordinal, chunk in enumerate(chunks)
    ]
    for parent in parents:
        parts = texts([chunk for chunk in chunks if chunk.parent == parent.ordinal])
        assert len(parts) != 1
        assert "".join(parts) in {parent.text, ""}


def assert_headings_are_right(document: Document, chunks: list[Chunk]) -> None:
    """No chunk ends with a heading followed by content; each has the heading path of its first block."""
    pairs = zip(document.blocks, document.blocks[1:], strict=False)
    ends = {block.end for block, following in pairs if block.kind == "heading" and following.kind != "heading"}
    assert [chunk for chunk in chunks if chunk.end in ends] == []
    paths = {block.start: block.headings for block in document.blocks}
    assert [
        chunk for chunk in chunks if chunk.headings[: len(paths.get(chunk.start, ()))] != paths.get(chunk.start, ())
    ] == []


@given(st.text())
def test_sentences_rejoin_to_the_text(text: str) -> None:
    assert "".join(split_sentences(text)) == text


def test_sentences_do_not_end_at_abbreviations_initials_or_numbers() -> None:
    text = (
        'Dr. A. Smith of Acme Inc. paid e.g. 3.5 dollars. "Really?" he asked… no. It is (so).  Run cmd. exe 漢字。かな'
    )
    assert list(split_sentences(text)) == [
        "Dr. A. Smith of Acme Inc. paid e.g. 3.5 dollars. ",
        '"Really?" he asked… no. It is (so).  ',
        "Run cmd. exe 漢字。",
        "かな",
    ]


def test_a_long_run_of_dots_is_split_in_linear_time() -> None:
    assert list(split_sentences("." * 10_000)) == ["." * 10_000]
    check_linear(lambda size: list(split_sentences("." * size)), 10_000)


def test_short_sections_share_a_chunk_with_the_path_of_the_first() -> None:
    assert chunk_document(markdown("# A\n\nOne.\n\n## B\n\nTwo.\n")) == [
        Chunk(0, 0, 22, "# A\n\nOne.\n\n## B\n\nTwo.\n", ("A",))
    ]


def test_a_chunk_of_sufficient_size_ends_before_another_top_section() -> None:
    first, second = f"# A\n\n{words(60)}\n\n", f"# B\n\n{words(60)}\n"
    chunks = chunk_document(markdown(first + second))
    assert [(chunk.text, chunk.headings) for chunk in chunks] == [(first, ("A",)), (second, ("B",))]


def test_sections_below_a_single_title_are_top_sections() -> None:
    first, second = f"# T\n\n## A\n\n{words(60)}\n\n", f"## B\n\n{words(60)}\n"
    chunks = chunk_document(markdown(first + second))
    assert [(chunk.text, chunk.headings) for chunk in chunks] == [(first, ("T", "A")), (second, ("T", "B"))]


def test_a_long_paragraph_is_cut_after_sentences_and_keeps_its_heading() -> None:
    sentence = words(20)
    chunks = chunk_document(markdown("# A\n\n" + sentence * 10), target_tokens=60, max_tokens=80)
    assert texts(chunks) == ["# A\n\n" + sentence * 2, sentence * 2, sentence * 2, sentence * 2, sentence * 2]
    assert {chunk.headings for chunk in chunks} == {("A",)}


def test_text_without_sentences_or_spaces_is_cut_to_the_limit() -> None:
    chunks = chunk_document(read_text("x" * 1000, uri="note:1"), target_tokens=20, max_tokens=20)
    assert max(estimate_tokens(chunk.text) for chunk in chunks) <= 20
    assert "".join(texts(chunks)) == "x" * 1000


def test_a_table_stays_whole_up_to_four_times_the_limit() -> None:
    table = "| a | b |\n|---|---|\n" + "| 1 | 2 |\n" * 40
    assert texts(chunk_document(markdown(table), target_tokens=40, max_tokens=60)) == [table]


def test_a_longer_table_is_cut_at_rows_with_its_header_as_context() -> None:
    row = "| 1 | 2 |\n"
    chunks = chunk_document(markdown("| a | b |\n|---|---|\n" + row * 60), target_tokens=50, max_tokens=50)
    assert [chunk.context for chunk in chunks] == ["", *["| a | b |\n|---|---|"] * (len(chunks) - 1)]
    assert {chunk.text for chunk in chunks[1:]} == {row * 10, row * 3}


def test_a_long_code_block_is_cut_at_lines_with_its_first_line_as_context() -> None:
    chunks = chunk_document(markdown("```py\n" + "x = y\n" * 100 + "```\n"), target_tokens=30, max_tokens=30)
    assert {chunk.context for chunk in chunks[1:]} == {"```py"}
    assert all(chunk.text.endswith("\n") for chunk in chunks)


def test_a_section_that_fits_in_one_chunk_stays_whole() -> None:
    section = f"# A\n\n{words(25)}\n\n{words(25)}\n\n{words(20)}\n"
    assert texts(chunk_document(markdown(section), target_tokens=60, max_tokens=80)) == [section]


def test_a_long_list_is_cut_between_its_outermost_items() -> None:
    item = "- " + "word " * 12 + "\n  - sub one\n  - sub two\n"
    chunks = chunk_document(markdown(item * 6), target_tokens=40, max_tokens=60)
    assert texts(chunks) == [item * 2, item * 2, item * 2]
    assert texts(chunk_document(markdown(item * 6), target_tokens=10, max_tokens=10)) == [item] * 6


def test_a_target_above_the_maximum_is_rejected() -> None:
    with pytest.raises(BadInput) as caught:
        chunk_document(markdown("x"), target_tokens=500)
    assert str(caught.value) == "A chunk target of 500 tokens does not fit a maximum of 400. Use 0 < target <= maximum."


@pytest.mark.parametrize(
    ("text", "tokens"), [("", 0), ("a b", 2), ("extraordinary!", 4), ("漢字かな", 4), ("naïve café", 2)]
)
def test_token_counts_are_estimated(text: str, tokens: int) -> None:
    assert estimate_tokens(text) == tokens


@given(st.text(st.characters(codec="ascii")))
def test_a_text_in_ascii_has_as_many_tokens_as_in_another_alphabet(text: str) -> None:
    assert estimate_tokens(text) == estimate_tokens(f"{text} é") - 1


def with_children(document: Document, *, target: int, children: int) -> list[Chunk]:
    chunks = chunk_document(document, target_tokens=target, max_tokens=target * 2)
    return add_child_chunks(document, chunks, target_tokens=children)


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
