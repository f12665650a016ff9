"""A file on the way in: looked at, then read, never more than allowed and never anything but a regular file."""

import codecs
import os
import stat
from dataclasses import dataclass
from pathlib import Path

from mcp_graphrag.errors import BadInput, NotAllowed
from mcp_graphrag.model import Skipped

_SNIFFED = 8192
_NOT_TEXT_SUFFIXES = (
    ".7z .a .avi .avif .bin .bmp .bz2 .class .dat .db .dll .dmg .doc .docx .duckdb .dylib .ear .eot .epub .exe .flac"
    " .gif .gz .heic .ico .iso .jar .jpeg .jpg .lz4 .m4a .mkv .mov .mp3 .mp4 .npy .npz .o .obj .odp .ods .odt .ogg"
    " .onnx .otf .parquet .pdf .pickle .pkl .png .ppt .pptx .psd .pt .pyc .pyd .rar .safetensors .so .sqlite .sqlite3"
    " .tar .tgz .tif .tiff .ttf .wal .war .wasm .wav .webm .webp .whl .woff .woff2 .xls .xlsx .xz .zip .zst"
)
_NOT_TEXT = frozenset(_NOT_TEXT_SUFFIXES.split())


@dataclass(frozen=True)
class Found:
    """A file to read. `path` is its real path, `name` its path as the caller would write it, `max_bytes` its limit."""

    path: Path
    name: str
    size: int
    max_bytes: int


class _Unfit(Exception):
    """The file is not to be ingested; the message is the reason."""


def look(path: Path, name: str, max_bytes: int) -> Found | Skipped:
    """The file at a real path, or why it is left out: by suffix, kind, size or its first 8 KB."""
    suffix = path.suffix.lower()
    if suffix in _NOT_TEXT:
        return Skipped(name, f"no reader for {suffix} files")
    try:
        descriptor, size = _open(path, max_bytes)
    except OSError as error:
        return Skipped(name, f"unreadable: {error.strerror}")
    except _Unfit as unfit:
        return Skipped(name, str(unfit))
    with os.fdopen(descriptor, "rb") as file:
        start = file.read(_SNIFFED)
    if not start:
        return Skipped(name, "empty")
    if b"\0" in start and not start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return Skipped(name, "binary")
    return Found(path, name, size, max_bytes)


def read_found(found: Found) -> bytes:
    """The content of a file that was found.

    Raises `BadInput` where it cannot be read any more or has outgrown its limit, and `NotAllowed` where a link has
    taken its place since.
    """
    try:
        descriptor, _ = _open(found.path, found.max_bytes)
        with os.fdopen(descriptor, "rb") as file:
            content = file.read(found.max_bytes + 1)
            moved = found.path.resolve() != found.path or not _is_same(os.fstat(file.fileno()), found.path.lstat())
    except (OSError, RuntimeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "a loop of links"
        raise BadInput(f"{found.name} cannot be read: {reason}.", "Check that it exists and is readable.") from error
    except _Unfit as unfit:
        raise BadInput(f"{found.name} cannot be read: {unfit}.", "Leave it out, or raise the limit.") from unfit
    if moved:
        raise NotAllowed(f"{found.name} was replaced while it was read.", "Ingest it again.")
    if len(content) > found.max_bytes:
        raise BadInput(f"{found.name} cannot be read: {_too_large(len(content), found.max_bytes)}.", "Leave it out.")
    return content


def shown(path: Path) -> str:
    """A path as text that can be stored and sent, whatever bytes its name is made of."""
    return os.fsencode(path).decode("utf-8", "replace")


def _open(path: Path, max_bytes: int) -> tuple[int, int]:
    """A descriptor and the size. A pipe or device is never opened, and nothing waits."""
    _check(path.lstat(), max_bytes)
    flags = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    descriptor = os.open(path, flags)
    try:
        status = os.fstat(descriptor)
        _check(status, max_bytes)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor, status.st_size


def _check(status: os.stat_result, max_bytes: int) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise _Unfit("not a regular file")
    if status.st_size > max_bytes:
        raise _Unfit(_too_large(status.st_size, max_bytes))


def _too_large(size: int, max_bytes: int) -> str:
    return f"too large: {size:,} bytes, the limit is {max_bytes:,}"


def _is_same(one: os.stat_result, other: os.stat_result) -> bool:
    # Some Windows file systems have no file numbers; there the real path has to be enough.
    return one.st_ino == 0 or other.st_ino == 0 or os.path.samestat(one, other)
