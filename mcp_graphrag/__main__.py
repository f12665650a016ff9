"""The command `mcp-graphrag`, also as `python -m mcp_graphrag`."""

import sys


def main() -> None:
    """Run the command. A hook, for which every session of a host waits, does without importing the command line."""
    if sys.argv[1:2] == ["hook"] and not {"-h", "--help"}.intersection(sys.argv):
        from mcp_graphrag.hosts.hook import run_hook  # noqa: PLC0415

        run_hook(sys.argv[2:])
    else:
        from mcp_graphrag.cli import main as run_command  # noqa: PLC0415

        run_command()


if __name__ == "__main__":
    main()
