"""Jupyter notebooks to Markdown: their cells in order, code as fenced blocks, without outputs."""

from collections.abc import Sequence
from typing import Any, cast

from mcp_graphrag.ingest.data.json_values import Json, object_of, objects_of
from mcp_graphrag.ingest.data.read_json import parse_values
from mcp_graphrag.ingest.read_markdown import read_markdown
from mcp_graphrag.ingest.read_plain_text import read_data
from mcp_graphrag.ingest.reader import Reading


def read_notebook(text: str) -> Reading:
    """The text and code cells of a notebook; the paragraphs of a text that is none."""
    values = parse_values(text)
    notebook = object_of(values[0] if values else None)
    cells = _cells(notebook)
    if cells is None:
        return read_data(text)
    language = _language(object_of(notebook.get("metadata")), cells)
    parts = [_cell(cell, language) for cell in cells]
    read = read_markdown("\n\n".join(part for part in parts if part) + "\n")
    metadata = {**read.metadata, **({"language": language} if language else {})}
    return Reading(read.text, read.blocks, read.title, metadata, read.note)


def _cells(notebook: Json) -> list[Json] | None:
    """The cells, which stand in worksheets up to format 3; None if it is no notebook."""
    sheets = notebook.get("worksheets")
    holders = objects_of(sheets) if isinstance(sheets, list) and "nbformat" in notebook else [notebook]
    lists = [each["cells"] for each in holders if isinstance(each.get("cells"), list)]
    return [cell for cells in lists for cell in objects_of(cells)] if lists else None


def _language(metadata: Json, cells: Sequence[Json]) -> str:
    for key, name in (("kernelspec", "language"), ("language_info", "name")):
        language = object_of(metadata.get(key)).get(name)
        if isinstance(language, str) and language.isidentifier():
            return language
    # Up to format 3 each code cell says it.
    said = (cell.get("language") for cell in cells)
    return next((each for each in said if isinstance(each, str) and each.isidentifier()), "")


def _cell(cell: Json, language: str) -> str:
    kind = cell.get("cell_type")
    source = cell.get("source", cell.get("input", ""))  # `input` up to format 3
    lines = cast("list[Any]", source) if isinstance(source, list) else [source]
    text = "".join(line for line in lines if isinstance(line, str)).strip("\n")
    if kind == "markdown":
        return text
    if kind == "heading":
        level = cell.get("level")
        marks = "#" * level if isinstance(level, int) and 1 <= level <= 6 else "#"
        return f"{marks} {' '.join(text.split())}" if text.strip() else ""
    if kind != "code" or not text.strip():
        return ""
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}{language}\n{text}\n{fence}"
