"""The types of values in a query, and SQL that gives values of one as values of another."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial, reduce
from itertools import count
from typing import NamedTuple

from mcp_graphrag.query.asked import Refused
from mcp_graphrag.store.engine.statements import macro

MAX_SHORT = 60  # characters of SQL that may stand twice


@dataclass(frozen=True)
class Type:
    """A type of Cypher: `kind` is that of a scalar, "any" for JSON whose type only the value tells, "list", "map"…

    A list has an `item`, a map with known keys has `fields`.
    """

    kind: str
    item: "Type | None" = None
    fields: tuple[tuple[str, "Type"], ...] = ()

    @property
    def of(self) -> "Type":
        """The type of the items."""
        return self.item or NULL

    @property
    def holds_graph(self) -> bool:
        """Whether values of it are or have nodes, relationships or paths."""
        inner = [self.item] if self.item else [each for _, each in self.fields]
        return self.kind in {"node", "rel", "path"} or any(each.holds_graph for each in inner)


INT, FLOAT, STR, BOOL = Type("int"), Type("float"), Type("str"), Type("bool")
NULL, ANY, NODE, REL, PATH = Type("null"), Type("any"), Type("node"), Type("rel"), Type("path")
SCALARS = frozenset({"int", "float", "str", "bool"})
NUMBERS = frozenset({"int", "float"})
SQL_TYPES = {"int": "BIGINT", "float": "DOUBLE", "str": "VARCHAR", "bool": "BOOLEAN", "any": "JSON"}
_IN_WORDS = {
    "int": "A whole number", "float": "A number", "str": "A string", "bool": "A truth value", "list": "A list",
    "node": "A node", "rel": "A relationship", "path": "A path",
}  # fmt: skip


class Value(NamedTuple):
    """An expression of SQL and its type.

    A node or relationship is a map, or it stands in columns of a `row`: the alias of a relation and what the names of
    the columns begin with.
    """

    sql: str
    type: Type
    row: tuple[str, str] | None = None

    def column(self, name: str) -> str:
        """A column of a node or relationship."""
        return f"{self.row[0]}.{quoted(self.row[1] + name)}" if self.row else f"{self.sql}.{quoted(name)}"

    @property
    def id(self) -> str:
        """The id of a node or relationship."""
        return self.column("id")


NOTHING = Value("NULL", NULL)
UNKNOWN = Value("CAST(NULL AS BOOLEAN)", BOOL)


def list_of(item: Type) -> Type:
    """The type of lists of an item."""
    return Type("list", item)


def map_of(fields: Iterable[tuple[str, Type]]) -> Type:
    """The type of maps with these keys."""
    return Type("map", fields=tuple(fields))


def text(value: str) -> str:
    """A string of SQL."""
    if "\0" in value:
        raise Refused("A string with a zero character is not read.")
    return "'" + value.replace("'", "''") + "'"


def quoted(name: str) -> str:
    """An identifier of SQL."""
    if "\0" in name:
        raise Refused("A name with a zero character is not read.")
    return '"' + name.replace('"', '""') + '"'


def struct(entries: Iterable[tuple[str, str]]) -> str:
    """The SQL of a map with the keys."""
    parts = ", ".join(f"{text(key)}: {sql}" for key, sql in entries)
    return f"{{{parts}}}" if parts else "CAST('{}' AS JSON)"


def unified(types: Iterable[Type]) -> Type:
    """The type that values of all the types can have."""
    return reduce(_both, types, NULL)


def _both(one: Type, other: Type) -> Type:
    if other in (one, NULL):
        return one
    if one == NULL:
        return other
    if one.kind == other.kind == "list":
        return list_of(_both(one.of, other.of))
    if one.holds_graph or other.holds_graph:
        raise Refused("Nodes, relationships or paths mixed with other values are not supported.")
    return ANY


def converted(value: Value, type_: Type) -> str:
    """The SQL of a value as one of another type, which `unified` gave."""
    if value.type in (type_, NULL) or type_ == NULL:
        return value.sql
    if type_ == ANY:
        return as_json(value)
    if value.type.of == NULL:
        return f"CAST({value.sql} AS {SQL_TYPES[type_.of.kind]}[])" if type_.of.kind in SQL_TYPES else value.sql
    name = fresh()
    return f"list_transform({value.sql}, lambda {name}: {converted(Value(name, value.type.of), type_.of)})"


def as_json(value: Value) -> str:
    """The SQL of a value as JSON; null stays null."""
    if value.type.holds_graph:
        raise Refused("Nodes, relationships or paths mixed with other values are not supported.")
    return value.sql if value.type in (ANY, NULL) else f"to_json({value.sql})"


def expected(value: Value, kind: str) -> Value:
    """A value as one of a kind, or null; one whose type is known only later ends the query where it is of another."""
    own = value.type.kind
    if own in {kind, "null"}:
        return value
    if own == "any" and kind in {*SCALARS, "list"}:
        return Value(call(f"need_{kind}", value), list_of(ANY) if kind == "list" else Type(kind))
    if (own, kind) == ("int", "float"):
        return Value(f"CAST({value.sql} AS DOUBLE)", FLOAT)
    raise Refused(f"{_IN_WORDS[kind]} is expected, and this is of type {own}.")


_numbers: ContextVar[Iterator[int]] = ContextVar("numbers")


def number_names_anew() -> None:
    """Begin a query, whose names are numbered from 1."""
    _numbers.set(count(1))


def fresh(prefix: str = "x") -> str:
    """A name that no other part of a query has."""
    return f"_{prefix}{next(_numbers.get())}"


def bound(values: Sequence[Value], use: Callable[..., str]) -> str:
    """What `use` makes of the values, each computed once: those of some length by a name."""
    if all(len(each.sql) <= MAX_SHORT for each in values) or any("SELECT" in each.sql for each in values):
        return use(*values)
    name = fresh("b")
    held = ", ".join(f"v{at}: {each.sql}" for at, each in enumerate(values))
    inner = use(*(Value(f"{name}.v{at}", each.type) for at, each in enumerate(values)))
    return f"list_transform([{{{held}}}], lambda {name}: {inner})[1]"


def expanded(name: str, *arguments: Value, **words: str) -> str:
    """The SQL of a macro of `store/sql/query/macros.sql`. `words` are operators and other parts that are no values.

    `{_}` and `{__}` in a macro are names of lambdas.
    """
    parameters, body = macro(name)
    given = {each: fresh("l") for each in ("_", "__")} | words
    given |= {parameter: each.sql for parameter, each in zip(parameters, arguments, strict=True)}
    return re.sub(r"\{(\w+)\}", lambda found: given[found[1]], body)  # in one pass: a value may hold braces


def call(name: str, *arguments: Value, **words: str) -> str:
    """The SQL of a macro, in which an argument that stands twice is computed once."""
    parameters, body = macro(name)
    stands_twice = any(body.count(f"{{{each}}}") > 1 for each in parameters)
    make = partial(expanded, name, **words)
    return bound(arguments, make) if stands_twice else make(*arguments)


def json_path(name: str) -> str:
    """The path of a key of a JSON object, as a string of SQL."""
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return text(f'$."{escaped}"')
