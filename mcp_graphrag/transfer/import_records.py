"""Entities and triples of another program's file, stored as a caller's, batch by batch, in one operation."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

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
    done, left_out = ImportedRecords(records.format), Counter[str]()
    with graph.operation(origin) as one:

        def store(batch: Sequence[Record]) -> None:
            if not batch:
                return
            try:
                with graph.writing(one) as write:
                    entities = [each for each in batch if isinstance(each, EntityInput)]
                    triples = [each for each in batch if isinstance(each, Candidate)]
                    declared = add_entities(write, entities, strict=False) if entities else None
                    added = add_triples(write, triples, replaces=False, strict=False) if triples else None
            except BadInput as error:
                if len(batch) == 1:
                    left_out[error.fact] += 1
                    return
                # The one that is refused is found by halves.
                store(batch[: len(batch) // 2])
                store(batch[len(batch) // 2 :])
                return
            done.entities += len(declared.entities) if declared else 0
            done.entities_added += (len(declared.added) if declared else 0) + (added.entities_added if added else 0)
            done.triples += len(set(added.triple_ids)) if added else 0
            done.triples_added += added.added if added else 0
            left_out.update((*(declared.refused if declared else ()), *(added.refused if added else ())))
            progress(done.entities + done.triples, None, f"Importing: {done.triples:,} triples")

        batch: list[Record] = []
        for record in records.read:
            batch.append(record)
            if len(batch) == BATCH:
                store(batch)
                batch = []
        store(batch)
    done.left_out = dict(left_out + records.left_out)
    return done
