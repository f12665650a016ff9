"""The command that checks claims."""

import click

from mcp_graphrag.cli.command import AS_OF, KNOWN_AT, Session, command
from mcp_graphrag.server.tools.claims import check_claim


@command("embedder", "source_precedence")
@click.argument("claim", nargs=-1)
@click.option("--subject", help="Name or alias of the subject, instead of a sentence.")
@click.option("--predicate", help="The predicate, any spelling; is_a for a type.")
@click.option("--object", "object_", help="Name or alias of the object; with is_a a type.")
@AS_OF
@KNOWN_AT
def check(session: Session, claim: tuple[str, ...], object_: str | None, **options: str | None) -> None:
    """Check whether the graph supports or contradicts a statement."""
    session.show(check_claim(session.call, " ".join(claim) or None, object=object_, **options))
