"""The command that hooks of hosts run. Imports nothing that takes long: every session of a host waits for it."""

import sys

import click

from mcp_graphrag.hosts.hook import run_hook


@click.command("hook", context_settings={"ignore_unknown_options": True, "allow_extra_args": True})
@click.argument("event", default="")
@click.option("--host", default="", help="Host whose form of output to use.")
def hook(event: str, host: str) -> None:
    """Tell a host what its project's graph knows, or the graph which file a host has edited; reads JSON on stdin.

    EVENT is session-start or post-tool-use. Whatever is wrong, it says nothing and ends with 0.
    """
    try:
        said = run_hook(event, host, sys.stdin.buffer.read())
    except Exception:  # noqa: BLE001  (nothing here is a reason to stop a host's session)
        return
    if said:
        click.echo(said)
