"""A graph written for other programs: whole or in part, as it is now or was, in one of several forms."""

import gzip
import os
import secrets
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Literal, get_args

from mcp_graphrag.drawing.page import page
from mcp_graphrag.drawing.picture import MAX_NODES, Edge, Node, Picture
from mcp_graphrag.errors import NO_SPACE, BadInput, DiskFull, FileTrouble
from mcp_graphrag.lookup.query_triples import predicate_id
from mcp_graphrag.snapshot import Snapshot
from mcp_graphrag.store import Reader
from mcp_graphrag.store.rows.export_rows import (
    BY_DEGREE,
    Choice,
    Names,
    chosen,
    entity_rows,
    lines,
    text_lines,
    triple_rows,
    write_csv,
    write_parquet,
)
from mcp_graphrag.store.rows.triple_rows import predicates
from mcp_graphrag.transfer.notes import first_evidence, write_notes

Form = Literal["jsonl", "graphml", "csv", "cypher", "turtle", "parquet", "obsidian", "html"]
HEADER = '{"kind":"graph","format":1}'  # the first line of an export that `import` reads
FOLDERS: Mapping[str, tuple[str, Callable[[Reader, Path], None]]] = {
    "csv": (".csv", write_csv),
    "parquet": (".parquet", write_parquet),
    "obsidian": (".md", write_notes),
}
TEXTS: tuple[Form, ...] = ("jsonl", "graphml", "cypher", "turtle", "html")
SUFFIXES: dict[str, Form] = {".ttl": "turtle", **{f".{form}": form for form in TEXTS}}
NOT_IN_LINES = frozenset({"triples out of force", "merges that can be split", "communities"})
NOT_IN_TABLES = NOT_IN_LINES - {"communities"} | {"pairs kept apart", "ontologies"}
MAX_LISTED = 2_000  # triples of a page
EVERY = 5_000  # lines between two reports of progress
Progress = Callable[[float, float | None, str], None]


@dataclass(frozen=True)
class ExportQuery:
    """What to export and where to: `form` None is told by the end of the path. An existing target needs `overwrite`."""

    path: Path
    form: Form | None = None
    choice: Choice = field(default_factory=Choice)
    overwrite: bool = False


@dataclass(frozen=True)
class Exported:
    """What was written; `left_out` counts what the form cannot hold."""

    path: Path
    form: Form
    bytes: int
    entities: int
    triples: int
    left_out: Mapping[str, int]


def export_graph(snapshot: Snapshot, query: ExportQuery, progress: Progress, names: Names = ()) -> Exported:
    """Write the choice to a file or folder, which gets its name when it is whole; `names` are as of `lines`.

    Raises BadInput for an unknown form, a target that is there or a choice of nothing, UnknownName, FileTrouble.
    """
    path = query.path.expanduser().absolute()
    form = query.form or _form_of(path)
    _check_target(path, form, overwrite=query.overwrite)
    tx, part = snapshot.tx, path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with chosen(tx, _known_choice(snapshot, query.choice)) as counts:
            if not counts["entities"]:
                raise BadInput("There is nothing to export.", "Leave out a filter; `brief` shows what the graph has.")
            if form in FOLDERS:
                part.mkdir()
                progress(0, None, "Exporting")
                FOLDERS[form][1](tx, part)
            else:
                texts = {"jsonl": partial(_json_lines, names), "html": _page}
                written = texts[form](tx) if form in texts else text_lines(tx, form)
                total = counts["entities"] + counts["triples"] + (counts["chunks"] if form == "jsonl" else 0)
                write_text(part, _reported(written, total, progress), zipped=path.suffix == ".gz")
        if path.is_dir():
            shutil.rmtree(path)
        part.replace(path)
    except OSError as error:
        if error.errno in NO_SPACE:
            raise DiskFull(path) from error
        raise FileTrouble(path, f"{path} cannot be written: {error.strerror}.", "Name another path.") from error
    finally:
        with suppress(OSError):
            shutil.rmtree(part) if part.is_dir() else part.unlink(missing_ok=True)
    tables = NOT_IN_TABLES if form == "parquet" else frozenset(counts) - {"entities", "triples"}
    left_out = {
        name: counts[name] for name in counts if counts[name] and name in (tables if form != "jsonl" else NOT_IN_LINES)
    }
    size = sum(each.stat().st_size for each in (path.iterdir() if path.is_dir() else [path]))
    return Exported(path, form, size, counts["entities"], counts["triples"], left_out)


def write_text(path: Path, lines: Iterable[str], *, zipped: bool) -> None:
    """Write lines to a new file, zipped without time and name, so that equal lines are equal bytes."""
    with path.open("xb") as file:
        packed = gzip.GzipFile("", "wb", 6, file, mtime=0) if zipped else file
        for line in lines:
            packed.write(line.encode("utf-8", "replace") + b"\n")
        if zipped:
            packed.close()
        file.flush()
        os.fsync(file.fileno())


def _json_lines(names: Names, tx: Reader) -> Iterator[str]:
    yield HEADER
    yield from lines(tx, names)


def _page(tx: Reader) -> Iterator[str]:
    """A page with the best connected entities drawn, and the first triples between them with their quotes."""
    rows = list(entity_rows(tx, order=BY_DEGREE, limit=MAX_NODES))
    nodes = [Node(str(row["id"]), row["name"], row["type"]) for row in rows]
    shown = triple_rows(tx, among=[row["id"] for row in rows], limit=MAX_LISTED)
    edges = [
        Edge(str(row["subject_id"]), row["predicate"], str(row["object_id"]), *first_evidence(row)) for row in shown
    ]
    said = f"The {len(nodes)} best connected entities, and {len(edges)} triples between them."
    return page(Picture("Knowledge graph", nodes, edges, [said]))


def _known_choice(snapshot: Snapshot, choice: Choice) -> Choice:
    """The choice with the predicates as they are stored, at the moment of the snapshot. Raises UnknownName."""
    known = {number: name for name, number in predicates(snapshot.tx).items()}
    names = [known[predicate_id(snapshot, name)] for name in choice.predicates]
    return replace(choice, predicates=names, as_of=choice.as_of or snapshot.when.as_of)


def _reported(lines: Iterator[str], total: int, progress: Progress) -> Iterator[str]:
    for done, line in enumerate(lines):
        if done % EVERY == 0:
            progress(min(done, total), total, "Exporting")
        yield line


def _form_of(path: Path) -> Form:
    suffix = path.with_suffix("").suffix if path.suffix == ".gz" else path.suffix
    if suffix not in SUFFIXES:
        raise BadInput(f"The form of {path.name} is not clear.", f"Give --format: one of {', '.join(get_args(Form))}.")
    return SUFFIXES[suffix]


def _check_target(path: Path, form: Form, *, overwrite: bool) -> None:
    if not os.path.lexists(path):
        return
    if not overwrite:
        raise BadInput(f"{path} is there already.", "Name another path, or give --force to replace it.")
    if path.is_symlink() or path.is_dir() != (form in FOLDERS):
        raise BadInput(f"{path} is no earlier export of this form.", "Name another path.")
    if path.is_dir() and any(each.is_dir() or each.suffix != FOLDERS[form][0] for each in path.iterdir()):
        raise BadInput(f"{path} has files that no export wrote.", "Name another folder.")
