"""JSON and JSON lines to blocks: records as a table, other values as they are, each with the path of its keys."""

import json
import re
from collections.abc import Sequence
from typing import Any

from mcp_graphrag.ingest.data.flat_records import read_records, records_table
from mcp_graphrag.ingest.data.outline import Member, outline
from mcp_graphrag.ingest.read_plain_text import read_data
from mcp_graphrag.ingest.reader import Reading
from mcp_graphrag.model import Block

_SPACE = re.compile(r"[ \t\n\r]*")
_COMMA = re.compile(r"[ \t\n\r]*,?[ \t\n\r]*")


class _Number(float):
    """A number with a fraction, which is shown as it is written: "1.50"."""

    written: str

    def __str__(self) -> str:
        return self.written


def _number(written: str) -> _Number:
    number = _Number(written)
    number.written = written
    return number


_DECODER = json.JSONDecoder(strict=False, parse_float=_number)


def read_json(text: str) -> Reading:
    """The values of a JSON text, or of JSON lines; the paragraphs of what is neither, such as JSON with comments."""
    values = parse_values(text)
    if values is None:
        return _with_broken_lines(text) or read_data(text)

    def members(start: int, end: int) -> Sequence[Member]:
        whole = (start, end) == (0, len(text))
        return _lines(text) if whole and len(values) > 1 else _members(text, start)

    try:
        records = read_records(text, values[0] if len(values) == 1 else values, members)
        return records or Reading(text, outline(text, members))
    except RecursionError:
        return read_data(text)


def parse_values(text: str) -> list[Any] | None:
    """The one value of a JSON text, or the several of JSON lines; None if the text is neither."""
    values: list[Any] = []
    position = _end_of(_SPACE, text, 0)
    try:
        while position < len(text):
            value, end = _DECODER.raw_decode(text, position)
            following = _end_of(_SPACE, text, end)
            if following < len(text) and "\n" not in text[end:following]:
                return None
            values.append(value)
            position = following
    except (ValueError, RecursionError):
        return None
    return values or None


def _with_broken_lines(text: str) -> Reading | None:
    """The records of JSON lines of which some are broken, with these behind the table; None if most are no records."""
    values: list[Any] = []
    broken: dict[int, str] = {}
    for number, line in enumerate(text.split("\n"), 1):
        found = parse_values(line) if line.strip() else []
        if found is None or len(found) > 1:
            broken[number] = line
        else:
            values += found
    table = records_table(values) if len(values) > len(broken) else ""
    if not table:
        return None
    whole = table + "\n" + "\n".join(broken.values()) + "\n"
    blocks = [Block("table", 0, len(table) + 1), Block("data", len(table) + 1, len(whole))]
    return Reading(whole, blocks, note=f"has lines that are no JSON ({len(broken)}); the first is line {min(broken)}")


def _lines(text: str) -> list[Member]:
    """The values of JSON lines."""
    found: list[Member] = []
    position = _end_of(_SPACE, text, 0)
    line = 1 + text.count("\n", 0, position)
    while position < len(text):
        _, stop = _DECODER.raw_decode(text, position)
        found.append(Member(f"line {line}", position))
        following = _end_of(_SPACE, text, stop)
        line += text.count("\n", position, following)
        position = following
    return found


def _members(text: str, start: int) -> list[Member]:
    """The members of the object or array that begins at or behind `start`; a key in front of it is passed over."""
    position = _end_of(_COMMA, text, start)
    if text[position] == '"':
        _, position = _DECODER.raw_decode(text, position)
        position = _end_of(_SPACE, text, position)
        if text[position : position + 1] != ":":
            return []
        position = _end_of(_SPACE, text, position + 1)
    kind = text[position : position + 1]
    if kind not in {"{", "["}:
        return []
    found: list[Member] = []
    position = _end_of(_SPACE, text, position + 1)
    while text[position] not in "}]":
        first, key = position, str(len(found))
        if kind == "{":
            key, position = _DECODER.raw_decode(text, position)
            position = _end_of(_SPACE, text, _end_of(_SPACE, text, position) + 1)
        _, position = _DECODER.raw_decode(text, position)
        found.append(Member(key, first))
        position = _end_of(_COMMA, text, position)
    return found


def _end_of(pattern: re.Pattern[str], text: str, position: int) -> int:
    found = pattern.match(text, position)
    return found.end() if found else position
