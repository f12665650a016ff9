"""Backup and restore: a consistent copy of the file while it serves, and a copy put in its place."""

import os
import shutil
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from mcp_graphrag.errors import (
    NO_SPACE,
    BadInput,
    DiskFull,
    FileLocked,
    FileTooNew,
    FileTrouble,
    GraphragError,
    NotAGraph,
    as_graphrag_error,
)
from mcp_graphrag.snapshot import GraphFile
from mcp_graphrag.store import Store
from mcp_graphrag.store.changes.problem_rows import LiveCounts
from mcp_graphrag.store.engine.file_state import has_content, is_duckdb_file, log_of, make_folder, sync
from mcp_graphrag.store.engine.new_files import new_file_beside, remove_leftovers
from mcp_graphrag.store.engine.transaction import now
from mcp_graphrag.verify.verify import Problem, verify

NAME_BACKUP = "Name a file that `mcp-graphrag backup` wrote."


@dataclass(frozen=True)
class Backup:
    """A copy that was verified: its size, what is in force in it, and what `verify` finds in it as in the file."""

    path: Path
    bytes: int
    counts: LiveCounts
    problems: Sequence[Problem]


@dataclass(frozen=True)
class Restored:
    """What is in force in the restored file, and what `verify` finds in it.

    `former` is where the former file is now, None where there was none.
    """

    path: Path
    counts: LiveCounts
    problems: Sequence[Problem]
    former: Path | None


def file_of(graph: GraphFile) -> Store:
    """The file that a graph is in. Raises BadInput where it is in a database."""
    if isinstance(graph.store, Store):
        return graph.store
    raise BadInput("This graph is in a PostgreSQL database, not in a file.", "Use pg_dump, pg_restore and VACUUM.")


def back_up(graph: GraphFile, target: Path, *, overwrite: bool) -> Backup:
    """Copy one state of the file to a new one; reads and writes go on meanwhile.

    The copy is verified before it gets its name. Raises BadInput for a target that is there already, unless told to
    overwrite it and it is a DuckDB file; FileTrouble where the copy cannot be written or opened.
    """
    file_of(graph)
    target = target.expanduser().absolute()
    _check_target(graph, target, overwrite=overwrite)
    hint = "Name a file in a folder that can be written."
    with _faults_of(target, hint, copied_to=target, written=target):
        make_folder(target)
    try:
        remove_leftovers(target)
        with new_file_beside(target) as copy:
            with _faults_of(target, hint, copied_to=copy, written=target):
                file_of(graph).copy_to(copy)
            counts, problems = verified(graph, copy)
            sync(copy)
            _check_target(graph, target, overwrite=overwrite)
            copy.replace(target)
            sync(target)
    except OSError as error:
        raise _writing_fault(error, target) from error
    return Backup(target, target.stat().st_size, counts, problems)


def restore(graph: GraphFile, source: Path) -> Restored:
    """Put a copy of a backup in place of the file; the former one is kept beside it.

    Raises BadInput where there is no such backup, FileTrouble where it cannot be opened, where a job writes, or where
    another process has the file open. The file is then as it was.
    """
    file_of(graph)
    source = source.expanduser().absolute()
    if not source.is_file():
        raise BadInput(f"There is no file {source}.", NAME_BACKUP)
    if is_same_file(source, graph.store.path):
        raise BadInput(f"{source} is the file itself.", NAME_BACKUP)
    try:
        graph.store.path.parent.mkdir(parents=True, exist_ok=True)
        with new_file_beside(graph.store.path) as copy:
            with _faults_of(source, NAME_BACKUP, copied_to=copy, written=graph.store.path):
                file_of(graph).copy_in(source, copy)
                counts, problems = verified(graph, copy)
            with graph.store.writes_paused():
                former = exchange(graph, copy)
    except OSError as error:
        raise _writing_fault(error, graph.store.path) from error
    return Restored(graph.store.path, counts, problems, former)


@contextmanager
def _faults_of(path: Path, hint: str, *, copied_to: Path, written: Path) -> Generator[None]:
    """What goes wrong in the block told of the file that the caller named, and not of the copy, with another hint.

    A file that another process has open and a file that is too new have their own; where there is no space, the file
    that was to be written is named.
    """
    try:
        yield
    except DiskFull as error:
        raise DiskFull(written) from error
    except FileLocked:
        raise
    except FileTrouble as error:
        if error.path not in {path, copied_to}:
            raise
        kind = NotAGraph if isinstance(error, NotAGraph) else FileTrouble
        told = error.hint if isinstance(error, FileTooNew) else hint
        raise kind(path, error.fact.replace(str(copied_to), str(path)), told) from error


def _writing_fault(error: OSError, path: Path) -> GraphragError:
    """The error for one of the system, which names the file that was to be written where there is no space for it."""
    return DiskFull(path) if error.errno in NO_SPACE else as_graphrag_error(error)


def verified(graph: GraphFile, copy: Path) -> tuple[LiveCounts, Sequence[Problem]]:
    """What is in force in a copy, and what is wrong with it; the copy is closed again, without a log."""
    opened = GraphFile(replace(graph.settings, db=copy, read_only=False), embedders=graph.embedders)
    try:
        found = verify(opened)
        opened.store.checkpoint()
    finally:
        opened.close()
    return found.counts, found.problems


def exchange(graph: GraphFile, new: Path) -> Path | None:
    """Put a new file in place of the graph's, whose writes are paused; where the former one is now, None without one.

    Raises FileTrouble if the graph's file is in use, and OSError; the former file is back in place then.
    """
    store = file_of(graph)
    _check_unlocked(graph)
    sync(new)
    with store.closed():
        if not store.path.exists():
            new.replace(store.path)
            return None
        former = store.path.with_name(f"{store.path.name}.{now():%Y%m%dT%H%M%S}.former")
        shutil.copymode(store.path, new)
        moved = [(each, there) for each, there in zip(_both(store.path), _both(former), strict=True) if each.exists()]
        try:
            for each, there in moved:
                each.replace(there)
            new.replace(store.path)
        except OSError:
            for each, there in moved:
                if there.exists() and not each.exists():
                    there.replace(each)
            raise
        sync(store.path)
        return former


def is_same_file(one: Path, other: Path) -> bool:
    """Whether two paths name one file."""
    with suppress(OSError):
        return one.samefile(other)
    return False


def _both(path: Path) -> tuple[Path, Path]:
    return path, log_of(path)


def _check_unlocked(graph: GraphFile) -> None:
    """Raise FileLocked where another process has the file open. One that cannot be opened at all may be replaced."""
    if not graph.store.path.exists():
        return
    try:
        with graph.store.held():
            return
    except FileLocked:
        raise
    except GraphragError:
        return


def _check_target(graph: GraphFile, target: Path, *, overwrite: bool) -> None:
    if is_same_file(target, graph.store.path) or target in _both(graph.store.path):
        raise BadInput(f"{target} is the file itself.", "Name another file for the backup.")
    if has_content(log_of(target)):
        raise FileTrouble(target, f"{log_of(target)} is there: {target} is in use.", "Name another file.")
    if not os.path.lexists(target):
        return
    if target.is_dir():
        raise BadInput(f"{target} is a folder.", "Name a file in it for the backup.")
    if not overwrite:
        raise BadInput(
            f"{target} is there already.", "Name another file, or give overwrite to replace an earlier backup."
        )
    if not target.is_file() or not is_duckdb_file(target):
        raise BadInput(f"{target} is no backup.", "Only an earlier backup is overwritten: name another file.")
