"""Serving over stdin and stdout by passing lines on to the owner of the file, and finding another when it ends."""

import json
import logging
import os
import secrets
import socket
import sys
import threading
import time
from contextlib import suppress
from typing import BinaryIO

from mcp_graphrag.errors import FileTrouble
from mcp_graphrag.relay.hello import GOODBYE, Hello, settings_as_json
from mcp_graphrag.relay.open_requests import LAST_ANSWERS_SECONDS, MAX_SENT, UNFINISHED, OpenRequests, Request
from mcp_graphrag.relay.start_owner import Connection, connect_or_start
from mcp_graphrag.settings import Settings

log = logging.getLogger(__name__)
WATCH_SECONDS = 1.0
OWNER_SECONDS = 5.0  # for the owner to say what was not finished


class Relay:
    """One client on stdin and stdout, served by the owner of its file.

    When the owner ends, the next one hears the handshake again, reading requests are sent again, and a write without
    an answer is answered with what the change log knows of it.
    """

    def __init__(self, settings: Settings, source: BinaryIO, sink: BinaryIO, *, version: str = "") -> None:
        self._settings = settings
        self._version = version
        self._source = source
        self._sink = sink
        self._client = secrets.token_hex(4)
        self._open = OpenRequests()
        self._sending = threading.Lock()
        self._source_ended = threading.Event()
        # The first connection decides whether a relay can serve at all, so it is made before anything is read.
        self._connection = self._connect()

    def run(self) -> None:
        """Pass lines on until stdin is closed and all is answered, or the parent process is gone."""
        threading.Thread(target=self._read_source, name="mcp-graphrag-stdin", daemon=True).start()
        threading.Thread(target=_end_without_parent, name="mcp-graphrag-parent", daemon=True).start()
        while True:
            in_order = self._pass_answers_on()
            if self._source_ended.is_set() and not self._open.waiting():
                return
            self._reconnect(in_order=in_order)

    def _connect(self) -> Connection:
        hello = Hello(
            "",
            "mcp",
            self._client,
            self._version,
            settings=settings_as_json(self._settings),
            origins=self._settings.origins,
            lost=self._open.lost_calls(),
        )
        connection = connect_or_start(self._settings, hello)
        for note in connection.welcome.notes:
            log.warning("%s", note)
        return connection

    def _read_source(self) -> None:
        """Pass on what the client sends; a line that cannot be sent waits for the next owner."""
        while line := self._source.readline():
            if not line.endswith(b"\n"):
                line += b"\n"
            with self._sending:
                self._open.add(line)
                with suppress(OSError):  # the owner has ended
                    self._connection.socket.sendall(line)
        with self._sending:
            self._source_ended.set()
            self._end_input()
        time.sleep(LAST_ANSWERS_SECONDS + OWNER_SECONDS)
        for request in self._open.waiting():
            self._write(request.failed(UNFINISHED))
        os._exit(0)

    def _end_input(self) -> None:
        """Tell the owner that the client sends no more; what waits is still answered."""
        with suppress(OSError):  # the owner has ended
            self._connection.socket.shutdown(socket.SHUT_WR)

    def _pass_answers_on(self) -> bool:
        """Pass on what the owner sends until it ends; whether it ended in order."""
        with suppress(OSError):  # the owner has ended
            for line in self._connection.received:
                if line == GOODBYE:
                    return True
                if line.endswith(b"\n"):  # the last one may be cut
                    self._open.answered(line)
                    self._write(line)
        return False

    def _write(self, line: bytes) -> None:
        try:
            self._sink.write(line)
            self._sink.flush()
        except OSError:
            os._exit(0)  # nobody listens any more

    def _reconnect(self, *, in_order: bool) -> None:
        """Find the next owner, and repeat or answer what waits."""
        self._connection.close()  # first: a thread that sends must come free
        with self._sending:
            try:
                self._connection = self._connect()
            except FileTrouble as error:
                for request in self._open.waiting():
                    self._write(request.failed(str(error)))
                sys.stderr.write(f"error: {error}\n")
                sys.stderr.flush()
                os._exit(4)
            with suppress(OSError):  # the owner has ended: the next reading finds out, and tries again
                self._repeat_handshake()
                for request in self._open.waiting():
                    self._repeat(request, in_order=in_order)
            if self._source_ended.is_set():
                self._end_input()

    def _repeat_handshake(self) -> None:
        initialize, initialized = self._open.handshake()
        if not initialize:
            return
        self._connection.socket.sendall(initialize)
        wanted = json.loads(initialize)["id"]
        for line in self._connection.received:
            if json.loads(line).get("id") == wanted:
                break  # the client has had this answer
            self._write(line)
        if initialized:
            self._connection.socket.sendall(initialized)

    def _repeat(self, request: Request, *, in_order: bool) -> None:
        landed = self._connection.welcome.landed.get(str(request.id), "")
        repeats = in_order or not request.tool or request.tool in self._connection.welcome.reads
        if repeats and not landed and request.sent < MAX_SENT:
            request.sent += 1
            self._connection.socket.sendall(request.line)
            return
        self._open.remove(request)
        self._write(request.failed(_what_became_of(request, landed)))


def _what_became_of(request: Request, landed: str) -> str:
    if landed:
        return f"The server ended before it could answer. {landed}"
    if request.sent >= MAX_SENT:
        return f"The server ended {request.sent} times during this request. It is not tried again."
    if request.goes_elsewhere:
        return "The server ended before it could answer; the other graph may have stored this call: look first."
    return "The server ended before it could answer, and nothing of this call was stored. Call again."


def _end_without_parent() -> None:
    """End with the parent process, whose pipes another process may hold open."""
    if sys.platform == "win32":
        return  # hosts end a server by closing stdin or killing it
    parent = os.getppid()
    while os.getppid() == parent:
        time.sleep(WATCH_SECONDS)
    os._exit(0)
