"""What DuckDB's errors mean to a caller; it has a class for each kind, but for a full disk only text."""

import errno
import os
import re
from contextlib import suppress
from pathlib import Path

import duckdb

from mcp_graphrag.errors import NO_SPACE, BadInput, DiskFull, FileDamaged, FileLocked, FileTrouble, NotAGraph
from mcp_graphrag.store.engine.file_state import is_duckdb_file, log_of

FULL = ("No space left", "File too large", "quota exceeded", "max_temp_directory_size")
READ_ONLY = "Read-only file system"
DENIED = ("Permission denied", "Access is denied", "Operation not permitted", READ_ONLY)
LOCK_HOLDER = re.compile(r"held in (?P<program>.+?) \(PID (?P<pid>\d+)\)")
LOCK_MESSAGES = ("could not set lock", "being used by another process")
DAMAGED = ("orrupt", "checksum", "ould not read enough bytes", "read all bytes", "truncated", "deserialize")
# Of the file and the machine; errors of other classes are those of a statement, which is a defect.
FAULTS = (
    duckdb.IOException,
    duckdb.TransactionException,
    duckdb.FatalException,
    duckdb.InternalException,
    duckdb.SerializationException,
    duckdb.OutOfMemoryException,
)
VALUES = (duckdb.ConversionException, duckdb.OutOfRangeException)


def fault_of(error: duckdb.Error, path: Path) -> Exception:
    """The error of this package for one of DuckDB, or the error itself if it is a defect."""
    message = first_line(error)
    if any(text in message for text in FULL):
        return DiskFull(path)
    if any(text in message for text in DENIED):
        return _denied(path, message)
    if isinstance(error, duckdb.OutOfMemoryException):
        return FileTrouble(
            path, "The call needs more memory than memory_limit.", "Ask for less at once, or raise the setting."
        )
    if isinstance(error, VALUES):
        return BadInput(f"A value does not fit: {message}.", "Correct the arguments and call again.")
    return _trouble(error, path, message) if isinstance(error, FAULTS) else error


def _trouble(error: duckdb.Error, path: Path, message: str) -> FileTrouble:
    if any(text in message for text in DAMAGED) or isinstance(error, duckdb.SerializationException):
        return FileDamaged(path, message)
    if invalidates(error):
        return FileTrouble(path, f"{path} was closed after a fault: {message}.", "Call again: it is opened anew.")
    return FileTrouble(path, f"{path} could not be read or written: {message}.", "Check the disk and the permissions.")


def _denied(path: Path, message: str) -> FileTrouble:
    """The error for what the system does not let this process do with a file."""
    why = "the file system is read-only" if READ_ONLY in message else "permission denied"
    if not path.exists():
        return FileTrouble(
            path, f"{path} cannot be made: {why}.", "Name a file with --db in a folder that can be written."
        )
    if not os.access(path, os.R_OK, effective_ids=os.access in os.supports_effective_ids):
        return FileTrouble(path, f"{path} cannot be read: {why}.", "Let the user of this process read it.")
    what = "a log in its folder cannot be made" if log_of(path).name in message else "it cannot be opened for writing"
    hint = "Let the user of this process write it and its folder, or start with --read-only to read it."
    return FileTrouble(path, f"{path} cannot be written: {what}, {why}.", hint)


def invalidates(error: duckdb.Error) -> bool:
    """Whether DuckDB refuses to use the open file after an error; it works again once it was closed."""
    return isinstance(error, duckdb.FatalException | duckdb.InternalException) or "invalidated" in str(error)


def first_line(error: BaseException) -> str:
    """The first line of an error's message, without a final period."""
    return str(error).partition("\n")[0].rstrip(".")


def opening_fault(error: duckdb.Error, path: Path) -> FileTrouble:
    """The error of this package for one of DuckDB on opening a file."""
    message = str(error)
    if any(text in message.lower() for text in LOCK_MESSAGES):
        holder = LOCK_HOLDER.search(message)
        pid, program = (int(holder["pid"]), Path(holder["program"]).name) if holder else (None, "")
        return FileLocked(path, pid, program)
    if "not a valid DuckDB database" in message:
        return not_a_graph(path)
    if any(text in message for text in DENIED):
        return _denied(path, message)
    if isinstance(fault := fault_of(error, path), DiskFull | FileDamaged):
        return fault
    with suppress(OSError):
        if path.exists() and not is_duckdb_file(path):  # DuckDB looks for the extension of what it seems to be
            return not_a_graph(path)
    return FileTrouble(path, f"{path} cannot be opened: {first_line(error)}.", "Check the disk and the permissions.")


def making_fault(error: OSError, path: Path) -> FileTrouble:
    """The error of this package for one of the system on making a file."""
    if error.errno in NO_SPACE:
        return DiskFull(path)
    if error.errno in {errno.EACCES, errno.EPERM, errno.EROFS}:
        return _denied(path, READ_ONLY if error.errno == errno.EROFS else "")
    fact = f"{path} cannot be made: {error.strerror}."
    return FileTrouble(path, fact, "Check the disk and the permissions.")


def not_a_graph(path: Path) -> NotAGraph:
    """The error for a file of another format."""
    return NotAGraph(path, f"{path} is not a DuckDB file.", "Name another file with --db.")
