"""The functions of Cypher that a query may call; no other can be reached."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from mcp_graphrag.query.asked import Refused
from mcp_graphrag.query.cypher_types import ANY, BOOL, FLOAT, INT, NODE, NULL, REL, STR, Type
from mcp_graphrag.query.cypher_values import NOTHING, Value, call, text
from mcp_graphrag.query.scope import Scope

MAX_RANGE, MAX_INNER_RANGE = 10_000, 100  # numbers of a range(), and of one for each item of a list
SAME, ITEM = Type("same"), Type("item")  # the type of the first argument, that of its items


class Form(NamedTuple):
    """A way to call a function: the kinds of its arguments, its type, and SQL with {0} for the first, or a macro."""

    takes: str
    gives: Type
    sql: str


def applied(name: str, values: Sequence[Value], scope: Scope) -> Value:
    """What a function gives of its arguments, null of null. Raises Refused for one that is none, or for others."""
    if (of_graph := _OF_GRAPH.get(name)) is not None and len(values) == 1:
        return of_graph(scope, values[0]) if values[0].type != NULL else NOTHING
    forms = [(form, form.takes.split()) for form in FUNCTIONS.get(name, ()) if len(form.takes.split()) == len(values)]
    if not forms:
        raise Refused(f"The function {name}() is not known with {len(values)} arguments.", f"Known are: {in_words()}.")
    if any(each.type == NULL for each in values):
        return NOTHING
    kind = values[0].type.kind
    if name == "size" and kind == "bool":
        raise Refused(
            "size() is asked of a condition.", "Write COUNT { (a)-[:calls]->() } for the matches of a pattern."
        )
    # The form for this kind, else that for any; else the first, which says what it expects.
    form, takes = min(forms, key=lambda each: [kind, "any", each[1][0]].index(each[1][0]))
    given = [
        scope.limited(value.as_json() if wanted == "any" else value.expected(wanted))
        for value, wanted in zip(values, takes, strict=True)
    ]
    type_ = {SAME: given[0].type, ITEM: given[0].type.of}.get(form.gives, form.gives)
    most = str(MAX_INNER_RANGE if scope.local else MAX_RANGE)
    is_sql = "(" in form.sql or "{" in form.sql
    return Value(form.sql.format(*(each.sql for each in given)) if is_sql else call(form.sql, *given, most=most), type_)


def _of(kind: str, gives: Type, **functions: str) -> Mapping[str, Sequence[Form]]:
    """Functions of one argument."""
    return {name: [Form(kind, gives, sql)] for name, sql in functions.items()}


FUNCTIONS: Mapping[str, Sequence[Form]] = {
    **_of("float", FLOAT, ceil="ceil({0})", floor="floor({0})", sqrt="square_root"),
    **_of("float", FLOAT, exp="exp({0})", log="logarithm"),
    **_of("str", STR, tolower="lower({0})", toupper="upper({0})", trim="trim({0})"),
    **_of("str", STR, ltrim="ltrim({0})", rtrim="rtrim({0})"),
    **_of("path", NODE.listed, nodes="{0}.nodes"), **_of("path", REL.listed, relationships="{0}.rels"),
    **_of("path", INT, length="len({0}.rels)"), **_of("float", INT, sign="CAST(sign({0}) AS BIGINT)"),
    **_of("list", ITEM, head="{0}[1]", last="{0}[-1]"), **_of("list", SAME, tail="list_slice({0}, 2, len({0}))"),
    **_of("any", INT, tointeger="json_to_int"), **_of("any", FLOAT, tofloat="json_to_float"),
    **_of("any", STR, tostring="json_to_text"), **_of("any", BOOL, toboolean="json_to_bool"),
    "abs": [Form("int", INT, "abs({0})"), Form("float", FLOAT, "abs({0})"), Form("any", ANY, "json_absolute")],
    "range": [Form("int int", INT.listed, "range_by_one"), Form("int int int", INT.listed, "bounded_range")],
    "left": [Form("str int", STR, "left({0}, {1})")], "right": [Form("str int", STR, "right({0}, {1})")],
    "substring": [
        Form("str int", STR, "substring({0}, {1} + 1)"), Form("str int int", STR, "substring({0}, {1} + 1, {2})"),
    ],
    "round": [
        Form("float", FLOAT, "floor({0} + 0.5)"),
        Form("float int", FLOAT, "round({0}, CAST({1} AS INTEGER))"),
    ],
    "replace": [Form("str str str", STR, "replaced")],
    "split": [Form("str str", STR.listed, "string_split({0}, {1})")],
    "size": [Form("list", INT, "len({0})"), Form("str", INT, "length({0})"), Form("any", INT, "json_size")],
    "reverse": [Form("str", STR, "reverse({0})"), Form("list", SAME, "list_reverse({0})")],
}  # fmt: skip


def _properties(scope: Scope, value: Value) -> Value:
    if value.type.kind == "map":
        return value
    return scope.tables.properties(value if value.type == REL else value.expected("node"))


def _keys(scope: Scope, value: Value) -> Value:
    if value.type.kind == "map":
        return Value(f"[{', '.join(text(name) for name, _ in value.type.fields)}]", STR.listed)
    return Value(f"json_keys({(value if value.type == ANY else _properties(scope, value)).sql})", STR.listed)


_OF_GRAPH: Mapping[str, Callable[[Scope, Value], Value]] = {
    "id": lambda _scope, value: Value((value if value.type == REL else value.expected("node")).id, INT),
    "type": lambda _scope, value: Value(value.expected("rel").column("type"), STR),
    "labels": lambda scope, value: scope.tables.labels(value.expected("node")),
    "properties": _properties,
    "keys": _keys,
}
SEARCHES = frozenset({"search", "similar"})  # of the indexes in memory, for a text that is known before
FUNCTION_NAMES = frozenset({*FUNCTIONS, *_OF_GRAPH, *SEARCHES})


def in_words(more: Iterable[str] = ()) -> str:
    """The names of all functions, and of more."""
    return ", ".join(sorted({*FUNCTION_NAMES, "coalesce", *more}))
