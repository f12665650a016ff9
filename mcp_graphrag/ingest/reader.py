"""The result of reading a source: its text as stored, its blocks, and the title and metadata it contains."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from mcp_graphrag.model import Block, Metadata

Content = TypeVar("Content", str, bytes)


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
class Reader(Generic[Content]):
    """A reader of one media type; `suffixes` are those of its files.

    `read` takes text with normalized characters, or the bytes of a binary format, which it may refuse by Unreadable.
    """

    media_type: str
    suffixes: tuple[str, ...]
    read: Callable[[Content], Reading]
