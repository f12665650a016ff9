"""Data files and source code to blocks. They are searched as they are; no reader understands their structure."""

from mcp_graphrag.ingest.read_plain_text import paragraphs
from mcp_graphrag.ingest.reader import Reading


def read_data(text: str) -> Reading:
    """The paragraphs of a data file, of which extractors read none."""
    return Reading(text, paragraphs(text, "data"))


def read_source_code(text: str) -> Reading:
    """The paragraphs of source code, in which extractors find identifiers only."""
    return Reading(text, paragraphs(text, "code"))
