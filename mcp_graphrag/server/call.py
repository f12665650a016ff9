"""What a tool is given besides its arguments."""

import logging
from collections.abc import Callable
from dataclasses import dataclass

from mcp_graphrag.errors import GraphragError
from mcp_graphrag.model import Origin
from mcp_graphrag.pipeline import Pipeline
from mcp_graphrag.server.background import Background

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class App:
    """A pipeline being served: with its background work and the names of the tools on offer."""

    pipeline: Pipeline
    background: Background
    tools: tuple[str, ...]

    def release_if_idle(self) -> None:
        """Let go of the file when nobody has used it for a while."""
        self.pipeline.store.release(idle=self.pipeline.settings.idle_release)

    def close(self) -> None:
        """Stop the background work after its present batch, and close the file."""
        self.background.stop()
        try:
            self.pipeline.store.close()
        except GraphragError:
            log.exception("closing")


@dataclass(frozen=True)
class Call:
    """One call of a tool: by whom, how long its answer may be, and how to tell the caller how far it is."""

    app: App
    tokens: int
    client: str = "library"
    request_id: str | None = None
    progress: Callable[[float, float | None, str], None] = lambda _done, _total, _message: None

    @property
    def pipeline(self) -> Pipeline:
        """The pipeline being served."""
        return self.app.pipeline

    def origin(self, tool: str) -> Origin:
        """Who writes."""
        return Origin(tool, self.client, self.request_id)
