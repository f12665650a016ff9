"""From bytes or text to a `Document`, by the reader of its media type.

A new reader is a function from text to `Reading` and a line in `READERS`.
"""

import re
from pathlib import PurePath
from types import MappingProxyType

from mcp_graphrag.errors import BadInput
from mcp_graphrag.ingest.characters import decode, tidy
from mcp_graphrag.ingest.html import read_html
from mcp_graphrag.ingest.markdown import read_markdown
from mcp_graphrag.ingest.reading import Reader
from mcp_graphrag.ingest.text import read_plain
from mcp_graphrag.model import Document, Metadata

READERS = (
    Reader("text/plain", (".txt", ".log", ".rst"), read_plain),
    Reader("text/markdown", (".md", ".markdown", ".mdx"), read_markdown),
    Reader("text/html", (".html", ".htm", ".xhtml"), read_html),
)

_NO_METADATA: Metadata = MappingProxyType({})
_LONGEST_TITLE = 80
_SAMPLE = 20_000
_HTML = re.compile(r"(?:<\?xml[^>]*>)?\s*(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html)\b", re.IGNORECASE | re.DOTALL)
_MARKDOWN = re.compile(
    r"^(?:"
    r"#{1,6}[ \t]+\S"  # a heading
    r"|(?:`{3,}|~{3,})[\w+-]*[ \t]*$"  # a fence
    r"|[-*+][ \t]+\S.*\n(?:[ \t]*\n)?(?:[ \t]+\S.*\n)*[-*+][ \t]+\S"  # a list of two or more
    r"|\|?[ \t]*:?-+:?[ \t]*\|[-:| \t]*$"  # the line below a table's header
    r")|\[[^\]\n]+\]\([^)\s]+\)",  # a link
    re.MULTILINE,
)


def read_text(
    text: str,
    *,
    uri: str,
    title: str = "",
    source: str = "",
    media_type: str = "text/plain",
    metadata: Metadata = _NO_METADATA,
) -> Document:
    """The document of a text. What the caller says goes before what the text says of itself.

    Raises `BadInput` where no reader has that media type, or nothing is left to read.
    """
    return _read(text, Document(uri, title, "", media_type, source, metadata), name="The text", stem="")


def read_bytes(
    content: bytes, *, uri: str, name: str, title: str = "", source: str = "", metadata: Metadata = _NO_METADATA
) -> Document:
    """The document of a file's content, read by the suffix of its `name`; unknown suffixes as plain text.

    Raises `BadInput` where the content is not UTF-8 (or UTF-16 with a byte order mark), or nothing is left to read.
    """
    suffix = PurePath(name).suffix.lower()
    media_type = next((reader.media_type for reader in READERS if suffix in reader.suffixes), "text/plain")
    caller = Document(uri, title, "", media_type, source, metadata)
    return _read(decode(content, name), caller, name=name, stem=PurePath(name).stem)


def guess_media_type(text: str) -> str:
    """HTML where the text starts as a page, Markdown where it has marks of it near its start, else plain text."""
    start = tidy(text[:_SAMPLE])
    if _HTML.match(start.lstrip()):
        return "text/html"
    return "text/markdown" if _MARKDOWN.search(start) else "text/plain"


def _read(text: str, caller: Document, *, name: str, stem: str) -> Document:
    """The caller's document filled with what the reader of its media type finds."""
    reader = next((reader for reader in READERS if reader.media_type == caller.media_type), None)
    if reader is None:
        known = ", ".join(reader.media_type for reader in READERS)
        raise BadInput(f"No reader for the media type '{caller.media_type}'.", f"Use one of {known}.")
    reading = reader.read(tidy(text))
    if not reading.text.strip():
        raise BadInput(f"{name} holds nothing to read.", "Give it some text, or leave it out.")
    return Document(
        caller.uri,
        caller.title or reading.title or stem or _first_line(reading.text),
        reading.text,
        caller.media_type,
        caller.source,
        {**reading.metadata, **caller.metadata},
        reading.blocks,
    )


def _first_line(text: str) -> str:
    line = next((line for line in text.split("\n") if line.strip(" \t#>*-_=`|")), text.strip())
    line = " ".join(line.strip(" \t#>*-_=`|").split())
    return line if len(line) <= _LONGEST_TITLE else f"{line[: _LONGEST_TITLE - 1].rstrip()}…"
