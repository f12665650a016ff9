"""Indexes as files in the user's cache folder, from which the next process reads them instead of building them.

They are never believed over the graph. One counts only while the graph file and its log are as its process has left
them (inode, size and times), or while it is of the same database, of which nothing was removed for good since; and if
it is whole. Else it is deleted, and the index is built. All may be deleted at any time. They hold words, names and
titles of the graph, so they are for their user alone.
"""

import json
import os
import pickle
import zlib
from contextlib import suppress
from dataclasses import is_dataclass
from functools import cache, reduce
from io import BytesIO
from pathlib import Path
from typing import Any

import platformdirs

from mcp_graphrag.relay.address import key_of
from mcp_graphrag.store.engine.transaction import HomeState, Reader

MIN_BYTES = 2_000_000  # a smaller index is built as quickly
MAX_BYTES = 2_000_000_000  # of the indexes of all graphs: those saved first go first
ALIGNMENT = 64  # bytes
ARRAYS = ("numpy.dtype", "numpy.ndarray", "numpy._core.numeric._frombuffer", "numpy._core.multiarray._reconstruct")


def saved_path(db: Path, name: str) -> Path:
    """Where an index of a graph file is saved."""
    return platformdirs.user_cache_path("mcp-graphrag") / "indexes" / f"{key_of(db)}-{name}.index"


def load_index(path: Path, tx: Reader) -> tuple[int, Any] | None:
    """The generation of a saved index, at most that of the snapshot, and the index; None where there is none."""
    if tx.found_state is None:
        return None
    try:
        # Read, not mapped: cut short, a mapped file kills the process, and Windows deletes none that is mapped.
        with path.open("rb") as file:
            header = json.loads(file.readline())
            body = bytearray(os.fstat(file.fileno()).st_size - file.tell())
            is_whole = file.readinto(body) == len(body) and zlib.crc32(body) == header["crc"]
        if is_whole and header["of"] == _origin(path, tx.found_state) and header["generation"] <= tx.generation:
            parts, at = list[memoryview](), 0
            for length in header["lengths"]:
                parts.append(memoryview(body)[at : at + length])
                at += length + -length % ALIGNMENT
            return header["generation"], _Unpickler(BytesIO(parts[0]), buffers=parts[1:]).load()
    except Exception:  # noqa: BLE001, S110  (whatever is wrong with it, the index can be built)
        pass
    with suppress(OSError):
        path.unlink(missing_ok=True)
    return None


def save_index(path: Path, generation: int, index: Any, state: HomeState) -> None:
    """Save an index of a home that is closed and in this state, where that can be; None deletes what is outdated."""
    origin, unfinished = _origin(path, state), path.with_suffix(".new")
    with suppress(OSError, ValueError, KeyError), path.open("rb") as file:
        header = json.loads(file.readline())
        if header["of"] == origin and (index is None or header["generation"] == generation):
            return
    buffers: list[pickle.PickleBuffer] = []
    head = pickle.dumps(index, protocol=5, buffer_callback=buffers.append)
    parts = [memoryview(head), *(each.raw() for each in buffers)]
    padded = [piece for part in parts for piece in (part, bytes(-len(part) % ALIGNMENT))]
    crc = reduce(lambda crc, piece: zlib.crc32(piece, crc), padded, 0)
    lengths = [len(part) for part in parts]
    header = {"of": origin, "generation": generation, "crc": crc, "lengths": lengths}
    with suppress(OSError):
        path.unlink(missing_ok=True)
        if index is not None and MIN_BYTES <= sum(lengths) <= MAX_BYTES:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            unfinished.touch(mode=0o600)
            with unfinished.open("wb") as file:
                file.writelines([json.dumps(header).encode() + b"\n", *padded])
            unfinished.replace(path)
            kept = 0
            for found in sorted(path.parent.iterdir(), key=lambda each: -each.stat().st_mtime):
                kept += found.stat().st_size
                if kept > MAX_BYTES:
                    found.unlink(missing_ok=True)


class _Unpickler(pickle.Unpickler):
    """Makes arrays and the dataclasses of indexes, and nothing else: no file can have code run."""

    def find_class(self, module: str, name: str) -> Any:
        is_array = f"{module}.{name}" in ARRAYS
        found = super().find_class(module, name) if is_array or module.startswith("mcp_graphrag.index.") else None
        if is_array or is_dataclass(found):
            return found
        raise pickle.UnpicklingError(name)


def _origin(path: Path, state: HomeState) -> str:
    """Which index it is, of which state of its home, and made by which code."""
    return f"{path.name} {state} {_code()}"


@cache
def _code() -> int:
    """A checksum of what reads rows and makes indexes of them."""
    found = (each for folder in ("index", "store") for each in (Path(__file__).parents[1] / folder).rglob("*"))
    return zlib.crc32(b"".join(each.read_bytes() for each in sorted(found) if each.suffix in {".py", ".sql"}))
