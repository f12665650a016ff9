"""What `doctor` says of each host that was found: whether the server is installed in it, and answers."""

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

from mcp_graphrag.errors import GraphragError
from mcp_graphrag.hosts.host import HOSTS, Host, user_places
from mcp_graphrag.hosts.install import Installer
from mcp_graphrag.hosts.probe import probe
from mcp_graphrag.server.records import Answer
from mcp_graphrag.server.tools.health_tools import HealthAnswer

Started = Callable[[tuple[str, ...]], tuple[str, str]]


class HostOut(Answer):
    """A host and what of it is there; `answers` is how the server that it starts calls itself."""

    name: str
    file: str
    installed: bool
    answers: str = ""
    problem: str = ""

    def __str__(self) -> str:
        if self.problem:
            return f"{self.name} ({self.file}): {self.problem}"
        state = (
            f"installed, {self.answers} answers"
            if self.installed
            else f"not installed: `mcp-graphrag install {self.name}`"
        )
        return f"{self.name} ({self.file}): {state}"


class DoctorAnswer(HealthAnswer):
    """The health of the file, and the hosts that were found."""

    hosts: Sequence[HostOut] = ()

    def __str__(self) -> str:
        return "\n".join([super().__str__(), *(f"host: {each}" for each in self.hosts)])


def host_rows() -> list[HostOut]:
    """A row for each host that was found. Each command that they have is started once, to see whether it answers."""
    places, installer, started = user_places(), Installer(), cache(_answer)
    return [_row(host, host.path(places, None), installer, started) for host in HOSTS if host.is_there(places)]


def _row(
    host: Host, path: Path, installer: Installer, started: Callable[[tuple[str, ...]], tuple[str, str]]
) -> HostOut:
    try:
        words = installer.entry_words(host, path)
    except GraphragError as error:
        return HostOut(name=host.name, file=str(path), installed=False, problem=error.fact)
    answers, problem = started(tuple(words)) if words else ("", "")
    return HostOut(name=host.name, file=str(path), installed=bool(words), answers=answers, problem=problem)


def _answer(words: tuple[str, ...]) -> tuple[str, str]:
    """How the server calls itself, or what is wrong."""
    try:
        return probe(words), ""
    except (OSError, ValueError) as error:
        return "", f"installed, but {words[0]} does not answer: {error}"
