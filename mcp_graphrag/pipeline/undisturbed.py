"""Work on much at once, undisturbed by the garbage collector."""

import contextlib
import gc
from collections.abc import Generator


@contextlib.contextmanager
def undisturbed() -> Generator[None]:
    """No garbage collection for the block: the collector would walk all that lives in vain."""
    pauses = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if pauses:
            gc.enable()
