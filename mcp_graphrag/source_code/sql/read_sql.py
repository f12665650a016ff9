"""What the statements of SQL create, alter, drop, read, write and call."""

import re
import tomllib
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any, Literal, NamedTuple, TypeAlias

from mcp_graphrag.source_code.sql.split_sql import Token, statements_of

Action: TypeAlias = Literal["creates", "alters", "drops", "renames"]
Use: TypeAlias = Literal["reads", "writes_to", "calls", "depends_on", "uses"]
_KEPT_FILES = 20_000
MAX_BODIES = 3  # bodies in each other that are read
MAX_MODIFIERS = 16  # words and names between CREATE and the kind of what is created
_GIVEN: Mapping[str, Any] = tomllib.loads(
    files("mcp_graphrag.source_code.sql").joinpath("words.toml").read_text(encoding="utf-8")
)
_TYPES: Mapping[str, str] = _GIVEN["types"]
_WORDS: Mapping[str, frozenset[str]] = {key: frozenset(words) for key, words in _GIVEN.items() if key != "types"}
_ACTIONS: Mapping[str, Action] = {
    "add": "creates", "drop": "drops", "rename": "renames", "change": "renames", "alter": "alters", "modify": "alters"
}  # fmt: skip
_CLAUSES = frozenset({"join", "using", "references", "::", "update", "from", "into", "truncate"})
_DEFAULT_SCHEMAS = frozenset({"public", "dbo", "main"})  # of PostgreSQL, SQL Server, SQLite and DuckDB
_NAMED = re.compile(r"^--[ \t]*:?name:?[ \t]+(?P<name>[^\W\d][\w-]*)", re.MULTILINE)
_BARE = re.compile(
    r"^--[ \t]*(?P<name>[^\W\d]\w*)[ \t]*(?:--)?[ \t]*\n(?=(?:[ \t]*(?:--[^\n]*)?\n){0,20}+\s*+"
    r"(?:select|insert|update|delete|with|merge|call|from)\b)",
    re.MULTILINE | re.IGNORECASE,
)


class SqlName(NamedTuple):
    """A name as written, without quotes and the schema that is the default, and its span."""

    name: str
    start: int
    end: int


class SqlChange(NamedTuple):
    """What a statement does to an object, whose type is one of the ontology of code.

    The name of a column and a trigger has that of the table in front: "users.email". `new` is the name that a renamed
    object gets; one that `replaces` is created in place of one of its name.
    """

    action: Action
    type: str
    name: SqlName
    new: str = ""
    replaces: bool = False


class SqlUse(NamedTuple):
    """A name that is used: what is read and written is a table or view; `uses` is of a data type."""

    relation: Use
    name: SqlName


class SqlStatement(NamedTuple):
    """A statement. The uses are those of the first object that it changes, else of `query`, else of the file."""

    start: int
    end: int
    changes: Sequence[SqlChange]
    uses: Sequence[SqlUse]
    query: SqlName | None = None


@dataclass(frozen=True)
class SqlFile:
    """The statements of a text. `unread` counts those of which nothing is read, by their first words."""

    statements: Sequence[SqlStatement]
    queries: Sequence[SqlName]
    unread: Mapping[str, int]


@lru_cache(maxsize=_KEPT_FILES)
def read_sql(text: str) -> SqlFile:
    """As `parse_sql`, kept until `forget_sql`."""
    return parse_sql(text)


def forget_sql() -> None:
    """Release the files that `read_sql` keeps."""
    read_sql.cache_clear()


def parse_sql(text: str) -> SqlFile:
    """The statements of a text in any dialect; what cannot be read is counted, and the rest is read.

    A query has the name in the comment "-- name: get_user" in front of it, or "-- get_user" where all statements of
    the text have such a comment and none is a definition.
    """
    found = _parse(text, [_name_of(each) for each in _NAMED.finditer(text)])
    if not found.queries:
        bare = [_name_of(each) for each in _BARE.finditer(text)]
        if len({each.name for each in bare}) == len(bare) > 1:
            named = _parse(text, bare)
            if len(named.statements) == len(bare) and all(each.query and not each.changes for each in named.statements):
                return named
    return found


def sql_definitions(text: str) -> list[tuple[int, int, int, int]]:
    """The definitions and named queries of a text: start of the name, 1 for a column or else 0, and span."""
    read, found = parse_sql(text), dict[int, tuple[int, int, int]]()
    for each in read.statements:
        if each.query:
            found[each.query.start] = 0, each.query.start, each.end
        for change in each.changes:
            if change.action == "creates":
                is_part = change.type == "Column"
                found[change.name.start] = is_part, *(change.name[1:] if is_part else each[:2])
    return [(at, *found[at]) for at in sorted(found)]


