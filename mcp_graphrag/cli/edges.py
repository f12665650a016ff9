"""The commands that find chunk edges, and take those that are given."""

import json
from collections.abc import Iterable
from dataclasses import replace
from typing import TextIO

import click
from pydantic import ValidationError

from mcp_graphrag.cli.command import Session, command
from mcp_graphrag.errors import BadInput
from mcp_graphrag.pipeline.discover_edges import Discovery
from mcp_graphrag.server.tools.edges import EdgeIn, add_edges, found_edges


@command("embedder", "edge_min_weight", "edge_most", name="discover-edges")
@click.argument("documents", nargs=-1)
@click.option("--threshold", type=float, help="Least similarity; by default the setting edge_similarity.")
@click.option("--pairs", type=int, help="Most similar passages for each; by default the setting edge_pairs.")
@click.option("--across/--within", default=True, help="--within: only what the texts themselves say.")
def discover_edges(
    session: Session, documents: tuple[str, ...], threshold: float | None, pairs: int | None, *, across: bool
) -> None:
    """Find edges between stored passages; DOCUMENTS are uris or titles, one alone is compared with all others."""

    def say(_done: float, _total: float | None, message: str) -> None:
        _say(session, message)

    call = replace(session.call, progress=say)
    answer = found_edges(call, Discovery(documents, threshold, pairs, across))
    _say(session, "")
    session.pipeline.store.checkpoint()
    session.show(answer)


@command(name="add-edges")
@click.argument("file", type=click.File(encoding="utf-8"))
def add_given(session: Session, file: TextIO) -> None:
    """Store edges between passages, all or none: a JSON object a line in FILE, or - for standard input.

    Each has source, target and relation; weight and description if you like. Passages are cited as search shows them.
    """
    answer = add_edges(session.call, list(_edges(file)))
    session.pipeline.store.checkpoint()
    session.show(answer)


def _edges(lines: Iterable[str]) -> Iterable[EdgeIn]:
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            yield EdgeIn.model_validate(json.loads(line))
        except json.JSONDecodeError as error:
            raise BadInput(f"Line {number} is not JSON: {error.msg}.", "Write an object a line.") from error
        except ValidationError as error:
            said = error.errors()[0]
            where = ".".join(str(part) for part in said["loc"])
            raise BadInput(f"Line {number} is no edge: {where} {said['msg']}.", "See add-edges --help.") from error


def _say(session: Session, message: str) -> None:
    if session.shows_progress:
        click.echo(f"\r{message:60}" if message else "", nl=not message, err=True)
