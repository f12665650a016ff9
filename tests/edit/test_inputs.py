"""Texts and files as callers give them."""

import hashlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mcp_graphrag.edit.inputs import FileInput, TextInput, file_documents, text_document
from mcp_graphrag.errors import BadInput
from mcp_graphrag.ingest import find_files
from mcp_graphrag.model import Document, Skipped


def document(given: TextInput) -> Document:
    """The document of a text, without its blocks."""
    return replace(text_document(given, max_bytes=1_000_000), blocks=())


@pytest.mark.parametrize("part", ["title", "source", "uri"])
def test_titles_sources_and_uris_follow_the_rule_of_control_characters(part: str) -> None:
    for character in ("\n", "\t", "\u202e", "\u2066"):
        given: dict[str, Any] = {part: f"a{character}b"}
        with pytest.raises(BadInput, match=f"The {part} has control characters"):
            text_document(TextInput("Some text.", **given), max_bytes=1_000)


def test_the_limit_is_in_bytes_of_utf_8_and_belongs_to_what_is_allowed() -> None:
    assert text_document(TextInput("é"), max_bytes=2).text == "é"
    with pytest.raises(BadInput) as refused:
        text_document(TextInput("é" * 1_250_000), max_bytes=2_000_000)
    assert str(refused.value) == "The text has 2.5 MB; the most is 2 MB. Split it, or raise the setting max_file_mb."


@pytest.mark.parametrize(("part", "limit"), [("title", 300), ("source", 2_000), ("uri", 2_000)])
def test_titles_sources_and_uris_have_a_limit_that_is_allowed(part: str, limit: int) -> None:
    longest: dict[str, Any] = {part: "x" * limit}
    too_long: dict[str, Any] = {part: "x" * (limit + 1)}
    assert getattr(document(TextInput("Some text.", **longest)), part) == "x" * limit
    with pytest.raises(BadInput, match=f"The {part} has {limit + 1} characters; the most is {limit}"):
        document(TextInput("Some text.", **too_long))


def test_a_text_becomes_a_document_with_what_the_caller_says_of_it() -> None:
    given = TextInput("# Some text", " Notes ", " the desk ", "u:1", "text/plain", {"year": 2024})
    assert document(given) == Document(
        "u:1", "Notes", "# Some text", "text/plain", "the desk", {"year": 2024}, title_given=True
    )
    assert document(TextInput("# Some text", uri="u:1")) == Document("u:1", "Some text", "# Some text", "text/markdown")


@pytest.mark.parametrize(
    ("title", "slug"),
    [
        ("The Mill & the River: 2024!", "the-mill-the-river-2024-"),
        ("x" * 39 + " or more", "x" * 39 + "-"),
        ("x" * 50, "x" * 40 + "-"),
        ("水車", ""),
    ],
)
def test_a_text_without_a_uri_is_named_by_its_title_and_the_hash_of_its_text(title: str, slug: str) -> None:
    digest = hashlib.sha256(b"Some text.").hexdigest()[:12]
    assert document(TextInput("Some text.", title)).uri == f"text:{slug}{digest}"


def test_files_are_read_one_by_one_and_one_that_cannot_be_read_is_skipped(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Some text.")
    (tmp_path / "b.txt").write_bytes(b"\xff\xfe\xff")
    (tmp_path / "c.md").write_text("# More\n")
    files = FileInput([tmp_path], metadata={"year": 2024})
    listed = list(find_files(files.paths, roots=None, max_bytes=100))
    names = [file.name for file in listed if not isinstance(file, Skipped)]
    too_large = Skipped("d.txt", "too large")

    read = list(file_documents(files, [*listed, too_large]))

    documents = [each for each in read if isinstance(each, Document)]
    assert all(each.file_time is not None for each in documents)
    found = [replace(each, blocks=(), source_given=True, file_time=None) for each in documents]
    assert found == [
        Document((tmp_path / "a.txt").as_uri(), "a", "Some text.", "text/plain", names[0], {"year": 2024}),
        Document((tmp_path / "c.md").as_uri(), "More", "# More\n", "text/markdown", names[2], {"year": 2024}),
    ]
    skipped = [each for each in read if isinstance(each, Skipped)]
    assert [each.what for each in skipped] == [names[1], "d.txt"]
    assert skipped[1] is too_large
    (one, *_) = file_documents(replace(files, source="the desk"), listed)
    assert isinstance(one, Document)
    assert one.source == "the desk"
