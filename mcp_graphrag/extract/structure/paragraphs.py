"""Where paragraphs, items and headings of a document begin, and the line breaks that no sentence goes on across."""

import re
from bisect import bisect_right
from itertools import pairwise
from typing import NamedTuple

from mcp_graphrag.model import Chunk, Document

_LINE = re.compile(r"[^\n]+")
_WORD = re.compile(r"[^\W_]+")
_JOINT = re.compile(r"[a-z\d.?!)”:][A-Z]")
_HEADING_LINE = re.compile(r" {0,3}#{1,6}[ \t]")
# An item of a list, a turn of a talk ("[09:08] Ann:", "Q:"), a rule.
_ITEM_START = re.compile(
    r"[ \t]*(?:\[?\d{1,2}[:.]\d\d(?:[:.]\d\d)?\]?[ \t]+[\w@<*][^:\n]{0,40}:[ \t]|(?:Q|A|[A-Z][\w.]{2,20}):[ \t]"
    r"|[•◦▪‣·–—][ \t]|\(?(?:[a-z]|\d{1,3}|[ivx]{1,4})\)[ \t]|={3,}|-{3,}|\+[-=+]{3,})"
)
_BROKEN = re.compile(r"[ \t]{0,3}\n *(?P<word>[A-Z][a-z]\S*)")
MIN_WRAPPED = 55  # characters of a line whose sentence may go on
_MAY_BE_COLUMNS = re.compile(r" {3}|\t| \| ")
_GAP = re.compile(r"(?<=\S)(?: {3,}| *\t[ \t]*| \| )(?=\S)")


def run_together(text: str) -> set[int]:
    """Where lines begin that repeat others of the text without the breaks or spaces between them: "SheetsInstall".

    Such lines are of menus and cards whose marks were lost; what is said in them stands in the other lines too.
    """
    if _JOINT.search(text) is None:
        return set()
    lines = [(found.start(), found[0].strip()) for found in _LINE.finditer(text) if found[0].strip()]
    breaks = {(_last_word(line), _first_word(after)) for (_, line), (_, after) in pairwise(lines)}
    squeezed = ["".join(line.split()) for _, line in lines]
    lost: set[int] = set()
    for at, (start, line) in enumerate(lines):
        joints = (found.start() + 1 for found in _JOINT.finditer(line))
        is_joined = any((_last_word(line[:joint]), _first_word(line[joint:])) in breaks for joint in joints)
        if is_joined or any(squeezed[at] == "".join(squeezed[at + 1 : at + 1 + n]) for n in (2, 3)):
            lost.add(start)
        if squeezed[at : at + 1] == squeezed[at + 1 : at + 2] and line != lines[at + 1][1]:
            lost |= {start, lines[at + 1][0]}
    return lost


def _last_word(line: str) -> str:
    return line.rpartition(" ")[2].strip("#*_").rstrip()


def _first_word(line: str) -> str:
    found = _WORD.search(line)
    return found[0] if found is not None else ""


def ends_at_break(text: str, start: int, end: int) -> bool:
    """Whether the break behind a line, given as its span, is one of layout.

    It is behind a heading and a hard line break of Markdown, at a row of columns, and in front of a list item.
    """
    line = text[start:end]
    if line.endswith(("  ", "\\")) or _HEADING_LINE.match(line) or has_columns(line):
        return True
    following = text[end + 1 : (text.find("\n", end + 1) + 1 or len(text) + 1) - 1]
    return has_columns(following) or _ITEM_START.match(following) is not None


def goes_on_behind(text: str, end: int) -> bool:
    """Whether what ends there may go on in the next line, which begins with a capital too: a name of two words.

    So it may in wrapped text: a line is long, and has no room for the next word within the width of its paragraph.
    """
    broken = _BROKEN.match(text, end)
    if broken is None:
        return False
    first, last = text.rfind("\n\n", 0, end) + 1, text.find("\n\n", end)
    width = max(map(len, text[first : last if last >= 0 else len(text)].split("\n")))
    start = text.rfind("\n", 0, end) + 1
    return end - start >= MIN_WRAPPED and end - start + 1 + len(broken["word"]) > width


def has_columns(line: str) -> bool:
    """Whether the line is divided by tabs, bars or at least three spaces."""
    return _MAY_BE_COLUMNS.search(line) is not None and _GAP.search(line) is not None


def split_columns(line: str) -> str:
    """The line with a line break in place of the first character of each gap, so that sentences end there."""
    return _GAP.sub(lambda gap: "\n" + gap[0][1:], line) if _MAY_BE_COLUMNS.search(line) else line


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
