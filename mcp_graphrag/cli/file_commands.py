"""The commands about the file as a whole."""

from functools import partial
from pathlib import Path
from typing import Any, cast

import click

from mcp_graphrag.cli.session import Session, command
from mcp_graphrag.durability.compact import KEEP_ALL
from mcp_graphrag.server.commands.import_memory import IMPORT_MEMORY
from mcp_graphrag.server.commands.watch_from_disk import WATCH_FROM_DISK
from mcp_graphrag.server.commands.whole_file import CLEAR, COMPACT, REINDEX, RESTORE, STATUS, StatusAnswer
from mcp_graphrag.settings import make_settings


@command("status", "embedder", "vector_index")
def status(session: Session) -> None:
    """Show the file, what it holds, and the settings with their origin."""
    fields = cast("StatusAnswer", session.run(STATUS, {})).fields
    settings = session.settings.shown()
    lines = [f"{name}: {_on_one_line(value)}" for name, value in fields.items() if value not in ([], None)]
    changed = [f"  {name} = {each['value']} ({each['origin']})" for name, each in settings.items()]
    session.show_fields({**fields, "settings": settings}, "\n".join([*lines, "settings:", *changed]))


def _on_one_line(value: Any) -> str:
    """A value of a field; the parts of several by name, without the empty ones."""
    if not isinstance(value, dict):
        return str(value)
    parts = cast("dict[str, Any]", value).items()
    return ", ".join(f"{name} {part}" for name, part in parts if part not in ("", None))


@command("reindex", "embedder", "embed_url", "embed_model")
def reindex(session: Session) -> None:
    """Rebuild keyword postings and embeddings, with the embedder of the settings."""
    session.show(session.run(REINDEX, {}))


@command("clear")
@click.option("--all", "documents", is_flag=True, help="Remove documents too.")
@click.option("--force", is_flag=True, help="Do not ask.")
def clear(session: Session, *, documents: bool, force: bool) -> None:
    """Remove every triple and entity for good, with --all the documents too; asks unless --force."""
    session.confirm("every document, entity and triple" if documents else "every entity and triple", force=force)
    session.show(session.run(CLEAR, {"documents": documents}))


@command("restore")
@click.argument("path", type=click.Path(dir_okay=False))
def restore(session: Session, *, path: str) -> None:
    """Put a copy of a backup in place of the file, and keep the former one beside it; a running server goes on."""
    session.show(session.run(RESTORE, {"path": path}))


@command("compact", "keep_retired")
@click.option("--force", is_flag=True, help="Do not ask.")
def compact(session: Session, *, force: bool) -> None:
    """Rewrite the file small, and drop what was retired longer ago than --keep-retired days; then asks unless --force.

    What was dropped can no longer be looked back at, nor brought back.
    """
    days = session.settings.keep_retired
    if days != KEEP_ALL:
        session.confirm(f"what was retired more than {days} days ago", force=force)
    session.show(session.run(COMPACT, {}))


@click.command("copy")
@click.argument("source", metavar="FROM")
@click.argument("target", metavar="TO")
def copy(source: str, target: str) -> None:
    """Copy a graph with its history from a file to a PostgreSQL database, or back; the other one is empty.

    Give the URL of the database without a password, which a file ~/.pgpass or PGPASSWORD has.
    """
    from mcp_graphrag.durability.copy_graph import copy_graph  # noqa: PLC0415  (no other command opens a graph here)
    from mcp_graphrag.graph import Graph  # noqa: PLC0415

    with Graph(make_settings(db=source)) as one, Graph(make_settings(db=target)) as other:
        rows = copy_graph(one, other)
    told = ", ".join(f"{count} of {table}" for table, count in sorted(rows.items()) if count)
    click.echo(f"Copied {sum(rows.values())} rows: {told}.")


@command("import", "embedder")
@click.argument("file")
@click.option("--extract", multiple=True, default=["auto"], help="Extractors that read the observations, or none.")
def import_file(session: Session, *, file: str, extract: tuple[str, ...]) -> None:
    """Import a graph: an export of JSON lines, CSV of triples, GraphML, RDF, or another graph memory.

    Memories: memory.jsonl of the MCP memory server, or the JSON of Neo4j or MemoryGraph. CSV needs the columns subject,
    predicate, object; RDF the package pyoxigraph. The report says what came over and what was left out. The same file
    again adds nothing.
    """
    session.show(session.run(IMPORT_MEMORY, {"path": str(Path(file).absolute()), "extract": list(extract)}))


@command("watch", "embedder", "watch_interval")
@click.argument("folders", nargs=-1, required=True, metavar="FOLDERS…")
@click.option("--glob", multiple=True, help="Only files that match, as in **/*.md.")
@click.option("--ignore", multiple=True, help="Patterns to leave out, as in .gitignore.")
@click.option("--extract", multiple=True, default=["auto"], help="auto, none, or names of extractors.")
@click.option("--once", is_flag=True, help="End when the graph is in step.")
def watch(session: Session, *, folders: tuple[str, ...], once: bool, **given: tuple[str, ...]) -> None:
    """Keep folders in step with the graph until Ctrl-C: what is new or changed is ingested, what is gone is removed.

    A file is read when it has not changed between two looks. What .gitignore excludes is left out.
    """
    paths = [str(Path(folder).absolute()) for folder in folders]
    arguments = {"paths": paths, "once": once}
    arguments |= {name: list(values) for name, values in given.items()}
    shows = not (session.as_json or once)
    session.show(session.run(WATCH_FROM_DISK, arguments, stream=partial(click.echo, nl=False) if shows else None))
