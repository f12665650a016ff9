"""One member of a JSON text with comments, put in or taken out; every other character stays as it is."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

BLANK = re.compile(r"(?:[\s\ufeff]|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
DECODER = json.JSONDecoder()


@dataclass
class Node:
    """A value with its place in the text; `members` are those of an object, the items of an array are not kept."""

    start: int
    end: int = 0
    value: Any = None
    members: "dict[str, Member]" = field(default_factory=dict[str, "Member"])


@dataclass
class Member:
    """A member of an object: where its key starts, its value, and the place of the comma behind it, if it has one."""

    start: int
    node: Node
    comma: int | None = None


def get(text: str, keys: Sequence[str]) -> Any:
    """The value at a path of keys, None where there is none. Raises ValueError for a text that is not JSON."""
    value: Any = parse(text).value if not is_blank(text) else {}
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]
    return value  # pyright: ignore[reportUnknownVariableType]


def put(text: str, keys: Sequence[str], value: Any) -> str:
    """The text with a value at a path of keys; objects on the way are made. Raises ValueError where that cannot be."""
    if is_blank(text):
        return f"{text.strip()}{json.dumps(_nested(keys, value), indent=2, ensure_ascii=False)}\n"
    node = parse(text)
    unit = _indent_before(text, next(iter(node.members.values())).start) if node.members else ""
    for depth, key in enumerate(keys):
        if not isinstance(node.value, dict):
            raise ValueError(f"{'.'.join(keys[:depth]) or 'it'} is no object")  # noqa: TRY004
        if key not in node.members:
            return _insert(text, node, key, _nested(keys[depth + 1 :], value), unit or "  ")
        member = node.members[key]
        node = member.node
    line = _indent_before(text, _line_start(text, node.start))
    return text[: node.start] + _dumps(text, value, line, unit or "  ") + text[node.end :]


def drop(text: str, keys: Sequence[str]) -> str:
    """The text without the member at a path of keys, which there is."""
    parent = parse(text)
    for key in keys[:-1]:
        parent = parent.members[key].node
    members = list(parent.members.values())
    at = list(parent.members).index(keys[-1])
    member = members[at]
    end = member.node.end if member.comma is None else member.comma + 1
    start = len(text[: member.start].rstrip())
    before = text[members[at - 1].node.end if at else parent.start : start].rpartition("\n")[2]
    if "//" in before and not text[end:].lstrip(" \t").startswith(("\r", "\n")):
        start = member.start  # the comment would reach what follows
    left = text[:start] + text[end:]
    if len(members) == 1:
        inside = left[parent.start + 1 : parent.end - 1 - (end - start)]
        return left if inside.strip() else left[: parent.start + 1] + left[parent.end - 1 - (end - start) :]
    if member.comma is None:  # it was the last one, so the one before it needs no comma any more
        comma = members[at - 1].comma
        assert comma is not None  # noqa: S101
        return left[:comma] + left[comma + 1 :]
    return left


def is_blank(text: str) -> bool:
    """Whether there is no value in a text at all, as in a file that was just made."""
    return not text.strip("\ufeff \t\r\n")


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
    opening = text[at : at + 1]
    if opening == "{":
        return _object(text, Node(at))
    if opening == "[":
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
        member = Member(at, _value(text, _skip(text, colon + 1)))
        node.members[key] = member
        at = _skip(text, member.node.end)
        member.comma, at = _comma(text, at, "}")
    node.end = at + 1
    node.value = {key: member.node.value for key, member in node.members.items()}
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
    members = list(parent.members.values())
    named = f"{json.dumps(key, ensure_ascii=False)}: "
    if members and "\n" not in text[parent.start : parent.end]:
        at = members[-1].comma or members[-1].node.end
        return f"{text[:at]}, {named}{json.dumps(value, ensure_ascii=False)}{text[at:]}"
    newline = "\r\n" if "\r\n" in text else "\n"
    outer = _indent_before(text, _line_start(text, parent.start))
    inner = _indent_before(text, members[-1].start) if members else ""
    inner = inner or outer + unit
    made = f"{newline}{inner}{named}{_dumps(text, value, inner, unit)}"
    # Behind the comments that stand behind the last member.
    closing = parent.end - 1
    at = len(text[:closing].rstrip())
    if not members:
        return f"{text[:at]}{made}{newline}{outer}{text[closing:]}"
    last = members[-1]
    if last.comma is not None:
        return f"{text[:at]}{made},{text[at:]}"
    return f"{text[: last.node.end]},{text[last.node.end : at]}{made}{text[at:]}"


def _dumps(text: str, value: Any, indent: str, unit: str) -> str:
    written = json.dumps(value, indent=unit, ensure_ascii=False).replace("\n", f"\n{indent}")
    return written.replace("\n", "\r\n") if "\r\n" in text else written


def _nested(keys: Sequence[str], value: Any) -> Any:
    for key in reversed(keys):
        value = {key: value}
    return value


def _line_start(text: str, at: int) -> int:
    """Where the first character of a line that is not blank stands, of the line that has this place."""
    line = text[text.rfind("\n", 0, at) + 1 : at + 1]
    return at + 1 - len(line.lstrip(" \t"))


def _indent_before(text: str, at: int) -> str:
    """The blanks between the start of a line and this place, "" where something else stands between."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line if not line.strip(" \t") else ""
