"""The lines between `---` and `---` at the top of a Markdown file, as far as they are plain.

Not YAML: scalars, lists of scalars and folded lines are understood, anything nested is left out.
"""

import re
from collections.abc import Iterator
from typing import TypeAlias

Scalar: TypeAlias = str | int | bool

_FENCED = re.compile(r"---[ \t]*\n((?:(?!---[ \t]*\n|\.\.\.[ \t]*\n).*\n){1,200}?)(?:---|\.\.\.)[ \t]*(?:\n|\Z)")
_KEY = re.compile(r"([A-Za-z_][\w .-]*?)[ \t]*:(?:[ \t]+(.*))?")
_COMMENT = re.compile(r"(?:^|\s)#.*$")


def read_front_matter(text: str) -> tuple[dict[str, Scalar | list[Scalar]], int]:
    """The keys of the front matter and where the text goes on; `({}, 0)` where there is none."""
    found = _FENCED.match(text)
    if found is None:
        return {}, 0
    lines = found[1].splitlines()
    if not any(_KEY.fullmatch(line) for line in lines) or not all(_belongs(line) for line in lines):
        return {}, 0
    values = {key: _value(first, rest) for key, first, rest in _entries(lines)}
    return {key: value for key, value in values.items() if value not in ("", [])}, found.end()


def _belongs(line: str) -> bool:
    return not line.strip() or line[0] in " \t#-" or _KEY.fullmatch(line) is not None


def _entries(lines: list[str]) -> Iterator[tuple[str, str, list[str]]]:
    """Each key with what stands on its line and the lines below it."""
    key, first, rest = "", "", list[str]()
    for line in lines:
        found = _KEY.fullmatch(line)
        if found is None:
            rest.append(line.strip())
            continue
        if key:
            yield key, first, rest
        key, first, rest = found[1], (found[2] or "").strip(), []
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


def _scalar(written: str) -> Scalar:
    written = written.strip()
    if len(written) > 1 and written[0] == written[-1] and written[0] in "'\"":
        return written[1:-1]
    written = _COMMENT.sub("", written).strip()
    if written.lower() in {"true", "false"}:
        return written.lower() == "true"
    if written in {"null", "~"}:
        return ""
    return int(written) if re.fullmatch(r"-?(?:0|[1-9][0-9]{0,15})", written) else written
