"""The explorer: the graph in a browser, served on loopback."""
