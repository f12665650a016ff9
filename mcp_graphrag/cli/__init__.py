"""The command line: every capability of the server, on the same file."""

import io
import os
import sys

import click

import mcp_graphrag
from mcp_graphrag.cli.file_commands import clear, reindex, status
from mcp_graphrag.cli.generate import tool_command
from mcp_graphrag.cli.serve_commands import demo, serve
from mcp_graphrag.cli.session import show_error
from mcp_graphrag.cli.tool_commands import ADD_ENTITY, SPECIAL
from mcp_graphrag.errors import GraphragError
from mcp_graphrag.server.tools import TOOLS

COMMANDS: tuple[click.Command, ...] = (
    demo,
    serve,
    *(SPECIAL.get(tool.name) or tool_command(tool) for tool in TOOLS),
    ADD_ENTITY,
    status,
    clear,
    reindex,
)


@click.group(
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    epilog="Start with `mcp-graphrag demo`. Exit codes: 0 done, 2 bad input, 3 unknown name, 4 trouble with the file,"
    " 5 optional dependency missing, 6 a file that is not sound, 130 interrupted.",
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
        code = show_error(error)
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
