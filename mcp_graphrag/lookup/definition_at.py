"""The definition in source code that a path with a line means: "app/auth.py:120"."""

import re

from mcp_graphrag.lookup.document_paths import document_paths
from mcp_graphrag.model import StoredDocument
from mcp_graphrag.snapshot import Snapshot
from mcp_graphrag.source_code import language_of, parse_source
from mcp_graphrag.store.rows.document_rows import text_of_document
from mcp_graphrag.store.rows.mention_rows import definitions_at

_PLACE = re.compile(r"(?P<path>\S+\.\w+):(?P<line>\d{1,9})")


def definitions_at_line(snapshot: Snapshot, place: str) -> list[int]:
    """The entities of the innermost definitions around a line, of each document with the path; those of no place none.

    Lines count from 1. A line outside of all definitions means the file's module.
    """
    given = _PLACE.fullmatch(place.strip())
    if given is None:
        return []
    documents = [each for each in document_paths(snapshot).at(given["path"]) if language_of(each.media_type)]
    places = [(each.id, _name_around(snapshot, each, int(given["line"]))) for each in documents]
    return [found for document_id, at in places for found in definitions_at(snapshot.tx, document_id, at)]


def _name_around(snapshot: Snapshot, document: StoredDocument, line: int) -> int:
    """Where the name of the innermost definition around a line begins, 0 where there is none, -1 behind the end."""
    text, language = text_of_document(snapshot.tx, document.id), language_of(document.media_type)
    lines = text.removesuffix("\n").split("\n")
    if language is None or not 1 <= line <= len(lines):
        return -1
    start = sum(len(each) + 1 for each in lines[: line - 1])
    end = start + len(lines[line - 1].rstrip())
    around = [each for each in parse_source(text, language).definitions if each.start <= end and start < each.end]
    return max(around, key=lambda each: each.body).name_start if around else 0
