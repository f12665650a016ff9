"""Another process, without this package, that has a graph's file open."""

import subprocess
import sys
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from pathlib import Path

HOLD = "import duckdb, sys; c = duckdb.connect(sys.argv[1]); print('open', flush=True); sys.stdin.read()"

HOLD_IN_TURN = """
import duckdb, sys, time
print('ready', flush=True)
while True:
    try:
        held = duckdb.connect(sys.argv[1])
        break
    except duckdb.IOException:
        time.sleep(0.001)
time.sleep(float(sys.argv[2]))
"""


@contextmanager
def held_by_another(path: Path) -> Generator[subprocess.Popen[str]]:
    """The file open in another process, which ends with its stdin."""
    command = [sys.executable, "-c", HOLD, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout
        assert holder.stdout.readline() == "open\n"
        yield holder


@contextmanager
def held_in_turn(path: Path, processes: int, seconds: float) -> Generator[None]:
    """The file open in so many other processes, one after another, each for some seconds."""
    command = [sys.executable, "-c", HOLD_IN_TURN, str(path), str(seconds)]
    with ExitStack() as stack:
        holders = [
            stack.enter_context(subprocess.Popen(command, stdout=subprocess.PIPE, text=True)) for _ in range(processes)
        ]
        for holder in holders:
            assert holder.stdout
            assert holder.stdout.readline() == "ready\n"
        yield
