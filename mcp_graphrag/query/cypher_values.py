"""Values of a query as SQL, and as values of another type."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from functools import partial
from itertools import count
from typing import NamedTuple

from mcp_graphrag.query.asked import Refused
from mcp_graphrag.query.cypher_types import ANY, BOOL, FLOAT, NULL, SCALARS, SQL_TYPES, Type
from mcp_graphrag.store.engine.statements import macro

_NO_TEXT = re.compile(r"[\0\ud800-\udfff]")  # which SQL cannot have
MAX_SHORT = 60  # characters of SQL that may stand twice
_IN_WORDS = {
    "int": "A whole number", "float": "A number", "str": "A string", "bool": "A truth value", "list": "A list",
    "node": "A node", "rel": "A relationship", "path": "A path", "map": "A map", "any": "A property",
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

    def as_json(self) -> "Value":
        """As JSON; null stays null. Raises Refused for nodes, relationships and paths."""
        Type.unified([self.type, ANY])
        return self if self.type in (ANY, NULL) else Value(f"to_json({self.sql})", ANY)

    def converted(self, type_: Type) -> str:
        """The SQL of the value as one of another type, which `unified` gave."""
        if self.type in (type_, NULL) or type_ == NULL:
            return self.sql
        if type_ == ANY:
            return self.as_json().sql
        if self.type.of == NULL:
            return f"CAST({self.sql} AS {SQL_TYPES[type_.of.kind]}[])" if type_.of.kind in SQL_TYPES else self.sql
        name = fresh()
        return f"list_transform({self.sql}, lambda {name}: {Value(name, self.type.of).converted(type_.of)})"

    def expected(self, kind: str) -> "Value":
        """As a value of a kind, or null; where its type is known only later, another kind ends the query."""
        own = self.type.kind
        if own in {kind, "null"}:
            return self
        if own == "any" and kind in {*SCALARS, "list"}:
            return Value(call(f"need_{kind}", self), ANY.listed if kind == "list" else Type(kind))
        if (own, kind) == ("int", "float"):
            return Value(f"CAST({self.sql} AS DOUBLE)", FLOAT)
        hint = "Write a comparison, as in n.name = 'A' OR n.name = 'B'." if kind == "bool" else ""
        raise Refused(f"{_IN_WORDS[kind]} is expected, and this is {_IN_WORDS.get(own, own).lower()}.", hint)


NOTHING = Value("NULL", NULL)
UNKNOWN = Value("CAST(NULL AS BOOLEAN)", BOOL)


def text(value: str, quote: str = "'") -> str:
    """A string of SQL."""
    if _NO_TEXT.search(value):
        raise Refused("A text or name with a zero character or half of a surrogate pair is not read.")
    return quote + value.replace(quote, 2 * quote) + quote


def quoted(name: str) -> str:
    """An identifier of SQL."""
    return text(name, '"')


def struct(entries: Iterable[tuple[str, str]]) -> str:
    """The SQL of a map with the keys."""
    parts = ", ".join(f"{text(key)}: {sql}" for key, sql in entries)
    return f"{{{parts}}}" if parts else "CAST('{}' AS JSON)"


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
    values = [each for each in parameters if each not in words]
    given |= {parameter: each.sql for parameter, each in zip(values, arguments, strict=True)}
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


def with_ctes(ctes: Mapping[str, str], select: str) -> str:
    """A SELECT with common table expressions; what stands more than once is computed once."""
    text = " ".join([*ctes.values(), select])
    uses = {name: len(re.findall(rf"\b{name}\b", text)) for name in ctes}
    named = [f"{name} AS {'' if uses[name] > 1 else 'NOT '}MATERIALIZED ({sql})" for name, sql in ctes.items()]
    return f"WITH {', '.join(named)} {select}" if named else select
