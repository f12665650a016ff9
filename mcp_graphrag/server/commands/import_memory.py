"""Import of another graph memory: its entities, relations and observations, with a report of what came over."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from mcp_graphrag.edit.edit_entities import EntityInput
from mcp_graphrag.edit.inputs import TextInput
from mcp_graphrag.errors import BadInput, Unreadable
from mcp_graphrag.ingest import FoundFile, find_files, read_found_file
from mcp_graphrag.ingest.decode import decode
from mcp_graphrag.ingest.memories.memory_file import MemoryFile
from mcp_graphrag.ingest.memories.read_memory import read_memory
from mcp_graphrag.server.context import Call
from mcp_graphrag.server.declaration import Tool
from mcp_graphrag.server.records import Answer

BATCH = 200
MAX_DESCRIPTION = 500  # characters; all observations are in the document

Item = TypeVar("Item")


class ImportAnswer(Answer):
    """What came over of an export: counts of what the file has, and of what is new; `left_out` counts by reason."""

    format: str
    entities: int
    entities_added: int
    observations: int
    relations: int
    relations_added: int
    texts: int
    document: str = ""
    left_out: dict[str, int] = {}

    def __str__(self) -> str:
        lines = [
            f"Imported from {self.format}.",
            f"Entities: {self.entities}, {self.entities_added} of them new.",
            f"Relations: {self.relations}, {self.relations_added} of them new.",
        ]
        if self.document:
            lines.append(f"Observations: {self.observations}, and {self.texts} texts, in the document {self.document}.")
        return "\n".join([*lines, *(f"Left out {count}: {reason}" for reason, count in self.left_out.items())])


def import_memory(call: Call, path: str, extract: list[str]) -> ImportAnswer:
    """What came over of an export. The same file again adds nothing.

    Raises BadInput for a file that does not exist, cannot be read or is no such export.
    """
    graph, file = call.graph, Path(path)
    memory, uri = _read(file, graph.max_bytes)
    left_out = Counter(memory.left_out)
    origin = call.origin("import")
    entities = [EntityInput(each.name, each.type or None, _description(each.observations)) for each in memory.entities]
    triples = [replace(each, source=uri) for each in memory.triples]
    told: list[int] = []

    def add_entities(some: Sequence[EntityInput]) -> None:
        declared = graph.add_entities(some, origin=origin)
        told.append(len(declared.added))
        left_out.update(dict.fromkeys(declared.refused, 1))

    kept_entities = _in_batches(entities, add_entities, left_out)
    added_entities = sum(told)
    told.clear()
    kept_triples = _in_batches(
        triples, lambda some: told.append(graph.add_triples(some, origin=origin).added), left_out
    )
    text = _document_text(memory)
    if text:
        # Last: the types of entities that it names are those of the memory.
        graph.ingest_text(TextInput(text, file.name, file.name, uri, "text/markdown"), extract=extract, origin=origin)
    return ImportAnswer(
        format=memory.format,
        entities=kept_entities,
        entities_added=added_entities,
        observations=sum(len(each.observations) for each in memory.entities),
        relations=kept_triples,
        relations_added=sum(told),
        texts=len(memory.texts),
        document=uri if text else "",
        left_out=dict(left_out),
    )


def _read(file: Path, max_bytes: int) -> tuple[MemoryFile, str]:
    """The content of the file, and the uri of its document, which is not that of an ingest of the file."""
    (found,) = find_files([file], roots=None, max_bytes=max_bytes) if not file.is_dir() else (None,)
    if not isinstance(found, FoundFile):
        reason = "is a folder" if found is None else found.reason
        raise Unreadable(f"{file}: {reason}.", "Name the file of an export.", reason)
    return read_memory(decode(read_found_file(found), found.name)), f"import:{found.path.as_uri()}"


def _description(observations: Sequence[str]) -> str:
    """The observations as far as a description has room for them whole."""
    kept: list[str] = []
    for text in (" ".join(observation.split()) for observation in observations):
        if sum(map(len, kept)) + len(text) <= MAX_DESCRIPTION:
            kept.append(text)
    return "; ".join(kept)


def _document_text(memory: MemoryFile) -> str:
    """The observations below the names of their entities, and the other texts below their titles, as Markdown."""
    sections = [
        f"## {' '.join(each.name.split())}\n\n" + "\n\n".join(each.observations)
        for each in memory.entities
        if each.observations
    ]
    return "\n\n".join([*sections, *(f"## {' '.join(title.split())}\n\n{text}" for title, text in memory.texts)])


def _in_batches(items: Sequence[Item], add: Callable[[Sequence[Item]], None], left_out: Counter[str]) -> int:
    """Add the items, many at once; where a batch is refused, one by one. How many were not refused."""
    kept = 0
    for start in range(0, len(items), BATCH):
        batch = items[start : start + BATCH]
        try:
            add(batch)
            kept += len(batch)
        except BadInput:
            for item in batch:
                try:
                    add([item])
                    kept += 1
                except BadInput as error:
                    left_out[error.fact] += 1
    return kept


IMPORT_MEMORY = Tool(import_memory, "Import memory", "import", reads=False, needs_file=False, long=True)
