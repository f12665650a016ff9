"""Markdown links with their spans, targets and words."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mcp_graphrag.chunk_edges.markdown_links import markdown_links
from mcp_graphrag.ingest import read_text
from mcp_graphrag.model import Document

PARTS = [
    *("[a](b.md)", "[c][d]", "[d]", "[d]: e.md\n", "![i](j.png)", "`", "```\n", "\n", "\r\n", "\r", "\n\n", "\0", "\t"),
    *("> ", "- ", "1. ", "# ", " #", "|", "| x | [y](z) |\n", "|---|---|\n", "\\", "<", ">", "(", ")", "["),
]


def links(text: str) -> list[tuple[str, str, str]]:
    """Source, target and words of the links of a Markdown document."""
    document = read_text(text, uri="memory://a", media_type="text/markdown")
    return [(document.text[link.start : link.end], link.target, link.words) for link in markdown_links(document)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("See [it](install.md#usage).", ("[it](install.md#usage)", "install.md#usage", "it")),
        ('[a [b] `]`](<My File.md> "title")', ('[a [b] `]`](<My File.md> "title")', "My File.md", "a [b] ]")),
        ("> quoted [over\n> two lines](x.md)", ("[over\n> two lines](x.md)", "x.md", "over\ntwo lines")),
        ("- x\n  - y [z](z.md)", ("[z](z.md)", "z.md", "z")),
        ("# A [b](b.md) #", ("[b](b.md)", "b.md", "b")),
        ("| a | b |\n|---|---|\n| x | [x](x.md) |", ("[x](x.md)", "x.md", "x")),
        ("`[no](no.md)` [yes](yes.md)", ("[yes](yes.md)", "yes.md", "yes")),
        ("[One]\n\n[one]: 1.md", ("[One]", "1.md", "One")),
        ("[the first][one]\n\n[one]: 1.md 'title'", ("[the first][one]", "1.md", "the first")),
    ],
)
def test_a_link_has_its_exact_span_target_and_words(text: str, expected: tuple[str, str, str]) -> None:
    assert links(text) == [expected]


@pytest.mark.parametrize(
    "text",
    [
        "![image](a.png)",
        "[![badge](a.png)](b.md)",
        r"\[escaped](a.md)",
        "```\n[fenced](a.md)\n```",
        "[undefined][one]",
        "[^1]: A footnote is no definition.\n\nSee [^1].",
        "<https://example.org/a>",
    ],
)
def test_images_code_escapes_and_footnotes_are_no_links(text: str) -> None:
    assert links(text) == []


@example("\xa0\n| x | [y](z) |\n[a](b.md)")
@given(st.lists(st.one_of(st.sampled_from(PARTS), st.text(max_size=3)), max_size=30).map("".join))
def test_any_text_has_links_in_order_within_it(text: str) -> None:
    spans = [(link.start, link.end) for link in markdown_links(Document("memory://a", "A", text))]

    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert [start for start, _ in spans] == sorted(start for start, _ in spans)


def test_a_block_of_very_many_brackets_has_no_links_and_the_next_one_has() -> None:
    text = "[a](b.md) " * 60_000

    assert links(f"{text}\n\n[c](d.md)\n") == [("[c](d.md)", "d.md", "c")]
