"""Safe reading of files: regular files only, never more bytes than allowed, no links followed."""

import codecs
import os
import stat
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from mcp_graphrag.errors import Unreadable
from mcp_graphrag.ingest.encodings import MIN_CERTAINTY, detect
from mcp_graphrag.ingest.readers import is_binary_format
from mcp_graphrag.model import Skipped

_SNIFF_BYTES = 8192
_O_PATH: int = getattr(os, "O_PATH", 0)  # of Linux: to open a folder that may not be listed
_BINARY_SUFFIX_LIST = (
    ".7z .a .avi .avif .bin .bmp .bz2 .class .dat .db .dll .dmg .doc .docm .duckdb .dylib .ear .eot .epub .exe .flac"
    " .gif .gz .heic .ico .iso .jar .jpeg .jpg .lz4 .m4a .mkv .mov .mp3 .mp4 .npy .npz .o .obj .odp .ods .odt .ogg"
    " .onnx .otf .parquet .pickle .pkl .png .ppt .pptm .psd .pt .pyc .pyd .rar .safetensors .so .sqlite .sqlite3"
    " .tar .tgz .tif .tiff .ttf .wal .war .wasm .wav .webm .webp .whl .woff .woff2 .xls .xlsb .xlsm .xz .zip .zst"
)
_BINARY_SUFFIXES = frozenset(_BINARY_SUFFIX_LIST.split())


@dataclass(frozen=True)
class FoundFile:
    """A file to read. `path` is its real path, `name` its path as the caller wrote it, `max_bytes` the size limit.

    `modified` is when it was last written, naive UTC; `identity` is its device and inode, `links` counts its names.
    """

    path: Path
    name: str
    size: int
    max_bytes: int
    modified: datetime
    identity: tuple[int, int]
    links: int


def inspect_file(path: Path, name: str, max_bytes: int) -> FoundFile | Skipped:
    """The file at a real path, or the reason to skip it: by suffix, kind, size or its first 8 KB."""
    suffix = path.suffix.lower()
    if suffix in _BINARY_SUFFIXES:
        return Skipped(name, f"no reader for {suffix} files")
    try:
        descriptor, size = _open(path, name, max_bytes)
    except OSError as error:
        return Skipped(name, f"unreadable: {error.strerror}")
    except Unreadable as error:
        return Skipped(name, error.reason)
    with os.fdopen(descriptor, "rb") as file:
        start = file.read(_SNIFF_BYTES)
        status = os.fstat(file.fileno())
    if not start:
        return Skipped(name, "empty")
    if (
        b"\0" in start
        and not is_binary_format(suffix)
        and not start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
        and detect(start)[1] < MIN_CERTAINTY  # of UTF-16 without its mark
    ):
        return Skipped(name, "binary")
    modified = datetime.fromtimestamp(status.st_mtime, UTC).replace(tzinfo=None)
    return FoundFile(path, name, size, max_bytes, modified, (status.st_dev, status.st_ino), status.st_nlink)


def read_found_file(file: FoundFile) -> bytes:
    """The content of a found file.

    Raises Unreadable if it can no longer be read, exceeds its limit, or has been replaced since.
    """
    try:
        descriptor, _ = _open(file.path, file.name, file.max_bytes)
        with os.fdopen(descriptor, "rb") as stream:
            content = stream.read(file.max_bytes + 1)
            status = os.fstat(descriptor)
            moved = _opened_path(descriptor) != str(file.path) and not _is_at(file.path, status)
            # Its links were counted when it was found; another file in its place may be a link to anything.
            moved |= status.st_nlink > 1 and (status.st_dev, status.st_ino) != file.identity
    except (OSError, RuntimeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "a loop of links"
        raise _unreadable(file.name, str(reason), "Check that it exists and is readable.") from error
    if moved:
        reason = "was replaced while it was being read"
        raise Unreadable(f"{file.name} {reason}.", "Ingest it again.", reason)
    if len(content) > file.max_bytes:
        raise _unreadable(file.name, _too_large(len(content), file.max_bytes), "Leave it out.")
    return content


def display_path(path: Path) -> str:
    """A path as valid Unicode, whatever bytes its name consists of."""
    return os.fsencode(path).decode("utf-8", "replace")


def _unreadable(name: str, reason: str, hint: str) -> Unreadable:
    return Unreadable(f"{name} cannot be read: {reason}.", hint, reason)


def _open(path: Path, name: str, max_bytes: int) -> tuple[int, int]:
    """A file descriptor and the size; pipes and devices are never opened, so that nothing blocks."""
    _check(path.lstat(), name, max_bytes)
    flags = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    descriptor = os.open(path, flags)
    try:
        status = os.fstat(descriptor)
        _check(status, name, max_bytes)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor, status.st_size


def _opened_path(descriptor: int) -> str:
    """The real path of an open file, as Linux tells it in one call however deep it is; "" where it is unknown."""
    try:
        return os.readlink(f"/proc/self/fd/{descriptor}")  # noqa: PTH115  (a Path would drop what is no part of it)
    except OSError:
        return ""


def _is_at(path: Path, status: os.stat_result) -> bool:
    """Whether an open file has this real path, which leads through no link.

    Each folder is opened from the one above it, as a link may take the place of a folder between two looks at a path.
    """
    if not _O_PATH:
        return path.resolve() == path and _is_same(status, path.lstat())
    folder = os.open(path.anchor, _O_PATH)
    try:
        for name in path.parts[1:-1]:
            above, folder = folder, os.open(name, _O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=folder)
            os.close(above)
        return os.path.samestat(status, os.stat(path.name, dir_fd=folder, follow_symlinks=False))
    except OSError:
        return False
    finally:
        os.close(folder)


def _check(status: os.stat_result, name: str, max_bytes: int) -> None:
    is_regular = stat.S_ISREG(status.st_mode)
    if is_regular and not status.st_size:
        raise _unreadable(name, "empty", "Leave it out.")
    if not is_regular or status.st_size > max_bytes:
        reason = _too_large(status.st_size, max_bytes) if is_regular else "not a regular file"
        raise _unreadable(name, reason, "Leave it out, or raise the setting max_file_mb.")


def _too_large(size: int, max_bytes: int) -> str:
    return f"larger than max_file_mb: {size:,} bytes, the limit is {max_bytes:,}"


def _is_same(first: os.stat_result, second: os.stat_result) -> bool:
    # Some Windows file systems have no inode numbers; there the comparison of real paths has to suffice.
    return first.st_ino == 0 or second.st_ino == 0 or os.path.samestat(first, second)
