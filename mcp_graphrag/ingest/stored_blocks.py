"""The blocks of a document whose text is stored, without its source."""

from collections.abc import Sequence

from mcp_graphrag.ingest.read_markdown import read_markdown
from mcp_graphrag.ingest.readers import READERS
from mcp_graphrag.model import Block


def blocks_of_stored(text: str, media_type: str) -> Sequence[Block]:
    """The blocks of a text as it was stored: by the reader of its media type, or as Markdown where that changes it.

    What is stored of a web page or an office file is Markdown.
    """
    reader = next((reader for reader in READERS if reader.media_type == media_type), None)
    reading = None if reader is None or media_type == "text/html" else reader.read(text)
    return reading.blocks if reading is not None and reading.text == text else read_markdown(text).blocks
