"""Where the owner of a graph file is found: a lock, a socket and a log for each real path."""

import contextlib
import hashlib
import json
import os
import secrets
import socket
import stat
import sys
import tempfile
import warnings
from dataclasses import asdict, dataclass
from pathlib import Path

import platformdirs

from mcp_graphrag.errors import FileTrouble

# A Unix socket's path has at most 103 bytes on macOS and 107 on Linux.
MAX_SOCKET_PATH = 100
HAS_UNIX_SOCKETS = hasattr(socket, "AF_UNIX") and sys.platform != "win32"
BACKLOG = 128


@dataclass(frozen=True)
class Address:
    """The files by which the owner of a graph file is found, in a folder that only this user can enter."""

    folder: Path
    key: str

    @property
    def lock(self) -> Path:
        """Locked by the owner for its whole life."""
        return self.folder / f"{self.key}.lock"

    @property
    def socket(self) -> Path:
        """The owner's Unix socket, where the system has them."""
        return self.folder / f"{self.key}.sock"

    @property
    def listed(self) -> Path:
        """How to connect, as JSON: see `Listed`."""
        return self.folder / f"{self.key}.json"

    @property
    def log(self) -> Path:
        """What the owner logs."""
        return self.folder / f"{self.key}.log"


@dataclass(frozen=True)
class Listed:
    """How to connect to a running owner. `token` must be in the first line; `port` is 0 for a Unix socket."""

    pid: int
    port: int
    token: str


def address_of(db: Path) -> Address:
    """The address of the owner of a file, the same for every path that leads to it.

    Raises FileTrouble where this user has no folder of their own for it.
    """
    key = key_of(db)
    for folder in _folders():
        address = Address(folder, key)
        if HAS_UNIX_SOCKETS and len(os.fsencode(address.socket)) > MAX_SOCKET_PATH:
            continue
        with contextlib.suppress(OSError):
            _make_private(folder)
            return address
    raise FileTrouble(db, "There is no private folder for the socket of a server.", "Start it with --no-daemon.")


def key_of(db: Path) -> str:
    """A name for what belongs to a file, the same for every path that leads to it."""
    real = os.path.normcase(os.path.realpath(db.expanduser().absolute()))
    return hashlib.sha256(os.fsencode(real)).hexdigest()[:16]


def _folders() -> list[Path]:
    user = f"mcp-graphrag-{os.getuid()}" if sys.platform != "win32" else "mcp-graphrag"
    with warnings.catch_warnings():  # where the system has no such folder, one of ours below is as good
        warnings.simplefilter("ignore")
        runtime = platformdirs.user_runtime_path("mcp-graphrag", appauthor=False)
    return [runtime, Path(tempfile.gettempdir()) / user, *([Path("/tmp") / user] if sys.platform != "win32" else [])]  # noqa: S108


def _make_private(folder: Path) -> None:
    """Make the folder for this user alone. Raises OSError where it is somebody else's or open to others."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if sys.platform == "win32":
        return
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
        raise PermissionError(folder)
    if stat.S_IMODE(found.st_mode) & 0o077:
        folder.chmod(0o700)


def connect(address: Address) -> tuple[socket.socket, Listed] | None:
    """A connection to the owner, None where none listens."""
    try:
        listed = Listed(**json.loads(address.listed.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None
    connection = socket.socket(socket.AF_INET if listed.port else socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        connection.connect(("127.0.0.1", listed.port) if listed.port else str(address.socket))
    except OSError:
        connection.close()
        return None
    return connection, listed


def listen(address: Address) -> tuple[socket.socket, Listed]:
    """A listening socket, listed for others to find. Only the holder of the lock may call this."""
    address.socket.unlink(missing_ok=True)  # of an owner that was killed
    if HAS_UNIX_SOCKETS:
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        listener.bind(str(address.socket))
    else:
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        listener.bind(("127.0.0.1", 0))
    listener.listen(BACKLOG)
    port = 0 if HAS_UNIX_SOCKETS else int(listener.getsockname()[1])
    listed = Listed(os.getpid(), port, secrets.token_urlsafe(24))
    partial = address.listed.with_suffix(f".{os.getpid()}")
    with os.fdopen(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
        json.dump(asdict(listed), file)
    partial.replace(address.listed)
    return listener, listed


def unlist(address: Address) -> None:
    """Take the address back, so that nobody connects any more. Only the holder of the lock may call this."""
    address.listed.unlink(missing_ok=True)
    address.socket.unlink(missing_ok=True)
