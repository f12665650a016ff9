"""The command that shows the graph in a browser."""

import secrets
import webbrowser
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

import click

from mcp_graphrag.cli.session import Session, as_json, command
from mcp_graphrag.errors import FileTrouble
from mcp_graphrag.graph import Graph
from mcp_graphrag.server.call_by_name import run_by_name
from mcp_graphrag.server.context import ALL_TOKENS, Call
from mcp_graphrag.server.declaration import Tool
from mcp_graphrag.server.owner_call import OwnerCall
from mcp_graphrag.server.records import Answer
from mcp_graphrag.server.tools import make_app
from mcp_graphrag.settings import Settings


@click.option("--no-open", is_flag=True, help="Only print the address.")
@command("explore", "port", "read_only", "no_daemon")
def explore(session: Session, no_open: bool) -> None:  # noqa: FBT001
    """Show the graph in a browser: search, neighbourhoods, communities, paths, impact, conflicts, queries.

    Served to this machine alone, until Ctrl-C. The address has a key: whoever has it reads the graph.
    """
    import anyio  # noqa: PLC0415  (this and the SDK take long to import)

    from mcp_graphrag.server.explorer.serve_explorer import Explorer, serve_explorer  # noqa: PLC0415
    from mcp_graphrag.server.http.http_access import Tokens, listen  # noqa: PLC0415

    settings, db = session.settings, session.settings.db.expanduser().absolute()
    if not settings.has_graph:
        raise FileTrouble(db, f"There is no file {db}.", "Ingest something first, or name another with --db.")
    port = settings.port if settings.origins.get("port", "default") != "default" else 0  # any that is free
    token = secrets.token_urlsafe()
    listener = listen(replace(settings, host="127.0.0.1", port=port, allowed_hosts=()), Tokens(token))
    # Behind the #, so that the key is in no request, log or Referer; the page keeps it for itself.
    url = f"{listener.url.rpartition('/')[0]}/#key={token}"

    def announce() -> None:
        said = as_json({"url": url}) if session.as_json else f"Explorer at {url} – press Ctrl-C to stop."
        click.echo(said)
        if not no_open:
            webbrowser.open(url)

    with ExitStack() as stack:
        ask = _asked_of_owner(settings, stack) or _asked_here(settings, stack)
        anyio.run(serve_explorer, Explorer(ask, not settings.read_only), listener, announce)


def _asked_of_owner(settings: Settings, stack: ExitStack) -> Callable[[Tool, Mapping[str, Any]], Answer] | None:
    """What has the owner of the file answer, which serves others too; None where there can be none."""
    if settings.no_daemon:
        return None
    kept = OwnerCall(settings, _unseen).connect(starts=True)
    if kept is None:
        return None
    stack.callback(kept.close)  # until then the owner has a client, and stays

    def ask(tool: Tool, arguments: Mapping[str, Any]) -> Answer:
        call = OwnerCall(settings, _unseen)
        connection = call.connect(starts=True)
        if connection is None:
            raise FileTrouble(settings.db, "The server of the file has ended.", "Start the explorer again.")
        return call.run(connection, tool, arguments)

    return ask


def _asked_here(settings: Settings, stack: ExitStack) -> Callable[[Tool, Mapping[str, Any]], Answer]:
    app = make_app(Graph(settings), as_commands=True)
    stack.callback(app.close)
    return lambda tool, arguments: run_by_name(tool, Call(app, ALL_TOKENS, "explorer"), arguments)


def _unseen(_done: float, _total: float | None, _message: str) -> None:
    """No progress is shown: questions are short."""
