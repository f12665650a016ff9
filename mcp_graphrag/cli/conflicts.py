"""The command that resolves conflicts."""

from typing import Any

import click

from mcp_graphrag.cli.command import Session, command
from mcp_graphrag.server.tools import conflicts


@command()
@click.argument("conflict", type=click.IntRange(1))
@click.option("--keep", type=click.Choice(["first", "second", "both"]), required=True, help="Which triple to keep.")
@click.option("--reason", required=True, help="Why, for whoever asks later.")
@click.option("--supersede", is_flag=True, help="Do not drop the other: it held until the kept one began.")
def resolve(session: Session, conflict: int, **options: Any) -> None:
    """Settle a conflict, by the number that `review` shows."""
    session.show(conflicts.resolve(session.call, conflict, **options))
