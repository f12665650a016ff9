"""Where paragraphs, items and headings of a document begin, and the line breaks that no sentence goes on across."""

import re
from bisect import bisect_right
from itertools import pairwise
from typing import NamedTuple

from mcp_graphrag.model import Chunk, Document

_LINE = re.compile(r"[^\n]+")
_JOINT = re.compile(r"[a-z\d.?!)”:][A-Z]")
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
    return (line.split(maxsplit=1) or [""])[0].strip("#*_.,:;()[]")


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


_LEAD = ' \t>*_`"“(-+•.)0123456789'  # white space and markup in front of a sentence
_FAR = 200  # characters: what stands further to the left in a line, or above it, is not looked at


class Opening(NamedTuple):
    """Whether a sentence begins a paragraph, an item or a heading, and the level of a heading (1 to 6, else 0)."""

    is_first: bool
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
        index = bisect_right(self._starts, at) - 1
        if index >= 0 and at < self._headings[index].end:
            return Opening(is_first=True, level=self._headings[index].level)
        since = max(at - _FAR, 0)
        line = self._text.rfind("\n", since, at) + 1
        if not line and since:
            return Opening(is_first=False)
        lead = self._text[line:at].lstrip(" \t>")
        above = self._text[max(line - _FAR, 0) : max(line - 1, 0)].rpartition("\n")[2].strip(" \t>\r")
        is_item = lead[:1] in {"-", "*", "+", "•"} or lead[:1].isdigit()
        return Opening(not lead.strip(_LEAD) and (is_item or not above or above.startswith("#")))
