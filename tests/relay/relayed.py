"""Relays to one owner, spoken to frame by frame, and the owner's process."""

import contextlib
import os
import signal
from collections.abc import Generator
from pathlib import Path

from forked import command
from frames import Frames, framed
from served import wait_for

from mcp_graphrag.relay.hello import Hello, Welcome
from mcp_graphrag.relay.start_owner import connect_to_owner


@contextlib.contextmanager
def relayed(db: Path, *flags: str, linger: float = 10) -> Generator[Frames]:
    """A relay of a file, whose owner stays for `linger` seconds after its last client."""
    with framed(db, *flags, "--linger", str(linger), start=command(), MCP_GRAPHRAG_NO_DAEMON="") as frames:
        yield frames


def owner_of(db: Path) -> Welcome | None:
    """What the running owner of a file says of itself, None where there is none."""
    connection = connect_to_owner(db, Hello("", "status"))
    if connection is None:
        return None
    connection.close()
    return connection.welcome


def owner_pid(db: Path) -> int:
    """The process that owns a file."""
    owner = owner_of(db)
    assert owner is not None
    return owner.pid


def end_owner(db: Path, number: signal.Signals) -> int:
    """Send the owner a signal and wait until it is gone; its process."""
    pid = owner_pid(db)
    os.kill(pid, number)
    wait_for(lambda: not _lives(pid))
    return pid


def _lives(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"
