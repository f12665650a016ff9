"""The commands that reason."""

from typing import Any

import click

from mcp_graphrag.cli.command import AS_OF, KNOWN_AT, Session, command
from mcp_graphrag.server.tools import reasoning


@command("embedder")
@click.argument("source")
@click.argument("target")
@click.option("--max-hops", type=click.IntRange(1, 8), default=4, show_default=True, help="Longest path.")
@click.option("--k", type=click.IntRange(1, 20), default=3, show_default=True, help="Most paths.")
@click.option("--directed", is_flag=True, help="Only from subject to object.")
@click.option("--predicate", "predicates", multiple=True, help="Only over this predicate; repeatable.")
@click.option("--include-source", is_flag=True, help="Add the passage behind each piece of evidence.")
@AS_OF
@KNOWN_AT
def path(session: Session, predicates: tuple[str, ...], **options: Any) -> None:
    """Find the shortest paths between two entities."""
    session.show(reasoning.find_paths(session.call, predicates=list(predicates), **options))


@command("embedder", "ontology")
@click.argument("entity")
@click.option("--predicate", "predicates", multiple=True, help="Follow this predicate; repeatable.")
@click.option("--max-depth", type=click.IntRange(1, 100), default=10, show_default=True, help="Most levels.")
@click.option("--limit", type=click.IntRange(1, 500), default=100, show_default=True, help="Most entities to list.")
@AS_OF
@KNOWN_AT
def impact(session: Session, predicates: tuple[str, ...], **options: Any) -> None:
    """Show what depends on an entity, directly or not."""
    session.show(reasoning.trace_impact(session.call, predicates=list(predicates), **options))


@command("embedder", "ontology")
@click.argument("question", nargs=-1, required=True)
@click.option("--no-execute", is_flag=True, help="Show the plan alone.")
@click.option("--limit", type=click.IntRange(1, 20), default=5, show_default=True, help="Most walks.")
@AS_OF
@KNOWN_AT
def plan(session: Session, question: tuple[str, ...], *, no_execute: bool, **options: Any) -> None:
    """Answer a question by typed walks from what it names."""
    session.show(reasoning.plan_question(session.call, " ".join(question), execute=not no_execute, **options))
