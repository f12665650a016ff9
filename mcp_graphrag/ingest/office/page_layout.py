"""What the places of words on a page say: running heads, columns, paragraphs and tables."""

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from statistics import median
from typing import NamedTuple, TypeAlias

from mcp_graphrag.ingest.data.markdown_table import table_text
from mcp_graphrag.model import BlockKind

GAP = 0.9  # of the height of a line: more space between two words divides it
_WIDE = 2.0  # the same, where the space is shown
SAME = 0.15  # of a height
_NEAR = 2.5  # times the height: the distance of two rows, or of two lines of a running head
_MIN_REPEATED = 3  # pages that share a line at one place of their top or bottom, which then is no text of theirs
_NUMBER = re.compile(r"(?<![\w.])\d{1,5}(?![\w.])")
_ROMAN = re.compile(r"[ivxlc]+")
_FULL_LINE = 0.75  # of the widest line: a shorter one that ends a sentence ends a paragraph
_NEW_PARAGRAPH = 1.4  # times the usual distance of two lines
_MIN_SWITCHES = 4  # between the sides of a page whose lines are written across both
_MIN_WORDS = 3  # in the usual line of a column of text
_MIN_ROWS = 3  # of a table, with its header; one more where it has two columns
_MAX_COLUMNS = 30
_MAX_CELL = 5  # words in the usual cell of a column
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


