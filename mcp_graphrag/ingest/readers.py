"""Bytes or text to a `Document`, by the reader of its media type.

To add a reader, write a function from text to `Reading` and add a line to `READERS`; one that needs the bytes goes to
`BYTES_READERS`.
"""

import json
import logging
import re
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import PurePath
from types import MappingProxyType
from urllib.parse import quote

from mcp_graphrag.errors import BadInput, GraphragError, Unreadable, where_raised
from mcp_graphrag.ingest.code.read_code import code_reader
from mcp_graphrag.ingest.code.read_sql_file import read_sql_file
from mcp_graphrag.ingest.conversations.chat_exports import conversations_of
from mcp_graphrag.ingest.conversations.read_subtitles import read_subtitles
from mcp_graphrag.ingest.data.read_csv import read_csv
from mcp_graphrag.ingest.data.read_json import parse_values, read_json
from mcp_graphrag.ingest.data.read_notebook import read_notebook
from mcp_graphrag.ingest.data.read_yaml import read_yaml
from mcp_graphrag.ingest.dates_near_top import dates_near_top
from mcp_graphrag.ingest.decode import decode, normalize_characters
from mcp_graphrag.ingest.frontmatter import read_front_matter
from mcp_graphrag.ingest.html.read_html import read_html
from mcp_graphrag.ingest.markup.read_asciidoc import read_asciidoc
from mcp_graphrag.ingest.markup.read_rst import read_rst
from mcp_graphrag.ingest.office.read_docx import read_docx
from mcp_graphrag.ingest.office.read_pdf import read_pdf
from mcp_graphrag.ingest.office.read_pptx import read_pptx
from mcp_graphrag.ingest.office.read_xlsx import read_xlsx
from mcp_graphrag.ingest.read_markdown import read_markdown
from mcp_graphrag.ingest.read_plain_text import read_data, read_plain_text, read_source_code
from mcp_graphrag.ingest.reader import Reader, Reading
from mcp_graphrag.model import GIT_COMMIT, GIT_HISTORY, Block, Document, Metadata
from mcp_graphrag.source_code import LANGUAGES, OTHER_SOURCE, is_code_file
from mcp_graphrag.source_code.sql import SQL

log = logging.getLogger(__name__)

_SOURCE_CODE_LIST = (
    ".pyx .vue .svelte .kt .kts .scala .groovy .gradle .c .h .cc .cpp .cxx .hh .hpp .cs .fs .vb .swift .m .mm .rb"
    " .php .pl .pm .lua .r .jl .dart .ex .exs .erl .hrl .hs .ml .mli .clj .cljs .lisp .el .scm .zig .nim .sol"
    " .graphql .gql .proto .thrift .sh .bash .zsh .fish .ps1 .bat .cmd .css .scss .sass .less .tf .hcl .nix .cmake"
    " .mk .asm .s .patch .diff dockerfile makefile"
)
_CONFIGURATION_LIST = ".ini .cfg .conf .config .properties .env .lock .sum .desktop .service .reg .editorconfig .npmrc"

# A suffix without a dot is the whole name of a file.
READERS = (
    Reader("text/plain", (".txt",), read_plain_text),
    Reader("text/markdown", (".md", ".markdown", ".mdx"), read_markdown),
    Reader("text/html", (".html", ".htm", ".xhtml"), read_html),
    Reader("text/x-rst", (".rst", ".rest"), read_rst),
    Reader("text/asciidoc", (".adoc", ".asciidoc", ".asc"), read_asciidoc),
    Reader("text/vtt", (".vtt", ".srt"), read_subtitles),
    Reader("application/x-ipynb+json", (".ipynb",), read_notebook),
    Reader("application/json", (".json", ".jsonl", ".ndjson", ".json5", ".jsonc", ".geojson"), read_json),
    Reader("application/yaml", (".yaml", ".yml"), read_yaml),
    Reader("application/toml", (".toml",), read_data),
    Reader("application/xml", (".xml", ".xsd", ".xsl", ".xslt", ".svg", ".rss", ".atom", ".rdf", ".plist"), read_data),
    Reader("text/csv", (".csv",), read_csv),
    Reader("text/tab-separated-values", (".tsv", ".tab"), read_csv),
    Reader("text/x-log", (".log",), read_data),
    Reader("text/x-configuration", tuple(_CONFIGURATION_LIST.split()), read_data),
    *(Reader(language.media_type, language.suffixes, code_reader(language)) for language in LANGUAGES),
    Reader(SQL, (".sql",), read_sql_file),
    Reader(OTHER_SOURCE, tuple(each for each in _SOURCE_CODE_LIST.split() if not is_code_file(each)), read_source_code),
)

