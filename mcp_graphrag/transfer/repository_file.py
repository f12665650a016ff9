"""A graph in a repository: a sorted, zipped file of JSON lines beside the graph, which git merges and clones carry.

It names the files of the project by their place in it, so that it is the same on every machine.
"""

import gzip
import hashlib
import json
import logging
import secrets
from collections.abc import Iterator, Set
from pathlib import Path

from mcp_graphrag.errors import BadInput, GraphragError
from mcp_graphrag.jobs.embed_pending import embed_pending
from mcp_graphrag.model import Origin
from mcp_graphrag.project import FOLDER, Project
from mcp_graphrag.snapshot import GraphFile
from mcp_graphrag.store.rows.export_rows import KINDS, Names, note_artefact, noted_artefact
from mcp_graphrag.transfer.export_graph import Exported, ExportQuery, Progress, export_graph, write_text
from mcp_graphrag.transfer.import_lines import import_lines

log = logging.getLogger(__name__)


def project_of(graph: GraphFile) -> Project | None:
    """The project whose graph this is, None for another file."""
    folder = graph.store.path.parent
    return Project(folder.parent) if folder.name == FOLDER else None


def write_artefact(graph: GraphFile, progress: Progress) -> Exported:
    """Write the file of the repository, and note that this graph has its content. Raises BadInput outside a project."""
    project = project_of(graph)
    if project is None:
        raise BadInput(f"{graph.store.path} is the graph of no project.", "Make one: mcp-graphrag init")
    query = ExportQuery(project.artefact, "jsonl", overwrite=True)
    with graph.reading() as snapshot:
        generation = snapshot.tx.generation
        done = export_graph(snapshot, query, progress, names_below(project.root))
    with graph.store.writing(Origin("export")) as tx:
        note_artefact(tx, _digest(project.artefact), generation)
    return done


def read_artefact(graph: GraphFile) -> None:
    """Take in the file of the repository where it is another than this graph has written or read last.

    Documents that changed here since then stay as they are here. A file that is broken is logged and left.
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
        log.info("the graph of the repository: %s documents and %s triples are new", done.documents, done.triples)
    except GraphragError as error:
        log.warning("the graph of the repository was not taken in: %s", type(error).__name__)


def names_below(root: Path) -> Names:
    """The beginnings of uris and paths in JSON that lie in a folder, each with what stands for it in every clone."""
    path = json.dumps(str(root / "x"), ensure_ascii=False)[:-2]
    return (f'"{root.as_uri().rstrip("/")}/', '"project:///'), (path, '"project:/')


def merge_files(base: Path, ours: Path, theirs: Path) -> None:
    """Put into the second file what either side has added and neither has removed, line by line, as git asks it to."""
    part = ours.with_name(f".{ours.name}.{secrets.token_hex(4)}")
    try:
        write_text(part, merged(*(frozenset(_lines(path)) for path in (base, ours, theirs))), zipped=True)
        part.replace(ours)
    finally:
        part.unlink(missing_ok=True)


def merged(base: Set[str], ours: Set[str], theirs: Set[str]) -> list[str]:
    """The lines that both have, and those that one has added, in the order of an export."""
    order = {f'{{"kind":"{kind}"': number for number, kind in enumerate(("graph", *KINDS))}
    lines = (ours & theirs) | (ours - base) | (theirs - base)
    return sorted(lines, key=lambda line: (order.get(line.partition(",")[0], len(order)), line))


def _lines(path: Path) -> Iterator[str]:
    content = path.read_bytes()  # empty for a base that is not there
    yield from filter(None, (gzip.decompress(content) if content else b"").decode("utf-8").split("\n"))


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
