"""Records of JSON and YAML as tables: lists of objects, or objects by name, whose values are plain and short."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from mcp_graphrag.ingest.block_writer import BlockWriter
from mcp_graphrag.ingest.data.markdown_table import table_text
from mcp_graphrag.ingest.data.outline import Members, outline_of
from mcp_graphrag.ingest.reader import Reading
from mcp_graphrag.model import Block

_MAX_COLUMNS = 40
_MAX_CELL = 500  # characters; longer values are texts, which no table shows well
_NAME = "name"


def read_records(text: str, value: Any, members: Members) -> Reading | None:
    """The records of a text with that value as tables, also those under its keys; None where there are none.

    Plain values beside them come first; others stay as they are written, which `members` takes apart, see `outline`.
    """
    table = records_table(value)
    if table:
        return Reading(table, [Block("table", 0, len(table))])
    inner = cast("dict[Any, Any]", value) if isinstance(value, dict) else {}
    under = {str(key): member for key, member in inner.items()}
    tables = {key: found for key, member in under.items() if (found := records_table(member))}
    if not tables:
        return None
    writer = BlockWriter()
    plain = {key: cell for key, member in under.items() if key not in tables and (cell := _cell(member)) is not None}
    writer.add("data", "\n".join(f"{key}: {cell}" for key, cell in plain.items() if cell))
    found = members(0, len(text))
    for member, end in zip(found, [*(after.start for after in found[1:]), len(text)], strict=True):
        if member.key in tables:
            writer.add("table", tables.pop(member.key), (member.key,))
        elif member.key not in plain:
            writer.add_reading(Reading(text[member.start : end], outline_of(member, end, members)), (), levels=0)
    return writer.finish() if not tables else None


def records_table(value: Any) -> str:
    """The Markdown table of records, a list or an object of several by their names; "" where the value is none.

    Each key is a column. Where the records have no more than half of all keys, they are of several kinds.
    """
    records = list(_records(value))
    if not records or None in records:
        return ""
    cells = cast("list[dict[str, str]]", records)
    counts = Counter(key for record in cells for key in record)
    if not 2 <= len(counts) <= _MAX_COLUMNS or 2 * counts.total() <= len(counts) * len(cells):
        return ""
    return table_text(list(counts), ([record.get(key, "") for key in counts] for record in cells))


def _records(value: Any) -> Iterator[dict[str, str] | None]:
    """The cells of each record by key, None for what is no record."""
    if isinstance(value, list):
        for item in cast("list[Any]", value):
            yield _record(_flat(cast("dict[Any, Any]", item)) if isinstance(item, dict) else None)
    elif isinstance(value, dict) and len(by_name := cast("dict[Any, Any]", value)) > 1:
        for name, item in by_name.items():
            record = _record(item)
            yield None if record is None or _NAME in record else {_NAME: str(name), **record}


def _flat(item: Mapping[Any, Any]) -> dict[Any, Any]:
    """The values of an object by key, those of an object in it by both keys."""
    flat: dict[Any, Any] = {}
    for key, value in item.items():
        inner = cast("dict[Any, Any]", value) if isinstance(value, dict) else {}
        flat |= {f"{key} {name}": each for name, each in inner.items()} or {key: value}
    return flat


def _record(item: Any) -> dict[str, str] | None:
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
    if isinstance(value, dict):
        return None if value else ""
    return "" if value is None else str(value)
