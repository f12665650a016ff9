"""Jupyter notebooks to Markdown: their cells in order, code as fenced blocks, without outputs."""

from typing import Any, cast

from mcp_graphrag.ingest.data.read_data import read_data
from mcp_graphrag.ingest.data.read_json import parse_values
from mcp_graphrag.ingest.read_markdown import read_markdown
from mcp_graphrag.ingest.reader import Reading


def read_notebook(text: str) -> Reading:
    """The text and code cells of a notebook; the paragraphs of a text that is none."""
    values = parse_values(text)
    notebook = cast("dict[str, Any]", values[0]) if values and isinstance(values[0], dict) else {}
    cells = notebook.get("cells")
    if not isinstance(cells, list):
        return read_data(text)
    language = _language(notebook.get("metadata"))
    parts = [
        _cell(cast("dict[str, Any]", cell), language) for cell in cast("list[Any]", cells) if isinstance(cell, dict)
    ]
    read = read_markdown("\n\n".join(part for part in parts if part) + "\n")
    metadata = {**read.metadata, **({"language": language} if language else {})}
    return Reading(read.text, read.blocks, read.title, metadata, read.note)


def _language(metadata: Any) -> str:
    known = cast("dict[str, Any]", metadata) if isinstance(metadata, dict) else {}
    for key, name in (("kernelspec", "language"), ("language_info", "name")):
        about = known.get(key)
        language = cast("dict[str, Any]", about).get(name) if isinstance(about, dict) else None
        if isinstance(language, str) and language.isidentifier():
            return language
    return ""


def _cell(cell: dict[str, Any], language: str) -> str:
    source = cell.get("source", "")
    lines = cast("list[Any]", source) if isinstance(source, list) else [source]
    text = "".join(line for line in lines if isinstance(line, str)).strip("\n")
    if cell.get("cell_type") == "markdown":
        return text
    if cell.get("cell_type") != "code" or not text.strip():
        return ""
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}{language}\n{text}\n{fence}"
