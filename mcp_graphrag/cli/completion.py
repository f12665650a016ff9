"""Completion of commands and options in shells."""

import click
from click.shell_completion import get_completion_class

from mcp_graphrag.errors import BadInput

SHELLS = ("bash", "zsh", "fish")


@click.command("completion", epilog='\b\nExample:\n  eval "$(mcp-graphrag completion bash)"')
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def completion(context: click.Context, *, shell: str) -> None:
    """Print the lines by which a shell completes commands and options; put them where it starts.

    For bash and zsh: eval "$(mcp-graphrag completion bash)" in ~/.bashrc or ~/.zshrc. For fish: mcp-graphrag completion
    fish > ~/.config/fish/completions/mcp-graphrag.fish
    """
    found = get_completion_class(shell)
    if found is None:
        raise BadInput(f"{shell} has no completion here.", f"Choose one of {', '.join(SHELLS)}.")
    click.echo(found(context.find_root().command, {}, "mcp-graphrag", "_MCP_GRAPHRAG_COMPLETE").source())