def without_running_heads(pages: Sequence[Sequence[Line]]) -> list[list[Line]]:
    """The lines of each page without those at its top and bottom that other pages have too, but for their numbers."""
    edges = [{at: _keys(lines[at], page) for at in _edges(lines)} for page, lines in enumerate(pages)]
    counts = Counter(key for ends in edges for key in {key for keys in ends.values() for key in keys})
    # A number that grows with the pages is theirs wherever two have it.
    least = {int: 2, str: max(_MIN_REPEATED, len(pages) // 10)}
    heads = {key for key, count in counts.items() if count >= least[type(key[1])]}
    return [
        [line for at, line in enumerate(lines) if heads.isdisjoint(ends.get(at, ()))]
        for lines, ends in zip(pages, edges, strict=True)
    ]


def _edges(lines: Sequence[Line]) -> Iterator[int]:
    """The places of the outermost lines of a page and of lines near them, but for titles, larger than its text."""
    most = (1 + SAME) * median([line[0].height for line in lines] or [0.0])
    by_base = sorted(range(len(lines)), key=lambda at: lines[at][0].base)
    for outer, inner in (by_base[:2], by_base[:-3:-1]) if len(lines) > 2 else ():
        is_near = abs(lines[outer][0].base - lines[inner][0].base) < _NEAR * lines[outer][0].height
        yield from (at for at in (outer, inner) if lines[at][0].height <= most and (at == outer or is_near))


def _keys(line: Line, page: int) -> set[tuple[int, int | str]]:
    """The height of a line with its text, and with how far a number that stands apart in it is ahead of the page."""
    base, said = round(line[0].base), _said(line)
    numbers = [int(part.text) - page for part in (line[0], line[-1]) if _NUMBER.fullmatch(part.text)]
    text = _NUMBER.sub(lambda found: "#" if int(found[0]) == page + 1 else found[0], said)
    return {(base, text), *((base, number) for number in [*numbers, *([0] if _ROMAN.fullmatch(said) else [])])}


def blocks_of_page(lines: Sequence[Line]) -> Iterator[tuple[BlockKind, str]]:
    """The paragraphs and tables of a page, column by column."""
    start = at = 0
    while at < len(lines):
        stop = at + 1
        while stop < len(lines) and _is_row(lines[stop], lines[stop - 1], lines[at]):
            stop += 1
        table = _table(lines, at, stop)
        if table:
            yield from _paragraphs(_by_column(lines[start:at]))
            yield "table", table
            start = stop
        at = stop
    yield from _paragraphs(_by_column(lines[start:]))


def _said(line: Line) -> str:
    """The text of a line, with space where it has much."""
    return line[0].text + "".join(
        ("   " if two.left - one.right > _WIDE * one.height else " ") + two.text for one, two in pairwise(line)
    )


def _by_column(lines: Sequence[Line]) -> Sequence[Line]:
    """The lines in the order of reading: where the file goes from side to side, one side after the other."""
    parts = [part for line in lines for part in line]
    if len(parts) < len(lines) + _MIN_SWITCHES // 2:
        return lines
    lefts, rights = sorted(part.left for part in parts), sorted(part.right for part in parts)
    places = [lefts[0] + (rights[-1] - lefts[0]) * share / 50 for share in range(15, 36)]
    crossed = [bisect_left(lefts, place) - bisect_right(rights, place) for place in places]
    best = [place for place, count in zip(places, crossed, strict=True) if count == min(crossed)]
    gutter = best[len(best) // 2]
    found: list[Line] = []
    for is_across, run in groupby(lines, lambda line: any(part.left < gutter < part.right for part in line)):
        some = list(run)
        found += some if is_across else _sides(some, gutter)
    return found


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
    said = [_said(line) for line in lines]
    width = max(map(len, said), default=0)
    start = 0
    for at, step in enumerate(steps, 1):
        is_other = abs(lines[at][0].height - lines[at - 1][0].height) > SAME * lines[at][0].height
        is_ended = said[at - 1][-1] in ".!?:" and len(said[at - 1]) < _FULL_LINE * width
        if is_other or is_ended or step > _NEW_PARAGRAPH * usual:
            yield "text", "\n".join(said[start:at])
            start = at
    if lines:
        yield "text", "\n".join(said[start:])


def _is_row(line: Line, above: Line, first: Line) -> bool:
    """Whether a line may be a row below another: divided, or on the right alone."""
    is_near = 0 < above[0].base - line[0].base < _NEAR * line[0].height
    return is_near and len(first) > 1 and (len(line) > 1 or line[0].left > first[0].right)


def _table(lines: Sequence[Line], start: int, stop: int) -> str:
    """The lines as a table, "" if they are not clearly one.

    Its columns lie apart, its cells are short, each row has a first one, and the header is of another font than the
    rows, or without numbers over a column of numbers.
    """
    run = lines[start:stop]
    columns: list[float] = []  # the right ends
    for part in sorted((part for line in run for part in line), key=lambda part: part.left):
        columns += [part.right] if not columns or part.left > columns[-1] else []
        columns[-1] = max(columns[-1], part.right)
    if not 2 <= len(columns) <= _MAX_COLUMNS:
        return ""
    rows: list[list[str]] = []
    for line in run:
        cells = [
            " ".join(part.text for part in line if low < part.right <= high) for low, high in pairwise([0, *columns])
        ]
        if cells[0] or len(rows) < 2:
            rows.append(cells)
        else:  # a cell goes on below
            rows[-1] = [f"{above} {cell}".strip() for above, cell in zip(rows[-1], cells, strict=True)]
    if len(rows) < _MIN_ROWS + (len(columns) == 2):
        return ""
    header, *data = rows
    below = [[row[at] for row in data if row[at]] for at in range(len(columns))]
    fonts = [{part.font for line in some for part in line} for some in (run[:1], run[1:])]
    # A line right above or below that fits into the first column may be of its first or last row.
    beside = [(line[0], row[0]) for line, row in ((lines[start - 1], run[0]), (lines[stop % len(lines)], run[-1]))]
    is_clear = (
        all(map(_TITLE.fullmatch, header))
        and all(cells and median(len(cell.split()) for cell in cells) <= _MAX_CELL for cells in below)
        and (fonts[0].isdisjoint(fonts[1]) or any(all(map(_NUMBER.search, cells)) for cells in below[1:]))
        and not any(one.right <= columns[0] and abs(one.base - two.base) < 1.5 * one.height for one, two in beside)
    )
    return table_text(header, data) if is_clear else ""
