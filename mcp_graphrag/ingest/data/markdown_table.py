"""Rows as a Markdown table, the one form in which tables are stored, cut and read."""

import re
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

    Titles differ from each other, are no numbers, and none but the first is empty.
    """
    first = [cell.strip() for cell in rows[0]]
    named = [cell.casefold() for cell in first if cell]
    is_header = len(set(named)) == len(named) and all(first[1:]) and not any(map(_is_value, named))
    return (first, rows[1:]) if is_header and named else ([""] * len(first), rows)


def _is_value(text: str) -> bool:
    return not any(map(str.isalpha, text)) or re.fullmatch(r"[\d.,:/+-]+[a-z]{0,2}", text) is not None


def _padded(cells: Sequence[str], width: int) -> list[str]:
    return [*cells, *[""] * (width - len(cells))]
