"""What a reader gives: the text as kept, its blocks, and what the source says about itself."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from mcp_graphrag.model import Block, Metadata


@dataclass(frozen=True)
class Reading:
    """A source as one reader read it. The blocks partition `text`; `title` is "" where the source names none."""

    text: str
    blocks: Sequence[Block]
    title: str = ""
    metadata: Metadata = field(default_factory=dict[str, Any])


@dataclass(frozen=True)
class Reader:
    """One way to read: `read` takes tidy text of `media_type`; files with one of `suffixes` go to it."""

    media_type: str
    suffixes: tuple[str, ...]
    read: Callable[[str], Reading]
