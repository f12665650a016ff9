"""The command that serves MCP to a host. Imports nothing that takes long: a relay must start at once."""

import logging
import sys

import click

import mcp_graphrag
from mcp_graphrag.cli.settings_command import settings_command
from mcp_graphrag.errors import FileTrouble
from mcp_graphrag.settings import Settings

log = logging.getLogger(__name__)


@settings_command(
    "serve", "embedder", "embed_url", "embed_model", "embed_key", "roots", "read_only", "toolsets", "answer_tokens",
    "vector_index", "idle_release", "no_daemon", "log_level",
)  # fmt: skip
def serve(settings: Settings, *, as_json: bool) -> None:  # noqa: ARG001  (every command takes it)
    """Serve MCP over stdin and stdout. Hosts start this; the README has their config lines.

    One process in the background opens the file and serves all hosts; it ends when the last one has ended.
    """
    # The protocol has stdout for itself, so whatever else is said goes to stderr; no text or path of a document is.
    logging.basicConfig(level=settings.log_level, stream=sys.stderr, format="%(levelname)s %(name)s: %(message)s")
    if sys.stdin.isatty():
        click.echo("Waiting for an MCP client on stdin. Press Ctrl-C to stop; `mcp-graphrag demo` shows one.", err=True)
    if not settings.no_daemon:
        from mcp_graphrag.relay.relay import Relay  # noqa: PLC0415  (with --no-daemon it is not needed)

        try:
            relay = Relay(settings, sys.stdin.buffer, sys.stdout.buffer, version=mcp_graphrag.__version__)
        except FileTrouble as error:
            log.warning("%s Serving from this process alone.", error.fact)
        else:
            relay.run()
            return
    import anyio  # noqa: PLC0415  (this and the SDK take a second to import)

    from mcp_graphrag.graph import Graph  # noqa: PLC0415
    from mcp_graphrag.server.stdio import run_stdio  # noqa: PLC0415
    from mcp_graphrag.server.tools import make_app  # noqa: PLC0415

    anyio.run(run_stdio, make_app(Graph(settings)))
