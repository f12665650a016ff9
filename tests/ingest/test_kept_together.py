"""A term and its definition, a heading and its first block, a caption and its figure, a question and its answer."""

import json
from collections.abc import Callable
from itertools import chain

import pytest
from cpu_time import check_linear
from hypothesis import given
from hypothesis import strategies as st
from office_files import pdf, slides, word

from mcp_graphrag.ingest import chunk_document, estimate_tokens, read_bytes, read_text
from mcp_graphrag.ingest.child_chunks import add_child_chunks
from mcp_graphrag.model import Chunk, Document

Pair = tuple[str, list[str]]  # a term, and the paragraphs of its definition


def below(mark: str, indent: str) -> Callable[[Pair], str]:
    """A definition whose paragraphs are indented below its term, the first one behind a mark."""

    def write(pair: Pair) -> str:
        first, *others = pair[1]
        return f"{pair[0]}{mark}{first}" + "".join(f"\n\n{indent}{other}" for other in others)

    return write


def behind(before: str, after: str) -> Callable[[Pair], str]:
    """A term between marks, and the paragraphs of its definition behind it."""
    return lambda pair: f"{before}{pair[0]}{after}" + "\n\n".join(pair[1])


def html(before: str, between: str, after: str) -> Callable[[Pair], str]:
    return lambda pair: f"{before}{pair[0]}{between}" + "".join(f"<p>{each}</p>" for each in pair[1]) + after


# Whether later parts of a long definition know its term, and how it is written.
WAYS: dict[str, list[tuple[bool, Callable[[Pair], str]]]] = {
    "a.md": [
        (True, below("\n: ", "    ")),
        (True, below("\n\n:   ", "    ")),
        (False, behind("**", "** — ")),
        (False, behind("- `", "`: ")),
        (True, behind("### ", "\n\n")),
        (False, behind("**Q: is it ", "?**\n\nA: ")),
        (False, behind("The steps of ", ":\n\n1. ")),
        (False, behind("![", "](a.png)\n\nFigure 1: ")),
        (False, lambda pair: f"Table 7: {pair[0]}\n\n| {pair[1][0]} | b |\n|---|---|\n| c | d |"),
    ],
    "a.html": [
        (True, html("<dl><dt><code>", "</code></dt><dd>", "</dd></dl>")),
        (True, html("<dl><div><dt>", "<dt>or so<dd><h3>Note</h3>", "</div></dl>")),
        (True, html("<details><summary>", "</summary>", "</details>")),
        (True, html("<h3>", "</h3>", "")),
        (True, html("<figure><figcaption>", "</figcaption>", "</figure>")),
        (False, html("<p><b>", "?</b></p>", "")),
    ],
    "a.rst": [
        (True, below("\n  ", "  ")),
        (True, below("     ", "       ")),
        (True, lambda pair: f":param {below(': ', '  ')(pair)}"),
        (True, lambda pair: f"--{below('=N  ', '     ')(pair)}"),
        (True, lambda pair: f".. option:: {below(chr(10) * 2 + '   ', '   ')(pair)}"),
        (True, behind("", "\n------\n\n")),
    ],
    "a.adoc": [
        (True, lambda pair: f"{pair[0]}:: " + "\n+\n".join(pair[1])),
        (True, lambda pair: f"`-t`::\n`{pair[0]}`::\n\t" + "\n+\n".join(pair[1])),
        (True, behind("=== ", "\n\n")),
        (False, lambda pair: f".{pair[0]}\n[source]\n----\n{pair[1][0]}\n----"),
    ],
    "a.txt": [
        (True, below("\n    ", "    ")),
        (True, lambda pair: f"  -t, --{below(chr(10) + '        ', '        ')(pair)}"),
        (True, below("\n\n   ", "   ")),
        (False, behind("What is ", "?\n\n")),
        (False, behind("5. ON ", "\n\n")),
    ],
}  # fmt: skip
SIZES = st.lists(st.lists(st.integers(1, 70), min_size=1, max_size=3), min_size=1, max_size=6)


