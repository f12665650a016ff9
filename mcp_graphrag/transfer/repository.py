"""A graph in a repository: a sorted, zipped file of JSON lines beside the graph, which git merges and clones carry.

It names the files of the project by their place in it, so that it is the same on every machine.
"""

import gzip
import hashlib
import json
import logging
import re
import secrets
from collections.abc import Iterable, Iterator, Set
from pathlib import Path

from mcp_graphrag.errors import BadInput, GraphragError
from mcp_graphrag.jobs.embed_pending import embed_pending
from mcp_graphrag.model import Origin
from mcp_graphrag.project import ARTEFACT, FOLDER, Project
from mcp_graphrag.snapshot import GraphFile, Snapshot
from mcp_graphrag.store.rows.export_rows import Choice, chosen, lines, note_artefact, noted_artefact
from mcp_graphrag.transfer.export_graph import DERIVED, HISTORY, Exported, Progress, write_text
from mcp_graphrag.transfer.forms import HEADER
from mcp_graphrag.transfer.import_lines import import_lines

log = logging.getLogger(__name__)
KINDS = ("graph", "ontology", "document", "chunk", "entity", "triple", "chunk_edge", "conflict", "distinct")
KIND = re.compile(r'\{"kind":"(\w+)"')


def project_of(graph: GraphFile) -> Project | None:
    """The project whose graph this is, None for another file."""
    folder = graph.store.path.parent
    return Project(folder.parent) if folder.name == FOLDER else None


def write_artefact(graph: GraphFile, progress: Progress) -> Exported:
    """Write the file of the repository, and note that this graph has its content. Raises BadInput outside a project."""
    project = project_of(graph)
    if project is None:
        raise BadInput(f"{graph.store.path} is the graph of no project.", "Make one: mcp-graphrag init")
    target = project.artefact
    partial = target.with_name(f".{target.name}.{secrets.token_hex(4)}")
    with graph.reading() as snapshot, chosen(snapshot.tx, Choice()) as counts:
        generation = snapshot.tx.generation
        progress(0, None, "Exporting")
        try:
            write_text(partial, _lines(snapshot, project.root), zipped=True)
            partial.replace(target)
        finally:
            partial.unlink(missing_ok=True)
    with graph.store.writing(Origin("export")) as tx:
        note_artefact(tx, _digest(target), generation)
    left_out = {name: count for name, count in counts.items() if count and name in HISTORY | DERIVED}
    return Exported(target, "jsonl", target.stat().st_size, counts["entities"], counts["triples"], left_out)


def _lines(snapshot: Snapshot, root: Path) -> Iterator[str]:
    yield HEADER
    yield from lines(snapshot.tx, names_below(root))


def read_artefact(graph: GraphFile) -> None:
    """Take in the file of the repository where it is another than this graph has written or read last.

    What the graph has of documents that changed here since then stays. A file that is broken is logged and left.
    """
    project = project_of(graph)
    if project is None or project.artefact.is_symlink() or not project.artefact.is_file():
        return
    digest = _digest(project.artefact)
    with graph.store.reading() as tx:
        known, since = noted_artefact(tx)
    if digest == known:
        return
    try:
        with graph.writing(Origin("import")) as write:
            done = import_lines(write, project.artefact, names=names_below(project.root), since=since)
            note_artefact(write.tx, digest, write.tx.change)
        _ = embed_pending(graph, by_model=False)
        log.info("%s: %s documents and %s triples are new", ARTEFACT, done.documents, done.triples)
    except GraphragError as error:
        log.warning("%s was not taken in: %s", ARTEFACT, type(error).__name__)


def names_below(root: Path) -> tuple[tuple[str, str], ...]:
    """The beginnings of uris and paths in JSON that lie in a folder, each with what stands for it in every clone."""
    path = json.dumps(str(root / "x"), ensure_ascii=False)[:-2]
    return (f'"{root.as_uri().rstrip("/")}/', '"project:///'), (path, '"project:/')


def merge_files(base: Path, ours: Path, theirs: Path) -> None:
    """Put into the second file what either side has added and neither has removed, line by line, as git asks it to."""
    before, one, other = (frozenset(_read(path)) for path in (base, ours, theirs))
    write = ours.with_name(f".{ours.name}.{secrets.token_hex(4)}")
    try:
        write_text(write, merged(before, one, other), zipped=True)
        write.replace(ours)
    finally:
        write.unlink(missing_ok=True)


def merged(base: Set[str], ours: Set[str], theirs: Set[str]) -> list[str]:
    """The lines that both have, and those that one has added, in the order of an export."""
    return sorted((ours & theirs) | (ours - base) | (theirs - base), key=lambda line: (_rank(line), line))


def _rank(line: str) -> int:
    found = KIND.match(line)
    return KINDS.index(found[1]) if found and found[1] in KINDS else len(KINDS)


def _read(path: Path) -> Iterable[str]:
    content = path.read_bytes()  # empty for a base that is not there
    return [line for line in (gzip.decompress(content) if content else b"").decode("utf-8").split("\n") if line]


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
