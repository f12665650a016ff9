"""The commands that review what is doubtful, merge entities and split them."""

from typing import Any

import click

from mcp_graphrag.cli.command import Session, command
from mcp_graphrag.server.tools import merging


@command("source_precedence")
@click.option("--kind", type=click.Choice(["all", "conflicts", "merges", "resolved"]), default="all", show_default=True)
@click.option("--about", help="Only what concerns this entity.")
@click.option("--limit", type=click.IntRange(1, 100), default=10, show_default=True, help="Most items.")
@click.option("--cursor", help="next_cursor of the page before.")
@click.option("--known-at", help="ISO time in the past: as the graph was known then.")
def review(session: Session, **options: Any) -> None:
    """Show conflicts between facts, open or resolved, and entities that may be one thing."""
    session.show(merging.review(session.call, **options))


@command()
@click.argument("keep")
@click.argument("other")
@click.option("--reason", default="", help="Why, for whoever asks later.")
@click.option("--distinct", is_flag=True, help="Keep the two apart instead: they are two things.")
def merge(session: Session, keep: str, other: str, **options: Any) -> None:
    """Make two entities one: KEEP takes over what is said of OTHER."""
    session.show(merging.merge(session.call, keep, other, **options))


@command()
@click.argument("entity")
def split(session: Session, entity: str) -> None:
    """Take a merge back, by a name of the entity that was merged."""
    session.show(merging.split(session.call, entity))
