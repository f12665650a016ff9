"""Documents from texts, files and folders that a caller gives."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from mcp_graphrag.clean_input import check_line
from mcp_graphrag.errors import BadInput, Unreadable
from mcp_graphrag.ingest import FoundFile, guess_media_type, read_documents, read_found_file, read_text, why_not_written
from mcp_graphrag.model import Document, Metadata, Skipped
from mcp_graphrag.source_code import has_lines
from mcp_graphrag.store.rows.document_rows import text_hash, to_json

MAX_TITLE = 300
MAX_URI = 2000


@dataclass(frozen=True)
class TextInput:
    """A text to ingest, with title, source and metadata. The same `uri` again updates the document."""

    text: str
    title: str = ""
    source: str = ""
    uri: str = ""
    media_type: str = ""
    metadata: Metadata = field(default_factory=dict[str, Any])


def text_document(given: TextInput, *, max_bytes: int) -> Document:
    """The document of a text. Raises BadInput if it is empty, too large, or described by invalid values.

    `max_bytes` limits the text as UTF-8.
    """
    size = len(given.text.encode("utf-8", "replace"))
    if size > max_bytes:
        raise BadInput(
            f"The text has {size / 1e6:.1f} MB; the most is {max_bytes / 1e6:g} MB.",
            "Split it, or raise the setting max_file_mb.",
        )
    check_line(given.title, "title", limit=MAX_TITLE)
    check_line(given.source, "source", limit=MAX_URI)
    check_line(given.uri, "uri", limit=MAX_URI)
    to_json(given.metadata)
    media_type = given.media_type or guess_media_type(given.text)
    document = read_text(
        given.text,
        uri=given.uri or "text:",
        title=given.title.strip(),
        source=given.source.strip(),
        media_type=media_type,
        metadata=dict(given.metadata),
    )
    document = replace(document, title_given=bool(given.title.strip()))
    return document if given.uri else _with_own_uri(document)


def _with_own_uri(document: Document) -> Document:
    """The document with a uri made of its title and text, so that the same text again is the same document."""
    slug = re.sub(r"[^a-z0-9]+", "-", document.title.lower()).strip("-")[:40].rstrip("-")
    name = f"text:{slug}-{text_hash(document.text)[:12]}" if slug else f"text:{text_hash(document.text)[:12]}"
    return replace(document, uri=name)


@dataclass(frozen=True)
class FileInput:
    """Files to ingest: paths of files and folders, restricted by globs, without what `ignore` matches.

    `roots` None allows every path. With `git` the history of their repositories is read too.
    """

    paths: Sequence[Path]
    roots: Sequence[Path] | None = None
    globs: Sequence[str] = ()
    ignore: Sequence[str] = ()
    source: str = ""
    metadata: Metadata = field(default_factory=dict[str, Any])
    git: bool = False


def file_documents(files: FileInput, found: Iterable[FoundFile | Skipped]) -> Iterator[Document | Skipped]:
    """The files as documents, read one by one; a file that cannot be read is skipped with a reason."""
    for file in found:
        if isinstance(file, Skipped):
            yield file
            continue
        try:
            content = read_found_file(file)
            documents = read_documents(
                content,
                uri=file.path.as_uri(),
                name=file.name,
                source=files.source or file.name,
                metadata=dict(files.metadata),
            )
            for document in documents:
                reason = _why_skipped(document, file, files.paths)
                read = replace(
                    document,
                    source_given=bool(files.source),
                    file_time=file.modified,
                    history_roots=files.roots if files.git else (),
                )
                yield Skipped(file.name, reason) if reason else read
        except Unreadable as error:
            yield Skipped(file.name, error.reason)


def _why_skipped(document: Document, file: FoundFile, named: Sequence[Path]) -> str:
    """Why a file of a folder is left out, though it can be read; a file that was named itself never is."""
    if not has_lines(document.media_type):
        return ""
    tops = [path.resolve() for path in named]
    if file.path in tops:
        return ""
    folders = next((file.path.relative_to(top).parts[:-1] for top in tops if file.path.is_relative_to(top)), ())
    return why_not_written(file.path, folders, document.text)
