"""What is done again and again beside a test."""

import contextlib
import threading
from collections.abc import Callable, Generator


@contextlib.contextmanager
def repeated(exchange: Callable[[], object]) -> Generator[None]:
    """What is done again and again meanwhile."""
    over = threading.Event()

    def repeat() -> None:
        while not over.is_set():
            exchange()

    thread = threading.Thread(target=repeat)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
