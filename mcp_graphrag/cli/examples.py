"""Examples of commands, a line each in examples.txt, as the help of each shows its own."""

from importlib import resources

import click

EXAMPLES = (resources.files("mcp_graphrag.cli") / "examples.txt").read_text(encoding="utf-8").splitlines()


def with_examples(command: click.Command) -> click.Command:
    """The command with its examples at the end of its help."""
    found = [f"  mcp-graphrag {each}" for each in EXAMPLES if each.split()[0] == command.name]
    command.epilog = "\n".join(["\b", "For example:", *found]) if found else command.epilog
    return command
