"""`python -m mcp_graphrag` is the command `mcp-graphrag`."""

from mcp_graphrag.cli import main

main()
