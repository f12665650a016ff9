"""Streamable HTTP: who may connect, and the server of it."""
