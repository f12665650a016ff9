"""YAML to blocks by its indentation, which needs no parser: records as a table, other values with their keys."""

import re
from collections import deque
from collections.abc import Sequence
from typing import Any, NamedTuple

from mcp_graphrag.ingest.data.flat_records import read_records
from mcp_graphrag.ingest.data.outline import Member, outline
from mcp_graphrag.ingest.frontmatter import flat_value
from mcp_graphrag.ingest.reader import Reading

_LINE = re.compile(r"(?P<indent> *)(?P<dash>-(?: +|$))?(?P<rest>[^\n]*)", re.MULTILINE)
_KEY = re.compile(r"(?P<key>\"[^\"\n]*\"|'[^'\n]*'|[^\s#\-\[\]{}&*!|>'\"%@`][^\n#]*?)\s*:(?:\s+(?P<value>.*))?$")
_MAX_DEPTH = 20
_NESTED: Any = [[""]]  # stands for a value that is not plain
_MARKER = ("#", "---", "...", "%")


class _NotPlain(Exception):
    """A text has YAML of a form that is not parsed here."""


def read_yaml(text: str) -> Reading:
    """The records of a YAML text as tables, other values as they stand, with the path of their keys."""

    def members(start: int, end: int) -> Sequence[Member]:
        return _members(text, start, end)

    said = filter(_says_something, _LINE.finditer(text))
    lines = deque(_Line(len(line["indent"]), line["dash"] or "", line["rest"].rstrip()) for line in said)
    try:
        value = _value(lines) if lines else None
        records = read_records(text, value, members) if not lines else None
    except _NotPlain:
        records = None
    return records or Reading(text, outline(text, members))


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


class _Line(NamedTuple):
    """A line that says something: how deep it stands, its dash with the spaces behind it, and the rest."""

    indent: int
    dash: str
    rest: str


def _value(lines: deque[_Line], depth: int = 0) -> Any:
    """The list or mapping that begins with the next line; its lines are taken."""
    items: list[Any] = []
    mapping: dict[str, Any] = {}
    indent, of_list = lines[0].indent, bool(lines[0].dash)
    while lines and lines[0].indent == indent and bool(lines[0].dash) == of_list:
        line = lines.popleft()
        key = _KEY.match(line.rest)
        given = line.rest if key is None else key["value"] or ""
        if of_list and key is not None:  # a mapping that begins behind the dash
            lines.appendleft(_Line(indent + len(line.dash), "", line.rest))
            items.append(_value(lines, depth + 1))
        elif of_list:
            items.append(_behind(lines, line, given, depth))
        elif key is not None:
            mapping[key["key"].strip("\"'")] = _behind(lines, line, given, depth)
        else:
            raise _NotPlain
    if depth > _MAX_DEPTH or (lines and lines[0].indent > indent):
        raise _NotPlain
    return items if of_list else mapping


def _behind(lines: deque[_Line], line: _Line, given: str, depth: int) -> Any:
    """The value behind a key or dash: what is given on its line, or the lines below."""
    if given and given[0] in "|>":
        while lines and lines[0].indent > line.indent:
            lines.popleft()
        return _NESTED
    if given and given[0] != "#":
        value = flat_value(given)
        return _NESTED if value is None else value
    is_below = lines and lines[0].indent + bool(lines[0].dash and not line.dash) > line.indent
    return _value(lines, depth + 1) if is_below else None
