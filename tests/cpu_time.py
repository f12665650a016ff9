"""CPU time at two sizes, to tell linear from quadratic work whatever else the machine does."""

import time
from collections.abc import Callable


def check_linear(work: Callable[[int], object], size: int) -> None:
    """Fail if ten times the size takes far more than ten times the CPU time; quadratic work takes a hundred times."""
    small = max(_cpu_seconds(work, size // 10) for _ in range(3))
    assert _cpu_seconds(work, size) < 40 * max(small, 0.02)


def _cpu_seconds(work: Callable[[int], object], size: int) -> float:
    start = time.thread_time()
    work(size)
    return time.thread_time() - start
