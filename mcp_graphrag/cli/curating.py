"""The commands that keep the graph in order."""

import sys
from typing import Any

import click

from mcp_graphrag.cli.command import Session, command
from mcp_graphrag.errors import BadInput
from mcp_graphrag.server.tools import curating


@command()
@click.option("--limit", type=click.IntRange(1, 500), default=100, show_default=True, help="Most documents.")
@click.option("--cursor", help="next_cursor of the page before.")
def documents(session: Session, **options: Any) -> None:
    """List documents with what each supports."""
    session.show(curating.documents(session.call, **options))


@command()
@click.option("--document", help="Uri or title of a document.")
@click.option("--entity", help="Name of an entity.")
@click.option("--subject", help="With --predicate and --object: a triple.")
@click.option("--predicate", help="Its predicate.")
@click.option("--object", "object_", help="Its object.")
@click.option("--purge", is_flag=True, help="For good: no undo, no looking back. Asks unless --force.")
@click.option("--force", is_flag=True, help="Do not ask.")
def remove(session: Session, object_: str | None, *, purge: bool, force: bool, **named: Any) -> None:
    """Remove a document, an entity or a triple with all that it alone supported."""
    if purge and not force:
        if session.as_json or not sys.stdin.isatty():
            raise BadInput("This removes it for good.", "Repeat it with --force.")
        click.confirm(f"Remove it from {session.settings.db} for good?", abort=True, err=True)
    session.show(curating.remove(session.call, object=object_, purge=purge, **named))


@command()
@click.option("--operations", type=click.IntRange(1, 100), default=1, show_default=True, help="How many.")
def undo(session: Session, operations: int) -> None:
    """Take back the last operations."""
    session.show(curating.undo(session.call, operations))


@command()
@click.argument("since")
@click.option("--until", help="ISO time to compare with; now, if absent.")
@click.option("--limit", type=click.IntRange(1, 500), default=50, show_default=True, help="Most triples.")
def diff(session: Session, **options: Any) -> None:
    """Show what was learned and given up since a moment."""
    session.show(curating.diff(session.call, **options))


@command()
@click.argument("entity")
@click.option("--limit", type=click.IntRange(1, 500), default=50, show_default=True, help="Most events.")
@click.option("--cursor", help="next_cursor of the page before.")
def history(session: Session, **options: Any) -> None:
    """Show what happened to an entity."""
    session.show(curating.history(session.call, **options))
