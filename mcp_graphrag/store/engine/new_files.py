"""New files beside a graph: an empty database, its log, and copies with tables, sequences, views and comments.

DuckDB makes a copy of one state, without free space, and not a copy of the bytes: closing a second handle of the open
file would end the lock on it (POSIX).
"""

import os
import re
import secrets
import stat
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

import duckdb
from filelock import FileLock, Timeout

from mcp_graphrag.store.engine.file_state import log_of
from mcp_graphrag.store.engine.log_end import mark_of
from mcp_graphrag.store.engine.statements import literal

BLOCK_SIZE = 65_536  # a quarter of the default: a small graph takes half the space
PRIVATE = 0o600


def make_database(path: Path) -> None:
    """Make a new database, which is under its name when it is complete; one that is there already stays.

    Raises duckdb.Error and OSError.
    """
    with new_file_beside(path) as new:
        duckdb.connect(str(new), config={"default_block_size": BLOCK_SIZE}).close()
        make_private(new)
        try:
            os.link(new, path)
        except FileExistsError:
            return
        except OSError:  # a file system without links
            with suppress(FileExistsError), path.open("xb") as file:
                file.write(new.read_bytes())
            make_private(path)


def make_private(path: Path) -> None:
    """Let nobody else read a new file, where its folder is the user's own; where there are no such rights, nothing."""
    if os.name == "posix" and path.parent.stat().st_uid == os.geteuid():
        with suppress(OSError):
            path.chmod(PRIVATE)


def make_log(path: Path) -> None:
    """Make the log of a file where there is none, with the permissions of the file, which DuckDB would not give it."""
    if os.name != "posix":
        return
    with suppress(OSError):  # DuckDB reports what cannot be made
        log, mode = log_of(path), path.stat().st_mode & 0o666
        if not log.exists():
            os.close(os.open(log, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode))
        elif log.stat().st_mode & 0o777 != mode:
            log.chmod(mode)


@contextmanager
def new_file_beside(path: Path) -> Generator[Path]:
    """A name for a new file in the same folder, which is gone at the end of the block if it still has that name.

    A lock beside it tells others that it is being written. Raises OSError.
    """
    new = path.with_name(f".{path.name}.{secrets.token_hex(4)}.new")
    lock = FileLock(_lock_of(new), timeout=0, mode=PRIVATE)
    with suppress(OSError):  # where nothing can be made, who writes the new file says so
        lock.acquire()
    try:
        yield new
    finally:
        _remove_all(new)
        lock.release()


def remove_leftovers(path: Path) -> None:
    """Remove the new files beside a file that ended with the process that wrote them; those in work stay."""
    own = re.compile(rf"(\.{re.escape(path.name)}\.[0-9a-f]{{8}}\.new)(?:\..+)?")
    for name in {found[1] for each in path.parent.iterdir() if (found := own.fullmatch(each.name))}:
        new = path.with_name(name)
        if os.path.lexists(new) and not stat.S_ISREG(new.lstat().st_mode):
            continue
        with suppress(Timeout, OSError), FileLock(_lock_of(new), timeout=0, mode=PRIVATE):
            _remove_all(new)


def _lock_of(new: Path) -> Path:
    return new.with_name(f"{new.name}.lock")


def _remove_all(new: Path) -> None:
    """Remove a new file, its log, its mark and its lock, which this process has."""
    for left in (new, log_of(new), mark_of(new)):
        left.unlink(missing_ok=True)
    with suppress(OSError):  # an open file cannot be removed on every system; it is empty
        _lock_of(new).unlink(missing_ok=True)


def copy_database(cursor: duckdb.DuckDBPyConnection, target: Path) -> None:
    """Copy the database of a cursor into a new file. What was written of it is removed where this fails.

    Raises duckdb.Error.
    """
    ((source,),) = cursor.execute("SELECT current_database()").fetchall()
    name = f"copy_{secrets.token_hex(8)}"
    cursor.execute(f"ATTACH {literal(str(target))} AS {name} (BLOCK_SIZE {BLOCK_SIZE})")
    try:
        make_private(target)
        make_log(target)
        escaped = str(source).replace('"', '""')
        cursor.execute(f'COPY FROM DATABASE "{escaped}" TO {name}')
        cursor.execute(f"CHECKPOINT {name}")
        cursor.execute(f"DETACH {name}")
    except BaseException:
        with suppress(duckdb.Error):
            cursor.execute(f"DETACH {name}")
        for left in (target, log_of(target)):
            left.unlink(missing_ok=True)
        raise


def copy_unopened(source: Path, target: Path, memory_limit: str) -> None:
    """Copy the database in a file into a new file; the first stays as it is. Raises duckdb.Error."""
    config: dict[str, str | bool | int | float | list[str]] = {
        "memory_limit": memory_limit,
        "autoinstall_known_extensions": False,
    }
    with duckdb.connect(":memory:", config=config) as connection:
        connection.execute(f"ATTACH {literal(str(source))} AS source (READ_ONLY, TYPE duckdb); USE source")
        copy_database(connection, target)
