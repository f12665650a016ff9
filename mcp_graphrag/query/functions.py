"""The functions of Cypher that a query may call; no other can be reached."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from mcp_graphrag.query.asked import Refused
from mcp_graphrag.query.cypher_values import (
    ANY,
    BOOL,
    FLOAT,
    INT,
    NODE,
    NOTHING,
    NULL,
    REL,
    SCALARS,
    STR,
    Type,
    Value,
    call,
    expected,
    list_of,
    text,
)
from mcp_graphrag.query.scope import Scope

MAX_RANGE, MAX_INNER_RANGE = 10_000, 100  # numbers of a range(), and of one for each item of a list
SAME, ITEM = Type("same"), Type("item")  # the type of the first argument, that of its items
_LAXER = {"int": {"any"}, "float": {"int", "any"}, "str": {"any"}, "bool": {"any"}, "list": {"any"}}


class Form(NamedTuple):
    """A way to call a function: the kinds of its arguments, its type, and SQL with {0} for the first, or a macro."""

    takes: Sequence[str]
    gives: Type
    sql: str


def applied(name: str, values: Sequence[Value], scope: Scope) -> Value:
    """What a function gives of its arguments, null of null. Raises Refused for one that is none, or for others."""
    if (of_graph := _OF_GRAPH.get(name)) is not None and len(values) == 1:
        return of_graph(scope, values[0])
    if name == "range" and len(values) in {2, 3}:
        return _range(scope, *values)
    forms = FUNCTIONS.get(name, ())
    forms = [each for each in forms if len(each.takes) == len(values)]
    if not forms:
        raise Refused(f"The function {name}() is not known with {len(values)} arguments.", f"Known are: {in_words()}.")
    if any(each.type == NULL for each in values):
        return NOTHING
    kind = values[0].type.kind if values else ""
    fitting = [form for form in forms if not form.takes or kind == form.takes[0]]
    fitting += [form for form in forms if form.takes and kind in _LAXER.get(form.takes[0], ())]
    form = (fitting or forms)[0]
    given = [
        value if value.type == ANY and wanted == "any" else expected(value, wanted)
        for value, wanted in zip(values, form.takes, strict=True)
    ]
    if scope.in_lambda:
        given = [
            Value(call("limited_text", each, items=scope.items), STR) if each.type == STR else each for each in given
        ]
    first = given[0].type if given else NULL
    type_ = {SAME: first, ITEM: first.of}.get(form.gives, form.gives)
    if "(" not in form.sql and "{" not in form.sql:
        return Value(call(form.sql, *given), type_)
    return Value(form.sql.format(*(each.sql for each in given)), type_)


def _of_numbers(**functions: str) -> Mapping[str, Sequence[Form]]:
    return {name: [Form(["float"], FLOAT, sql)] for name, sql in functions.items()}


def _of_texts(**functions: str) -> Mapping[str, Sequence[Form]]:
    return {name: [Form(["str"], STR, sql)] for name, sql in functions.items()}


def _by_kind(gives: Type, **forms: str) -> Sequence[Form]:
    return [Form([kind], gives, sql) for kind, sql in forms.items()]


_WHOLE_OF_TEXT = "CAST(trunc(TRY_CAST({0} AS DOUBLE)) AS BIGINT)"
FUNCTIONS: Mapping[str, Sequence[Form]] = {
    **_of_numbers(
        ceil="ceil({0})", floor="floor({0})", round="floor({0} + 0.5)", sqrt="square_root", exp="exp({0})",
        log="logarithm", log10="log_of_ten", sin="sin({0})", cos="cos({0})", tan="tan({0})", atan="atan({0})",
        radians="radians({0})", degrees="degrees({0})",
    ),
    **_of_texts(
        tolower="lower({0})", toupper="upper({0})", trim="trim({0})", ltrim="ltrim({0})", rtrim="rtrim({0})",
    ),
    "pi": [Form([], FLOAT, "pi()")], "e": [Form([], FLOAT, "exp(CAST(1 AS DOUBLE))")],
    "sign": [Form(["float"], INT, "CAST(sign({0}) AS BIGINT)")],
    "abs": [Form(["int"], INT, "abs({0})"), Form(["float"], FLOAT, "abs({0})"), Form(["any"], ANY, "json_absolute")],
    "left": [Form(["str", "int"], STR, "left({0}, {1})")], "right": [Form(["str", "int"], STR, "right({0}, {1})")],
    "substring": [
        Form(["str", "int"], STR, "substring({0}, {1} + 1)"),
        Form(["str", "int", "int"], STR, "substring({0}, {1} + 1, {2})"),
    ],
    "replace": [Form(["str", "str", "str"], STR, "replaced")],
    "split": [Form(["str", "str"], list_of(STR), "string_split({0}, {1})")],
    "size": _by_kind(INT, list="len({0})", str="length({0})", any="json_size"),
    "length": [Form(["path"], INT, "len({0}.rels)")],
    "nodes": [Form(["path"], list_of(NODE), "{0}.nodes")],
    "relationships": [Form(["path"], list_of(REL), "{0}.rels")],
    "head": [Form(["list"], ITEM, "{0}[1]")], "last": [Form(["list"], ITEM, "{0}[-1]")],
    "tail": [Form(["list"], SAME, "list_slice({0}, 2, len({0}))")],
    "reverse": [Form(["str"], STR, "reverse({0})"), Form(["list"], SAME, "list_reverse({0})")],
    "tointeger": _by_kind(
        INT, int="{0}", float="CAST(trunc({0}) AS BIGINT)", str=_WHOLE_OF_TEXT, any="json_to_int",
    ),
    "tofloat": _by_kind(FLOAT, float="{0}", str="TRY_CAST({0} AS DOUBLE)", any="json_to_float"),
    "tostring": _by_kind(STR, **dict.fromkeys(sorted(SCALARS), "CAST({0} AS VARCHAR)"), any="json_to_text"),
    "toboolean": _by_kind(BOOL, bool="{0}", str="text_to_bool", any="json_to_bool"),
}  # fmt: skip


def _id(_scope: Scope, value: Value) -> Value:
    if value.type == NULL:
        return NOTHING
    return Value((value if value.type == REL else expected(value, "node")).id, INT)


def _type(_scope: Scope, value: Value) -> Value:
    return Value(expected(value, "rel").column("type"), STR) if value.type != NULL else NOTHING


def _labels(scope: Scope, value: Value) -> Value:
    return scope.query.tables.labels(expected(value, "node")) if value.type != NULL else NOTHING


def _properties(scope: Scope, value: Value) -> Value:
    if value.type == NULL or value.type.kind == "map":
        return value
    return scope.query.tables.properties(value if value.type == REL else expected(value, "node"))


def _keys(scope: Scope, value: Value) -> Value:
    if value.type.kind == "map":
        return Value(f"[{', '.join(text(name) for name, _ in value.type.fields)}]", list_of(STR))
    found = value if value.type == ANY else _properties(scope, value)
    return Value(f"json_keys({found.sql})", list_of(STR)) if found.type != NULL else NOTHING


def _exists(_scope: Scope, value: Value) -> Value:
    return Value("FALSE" if value.type == NULL else f"({value.sql} IS NOT NULL)", BOOL)


_OF_GRAPH: Mapping[str, Callable[[Scope, Value], Value]] = {
    "id": _id, "type": _type, "labels": _labels, "properties": _properties, "keys": _keys, "exists": _exists,
}  # fmt: skip
SEARCHES = frozenset({"search", "similar"})  # of the indexes in memory, for a text that is known before
FUNCTION_NAMES = frozenset({*FUNCTIONS, *_OF_GRAPH, *SEARCHES, "range"})


def in_words(more: Iterable[str] = ()) -> str:
    """The names of all functions, and of more."""
    return ", ".join(sorted({*FUNCTION_NAMES, *more}))


def _range(scope: Scope, first: Value, last: Value, step: Value | None = None) -> Value:
    bounds = [expected(each, "int") for each in (first, last, step or Value("CAST(1 AS BIGINT)", INT))]
    if any(each.type == NULL for each in bounds):
        raise Refused("range() of null is not possible.")
    most = MAX_INNER_RANGE if scope.in_lambda else MAX_RANGE
    return Value(call("bounded_range", *bounds, most=str(most)), list_of(INT))
