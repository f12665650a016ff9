"""One member of a JSON text with comments, put in or taken out; every other character stays as it is."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

BLANK = re.compile(r"(?:[\s\ufeff]|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
BLANKS = "\ufeff \t\r\n"
DECODER = json.JSONDecoder()


@dataclass
class Node:
    """A value and its place in the text; as a member of an object, where its key starts and the comma behind it is."""

    start: int
    end: int = 0
    value: Any = None
    members: "dict[str, Node]" = field(default_factory=dict[str, "Node"])
    key: int = 0
    comma: int | None = None


def get(text: str, keys: Sequence[str]) -> Any:
    """The value at a path of keys, None where there is none. Raises ValueError for a text that is not JSON."""
    value: Any = parse(text).value if text.strip(BLANKS) else {}
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]
    return value  # pyright: ignore[reportUnknownVariableType]


def put(text: str, keys: Sequence[str], value: Any) -> str:
    """The text with a value at a path of keys; objects on the way are made. Raises ValueError where that cannot be."""
    if not text.strip(BLANKS):
        return f"{text.strip()}{json.dumps(_nested(keys, value), indent=2, ensure_ascii=False)}\n"
    node = parse(text)
    unit = _indent(text, next(iter(node.members.values())).key) if node.members else ""
    for depth, key in enumerate(keys):
        if not isinstance(node.value, dict):
            raise ValueError(f"{'.'.join(keys[:depth]) or 'it'} is no object")  # noqa: TRY004
        if key not in node.members:
            return _insert(text, node, key, _nested(keys[depth + 1 :], value), unit or "  ")
        node = node.members[key]
    return text[: node.start] + _dumps(text, value, _indent(text, node.start), unit or "  ") + text[node.end :]


def drop(text: str, keys: Sequence[str]) -> str:
    """The text without the member at a path of keys, which there is."""
    parent = parse(text)
    for key in keys[:-1]:
        parent = parent.members[key]
    members, at = list(parent.members.values()), list(parent.members).index(keys[-1])
    node = members[at]
    end = node.end if node.comma is None else node.comma + 1
    start = len(text[: node.key].rstrip())
    before = text[members[at - 1].end if at else parent.start : start].rpartition("\n")[2]
    if "//" in before and not text[end:].lstrip(" \t").startswith(("\r", "\n")):
        start = node.key  # the comment would reach what follows
    closing = parent.end - 1
    if len(members) == 1 and not (text[parent.start + 1 : start] + text[end:closing]).strip():
        start, end = parent.start + 1, closing  # nothing is left of it
    left = text[:start] + text[end:]
    if at and node.comma is None and (comma := members[at - 1].comma) is not None:
        return left[:comma] + left[comma + 1 :]  # it was the last one, so the one before it needs none any more
    return left


def parse(text: str) -> Node:
    """The value of a whole text. Raises ValueError where it is not JSON with comments and trailing commas."""
    try:
        node = _value(text, _skip(text, 0))
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    if (end := _skip(text, node.end)) < len(text):
        raise _unexpected(text, end)
    return node


def _value(text: str, at: int) -> Node:
    if text[at : at + 1] == "{":
        return _object(text, Node(at))
    if text[at : at + 1] == "[":
        return _array(text, Node(at))
    value, end = DECODER.raw_decode(text, at)
    return Node(at, end, value)


def _object(text: str, node: Node) -> Node:
    at = _skip(text, node.start + 1)
    while text[at : at + 1] != "}":
        if text[at : at + 1] != '"':
            raise _unexpected(text, at)
        key, end = DECODER.raw_decode(text, at)
        colon = _skip(text, end)
        if text[colon : colon + 1] != ":":
            raise _unexpected(text, colon)
        if key in node.members:
            raise ValueError(f"it has {key!r} twice")
        node.members[key] = member = _value(text, _skip(text, colon + 1))
        member.key = at
        member.comma, at = _comma(text, _skip(text, member.end), "}")
    node.end, node.value = at + 1, {key: member.value for key, member in node.members.items()}
    return node


def _array(text: str, node: Node) -> Node:
    at, items = _skip(text, node.start + 1), list[Any]()
    while text[at : at + 1] != "]":
        item = _value(text, at)
        items.append(item.value)
        _, at = _comma(text, _skip(text, item.end), "]")
    node.end, node.value = at + 1, items
    return node


def _comma(text: str, at: int, closing: str) -> tuple[int | None, int]:
    """The place of a comma, if one is there, and where the next member or the closing bracket is."""
    if text[at : at + 1] == ",":
        return at, _skip(text, at + 1)
    if text[at : at + 1] != closing:
        raise _unexpected(text, at)
    return None, at


def _skip(text: str, at: int) -> int:
    found = BLANK.match(text, at)
    return found.end() if found else at


def _unexpected(text: str, at: int) -> ValueError:
    what = repr(text[at]) if at < len(text) else "its end"
    return ValueError(f"{what} in line {text.count(chr(10), 0, at) + 1} is not expected")


def _insert(text: str, parent: Node, key: str, value: Any, unit: str) -> str:
    last = next(reversed(parent.members.values()), None)
    named = f"{json.dumps(key, ensure_ascii=False)}: "
    if last is not None and "\n" not in text[parent.start : parent.end]:
        at = last.comma or last.end
        return f"{text[:at]}, {named}{json.dumps(value, ensure_ascii=False)}{text[at:]}"
    newline = "\r\n" if "\r\n" in text else "\n"
    outer = _indent(text, parent.start)
    inner = _indent(text, last.key) if last is not None else outer + unit
    made = f"{newline}{inner}{named}{_dumps(text, value, inner, unit)}"
    closing = parent.end - 1
    at = len(text[:closing].rstrip())  # behind the comments that stand behind the last member
    if last is None:
        return f"{text[:at]}{made}{newline}{outer}{text[closing:]}"
    if last.comma is not None:
        return f"{text[:at]}{made},{text[at:]}"
    return f"{text[: last.end]},{text[last.end : at]}{made}{text[at:]}"


def _dumps(text: str, value: Any, indent: str, unit: str) -> str:
    newline = "\r\n" if "\r\n" in text else "\n"
    return json.dumps(value, indent=unit, ensure_ascii=False).replace("\n", f"{newline}{indent}")


def _nested(keys: Sequence[str], value: Any) -> Any:
    for key in reversed(keys):
        value = {key: value}
    return value


def _indent(text: str, at: int) -> str:
    """The blanks at the start of the line that has this place."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]
