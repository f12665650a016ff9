"""The command that hooks of hosts run. Imports nothing that takes long: every session of a host waits for it."""

import sys

import click

from mcp_graphrag.hosts.hook import EVENTS, run_hook


@click.command("hook")
@click.argument("event", type=click.Choice(EVENTS))
@click.option("--host", default="", help="Host whose form of output to use.")
def hook(event: str, host: str) -> None:
    """Tell a host what its project's graph knows, or the graph which file a host has edited; reads JSON on stdin."""
    try:
        said = run_hook(event, host, sys.stdin.buffer.read())
    except Exception:  # noqa: BLE001  (whatever is wrong here is no reason to stop a host's session)
        return
    if said:
        click.echo(said)
