"""The process that owns a graph file: `python -m mcp_graphrag.server.own`, settings as JSON on stdin.

It listens before it imports what it serves with, so that a client can connect at once.
"""

import gc
import json
import logging
import os
import socket
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

from mcp_graphrag.errors import FileTrouble
from mcp_graphrag.relay.address import Address, Listed, address_of, connect, listen
from mcp_graphrag.relay.hello import Hello, settings_from_json
from mcp_graphrag.relay.start_owner import connect_to_owner
from mcp_graphrag.settings import Settings

if TYPE_CHECKING:
    from mcp_graphrag.server.owned_file import OwnedFile
    from mcp_graphrag.server.ownership import Ownership

LOCK_SECONDS = 60.0  # a former owner answers what it has begun before it lets go
RETRY_SECONDS = 0.05


def take_lock(address: Address, *, passes: bool = True) -> FileLock | None:
    """The lock of a file's owner, None where another process keeps it, or where it `passes` one that listens."""
    lock = FileLock(address.lock, mode=0o600)
    deadline = time.monotonic() + LOCK_SECONDS
    while True:
        try:
            lock.acquire(timeout=0)
        except Timeout:
            if (passes and _is_served(address)) or time.monotonic() > deadline:
                return None
            time.sleep(RETRY_SECONDS)
        else:
            return lock


@contextmanager
def taken_over(settings: Settings) -> Generator[tuple[Address, socket.socket, Listed]]:
    """The ownership of a file for the block; a process that serves it in the background is asked to end first.

    Raises FileTrouble where one serves it over HTTP, or does not end.
    """
    address = address_of(settings.db)
    hello = Hello("", "successor")
    if (former := connect_to_owner(settings.db, hello)) is not None:
        former.close()
    lock = take_lock(address, passes=False)
    if lock is None:
        raise FileTrouble(settings.db, f"{settings.db} is served by another process.", "End it, and start this again.")
    try:
        yield address, *listen(address)
    finally:
        lock.release()


def _is_served(address: Address) -> bool:
    if (found := connect(address)) is None:
        return False
    connection, _ = found
    connection.shutdown(socket.SHUT_RDWR)
    connection.close()
    return True


def _load(settings: Settings, ownership: "Ownership") -> "OwnedFile":
    """What serves the file. Imported last: a second in which handshakes can be answered already."""
    from mcp_graphrag.server.owned_file import OwnedFile  # noqa: PLC0415

    gc.freeze()
    gc.enable()
    return OwnedFile(settings, ownership)


def main() -> None:
    """Serve the file of the settings on stdin until nobody needs it; at once done where another process does."""
    given = json.load(sys.stdin.buffer)
    settings = settings_from_json(given["settings"], given["origins"])
    logging.basicConfig(
        level=settings.log_level,
        stream=sys.stderr,
        format="%(asctime)s %(process)d %(levelname)s %(name)s: %(message)s",
        force=True,  # a fork has its parent's
    )
    address = address_of(settings.db)
    lock = take_lock(address)
    if lock is None:
        return
    listener, listed = listen(address)
    # Imported late: half a second in which clients can connect already. What is imported stays, so that looking for
    # garbage in it takes a tenth of that for nothing.
    gc.disable()
    # For each value that is bound DuckDB looks for pandas in every folder of the path; nothing here uses it.
    sys.modules.setdefault("pandas", None)  # pyright: ignore[reportArgumentType]
    import anyio  # noqa: PLC0415

    from mcp_graphrag.server.owner import Owner  # noqa: PLC0415

    code = 1
    try:
        anyio.run(Owner(settings, address, listener, listed, _load).run)
        code = 0
    except BaseException:
        logging.getLogger(__name__).exception("the server ended")
    finally:
        lock.release()
        sys.stderr.flush()
        os._exit(code)  # a thread of a client that is gone may still wait for something


if __name__ == "__main__":
    main()
