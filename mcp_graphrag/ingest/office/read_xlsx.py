"""XLSX to Markdown tables, one for each sheet."""

import io
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import date, datetime, time
from typing import Any

from mcp_graphrag.ingest.block_writer import BlockWriter
from mcp_graphrag.ingest.data.markdown_table import split_captions, split_header, table_text
from mcp_graphrag.ingest.decode import normalize_characters
from mcp_graphrag.ingest.office.checked_zip import CheckedZip, core_properties, refused
from mcp_graphrag.ingest.office.needed import needed
from mcp_graphrag.ingest.office.used_range import repacked, used_range
from mcp_graphrag.ingest.reader import Reading

_MAX_CELLS = 5_000_000  # of the smallest rectangle that holds all cells of a sheet: the library makes all of them
_Cell = tuple[int, int]  # row and column


def read_xlsx(content: bytes) -> Reading:
    """Each sheet that has cells as a table below a heading with its name; formulas by their stored values.

    The note names the sheets that are hidden, which are left out.
    Raises Unreadable for a file that is refused, or damaged.
    """
    library = needed("python_calamine", "XLSX")
    archive = CheckedZip(content)
    properties = core_properties(archive)
    changed: dict[str, bytes] = {}
    for name in archive.names:
        if name.lower().startswith("xl/worksheets/") and not name.endswith(".rels"):
            sheet = used_range(xml := archive.text(name))
            if sheet.rows * sheet.columns > _MAX_CELLS:
                spans = f"{sheet.rows:,} rows and {sheet.columns:,} columns"
                raise refused(f"has a sheet of {spans}, the limit is {_MAX_CELLS:,} cells")
            changed |= {name: sheet.xml} if sheet.xml is not xml else {}
    content = repacked(content, changed) if changed else content
    writer = BlockWriter()
    hidden: list[str] = []
    for name, rows in _sheets(library, content, hidden):
        heading = " ".join(normalize_characters(name).split())
        above = (heading,) if heading else ()
        writer.add("heading", f"## {heading}" if heading else "", above, level=2)
        captions, titled = split_captions(rows)
        writer.add("text", "\n".join(captions), above)
        writer.add("table", table_text(*split_header(titled)), above)
    read = writer.finish(properties.get("title", ""), properties)
    return replace(read, note=f"has hidden sheets, which are left out: {', '.join(hidden)}.") if hidden else read


def _sheets(library: Any, content: bytes, hidden: list[str]) -> Iterator[tuple[str, list[list[str]]]]:
    """The rows of each sheet that are not empty, without the columns that are; the names of hidden ones are added."""
    try:
        with library.CalamineWorkbook.from_filelike(io.BytesIO(content)) as workbook:
            for sheet in workbook.sheets_metadata:
                if not str(sheet.typ).endswith("WorkSheet"):
                    continue
                if not str(sheet.visible).endswith(".Visible"):
                    hidden.append(" ".join(normalize_characters(sheet.name).split()))
                    continue
                found = workbook.get_sheet_by_name(sheet.name)
                rows = [[_text(cell) for cell in row] for row in found.to_python(skip_empty_area=True)]
                _fill_merged(rows, found.start or (0, 0), found.merged_cell_ranges or ())
                rows = [row for row in rows if any(row)]
                filled = [at for at in range(max(map(len, rows), default=0)) if any(row[at] for row in rows)]
                if rows:
                    yield sheet.name, [[row[at] for at in filled] for row in rows]
    except (library.CalamineError, OSError, ValueError) as error:
        raise refused("is damaged: it is no workbook") from error


def _fill_merged(rows: list[list[str]], start: tuple[int, int], merged: Iterable[tuple[_Cell, _Cell]]) -> None:
    """Repeat the value of a cell that spans several rows in each of them: it is said of all."""
    filled = 0
    for (top, left), (bottom, _) in merged:
        column, first = left - start[1], top - start[0]
        if not (0 <= first < len(rows) and 0 <= column < len(rows[first])) or filled > _MAX_CELLS:
            continue  # of empty cells around the others
        for row in rows[first + 1 : bottom - start[0] + 1]:
            row[column] = row[column] or rows[first][column]
        filled += bottom - top


def _text(value: Any) -> str:
    """A cell as text: whole numbers without a fraction, dates as ISO 8601."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == time() else value.isoformat(" ")
    if isinstance(value, date | time):
        return value.isoformat()
    return " ".join(normalize_characters(str(value)).split())
