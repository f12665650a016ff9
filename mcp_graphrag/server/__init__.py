"""The MCP face: tools that parse, call one function, and translate errors."""
