"""One entry of a mapping at the top of a YAML text, put in or taken out; every other line stays as it is.

Only that mapping is read: a text that has it in another form than one key a line is refused.
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

NAME = r"[^\s:#\"'\[\]{},&*!|>%@`][^:#\"']*?"
KEY = re.compile(rf" *(?P<quote>[\"']?)(?P<key>{NAME})(?P=quote)\s*:(?:\s+(?P<value>.*?))?\s*$")
NOTHING = re.compile(r"\s*(#.*)?$")
TOP = re.compile(r"---|\.\.\.|%")
EMPTY = re.compile(r"(\{\})?\s*(#.*)?$")


def get(text: str, keys: Sequence[str]) -> Any:
    """The value of an entry, with scalars and lists of scalars; of a mapping only whether it is empty.

    None where there is none. Raises ValueError for a text of another form.
    """
    lines = text.splitlines()
    at, indent, first, end = _places(lines, keys)
    if len(keys) == 1:
        return None if at is None else dict.fromkeys(range(bool(indent)))
    found, name = dict[str, Any](), ""
    for line in lines[first + 1 : end]:
        if (item := line.strip()).startswith("- ") and name:
            found[name] = [*(found[name] or []), _scalar(item[2:])]
        elif (match := KEY.match(line)) is not None:
            name = match["key"]
            found[name] = _scalar(match["value"] or "")
    return found if first < end else None


def put(text: str, keys: Sequence[str], value: Mapping[str, Any]) -> str:
    """The text with an entry first in its mapping. Raises ValueError where that cannot be."""
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = text.splitlines(keepends=True)
    at, indent, first, end = _places(lines, keys)
    del lines[first:end]
    if at is None:
        at = len(lines)
        lines = [*lines[:-1], *(line.rstrip("\r\n") + newline for line in lines[-1:]), f"{keys[0]}:{newline}"]
    elif "{}" in lines[at]:
        lines[at] = f"{keys[0]}:{newline}"
    blanks = " " * (indent or 2)
    made = [f"{blanks}{keys[1]}:", *(f"{blanks * 2}{key}: {json.dumps(each)}" for key, each in value.items())]
    text = "".join([*lines[: at + 1], *(line + newline for line in made), *lines[at + 1 :]])
    if get(text, keys) != value:
        raise ValueError(f"{'.'.join(keys)} cannot be added to it")
    return text


def drop(text: str, keys: Sequence[str]) -> str:
    """The text without an entry, which there is, or without a mapping that is empty."""
    lines = text.splitlines(keepends=True)
    at, _, first, end = _places(lines, keys)
    if len(keys) == 1 and at is not None:
        first, end = at, at + 1
    left = [*lines[:first], *lines[end:]]
    if len(keys) > 1 and at is not None and not _places(left, keys)[1]:
        left[at] = left[at].replace(":", ": {}", 1)  # a key without anything would be null
    return "".join(left)


def _places(lines: Sequence[str], keys: Sequence[str]) -> tuple[int | None, int, int, int]:
    """The line of the mapping, the indentation of its entries (0: none), and the lines of the entry from and up to.

    Raises ValueError where a line at the top is no key, or the mapping has another form.
    """
    at = top = None
    indent = first = end = 0
    is_ours = False
    for number, line in enumerate(lines):
        depth = len(line) - len(line.lstrip(" "))
        is_item = line.startswith("- ") or line.rstrip() == "-"
        if NOTHING.match(line) or (depth and (top is None or top["key"] != keys[0])):
            continue
        if not depth and (TOP.match(line) or (is_item and top is not None and not top["value"])):
            continue
        indent = indent or depth
        if depth > indent:
            end = number + 1 if is_ours else end
            continue
        key = None if is_item else KEY.match(line.lstrip("\ufeff"))
        if key is None:
            raise ValueError(f"line {number + 1} is no key of a mapping")
        is_ours = depth > 0 and [key["key"]] == list(keys[1:])
        if is_ours:
            first, end = number, number + 1
        if not depth:
            top = key
            if key["key"] == keys[0]:
                if at is not None or not EMPTY.match(key["value"] or ""):
                    raise ValueError(f"line {number + 1} has {keys[0]} in a form that is not edited")
                at = number
    return at, indent, first, end


def _scalar(text: str) -> Any:
    """A plain or quoted scalar, or a list in brackets; None for nothing."""
    try:
        return json.loads(text)
    except ValueError:
        return text.strip().strip("'") or None
