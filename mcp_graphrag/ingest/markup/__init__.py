"""Markup other than Markdown and HTML."""
