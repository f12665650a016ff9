"""The commands that serve MCP: to a host, and to the demo's own client, which ingests and queries a small corpus."""

import json
import logging
import os
import shutil
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import click

from mcp_graphrag.cli.demo_screen import demo_screen
from mcp_graphrag.cli.session import Session, as_json, command
from mcp_graphrag.demo import copy_corpus
from mcp_graphrag.errors import GraphragError
from mcp_graphrag.graph import Graph
from mcp_graphrag.server.tools import make_app
from mcp_graphrag.settings import DEFAULT_DB, PREFIX

MORE = "All calls: mcp-graphrag demo --full. Keep the graph: --db FILE. Your own: mcp-graphrag ingest DIR."
STEPS: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("What is in the graph now?", "describe_graph", {}),
    (
        "Search: how was the login outage resolved?",
        "search",
        {"query": "How was the login outage INC-2041 resolved?", "limit": 3},
    ),
    ("Impact: what breaks if the User Database goes down?", "trace_impact", {"entity": "User Database"}),
    (
        "A question over three documents",
        "plan_question",
        {"question": "Who may approve purchases over $50K for the infrastructure team?", "limit": 1},
    ),
    (
        "A claim that no document makes, but that follows",
        "check_claim",
        {"claim": "The Billing Service depends on the User Database."},
    ),
    ("Two documents disagree: both are kept, and it is reported", "review", {"kind": "conflicts"}),
)


@click.option("--http", is_flag=True, help="Serve streamable HTTP instead, at /mcp of --host and --port.")
@command(
    "serve", "host", "port", "http_token", "http_read_token", "allowed_hosts", "max_request_mb",
    "embedder", "embed_url", "embed_model", "embed_key", "roots", "read_only", "toolsets", "answer_tokens",
    "vector_index", "idle_release", "log_level",
)  # fmt: skip
def serve(session: Session, http: bool) -> None:  # noqa: FBT001
    """Serve MCP over stdin and stdout, or over HTTP. Hosts start this; the README has their config lines."""
    # The protocol has stdout for itself, so whatever else is said goes to stderr; no text or path of a document is.
    logging.basicConfig(
        level=session.settings.log_level, stream=sys.stderr, format="%(levelname)s %(name)s: %(message)s"
    )
    if http:
        return _serve_http(session)
    if sys.stdin.isatty():
        click.echo("Waiting for an MCP client on stdin. Press Ctrl-C to stop; `mcp-graphrag demo` shows one.", err=True)
    import anyio  # noqa: PLC0415  (the SDK takes a second to import; no other command needs it)

    from mcp_graphrag.server.stdio import run_stdio  # noqa: PLC0415

    return anyio.run(run_stdio, make_app(Graph(session.settings)))


def _serve_http(session: Session) -> None:
    import anyio  # noqa: PLC0415

    from mcp_graphrag.server.http import serve_http  # noqa: PLC0415
    from mcp_graphrag.server.http_access import listen  # noqa: PLC0415

    app = make_app(Graph(session.settings))
    listener = listen(session.settings)
    click.echo(f"Serving MCP at {listener.url} – press Ctrl-C to stop.", err=True)
    anyio.run(serve_http, app, listener)


@click.option("--full", is_flag=True, help="Print every call with its answer, and how to connect a host.")
@command("demo")
def demo(session: Session, full: bool) -> None:  # noqa: FBT001
    """Ingest a small corpus and query it through a real MCP client; needs no key and no network."""
    with tempfile.TemporaryDirectory(prefix="mcp-graphrag-demo-", ignore_cleanup_errors=True) as folder:
        _demo(session, Path(folder), full=full)


def _demo(session: Session, folder: Path, *, full: bool) -> None:
    import anyio  # noqa: PLC0415

    # Only a flag: the file that somebody's settings name is no place for a fictional company.
    chosen = session.settings.origins.get("db") == "flag"
    db = session.settings.db if chosen else folder / "graph.duckdb"
    corpus = folder / "corpus"
    corpus.mkdir()
    copy_corpus(corpus)
    try:
        answers = anyio.run(_ask, db, corpus, full and not session.as_json)
    except BaseExceptionGroup as group:  # the client wraps whatever goes wrong beside it
        raise _innermost(group) from None
    if session.as_json:
        click.echo(as_json({"db": str(db), "answers": answers}))
        return
    click.echo(_closing(db, kept=chosen) if full else "\n".join([*demo_screen(answers), "", MORE]))


async def _ask(db: Path, corpus: Path, shows: bool) -> Mapping[str, Any]:  # noqa: FBT001
    from mcp import Client, StdioServerParameters  # noqa: PLC0415

    # The demo is the same for everybody, whatever their own settings.
    no_settings = corpus.with_name("no-settings.toml")
    no_settings.touch()
    served = ["-m", "mcp_graphrag", "serve", "--db", str(db), "--root", str(corpus), "--config", str(no_settings)]
    served += ["--toolsets", "default,review"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith(PREFIX)}
    answers: dict[str, Any] = {}
    async with Client(StdioServerParameters(command=sys.executable, args=served, env=environment)) as client:
        steps = (("Ingest: eight documents of a fictional company", "ingest", {"paths": [str(corpus)]}), *STEPS)
        for title, tool, arguments in steps:
            result = await client.call_tool(tool, arguments)
            text = "".join(getattr(part, "text", "") for part in result.content)
            if result.is_error:
                raise GraphragError(f"The demo's {tool} failed: {text}", "Please report this.")
            answers[tool] = result.structured_content
            if shows:
                _show(title, tool, arguments, text.replace(corpus.as_uri() + "/", ""))
    return answers


def _innermost(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup):
        error = cast("BaseException", error.exceptions[0])
    return error


def _show(title: str, tool: str, arguments: Mapping[str, Any], text: str) -> None:
    shown = {name: value if name != "paths" else ["corpus"] for name, value in arguments.items()}
    click.secho(f"\n{title}", bold=True)
    click.secho(f"{tool} {json.dumps(shown)}", dim=True)
    click.echo("\n".join(f"  {line}" for line in text.strip().splitlines()))


def _closing(db: Path, *, kept: bool) -> str:
    command_path = shutil.which("mcp-graphrag") or shutil.which("mcp-graphrag", path=str(Path(sys.executable).parent))
    words = [command_path, "serve"] if command_path else [sys.executable, "-m", "mcp_graphrag", "serve"]
    entry = json.dumps({"mcpServers": {"graphrag": {"command": words[0], "args": words[1:]}}}, indent=2)
    called = " ".join(f'"{word}"' if " " in word else word for word in words)
    documents = str(Path.home() / "Documents")
    ask = f'{called.removesuffix(" serve")} search --db "{db}" who may approve purchases over 50K'
    stays = (
        f"This graph stays at {db}. Ask it more:\n  {ask}"
        if kept
        else "With --db FILE this graph stays, to ask it more."
    )
    return f"""
{click.style("Now yours", bold=True)}
{stays}
A graph of your own is at {DEFAULT_DB}; --db names another place.

Claude Desktop (Settings, Developer, Edit config) and Cursor (.cursor/mcp.json):
{entry}

Claude Code:
  claude mcp add --scope user graphrag -- {called}

To let tools read your files, add --root DIR, as in: {called} --root "{documents}"
"""
