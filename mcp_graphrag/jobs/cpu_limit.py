"""A bound of the processor time that a block of code may take."""

import ctypes
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager

SHORTEST_WAIT = 0.01  # seconds
AGAIN = 1.0  # seconds after which a block that swallowed the error gets it once more, as a finalizer does


class TookTooLong(Exception):
    """A block has taken the processor time that it may."""


@contextmanager
def cpu_limit(seconds: float) -> Generator[None]:
    """Raise TookTooLong in the block once its thread has computed for so many seconds.

    Waiting costs nothing. The error comes between two steps of Python: a call of C code, such as a match of a regular
    expression, ends first. What the block changes must be its own, as it can end at any step.
    """
    thread, clock = threading.get_ident(), _clock()
    end = clock() + seconds
    lock, ended = threading.Lock(), threading.Event()

    def watch() -> None:
        wait = seconds
        while not ended.wait(max(wait, SHORTEST_WAIT)):
            wait = end - clock()
            if wait > 0:
                continue
            with lock:  # once the block has ended, the error would hit what comes after it
                if not ended.is_set():
                    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(TookTooLong))
            wait = AGAIN

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        with lock:
            ended.set()


def _clock() -> Callable[[], float]:
    """The processor time of this thread, readable from others; that of the process where there is none."""
    if not hasattr(time, "pthread_getcpuclockid"):
        return time.process_time
    number = time.pthread_getcpuclockid(threading.get_ident())
    return lambda: time.clock_gettime(number)
