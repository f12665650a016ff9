"""The result of reading a source: its text as stored, its blocks, and the title and metadata it contains."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from mcp_graphrag.model import Block, Metadata


@dataclass(frozen=True)
class Reading:
    """A source as read. The blocks partition `text`; `title` is "" if the source has none.

    `note` says what was not read as its format has it, behind the name of the document; "" if all was.
    """

    text: str
    blocks: Sequence[Block]
    title: str = ""
    metadata: Metadata = field(default_factory=dict[str, Any])
    note: str = ""


@dataclass(frozen=True)
class Reader:
    """A reader of one media type: `read` takes text with normalized characters; `suffixes` are those of its files."""

    media_type: str
    suffixes: tuple[str, ...]
    read: Callable[[str], Reading]


@dataclass(frozen=True)
class BytesReader:
    """A reader of a binary format: `read` takes the content of a file, or raises Unreadable to refuse it."""

    media_type: str
    suffixes: tuple[str, ...]
    read: Callable[[bytes], Reading]
