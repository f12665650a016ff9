"""What a file and its write-ahead log are on disk: which file a path names, whether it has changed, and moves aside.

Nothing but `is_duckdb_file` opens the graph file itself: closing it again would end this process's lock on it.
"""

import os
import shutil
from itertools import chain, count
from pathlib import Path

from mcp_graphrag.errors import BadInput, FileTrouble
from mcp_graphrag.store.engine.transaction import FileState, now

WAL_MAGIC = b"\x64\x00\x62"  # the version entry; DuckDB would silently delete a log that starts differently


DUCKDB_MAGIC = b"DUCK"  # at byte 8 of a file


def is_duckdb_file(path: Path) -> bool:
    """Whether a file that this process does not have open starts as one of DuckDB. Raises OSError."""
    with path.open("rb") as content:
        return content.read(12)[8:] == DUCKDB_MAGIC


def log_of(path: Path) -> Path:
    """The write-ahead log of a DuckDB file."""
    return path.with_name(path.name + ".wal")


def is_valid_log(log: Path) -> bool:
    """Whether a log is missing, empty or starts as one of DuckDB."""
    try:
        with log.open("rb") as content:
            head = content.read(len(WAL_MAGIC))
    except OSError:
        return True  # there is none, or DuckDB reports the error
    return head == WAL_MAGIC[: len(head)]


def has_content(path: Path) -> bool:
    """Whether a file or log is there and not empty."""
    found = _stat(path)
    return found is not None and found.st_size > 0


def check_path(path: Path) -> None:
    """Raise BadInput for a path that names something other than a file."""
    if path.is_dir():
        raise BadInput(f"{path} is a folder.", "Name a file in it, such as graph.duckdb.")
    if any(each.exists() and not each.is_file() for each in (path, log_of(path))):
        raise BadInput(f"{path} or its log is a pipe or a device.", "Name a file, such as graph.duckdb.")
    if path.name == ":memory:":  # several processes may use a graph, each of which closes the file when idle
        raise BadInput("A graph is kept in a file and not in memory.", "Name a file, such as graph.duckdb.")


def make_folder(path: Path) -> None:
    """Make the folder of a file. Raises FileTrouble."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        fact = f"The folder of {path} cannot be made: {error.strerror}."
        raise FileTrouble(path, fact, "Name a file with --db in a folder that can be written.") from error


def file_id(path: Path) -> tuple[int, int] | None:
    """(device, inode) of the file under a path, None where there is none."""
    found = _stat(path)
    return (found.st_dev, found.st_ino) if found else None


def file_state(path: Path) -> FileState:
    """(inode, size, mtime and ctime in ns) of the file and of its write-ahead log, None for a missing one."""
    found = (_stat(path), _stat(log_of(path)))
    return tuple(each and (each.st_ino, each.st_size, each.st_mtime_ns, each.st_ctime_ns) for each in found)


def _stat(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except OSError:
        return None


def set_log_aside(path: Path) -> Path:
    """Where the log of a file was moved to, with the time in its name. Raises OSError."""
    return log_of(path).rename(_quarantine_of(path))


def copy_log_aside(path: Path) -> Path:
    """Where the log of a file was copied to as `set_log_aside` names it; empty where there is none. Raises OSError."""
    log, aside = log_of(path), _quarantine_of(path)
    if log.exists():
        shutil.copy(log, aside)
    else:
        aside.touch(mode=0o600)
    sync(aside)
    return aside


def _quarantine_of(path: Path) -> Path:
    """A name for a log set aside that no other has: an earlier one of the same second is kept."""
    log, at = log_of(path), f"{now():%Y%m%dT%H%M%S}"
    names = chain([at], (f"{at}.{number}" for number in count(2)))
    return next(aside for name in names if not (aside := log.with_name(f"{log.name}.{name}.quarantine")).exists())


def sync(path: Path) -> None:
    """Write a file and its place in its folder to the disk, as far as the system can. Raises OSError for the file."""
    with path.open("rb+") as content:
        os.fsync(content.fileno())
    if os.name == "posix":
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
