"""New database files: one in place of an empty file, and copies with tables, sequences, views and comments.

DuckDB makes a copy of one state, without free space, and not a copy of the bytes: closing a second handle of the open
file would end the lock on it (POSIX).
"""

import errno
import os
import secrets
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

import duckdb

BLOCK_SIZE = 65_536  # a quarter of the default: a small graph takes half the space

if sys.platform == "win32":

    def _lock(descriptor: int) -> None:
        """Nothing: a file that another process has open cannot be opened."""
else:
    import fcntl

    def _lock(descriptor: int) -> None:
        """Lock a file as DuckDB does. Raises BlockingIOError where another process has."""
        fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def make_database(path: Path) -> None:
    """Make an empty file, as by `touch`, which DuckDB refuses, a database; its permissions and its inode stay.

    Raises BlockingIOError where another process has locked it, and OSError where it cannot be written.
    """
    with tempfile.TemporaryDirectory() as folder:
        new = Path(folder, "new")
        duckdb.connect(str(new), config={"default_block_size": BLOCK_SIZE}).close()
        content = new.read_bytes()
    with path.open("rb+", buffering=0) as file:
        _lock(file.fileno())
        if os.fstat(file.fileno()).st_size:
            return
        written = 0
        try:
            written = file.write(content)
        finally:
            if written < len(content):
                file.truncate(0)
        if written < len(content):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def copy_database(cursor: duckdb.DuckDBPyConnection, target: Path) -> None:
    """Copy the database of a cursor into a new file. What was written of it is removed where this fails.

    Raises duckdb.Error.
    """
    ((source,),) = cursor.execute("SELECT current_database()").fetchall()
    name = f"copy_{secrets.token_hex(8)}"
    cursor.execute(f"ATTACH {_quoted(target)} AS {name} (BLOCK_SIZE {BLOCK_SIZE})")
    try:
        escaped = str(source).replace('"', '""')
        cursor.execute(f'COPY FROM DATABASE "{escaped}" TO {name}')
        cursor.execute(f"CHECKPOINT {name}")
        cursor.execute(f"DETACH {name}")
    except BaseException:
        with suppress(duckdb.Error):
            cursor.execute(f"DETACH {name}")
        for left in (target, target.with_name(target.name + ".wal")):
            left.unlink(missing_ok=True)
        raise


def copy_unopened(source: Path, target: Path, memory_limit: str) -> None:
    """Copy the database in a file into a new file; the first stays as it is. Raises duckdb.Error."""
    config: dict[str, str | bool | int | float | list[str]] = {
        "memory_limit": memory_limit,
        "autoinstall_known_extensions": False,
    }
    with duckdb.connect(":memory:", config=config) as connection:
        connection.execute(f"ATTACH {_quoted(source)} AS source (READ_ONLY, TYPE duckdb); USE source")
        copy_database(connection, target)


def _quoted(path: Path) -> str:
    text = str(path).replace("'", "''")
    return f"'{text}'"
