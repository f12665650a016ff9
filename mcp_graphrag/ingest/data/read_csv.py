"""CSV and TSV to a Markdown table, so that each row keeps the titles of its columns."""

import csv
import io
import itertools
from collections import Counter
from collections.abc import Sequence

from mcp_graphrag.ingest.data.markdown_table import split_header, table_text
from mcp_graphrag.ingest.data.read_data import read_data
from mcp_graphrag.ingest.reader import Reading
from mcp_graphrag.model import Block

_DELIMITERS = (",", ";", "\t", "|")
_SAMPLE_ROWS = 50


def read_csv(text: str) -> Reading:
    """The rows as a table; the paragraphs of a text that has no columns.

    The delimiter is the one of comma, semicolon, tab and bar that gives most rows the same number of columns.
    """
    delimiter = _delimiter(text)
    rows: Sequence[list[str]] = _rows(text, delimiter) if delimiter else ()
    if len(rows) < 2:
        return read_data(text)
    table = table_text(*split_header(rows))
    return Reading(table, [Block("table", 0, len(table))])


def _delimiter(text: str) -> str:
    """The delimiter, "" if none separates columns."""
    best = ("", 0, 0)
    for delimiter in _DELIMITERS:
        widths = Counter(len(row) for row in _rows(text, delimiter, limit=_SAMPLE_ROWS))
        width, count = max(widths.items(), key=lambda item: (item[1], item[0]), default=(0, 0))
        if width > 1 and 2 * count > sum(widths.values()) and (count, width) > best[1:]:
            best = (delimiter, count, width)
    return best[0]


def _rows(text: str, delimiter: str, *, limit: int | None = None) -> Sequence[list[str]]:
    """The rows that are not empty; none of a text that is no CSV."""
    try:
        rows = list(itertools.islice(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter), limit))
    except csv.Error:
        return []
    return [row for row in rows if any(cell.strip() for cell in row)]
