"""The pieces that chunks are made of: blocks, and parts of blocks that are too long."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from mcp_graphrag.english.sentences import split_sentences
from mcp_graphrag.ingest.kept_together import introduces
from mcp_graphrag.ingest.token_estimate import estimate_tokens
from mcp_graphrag.model import Block, Document

_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_WORD = re.compile(r"\s*\S+\s*")
_ITEM = re.compile(r"([ \t]*)((?:[-*+]|\d{1,9}[.)])[ \t]+)\S")
_FENCE = re.compile(r"[ \t]*(?:`{3,}|~{3,})")
# Tables, code blocks and list items stay whole up to this many times the limit.
_STRUCTURE_FACTOR = 4
_MAX_CONTEXT_TOKENS = 400
_MAX_CONTEXT_LENGTH = 4000  # characters; the estimate of tokens counts no white space
_WORD_LENGTH = 20  # characters of a part that may come again


@dataclass(frozen=True)
class Piece:
    """A span that goes into a chunk as a whole; `tokens` is its estimated length.

    `context` is what the later parts of a table or code block need but do not contain, `terms` are those of its block.
    With `starts_chunk` a chunk begins with it.
    """

    start: int
    end: int
    tokens: int
    headings: tuple[str, ...]
    starts_section: bool = False
    context: str = ""
    starts_chunk: bool = False
    terms: tuple[tuple[int, int], ...] = ()


def split_block(document: Document, block: Block, *, target: int, limit: int) -> Iterator[Piece]:
    """The block as one piece or, if it is too long, as pieces of about `target` and at most `limit` tokens."""
    text = document.text[block.start : block.end]
    tokens = estimate_tokens(text)
    whole = Piece(block.start, block.end, tokens, block.headings, starts_chunk=block.starts_chunk, terms=block.terms)
    if tokens <= limit or (block.kind in {"table", "code"} and tokens <= _STRUCTURE_FACTOR * limit):
        yield whole
        return
    context, start = _context(text, block.kind), block.start
    lead = next((last - start for first, last in block.terms if start <= first and last < block.end), 0)
    lead += len(text[lead:]) - len(text[lead:].lstrip(":; \t\n")) if lead else 0
    for length, size in _pack(_parts(text, block.kind, limit), target, lead):
        part = replace(whole, start=start, end=start + length, tokens=size)
        yield part if start == block.start else replace(part, context=context, starts_chunk=False)
        start += length


def _parts(text: str, kind: str, limit: int) -> Iterator[str]:
    """The parts between which a long block may be cut."""
    if kind in {"table", "code", "data"}:
        yield from _split_lines(text, limit)
    elif kind == "list":
        for item in _items(text):
            yield from [item] if _fits(item, _STRUCTURE_FACTOR * limit) else _parts(item, "text", limit)
    else:
        for sentence in split_sentences(text):
            yield from [sentence] if _fits(sentence, limit) else _split_lines(sentence, limit)


def _items(text: str) -> Iterator[str]:
    """The outermost items of a list: a marker to the left of the previous item's content starts a new item."""
    start = position = content_column = 0
    for line in _LINE.findall(text):
        marker = _ITEM.match(line)
        if marker and (content_column == 0 or len(marker[1].expandtabs(4)) < content_column):
            if position > start:
                yield text[start:position]
            start, content_column = position, len((marker[1] + marker[2]).expandtabs(4))
        position += len(line)
    yield text[start:]


def _split_lines(text: str, limit: int) -> Iterator[str]:
    """Lines of at most `limit` tokens; longer ones as words, and longer words in parts. They rejoin to the text."""
    for line in _LINE.findall(text):
        if _fits(line, limit):
            yield line
        else:
            yield from _split_words(line, limit)


def _split_words(line: str, limit: int) -> Iterator[str]:
    for word in _WORD.findall(line):
        if _fits(word, limit):
            yield word
        else:
            yield from (word[start : start + limit] for start in range(0, len(word), limit))


def _fits(text: str, limit: int) -> bool:
    """Whether a text has at most `limit` tokens. A character is at most one token."""
    return len(text) <= limit or estimate_tokens(text) <= limit


def _pack(parts: Iterable[str], target: int, lead: int) -> Iterator[tuple[int, int]]:
    """Lengths in characters and in tokens of runs of parts, each filled up to `target` tokens.

    None ends with a question, or within the first `lead` characters, if it is no longer than that.
    """
    length = size = done = 0
    is_led = False
    known: dict[str, int] = {}  # the tokens of words, of which a long line has millions
    for part in parts:
        tokens = known.get(part)
        if tokens is None:
            tokens = estimate_tokens(part)
            if len(part) <= _WORD_LENGTH:
                known[part] = tokens
        if length and size + tokens > target and not (is_led and size <= target):
            yield length, size
            length = size = 0
        done += len(part)
        is_led = done <= lead or introduces(part)
        length += len(part)
        size += tokens
    if length:
        yield length, size


def _context(text: str, kind: str) -> str:
    """The header rows of a table, or the opening line of a fenced code block; "" if they are too long.

    Every part of the block has them again.
    """
    if kind == "table":
        end = text.find("\n", text.find("\n") + 1)
    else:
        end = text.find("\n") if kind == "code" and _FENCE.match(text) else 0
    end = len(text) if end < 0 else end
    fits = end <= _MAX_CONTEXT_LENGTH and estimate_tokens(text[:end]) <= _MAX_CONTEXT_TOKENS
    return text[:end] if fits else ""