def pairs_of(sizes: list[list[int]]) -> list[Pair]:
    return [
        (f"term{at}q", [f"Mean{at}q{part} " + "Water and words. " * size for part, size in enumerate(parts)])
        for at, parts in enumerate(sizes)
    ]


def parted(document: Document, chunks: list[Chunk], pairs: list[Pair]) -> list[str]:
    """The terms behind which a chunk ends in front of their definitions."""
    places = [(document.text.index(term), document.text.index(parts[0].split()[0]), term) for term, parts in pairs]
    ends = {chunk.end for chunk in chunks}
    return [term for first, last, term in places if ends & set(range(min(first, last) + 1, max(first, last) + 1))]


@given(
    st.sampled_from([(name, way) for name, ways in WAYS.items() for way in range(len(ways))]),
    SIZES,
    st.integers(12, 60),
    st.integers(0, 40),
)
def test_no_chunk_ends_between_a_term_and_its_definition(
    written: tuple[str, int], sizes: list[list[int]], target: int, margin: int
) -> None:
    name, way = written
    knows, write = WAYS[name][way]
    pairs = pairs_of(sizes)
    document = read_bytes("\n\n".join(map(write, pairs)).encode(), uri="a:b", name=name)
    limit = target + margin
    chunks = chunk_document(document, target_tokens=target, max_tokens=limit)
    assert "".join(chunk.text for chunk in chunks) == document.text
    assert parted(document, chunks, pairs) == []
    children = [one for one in add_child_chunks(document, chunks, target_tokens=12) if one.parent is not None]
    assert parted(document, children, pairs) == []
    # Tables, code and items stay whole up to four times the limit.
    assert max(estimate_tokens(chunk.text) for chunk in chunks) <= 5 * limit
    for (term, parts), chunk in ((pair, chunk) for pair in pairs for chunk in chunks if knows):
        if any(part.split()[0] in chunk.text for part in parts):
            assert term in "\n".join([*chunk.headings, chunk.context, chunk.text])


def test_no_page_slide_or_cell_parts_them() -> None:
    pairs = pairs_of([[9, 60], [70], [3], [45, 2, 80]])
    texts = [(term, "\n".join(parts)) for term, parts in pairs]
    cells = [{"cell_type": "markdown", "source": below("\n: ", "    ")(pair)} for pair in pairs]
    files = {
        "a.docx": word(texts),
        "a.pptx": slides([(*text, "") for text in texts]),
        "a.pdf": pdf([f"{term}?\n{text}" for term, text in texts]),
        "a.ipynb": json.dumps({"nbformat": 4, "cells": cells}).encode(),
    }
    for name, content in files.items():
        document = read_bytes(content, uri="a:b", name=name)
        assert parted(document, chunk_document(document, target_tokens=30, max_tokens=40), pairs) == []


def blocks(text: str, media_type: str) -> list[tuple[str, list[str]]]:
    document = read_text(text, uri="a:b", media_type=media_type)
    return [
        (document.text[block.start : block.end].strip(), [document.text[slice(*term)] for term in block.terms])
        for block in document.blocks
    ]


def test_definitions_in_markdown_have_blocks_of_their_own() -> None:
    text = "Ale\n: top\n: or *bottom*\n\n    ```\n    x\n    ```\nBeer\n: all\n\nEnd\nof : it.\n"
    assert blocks(text, "text/markdown") == [
        ("Ale\n: top\n: or *bottom*", ["Ale"]),
        ("```\n    x\n    ```", ["Ale"]),
        ("Beer\n: all", ["Beer"]),
        ("End\nof : it.", []),
    ]
    document = read_text(
        "Ale\n\n: top\n\n    or so\n\n        make ale\n\nEnd.\n", uri="a:b", media_type="text/markdown"
    )
    assert [block.kind for block in document.blocks] == ["text", "text", "text", "text"]
    document = read_text("Ale\n\n: top\n\n        make ale\n\nEnd.\n", uri="a:b", media_type="text/markdown")
    assert [block.kind for block in document.blocks] == ["text", "text", "code", "text"]


