"""The entry point of the bundle, whose environment has the package."""

from mcp_graphrag.__main__ import main

main()
