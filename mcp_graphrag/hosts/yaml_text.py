"""One entry of a mapping at the top of a YAML text, put in or taken out; every other line stays as it is.

Only the lines of that mapping are read: a text that has it in another form than one key a line is refused.
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

NAME = r"[^\s:#\"'\[\]{},&*!|>%@`][^:#\"']*?"
KEY = re.compile(rf"(?P<indent> *)(?P<quote>[\"']?)(?P<key>{NAME})(?P=quote)\s*:(?:\s+(?P<value>.*?))?\s*$")
NOTHING = re.compile(r"\s*(#.*)?$")
TOP = re.compile(r"---|\.\.\.|%")
DEFAULT_INDENT = 2


def get(text: str, keys: Sequence[str]) -> Any:
    """The value of an entry, with scalars and lists of scalars, or whether a mapping has any; None where there is none.

    Raises ValueError for a text of another form.
    """
    lines = text.splitlines()
    if len(keys) == 1:
        at = _mapping(lines, keys[0])
        return None if at is None else dict.fromkeys(["entries"] if _indent(_next(lines, at)) else [])
    first, end = _entry(lines, keys)
    if first == end:
        return None
    found: dict[str, Any] = {}
    name = ""
    for line in lines[first + 1 : end]:
        if (item := line.strip()).startswith("- ") and name:
            found[name] = [*(found[name] or []), _scalar(item[2:])]
        elif (match := KEY.match(line)) is not None:
            name = match["key"]
            found[name] = _scalar(match["value"] or "")
    return found


def put(text: str, keys: Sequence[str], value: Mapping[str, Any]) -> str:
    """The text with an entry first in its mapping. Raises ValueError where that cannot be."""
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = text.splitlines(keepends=True)
    first, end = _entry(lines, keys)
    del lines[first:end]
    at = _mapping(lines, keys[0])
    if at is None:
        if lines and not lines[-1].endswith("\n"):
            lines[-1] += newline
        lines.append(f"{keys[0]}:{newline}")
        at = len(lines) - 1
    elif "{}" in lines[at]:
        lines[at] = f"{keys[0]}:{newline}"
    indent = " " * (_indent(_next(lines, at)) or DEFAULT_INDENT)
    made = [f"{indent}{keys[1]}:", *(f"{indent * 2}{key}: {json.dumps(each)}" for key, each in value.items())]
    text = "".join([*lines[: at + 1], *(line + newline for line in made), *lines[at + 1 :]])
    if get(text, keys) != value:
        raise ValueError(f"{'.'.join(keys)} cannot be added to it")
    return text


def drop(text: str, keys: Sequence[str]) -> str:
    """The text without an entry, which there is, or without a mapping that has no other one."""
    lines = text.splitlines(keepends=True)
    if len(keys) == 1:
        at = _mapping(lines, keys[0])
        return "".join(line for number, line in enumerate(lines) if number != at)
    first, end = _entry(lines, keys)
    left = [*lines[:first], *lines[end:]]
    at = _mapping(left, keys[0])
    if at is not None and not _indent(_next(left, at)):
        left[at] = left[at].replace(":", ": {}", 1)  # a key without anything would be null
    return "".join(left)


def _mapping(lines: Sequence[str], name: str) -> int | None:
    """The line of a key at the top. Raises ValueError where a line at the top is no key, or this one has a value."""
    found = key = None
    for number, line in enumerate(lines):
        is_item = line.rstrip() == "-" or line.startswith("- ")
        if NOTHING.match(line) or _indent(line) or TOP.match(line) or (is_item and key and not key["value"]):
            continue
        key = None if is_item else KEY.match(line.lstrip("\ufeff"))
        if key is None:
            raise ValueError(f"line {number + 1} is no key of a mapping")
        if key["key"] == name:
            if found is not None or not re.match(r"(\{\})?\s*(#.*)?$", key["value"] or ""):
                raise ValueError(f"line {number + 1} has {name} in a form that is not edited")
            found = number
    return found


def _entry(lines: Sequence[str], keys: Sequence[str]) -> tuple[int, int]:
    """The first line of an entry and the one behind its last, the same where there is none."""
    at = _mapping(lines, keys[0])
    if at is None:
        return 0, 0
    indent, first = 0, None
    for number in range(at + 1, len(lines)):
        line = lines[number]
        if NOTHING.match(line):
            continue
        depth = _indent(line)
        indent = indent or depth
        if first is not None and depth <= indent:
            return first, _behind(lines, first, number)
        if not depth:
            break
        key = KEY.match(line)
        if depth == indent and key is None:
            raise ValueError(f"line {number + 1} is no key of a mapping")
        if key is not None and depth == indent and key["key"] == keys[1]:
            first = number
    return (0, 0) if first is None else (first, _behind(lines, first, len(lines)))


def _behind(lines: Sequence[str], first: int, end: int) -> int:
    """The line behind the last one that says something."""
    while end > first + 1 and NOTHING.match(lines[end - 1]):
        end -= 1
    return end


def _next(lines: Sequence[str], at: int) -> str:
    """The next line that says something, "" where there is none."""
    return next((line for line in lines[at + 1 :] if not NOTHING.match(line)), "")


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" ")) if line.strip() else 0


def _scalar(text: str) -> Any:
    """A plain or quoted scalar, or a list in brackets; None for nothing."""
    try:
        return json.loads(text)
    except ValueError:
        return text.strip().strip("'") or None
