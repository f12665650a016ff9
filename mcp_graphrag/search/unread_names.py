"""Names that are not stored and yet stand in chunks: what a question about them answers instead of an error."""

from collections.abc import Generator
from contextlib import contextmanager

from mcp_graphrag.errors import AmbiguousName, UnknownName, UnreadName
from mcp_graphrag.index.tokenize import text_terms
from mcp_graphrag.search.passages import Sought, find_passages
from mcp_graphrag.snapshot import Snapshot

MAX_SHOWN, MAX_TOKENS = 4, 300


@contextmanager
def showing_unread_names(snapshot: Snapshot) -> Generator[None]:
    """Raise UnreadName, with passages that say the name, in place of UnknownName for an entity that chunks name."""
    try:
        yield
    except AmbiguousName:
        raise
    except UnknownName as error:
        unread = _unread(snapshot, error) if error.kind == "entity" else None
        raise unread or error from None


def _unread(snapshot: Snapshot, error: UnknownName) -> UnreadName | None:
    terms = text_terms(error.name)
    if not terms:
        return None
    chunks = len(snapshot.keywords.chunks_with(terms))
    sought = Sought(error.name, [[error.name]])
    found = find_passages(snapshot, sought, limit=MAX_SHOWN, tokens=MAX_TOKENS, only_naming=True) if chunks else []
    if not found:
        return None
    return UnreadName(error.name, error.nearest, chunks, [f'"{each.text}" [{each.citation}]' for each in found])