def test_definitions_within_definitions_have_both_terms() -> None:
    page = "<dl><dt>Pump<dd>It lifts.<dl><dt>seal<dd>of rubber</dl><dt>Lamp<dt>Light<dd>It shines.</dl>By day."
    assert blocks(page, "text/html") == [
        ("Pump", ["Pump"]),
        ("It lifts.", ["Pump"]),
        ("seal", ["Pump", "seal"]),
        ("of rubber", ["Pump", "seal"]),
        ("Lamp", ["Lamp\n\nLight"]),
        ("Light", ["Lamp\n\nLight"]),
        ("It shines.", ["Lamp\n\nLight"]),
        ("By day.", []),
    ]
    text = "Pump:: It lifts.\nseal;; of rubber\n+\n----\nx\n----\nLamp::\nLight::\n  It shines.\n\nBy day.\n"
    assert blocks(text, "text/asciidoc") == [
        ("Pump:: It lifts.", ["Pump"]),
        ("seal;; of rubber\n+", ["Pump", "seal"]),
        ("----\nx\n----", ["Pump", "seal"]),
        ("Lamp::\nLight::\n  It shines.", ["Lamp::\nLight"]),
        ("By day.", []),
    ]
    text = (
        "pump\n  It lifts.\n\n  seal\n    of rubber\nlamp\n  It shines.\n\n-v       more\n-q, --no  less\n\nBy day.\n"
    )
    assert blocks(text, "text/x-rst") == [
        ("pump\n  It lifts.", ["pump"]),
        ("seal\n    of rubber", ["pump", "seal"]),
        ("lamp\n  It shines.", ["lamp"]),
        ("-v       more", []),
        ("-q, --no  less", []),
        ("By day.", []),
    ]


def test_the_title_of_a_note_in_a_definition_is_no_section() -> None:
    page = "<h1>Settings</h1><dl><dt>depth<dd><p>How deep.<h3>Note</h3><p>Restart.<dt>width<dd>How wide.</dl>"
    document = read_text(page, uri="a:b", media_type="text/html")
    assert {block.headings for block in document.blocks} == {("Settings",)}


def test_a_caption_below_belongs_to_the_table_above_it() -> None:
    table = "| a | b |\n|---|---|\n" + "| word | word |\n" * 9
    below = [f"{table}\nTable {n}: The words.\n\n{'They are all here. ' * 5}\n\n" for n in (1, 2)]
    above = f"Table 4: Others.\n\n{table}"
    document = read_text("".join(below) + above, uri="a:b", media_type="text/markdown")
    chunks = [chunk.text for chunk in chunk_document(document, target_tokens=50, max_tokens=60)]
    assert [chunk[:8] for chunk in chunks] == ["| a | b ", "They are", "| a | b ", "They are", "Table 4:"]
    assert [chunk.endswith("words.\n\n") for chunk in chunks] == [True, False, True, False, False]


@pytest.mark.parametrize(
    ("media_type", "part"),
    [
        ("text/markdown", "a\n: b\n"),
        ("text/markdown", "> a\n> : b\n"),
        ("text/html", "<dl><dt>a<dd>b"),
        ("text/html", "<figure><details><summary>a"),
        ("text/asciidoc", "a::\n"),
        ("text/asciidoc", "a:: b\n"),
        ("text/plain", "a\n b\n"),
        ("text/plain", "a?\n\n"),
        ("text/x-rst", ":a: b\n  c\n\n"),
    ],
)
def test_definitions_are_read_in_linear_time(media_type: str, part: str) -> None:
    check_linear(lambda size: chunk_document(read_text(part * size, uri="a:b", media_type=media_type)), 2_000)


def test_deeply_nested_definitions_are_read() -> None:
    steps = "".join(f"{'  ' * depth}a\n{'  ' * depth}: b\n" for depth in range(600))
    for media_type in ("text/markdown", "text/plain", "text/x-rst", "text/asciidoc"):
        document = read_text(steps, uri="a:b", media_type=media_type)
        assert "".join(chain.from_iterable(chunk.text for chunk in chunk_document(document))) == steps
