"""The front matter of a Markdown file: the simple values between `---` and `---`, or `+++` and `+++`, at its top.

Between the former stands a subset of YAML: scalars, lists of scalars and folded lines; between the latter TOML. Nested
values are ignored. Keys are in lower case, whichever they have in the file.
"""

import re
import tomllib
from collections.abc import Iterator
from typing import TypeAlias, cast

Scalar: TypeAlias = str | int | bool

_FENCED = re.compile(r"---[ \t]*\n((?:(?!---[ \t]*\n|\.\.\.[ \t]*\n).*\n){1,200}?)(?:---|\.\.\.)[ \t]*(?:\n|\Z)")
_TOML = re.compile(r"\+\+\+[ \t]*\n((?:(?!\+\+\+[ \t]*\n).*\n){1,200}?)\+\+\+[ \t]*(?:\n|\Z)")
_KEY = re.compile(r"([A-Za-z_][\w .-]*?)[ \t]*:(?:[ \t]+(.*))?")
_COMMENT = re.compile(r"(?:^|\s)#.*$")


def read_front_matter(text: str) -> tuple[dict[str, Scalar | list[Scalar]], int]:
    """The values of the front matter by key, and the offset of the text below it; `({}, 0)` if there is none."""
    match = _FENCED.match(text)
    if match is None:
        return _read_toml(text)
    lines = match[1].splitlines()
    if not any(_KEY.fullmatch(line) for line in lines) or not all(_is_front_matter(line) for line in lines):
        return {}, 0
    values = {key.lower(): _value(first, rest) for key, first, rest in _entries(lines)}
    return {key: value for key, value in values.items() if value not in ("", [])}, match.end()


def _read_toml(text: str) -> tuple[dict[str, Scalar | list[Scalar]], int]:
    match = _TOML.match(text)
    try:
        values = tomllib.loads(match[1]) if match else {}
    except (ValueError, RecursionError):
        return {}, 0
    simple: dict[str, Scalar | list[Scalar]] = {}
    for name, value in values.items():
        key = name.lower()
        if isinstance(value, list):
            simple[key] = [item for item in cast("list[object]", value) if isinstance(item, str | int)]
        elif not isinstance(value, dict):
            simple[key] = value if isinstance(value, str | int) else str(value)
    return {key: value for key, value in simple.items() if value not in ("", [])}, match.end() if match else 0


def _is_front_matter(line: str) -> bool:
    return not line.strip() or line[0] in " \t#-" or _KEY.fullmatch(line) is not None


def _entries(lines: list[str]) -> Iterator[tuple[str, str, list[str]]]:
    """Each key with the text on its line and the lines below it."""
    key, first, rest = "", "", list[str]()
    for line in lines:
        match = _KEY.fullmatch(line)
        if match is None:
            rest.append(line.strip())
            continue
        if key:
            yield key, first, rest
        key, first, rest = match[1], (match[2] or "").strip(), []
    if key:
        yield key, first, rest


def _value(first: str, rest: list[str]) -> Scalar | list[Scalar]:
    rest = [line for line in rest if line and not line.startswith("#")]
    if not first and rest and all(line.startswith("- ") for line in rest):
        items = [line[2:] for line in rest]
        return [] if any(_KEY.fullmatch(item) for item in items) else [_scalar(item) for item in items]
    if not first:
        return ""
    if first in {"|", ">", "|-", ">-"}:
        return " ".join(rest)
    if first.startswith("[") and first.endswith("]"):
        return [_scalar(item) for item in first[1:-1].split(",") if item.strip()]
    return "" if first[0] in "{&*!" else _scalar(" ".join([first, *rest]))


def flat_value(text: str) -> Scalar | list[Scalar] | None:
    """A scalar or a list in brackets, as it stands behind a key of YAML; None for anything else."""
    text = text.strip()
    is_list = text.startswith("[") and text.endswith("]") and not set(text[1:-1]) & set("[]{}'\"")
    is_plain = text[:1] not in tuple("[{&*!|>%@`") and (text[:1] not in tuple("'\"") or text[-1] == text[0])
    return _value(text, []) if text and (is_list or is_plain) else None


def _scalar(text: str) -> Scalar:
    text = text.strip()
    if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"":
        return text[1:-1]
    text = _COMMENT.sub("", text).strip()
    if text.lower() in {"true", "false"}:
        return text.lower() == "true"
    if text in {"null", "~"}:
        return ""
    return int(text) if re.fullmatch(r"-?(?:0|[1-9][0-9]{0,15})", text) else text
