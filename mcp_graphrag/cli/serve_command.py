"""The command that serves MCP."""

import logging
import sys

import click

from mcp_graphrag.cli.session import Session, command
from mcp_graphrag.graph import Graph
from mcp_graphrag.server.tools import make_app


@command(
    "serve", "embedder", "embed_url", "embed_model", "embed_key", "roots", "read_only", "toolsets", "answer_tokens",
    "vector_index", "idle_release", "log_level",
)  # fmt: skip
def serve(session: Session) -> None:
    """Serve MCP over stdin and stdout. Hosts start this; the README has their config lines."""
    # The protocol has stdout for itself, so whatever else is said goes to stderr; no text or path of a document is.
    logging.basicConfig(
        level=session.settings.log_level, stream=sys.stderr, format="%(levelname)s %(name)s: %(message)s"
    )
    if sys.stdin.isatty():
        click.echo("Waiting for an MCP client on stdin. Press Ctrl-C to stop; `mcp-graphrag demo` shows one.", err=True)
    import anyio  # noqa: PLC0415  (the SDK takes a second to import; no other command needs it)

    from mcp_graphrag.server.stdio import run_stdio  # noqa: PLC0415

    anyio.run(run_stdio, make_app(Graph(session.settings)))
