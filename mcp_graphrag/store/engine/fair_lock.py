"""A lock that threads get in the order in which they asked."""

import threading
from collections import deque
from types import TracebackType


class FairLock:
    """A lock for one thread at a time, first come, first served.

    With `threading.Lock` a job that writes batch after batch may get it again each time before others wake up.
    """

    def __init__(self) -> None:
        self._gate = threading.Lock()
        self._held = False
        self._waiting: deque[threading.Lock] = deque()

    def __enter__(self) -> None:
        with self._gate:
            if not self._held:
                self._held = True
                return
            turn = threading.Lock()
            turn.acquire()
            self._waiting.append(turn)
        try:
            turn.acquire()  # released by the holder, who hands the lock on
        except BaseException:  # Ctrl-C
            with self._gate:
                if turn in self._waiting:
                    self._waiting.remove(turn)
                    raise
            self._hand_on()
            raise

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._hand_on()

    def _hand_on(self) -> None:
        with self._gate:
            if self._waiting:
                self._waiting.popleft().release()
            else:
                self._held = False
