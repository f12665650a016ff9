"""The command that searches."""

from typing import Any, get_args

import click

from mcp_graphrag.cli.command import AS_OF, KNOWN_AT, Session, command
from mcp_graphrag.cli.filters import filtered, filters_from
from mcp_graphrag.model import Relation
from mcp_graphrag.retrieve.question import MODES
from mcp_graphrag.server.tools import searching


@command("embedder", "vector_index", "fusion", "rrf_k", "arm_weights", "gate")
@click.argument("query", nargs=-1, required=True)
@click.option("--mode", type=click.Choice(MODES), default="auto", show_default=True, help="How to search.")
@click.option("--limit", type=click.IntRange(1, 100), default=8, show_default=True, help="Most hits.")
@filtered
@click.option("--relation", "relations", multiple=True, type=click.Choice(get_args(Relation)), help="With mode edges.")
@click.option("--explain", is_flag=True, help="Show arms, ranks, seeds and why each hit is there.")
@AS_OF
@KNOWN_AT
def search(session: Session, query: tuple[str, ...], **options: Any) -> None:
    """Find passages that answer a question."""
    filters = filters_from(options)
    relations = list(options.pop("relations"))
    session.show(searching.search(session.call, " ".join(query), filters=filters, relations=relations, **options))
