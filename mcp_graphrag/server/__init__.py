"""The MCP face: each tool parses its arguments, calls one method of the graph and renders the answer."""
