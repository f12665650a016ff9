"""A bound of the processor time that extraction may take, which its loops ask for."""

import math
import time
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar

# In seconds: of the processor time of this thread, and the time on the clock before which it cannot be used up.
_end = ContextVar("the end of the processor time", default=(math.inf, math.inf))


class TookTooLong(Exception):
    """A block has taken the processor time that it may."""


@contextmanager
def cpu_limit(seconds: float) -> Generator[None]:
    """Let `check_time` raise TookTooLong in the block once its thread has computed for so many seconds.

    Waiting costs nothing. What stands between two checks, such as a match of a regular expression, ends first.
    """
    token = _end.set(min((time.thread_time() + seconds, time.monotonic() + seconds), _end.get()))
    try:
        yield
    finally:
        _end.reset(token)


def check_time() -> None:
    """Raise TookTooLong if the processor time of the block is used up."""
    end, earliest = _end.get()
    if time.monotonic() > earliest and time.thread_time() > end:  # the clock is cheap to ask
        raise TookTooLong
