"""The command line in a forked process of its own: all of a fresh run but the second that it takes to load.

`command` answers the words that start `mcp-graphrag`. On Linux they reach a process that has loaded everything and
waits: it forks for each run, and the fork takes over the caller's streams, folder and environment. It is killed when
the caller is. What a run must show about its start, its interpreter or a signal is no case for this: start `FRESH`
there.
"""

import atexit
import contextlib
import functools
import gc
import json
import os
import runpy
import select
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

DEFAULTS = {
    "MCP_GRAPHRAG_EMBEDDER": "wordllama",
    "MCP_GRAPHRAG_NO_DAEMON": "true",
    "MCP_GRAPHRAG_PROJECT": "none",
    "MCP_GRAPHRAG_STRUCTURED": "true",
}
FRESH = (sys.executable, "-m", "mcp_graphrag")


def own_environment() -> dict[str, str]:
    """This process's environment without settings of the user and keys of Claude; those of the tests stay."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("MCP_GRAPHRAG_", "ANTHROPIC_"))}
    return kept | {name: os.environ.get(name, value) for name, value in DEFAULTS.items()}


def command() -> list[str]:
    """The words of a command line that starts soon."""
    return [sys.executable, "-IS", __file__, _waiting()] if sys.platform == "linux" else [*FRESH]


@functools.cache
def _waiting() -> str:
    """The address of this process's waiting process, started at the first call."""
    folder = tempfile.TemporaryDirectory(prefix="forked-")
    address = str(Path(folder.name, "socket"))
    # numpy would start threads, and only a process without any can be forked.
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "PYTHONUTF8": "1"}
    words = [sys.executable, __file__]
    waiting = subprocess.Popen(
        [*words, "--wait", address], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
    )
    assert waiting.stdin is not None
    assert waiting.stdout is not None
    assert waiting.stdout.readline() == b"ready\n"
    for step in (folder.cleanup, waiting.wait, waiting.stdout.close, waiting.stdin.close):
        atexit.register(step)  # the last is called first, and ends it
    return address


def _wait(address: str) -> None:
    """Fork for each caller until stdin is closed; returns in the fork, which has become what the caller asked for."""
    import anthropic  # noqa: F401, PLC0415  # pyright: ignore[reportUnusedImport]
    import duckdb  # noqa: PLC0415
    import mcp  # noqa: F401, PLC0415  # pyright: ignore[reportUnusedImport]

    import mcp_graphrag.cli.commands  # noqa: PLC0415  # pyright: ignore[reportUnusedImport]
    import mcp_graphrag.server.http.serve_http  # noqa: PLC0415  # pyright: ignore[reportUnusedImport]
    import mcp_graphrag.server.stdio  # noqa: F401, PLC0415  # pyright: ignore[reportUnusedImport]
    from mcp_graphrag.embed.wordllama import load_wordllama  # noqa: PLC0415
    from mcp_graphrag.english.lexicon import load_lexicon  # noqa: PLC0415
    from mcp_graphrag.store.engine.statements import statements  # noqa: PLC0415

    for load in (load_wordllama, load_lexicon, statements):
        load()
    duckdb.default_connection().close()  # it has a thread
    assert os.listdir("/proc/self/task") == [str(os.getpid())], "a process with threads cannot be forked"  # noqa: PTH208
    gc.freeze()  # a fork that collects what was imported would copy it all
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for the keepers
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(address)
    listener.listen(64)
    print("ready", flush=True)  # noqa: T201
    while True:
        if sys.stdin in select.select([listener, sys.stdin], [], [])[0]:
            sys.exit()
        caller, _ = listener.accept()
        if os.fork() == 0:
            listener.close()
            return _become(caller)
        caller.close()


def _become(caller: socket.socket) -> None:
    """Keep a fork for the caller and tell its exit code; returns in that fork alone."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    _, streams, _, _ = socket.recv_fds(caller, 1, 3)
    run: dict[str, Any] = json.loads(caller.makefile().readline())
    if child := os.fork():
        for stream in (0, 1, 2, *streams):
            os.close(stream)  # or the caller would wait for us after its child has closed them
        ended = os.pidfd_open(child)
        if caller in select.select([caller, ended], [], [])[0]:
            os.kill(child, signal.SIGKILL)  # the caller was killed
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) & 255
        with contextlib.suppress(BrokenPipeError):
            caller.sendall(bytes([code]))
        os._exit(0)
    caller.close()
    for place, stream in enumerate(streams):
        os.dup2(stream, place)
        os.close(stream)
    sys.stdin, sys.stdout = open(0, closefd=False), open(1, "w", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", buffering=1, errors="backslashreplace", closefd=False)  # noqa: SIM115
    os.chdir(run["folder"])
    os.environ.clear()
    os.environ.update(run["environment"])
    sys.argv[1:] = run["words"]


def _ask(address: str, words: list[str]) -> int:
    """Hand the streams to the waiting process, and answer the exit code of its fork."""
    with socket.socket(socket.AF_UNIX) as waiting:
        waiting.connect(address)
        socket.send_fds(waiting, [b"-"], [0, 1, 2])
        run = {"words": words, "folder": os.getcwd(), "environment": dict(os.environ)}  # noqa: PTH109  (starts sooner)
        waiting.sendall(json.dumps(run).encode() + b"\n")
        return (waiting.recv(1) or b"\xff")[0]


if __name__ == "__main__":
    if sys.argv[1] != "--wait":
        sys.exit(_ask(sys.argv[1], sys.argv[2:]))
    _wait(sys.argv[2])
    runpy.run_module("mcp_graphrag", run_name="__main__", alter_sys=True)