def _name_of(found: re.Match[str]) -> SqlName:
    return SqlName(found["name"], *found.span("name"))


def _parse(text: str, queries: Sequence[SqlName]) -> SqlFile:
    starts = [each.start for each in queries]
    breaks = frozenset(text.rfind("\n", 0, start) + 1 for start in starts)
    statements, unread = list[SqlStatement](), Counter[str]()
    rows = ""  # the table of which there were rows just before
    for tokens in statements_of(text, breaks):
        at = bisect_right(starts, tokens[0].start) - 1
        read, before, rows = _Statement(text, tokens).read(), rows, ""
        if read is None:
            unread[" ".join(each.text for each in tokens[:2] if each.kind == "word").upper() or "?"] += 1
            continue
        if tokens[-1].text == "values" and len(read.uses) == 1 and at < 0:
            rows = read.uses[0].name.name
        if rows and rows == before:
            statements[-1] = statements[-1]._replace(end=read.end)
        else:
            statements.append(read._replace(query=queries[at] if at >= 0 else None))
    return SqlFile(statements, queries, unread)


class _Statement:
    """A statement while it is read; an `at` is the place of a token."""

    def __init__(self, text: str, tokens: Sequence[Token], depth: int = 0) -> None:
        self._text, self._tokens, self._depth = text, tokens, depth
        self._close: dict[int, int] = {}
        opened: list[int] = []
        for at, token in enumerate(tokens):
            if token.text == "(":
                opened.append(at)
            elif token.text == ")" and opened:
                self._close[opened.pop()] = at
        self._ctes = set(self._common_tables())
        self._used: dict[int, SqlUse] = {}

    def read(self) -> SqlStatement | None:
        """What it says, None where its first words are not known."""
        changes, first = list[SqlChange](), self._word(0)
        if first in {"create", "alter", "drop"}:
            kind = self._kind()
            if not kind:
                return None
            made = {"create": self._create, "alter": self._alter, "drop": self._drop}[first](kind)
            changes = list(made)
        elif first in _WORDS["read"]:
            self._use_from(0)
        elif first not in _WORDS["silent"]:
            return None
        return SqlStatement(self._tokens[0].start, self._tokens[-1].end, changes, self.uses())

    def uses(self, start: int | None = None) -> list[SqlUse]:
        """What was used so far, in order; from a place on, what is used there too."""
        if start is not None:
            self._use_from(start)
        return [self._used[at] for at in sorted(self._used)]

    def _word(self, at: int) -> str:
        """The token at a place as it is compared, "" for what is quoted and behind the end."""
        if not 0 <= at < len(self._tokens) or self._tokens[at].kind not in {"word", "other", "place"}:
            return ""
        return self._tokens[at].text

    def _is_name(self, at: int) -> bool:
        return at < len(self._tokens) and self._tokens[at].kind in {"word", "quoted"}

    def _written(self, at: int) -> str:
        """A name as written, without its quotes."""
        _, _, start, end = self._tokens[at]
        return self._text[start:end] if self._tokens[at].kind == "word" else self._text[start + 1 : end - 1]

    def _behind(self, at: int) -> int:
        """The place behind a token, or behind the parentheses that it opens."""
        return self._close.get(at, at) + 1

    def _kind(self) -> int:
        """The place of the word for the kind of object that is created, altered or dropped, 0 for other kinds."""
        for at, token in enumerate(self._tokens[1:MAX_MODIFIERS], start=1):
            if token.kind == "word" and token.text in _TYPES:
                return at
            if token.kind == "word" and token.text not in _WORDS["modifiers"]:
                return 0
        return 0

    def _name(self, at: int) -> tuple[SqlName | None, int]:
        """The name at a place, behind words such as "if not exists", and the place behind it."""
        while self._word(at) in _WORDS["optional"]:
            at += 1
        parts, start, end = list[str](), at, at
        if self._word(at) in _WORDS["reserved"] and self._word(at + 1) != ".":
            return None, at
        while self._is_name(at) or (at < len(self._tokens) and self._tokens[at].kind == "place"):
            parts.append(self._written(at) if self._is_name(at) else "")
            end = at
            at += 2
            if self._word(at - 1) != ".":
                break
        while len(parts) > 1 and (not parts[0] or parts[0].lower() in _DEFAULT_SCHEMAS):
            del parts[0]
        if not parts or not all(parts):
            return None, end + 1
        return SqlName(".".join(parts), self._tokens[start].start, self._tokens[end].end), end + 1

    def _elements(self, at: int, end: int) -> Iterator[int]:
        """The places at which what stands between commas begins."""
        is_first = True
        while at < end:
            if is_first:
                yield at
            is_first, at = self._word(at) == ",", self._behind(at)

    def _create(self, kind: int) -> Iterator[SqlChange]:
        word = self._word(kind)
        name, at = self._name(kind + 1) if self._word(kind + 1) != "on" else (None, kind + 1)
        if word in {"trigger", "index"}:
            on = next((place for place in range(at, len(self._tokens)) if self._word(place) == "on"), at)
            table, at = self._name(on + 1)
            self._use("depends_on", table, on)
            name = _of_table(table, name) if word == "trigger" and self._word(kind - 1) != "event" else name
        if name is None:
            return
        replaces = "replace" in {token.text for token in self._tokens[1:kind]}
        yield SqlChange("creates", _TYPES[word], name, replaces=replaces)
        if word == "table":
            yield from self._columns(name, at)
        elif _TYPES[word] == "Function":
            self._signature(at)
        if word != "index":
            self._use_from(at)

    def _columns(self, table: SqlName, at: int) -> Iterator[SqlChange]:
        """The columns between the parentheses behind the name of a table."""
        if self._word(at) in {"partition", "inherits"}:
            self._use("depends_on", self._name(at + 2)[0], at)
        if self._word(at) != "(" or self._word(at + 1) in _WORDS["query"]:
            return
        is_mysql = any(token.text[:1] == "`" or token.text == "engine" for token in self._tokens)
        for start in self._elements(at + 1, self._behind(at) - 1):
            word = self._word(start)
            if word == "like":
                self._use("depends_on", self._name(start + 1)[0], start)
            is_column = word not in _WORDS["constraints"] and not (is_mysql and word in _WORDS["keys"])
            if is_column or (word == "period" and self._word(start + 1) != "for"):
                yield from self._column("creates", table, start)

    def _column(self, action: Action, table: SqlName, at: int, new: str = "") -> Iterator[SqlChange]:
        if self._is_name(at):
            _, _, start, end = self._tokens[at]
            yield SqlChange(action, "Column", SqlName(f"{table.name}.{self._written(at)}", start, end), new)
            self._use("uses", self._name(at + 1)[0] if action == "creates" else None, at + 1)

    def _signature(self, at: int) -> None:
        """The types of the parameters, each the last word in front of its default, and that of the result."""
        if self._word(at) == "(":
            for end in range(at + 1, self._behind(at)):
                is_last = self._word(end) in {",", ")", "default", "="} and self._is_name(end - 1)
                if is_last or (self._word(end) == "[" and self._is_name(end - 1)):
                    last = end - 3 if self._word(end - 2) == "." else end - 1
                    self._use("uses", self._name(last)[0], last)
            at = self._behind(at)
        if self._word(at) == "returns":
            at += 2 if self._word(at + 1) == "setof" else 1
            self._use("uses", self._name(at)[0], at)

    def _alter(self, kind: int) -> Iterator[SqlChange]:
        type_ = _TYPES[self._word(kind)]
        name, at = self._name(kind + 1)
        if type_ == "Trigger" and self._word(at) == "on":
            table, at = self._name(at + 1)
            name = _of_table(table, name)
        at = self._behind(at) if self._word(at) == "(" else at
        if name is None or self._word(at) == "owner":
            return
        if self._word(at) == "rename" and self._word(at + 1) in {"to", "as"}:
            new, _ = self._name(at + 2)
            schema = name.name.rpartition(".")[0]
            if new is not None:
                yield SqlChange("renames", type_, name, f"{schema}.{new.name}" if schema else new.name)
            return
        yield SqlChange("alters", type_, name)
        if type_ == "Table":
            for start in self._elements(at, len(self._tokens)):
                yield from self._action(name, start)
            self._use_from(at)

    def _action(self, table: SqlName, at: int) -> Iterator[SqlChange]:
        """What one action of ALTER TABLE does to columns."""
        verb, action = self._word(at), _ACTIONS.get(self._word(at))
        at += 1
        if action is None or self._word(at) in _WORDS["constraints"] | _WORDS["keys"] | {"partition"}:
            return
        while self._word(at) in _WORDS["optional"] | {"column"}:
            at += 1
        if action == "renames":
            new = at + (2 if self._word(at + 1) == "to" else 1)
            if self._is_name(new) and (verb == "change" or new == at + 2):
                yield from self._column(action, table, at, f"{table.name}.{self._written(new)}")
        elif self._word(at) == "(":
            for start in self._elements(at + 1, self._behind(at) - 1):
                yield from self._column(action, table, start)
        else:
            yield from self._column(action, table, at)

    def _drop(self, kind: int) -> Iterator[SqlChange]:
        type_ = _TYPES[self._word(kind)]
        for start in self._elements(kind + 1, len(self._tokens)):
            name, at = self._name(start)
            if type_ == "Trigger" and self._word(at) == "on":
                name = _of_table(self._name(at + 1)[0], name)
            if name is not None:
                yield SqlChange("drops", type_, name)

    def _use(self, relation: Use, name: SqlName | None, at: int) -> None:
        if name is not None and name.name not in self._ctes:
            self._used.setdefault(at, SqlUse(relation, name))

    def _common_tables(self) -> Iterator[str]:
        """The names that WITH gives to queries."""
        opened = {close: at for at, close in self._close.items()}
        for at in opened.values():
            before = at - 1
            while self._word(before) in {"materialized", "not"}:
                before -= 1
            name = opened.get(before - 1, before) - 1
            if self._word(before) == "as" and self._word(at + 1) in _WORDS["query"] and self._is_name(max(name, 0)):
                yield self._written(max(name, 0))

    def _use_from(self, at: int) -> None:
        """What is read, written and called from a place on."""
        inside: list[bool] = []  # of the parentheses around a place, whether a FROM there is one of a query
        for place in range(at, len(self._tokens)):
            token, word = self._tokens[place], self._word(place)
            if word == "(":
                inside.append(self._word(place + 1) in _WORDS["query"])
            elif word == ")" and inside:
                inside.pop()
            elif token.kind in {"body", "string"}:
                self._read_body(place)
            elif word == "from" and self._word(place - 1) not in {"delete", "distinct"}:
                if inside[-1] if inside else self._word(0) != "copy":
                    self._tables(place + 1)
            elif word in _CLAUSES or place == 0:
                self._clause(word, place)
            elif token.kind in {"word", "quoted"} and self._word(place - 1) != "." and place not in self._used:
                name, behind = self._name(place)
                if self._word(behind) == "(":
                    self._use("calls", name, place)

    def _clause(self, word: str, at: int) -> None:
        """What a word says of the name behind it."""
        before, (name, behind) = self._word(at - 1), self._name(at + 1)
        if word == "join" or (word == "using" and self._word(0) in {"delete", "merge"} and self._word(at + 1) != "("):
            self._tables(at + 1)
        elif word == "references":
            self._use("depends_on", name, at + 1)
        elif word == "::":
            self._use("uses", name, at + 1)
        elif word == "update":
            behind += self._word(behind) == "as"
            if {self._word(behind), self._word(behind + 1)} & {"set", "join", "inner"}:
                self._use("writes_to", name, at + 1)
        elif word == "copy" and at == 0:
            behind = self._behind(behind) if self._word(behind) == "(" else behind
            self._use("reads" if self._word(behind) == "to" else "writes_to", name, at + 1)
        elif word == "refresh" and at == 0:  # MATERIALIZED VIEW
            self._use("writes_to", self._name(at + 3)[0], at + 3)
        elif (
            (word, before) == ("from", "delete")
            or (word == "into" and before in _WORDS["before_into"])
            or word == "truncate"
        ):
            self._use("writes_to", name, at + 1)

    def _read_body(self, at: int) -> None:
        """What the statements of a body use; their places are behind those of all tokens."""
        kind, text, start, end = self._tokens[at]
        if self._depth >= MAX_BODIES or (kind == "string" and (self._word(at - 1) != "as" or " " not in text)):
            return
        inset = kind == "string"
        for tokens in statements_of(self._text, start=start + inset, end=end - inset):
            for use in _Statement(self._text, tokens, self._depth + 1).uses(0):
                self._used[len(self._tokens) + use.name.start] = use

    def _tables(self, at: int) -> None:
        """The tables and functions of a list behind FROM or JOIN, each with its alias."""
        behind = at - 1
        while behind == at - 1 or self._word(behind) == ",":
            at = behind + 1
            name, behind = self._name(at + (self._word(at) == "lateral"))
            if self._word(behind) == "(":
                self._use("calls", name, at)
                behind = self._behind(behind)
            else:
                self._use("reads", name, at)
            behind += self._word(behind) == "as"
            if self._is_name(behind) and self._word(behind) not in _WORDS["reserved"]:
                behind += 1
            if self._word(behind) == "(":
                behind = self._behind(behind)


def _of_table(table: SqlName | None, name: SqlName | None) -> SqlName | None:
    """The name of a trigger with that of its table in front."""
    return name._replace(name=f"{table.name}.{name.name}") if table and name else name
