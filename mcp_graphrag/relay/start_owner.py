"""Connecting to the owner of a file, which is started where none runs."""

import contextlib
import json
import os
import socket
import subprocess
import sys
import time
from dataclasses import dataclass, replace
from io import BufferedReader
from pathlib import Path

from mcp_graphrag.errors import FileTrouble
from mcp_graphrag.relay.address import Address, address_of, connect
from mcp_graphrag.relay.fork import ForkedProcess, can_fork, fork_module
from mcp_graphrag.relay.hello import Hello, Welcome, settings_as_json, to_line, welcome_of
from mcp_graphrag.settings import SETTINGS, Settings

START_SECONDS = 30.0
WELCOME_SECONDS = 60.0  # the owner imports what it needs before it answers, on a machine that may be busy
RETRY_SECONDS = 0.01
MAX_DOUBLED = 6  # times, of the seconds
MAX_FAILED = 3
MAX_LOG_BYTES = 1_000_000
OWN = "mcp_graphrag.server.own"


@dataclass(frozen=True)
class Connection:
    """A connection to an owner that has said welcome; `received` gives what it sends."""

    socket: socket.socket
    received: BufferedReader
    welcome: Welcome

    def close(self) -> None:
        """End the connection, also for a thread that waits for it."""
        with contextlib.suppress(OSError):  # the owner has ended it already
            self.socket.shutdown(socket.SHUT_RDWR)
        self.received.close()
        self.socket.close()


def connect_to_owner(db: Path, hello: Hello) -> Connection | None:
    """A connection to the running owner of a file, None where there is none.

    Raises FileTrouble where the owner refuses.
    """
    return _greet(address_of(db), db, hello)


def connect_or_start(settings: Settings, hello: Hello) -> Connection:
    """A connection to the owner of a file, which is started where none runs.

    Raises FileTrouble where it cannot be started, or refuses.
    """
    address = address_of(settings.db)
    deadline = time.monotonic() + START_SECONDS
    started: list[subprocess.Popen[bytes] | ForkedProcess] = []
    while time.monotonic() < deadline:
        if (connection := _greet(address, settings.db, hello)) is not None:
            return connection
        # One that ended failed, found another that starts, or was killed.
        failed = sum((each.poll() or 0) > 0 for each in started)
        if not started or (started[-1].poll() is not None and failed < MAX_FAILED):
            started.append(start_owner(settings, address))
        time.sleep(RETRY_SECONDS * 2 ** min(len(started), MAX_DOUBLED))
    raise FileTrouble(
        settings.db, f"The server of {settings.db} does not start.", f"See {address.log}, or use --no-daemon."
    )


def start_owner(settings: Settings, address: Address) -> "subprocess.Popen[bytes] | ForkedProcess":
    """A new process that serves the file to all clients, unless another one does already.

    It gets its settings through a pipe: a command line can be read by everybody. Where this process can be forked, what
    it has imported need not be imported again: a sixth of the time until the first answer.
    """
    given = json.dumps({"settings": settings_as_json(settings), "origins": dict(settings.origins)}).encode()
    # Keys and settings of one client are none of the next one's business.
    ours = {item.variable for item in SETTINGS} | {item.fallback for item in SETTINGS}
    environment = {name: value for name, value in os.environ.items() if name not in ours}
    if address.log.exists() and address.log.stat().st_size > MAX_LOG_BYTES:
        address.log.unlink()
    with address.log.open("ab") as log:
        if can_fork():
            return fork_module(OWN, given, log.fileno(), environment, address.folder)
        windows = sys.platform == "win32"
        process = subprocess.Popen(  # noqa: S603  (our own program, in the interpreter that runs this)
            [sys.executable, "-m", OWN],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=log,
            env=environment,
            cwd=address.folder,
            # It outlives its parent and gets none of its signals.
            start_new_session=not windows,
            creationflags=subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.DETACHED_PROCESS if windows else 0,
        )
    if process.stdin is not None:
        with contextlib.suppress(BrokenPipeError):  # it ended already, and says why in its log
            process.stdin.write(given)
            process.stdin.close()
    return process


def _greet(address: Address, db: Path, hello: Hello) -> Connection | None:
    found = connect(address)
    if found is None:
        return None
    connection, listed = found
    received, welcome = connection.makefile("rb"), None
    with contextlib.suppress(OSError, ValueError, TypeError):  # it ended before it answered
        connection.settimeout(WELCOME_SECONDS)
        connection.sendall(to_line(replace(hello, token=listed.token)))
        welcome = welcome_of(received.readline())
        connection.settimeout(None)
        if not welcome.error:
            return Connection(connection, received, welcome)
    received.close()
    connection.close()
    if welcome is not None and welcome.error:
        raise FileTrouble(db, welcome.error, welcome.hint)
    return None
