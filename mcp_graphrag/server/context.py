"""What a tool is given besides its arguments."""

import logging
from collections.abc import Callable
from dataclasses import dataclass

from mcp_graphrag.errors import GraphragError
from mcp_graphrag.graph import Graph
from mcp_graphrag.jobs.rebuild_communities import keep_communities
from mcp_graphrag.model import Origin
from mcp_graphrag.server.background import Background
from mcp_graphrag.server.ownership import Ownership
from mcp_graphrag.server.summary import keep_summary
from mcp_graphrag.server.tool_names import ToolNames

log = logging.getLogger(__name__)
ALL_TOKENS = 10_000_000  # an answer on the command line is as long as it is


@dataclass(frozen=True)
class App:
    """A graph that tools work on, with its background work and the names of the tools.

    `ownership` is that of this process, None where it serves one client alone.
    """

    graph: Graph
    background: Background
    names: ToolNames
    ownership: Ownership | None = None

    def release_when_idle(self) -> None:
        """Close the file if nobody has used it for as long as the settings say; what it shows is renewed before."""
        idle = self.graph.settings.idle_release
        self.renew_shown(idle)
        self.graph.store.release(idle=idle)

    def renew_shown(self, idle: float = 0.0) -> None:
        """Renew what others read without this process: the communities in the file, the summary beside it."""
        for keep in (keep_communities, keep_summary):
            try:
                keep(self.graph, idle=idle)
            except (GraphragError, OSError) as error:
                log.warning("%s: %s", keep.__name__, type(error).__name__)
            except Exception:  # a defect here is no reason to end what serves the file
                log.exception(keep.__name__)

    def close(self) -> None:
        """Stop the background work after its present batch, and close the file."""
        self.background.stop()
        self.renew_shown()
        try:
            self.graph.close()
        except GraphragError:
            log.exception("closing")


@dataclass(frozen=True)
class Call:
    """One call of a tool: by whom, how long its answer and its work may be, and how to report progress.

    `tokens` limits the answer; `time_limit` is in seconds, None where nobody waits. `stream` gets a model's words as
    they come, None where `progress` shall report them; `stopped` says whether the work is to end: the caller has
    cancelled it, or the command that waited for it is gone.
    """

    app: App
    tokens: int
    client: str = "library"
    request_id: str | None = None
    progress: Callable[[float, float | None, str], None] = lambda _done, _total, _message: None
    time_limit: float | None = None
    stream: Callable[[str], None] | None = None
    stopped: Callable[[], bool] = lambda: False

    @property
    def graph(self) -> Graph:
        """The graph."""
        return self.app.graph

    def origin(self, tool: str) -> Origin:
        """Who writes."""
        return Origin(tool, self.client, self.request_id)
