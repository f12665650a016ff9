"""What `doctor` says of each host that was found: whether the server is installed in it, and answers."""

from collections.abc import Sequence
from functools import cache

from mcp_graphrag.errors import GraphragError
from mcp_graphrag.hosts.host import HOSTS, user_places
from mcp_graphrag.hosts.install import Installer
from mcp_graphrag.hosts.probe import probe
from mcp_graphrag.server.records import Answer
from mcp_graphrag.server.tools.health_tools import HealthAnswer


class HostOut(Answer):
    """A host and what of it is there; `answers` is how the server that it starts calls itself."""

    name: str
    file: str
    installed: bool = False
    answers: str = ""
    problem: str = ""

    def __str__(self) -> str:
        state = f"installed, {self.answers} answers" if self.installed else "not installed: `mcp-graphrag install`"
        return f"{self.name} ({self.file}): {self.problem or state}"


class DoctorAnswer(HealthAnswer):
    """The health of the file, and the hosts that were found."""

    hosts: Sequence[HostOut] = ()

    def __str__(self) -> str:
        return "\n".join([super().__str__(), *(f"host: {each}" for each in self.hosts)])


def host_rows() -> list[HostOut]:
    """A row for each host that was found. Each command that they have is started once, to see whether it answers."""
    places, installer, answer_of = user_places(), Installer(), cache(probe)
    rows = list[HostOut]()
    for host in HOSTS:
        if host.is_there(places):
            path = host.path(places, None)
            rows.append(row := HostOut(name=host.name, file=str(path)))
            try:
                words = installer.entry_words(host, path)
                row.installed = bool(words)
                row.answers = answer_of(tuple(words)) if words else ""
            except GraphragError as error:
                row.problem = error.fact
    return rows
