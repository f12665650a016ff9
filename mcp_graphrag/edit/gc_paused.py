"""Bulk work without garbage collection."""

import contextlib
import gc
from collections.abc import Generator


@contextlib.contextmanager
def gc_paused() -> Generator[None]:
    """Disable garbage collection in the block, where it would walk every live object and free nothing."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
