"""Mentions: which chunk mentions which entity, how often and where."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from numpy.typing import NDArray

from mcp_graphrag.model import Ids
from mcp_graphrag.store.engine.columns import record_columns, row_columns
from mcp_graphrag.store.engine.transaction import Reader, Writer

Rows = dict[str, NDArray[Any]]
# Tables without ids whose rows are spans of chunks that tell of one entity: they go where it goes.
SPAN_TABLES = ("mention", "entity_value")


class NewMention(NamedTuple):
    """A span that names an entity: its offsets in the document, and the name and type that the extractor found."""

    chunk_id: int
    entity_id: int
    start: int
    end: int
    name: str
    type: str | None


@dataclass(frozen=True)
class ChunkTriple:
    """A triple for which a chunk is evidence."""

    chunk_id: int
    triple_id: int
    subject_id: int
    predicate_id: int
    object_id: int


def add_mentions(tx: Writer, mentions: Sequence[NewMention], extractor: str) -> None:
    """Add the mentions that one extractor found."""
    if not mentions:
        return
    with tx.incoming("incoming_mention", record_columns(NewMention, mentions)):
        tx.execute("add_mentions", {"extractor": extractor})


def mention_weights(tx: Reader, *, since: int) -> Rows:
    """Columns chunk_id, entity_id and weight: the mentions since a generation; negative where more were retired."""
    return tx.columns("mention_weights", {"since": since})


def titles_since(tx: Reader, since: int) -> list[tuple[int, str]]:
    """(document id, title) of the active documents that were added or updated after a generation."""
    return tx.rows("titles_since", {"since": since})


def norms_since(tx: Reader, since: int) -> list[tuple[int, str]]:
    """(entity id, normal form) of the active entities that were added or updated after a generation."""
    return tx.rows("norms_since", {"since": since})


def entities_titled(tx: Reader, titles: Sequence[tuple[int, str]]) -> Rows:
    """Columns document_id and entity_id: the active entities with the name of a title, (document id, normal form)."""
    with tx.incoming("incoming_norm", row_columns({"document_id": int, "norm": str}, titles)):
        return tx.columns("entities_titled")


def top_chunks_of_documents(tx: Reader, document_ids: Ids) -> Rows:
    """Columns document_id and chunk_id of the active top-level chunks of documents, in reading order."""
    with tx.incoming("incoming_document_id", {"document_id": document_ids}):
        return tx.columns("top_chunks_of_documents")


def definition_places(tx: Reader, entity_ids: Sequence[int]) -> list[tuple[int, int]]:
    """(document id, start of the name) of the definitions of entities in active source code, in reading order."""
    return tx.rows("definition_places", {"ids": list(entity_ids)}) if entity_ids else []


def definition_chunks(tx: Reader, entity_ids: Sequence[int]) -> dict[int, tuple[int, int]]:
    """The chunk and start of the name of the first definition of each of the entities that source code defines."""
    return {each: (chunk, start) for each, chunk, start in tx.rows("definition_chunks", {"ids": list(entity_ids)})}


def definitions_at(tx: Reader, document_id: int, at: int) -> list[int]:
    """The entities whose definition has its name at a place of active source code, the file's own at 0."""
    return [entity_id for (entity_id,) in tx.rows("definitions_at", {"document": document_id, "at": at})]


def mention_spans(tx: Reader, chunk_ids: Iterable[int]) -> list[tuple[int, int, int, int]]:
    """(chunk id, entity id, start, end) of the mentions in a few chunks; the span in characters of the document."""
    return tx.rows_of_each("mention_spans", chunk_ids)


def chunks_mentioning(tx: Reader, entity_ids: Ids) -> Ids:
    """The active chunks that mention any of the entities, in no order."""
    with tx.incoming("incoming_id", {"id": entity_ids}):
        return tx.ids("chunks_mentioning")


def triples_of_chunks(tx: Reader, chunk_ids: Iterable[int], *, without: Collection[str]) -> list[ChunkTriple]:
    """The active triples for which a few chunks are evidence, by chunk, without evidence of those extractors."""
    rows = tx.rows_of_each("evidence_of_chunks", chunk_ids)
    pairs = sorted({(chunk_id, triple_id) for chunk_id, triple_id, extractor in rows if extractor not in without})
    parts = {row[0]: row for row in tx.rows_by_id("triple_parts", {triple_id for _, triple_id in pairs})}
    return [ChunkTriple(chunk_id, *parts[triple_id]) for chunk_id, triple_id in pairs if triple_id in parts]


def chunks_stating(tx: Reader, predicate_ids: Ids, as_of: datetime | None) -> Ids:
    """The active chunks that are evidence for a triple of any of the predicates, valid at `as_of`, in no order."""
    return tx.ids("chunks_stating", {"predicates": predicate_ids.tolist(), "as_of": as_of})


def chunks_of_evidence(tx: Reader, evidence_ids: Iterable[int]) -> list[tuple[int, int]]:
    """(triple id, chunk id) of the pieces of evidence that have a chunk."""
    return tx.rows_by_id("chunks_of_evidence", evidence_ids)
