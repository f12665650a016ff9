"""A graph written for other programs: whole or in part, as it is now or was, in one of several forms."""

import gzip
import os
import secrets
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, get_args

from mcp_graphrag.errors import NO_SPACE, BadInput, DiskFull, FileTrouble
from mcp_graphrag.lookup.query_triples import predicate_id
from mcp_graphrag.snapshot import Snapshot
from mcp_graphrag.store import Reader
from mcp_graphrag.store.rows.export_rows import Choice, chosen, write_csv, write_parquet
from mcp_graphrag.store.rows.triple_rows import predicates
from mcp_graphrag.transfer.forms import cypher, graphml, html, json_lines, turtle
from mcp_graphrag.transfer.notes import write_notes

Form = Literal["jsonl", "graphml", "csv", "cypher", "turtle", "parquet", "obsidian", "html"]
FORMS: tuple[Form, ...] = get_args(Form)
TEXTS: Mapping[str, Callable[[Reader], Iterator[str]]] = {
    "jsonl": json_lines,
    "graphml": graphml,
    "cypher": cypher,
    "turtle": turtle,
    "html": html,
}
FOLDERS: Mapping[str, tuple[str, Callable[[Reader, Path], None]]] = {
    "csv": (".csv", write_csv),
    "parquet": (".parquet", write_parquet),
    "obsidian": (".md", write_notes),
}
SUFFIXES: Mapping[str, Form] = {".ttl": "turtle", **{f".{form}": form for form in TEXTS if form != "turtle"}}
DERIVED = frozenset({"communities"})  # is made anew where the graph is read
HISTORY = frozenset({"triples out of force", "merges that can be split"})
ROWS = frozenset({"entities", "triples"})
NOT_IN_TABLES = HISTORY | {"pairs kept apart", "ontologies"}
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


def export_graph(snapshot: Snapshot, query: ExportQuery, progress: Progress = lambda *_: None) -> Exported:
    """Write the choice to a file or folder, which gets its name when it is whole.

    Raises BadInput for an unknown form or a target that is there, UnknownName, FileTrouble where it cannot be written.
    """
    path = query.path.expanduser().absolute()
    form = query.form or _form_of(path)
    _check_target(path, form, overwrite=query.overwrite)
    tx = snapshot.tx
    choice = _known_choice(snapshot, query.choice)
    partial = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with chosen(tx, choice) as counts:
            if not counts["entities"]:
                raise BadInput("There is nothing to export.", "Leave out a filter; `brief` shows what the graph has.")
            if form in FOLDERS:
                partial.mkdir()
                progress(0, None, "Exporting")
                FOLDERS[form][1](tx, partial)
            else:
                total = counts["entities"] + counts["triples"] + (counts["chunks"] if form == "jsonl" else 0)
                write_text(partial, _reported(TEXTS[form](tx), total, progress), zipped=path.suffix == ".gz")
        _put_in_place(partial, path)
    except OSError as error:
        if error.errno in NO_SPACE:
            raise DiskFull(path) from error
        raise FileTrouble(path, f"{path} cannot be written: {error.strerror}.", "Name another path.") from error
    finally:
        with suppress(OSError):
            shutil.rmtree(partial) if partial.is_dir() else partial.unlink(missing_ok=True)
    files = path.rglob("*") if path.is_dir() else [path]
    left_out = {name: count for name, count in counts.items() if count and name in _not_in(form, counts)}
    size = sum(each.stat().st_size for each in files)
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


def _not_in(form: Form, counts: Mapping[str, int]) -> frozenset[str]:
    if form == "jsonl":
        return HISTORY | DERIVED
    return NOT_IN_TABLES if form == "parquet" else frozenset(counts) - ROWS


def _known_choice(snapshot: Snapshot, choice: Choice) -> Choice:
    """The choice with the predicates as they are stored. Raises UnknownName."""
    known = {number: name for name, number in predicates(snapshot.tx).items()}
    names = [known[predicate_id(snapshot, name)] for name in choice.predicates]
    moment, least = choice.as_of or snapshot.when.as_of, max(choice.min_confidence, snapshot.min_confidence)
    return Choice(choice.types, names, choice.sources, choice.community, moment, least)


def _reported(lines: Iterator[str], total: int, progress: Progress) -> Iterator[str]:
    for done, line in enumerate(lines):
        if done % EVERY == 0:
            progress(min(done, total), total, "Exporting")
        yield line


def _form_of(path: Path) -> Form:
    suffix = path.with_suffix("").suffix if path.suffix == ".gz" else path.suffix
    if suffix not in SUFFIXES:
        raise BadInput(f"The form of {path.name} is not clear.", f"Give --format: one of {', '.join(FORMS)}.")
    return SUFFIXES[suffix]


def _check_target(path: Path, form: Form, *, overwrite: bool) -> None:
    if not os.path.lexists(path):
        return
    if not overwrite:
        raise BadInput(f"{path} is there already.", "Name another path, or give --force to replace it.")
    if path.is_symlink() or path.is_dir() != (form in FOLDERS):
        raise BadInput(f"{path} is no earlier export of this form.", "Name another path.")
    if path.is_dir() and any(each.suffix != FOLDERS[form][0] for each in path.iterdir()):
        raise BadInput(f"{path} has files that no export wrote.", "Name another folder.")


def _put_in_place(partial: Path, path: Path) -> None:
    if path.is_dir():
        former = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
        path.replace(former)
        partial.replace(path)
        shutil.rmtree(former)
    else:
        partial.replace(path)
