"""What belongs together in a text: a term and its definition, a caption and its figure, a question and its answer.

A reader gives the groups that its format marks; what words and indentation show is found here for every format.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

from mcp_graphrag.model import Block

_MAX_TERM = 200  # characters of a term that later parts of its definition have above them
_MAX_TERMS = 8  # around a block
_MAX_BLOCKS = 100_000  # 200 bytes each
_MAX_LINE = 100  # characters of a line of its own that says what follows
_MAX_QUESTION = 400
_MAX_INDENT = 100
_TAIL = 300  # characters at the end of a paragraph that are looked at
_ENDS = ".!;,。！、…"  # of a line that says something itself
_MARKS = " \t\n*_`~\"'”’)]"  # behind the last word of a paragraph
_IMAGE = re.compile(r"\s*!\[[^\]\n]*\]\([^)\n]*\)\s*")
_SENTENCE = re.compile(r"[^\W\d_]{2}[.!?] ")
_SHOWN = frozenset({"table", "code"})  # what has a caption
_ANSWER = re.compile(r"[\s>*_]*(?:A|Answer)\d{0,3}[*_]*:")
# "Figure 3: the pumps", in any language, or a line in italics.
_CAPTION = re.compile(r"\s*(?:[*_]{0,2}[^\W\d_]{1,12}\.? ?\d[\d.-]*[*_]{0,2}[:.) ]|([*_])[^*_\n]+\1\s*\Z)")
_ATTRIBUTES = re.compile(r"\s*\[[^\]\n]*\]\s*")  # of the block below, in AsciiDoc
_OPTION = re.compile(r"-{1,2}[A-Za-z0-9?#@][^\n]*(?: {2}|\t)")
# A field, or what stands in front of the text of an option; else the whole line.
_TERM = re.compile(r":[^:\n]+:(?=\s)|(?:(?!  |\t)[^\n])+")
_LINE = re.compile(r"([ \t]*(?::[ \t]+)?)(\S[^\n]*)\n?")  # its indentation, and its words


class Level(NamedTuple):
    """From where on a text stands at a depth; with a `term` deeper text behind it is about that, as definitions are."""

    depth: int
    start: int
    term: tuple[int, int] | None = None


def with_terms(blocks: Sequence[Block], levels: Iterable[Level]) -> list[Block]:
    """The blocks with the terms that they are about, by the levels in order. A heading ends them all."""
    pending = [*levels][::-1]
    around: list[Level] = []
    found: list[Block] = []
    for block in blocks:
        while pending and pending[-1].start <= block.start:
            level = pending.pop()
            while around and around[-1].depth >= level.depth:
                around.pop()
            around += [level] if level.term else []
        if block.level:
            around.clear()
        terms = tuple(each.term for each in around[:_MAX_TERMS] if each.term is not None)
        found.append(replace(block, terms=terms) if terms or block.terms else block)
    return found


def with_hanging(text: str, blocks: Sequence[Block], *, marked: bool = False) -> list[Block]:
    """The blocks of a text in which what is indented under a line is about it, or only what ": " marks.

    So lists of definitions, options and fields are written. Their items become blocks.
    """
    parts = [part for block in blocks for part in (_items(text, block, marked) if block.kind == "text" else [block])]
    blocks = parts if len(parts) <= _MAX_BLOCKS else blocks
    return with_terms(blocks, _hanging(text, blocks, marked))


def leads_on(text: str, blocks: Sequence[Block], at: int) -> bool:
    """Whether no chunk ends behind a block: it introduces the next one, or that is the caption of it."""
    block, following = blocks[at], blocks[at + 1] if at + 1 < len(blocks) else None
    if following is None or following.kind == "heading" or following.starts_chunk:
        return False
    for first, last in set(block.terms) & set(following.terms):
        ends_block = block.start < last and first < block.end and not text[last : block.end].strip(_MARKS + ":")
        opens_next = following.start <= first < following.end and not text[following.start : first].strip()
        if ends_block or opens_next:
            return True
    if following.terms[: len(block.terms)] != block.terms:
        return False
    said, behind = text[block.start : block.end], text[following.start : min(following.end, following.start + _TAIL)]
    if block.kind != "text":
        is_above = at + 2 < len(blocks) and blocks[at + 2].kind in _SHOWN
        is_caption = block.kind in _SHOWN and following.kind == "text" and _CAPTION.match(behind) is not None
        return (is_caption and not is_above) or (block.kind == "code" and _ATTRIBUTES.fullmatch(said) is not None)
    if introduces(said) or _ANSWER.match(behind) or (following.kind in _SHOWN and _CAPTION.match(said)):
        return True
    return _is_title(said) and not (following.kind == "text" and _is_title(text[following.start : following.end]))


def introduces(said: str) -> bool:
    """Whether a paragraph or item ends with a colon, or is a question."""
    end = said[-_TAIL:].rstrip(_MARKS)[-1:]
    return end in {":", "："} or (end in {"?", "？"} and len(said) <= _MAX_QUESTION)


def terms_outside(text: str, terms: Iterable[tuple[int, int]], start: int, end: int) -> list[str]:
    """The terms that do not begin in a span of the text, each on one line."""
    return [" ".join(text[first:last][:_MAX_TERM].split()) for first, last in terms if not start <= first < end]


def _is_title(said: str) -> bool:
    """Whether a paragraph is a line, such as a title or the words of an image, that does not end as a sentence does."""
    line = said.strip()
    return (
        len(line) <= _MAX_LINE
        and "\n" not in line
        and any(map(str.isalnum, line))
        and _SENTENCE.search(line) is None
        and (line.rstrip(_MARKS)[-1:] not in _ENDS or _IMAGE.fullmatch(line) is not None)
    )


def _items(text: str, block: Block, marked: bool) -> Iterator[Block]:  # noqa: FBT001
    """The items of a paragraph that is a list of lines with others indented under them, or of options."""
    lines = [(line.start(), _indent(line[1]), line[2]) for line in _LINE.finditer(text, block.start, block.end)]
    own = lines[0][1] if lines else 0
    starts = [block.start]
    if (not marked and len(lines) > 1) or any(text.startswith(":", start) for start, _, _ in lines[1:]):
        belows = [*(indent for _, indent, _ in lines[2:]), 0]
        for (_, above, _), (start, indent, words), below in zip(lines, lines[1:], belows, strict=False):
            is_outdented = above > indent and (below > indent or indent == own)
            if is_outdented or (below > indent and (indent == own or words[0] == "-")) or _OPTION.match(words.rstrip()):
                starts.append(start)
    for start, end in pairwise([*starts, block.end]):
        yield replace(block, start=start, end=end)


def _hanging(text: str, blocks: Sequence[Block], marked: bool) -> Iterator[Level]:  # noqa: FBT001
    """The indentation of each block, and its first line where others are indented under that."""
    firsts = [_LINE.search(text, block.start, block.end) for block in blocks]
    for block, first, following in zip(blocks, firsts, [*firsts[1:], None], strict=True):
        if first is not None:
            second = _LINE.search(text, first.end(), block.end) or following
            below = second[1] if second is not None and (not marked or ":" in second[1]) else ""
            is_term = _indent(below) > _indent(first[1]) and (block.kind == "text" or first[2].startswith(".."))
            term = _TERM.match(text, first.start(2)) if is_term else None
            yield Level(_indent(first[1]), block.start, term.span() if term is not None else None)


def _indent(space: str) -> int:
    return len(space[:_MAX_INDENT].expandtabs())
