"""The pieces of a document that a chunk is made of: blocks, and parts of blocks that are too long."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from mcp_graphrag.ingest.sentences import cut, split_lines, split_sentences
from mcp_graphrag.ingest.tokens import estimate_tokens
from mcp_graphrag.model import Block, Document

_ITEM = re.compile(r"([ \t]*)((?:[-*+]|\d{1,9}[.)])[ \t]+)\S")
_FENCE = re.compile(r"[ \t]*(?:`{3,}|~{3,})")
_PROTECTED = 4


@dataclass(frozen=True)
class Piece:
    """A span that goes into a chunk as a whole; `tokens` is its estimated length.

    `opens` says that it starts a section. `context` is what it needs and does not contain, for the later parts of a
    table or fence.
    """

    start: int
    end: int
    tokens: int
    headings: tuple[str, ...]
    opens: bool = False
    context: str = ""


def split_block(document: Document, block: Block, *, target: int, most: int) -> Iterator[Piece]:
    """The block as one piece, or where it is too long as pieces of about `target`, at most `most` tokens."""
    text = document.text[block.start : block.end]
    tokens = estimate_tokens(text)
    if tokens <= most or (block.kind in {"table", "code"} and tokens <= _PROTECTED * most):
        yield Piece(block.start, block.end, tokens, block.headings)
        return
    context = _context(text, block.kind)
    start = block.start
    for length, size in _pack(_parts(text, block.kind, most), target):
        yield Piece(start, start + length, size, block.headings, context=context if start > block.start else "")
        start += length


def _parts(text: str, kind: str, most: int) -> Iterator[str]:
    """The stretches between which a long block may be cut."""
    if kind in {"table", "code"}:
        yield from cut(text, most)
    elif kind == "list":
        for item in _items(text):
            yield from [item] if estimate_tokens(item) <= _PROTECTED * most else cut(item, most)
    else:
        for sentence in split_sentences(text):
            yield from [sentence] if estimate_tokens(sentence) <= most else cut(sentence, most)


def _items(text: str) -> Iterator[str]:
    """The outermost items of a list: a marker left of the content of the item before starts the next."""
    start = at = 0
    content = 0
    for line in split_lines(text):
        marker = _ITEM.match(line)
        if marker and (content == 0 or len(marker[1].expandtabs(4)) < content):
            if at > start:
                yield text[start:at]
            start, content = at, len((marker[1] + marker[2]).expandtabs(4))
        at += len(line)
    yield text[start:]


def _pack(parts: Iterable[str], target: int) -> Iterator[tuple[int, int]]:
    """Characters and tokens of runs of parts, each filled up to `target`."""
    length = size = 0
    for part in parts:
        tokens = estimate_tokens(part)
        if length and size + tokens > target:
            yield length, size
            length = size = 0
        length += len(part)
        size += tokens
    if length:
        yield length, size


def _context(text: str, kind: str) -> str:
    """The header rows of a table, the opening line of a fence."""
    lines = text.split("\n", 2)
    if kind == "table":
        return "\n".join(lines[:2])
    return lines[0] if kind == "code" and _FENCE.match(text) else ""
