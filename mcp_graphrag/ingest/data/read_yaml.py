"""YAML to blocks by its indentation, which needs no parser: records as a table, other values with their keys."""

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from mcp_graphrag.ingest.data.flat_records import read_records
from mcp_graphrag.ingest.data.outline import Member, outline
from mcp_graphrag.ingest.frontmatter import flat_value
from mcp_graphrag.ingest.reader import Reading

_LINE = re.compile(r"(?P<indent> *)(?P<dash>-(?: +|$))?(?P<rest>[^\n]*)", re.MULTILINE)
_KEY = re.compile(r"(?P<key>\"[^\"\n]*\"|'[^'\n]*'|[^\s#\-\[\]{}&*!|>'\"%@`][^\n#]*?)\s*:(?:\s+(?P<value>.*))?$")
_MAX_DEPTH = 20
_NESTED: Any = {"": [""], "of": {"": ""}}  # stands for a value that is not plain
_MARKER = ("#", "---", "...", "%")


class _NotPlain(Exception):
    """A text has YAML of a form that is not parsed here."""


def read_yaml(text: str) -> Reading:
    """The records of a YAML text as tables, other values as they stand, with the path of their keys."""

    def members(start: int, end: int) -> Sequence[Member]:
        return _members(text, start, end)

    try:
        lines = [_Line(*line) for line in _lines(text)]
        value, at = _value(lines, 0, 0) if lines else (None, 0)
        records = read_records(text, value, members) if at == len(lines) else None
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


def _lines(text: str) -> Iterator[tuple[int, str, str]]:
    for line in _LINE.finditer(text):
        if _says_something(line):
            yield len(line["indent"]), line["dash"] or "", line["rest"].rstrip()


def _value(lines: list[_Line], at: int, depth: int) -> tuple[Any, int]:
    """The list or mapping that begins with a line, and the number of the line behind it."""
    if depth > _MAX_DEPTH:
        raise _NotPlain
    items: list[Any] = []
    mapping: dict[str, Any] = {}
    indent, of_list = lines[at].indent, bool(lines[at].dash)
    while at < len(lines) and lines[at].indent == indent and bool(lines[at].dash) == of_list:
        line, key = lines[at], _KEY.match(lines[at].rest)
        if of_list and key is not None:  # a mapping that begins behind the dash
            lines[at] = _Line(indent + len(line.dash), "", line.rest)
            item, at = _value(lines, at, depth + 1)
        elif of_list or key is not None:
            item, at = _behind(lines, at, line.rest if key is None else key["value"] or "", depth)
        else:
            raise _NotPlain
        if of_list:
            items.append(item)
        elif key is not None:
            mapping[key["key"].strip("\"'")] = item
    if at < len(lines) and lines[at].indent > indent:
        raise _NotPlain
    return (items if of_list else mapping), at


def _behind(lines: list[_Line], at: int, given: str, depth: int) -> tuple[Any, int]:
    """The value behind a key or dash, on its line or in those below, and the number of the line behind it."""
    line, at = lines[at], at + 1
    below = at < len(lines) and lines[at].indent > line.indent
    same = at < len(lines) and bool(lines[at].dash) and lines[at].indent == line.indent and not line.dash
    if not given or given.startswith("#"):
        return _value(lines, at, depth + 1) if below or same else (None, at)
    if given[0] in "|>":
        while at < len(lines) and lines[at].indent > line.indent:
            at += 1
        return _NESTED, at
    value = flat_value(given)
    return (_NESTED if value is None else value), at
