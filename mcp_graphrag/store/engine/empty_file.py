"""An existing file without content, as `touch` makes it, which DuckDB refuses: it is made a database first."""

import errno
import os
import sys
import tempfile
from pathlib import Path

import duckdb

from mcp_graphrag.store.engine.copy_database import BLOCK_SIZE

if sys.platform == "win32":

    def _lock(descriptor: int) -> None:
        """Nothing: a file that another process has open cannot be opened."""
else:
    import fcntl

    def _lock(descriptor: int) -> None:
        """Lock a file as DuckDB does. Raises BlockingIOError where another process has."""
        fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def is_empty(path: Path) -> bool:
    """Whether a file is there and has no content."""
    try:
        return path.stat().st_size == 0
    except OSError:
        return False


def make_database(path: Path) -> None:
    """Make an empty file a database without tables; its permissions and its inode stay.

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
