"""The explorer: pages that show a graph in a browser, served on loopback, and the view of an answer in an MCP host."""
