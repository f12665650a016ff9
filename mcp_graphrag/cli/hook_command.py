"""The command that hooks of hosts run, for the help; what runs it is `mcp_graphrag.__main__`."""

import click

from mcp_graphrag.hosts.hook import run_hook


@click.command("hook", context_settings={"ignore_unknown_options": True})
@click.argument("words", nargs=-1, type=click.UNPROCESSED, metavar="EVENT [--host NAME]")
def hook(words: tuple[str, ...]) -> None:
    """Tell a host what its project's graph knows, or the graph which file a host has edited; reads JSON on stdin.

    EVENT is session-start or post-tool-use. Whatever is wrong, it says nothing and ends with 0.
    """
    run_hook(words)
