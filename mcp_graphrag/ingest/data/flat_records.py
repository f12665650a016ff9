"""Records of JSON and YAML as tables: lists of objects whose values are plain and short."""

from collections import Counter
from collections.abc import Sequence
from typing import Any, cast

from mcp_graphrag.ingest.block_writer import BlockWriter
from mcp_graphrag.ingest.data.markdown_table import table_text
from mcp_graphrag.ingest.reader import Reading

_MAX_COLUMNS = 40
_MAX_CELL = 300  # characters; longer values are texts, which no table shows well


def records_table(value: Any) -> str:
    """The Markdown table of a list of records, "" where the value is no such list.

    Each key is a column. A key that fewer than a third of the records have is a sign that they are of several kinds.
    """
    if not isinstance(value, list) or len(cast("list[Any]", value)) < 2:
        return ""
    records: list[dict[str, str]] = []
    for item in cast("list[Any]", value):
        record = _record(item)
        if record is None:
            return ""
        records.append(record)
    counts = Counter(key for record in records for key in record)
    if not 2 <= len(counts) <= _MAX_COLUMNS or 3 * min(counts.values()) < len(records):
        return ""
    return table_text(list(counts), ([record.get(key, "") for key in counts] for record in records))


def records_under_keys(value: Any) -> Reading | None:
    """An object of lists of records, and of plain values beside them, as a table under each key; None for another."""
    members = cast("dict[Any, Any]", value) if isinstance(value, dict) else {}
    tables = {str(key): records_table(member) for key, member in members.items() if isinstance(member, list)}
    others = _record({key: member for key, member in members.items() if str(key) not in tables} or {"": ""})
    if not tables or not all(tables.values()) or others is None:
        return None
    writer = BlockWriter()
    writer.add("data", "\n".join(f"{key}: {cell}" for key, cell in others.items() if cell))
    for key, table in tables.items():
        writer.add("table", table, (key,))
    return writer.finish()


def _record(item: Any) -> dict[str, str] | None:
    """The cells of a record by key, None if it is none."""
    if not isinstance(item, dict) or not item:
        return None
    cells = {str(key): _cell(value) for key, value in cast("dict[Any, Any]", item).items()}
    found = {key: cell for key, cell in cells.items() if cell is not None and len(cell) <= _MAX_CELL}
    return found if len(found) == len(cells) else None


def _cell(value: Any) -> str | None:
    """A plain value, or a list of them separated by commas, as the text of a cell; None for anything else."""
    if isinstance(value, list):
        parts = [_cell(part) for part in cast("Sequence[Any]", value) if not isinstance(part, list)]
        whole = len(parts) == len(cast("Sequence[Any]", value)) and all(part is not None for part in parts)
        return ", ".join(cast("list[str]", parts)) if whole else None
    if isinstance(value, bool):
        return "true" if value else "false"
    return None if isinstance(value, dict) else "" if value is None else str(value)
