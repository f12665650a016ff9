"""What the places of words on a page say: running heads, columns, paragraphs and tables."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median
from typing import NamedTuple, TypeAlias

from mcp_graphrag.ingest.data.markdown_table import table_text
from mcp_graphrag.model import BlockKind

GAP = 0.9  # of the height of a line: more space between two words divides it
_WIDE = 2.0  # the same, where the space is shown
_SAME = 0.15  # of a height
_MIN_REPEATED = 3  # pages that share a line at one place of their top or bottom, which then is no text of theirs
_MIN_NUMBERED = 2  # the same with the number of the page
_NUMBER = re.compile(r"(?<!\w)\d{1,5}(?!\w)|\A[ivxlc]+\Z")
_FULL_LINE = 0.75  # of the widest line: a shorter one that ends a sentence ends a paragraph
_NEW_PARAGRAPH = 1.4  # times the usual distance of two lines
_MIN_SWITCHES = 4  # between the sides of a page whose lines are written across both
_MIN_WORDS = 3  # in the usual line of a column of text
_MIN_ROWS = 3  # of a table, with its header; one more where it has two columns
_MAX_CELL = 5  # words in the usual cell of a column
_NEAR = 2.5  # times the height: the distance of two rows, or of two lines of a running head
_TITLE = re.compile(r"(?![a-z])(?=.*[^\W\d_])[^\d:;,!?=]{1,40}(?<!\.)")


class Part(NamedTuple):
    """Words of a line without much space between them; places in points, `base` from the bottom of the page."""

    text: str
    left: float
    right: float
    base: float
    height: float
    font: str


Line: TypeAlias = Sequence[Part]


def follows(one: Part, two: Part) -> bool:
    """Whether a part stands to the right of another, on one line."""
    return two.left > one.right and abs(two.base - one.base) < _SAME * one.height


def without_running_heads(pages: Sequence[Sequence[Line]]) -> list[list[Line]]:
    """The lines of each page without those at its top and bottom that other pages have too, but for their numbers."""
    edges = [_edges(lines) for lines in pages]
    numbers = [
        {*_NUMBER.findall(" ".join(_said(lines[at]) for at in ends))} for lines, ends in zip(pages, edges, strict=True)
    ]
    offsets = Counter(int(each) - page for page, found in enumerate(numbers) for each in found if each.isdecimal())
    first = max(offsets, key=lambda offset: (offsets[offset], -abs(offset)), default=0)
    keys = [
        {at: _key(lines[at], page + first) for at in ends}
        for page, (lines, ends) in enumerate(zip(pages, edges, strict=True))
    ]
    least = max(_MIN_REPEATED, len(pages) // 10)
    counts = Counter(key for named in keys for key in set(named.values()))
    heads = {
        key
        for key, count in counts.items()
        if count >= (_MIN_NUMBERED if key[1] == "#" else _MIN_REPEATED + 1 if "#" in key[1] else least)
    }
    return [
        [line for at, line in enumerate(lines) if named.get(at) not in heads]
        for lines, named in zip(pages, keys, strict=True)
    ]


def blocks_of_page(lines: Sequence[Line]) -> Iterator[tuple[BlockKind, str]]:
    """The paragraphs and tables of a page, column by column."""
    start = at = 0
    while at < len(lines):
        stop = _end_of_rows(lines, at)
        table = _table(lines, at, stop)
        if table:
            yield from _paragraphs(_by_column(lines[start:at]))
            yield "table", table
            start = stop
        at = max(stop, at + 1)
    yield from _paragraphs(_by_column(lines[start:]))


def _said(line: Line) -> str:
    """The text of a line, with space where it has much."""
    gaps = ["   " if two.left - one.right > _WIDE * one.height else " " for one, two in pairwise(line)]
    return "".join(part.text + gap for part, gap in zip(line, [*gaps, ""], strict=True))


def _edges(lines: Sequence[Line]) -> set[int]:
    """The places of the lines at the top and bottom of a page, without titles, which are larger than its text.

    At each end it is the outermost, and the next one if that is near.
    """
    if len(lines) < 3:
        return set()
    most = (1 + _SAME) * median(line[0].height for line in lines)
    found: set[int] = set()
    by_base = sorted(range(len(lines)), key=lambda at: lines[at][0].base)
    for outer, inner in (by_base[:2], by_base[:-3:-1]):
        is_near = abs(lines[outer][0].base - lines[inner][0].base) < _NEAR * lines[outer][0].height
        found |= {outer, inner} if is_near else {outer}
    return {at for at in found if lines[at][0].height <= most}


def _key(line: Line, number: int) -> tuple[int, str]:
    """The height of a line, and its text with "#" for the number of its page, or that alone where it stands apart."""
    parts = [
        _NUMBER.sub(lambda found: found[0] if found[0].isdecimal() and found[0] != str(number) else "#", part.text)
        for part in line
    ]
    return round(line[0].base), "#" if "#" in (parts[0], parts[-1]) else " ".join(parts)


def _by_column(lines: Sequence[Line]) -> list[Line]:
    """The lines in the order of reading: where the file goes from side to side, one side after the other."""
    parts = [part for line in lines for part in line]
    if sum(len(line) > 1 for line in lines) < _MIN_SWITCHES // 2:
        return list(lines)
    left, right = min(part.left for part in parts), max(part.right for part in parts)
    places = [left + (right - left) * share / 50 for share in range(15, 36)]
    crossed = [sum(part.left < place < part.right for part in parts) for place in places]
    best = [place for place, count in zip(places, crossed, strict=True) if count == min(crossed)]
    gutter = best[len(best) // 2]
    found: list[Line] = []
    run: list[Line] = []
    for line in lines:
        if any(part.left < gutter < part.right for part in line):
            found += [*_sides(run, gutter), line]
            run = []
        else:
            run.append(line)
    return [*found, *_sides(run, gutter)]


def _sides(lines: Sequence[Line], gutter: float) -> Sequence[Line]:
    """The lines on the left and then those on the right, if both sides are text that the file goes to and fro in."""
    parts = [part for line in lines for part in line]
    sides = [[part for part in parts if (part.left >= gutter) is is_right] for is_right in (False, True)]
    switches = sum((one.left >= gutter) != (two.left >= gutter) for one, two in pairwise(parts))
    is_text = all(side and median(len(part.text.split()) for part in side) >= _MIN_WORDS for side in sides)
    return [[part] for side in sides for part in side] if is_text and switches >= _MIN_SWITCHES else lines


def _paragraphs(lines: Sequence[Line]) -> Iterator[tuple[BlockKind, str]]:
    steps = [one[0].base - two[0].base for one, two in pairwise(lines)]
    usual = median([step for step in steps if step > 0] or [0.0])
    width = max((len(_said(line)) for line in lines), default=0)
    paragraph: list[str] = []
    for line, step, above in zip(lines, [0.0, *steps], [*lines[:1], *lines], strict=False):
        is_other = abs(line[0].height - above[0].height) > _SAME * line[0].height
        is_ended = bool(paragraph) and paragraph[-1][-1] in ".!?:" and len(paragraph[-1]) < _FULL_LINE * width
        if paragraph and (is_other or is_ended or step > _NEW_PARAGRAPH * usual):
            yield "text", "\n".join(paragraph)
            paragraph = []
        paragraph.append(_said(line))
    if paragraph:
        yield "text", "\n".join(paragraph)


def _end_of_rows(lines: Sequence[Line], at: int) -> int:
    """The line behind those from a place on that may be rows: divided, or on the right below such a one."""
    stop = at
    while stop < len(lines):
        line, above = lines[stop], lines[stop - 1]
        is_near = stop == at or 0 < above[0].base - line[0].base < _NEAR * line[0].height
        if not is_near or (len(line) < 2 and (stop == at or line[0].left < lines[at][0].right)):
            break
        stop += 1
    return stop


def _table(lines: Sequence[Line], start: int, stop: int) -> str:
    """The lines as a table, "" if they are not clearly one.

    Its columns lie apart, its cells are short, each row has a first one, and the header is of another font than the
    rows, or without numbers over a column of numbers.
    """
    run = lines[start:stop]
    columns: list[float] = []  # the right ends
    for part in sorted((part for line in run for part in line), key=lambda part: part.left):
        if columns and part.left < columns[-1]:
            columns[-1] = max(columns[-1], part.right)
        else:
            columns.append(part.right)
    rows: list[list[str]] = []
    for line in run:
        cells = [""] * len(columns)
        for part in line:
            at = next(at for at, right in enumerate(columns) if part.left < right)
            cells[at] = f"{cells[at]} {part.text}".strip()
        if cells[0] or len(rows) < 2:
            rows.append(cells)
        else:  # a cell goes on below
            rows[-1] = [f"{above} {cell}".strip() for above, cell in zip(rows[-1], cells, strict=True)]
    if len(columns) < 2 or len(rows) < _MIN_ROWS + (len(columns) == 2):
        return ""
    header, *data = rows
    below = [[row[at] for row in data if row[at]] for at in range(len(columns))]
    around = [lines[at][0] for at in (start - 1, stop) if 0 <= at < len(lines) and len(lines[at]) == 1]
    fonts = [{part.font for line in some for part in line} for some in (run[:1], run[1:])]
    is_clear = (
        all(map(_TITLE.fullmatch, header))
        and all(cells and median(len(cell.split()) for cell in cells) <= _MAX_CELL for cells in below)
        and (fonts[0].isdisjoint(fonts[1]) or any(all(map(_NUMBER.search, cells)) for cells in below[1:]))
        # A line right above or below that fits into the first column may be of its first or last row.
        and not any(
            one.right <= columns[0] and abs(one.base - line[0].base) < 1.5 * one.height
            for one, line in zip(around, (run[0], run[-1]), strict=False)
        )
    )
    return table_text(header, data) if is_clear else ""
