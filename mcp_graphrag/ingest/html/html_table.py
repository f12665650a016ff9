"""An HTML table as the rows of a Markdown table."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from selectolax.lexbor import LexborNode

from mcp_graphrag.ingest.data.markdown_table import split_header, table_row

_MAX_SPAN = 50
_MAX_SPANNED = 100_000  # characters that spans add to the tables of a page: no page for readers has more
_FRAME = 3  # characters around the text of a cell


@dataclass
class SpanBudget:
    """The characters that spans may still add to the tables of a page; past it a cell is in its own place alone."""

    characters: int = _MAX_SPANNED

    def take(self, cells: int, text: str = "") -> int:
        """How many of the cells with this text may be added."""
        taken = min(cells, self.characters // (len(text) + _FRAME))
        self.characters -= taken * (len(text) + _FRAME)
        return taken


@dataclass
class TableBuilder:
    """Collects the rows of a table. A cell spanning columns is followed by empty ones; one spanning rows repeats.

    `has_titles`: the cells of the first row are marked as titles of their columns.
    """

    rows: list[list[str]] = field(default_factory=list[list[str]])
    captions: list[str] = field(default_factory=list[str])
    row_spans: dict[int, tuple[str, int]] = field(default_factory=dict[int, tuple[str, int]])
    budget: SpanBudget = field(default_factory=SpanBudget)
    has_titles: bool = True

    def enter(self, node: LexborNode, inline: list[str]) -> None:
        """Start the row or cell of a node."""
        if node.tag == "tr":
            self.rows.append([])
        if node.tag in {"tr", "td", "th", "caption"}:
            inline.clear()

    def leave(self, node: LexborNode, inline: list[str]) -> None:
        """End the cell or caption of a node; `inline` is its text, which is cleared."""
        if node.tag not in {"td", "th", "caption", "tr"}:
            return
        if node.tag in {"td", "th"} and len(self.rows) == 1:
            self.has_titles &= node.tag == "th"
        text = " ".join("".join(inline).replace("\x1e", " ").split())
        inline.clear()
        if node.tag == "caption":
            self.captions.append(text)
        elif self.rows and node.tag == "tr":
            self._repeat_spanning(self.rows[-1])
        elif self.rows:
            row = self.rows[-1]
            self._repeat_spanning(row)
            further_rows = self.budget.take(_span(node, "rowspan") - 1, text)
            if further_rows:
                self.row_spans[len(row)] = (text, further_rows)
            row.extend([text, *[""] * self.budget.take(_span(node, "colspan") - 1)])

    def blocks(self) -> Iterator[list[str]]:
        """The lines of each caption and of the table; a table of one row or column becomes one paragraph per row."""
        for caption in self.captions:
            if caption:
                yield [caption]
        rows = [row for row in self.rows if any(row)]
        width = max((len(row) for row in rows), default=0)
        if len(rows) < 2 or width < 2:
            yield from ([" ".join(cell for cell in row if cell)] for row in rows)
            return
        rows[0] += [""] * (width - len(rows[0]))
        titles, below = (rows[0], rows[1:]) if self.has_titles else split_header(rows)
        yield [table_row(titles), "|" + " --- |" * width, *map(table_row, below)]

    def _repeat_spanning(self, row: list[str]) -> None:
        """Fill in the cells of rows above that span this row."""
        while (cell := self.row_spans.get(len(row))) is not None:
            column = len(row)
            text, rows_left = cell
            if rows_left == 1:
                del self.row_spans[column]
            else:
                self.row_spans[column] = (text, rows_left - 1)
            row.append(text)


def _span(node: LexborNode, name: str) -> int:
    value = node.attributes.get(name) or ""
    return min(max(int(value), 1), _MAX_SPAN) if re.fullmatch(r"[0-9]{1,4}", value) else 1
