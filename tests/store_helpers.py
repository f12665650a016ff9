"""Documents, triples and changes in short form, and the rows that they leave."""

from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any

from mcp_graphrag.model import Chunk, Document, Origin
from mcp_graphrag.store import Home, Reader, Store, Writer
from mcp_graphrag.store.rows.document_rows import add_documents
from mcp_graphrag.store.rows.entity_rows import NewEntity, add_entities
from mcp_graphrag.store.rows.triple_rows import PlacedTriples, TripleRows, add_predicates, add_triples

TEST = Origin("test")


@dataclass(frozen=True)
class Row:
    """A triple with its evidence, in the order of `TripleRows`; the first three are ids, by default 1, 1 and 2."""

    subject: int = 1
    predicate: int = 1
    object: int = 2
    confidence: float = 1.0
    quote: str | None = None
    chunk: int | None = None
    start: int | None = None
    end: int | None = None
    surface: str | None = None
    source: str | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None


def columns(*triples: Row) -> TripleRows:
    """The triples as columns."""
    return TripleRows(*([getattr(row, field.name) for row in triples] for field in fields(Row)))


def add_rows(store: Store, *triples: Row, extractor: str = "agent") -> PlacedTriples:
    """Add the triples in one write."""
    with store.writing(TEST) as tx:
        return add_triples(tx, columns(*triples), extractor)


def add_named_entities(store: Store, *names: str) -> None:
    """Add entities with ids from 1 on, and the predicate `uses` with id 1."""
    with store.writing(TEST) as tx:
        add_entities(tx, [NewEntity(name, name.lower(), "", "") for name in names])
        add_predicates(tx, ["uses"])


def add_document(tx: Writer, uri: str, *texts: str) -> tuple[int, list[int]]:
    """Add a document with one chunk per text; answers its id and those of the chunks."""
    chunks: list[Chunk] = []
    for ordinal, text in enumerate(texts):
        start = chunks[-1].end if chunks else 0
        chunks.append(Chunk(ordinal, start, start + len(text), text))
    ((document_id, chunk_ids),) = add_documents(tx, [(Document(uri, uri, "".join(texts)), chunks)])
    return document_id, chunk_ids.tolist()


def rows(tx: Reader, sql: str) -> list[tuple[Any, ...]]:
    """All rows of SQL written in a test."""
    return tx.run(sql).fetchall()


def query(store: Home, sql: str) -> list[tuple[Any, ...]]:
    """All rows of SQL in a snapshot of its own."""
    with store.reading() as tx:
        return rows(tx, sql)
