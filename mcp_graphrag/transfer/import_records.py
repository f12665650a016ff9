"""Entities and triples of another program's file, stored as a caller's, batch by batch, in one operation."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
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
    """How many entities and triples the file had, and how many of them are new; `left_out` counts by reason."""

    format: str
    entities: int = 0
    entities_added: int = 0
    triples: int = 0
    triples_added: int = 0
    left_out: Mapping[str, int] = field(default_factory=dict[str, int])


def import_records(
    graph: GraphFile, records: Records, origin: Origin, progress: Callable[[float, float | None, str], None]
) -> ImportedRecords:
    """Store the records; one that is refused is left out, and counted with the reason. Raises BadInput as the reader.

    What was stored before a failure stays, as one operation that `undo` takes back.
    """
    done, left_out, read = ImportedRecords(records.format), Counter[str](), records.read()
    with graph.operation(origin) as one:
        while batch := list(islice(read, BATCH)):
            _store(graph, batch, one, done, left_out)
            progress(0, None, f"Importing, {done.triples:,} triples so far")
    done.left_out = dict(left_out + records.left_out)
    return done


def _store(
    graph: GraphFile, batch: Sequence[Record], origin: Origin, done: ImportedRecords, left_out: Counter[str]
) -> None:
    entities = [each for each in batch if isinstance(each, EntityInput)]
    triples = [each for each in batch if isinstance(each, Candidate)]
    try:
        with graph.writing(origin) as write:
            declared = add_entities(write, entities, strict=False) if entities else None
            added = add_triples(write, triples, replaces=False, strict=False) if triples else None
    except BadInput as error:
        if len(batch) == 1:
            left_out[error.fact] += 1
            return
        half = len(batch) // 2  # the one that is refused is found by halves
        _store(graph, batch[:half], origin, done, left_out)
        _store(graph, batch[half:], origin, done, left_out)
        return
    if declared:
        done.entities += len(declared.entities)
        done.entities_added += len(declared.added)
        left_out.update(declared.refused)
    if added:
        done.triples += len(set(added.triple_ids))
        done.triples_added += added.added
        done.entities_added += added.entities_added
        left_out.update(added.refused)
