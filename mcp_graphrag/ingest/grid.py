"""A table of a page as rows of cells."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from selectolax.lexbor import LexborNode

_WIDEST = 50


@dataclass
class Grid:
    """Rows in the making. A cell that spans columns leaves empty ones, one that spans rows is repeated."""

    rows: list[list[str]] = field(default_factory=list[list[str]])
    captions: list[str] = field(default_factory=list[str])
    below: dict[int, tuple[str, int]] = field(default_factory=dict[int, tuple[str, int]])

    def enter(self, node: LexborNode, words: list[str]) -> None:
        """Start the row or the cell that a node starts."""
        if node.tag == "tr":
            self.rows.append([])
        if node.tag in {"tr", "td", "th", "caption"}:
            words.clear()

    def leave(self, node: LexborNode, words: list[str]) -> None:
        """End the cell or caption that a node ends; `words` is what it holds."""
        if node.tag not in {"td", "th", "caption", "tr"}:
            return
        text = " ".join("".join(words).replace("\x1e", " ").split())
        words.clear()
        if node.tag == "caption":
            self.captions.append(text)
        elif self.rows and node.tag == "tr":
            self._repeat(self.rows[-1])
        elif self.rows:
            row = self.rows[-1]
            self._repeat(row)
            further = _span(node, "rowspan") - 1
            if further:
                self.below[len(row)] = (text, further)
            row.extend([text, *[""] * (_span(node, "colspan") - 1)])

    def blocks(self) -> Iterator[list[str]]:
        """The lines of the captions and of the table; without a second row or column it is no table but lines."""
        for caption in self.captions:
            if caption:
                yield [caption]
        rows = [row for row in self.rows if any(row)]
        width = max((len(row) for row in rows), default=0)
        if len(rows) < 2 or width < 2:
            yield from ([" ".join(cell for cell in row if cell)] for row in rows)
            return
        header = rows[0] + [""] * (width - len(rows[0]))
        yield [_line(header), "|" + " --- |" * width, *(_line(row) for row in rows[1:])]

    def _repeat(self, row: list[str]) -> None:
        """Fill in the cells from the rows above that reach down to here."""
        while (held := self.below.get(len(row))) is not None:
            column = len(row)
            if held[1] == 1:
                del self.below[column]
            else:
                self.below[column] = (held[0], held[1] - 1)
            row.append(held[0])


def _span(node: LexborNode, name: str) -> int:
    written = node.attributes.get(name) or ""
    return min(max(int(written), 1), _WIDEST) if re.fullmatch(r"[0-9]{1,4}", written) else 1


def _line(row: list[str]) -> str:
    return "| " + " | ".join(re.sub(r"(?<!\\)\|", r"\\|", cell) for cell in row) + " |"
