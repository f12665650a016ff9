"""The command that answers a question."""

import sys
from typing import Any

import click

from mcp_graphrag.cli.command import Session, command
from mcp_graphrag.cli.filters import filtered, filters_from
from mcp_graphrag.pipeline.ask import ASK_MODE
from mcp_graphrag.retrieve.search import MODES
from mcp_graphrag.server.tools import asking


@command("embedder", "context_tokens", "claude_key", "claude_model")
@click.argument("question", nargs=-1, required=True)
@click.option("--mode", type=click.Choice(MODES), default=ASK_MODE, show_default=True, help="How to search.")
@click.option("--tokens", type=click.IntRange(asking.LEAST_TOKENS), help="Most tokens of the context.")
@click.option("--context", "only_context", is_flag=True, help="Print only the context; ask no model.")
@filtered
def ask(session: Session, question: tuple[str, ...], *, only_context: bool, **options: Any) -> None:
    """Answer a question with citations: by Claude where its key is set, else print the context to answer from."""
    tokens = options["tokens"] or session.settings.context_tokens
    inquiry = asking.inquiry(" ".join(question), tokens, options["mode"], filters_from(options), not only_context)
    streams = sys.stdout.isatty() and not session.as_json
    told: list[str] = []

    def tell(piece: str) -> None:
        told.append(piece)
        click.echo(piece, nl=False)

    found = asking.answer_to(session.call, inquiry, tell if streams else lambda _: None)
    if only_context and not session.as_json:
        click.echo(found.context, nl=bool(found.context))
        click.echo(found.footer().strip(), err=True)
    elif told:
        click.echo(f"\n{found.sources()}" if found.answered else f"\n\n{found.in_words()}")
    else:
        session.show(found)
