"""CSV and TSV to a Markdown table, so that each row keeps the titles of its columns."""

import csv
import io
import itertools
import re
from collections import Counter
from collections.abc import Sequence

from mcp_graphrag.ingest.data.markdown_table import split_captions, split_header, table_text
from mcp_graphrag.ingest.read_plain_text import read_data
from mcp_graphrag.ingest.reader import Reading
from mcp_graphrag.model import Block

_DELIMITERS = (",", ";", "\t", "|")
_NAMED_DELIMITER = re.compile(r'"?sep=([,;|\t])"?[,;|\t]*\n', re.IGNORECASE)
_SAMPLE_ROWS = 50


def read_csv(text: str) -> Reading:
    """The rows as a table; the paragraphs of a text that has no columns.

    Single cells above the titles of the columns are a paragraph. The delimiter is the one that the first line names
    ("sep=;"), or the one of comma, semicolon, tab and bar that gives most rows the same number of columns.
    """
    named = _NAMED_DELIMITER.match(text)  # for Excel
    body = text[named.end() :] if named is not None else text
    delimiter = named[1] if named is not None else _delimiter(body)
    rows: Sequence[Sequence[str]] = _rows(body, delimiter) if delimiter else ()
    if len(rows) < 2:
        return read_data(text)
    captions, rows = split_captions(rows)
    table = table_text(*split_header(rows))
    if not captions:
        return Reading(table, [Block("table", 0, len(table))])
    above = "\n".join(captions) + "\n\n"
    return Reading(above + table, [Block("text", 0, len(above)), Block("table", len(above), len(above + table))])


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
