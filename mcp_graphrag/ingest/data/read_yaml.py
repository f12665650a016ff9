"""YAML to blocks by its indentation, which needs no parser: records as a table, other values with their keys."""

import re
from collections.abc import Iterator, Sequence
from textwrap import dedent

from mcp_graphrag.ingest.data.flat_records import records_table
from mcp_graphrag.ingest.data.outline import Member, outline
from mcp_graphrag.ingest.frontmatter import flat_value
from mcp_graphrag.ingest.reader import Reading
from mcp_graphrag.model import Block

_LINE = re.compile(r"(?P<indent> *)(?P<dash>-(?: +|$))?(?P<rest>[^\n]*)", re.MULTILINE)
_KEY = re.compile(r"(?P<key>\"[^\"\n]*\"|'[^'\n]*'|[^\s#\-\[\]{}&*!|>'\"%@`][^\n#]*?)\s*:(?:\s+(?P<value>.*))?$")
_MARKER = ("#", "---", "...", "%")


def read_yaml(text: str) -> Reading:
    """The records of a YAML text as a table, else its values as they stand, with the path of their keys."""
    key, listed = _only_list(text)
    table = records_table(list(_records(listed)))
    if table:
        return Reading(table, [Block("table", 0, len(table), (key,) if key else ())])
    return Reading(text, outline(text, lambda start, end: _members(text, start, end)))


def _only_list(text: str) -> tuple[str, str]:
    """The only key of a mapping with the list that is its value; no key and the text for anything else."""
    first = next((line for line in _LINE.finditer(text) if _says_something(line)), None)
    key = _KEY.match(first["rest"]) if first is not None and not first["indent"] and not first["dash"] else None
    if first is None or key is None or key["value"]:
        return "", text
    return key["key"].strip("\"'"), dedent(text[first.end() :])


def _members(text: str, start: int, end: int) -> Sequence[Member]:
    """The entries of the mapping or list in a span: those of the smallest indentation below its first line."""
    lines = [line for line in _LINE.finditer(text, start, end) if _says_something(line)]
    if start:
        # The first line is the key or the dash of the value itself; a dash may begin its first entry too.
        lines = lines[1:]
    if not lines:
        return []
    indent = min(len(line["indent"]) for line in lines)
    top = [line for line in lines if len(line["indent"]) == indent]
    of_list = all(line["dash"] for line in top)
    entries = [line for line in top if bool(line["dash"]) == of_list]
    found = (Member(_key(line, position, of_list=of_list), line.start()) for position, line in enumerate(entries))
    return [member for member in found if member.key]


def _key(line: re.Match[str], position: int, *, of_list: bool) -> str:
    if of_list:
        return str(position)
    key = _KEY.match(line["rest"])
    return key["key"].strip("\"'") if key else ""


def _says_something(line: re.Match[str]) -> bool:
    rest = line["rest"].strip()
    return bool(rest or line["dash"]) and not (rest.startswith(_MARKER) and not line["dash"])


def _records(text: str) -> Iterator[dict[str, object] | None]:
    """The records of a list of flat mappings, of which a value may be a list of plain ones; None for anything else."""
    record: dict[str, object] = {}
    items: list[object] | None = None  # of the list below the last key
    indent = 2
    for line in _LINE.finditer(text):
        if not _says_something(line):
            continue
        key = _KEY.match(line["rest"])
        if line["dash"] and items is not None and len(line["indent"]) >= 2 and key is None:
            items.append(flat_value(line["rest"]))
            if isinstance(items[-1], str | int):
                continue
        begins = bool(line["dash"]) and not line["indent"]
        if begins:
            indent = len(line["dash"])
        below: list[object] | None = [] if key and not key["value"] else None
        value = flat_value(key["value"]) if key and key["value"] else below
        if key is None or value is None or len(line["indent"]) != (0 if begins else indent):
            yield None
            return
        if begins and record:
            yield record
            record = {}
        if not begins and not record:
            yield None
            return
        items, record[key["key"].strip("\"'")] = below, value
    if record:
        yield record
