"""What a caller names, as documents: a text, or files and folders."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from mcp_graphrag.errors import BadInput
from mcp_graphrag.ingest import Found, find_files, guess_media_type, read_bytes, read_found, read_text
from mcp_graphrag.model import Document, Metadata, Skipped
from mcp_graphrag.pipeline.pipeline import Pipeline
from mcp_graphrag.store.documents import text_hash

LONGEST_TITLE = 300
LONGEST_URI = 2000
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")


@dataclass(frozen=True)
class Given:
    """A text with what the caller says about it. With a `uri`, the same uri again is an update of the document."""

    text: str
    title: str = ""
    source: str = ""
    uri: str = ""
    media_type: str = ""
    metadata: Metadata = field(default_factory=dict[str, Any])


def text_document(pipeline: Pipeline, given: Given) -> Document:
    """The document of a text. Raises BadInput where it is empty, too large, or its title or uri cannot be one."""
    size = len(given.text.encode("utf-8", "replace"))
    if size > pipeline.max_bytes:
        raise BadInput(
            f"The text has {size / 1e6:.1f} MB; the most is {pipeline.settings.max_file_mb:g} MB.",
            "Split it, or raise the setting max_file_mb.",
        )
    for what, value, longest in (
        ("title", given.title, LONGEST_TITLE),
        ("source", given.source, LONGEST_URI),
        ("uri", given.uri, LONGEST_URI),
    ):
        if len(value) > longest:
            raise BadInput(f"The {what} has {len(value)} characters.", f"The most is {longest}.")
        if CONTROL.search(value):
            raise BadInput(f"The {what} has control characters.", "Remove them; it is one line of text.")
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
    """The document under a uri made of its title and text, so that the same text again is the same document."""
    slug = re.sub(r"[^a-z0-9]+", "-", document.title.lower()).strip("-")[:40].rstrip("-")
    name = f"text:{slug}-{text_hash(document.text)[:12]}" if slug else f"text:{text_hash(document.text)[:12]}"
    return replace(document, uri=name)


@dataclass(frozen=True)
class Files:
    """Which files to read: paths of files and folders, restricted by globs, without what `ignore` matches.

    `roots` None allows every path.
    """

    paths: Sequence[Path]
    roots: Sequence[Path] | None = None
    globs: Sequence[str] = ()
    ignore: Sequence[str] = ()
    source: str = ""
    metadata: Metadata = field(default_factory=dict[str, Any])


def list_files(pipeline: Pipeline, files: Files) -> list[Found | Skipped]:
    """The files to read, and what is left out. Raises NotAllowed outside the roots, BadInput for a path that is not."""
    return list(
        find_files(files.paths, roots=files.roots, globs=files.globs, ignore=files.ignore, max_bytes=pipeline.max_bytes)
    )


def file_documents(files: Files, found: Iterable[Found | Skipped]) -> Iterator[Document | Skipped]:
    """Each file as a document, read when it is asked for; what cannot be read is skipped with its reason."""
    for each in found:
        if isinstance(each, Skipped):
            yield each
            continue
        try:
            content = read_found(each)
            yield read_bytes(
                content,
                uri=each.path.as_uri(),
                name=each.name,
                source=files.source or each.name,
                metadata=dict(files.metadata),
            )
        except BadInput as error:
            yield Skipped(each.name, error.fact.removeprefix(each.name).strip(" .").removeprefix("cannot be read: "))
