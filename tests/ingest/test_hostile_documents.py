"""Hostile documents: the time of each grows with its size and no faster."""

import time

import pytest

from mcp_graphrag.extract import CodeExtractor
from mcp_graphrag.extract.lite_extractor import LiteExtractor
from mcp_graphrag.ingest import chunk_document, read_text
from mcp_graphrag.source_code.find_definitions import MAX_NESTED

FORMS: dict[str, tuple[str, str, str, str]] = {
    "backticks": ("text/markdown", "", "`", ""),
    "tildes": ("text/markdown", "", "~", ""),
    "versions on one line": ("text/markdown", "", "1.", ""),
    "headings": ("text/markdown", "", "# a\n", ""),
    "items": ("text/markdown", "", "- a\n", ""),
    "comments": ("text/markdown", "", "<!-- a -->", ""),
    "turns": ("text/markdown", "", "Ann: hi\n", ""),
    "rules": ("text/markdown", "", "a\n-\n", ""),
    "brackets": ("text/markdown", "", "[a](", ""),
    "quotes": ("text/markdown", "", "> ", "a"),
    "attributes": ("text/html", "<p", " {}=b", ">a</p>"),
    "deep elements": ("text/html", "", "<div>", "a"),
    "cells": ("text/html", "<table><tr>", "<td>a</td>", "</tr><tr><td>a</td></tr></table>"),
    "spans": ("text/html", "<table>", "<tr><td rowspan=50 colspan=50>a</td></tr>", "</table>"),
    "cells of spans": ("text/html", "<table><tr>", "<td rowspan=50 colspan=50>a</td>", "</tr><tr></tr></table>"),
    "names without spaces": ("text/markdown", "", "Ann-", ""),
    "one line": ("text/plain", "", "the ferry leaves the harbour ", ""),
}


# Of source code: what is opened over and over, and what closes it.
NESTED: dict[str, tuple[str, str, str]] = {
    "nested functions": ("text/javascript", f"function {'b' * 20}(){{", "}"),
    "nested objects": ("text/javascript", "x = {m() {", "}}"),
    "else if": ("text/javascript", "if (a) { this.f() } else ", ""),
    "functions below comments": ("text/javascript", "// a\n", "function f(){}"),
    "comments on one line": ("text/javascript", "/* a */ ", ""),
    "decorated members": ("text/typescript", "@a m() {}", ""),
    "nested classes": ("text/x-java", "class A{", "}"),
    "anonymous classes": ("text/x-java", "void f(){new A(){", "}};"),
    "nested paths": ("text/x-rust", "use a::{", "};"),
    "nested calls of Python": ("text/x-python", "f(", ")"),
}


def document(form: str, size: int) -> tuple[str, str]:
    """A document of about so many characters, and its media type."""
    if form in NESTED:
        media_type, opened, closed = NESTED[form]
        times = size // len(opened + closed)
        return f"class A {{ {opened * times}" if "members" in form else opened * times + closed * times, media_type
    media_type, before, unit, after = FORMS[form]
    return before + "".join(unit.format(at) for at in range(size // len(unit))) + after, media_type


def seconds(form: str, size: int) -> float:
    """CPU seconds of reading, chunking and extracting."""
    text, media_type = document(form, size)
    started = time.process_time()
    read = read_text(text, uri="memory:a", title="A", media_type=media_type)
    chunks = chunk_document(read)
    (CodeExtractor() if form in NESTED else LiteExtractor()).extract_all([(read, chunks)])
    assert sum(len(chunk.text) + len(chunk.context) for chunk in chunks) < 20 * size
    return time.process_time() - started


@pytest.mark.slow
@pytest.mark.parametrize("form", [*FORMS, *NESTED])
def test_a_hostile_document_takes_linear_time(form: str) -> None:
    seconds(form, 100)  # tables are loaded
    size = 5_000
    while (small := max(seconds(form, size) for _ in range(2))) < 0.02 and size < 20_000:
        size *= 2  # until its time can be measured
    # Once more if it takes long: a collection of garbage may fall into it.
    assert any(seconds(form, 6 * size) < 15 * max(small, 0.02) for _ in range(2)), "6 is linear, 36 is quadratic"


@pytest.mark.parametrize("form", ["nested functions", "nested classes", "nested paths", "nested calls of Python"])
def test_source_code_that_is_nested_too_deeply_is_read_as_far_as_it_goes_and_says_so(form: str) -> None:
    text, media_type = document(form, 300_000)

    read = read_text(text, uri="memory:a", title="A", media_type=media_type)

    assert read.note.startswith("has parts nested too deeply, whose structure is not read: ")
    assert max(len(block.headings) for block in read.blocks) <= MAX_NESTED


def test_a_long_cell_is_repeated_in_few_of_the_rows_that_it_spans() -> None:
    text = f"<table><tr><td rowspan=50>{'long ' * 10_000}</td><td>a</td></tr>{'<tr><td>b</td></tr>' * 49}</table>"

    assert len(read_text(text, uri="memory:a", title="A", media_type="text/html").text) < 4 * len(text)


def test_a_wide_table_is_read_in_linear_time_and_its_header_is_not_repeated() -> None:
    def read(columns: int) -> float:
        text = f"|{' a |' * columns}\n|{'---|' * columns}\n" + f"|{' b |' * columns}\n" * 2
        started = time.process_time()
        table = read_text(text, uri="memory:a", title="A", media_type="text/markdown")
        chunks = chunk_document(table)
        LiteExtractor().extract(table, chunks)
        assert sum(len(chunk.context) for chunk in chunks) < 20 * len(text)
        return time.process_time() - started

    read(500)
    assert read(16_000) < 30 * max(read(2_000), 0.02)


@pytest.fixture
def few_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tenth of the lines and blocks are many."""
    monkeypatch.setattr("mcp_graphrag.ingest.read_markdown._MAX_LINES", 50_000)
    monkeypatch.setattr("mcp_graphrag.ingest.read_markdown._MAX_TOKENS", 20_000)
    monkeypatch.setattr("mcp_graphrag.ingest.read_plain_text._MAX_BLOCKS", 10_000)


@pytest.mark.usefixtures("few_parts")
@pytest.mark.parametrize("unit", ["a\n\n", "\n", "# A\na\n"])
def test_markdown_of_very_many_parts_is_plain_text_with_a_note(unit: str) -> None:
    text = unit * (60_000 // len(unit)) + "The end"
    read = read_text(text, uri="memory:a", title="A", media_type="text/markdown")

    assert read.text == text
    assert read.note == "is read as plain text: it has more than 500,000 lines or 200,000 blocks and headings."
    assert "".join(text[block.start : block.end] for block in read.blocks) == text
    assert len(read.blocks) <= 20_000
    assert {block.headings for block in read.blocks} == {()}


@pytest.mark.usefixtures("few_parts")
def test_a_list_of_very_many_items_is_markdown() -> None:
    read = read_text("# A\n\n" + "- a\n" * 20_001, uri="memory:a", title="A", media_type="text/markdown")

    assert [(block.kind, block.headings) for block in read.blocks] == [("heading", ("A",)), ("list", ("A",))]
    assert read.note == ""
