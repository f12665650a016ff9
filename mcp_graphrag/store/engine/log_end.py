"""How far a write-ahead log reaches, and how far it must: DuckDB replays one that was cut short without a word.

A log has a header and then entries: size and checksum, 8 bytes each, and that many bytes, of which the third is the
kind. Each write ends with an entry of a kind of its own, so a log that was cut between two writes looks whole.
"""

import mmap
import os
import struct
import zlib
from contextlib import suppress
from pathlib import Path

from mcp_graphrag.store.engine.file_state import log_of

HEADER = b"\x64\x00\x62\x65\x00\x02\xff\xff"  # the version entry, of version 2, and nothing else
ENTRY = struct.Struct("<QQHB")  # size, checksum, and the first bytes: field 100, the kind of the entry
KIND_FIELD = 100
END_OF_WRITE = 100
MARK = struct.Struct("<qqqI")


def log_size(path: Path) -> int:
    """The bytes of the log of a file, 0 where there is none."""
    try:
        return log_of(path).stat().st_size
    except OSError:
        return 0


def last_write_end(log: Path) -> int:
    """The bytes of a log up to the end of its last whole write: what DuckDB replays of it, or fails to.

    All of it where it is of a form that this version of DuckDB does not write. Raises OSError.
    """
    if not log.exists() or not (size := log.stat().st_size):
        return 0
    with log.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        if content[: len(HEADER)] != HEADER[:size]:
            return size
        position, end = len(HEADER), 0
        while position + ENTRY.size <= size:
            length, _, field, kind = ENTRY.unpack_from(content, position)
            position += 16 + length
            if field != KIND_FIELD or position > size:
                break
            if kind == END_OF_WRITE:
                end = position
        return end


class LogMark:
    """A small file beside an open graph that says how many bytes of its log are acknowledged.

    It is written after each commit and not synced: the end of the process leaves it right, that of the machine at most
    too low. It counts as long as the graph file has the size and the time of its last change that it had then, as only
    a checkpoint changes the file. Who opens the file for writing makes it, who closes it removes it.
    """

    def __init__(self, path: Path) -> None:
        """Begin a new one. Where none can be made, a cut between two writes is not noticed."""
        self._path = path
        self._file: int | None = None
        forget_acknowledged(path)
        with suppress(OSError):
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
            self._file = os.open(mark_of(path), flags, 0o600)
        self.write()

    def write(self) -> None:
        """Say that what the log has now is acknowledged."""
        if self._file is not None:
            with suppress(OSError):
                os.lseek(self._file, 0, os.SEEK_SET)
                os.write(self._file, _packed(self._path, log_size(self._path)))

    def remove(self) -> None:
        """Take it away, before the file is closed: who opens it next has a mark of its own."""
        if self._file is not None:
            os.close(self._file)
            self._file = None
            forget_acknowledged(self._path)


def forget_acknowledged(path: Path) -> None:
    """Remove the mark of a file, as far as the system lets."""
    with suppress(OSError):
        mark_of(path).unlink(missing_ok=True)


def mark_of(path: Path) -> Path:
    """The mark of a graph file."""
    return path.with_name(f".{path.name}.wal.acknowledged")


def acknowledged_bytes(path: Path) -> int | None:
    """How many bytes of the log of a file are acknowledged; None where the file has changed since, or nobody said."""
    try:
        content = mark_of(path).read_bytes()
        acknowledged = MARK.unpack(content)[2]
        return acknowledged if content == _packed(path, acknowledged) else None
    except (OSError, struct.error):
        return None


def _packed(path: Path, acknowledged: int) -> bytes:
    found = path.stat()
    values = (found.st_mtime_ns, found.st_size, acknowledged)
    return MARK.pack(*values, zlib.crc32(repr(values).encode()))
