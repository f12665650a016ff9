"""Rows as a Markdown table, the one form in which tables are stored, cut and read."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

_MAX_CAPTIONS = 5
_PIPE = re.compile(r"(?<!\\)\|")


def table_row(cells: Sequence[str]) -> str:
    """One line of a table; white space in a cell becomes single spaces."""
    return "| " + " | ".join(_PIPE.sub(r"\\|", " ".join(cell.split())) for cell in cells) + " |"


def table_text(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of as many columns as the longest row has; titles and cells that are missing are empty."""
    rows = list(rows)
    width = max(map(len, [header, *rows]))
    lines = [table_row(_padded(header, width)), "|" + " --- |" * width]
    return "\n".join([*lines, *(table_row(_padded(row, width)) for row in rows)]) + "\n"


def split_captions(rows: Sequence[Sequence[str]]) -> tuple[list[str], Sequence[Sequence[str]]]:
    """The single cells above the titles of a table, and its rows from the titles on; none where no titles follow."""
    for at, row in enumerate(rows[: _MAX_CAPTIONS + 1]):
        filled = [cell.strip() for cell in row if cell.strip()]
        if len(filled) > 1:
            header, _ = split_header(rows[at:])
            return ([" ".join("".join(each).split()) for each in rows[:at]], rows[at:]) if all(header) else ([], rows)
    return [], rows


def split_header(rows: Sequence[Sequence[str]]) -> tuple[Sequence[str], Sequence[Sequence[str]]]:
    """The titles of the columns and the rows below them; no titles where the first row holds values.

    Titles are no numbers, and none but the first is empty. Equal ones are numbered, "owner (1)" and "owner (2)", so
    that no column is taken for the other; cells that are all the same, or equal and stand below again, are values.
    """
    first = [cell.strip() for cell in rows[0]]
    named = [cell.casefold() for cell in first if cell]
    is_header = all(first[1:]) and not any(map(_is_value, named)) and _may_be_titles(first, rows[1:])
    return (_numbered(first), rows[1:]) if is_header and named else ([""] * len(first), rows)


def _may_be_titles(first: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    """Whether cells of which some are equal may be titles."""
    counts = Counter(cell.casefold() for cell in first if cell)
    equal = {cell for cell, count in counts.items() if count > 1}
    return not equal or (len(counts) > 1 and not any(cell.strip().casefold() in equal for row in below for cell in row))


def _numbered(titles: Sequence[str]) -> list[str]:
    """The titles, each of those that are equal with its number behind it."""
    counts, seen = Counter(map(str.casefold, titles)), Counter[str]()
    found: list[str] = []
    for title in titles:
        key = title.casefold()
        seen[key] += 1
        found.append(title if counts[key] == 1 else f"{title} ({seen[key]})")
    return found


def _is_value(text: str) -> bool:
    return not any(map(str.isalpha, text)) or re.fullmatch(r"[\d.,:/+-]+[a-z]{0,2}", text) is not None


def _padded(cells: Sequence[str], width: int) -> list[str]:
    return [*cells, *[""] * (width - len(cells))]
