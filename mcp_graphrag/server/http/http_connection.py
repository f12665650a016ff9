"""A connection of HTTP that is closed where its request does not come in, and refused where there are too many."""

import asyncio

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

HEADER_SECONDS = 10.0  # for all headers of a request, from the connection or its first byte on
BODY_SECONDS = 30.0  # between two parts of a body
MAX_CONNECTIONS = 200  # open files are few on some systems: 256 on macOS
BUSY = b"HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"


class BoundedConnection(H11Protocol):
    """As uvicorn has it, with the limits that it lacks: they hold before anything of a request is looked at.

    Nothing limits how long the answer to a whole request takes.
    """

    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:
        """Serve a new connection, unless there are too many."""
        super().connection_made(transport)
        if len(self.connections) > MAX_CONNECTIONS:
            transport.write(BUSY)
            transport.close()
        else:
            self._await(HEADER_SECONDS)

    def data_received(self, data: bytes) -> None:
        """Take what has come, and give the rest its time."""
        super().data_received(data)
        state = self.conn.their_state
        if state is h11.IDLE:
            if self._timer is None:  # however many parts the headers come in
                self._await(HEADER_SECONDS)
        elif state is not h11.SEND_BODY:
            self._stop_timer()
        elif not self.cycle.response_complete:  # a refused one has the time that is left
            self._await(BODY_SECONDS)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._stop_timer()
        super().connection_lost(exc)

    def _await(self, seconds: float) -> None:
        self._stop_timer()
        self._timer = self.loop.call_later(seconds, self._expire, seconds)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _expire(self, seconds: float) -> None:
        if self.flow.read_paused:  # we are the slow ones
            self._await(seconds)
        else:
            self.transport.abort()
