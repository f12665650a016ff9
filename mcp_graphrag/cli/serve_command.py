"""The command that serves MCP to a host. Imports nothing that takes long: a relay must start at once."""

import gc
import logging
import secrets
import sys
from dataclasses import replace
from pathlib import Path

import click

import mcp_graphrag
from mcp_graphrag.cli.settings_command import settings_command
from mcp_graphrag.errors import BadInput, FileTrouble, GraphragError
from mcp_graphrag.settings import NO_PROJECT, Settings, settings_of_graph

log = logging.getLogger(__name__)


def keep_imported() -> None:
    """Collect garbage from now on, but not in what has been imported."""
    gc.freeze()
    gc.enable()


@click.option("--http", is_flag=True, help="Serve streamable HTTP instead, at /mcp of --host and --port.")
@click.option(
    "--graphs",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="With --http, serve NAME.duckdb of this folder at /mcp/NAME to the tokens of NAME.toml.",
)
@settings_command(
    "serve", "host", "port", "http_token", "http_read_token", "allowed_hosts", "max_request_mb",
    "embedder", "embed_url", "embed_model", "embed_key", "roots", "read_only", "toolsets", "structured",
    "answer_tokens",
    "watch", "watch_interval", "vector_index", "idle_release", "no_daemon", "log_level",
)  # fmt: skip
def serve(settings: Settings, *, http: bool, graphs: Path | None, as_json: bool) -> None:  # noqa: ARG001  (every command takes it)
    """Serve MCP over stdin and stdout, or over HTTP. Hosts start this; the README has their config lines.

    One process in the background opens the file and serves all hosts; it ends when the last one has ended.
    """
    # The protocol has stdout for itself, so whatever else is said goes to stderr; no text or path of a document is.
    logging.basicConfig(level=settings.log_level, stream=sys.stderr, format="%(levelname)s %(name)s: %(message)s")
    _warn_of_missing_roots(settings)
    if graphs is not None:
        if not http:
            raise BadInput("Only over HTTP are the graphs of a folder served.", "Add --http.")
        _serve_graphs(settings, graphs)
        return
    if http:
        _serve_http(settings)
        return
    if sys.stdin.isatty():
        click.echo("Waiting for an MCP client on stdin. Press Ctrl-C to stop; `mcp-graphrag demo` shows one.", err=True)
    if not settings.no_daemon:
        from mcp_graphrag.relay.relay import Relay  # noqa: PLC0415  (with --no-daemon it is not needed)

        try:
            relay = Relay(settings, sys.stdin.buffer, sys.stdout.buffer, version=mcp_graphrag.__version__)
        except FileTrouble as error:
            log.warning("%s Serving from this process alone.", error.fact)
        else:
            if settings.watch:
                _warn_of_refused_folders(settings)
            keep_imported()
            relay.run()
            return
    import anyio  # noqa: PLC0415  (this and the SDK take a second to import)

    from mcp_graphrag.graph import Graph  # noqa: PLC0415
    from mcp_graphrag.server.stdio import run_stdio  # noqa: PLC0415
    from mcp_graphrag.server.tools import make_app  # noqa: PLC0415

    keep_imported()
    anyio.run(run_stdio, make_app(Graph(settings)))


def _warn_of_missing_roots(settings: Settings) -> None:
    for root in settings.roots:
        if not Path(root).expanduser().is_dir():
            log.warning("There is no folder %s: give --root one that is there, or no file below it is read.", root)


def _warn_of_refused_folders(settings: Settings) -> None:
    """Say why folders will not be watched: the process that owns the file says so only in its log."""
    from mcp_graphrag.jobs.watch_folders import watch_settings  # noqa: PLC0415  (other relays do without it)

    try:
        watch_settings(settings)
    except GraphragError as error:
        log.warning("Folders are not watched: %s", error)


def _serve_graphs(settings: Settings, folder: Path) -> None:
    """Serve the graphs of a folder over HTTP. Each client has the files of its own graph and no others."""
    import anyio  # noqa: PLC0415

    from mcp_graphrag.server.http.hosted_graphs import check_folder, serve_graphs  # noqa: PLC0415
    from mcp_graphrag.server.http.http_access import Tokens  # noqa: PLC0415
    from mcp_graphrag.server.http.http_access import listen as listen_http  # noqa: PLC0415

    keep_imported()
    if settings.http_token or settings.http_read_token:
        raise BadInput("With --graphs each graph has tokens of its own.", "Take http_token out of the settings.")
    check_folder(folder)
    own = settings_of_graph(settings, NO_PROJECT)
    is_given = own.origins.get("roots", "").startswith(("flag", "environment"))
    own = replace(own, roots=own.roots if is_given else ())
    web = listen_http(own, Tokens(secrets.token_urlsafe()))

    def announce() -> None:
        click.echo(f"Serving MCP at {web.url} (each graph at {web.url}/NAME) – press Ctrl-C to stop.", err=True)

    anyio.run(serve_graphs, own, folder.resolve(), web, announce)


def _serve_http(settings: Settings) -> None:
    """Serve HTTP, and as the owner of the file all its clients over stdio too."""
    import anyio  # noqa: PLC0415

    from mcp_graphrag.graph import Graph  # noqa: PLC0415
    from mcp_graphrag.server.context import App  # noqa: PLC0415
    from mcp_graphrag.server.http.http_access import listen as listen_http  # noqa: PLC0415
    from mcp_graphrag.server.http.serve_http import run_http, serve_http  # noqa: PLC0415
    from mcp_graphrag.server.own import taken_over  # noqa: PLC0415
    from mcp_graphrag.server.owned_file import OwnedFile  # noqa: PLC0415
    from mcp_graphrag.server.owner import Owner  # noqa: PLC0415
    from mcp_graphrag.server.tools import make_app  # noqa: PLC0415

    keep_imported()
    if settings.origins.get("roots") == "project":
        settings = replace(settings, roots=())  # clients may be others than the user whose project it is
    web = listen_http(settings)

    def announce() -> None:
        click.echo(f"Serving MCP at {web.url} – press Ctrl-C to stop.", err=True)

    if settings.no_daemon:
        anyio.run(serve_http, make_app(Graph(settings)), web, announce)
        return
    with taken_over(settings) as (address, listener, listed):
        owner = Owner(settings, address, listener, listed, OwnedFile, lingers=False)

        async def beside(app: App, ending: anyio.Event) -> None:
            announce()
            await run_http(app, web, ending)

        anyio.run(owner.run, beside)
