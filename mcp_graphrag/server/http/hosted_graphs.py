"""The graphs of a folder over HTTP, each at an address of its own and with tokens of its own.

`/mcp/NAME` is served from NAME.duckdb to those who have a token of NAME.toml. Whether there is a graph of a name is
told to nobody else.
"""

import logging
import os
import re
import stat
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import anyio
import anyio.to_thread
from anyio.abc import TaskStatus
from starlette.types import ASGIApp, Receive, Scope, Send

from mcp_graphrag.embed import Embedders
from mcp_graphrag.errors import BadInput
from mcp_graphrag.graph import Graph
from mcp_graphrag.server.app import running
from mcp_graphrag.server.http.http_access import PATH, Access, Listener, Tokens, checked_tokens
from mcp_graphrag.server.http.serve_http import handlers, on_signal, run_routed, servers_of
from mcp_graphrag.server.tools import make_app
from mcp_graphrag.settings import Settings

log = logging.getLogger(__name__)
ADDRESS = re.compile(rf"{PATH}/([a-z0-9_-]+)")
KEYS = ("http_token", "http_read_token")
HOW = 'Write NAME.toml with http_token = "…", readable by you alone (chmod 600).'
BOTH = Tokens("read and write", "read")  # which servers an open graph has; what a request may is asked each time
IDLE_SECONDS = 1800.0  # as long as the session of a client lasts that does not call
CHECK_SECONDS = 1.0


def check_folder(folder: Path) -> None:
    """Raise BadInput where a folder has no graph to serve, or tokens that cannot be used."""
    graphs = {path.stem: tokens_of(folder, path.stem) for path in sorted(folder.glob("*.toml"))}
    if not graphs:
        raise BadInput(f"{folder} has no graph with tokens.", HOW)
    owners: dict[str, str] = {}
    for name, tokens in graphs.items():
        for token in filter(None, (tokens.read_write, tokens.read_only)):
            if owners.setdefault(token, name) != name:
                raise BadInput(f"The graphs {owners[token]} and {name} have the same token.", "Change one.")


def tokens_of(folder: Path, name: str) -> Tokens:
    """The tokens of a graph. Raises BadInput where they are weak, missing, or others can read them."""
    path = folder / f"{name}.toml"
    try:
        found = path.lstat()
        if not ADDRESS.fullmatch(f"{PATH}/{name}"):
            raise BadInput(f"{name} is no name of a graph.", "Use a to z, digits, _ and -.")
        if not stat.S_ISREG(found.st_mode) or (os.name == "posix" and stat.S_IMODE(found.st_mode) & 0o077):
            raise BadInput(f"The tokens of the graph {name} can be read by others.", HOW)
        given = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise BadInput(f"The tokens of the graph {name} cannot be read.", HOW) from error
    if given.keys() - set(KEYS) or not all(isinstance(each, str) for each in given.values()) or not any(given.values()):
        raise BadInput(f"The tokens of the graph {name} are not {' and '.join(KEYS)}.", HOW)
    return checked_tokens(*(given.get(key, "") for key in KEYS))


@dataclass
class Hosted:
    """A graph that is open: what answers each kind of access, how many requests it answers, and since when none."""

    answers: Mapping[Access, ASGIApp]
    requests: int = 0
    idle_since: float = field(default_factory=anyio.current_time)


class HostedGraphs:
    """Opens each graph when it is first asked, and closes one that nobody has asked for IDLE_SECONDS."""

    def __init__(self, settings: Settings, folder: Path, listener: Listener, stop: anyio.Event) -> None:
        """`listener` has a token that nobody knows, for names of no graph."""
        self._settings, self._folder, self._listener, self._stop = settings, folder, listener, stop
        self._tasks = anyio.create_task_group()
        self._open: dict[str, Hosted] = {}
        self._lock = anyio.Lock()
        self._embedders: Embedders | None = None  # loaded once for all

    def route(self, path: str, authorization: str) -> tuple[Access, ASGIApp | None] | None:
        """The access that a token gives to the graph of a path; None for any other token, graph and path."""
        named = ADDRESS.fullmatch(path)
        tokens = self._listener.tokens
        if named and os.path.lexists(self._folder / f"{named[1]}.toml"):
            try:
                tokens = tokens_of(self._folder, named[1])
            except BadInput as error:
                log.error("%s", error.fact)  # noqa: TRY400  the sentence says it all
        access = tokens.access(authorization)
        return (access, partial(self._respond, named[1], access)) if named and access else None

    async def _respond(self, name: str, access: Access, scope: Scope, receive: Receive, send: Send) -> None:
        async with self._lock:
            if name not in self._open:
                self._open[name] = await self._tasks.start(self._serve, name)
            hosted = self._open[name]
            hosted.requests += 1
        try:
            await hosted.answers[access](scope, receive, send)
        finally:
            hosted.requests -= 1
            hosted.idle_since = anyio.current_time()

    async def _serve(self, name: str, *, task_status: TaskStatus[Hosted]) -> None:
        """Keep a graph at work until it is idle for long."""
        origins = {**self._settings.origins, "db": "graphs"}
        graph = Graph(
            replace(self._settings, db=self._folder / f"{name}.duckdb", origins=origins), embedders=self._embedders
        )
        self._embedders = graph.embedders
        async with running(make_app(graph)) as app, handlers(servers_of(app, BOTH), self._listener) as answers:
            hosted = Hosted(answers)
            task_status.started(hosted)
            while not self._stop.is_set():
                with anyio.move_on_after(CHECK_SECONDS):
                    await self._stop.wait()
                async with self._lock:
                    is_used = hosted.requests or app.background.busy
                    if not is_used and anyio.current_time() - hosted.idle_since > IDLE_SECONDS:
                        del self._open[name]
                        return
            # Calls that wait for a job are answered when it has been interrupted.
            await anyio.to_thread.run_sync(app.background.stop)
            await anyio.sleep_forever()

    async def run(self) -> None:
        """Answer requests until it is time to stop, then close what is open."""
        async with self._tasks:
            await run_routed(self.route, self._listener, self._stop)
            self._tasks.cancel_scope.cancel()


async def serve_graphs(settings: Settings, folder: Path, listener: Listener, announce: Callable[[], None]) -> None:
    """Serve the graphs of a folder until SIGINT or SIGTERM, as `serve_http` does one."""
    stop = anyio.Event()
    with on_signal(stop.set):
        announce()
        await HostedGraphs(settings, folder, listener, stop).run()
