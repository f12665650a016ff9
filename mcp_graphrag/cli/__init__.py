"""The command line: every capability of the server, on the same file."""

import gc
import io
import os
import sys
import threading
from collections.abc import Sequence
from typing import NoReturn

import click

import mcp_graphrag
from mcp_graphrag.cli.serve_command import keep_imported, serve
from mcp_graphrag.errors import GraphragError, as_graphrag_error

COMPLETE = "_MCP_GRAPHRAG_COMPLETE"  # the variable by which a shell asks for completions


class Commands(click.Group):
    """The commands, imported when one is asked for: `serve` alone needs none of the others."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Their names in the order of the help."""
        return [str(each.name) for each in _all()]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """The command of a name, None if there is none."""
        if cmd_name == serve.name:
            return serve
        return next((each for each in _all() if each.name == cmd_name), None)


def _all() -> Sequence[click.Command]:
    from mcp_graphrag.cli.commands import COMMANDS  # noqa: PLC0415

    return COMMANDS


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    epilog="Start with `mcp-graphrag demo`. Exit codes: 0 done, 2 bad input, 3 unknown name, 4 trouble with the file,"
    " 5 optional dependency missing, 6 a file that is not sound, 130 interrupted.",
)
@click.version_option(mcp_graphrag.__version__, prog_name="mcp-graphrag")
@click.pass_context
def cli(context: click.Context) -> None:
    """A knowledge graph in one DuckDB file, for any agent."""
    if context.invoked_subcommand != serve.name:  # which imports later
        keep_imported()


def main() -> None:
    """Run the command line and end the process with its exit code."""
    gc.disable()  # until everything is imported: looking for garbage in it takes a tenth of that for nothing
    # For each value that is bound DuckDB looks for pandas in every folder of the path; nothing here uses it.
    sys.modules.setdefault("pandas", None)  # pyright: ignore[reportArgumentType]
    for stream in (sys.stdout, sys.stderr):
        # A terminal or pipe of another encoding shows what it can.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        code = cli.main(standalone_mode=False, complete_var=COMPLETE)
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
    except (GraphragError, OSError, RecursionError, MemoryError) as error:
        from mcp_graphrag.cli.session import show_error  # noqa: PLC0415

        code = show_error(as_graphrag_error(error))
    _end(code if isinstance(code, int) else 0)


def _end(code: int) -> NoReturn:
    """End the process; at once if a thread still embeds, which a library of the model would abort it for."""
    if any(thread.name.startswith("mcp-graphrag-") for thread in threading.enumerate()):
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        os._exit(code)
    sys.exit(code)
