"""Where the paragraphs, list items and headings of a document begin."""

import re
from bisect import bisect_right
from typing import NamedTuple

from mcp_graphrag.model import Chunk, Document

MAX_LEAD = 40  # characters of white space and markup in front of a sentence
_ITEM = re.compile(r"[ \t>]*(?:[-*+•]|\d{1,2}[.)])[ \t]+[*_`\"“(]{0,4}\w?\Z")
_HEADING = re.compile(r"(#{1,6})[ \t]")
_BLANK_LINE = re.compile(r"\n[ \t>\r]*\n")
_MARKS = '*_>`"“( \t\r\n'


class Opening(NamedTuple):
    """What a sentence begins: a paragraph, an item of a list, or a heading of a level (1 to 6, else 0)."""

    is_paragraph: bool = False
    is_item: bool = False
    level: int = 0


class Paragraphs:
    """The paragraphs of one document."""

    def __init__(self, document: Document) -> None:
        self._text = document.text
        self._headings = [block for block in document.blocks if block.kind == "heading"]
        self._starts = [block.start for block in self._headings]

    def opening(self, chunk: Chunk, start: int) -> Opening:
        """What the sentence that starts at an offset of a chunk begins."""
        at = chunk.start + start
        line = self._text.rfind("\n", 0, at) + 1
        level = self._level(line, at)
        if level:
            return Opening(level=level)
        if at - line <= MAX_LEAD and _ITEM.match(self._text, line, at + 1) is not None:
            return Opening(is_item=True)
        lead = self._text[max(at - MAX_LEAD, 0) : at]
        gap = lead[len(lead.rstrip(_MARKS)) :]
        is_first = len(gap) == at
        return Opening(is_first or _BLANK_LINE.search(gap) is not None or self._is_under_heading(at - len(gap), at))

    def _is_under_heading(self, start: int, at: int) -> bool:
        """Whether only white space and markup, from `start` on, is between a heading and a place."""
        index = bisect_right(self._starts, at) - 1
        if index >= 0:
            return start <= self._headings[index].end <= at
        line = self._text.rfind("\n", 0, start) + 1
        return line <= start < at and "\n" in self._text[start:at] and _HEADING.match(self._text, line) is not None

    def _level(self, line: int, at: int) -> int:
        index = bisect_right(self._starts, at) - 1
        if index >= 0 and at < self._headings[index].end:
            return self._headings[index].level
        mark = _HEADING.match(self._text, line) if not self._headings else None
        return len(mark[1]) if mark is not None else 0
