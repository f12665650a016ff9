"""The definition in source code that a path with a line or a name means: "app/auth.py:120", "app/auth.py:Users.add"."""

import re

from mcp_graphrag.lookup.document_paths import document_paths
from mcp_graphrag.model import StoredDocument
from mcp_graphrag.snapshot import Snapshot
from mcp_graphrag.source_code import language_of, parse_source
from mcp_graphrag.store.rows.document_rows import text_of_document
from mcp_graphrag.store.rows.mention_rows import definitions_at as defined_at

_PLACE = re.compile(r"(?P<path>\S+?\.\w+)::?(?:(?P<line>\d{1,9})|(?P<name>[^\W\d][\w.:]*))")


def definitions_at(snapshot: Snapshot, place: str) -> list[int]:
    """The entities of the definitions that a path with a line or name means, of each document with the path.

    Lines count from 1: the innermost definition around one, outside of all the file's module. A name is that of a
    definition or its end. Of what is no place there are none.
    """
    given = _PLACE.fullmatch(place.strip())
    if given is None:
        return []
    documents = [each for each in document_paths(snapshot).at(given["path"]) if language_of(each.media_type)]
    if given["line"]:
        places = [(each.id, _name_around(snapshot, each, int(given["line"]))) for each in documents]
    else:
        places = [(each.id, at) for each in documents for at in _named(snapshot, each, given["name"])]
    return [found for document_id, at in places for found in defined_at(snapshot.tx, document_id, at)]


def _named(snapshot: Snapshot, document: StoredDocument, name: str) -> list[int]:
    """Where the names of the definitions begin whose path in a file is a name, or ends with it."""
    language, wanted = language_of(document.media_type), f".{name.replace('::', '.')}"
    found = parse_source(text_of_document(snapshot.tx, document.id), language).definitions if language else ()
    return [each.name_start for each in found if f".{each.path.replace('::', '.')}".endswith(wanted)]


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
