from pathlib import Path

import pytest

from mcp_graphrag.errors import BadInput
from mcp_graphrag.ingest import READERS, guess_media_type, read_bytes, read_text
from mcp_graphrag.model import Block, Document


def test_plain_text_is_read_as_paragraphs() -> None:
    assert read_text("\n\nOne\ntwo.\n \n\n  Three.\n\n", uri="note:1", source="me", metadata={"a": 1}) == Document(
        "note:1",
        "One",
        "\n\nOne\ntwo.\n \n\n  Three.\n\n",
        "text/plain",
        "me",
        {"a": 1},
        [Block("text", 0, 14), Block("text", 14, 24)],
    )


def test_title_and_metadata_of_the_caller_take_precedence() -> None:
    text = "---\ntitle: Theirs\ntags: [x]\n---\nBody"
    document = read_text(text, uri="a:b", title="Mine", media_type="text/markdown", metadata={"tags": ["y"]})
    assert (document.title, document.metadata) == ("Mine", {"title": "Theirs", "tags": ["y"]})


@pytest.mark.parametrize(
    ("name", "content", "media_type", "title"),
    [
        ("a.md", b"# T\nx", "text/markdown", "T"),
        ("notes.MARKDOWN", b"x", "text/markdown", "notes"),
        ("a.htm", b"<title>T</title>x", "text/html", "T"),
        ("readme", b"x", "text/plain", "readme"),
        ("a.b.txt", b"x", "text/plain", "a.b"),
        ("a.b.log", b"x", "text/x-log", "a.b.log"),
        ("app.YAML", b"a: b", "application/yaml", "app.YAML"),
        ("main.py", b"x = 1", "text/x-python", "main.py"),
        ("a.SQL", b"SELECT 1", "text/x-sql", "a.SQL"),
        ("etc/Dockerfile", b"FROM a", "text/x-source", "Dockerfile"),
    ],
)
def test_the_suffix_selects_the_reader(name: str, content: bytes, media_type: str, title: str) -> None:
    document = read_bytes(content, uri="file:///a", name=name)
    assert (document.media_type, document.title) == (media_type, title)


@pytest.mark.parametrize(
    "content",
    [
        "\ufeffä\r\nb\rc\x00\x07\x85d\n".encode(),
        "ä\nb\nc\nd\n".encode("utf-16"),
        b"\xfe\xff" + "ä\nb\nc\x0bd\n".encode("utf-16-be"),
    ],
)
def test_line_ends_and_control_characters_are_normalized(content: bytes) -> None:
    assert read_bytes(content, uri="a:b", name="a.txt").text == "ä\nb\nc\nd\n"


def test_a_lone_surrogate_is_replaced() -> None:
    assert read_text("a\ud800b", uri="a:b").text == "a\ufffdb"


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.txt", b"abc\xff", "is not UTF-8 text: byte 3 (0xff) is invalid. Save it as UTF-8 and ingest it again."),
        ("a.txt", b"\xef\xbb\xbfab\xff", "is not UTF-8 text: byte 5 (0xff) is invalid. Save it as UTF-8 and"),
        ("a.txt", b"\xff\xfeab\x00", "is not UTF-16 text: byte 4 (0x00) is invalid. Save it as UTF-8 and"),
        ("a.csv", b"name\nCaf\xff\n", "is not UTF-8 text: byte 8 (0xff) is invalid. Save it as CSV UTF-8 and"),
        ("a.txt", b" \n\x00", "contains no readable text. Give it some text, or leave it out."),
        ("a.html", b"<script>x</script>", "contains no readable text. Give it some text, or leave it out."),
    ],
)
def test_undecodable_or_empty_content_is_rejected(name: str, content: bytes, message: str) -> None:
    with pytest.raises(BadInput) as caught:
        read_bytes(content, uri="a:b", name=name)
    assert str(caught.value).startswith(f"{name} {message}")


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.html", '<head><meta charset="ISO-8859-1"></head>Café “x”'.encode("cp1252"), "Café “x”"),
        ("a.html", '<meta http-equiv="Content-Type" content="text/html; charset=koi8-r">Дом'.encode("koi8-r"), "Дом"),
        ("a.xml", '<?xml version="1.0" encoding="iso-8859-2"?><a>Čapek</a>'.encode("iso-8859-2"), "Čapek"),
        ("a.py", "#!/usr/bin/python\n# -*- coding: latin-1 -*-\nname = 'é'".encode("latin-1"), "name = 'é'"),
    ],
)
def test_a_text_is_read_by_the_encoding_that_it_declares(name: str, content: bytes, words: str) -> None:
    assert words in read_bytes(content, uri="a:b", name=name).text


