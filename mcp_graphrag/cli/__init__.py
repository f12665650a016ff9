"""The command line: every capability of the server, on the same file."""

import io
import os
import sys

import click

import mcp_graphrag
from mcp_graphrag.cli.asking import ask
from mcp_graphrag.cli.claims import check
from mcp_graphrag.cli.command import shown_error
from mcp_graphrag.cli.communities import communities
from mcp_graphrag.cli.conflicts import resolve
from mcp_graphrag.cli.curating import diff, documents, history, remove, undo
from mcp_graphrag.cli.demo import demo
from mcp_graphrag.cli.edges import add_given, discover_edges
from mcp_graphrag.cli.memory import add_entity, outcome, update_entity
from mcp_graphrag.cli.merging import merge, review, split
from mcp_graphrag.cli.ontologies import ontology
from mcp_graphrag.cli.reading import entities, neighbourhood, query, source, stats, status
from mcp_graphrag.cli.reasoning import impact, path, plan
from mcp_graphrag.cli.searching import search
from mcp_graphrag.cli.serve import serve
from mcp_graphrag.cli.writing import clear, ingest, reindex
from mcp_graphrag.errors import GraphragError

COMMANDS = (
    demo,
    serve,
    ingest,
    search,
    ask,
    query,
    neighbourhood,
    communities,
    entities,
    source,
    path,
    impact,
    check,
    plan,
    review,
    resolve,
    merge,
    split,
    add_entity,
    update_entity,
    outcome,
    discover_edges,
    add_given,
    documents,
    remove,
    undo,
    history,
    diff,
    ontology,
    status,
    stats,
    clear,
    reindex,
)


@click.group(
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    epilog="Start with `mcp-graphrag demo`. Exit codes: 0 done, 2 bad input, 3 no such name, 4 trouble with the file,"
    " 5 a part is missing, 130 interrupted.",
)
@click.version_option(mcp_graphrag.__version__, prog_name="mcp-graphrag")
def cli() -> None:
    """A knowledge graph in one DuckDB file, for any agent."""


for _command in COMMANDS:
    cli.add_command(_command)


def main() -> None:
    """Run the command line and end the process with its exit code."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal or pipe of another encoding shows what it can.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        code = cli.main(standalone_mode=False)
    except GraphragError as error:
        code = shown_error(error)
    except click.exceptions.Exit as error:
        code = error.exit_code
    except click.Abort:
        click.echo("Interrupted. What was done stays; the same command again does the rest.", err=True)
        code = 130
    except click.ClickException as error:
        error.show()
        code = error.exit_code
    except BrokenPipeError:
        # Whoever read our output has enough; without this the interpreter would complain while it flushes.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    sys.exit(code if isinstance(code, int) else 0)
