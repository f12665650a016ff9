"""Import of another graph memory: its entities, relations and observations, with a report of what came over."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from mcp_graphrag.edit.edit_entities import EntityInput
from mcp_graphrag.edit.inputs import TextInput
from mcp_graphrag.errors import BadInput, Unreadable
from mcp_graphrag.index.normalize import normal_form
from mcp_graphrag.ingest import FoundFile, find_files, read_found_file
from mcp_graphrag.ingest.decode import decode
from mcp_graphrag.ingest.memories.read_memory import ENTITIES_AGAIN, FORMATS, RELATIONS_AGAIN, MemoryFile, read_memory
from mcp_graphrag.ingest.memories.read_notes import read_notes
from mcp_graphrag.model import Skipped
from mcp_graphrag.server.context import Call
from mcp_graphrag.server.declaration import Tool
from mcp_graphrag.server.records import Answer
from mcp_graphrag.transfer.import_lines import is_export
from mcp_graphrag.transfer.import_records import ImportedRecords
from mcp_graphrag.transfer.read_records import Records, read_records

MAX_DESCRIPTION = 500  # characters; all observations are in the document


class ImportAnswer(Answer):
    """What came over of an export: counts of what is different in the file, and of what is new.

    `named_by_relations` are entities that the file has no entry for. `left_out` counts by reason.
    """

    format: str
    entities: int
    entities_added: int
    named_by_relations: int = 0
    observations: int = 0
    relations: int
    relations_added: int
    texts: int = 0
    document: str = ""
    documents: int | None = None
    left_out: dict[str, int] = {}

    def __str__(self) -> str:
        lines = [
            f"Imported from {self.format}.",
            f"Entities: {self.entities}, {self.entities_added} of them new.",
            *([f"Only relations name {self.named_by_relations} more."] if self.named_by_relations else []),
            f"Relations: {self.relations}, {self.relations_added} of them new.",
        ]
        lines += [f"Documents: {self.documents} new."] if self.documents is not None else []
        if self.document:
            lines.append(f"Observations: {self.observations}, and {self.texts} texts, in the document {self.document}.")
        return "\n".join([*lines, *(f"Left out {count}: {reason}" for reason, count in self.left_out.items())])


def import_memory(call: Call, path: str, extract: list[str]) -> ImportAnswer:
    """What came over of an export, a file or a folder of notes. The same again adds nothing.

    Raises BadInput for what does not exist, cannot be read or is no such export.
    """
    graph, file = call.graph, Path(path)
    if is_export(file):
        return _imported_lines(call, file)
    if (records := read_records(file)) is not None:
        done = graph.import_records(records, origin=call.origin("import"), progress=call.progress)
        return _records_answer(done, named_by_relations=done.named_by_triples)
    memory, uri = _read(file, graph.max_bytes)
    origin = call.origin("import")
    entities = [EntityInput(each.name, each.type or None, _description(each.observations)) for each in memory.entities]
    # The document has the observations alone: it is not the source of the relations, nor is it stored before the first.
    triples = [replace(each, source=f"{uri}#relations") for each in memory.triples]
    records = Records(memory.format, iter([*entities, *triples]), Counter(memory.left_out))
    done = graph.import_records(records, origin=origin, progress=call.progress)
    done.left_out.update({ENTITIES_AGAIN: done.entities_again, RELATIONS_AGAIN: done.triples_again})
    text = _document_text(memory)
    if text:
        # Last: the types of entities that it names are those of the memory.
        graph.ingest_text(TextInput(text, file.name, file.name, uri, "text/markdown"), extract=extract, origin=origin)
    return _records_answer(
        done,
        named_by_relations=_named_by_relations(memory),
        observations=sum(len(each.observations) for each in memory.entities),
        texts=len(memory.texts),
        document=uri if text else "",
    )


def _imported_lines(call: Call, file: Path) -> ImportAnswer:
    """What came over of an export of ours."""
    call.progress(0, None, "Importing")
    done = call.graph.import_lines(file, origin=call.origin("import"))
    return ImportAnswer(
        format="an export of mcp-graphrag",
        entities=done.lines.get("entity", 0),
        entities_added=done.entities,
        relations=done.lines.get("triple", 0),
        relations_added=done.triples,
        documents=done.documents,
        left_out=dict(done.left_out),
    )


def _records_answer(done: ImportedRecords, **more: Any) -> ImportAnswer:
    return ImportAnswer(
        format=done.format,
        entities=len(done.entities),
        entities_added=len(done.entities_added),
        relations=len(done.triples),
        relations_added=len(done.triples_added),
        left_out=dict(+done.left_out),
        **more,
    )


def _read(file: Path, max_bytes: int) -> tuple[MemoryFile, str]:
    """The content of a file, or of the notes in a folder, and the uri of its document, which no ingest gives it."""
    texts, left_out = list[tuple[str, str]](), Counter[str]()
    for found in find_files([file], roots=None, globs=["*.md"], max_bytes=max_bytes):
        try:
            texts.append((found.name if isinstance(found, FoundFile) else "", _text(found)))
        except Unreadable as error:
            if not file.is_dir():
                raise
            left_out[f"notes: {error.reason}"] += 1
    if not texts:
        raise BadInput(f"{file} has no notes in Markdown.", f"Known are {FORMATS}.")
    memory = read_notes(texts) if file.is_dir() else read_memory(texts[0][1])
    memory.left_out.update(left_out)
    return memory, f"import:{file.resolve().as_uri()}"


def _text(found: FoundFile | Skipped) -> str:
    if isinstance(found, Skipped):
        raise Unreadable(f"{found.what}: {found.reason}.", "Name the file of an export.", found.reason)
    return decode(read_found_file(found), found.name)[0]


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


def _named_by_relations(memory: MemoryFile) -> int:
    ends = {normal_form(name) for each in memory.triples for name in (each.subject, each.object)}
    return len(ends - {normal_form(each.name) for each in memory.entities})


IMPORT_MEMORY = Tool(import_memory, "Import memory", "import", reads=False, needs_file=False, long=True)
