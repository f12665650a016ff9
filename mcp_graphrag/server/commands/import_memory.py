"""Import of another graph memory: its entities, relations and observations, with a report of what came over."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from mcp_graphrag.edit.edit_entities import EntityInput
from mcp_graphrag.edit.inputs import TextInput
from mcp_graphrag.errors import BadInput, Unreadable
from mcp_graphrag.index.normalize import normal_form
from mcp_graphrag.ingest import FoundFile, find_files, read_found_file
from mcp_graphrag.ingest.decode import decode
from mcp_graphrag.ingest.memories.read_memory import ENTITIES_AGAIN, FORMATS, RELATIONS_AGAIN, MemoryFile, read_memory
from mcp_graphrag.ingest.memories.read_notes import read_notes
from mcp_graphrag.model import Candidate, Skipped
from mcp_graphrag.server.context import Call
from mcp_graphrag.server.declaration import Tool
from mcp_graphrag.server.records import Answer
from mcp_graphrag.transfer.import_lines import is_export
from mcp_graphrag.transfer.read_records import Records, read_records

BATCH = 200
MAX_DESCRIPTION = 500  # characters; all observations are in the document

Item = TypeVar("Item")


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
        return _imported_records(call, records)
    memory, uri = _read(file, graph.max_bytes)
    left_out = Counter(memory.left_out)
    origin = call.origin("import")
    entities = [EntityInput(each.name, each.type or None, _description(each.observations)) for each in memory.entities]
    # The document has the observations alone: it is not the source of the relations, nor is it stored before the first.
    triples = [replace(each, source=f"{uri}#relations") for each in memory.triples]
    added: set[int] = set()
    kept: list[int] = []

    def add_entities(some: Sequence[EntityInput]) -> None:
        declared = graph.add_entities(some, origin=origin)
        added.update(declared.added)
        kept.extend(each.id for each in declared.entities)
        left_out.update(declared.refused)

    def add_triples(some: Sequence[Candidate]) -> None:
        stored = graph.add_triples(some, origin=origin)
        added.update(each for each, new in zip(stored.triple_ids, stored.is_new, strict=True) if new)
        kept.extend(stored.triple_ids)
        left_out.update(stored.refused)

    _in_batches(entities, add_entities, left_out)
    counts = [len(set(kept)), len(added)]
    left_out[ENTITIES_AGAIN] += len(kept) - counts[0]
    kept.clear()
    added.clear()
    _in_batches(triples, add_triples, left_out)
    left_out[RELATIONS_AGAIN] += len(kept) - len(set(kept))
    text = _document_text(memory)
    if text:
        # Last: the types of entities that it names are those of the memory.
        graph.ingest_text(TextInput(text, file.name, file.name, uri, "text/markdown"), extract=extract, origin=origin)
    return ImportAnswer(
        format=memory.format,
        entities=counts[0],
        entities_added=counts[1],
        named_by_relations=_named_by_relations(memory),
        observations=sum(len(each.observations) for each in memory.entities),
        relations=len(set(kept)),
        relations_added=len(added),
        texts=len(memory.texts),
        document=uri if text else "",
        left_out=dict(+left_out),
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


def _imported_records(call: Call, records: Records) -> ImportAnswer:
    """What came over of a file of another program."""
    done = call.graph.import_records(records, origin=call.origin("import"), progress=call.progress)
    return ImportAnswer.of(
        done, relations=done.triples, relations_added=done.triples_added, left_out=dict(done.left_out)
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


def _in_batches(items: Sequence[Item], add: Callable[[Sequence[Item]], None], left_out: Counter[str]) -> None:
    """Add the items, many at once; where a batch is refused, one by one."""
    for start in range(0, len(items), BATCH):
        batch = items[start : start + BATCH]
        try:
            add(batch)
        except BadInput:
            for item in batch:
                try:
                    add([item])
                except BadInput as error:
                    left_out[error.fact] += 1


IMPORT_MEMORY = Tool(import_memory, "Import memory", "import", reads=False, needs_file=False, long=True)
