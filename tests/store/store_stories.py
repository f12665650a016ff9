"""Documents, triples and changes in a form that stories can write and compare whole."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from mcp_graphrag.model import Chunk, Document, Origin
from mcp_graphrag.store import Reader, Store, Writer
from mcp_graphrag.store.documents import add_documents
from mcp_graphrag.store.entities import NewEntity, add_entities
from mcp_graphrag.store.triples import Placed, TripleRows, add_predicates, add_triples

TEST = Origin("test")


@dataclass(frozen=True)
class Said:
    """One offered row; subject, predicate and object are ids, here mostly 1, 1 and 2."""

    subject: int = 1
    predicate: int = 1
    object: int = 2
    confidence: float = 1.0
    quote: str | None = None
    chunk: int | None = None
    start: int | None = None
    end: int | None = None
    source: str | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None


def columns(*said: Said) -> TripleRows:
    """The rows as columns."""
    return TripleRows(
        [each.subject for each in said],
        [each.predicate for each in said],
        [each.object for each in said],
        [each.confidence for each in said],
        [each.quote for each in said],
        [each.chunk for each in said],
        [each.start for each in said],
        [each.end for each in said],
        [None] * len(said),
        [each.source for each in said],
        [each.valid_from for each in said],
        [each.valid_to for each in said],
        [None] * len(said),
    )


def say(store: Store, *said: Said, extractor: str = "agent") -> Placed:
    """Store the rows in one write."""
    with store.writing(TEST) as tx:
        return add_triples(tx, columns(*said), extractor)


def name_things(store: Store, *names: str) -> None:
    """Entities with ids from 1 on, and the predicate `uses` with id 1."""
    with store.writing(TEST) as tx:
        add_entities(tx, [NewEntity(name, name.lower(), "", "") for name in names])
        add_predicates(tx, ["uses"])


def put(tx: Writer, uri: str, *texts: str) -> tuple[int, list[int]]:
    """The ids of a new document and of its chunks, one a text."""
    chunks: list[Chunk] = []
    for ordinal, text in enumerate(texts):
        start = chunks[-1].end if chunks else 0
        chunks.append(Chunk(ordinal, start, start + len(text), text))
    ((document_id, chunk_ids),) = add_documents(tx, [(Document(uri, uri, "".join(texts)), chunks)])
    return document_id, chunk_ids.tolist()


def rows(tx: Reader, sql: str) -> list[tuple[Any, ...]]:
    """All rows of SQL written in a test."""
    return tx.run(sql).fetchall()


def query(store: Store, sql: str) -> list[tuple[Any, ...]]:
    """All rows of SQL in a snapshot of its own."""
    with store.reading() as tx:
        return rows(tx, sql)