_OFFICE = "application/vnd.openxmlformats-officedocument."
BYTES_READERS = (
    Reader("application/pdf", (".pdf",), read_pdf),
    Reader(f"{_OFFICE}wordprocessingml.document", (".docx",), read_docx),
    Reader(f"{_OFFICE}spreadsheetml.sheet", (".xlsx",), read_xlsx),
    Reader(f"{_OFFICE}presentationml.presentation", (".pptx",), read_pptx),
)

_BINARY = frozenset(suffix for reader in BYTES_READERS for suffix in reader.suffixes)
PROSE = frozenset(
    ["text/plain", "text/markdown", "text/html", "text/x-rst", "text/asciidoc", "text/vtt", "application/x-ipynb+json"]
    + [reader.media_type for reader in BYTES_READERS]
)
_EXPORT_KEYS = (b'"chat_messages"', b'"current_node"')
_MEMORY_KEYS = (b'"entityType"', b'"observations"')  # in the first lines of what an MCP memory server keeps
_NO_METADATA: Metadata = MappingProxyType({})
_MAX_TITLE_LENGTH = 80
_SAMPLE_LENGTH = 20_000
_COLUMNS = re.compile(r"[^\n|]*\S {4,}[^\s|]")
_PARAGRAPH_END = re.compile(r"\n[ \t]*\n(?=[\s\S]*\S)")
_LINE_END = re.compile("[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]+")
_HTML = re.compile(r"(?:<\?xml[^>]*>)?\s*(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html)\b", re.IGNORECASE | re.DOTALL)
_MARKDOWN = re.compile(
    r"^(?:"
    r"#{1,6}[ \t]+\S"  # a heading
    r"|(?:`{3,}|~{3,})[\w+-]*[ \t]*$"  # a fence
    r"|[-*+][ \t]+\S.*\n(?:[ \t]*\n)?(?:[ \t]+\S.*\n)*[-*+][ \t]+\S"  # a list of two or more
    r"|\|?[ \t]*:?-+:?[ \t]*\|[-:| \t]*$"  # the line below a table header
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
    """The document of a text. The caller's title and metadata take precedence over those in the text.

    Raises BadInput if there is no reader for the media type, Unreadable if there is no readable text.
    """
    with _failing_alone("The text"):
        return _read(text, Document(uri, title, "", media_type, source, metadata), name="The text", stem="")


def read_bytes(
    content: bytes, *, uri: str, name: str, title: str = "", source: str = "", metadata: Metadata = _NO_METADATA
) -> Document:
    """The document of a file's content; the suffix of `name` selects the reader, plain text by default.

    Raises Unreadable if the content is no text of a known encoding where it is no binary format, is refused by its
    reader, or has no readable text.
    """
    path = PurePath(name)
    suffix = (path.suffix or path.name).lower()
    reader = next((reader for reader in BYTES_READERS if suffix in reader.suffixes), None)
    if reader is not None:
        try:
            reading = reader.read(content)
        except Unreadable as error:
            raise Unreadable(f"{name}: {error.reason}.", error.hint, error.reason) from error
        caller = Document(uri, title, "", reader.media_type, source, metadata)
        return _document(reading, caller, name=name, stem=path.stem)
    media_type = next((reader.media_type for reader in READERS if suffix in reader.suffixes), "text/plain")
    caller = Document(uri, title, "", media_type, source, metadata)
    # Of several data files the suffix may be the difference: "app.yaml", "app.json".
    text, note = decode(content, name)
    document = _read(text, caller, name=name, stem=path.stem if media_type in PROSE else path.name)
    return replace(document, note=" It ".join(filter(None, (document.note, note))))


def read_documents(content: bytes, *, uri: str, name: str, source: str, metadata: Metadata) -> Iterator[Document]:
    """The documents of a file: one as `read_bytes` has it, or each conversation of a chat export.

    The uri of a conversation is that of the file with `?conversation=` and its id. Raises Unreadable as `read_bytes`.
    """
    with _failing_alone(name):
        if PurePath(name).suffix.lower() in {".json", ".jsonl"} and all(
            key in content[:10_000] for key in _MEMORY_KEYS
        ):
            reason = "is the memory of an MCP memory server"
            raise Unreadable(f"{name} {reason}.", "Take it in with the command `import`.", reason)
        if PurePath(name).suffix.lower() == ".json" and any(key in content for key in _EXPORT_KEYS):
            values = parse_values(decode(content, name)[0])
            conversations = conversations_of(values[0]) if values is not None and len(values) == 1 else []
            for each in conversations:
                caller = Document(f"{uri}?conversation={quote(each.id)}", "", "", "text/markdown", source, metadata)
                yield _document(each.reading, caller, name=name, stem=each.id)
            if conversations:
                return
        yield read_bytes(content, uri=uri, name=name, source=source, metadata=metadata)


@contextmanager
def _failing_alone(name: str) -> Generator[None]:
    """Make whatever a reader raises the failure of its document: a defect that one brings to light ends no job."""
    try:
        yield
    except GraphragError:
        raise
    except Exception as error:
        log.error("a reader failed on a document: %s", where_raised(error))  # noqa: TRY400
        reason = f"the reader of its format failed ({type(error).__name__})"
        raise Unreadable(
            f"{name}: {reason}.", "Leave it out, or convert it to plain text; report it.", reason
        ) from error


def blocks_of_stored(text: str, media_type: str) -> Sequence[Block]:
    """The blocks of a text as it was stored: by the reader of its media type, or as Markdown where that changes it.

    What is stored of a web page or an office file is Markdown. What a reader fails on now is plain text.
    """
    if media_type in {GIT_COMMIT, GIT_HISTORY}:
        return [Block("data", 0, len(text))]
    try:
        with _failing_alone("The text"):
            reader = _reader_of(media_type)
            reading = None if reader is None or media_type == "text/html" else reader.read(text)
            return reading.blocks if reading is not None and reading.text == text else read_markdown(text).blocks
    except Unreadable:
        return read_plain_text(text).blocks


def is_binary_format(suffix: str) -> bool:
    """Whether files with this suffix (with its dot, in small letters) are read from bytes rather than text."""
    return suffix in _BINARY


def guess_media_type(text: str) -> str:
    """HTML or XML if the text starts like that, JSON if it is, Markdown by syntax or front matter, else plain text."""
    start = normalize_characters(text[:_SAMPLE_LENGTH])
    if _HTML.match(start.lstrip()):
        return "text/html"
    if start.lstrip().startswith("<?xml"):
        return "application/xml"
    if _is_json(text):
        return "application/json"
    return "text/markdown" if _MARKDOWN.search(start) or read_front_matter(start)[1] else "text/plain"


def _is_json(text: str) -> bool:
    """Whether the text is a JSON object or array, or several objects, one a line."""
    text = text.strip()
    line = text.partition("\n")[0]
    return (text[:1] + text[-1:] in {"{}", "[]"} and _parses(text)) or (
        line[:1] + line[-1:] == text[:1] + text[-1:] == "{}" and _parses(line)
    )


def _parses(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _read(text: str, caller: Document, *, name: str, stem: str) -> Document:
    """The caller's document, with what the reader of its media type makes of the text."""
    reader = _reader_of(caller.media_type)
    if reader is None:
        known = ", ".join(reader.media_type for reader in READERS)
        raise BadInput(f"No reader for the media type '{caller.media_type}'.", f"Use one of {known}.")
    return _document(reader.read(normalize_characters(text)), caller, name=name, stem=stem)


def _reader_of(media_type: str) -> Reader[str] | None:
    return next((reader for reader in READERS if reader.media_type == media_type), None)


def _document(reading: Reading, caller: Document, *, name: str, stem: str) -> Document:
    """The caller's document with what was read, and the title `stem` where nothing else gives one."""
    if not reading.text.strip():
        reason = "contains no readable text"
        raise Unreadable(f"{name} {reason}.", "Give it some text, or leave it out.", reason)
    below = reading.text[read_front_matter(reading.text)[1] if caller.media_type == "text/markdown" else 0 :]
    return Document(
        caller.uri,
        caller.title or _one_line(reading.title or stem) or _first_line(below) or _first_line(reading.text),
        reading.text,
        caller.media_type,
        _one_line(caller.source),
        {**dates_near_top(reading.text), **reading.metadata, **caller.metadata},
        reading.blocks,
        note=reading.note,
    )


def _one_line(text: str) -> str:
    """A title or the name of a file, which may have line ends, on one line."""
    return _LINE_END.sub(" ", text)


def _first_line(text: str) -> str:
    """The first line with words; behind a paragraph that opens in columns, as an RFC does, that of the next one."""
    start = text.lstrip()
    if _COLUMNS.match(start) and (end := _PARAGRAPH_END.search(start)) is not None:
        text = start[end.end() :]
    line = next((line for line in text.split("\n") if line.strip(" \t#>*-_=`|")), text.strip())
    line = " ".join(line.strip(" \t#>*-_=`|").split())
    return line if len(line) <= _MAX_TITLE_LENGTH else f"{line[: _MAX_TITLE_LENGTH - 1].rstrip()}…"
