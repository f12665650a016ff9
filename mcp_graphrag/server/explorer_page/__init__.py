"""The page of the explorer, and the view of an answer that an MCP host shows, made of the same modules."""
