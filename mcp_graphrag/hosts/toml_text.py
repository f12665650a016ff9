"""One table of a TOML text, put in at its end or taken out; every other character stays as it is."""

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

HEADER = re.compile(r"\s*\[\[?\s*(?P<name>[^\]]+?)\s*\]")
SAID = re.compile(r"\s*[^#\s]")


def get(text: str, keys: Sequence[str]) -> Any:
    """The value at a path of keys, None where there is none. Raises ValueError for a text that is not TOML."""
    value: Any = _parse(text)
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]
    return value  # pyright: ignore[reportUnknownVariableType]


def put(text: str, keys: Sequence[str], value: Mapping[str, Any]) -> str:
    """The text with a table of strings and lists of strings at its end. Raises ValueError where that cannot be."""
    if get(text, keys) is not None:
        text = drop(text, keys)
    lines = [f"[{'.'.join(keys)}]", *(f"{key} = {json.dumps(each, ensure_ascii=False)}" for key, each in value.items())]
    newline = "\r\n" if "\r\n" in text else "\n"
    between = "" if not text.strip("\ufeff") else newline if text.endswith("\n") else newline * 2
    made = text + between + newline.join([*lines, ""])
    if get(made, keys) != value:
        raise ValueError(f"the table {'.'.join(keys)} cannot be added to it")
    return made


def drop(text: str, keys: Sequence[str]) -> str:
    """The text without a table and those in it. Raises ValueError where it is not written as a table of its own."""
    kept, waiting = list[str](), list[str]()  # comments and blank lines wait: they belong to what comes behind them
    inside = False
    for line in text.splitlines(keepends=True):
        if (header := HEADER.match(line)) is not None:
            inside = [part.strip(" \"'") for part in header["name"].split(".")][: len(keys)] == list(keys)
            if inside and waiting and not waiting[-1].strip():
                waiting.pop()  # the blank line in front of it
        if not SAID.match(line):
            waiting.append(line)
            continue
        if not inside or header is not None:
            kept += waiting
        kept += [] if inside else [line]
        waiting = []
    left = "".join([*kept, *waiting])
    parent = found = _parse(text)
    for key in keys[:-1]:
        parent = parent[key]
    del parent[keys[-1]]
    if _filled(found) != _filled(_parse(left)):
        raise ValueError(f"{'.'.join(keys)} is not a table that can be taken out")
    return left


def _parse(text: str) -> dict[str, Any]:
    return tomllib.loads(text.removeprefix("\ufeff"))


def _filled(tables: Mapping[str, Any]) -> dict[str, Any]:
    """The tables without empty ones, which may be there only for what is in them."""
    found = {key: _filled(value) if isinstance(value, dict) else value for key, value in tables.items()}  # pyright: ignore[reportUnknownArgumentType]
    return {key: value for key, value in found.items() if value != {}}
