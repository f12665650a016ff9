"""The command that defines a property graph over a file, for people who write SQL/PGQ."""

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import click

from mcp_graphrag.cli.session import Session, command
from mcp_graphrag.errors import BadInput, FileTrouble
from mcp_graphrag.store.engine.property_graph import PropertyGraph, property_graph

NOT_LOADED = """\
DuckPGQ was not loaded: {why}.
`mcp-graphrag pgq --install` takes it from DuckDB's community repository, `--extension FILE` loads a file.
The statements below are for a DuckDB that has it; nothing else here needs it."""
LOADED = "DuckPGQ {version} was loaded. The first pattern answers:"
WARNING = """\
Patterns of a fixed number of hops are safe. Functions over paths and rankings are not: ANY SHORTEST, ->*, ->+, ->{1,3},
pagerank, weakly_connected_component and local_clustering_coefficient read beside their memory where rows were deleted,
which ends the process or gives wrong rows. Use `mcp-graphrag path` and `impact`, or a recursive CTE (docs/sql.md).
Bind no parameters and make no view of a GRAPH_TABLE. DuckGQL (ISO GQL) takes the same definition; that is untested."""


@click.option(
    "--extension",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="File of the extension DuckPGQ for this version of DuckDB.",
)
@click.option("--install", is_flag=True, help="Install DuckPGQ from DuckDB's community repository, over the network.")
@command("pgq")
def pgq(session: Session, extension: Path | None, install: bool) -> None:  # noqa: FBT001
    """Define a property graph over the file, for SQL/PGQ with DuckDB's extension DuckPGQ, and show patterns to run.

    What is printed is SQL to paste into `duckdb`, with remarks as comments. The file is read only.
    """
    path = session.settings.db.expanduser().absolute()
    if session.settings.postgres:
        raise BadInput("DuckPGQ reads a file.", "Copy the graph to one: `mcp-graphrag copy`.")
    if extension and install:
        raise BadInput("Both --extension and --install were given.", "Give one of them.")
    if not path.exists():
        raise FileTrouble(path, f"There is no file {path}.", "Ingest something first, or name another with --db.")
    found = property_graph(path, extension=extension, install=install)
    session.show_fields(asdict(found), "\n".join(_script(found)))


def _script(found: PropertyGraph) -> Iterator[str]:
    """The lines of a script. DuckPGQ takes no statement that begins with a comment: remarks are above, or behind."""
    if found.extension:
        answer = (" | ".join(map(str, row)) for row in (found.columns, *found.rows))
        yield from _remark("\n".join([LOADED.format(version=found.extension), *answer]))
    else:
        yield from _remark(NOT_LOADED.format(why=found.not_loaded))
    yield from _remark(WARNING)
    yield from (f"{statement};" for statement in found.setup)
    for about, statement in found.examples:
        first, _, rest = statement.partition("\n")
        yield f"{first} -- {about}\n{rest};"


def _remark(text: str) -> Iterator[str]:
    return (f"-- {line}" for line in text.splitlines())