@pytest.mark.parametrize("declared", ["utf-8", "shift_jis", "no-such", "base64"])
def test_a_text_that_is_not_in_the_encoding_that_it_declares_is_rejected(declared: str) -> None:
    with pytest.raises(BadInput, match="is not UTF-8 text: byte"):
        read_bytes(f'<meta charset="{declared}">a'.encode() + b"\xff\xff", uri="a:b", name="a.html")


def test_an_unknown_media_type_is_rejected_with_the_known_ones() -> None:
    with pytest.raises(BadInput) as caught:
        read_text("x", uri="a:b", media_type="text/css")
    known = ", ".join(reader.media_type for reader in READERS)
    assert str(caught.value) == f"No reader for the media type 'text/css'. Use one of {known}."


def test_a_header_in_columns_is_no_title() -> None:
    text = "Working Group          A. Holm\nCategory: Draft          May 2019\n\n\n      Moss Streams\n\nText."
    assert read_text(text, uri="a:b").title == "Moss Streams"
    assert read_text("Only          columns\n\n", uri="a:b").title == "Only columns"


def test_a_long_first_line_is_shortened_for_the_title() -> None:
    assert read_text("> " + "word " * 40, uri="a:b").title == "word " * 15 + "word…"


@pytest.mark.parametrize(
    ("text", "media_type"),
    [
        ("# A", "text/markdown"),
        ("a\n```py\nb", "text/markdown"),
        ("- a\n- b", "text/markdown"),
        ("see [x](http://y)", "text/markdown"),
        ("a | b\n--- | ---", "text/markdown"),
        ("\ufeff \n<!DOCTYPE html>", "text/html"),
        ("<!-- a --><HTML lang=en>", "text/html"),
        ('<?xml version="1.0"?><a/>', "application/xml"),
        (' {"a": [1]}\n', "application/json"),
        ('{"a": 1}\n{"b": 2}', "application/json"),
        ("[1] Lee, Ledgers, 2019. See also [2]", "text/plain"),
        ("{{ name }} owns {it}", "text/plain"),
        ("#hash tag\n- a single dash\n1 * 2", "text/plain"),
        ("a[0](1) is code\n----\n", "text/markdown"),
        ("", "text/plain"),
    ],
)
def test_the_media_type_of_a_text_is_guessed(text: str, media_type: str) -> None:
    assert guess_media_type(text) == media_type


def test_no_suffix_has_two_readers() -> None:
    suffixes = [suffix for reader in READERS for suffix in reader.suffixes]
    assert len(suffixes) == len(set(suffixes))
    assert all(Path(f"a{suffix}" if suffix.startswith(".") else suffix).suffix in {suffix, ""} for suffix in suffixes)


@pytest.mark.parametrize(
    ("body", "title"), [("# Tides\n\nText.\n", "Tides"), ("## Ebb\n\nText.\n", "Ebb"), ("Text.\n", "Text.")]
)
def test_front_matter_without_a_title_is_no_title(body: str, title: str) -> None:
    text = f"---\ndate: 2026-01-10\n---\n\n{body}"

    assert read_text(text, uri="memory://a", media_type="text/markdown").title == title
