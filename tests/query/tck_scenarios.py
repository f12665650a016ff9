"""The scenarios of openCypher's Technology Compatibility Kit that are kept in tck/, and what they expect.

A scenario with examples is one for each of them. Values are as the TCK writes them: (:A {n: 1}), [:T], <(:A)-[:T]->()>.
"""

import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

FOLDER = Path(__file__).parent / "tck"
WRITES = re.compile(r"\b(CREATE|MERGE|DELETE|SET|REMOVE|CALL)\b", re.IGNORECASE)
_HEAD = re.compile(r"\s*(Background|Scenario Outline|Scenario|Feature):\s*(.*)")
_STEP = re.compile(r"\s*(?:Given|And|When|Then|But)\s+(.*)")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}


@dataclass
class Step:
    """A step with the text or table below it."""

    text: str
    doc: str = ""
    table: list[list[str]] = field(default_factory=list[list[str]])


@dataclass(frozen=True)
class Scenario:
    """One query with the statements that make its graph, and its result: an error, or rows."""

    id: str
    setup: Sequence[str]
    graph: str
    parameters: Mapping[str, Any]
    query: str
    fails: bool
    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]
    in_order: bool
    lists_in_any_order: bool


def scenarios(feature: Path) -> Iterator[Scenario]:
    """The scenarios of a file whose query reads only."""
    background: list[str] = []
    for kind, name, lines in _blocks(feature.read_text("utf-8").split("\n")):
        if kind == "Background":
            background = lines
        elif kind == "Scenario":
            yield from _scenario(f"{feature.stem} {name}", [*background, *lines])
        elif kind == "Scenario Outline":
            for number, text in enumerate(_examples([*background, *lines]), start=1):
                yield from _scenario(f"{feature.stem} {name} #{number}", text.split("\n"))


def _blocks(lines: Sequence[str]) -> Iterator[tuple[str, str, list[str]]]:
    kind, name, body, is_text = "", "", list[str](), False
    for line in lines:
        head = None if is_text else _HEAD.fullmatch(line)
        is_text ^= line.strip() == '"""'
        if head:
            yield kind, name, body
            kind, name, body = head[1], head[2], []
        elif is_text or not line.strip().startswith(("@", "#")):
            body.append(line)
    yield kind, name, body


def _examples(lines: Sequence[str]) -> Iterator[str]:
    starts = [at for at, line in enumerate(lines) if line.strip().startswith("Examples")]
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        names, *rows = [_cells(line) for line in lines[start + 1 : end] if line.strip().startswith("|")]
        for row in rows:
            text = "\n".join(lines[: starts[0]])
            for name, value in zip(names, row, strict=True):
                text = text.replace(f"<{name}>", value)
            yield text


def _cells(line: str) -> list[str]:
    hidden = line.strip().replace("\\|", "\0")
    return [cell.strip().replace("\0", "|") for cell in hidden.strip("|").split("|")]


def _steps(lines: Sequence[str]) -> list[Step]:
    found: list[Step] = []
    text: list[str] | None = None
    for line in lines:
        if line.strip() == '"""':
            if text is not None:
                found[-1].doc = textwrap.dedent("\n".join(text))
            text = [] if text is None else None
        elif text is not None:
            text.append(line)
        elif line.strip().startswith("|"):
            found[-1].table.append(_cells(line))
        elif step := _STEP.fullmatch(line):
            found.append(Step(step[1]))
    return found


def _scenario(id_: str, lines: Sequence[str]) -> Iterator[Scenario]:
    steps = _steps(lines)
    at = next((number for number, step in enumerate(steps) if step.text.startswith("executing query")), None)
    if at is None or WRITES.search(re.sub(r"'[^']*'", "", steps[at].doc)):
        return
    before, expected = steps[:at], steps[at + 1]
    setup = [step.doc for step in before if step.text.startswith("having executed")]
    graphs = (match[1] for step in before if (match := re.match(r"the (binary-tree-\d) graph", step.text)))
    given = {
        row[0]: plain(read_value(row[1])) for step in before if step.text.startswith("parameters") for row in step.table
    }
    fails = "should be raised" in expected.text
    columns, rows = (expected.table[0], expected.table[1:]) if expected.table and not fails else ([], [])
    yield Scenario(
        id_, setup, next(graphs, ""), given, steps[at].doc, fails, columns,
        [[read_value(cell) for cell in row] for row in rows],
        "in order" in expected.text, "ignoring element order for lists" in expected.text,
    )  # fmt: skip


def read_value(text: str) -> Any:
    """A value of the TCK: a list as ("list", …), a map, node, relationship and path likewise, numbers as floats."""
    return _Reader(text).value()


def plain(value: Any) -> Any:
    """A value as one of JSON."""
    kind, *parts = cast("tuple[Any, ...]", value) if isinstance(value, tuple) else ("",)
    if kind == "list":
        return [plain(each) for each in parts[0]]
    if kind == "map":
        return {name: plain(each) for name, each in parts[0]}
    return int(value) if isinstance(value, float) and value.is_integer() else cast("Any", value)


class _Reader:
    def __init__(self, text: str) -> None:
        self._text, self._at = text, 0

    def _match(self, pattern: str) -> str | None:
        found = re.compile(rf"\s*({pattern})").match(self._text, self._at)
        self._at = found.end() if found else self._at
        return found[1] if found else None

    def value(self) -> Any:
        """The value at this place."""
        if (quoted := self._match(r"'(?:\\.|[^'\\])*'")) is not None:
            return re.sub(r"\\(.)", lambda found: _ESCAPES.get(found[1], found[1]), quoted[1:-1])
        if self._match(r"\[\s*(?=:)"):
            return self._relationship()
        if self._match(r"\["):
            return "list", self._until("]")
        if self._match("<"):
            return self._path()
        if self._match(r"(?=\()") is not None:
            return self._node()
        if self._match(r"(?=\{)") is not None:
            return "map", self._properties()
        word = self._match(r"[\w.+-]+") or ""
        known = {"true": True, "false": False, "null": None}
        return known[word] if word in known else "NaN" if word == "NaN" else float(word)

    def _until(self, end: str) -> tuple[Any, ...]:
        found: list[Any] = []
        while self._match(re.escape(end)) is None:
            found.append(self.value())
            self._match(",")
        return tuple(found)

    def _properties(self) -> tuple[tuple[str, Any], ...]:
        found: list[tuple[str, Any]] = []
        if self._match(r"\{"):
            while self._match(r"\}") is None:
                name = (self._match(r"`[^`]*`|\w+") or "").strip("`")
                self._match(":")
                found.append((name, self.value()))
                self._match(",")
        return tuple(sorted(found, key=lambda each: each[0]))

    def _node(self) -> Any:
        self._match(r"\(")
        labels: list[str] = []
        while (label := self._match(r":\w+")) is not None:
            labels.append(label[1:])
        properties = self._properties()
        self._match(r"\)")
        return "node", tuple(sorted(labels)), properties

    def _relationship(self) -> Any:
        type_ = (self._match(r":\w+") or ":")[1:]
        properties = self._properties()
        self._match(r"\]")
        return "rel", type_, properties

    def _path(self) -> Any:
        steps = [self._node()]
        while self._match(">") is None:
            self._match(r"<?-\[\s*")
            steps.append(self._relationship())
            self._match("->?")
            steps.append(self._node())
        return "path", tuple(steps)
