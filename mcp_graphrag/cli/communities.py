"""The command that shows and builds communities."""

from typing import Any

import click

from mcp_graphrag.cli.command import Session, command
from mcp_graphrag.errors import BadInput
from mcp_graphrag.model import Origin
from mcp_graphrag.pipeline.communities import MOST_REWRITTEN, build_communities, claude_rewriter
from mcp_graphrag.server.tools.communities import get_communities


@command("embedder", "community_most_triples", "claude_model")
@click.argument("community", required=False, type=int)
@click.option("--query", help="A question or theme: the best communities for it.")
@click.option("--level", type=click.IntRange(0), help="0, the broadest, by default.")
@click.option("--limit", type=click.IntRange(1, 100), default=8, show_default=True, help="Most communities.")
@click.option("--cursor", help="next_cursor of the page before.")
@click.option("--rebuild", is_flag=True, help="Build what has changed, whatever the size of the graph.")
@click.option("--rewrite", is_flag=True, help="With --rebuild: send them to Claude for better titles and summaries.")
@click.option(
    "--most", type=click.IntRange(1), default=MOST_REWRITTEN, show_default=True, help="With --rewrite: at most."
)
def communities(session: Session, *, rebuild: bool, rewrite: bool, most: int, **options: Any) -> None:
    """Show what the graph is about: communities of entities; with a number, what is inside one."""
    if rewrite and not rebuild:
        raise BadInput("--rewrite belongs to --rebuild.", "Give both: the texts of communities are sent to Claude.")
    if not rebuild:
        session.show(get_communities(session.call, **options))
        return
    pipeline = session.existing.pipeline
    rewriter = claude_rewriter(pipeline, most=most) if rewrite else None
    done = build_communities(pipeline, Origin("communities", "cli"), rewriter=rewriter)
    pipeline.store.checkpoint()
    counts = {"built": done.built, "kept": done.kept, "removed": done.removed}
    fields = {**counts, "rewritten": done.rewritten, "waiting": done.waiting, "warnings": list(done.warnings)}
    words = f"Built {done.built} communities, kept {done.kept}, removed {done.removed}."
    words += f" Claude rewrote {done.rewritten}; {done.waiting} could still be." if rewrite else ""
    session.show_fields(fields if rewrite else counts, "\n".join([words, *done.warnings]))
