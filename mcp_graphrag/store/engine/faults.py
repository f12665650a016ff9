"""What DuckDB's errors mean to a caller; it has a class for each kind, but for a full disk only text."""

from pathlib import Path

import duckdb

from mcp_graphrag.errors import BadInput, DiskFull, FileDamaged, FileTrouble

FULL = ("No space left", "File too large", "quota exceeded", "max_temp_directory_size")
DAMAGED = ("orrupt", "checksum", "could not read enough bytes", "read all bytes", "truncated", "deserialize")
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


def invalidates(error: duckdb.Error) -> bool:
    """Whether DuckDB refuses to use the open file after an error; it works again once it was closed."""
    return isinstance(error, duckdb.FatalException | duckdb.InternalException) or "invalidated" in str(error)


def first_line(error: BaseException) -> str:
    """The first line of an error's message, without a final period."""
    return str(error).partition("\n")[0].rstrip(".")
