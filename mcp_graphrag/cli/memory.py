"""The commands that learn from outcomes, and that declare and reword entities."""

import contextlib
import json
from typing import Any, get_args

import click

from mcp_graphrag.cli.command import ALL_TOKENS, Session, command
from mcp_graphrag.cli.reading import key_values
from mcp_graphrag.errors import PartMissing
from mcp_graphrag.pipeline.embed import embed_pending
from mcp_graphrag.pipeline.outcome_names import Kind
from mcp_graphrag.server.answers import Answer
from mcp_graphrag.server.call import App, Call
from mcp_graphrag.server.tools import memory


@command("embedder", "success_boost", "success_spread", "error_likeness")
@click.argument("error", default="")
@click.option("--tool", default="", help="The tool or action that failed.")
@click.option("--session", "in_session", default="", help="Name of the session or task.")
@click.option("--fix", default="", help="What resolved the error.")
@click.option("--outcome", "kind", type=click.Choice(get_args(Kind)), help="Left out: fixed with --fix, else failure.")
@click.option("--context", default="", help="What was tried or seen.")
@click.option("--metadata", "pairs", multiple=True, metavar="KEY=VALUE", help="Pairs to keep; repeatable.")
def outcome(session: Session, error: str, kind: Kind | None, pairs: tuple[str, ...], **told: Any) -> None:
    """Record a failure, its fix or a later success, and show how it was solved before."""
    told["session"] = told.pop("in_session")
    call = _call(session.app)
    _show(session, memory.record_outcome(call, error, outcome=kind, metadata=values(pairs), **told))


@command("embedder", name="add-entity")
@click.argument("name")
@click.option("--type", "type_", help="Its type.")
@click.option("--description", default="", help="What it is.")
@click.option(
    "--property", "pairs", multiple=True, metavar="KEY=VALUE", help="A property, as JSON or text; repeatable."
)
@click.option("--alias", "aliases", multiple=True, help="Another name of it; repeatable.")
def add_entity(session: Session, name: str, type_: str | None, description: str, **options: Any) -> None:
    """Store a thing, or complete what is known of it."""
    given = memory.EntityIn(
        name=name,
        type=type_,
        description=description,
        properties=values(options["pairs"]),
        aliases=list(options["aliases"]),
    )
    _show(session, memory.add_entities(_call(session.app), [given]))


@command("embedder", name="update-entity")
@click.argument("name")
@click.option("--rename", help="Its new name; the old one stays as an alias.")
@click.option("--type", "type_", help="Its new type.")
@click.option("--description", help="Its new description.")
@click.option(
    "--property", "pairs", multiple=True, metavar="KEY=VALUE", help="A property; null removes it; repeatable."
)
@click.option("--add-alias", "aliases_add", multiple=True, help="Another name of it; repeatable.")
@click.option("--remove-alias", "aliases_remove", multiple=True, help="A name that it has no more; repeatable.")
@click.option("--of-type", help="Which one is meant, where several bear the name.")
def update_entity(session: Session, name: str, type_: str | None, pairs: tuple[str, ...], **options: Any) -> None:
    """Rename a thing, or change its words, properties or aliases."""
    for each in ("aliases_add", "aliases_remove"):
        options[each] = list(options[each])
    _show(session, memory.update_entity(_call(session.existing), name, type=type_, properties=values(pairs), **options))


def values(pairs: tuple[str, ...]) -> dict[str, Any]:
    """The mapping of KEY=VALUE words, each value as JSON where it is that, else as text."""
    return {key: _value(text) for key, text in key_values(pairs).items()}


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _call(app: App) -> Call:
    """A call as a tool that writes takes it. Nothing goes on in background: the command ends."""
    app.background.stop()
    return Call(app, ALL_TOKENS, "cli")


def _show(session: Session, answer: Answer) -> None:
    # What an embedder that is not instant left; where it is not at hand, reindex or a server does it later.
    with contextlib.suppress(PartMissing):
        embed_pending(session.pipeline)
    session.show(answer)
