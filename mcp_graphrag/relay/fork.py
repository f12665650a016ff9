"""A module run in a fork of this process, as `python -m` would run it in a fresh one."""

import contextlib
import os
import sys
import traceback
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path


@dataclass
class ForkedProcess:
    """A child of this process."""

    pid: int
    code: int | None = None

    def poll(self) -> int | None:
        """Its exit code, None while it runs."""
        if self.code is None:
            try:
                ended, status = os.waitpid(self.pid, os.WNOHANG)
            except ChildProcessError:  # our parent had us ignore how children end
                self.code = 0
            else:
                self.code = os.waitstatus_to_exitcode(status) if ended else None
        return self.code


def can_fork() -> bool:
    """Whether a fork of this process works: on Linux, while it has one thread.

    What other threads have locked would stay locked in the fork, and libraries of macOS fail in one.
    """
    if sys.platform != "linux":
        return False
    with contextlib.suppress(OSError):
        return len(os.listdir("/proc/self/task")) == 1  # noqa: PTH208  (only counted)
    return False


def fork_module(module: str, given: bytes, log: int, environment: Mapping[str, str], folder: Path) -> ForkedProcess:
    """A child that runs the `main` of a module, with `given` on stdin.

    It has a session of its own, that environment and working folder, and of the open files the log alone, as stderr.
    """
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            _become_fresh(read, log, environment, folder)
            import_module(module).main()
            os._exit(0)
        except BaseException:  # noqa: BLE001  (nothing of this process may run twice)
            traceback.print_exc()
        finally:
            os._exit(1)
    os.close(read)
    with contextlib.suppress(BrokenPipeError), os.fdopen(write, "wb") as pipe:  # it ended already
        pipe.write(given)
    return ForkedProcess(pid)


def _become_fresh(stdin: int, log: int, environment: Mapping[str, str], folder: Path) -> None:
    os.setsid()
    os.dup2(stdin, 0)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    os.dup2(log, 2)
    for opened in os.listdir("/proc/self/fd"):  # noqa: PTH208  (their numbers)
        if int(opened) > 2:
            with contextlib.suppress(OSError):  # the one that listed them
                os.close(int(opened))
    for name in os.environ.keys() - environment.keys():
        del os.environ[name]
    if sys.path and sys.path[0] in {"", os.getcwd()}:  # noqa: PTH109  (as the interpreter writes it)
        sys.path[0] = str(folder)  # what is in the caller's folder is none of our modules
    os.chdir(folder)
