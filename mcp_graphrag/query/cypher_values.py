"""The types of values in a query, and SQL that gives values of one as values of another."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from itertools import count
from typing import NamedTuple, overload

from mcp_graphrag.query.asked import Refused


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
        return self.kind in _OF_GRAPH or any(each.holds_graph for each in inner)


INT, FLOAT, STR, BOOL = Type("int"), Type("float"), Type("str"), Type("bool")
NULL, ANY, NODE, REL, PATH = Type("null"), Type("any"), Type("node"), Type("rel"), Type("path")
_OF_GRAPH = frozenset({"node", "rel", "path"})
SCALARS = frozenset({"int", "float", "str", "bool"})
NUMBERS = frozenset({"int", "float"})
SQL_TYPES = {"int": "BIGINT", "float": "DOUBLE", "str": "VARCHAR", "bool": "BOOLEAN", "any": "JSON"}


class Value(NamedTuple):
    """An expression of SQL and its type. A node or relationship of a pattern has the `alias` of its row."""

    sql: str
    type: Type
    alias: str = ""


NOTHING = Value("NULL", NULL)


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


def unified(types: Iterable[Type]) -> Type:
    """The type that values of all the types can have."""
    found = NULL
    for each in types:
        found = _both(found, each)
    return found


def _both(one: Type, other: Type) -> Type:
    if other in (one, NULL):
        return one
    if one == NULL:
        return other
    if one.kind == other.kind == "list":
        return list_of(_both(one.of, other.of))
    if one.kind == other.kind == "map" and [key for key, _ in one.fields] == [key for key, _ in other.fields]:
        return map_of(
            (key, _both(left, right)) for (key, left), (_, right) in zip(one.fields, other.fields, strict=True)
        )
    if one.holds_graph or other.holds_graph:
        raise Refused("Nodes, relationships or paths mixed with other values are not supported.")
    return ANY


def sql_type(type_: Type) -> str:
    """The type of SQL for a type without nodes."""
    if type_.kind == "list":
        return f"{sql_type(type_.of)}[]"
    if type_.kind == "map" and type_.fields:
        return f"STRUCT({', '.join(f'{quoted(key)} {sql_type(each)}' for key, each in type_.fields)})"
    return SQL_TYPES.get(type_.kind, "JSON")


def converted(value: Value, type_: Type) -> str:
    """The SQL of a value as one of another type, which `unified` gave."""
    if value.type in (type_, NULL) or type_ == NULL:
        return value.sql
    if type_ == ANY:
        return as_json(value)
    if value.type.kind == "list":
        if value.type.of == NULL:
            return value.sql if type_.holds_graph else f"CAST({value.sql} AS {sql_type(type_)})"
        name = fresh()
        return f"list_transform({value.sql}, lambda {name}: {converted(Value(name, value.type.of), type_.of)})"
    if value.type.kind == "map":
        name = fresh()
        parts = [
            f"{text(key)}: {converted(Value(f'{name}.{quoted(key)}', own), each)}"
            for (key, own), (_, each) in zip(value.type.fields, type_.fields, strict=True)
        ]
        return f"list_transform([{value.sql}], lambda {name}: {{{', '.join(parts)}}})[1]"
    raise Refused("A value of this type is not supported here.")


def as_json(value: Value) -> str:
    """The SQL of a value as JSON; null stays null."""
    if value.type.holds_graph:
        raise Refused("Nodes, relationships or paths mixed with other values are not supported.")
    return value.sql if value.type in (ANY, NULL) else f"to_json({value.sql})"


_numbers: ContextVar[Iterator[int]] = ContextVar("numbers")


def number_names_anew() -> None:
    """Begin a query, whose names are numbered from 1."""
    _numbers.set(count(1))


def fresh(prefix: str = "x") -> str:
    """A name that no other part of a query has."""
    return f"_{prefix}{next(_numbers.get())}"


@overload
def bound(values: tuple[Value], use: Callable[[Value], str]) -> str: ...


@overload
def bound(values: tuple[Value, Value], use: Callable[[Value, Value], str]) -> str: ...


@overload
def bound(values: tuple[Value, Value, Value], use: Callable[[Value, Value, Value], str]) -> str: ...


def bound(values: Sequence[Value], use: Callable[..., str]) -> str:
    """What `use` makes of the values, each computed once: those of some length by a name."""
    long = [each for each in values if len(each.sql) > 60]
    if not long or "SELECT" in "".join(each.sql for each in values):
        return use(*values)
    name = fresh("b")
    struct = ", ".join(f"v{at}: {each.sql}" for at, each in enumerate(values))
    inner = use(*(Value(f"{name}.v{at}", each.type) for at, each in enumerate(values)))
    return f"list_transform([{{{struct}}}], lambda {name}: {inner})[1]"


def kind_of(sql: str) -> str:
    """The SQL for the type of a JSON value, null for null."""
    return f"json_type({sql})"


_INTS = "('BIGINT', 'UBIGINT', 'HUGEINT')"
_NUMS = "('BIGINT', 'UBIGINT', 'HUGEINT', 'DOUBLE')"


def is_int(sql: str) -> str:
    """Whether a JSON value is an integer."""
    return f"{kind_of(sql)} IN {_INTS}"


def is_number(sql: str) -> str:
    """Whether a JSON value is a number."""
    return f"{kind_of(sql)} IN {_NUMS}"


def number(sql: str) -> str:
    """A JSON number as a float, null for anything else."""
    return f"(CASE WHEN {is_number(sql)} THEN TRY_CAST({sql} AS DOUBLE) END)"


def integer(sql: str) -> str:
    """A JSON integer, null for anything else."""
    return f"(CASE WHEN {is_int(sql)} THEN TRY_CAST({sql} AS BIGINT) END)"


def string(sql: str) -> str:
    """A JSON string, null for anything else."""
    return f"(CASE WHEN {kind_of(sql)} = 'VARCHAR' THEN {sql}->>'$' END)"


def boolean(sql: str) -> str:
    """A JSON truth value, null for anything else."""
    return f"(CASE WHEN {kind_of(sql)} = 'BOOLEAN' THEN TRY_CAST({sql} AS BOOLEAN) END)"


def fails(message: str) -> str:
    """SQL that ends the query with a sentence when it is reached."""
    return f"error({text(message)})"


def json_items(sql: str) -> str:
    """The items of a JSON list; ends the query for any other value but null."""
    wrong = fails("A list was expected, and a value is none.")
    return f"(CASE WHEN {kind_of(sql)} = 'ARRAY' THEN CAST({sql} AS JSON[]) WHEN {sql} IS NOT NULL THEN {wrong} END)"


def json_path(name: str) -> str:
    """The path of a key of a JSON object, as a string of SQL."""
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return text(f'$."{escaped}"')
