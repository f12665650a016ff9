"""Entities and triples of another program's file, stored as a caller's, batch by batch, in one operation."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import islice

from mcp_graphrag.edit.add_triples import add_triples
from mcp_graphrag.edit.edit_entities import EntityInput, add_entities
from mcp_graphrag.errors import BadInput
from mcp_graphrag.model import Candidate, Origin
from mcp_graphrag.snapshot import GraphFile
from mcp_graphrag.transfer.read_records import Record, Records

BATCH = 2_000


@dataclass
class ImportedRecords:
    """The entities and triples of a file by id, and which of them are new; `left_out` counts by reason.

    `entities_again` and `triples_again` are those that it had more than once, `named_by_triples` new entities that only
    triples name.
    """

    format: str
    entities: set[int] = field(default_factory=set[int])
    triples: set[int] = field(default_factory=set[int])
    entities_added: set[int] = field(default_factory=set[int])
    triples_added: set[int] = field(default_factory=set[int])
    entities_again: int = 0
    triples_again: int = 0
    named_by_triples: int = 0
    left_out: Counter[str] = field(default_factory=Counter[str])


def import_records(
    graph: GraphFile, records: Records, origin: Origin, progress: Callable[[float, float | None, str], None]
) -> ImportedRecords:
    """Store the records; one that is refused is left out, and counted with the reason. Raises BadInput as the reader.

    What was stored before a failure stays, as one operation that `undo` takes back.
    """
    done, read = ImportedRecords(records.format), records.read()
    with graph.operation(origin) as one:
        while batch := list(islice(read, BATCH)):
            _store(graph, batch, one, done)
            progress(0, None, f"Importing, {len(done.triples):,} triples so far")
    done.left_out += records.left_out
    return done


def _store(graph: GraphFile, batch: Sequence[Record], origin: Origin, done: ImportedRecords) -> None:
    entities = [each for each in batch if isinstance(each, EntityInput)]
    triples = [each for each in batch if isinstance(each, Candidate)]
    try:
        with graph.writing(origin) as write:
            declared = add_entities(write, entities, strict=False) if entities else None
            added = add_triples(write, triples, replaces=False, strict=False) if triples else None
    except BadInput as error:
        if len(batch) == 1:
            done.left_out[error.fact] += 1
            return
        half = len(batch) // 2  # the one that is refused is found by halves
        _store(graph, batch[:half], origin, done)
        _store(graph, batch[half:], origin, done)
        return
    if declared:
        before = len(done.entities)
        done.entities.update(each.id for each in declared.entities)
        done.entities_added |= declared.added
        done.entities_again += len(declared.entities) - (len(done.entities) - before)
        done.left_out.update(declared.refused)
    if added:
        before = len(done.triples)
        done.triples.update(added.triple_ids)
        done.triples_added.update(each for each, new in zip(added.triple_ids, added.is_new, strict=True) if new)
        done.triples_again += len(added.triple_ids) - (len(done.triples) - before)
        done.named_by_triples += added.entities_added
        done.left_out.update(added.refused)
