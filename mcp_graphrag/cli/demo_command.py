"""The demo: a server and its own client, which ingests and queries a small corpus."""

import json
import os
import shutil
import sys
import tempfile
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, cast

import click

from mcp_graphrag.cli.demo_screen import CLAIM, demo_screen
from mcp_graphrag.cli.session import Session, as_json, command
from mcp_graphrag.demo import copy_corpus, findings_in, recorded_reading
from mcp_graphrag.errors import GraphragError
from mcp_graphrag.settings import DEFAULT_DB, PREFIX

MORE = "All calls: mcp-graphrag demo --full. Keep the graph: --db FILE. Your own: mcp-graphrag ingest DIR."
# What is asked without a model, and what when an agent's reading is stored: title, tool, arguments.
BEFORE: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("What is in the graph now?", "brief", {}),
    ("Search: who may lift a hold?", "search", {"query": "Who may lift a hold on a product?", "limit": 3}),
    ("A claim, and the passages to read beside the verdict", "check_claim", {"claim": CLAIM}),
)
AFTER: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("Impact: what stops if the steam boiler B1 fails?", "trace_impact", {"entity": "B1"}),
    ("How are two things connected?", "find_paths", {"source": "Bellringer", "target": "SRV1", "k": 1}),
    ("The same claim, now decided by triples", "check_claim", {"claim": CLAIM}),
    ("Documents that disagree: both are kept, and it is reported", "review", {"kind": "conflicts"}),
)


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
    attach = f"Attach it: claude mcp add --scope user graphrag -- {_served()[1]}"
    click.echo(_closing(db, kept=chosen) if full else "\n".join([*demo_screen(answers), "", attach, MORE]))


async def _ask(db: Path, corpus: Path, shows: bool) -> Mapping[str, Any]:  # noqa: FBT001
    from mcp import Client, StdioServerParameters  # noqa: PLC0415

    # The demo is the same for everybody, whatever their own settings.
    no_settings = corpus.with_name("no-settings.toml")
    no_settings.touch()
    served = ["-m", "mcp_graphrag", "serve", "--db", str(db), "--root", str(corpus), "--config", str(no_settings)]
    served += ["--toolsets", "default,review", "--structured", "--no-daemon"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith(PREFIX)}
    answers: dict[str, Any] = {}
    async with Client(StdioServerParameters(command=sys.executable, args=served, env=environment)) as client:

        async def ask(title: str, tool: str, arguments: dict[str, Any], key: str = "") -> Mapping[str, Any]:
            result = await client.call_tool(tool, arguments)
            text = "".join(getattr(part, "text", "") for part in result.content)
            if result.is_error:
                raise GraphragError(f"The demo's {tool} failed: {text}", "Please report this.")
            if shows and title:
                _show(title, tool, arguments, text.replace(corpus.as_uri() + "/", ""))
            answers[key or tool] = result.structured_content
            return result.structured_content or {}

        await ask("Ingest: nine documents of a fictional dairy", "ingest", {"paths": [str(corpus)]})
        for title, tool, arguments in BEFORE:
            await ask(title, tool, arguments, f"{tool}, without a model")
        answers["store_extraction"] = await _store_reading(ask)
        if shows:
            click.secho(f"\nStored: {answers['store_extraction']['triples']} triples that an agent read", bold=True)
        for title, tool, arguments in AFTER:
            await ask(title, tool, arguments)
    return answers


async def _store_reading(ask: Callable[..., Awaitable[Mapping[str, Any]]]) -> dict[str, int]:
    """Give back what an agent read in the chunks, as it was recorded, by the tools that an agent calls."""
    reading, stored = recorded_reading(), {"chunks": 0, "triples": 0}
    while documents := (await ask("", "get_chunks_to_extract", {}))["documents"]:
        findings = [findings_in(each["uri"], chunk, reading) for each in documents for chunk in each["chunks"]]
        found = await ask("", "store_extraction", {"chunks": findings})
        stored = {name: count + found[name] for name, count in stored.items()}
    return stored


def _innermost(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup):
        error = cast("BaseException", error.exceptions[0])
    return error


def _show(title: str, tool: str, arguments: Mapping[str, Any], text: str) -> None:
    shown = {name: value if name != "paths" else ["corpus"] for name, value in arguments.items()}
    click.secho(f"\n{title}", bold=True)
    click.secho(f"{tool} {json.dumps(shown)}", dim=True)
    click.echo("\n".join(f"  {line}" for line in text.strip().splitlines()))


def _served() -> tuple[list[str], str]:
    """The words of the command that serves, and the same in one line."""
    command_path = shutil.which("mcp-graphrag") or shutil.which("mcp-graphrag", path=str(Path(sys.executable).parent))
    words = [command_path, "serve"] if command_path else [sys.executable, "-m", "mcp_graphrag", "serve"]
    return words, " ".join(f'"{word}"' if " " in word else word for word in words)


def _closing(db: Path, *, kept: bool) -> str:
    words, called = _served()
    entry = json.dumps({"mcpServers": {"graphrag": {"command": words[0], "args": words[1:]}}}, indent=2)
    documents = str(Path.home() / "Documents")
    ask = f'{called.removesuffix(" serve")} search --db "{db}" who may lift a hold'
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
