"""The checkout of a repository, and `git` in it.

It may be hostile: nothing that its configuration names is started, and nothing is fetched.
"""

import os
import re
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from mcp_graphrag.errors import NotAllowed, PartMissing, Unreadable

SECONDS = 300.0  # for all that is asked of git about a folder at one time
MAX_OUTPUT = 64_000_000  # bytes of what is read as a whole
_NEEDED = (2, 25)  # of 2020
# Programs that a repository may name: a pager, a monitor, hooks, what checks signatures, what fetches objects that it
# lacks. Those that make a diff are told not to be at each command that makes one.
_SAFE = (
    "--no-pager", "--no-replace-objects", "--literal-pathspecs",
    "-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}", "-c", "log.showSignature=false",
    "-c", "log.showRoot=true", "-c", "diff.renameLimit=400", "-c", "protocol.allow=never", "-c", "mailmap.file=",
    "-c", "i18n.logOutputEncoding=UTF-8",
)  # fmt: skip
_ENVIRONMENT = {"GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "none", "LC_ALL": "C"}
_ASKED = ("--show-toplevel", "--absolute-git-dir", "--git-common-dir", "--is-shallow-repository")


class GitFailed(PartMissing):
    """A command of git ended with an error; `said` is what it said."""

    def __init__(self, said: str) -> None:
        super().__init__("Git failed on the repository.", "`git log` in it says why.")
        self.said = said


class Git:
    """The commands of git on a folder, together within SECONDS. Raises PartMissing where git is absent or too old."""

    def __init__(self, folder: Path) -> None:
        found = shutil.which("git")
        # On Windows the working folder is looked at first, which may be the one that is read.
        if found is None or Path(found).resolve().is_relative_to(folder.resolve()):
            raise PartMissing("The command git was not found.", "Install Git, or ingest without the setting git.")
        self._command = (found, "-C", str(folder), *_SAFE)
        kept = {name: value for name, value in os.environ.items() if not name.upper().startswith("GIT_")}
        self._environment = kept | _ENVIRONMENT
        self._end = time.monotonic() + SECONDS
        version = re.search(rb"(\d+)\.(\d+)", self.output("version"))
        if version is None or (int(version[1]), int(version[2])) < _NEEDED:
            raise PartMissing("The command git is too old.", "Update it to 2.25 or later.")

    def output(self, *arguments: str) -> bytes:
        """What a command writes. Raises as `stream`."""
        with self.stream(*arguments) as stream:
            return stream.read(MAX_OUTPUT)

    @contextmanager
    def stream(self, *arguments: str, given: Iterable[str] = ()) -> Generator[IO[bytes]]:
        """What a command writes, as it does; `given` are the lines that it reads.

        Raises GitFailed where the command fails, PartMissing where time is up.
        """
        with tempfile.TemporaryFile() as lines, tempfile.TemporaryFile() as said:
            lines.writelines(f"{line}\n".encode() for line in given)
            lines.seek(0)
            with subprocess.Popen(  # noqa: S603  no shell; the arguments are ours, and hashes that git has told
                [*self._command, *arguments], stdin=lines, stdout=subprocess.PIPE, stderr=said, env=self._environment
            ) as process:
                assert process.stdout is not None  # noqa: S101  it is a pipe
                timer = threading.Timer(max(self._end - time.monotonic(), 0), process.kill)
                timer.start()
                try:
                    yield process.stdout
                    if not process.stdout.read(1):
                        process.wait()
                finally:
                    timer.cancel()
                    process.kill()  # what has not been read to its end is not wanted
            if time.monotonic() >= self._end:
                raise PartMissing("Reading the history took too long.", "Lower git_commits, or set git_days.")
            if process.returncode:
                said.seek(0)
                raise GitFailed(said.read(MAX_OUTPUT).decode("utf-8", "replace"))


@dataclass(frozen=True)
class Checkout:
    """The working folder of a repository, by its real path; `cut` are the commits whose parents a shallow one lacks."""

    folder: Path
    git: Git
    cut: frozenset[str]


def find_checkout(folder: Path, roots: Sequence[Path] | None) -> Checkout:
    """The checkout that a folder is in. With `roots` it lies below one of them, with all that git keeps of it.

    Raises Unreadable where there is none or git refuses it, NotAllowed outside the roots, PartMissing without git.
    """
    git = Git(folder)
    try:
        told = git.output("rev-parse", *_ASKED).decode("utf-8", "surrogateescape").splitlines()
    except GitFailed as error:
        if "dubious ownership" in error.said or "unsafe repository" in error.said:
            fact, hint = "Git refuses a repository of another user.", "`git config --global --add safe.directory DIR`."
            raise Unreadable(fact, f"Trust it by {hint}", "of another user") from error
        if "not a git repository" in error.said:
            fact = "The folder is in no Git repository."
            raise Unreadable(fact, "Its files are stored without history.", "no repository") from error
        raise
    top, own, common = (folder.joinpath(path).resolve() for path in told[:3])
    if len(told) != len(_ASKED) or not folder.resolve().is_relative_to(top):
        raise Unreadable("The repository has its files elsewhere.", "Its history is left out.", "files elsewhere")
    allowed = [Path(top.anchor)] if roots is None else [root.resolve() for root in roots]
    kept = top, own, common, (common / "objects").resolve()
    outside = [at for at in kept if not any(at.is_relative_to(root) for root in allowed)]
    if outside or (roots is not None and (common / "objects" / "info" / "alternates").exists()):
        raise NotAllowed(
            "The repository lies, or keeps objects, outside the folders that may be read.",
            "Its history is left out; start the server with --root of the whole repository.",
        )
    cut = (common / "shallow").read_text("ascii", "replace").split() if told[3] == "true" else []
    return Checkout(top, git, frozenset(cut))
