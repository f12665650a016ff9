"""The functions of Cypher that a query may call; no other can be reached."""

from collections.abc import Callable, Mapping, Sequence

from mcp_graphrag.query.asked import Refused
from mcp_graphrag.query.cypher_values import (
    ANY,
    BOOL,
    FLOAT,
    INT,
    NODE,
    NOTHING,
    NULL,
    NUMBERS,
    PATH,
    REL,
    SCALARS,
    STR,
    Type,
    Value,
    bound,
    fails,
    integer,
    is_int,
    is_number,
    json_items,
    kind_of,
    list_of,
    number,
    string,
    text,
)
from mcp_graphrag.query.scope import Scope

MAX_RANGE, MAX_INNER_RANGE = 10_000, 100  # numbers of a range(), and of one for each item of a list
MAX_TEXT = 1_000_000  # bytes of a string, and items of a list, that a query makes
TOO_LONG = "A string or list that the query makes is too long."


def whole(value: Value, what: str) -> Value:
    """A value as a whole number. `what` names it where it is none."""
    if value.type in (INT, NULL):
        return value
    if value.type == ANY:
        wrong = fails(f"{what} is no whole number.")
        return Value(
            bound(
                (value,),
                lambda v: (
                    f"(CASE WHEN {v.sql} IS NULL THEN NULL WHEN {is_int(v.sql)} THEN {integer(v.sql)} ELSE {wrong} END)"
                ),
            ),
            INT,
        )
    raise Refused(f"{what} is no whole number.")


def items_of(value: Value) -> Value:
    """A value as a list, with the type of its items."""
    if value.type == ANY:
        return Value(bound((value,), lambda v: json_items(v.sql)), list_of(ANY))
    if value.type.kind not in {"list", "null"}:
        raise Refused(f"A list is expected, and this is of type {value.type.kind}.")
    return value


def text_or_null(value: Value) -> str:
    """A string, null for any other value."""
    if value.type == ANY:
        return bound((value,), lambda v: string(v.sql))
    return value.sql if value.type == STR else "NULL"


def number_of(value: Value) -> str:
    """A value of unknown type as a number; ends the query for one that is none."""
    wrong = fails("A number is expected, and a value is none.")
    said = f"WHEN {is_number(value.sql)} THEN {number(value.sql)}"
    return f"(CASE WHEN {value.sql} IS NULL THEN NULL {said} ELSE {wrong} END)"


def concatenated(left: str, right: str) -> str:
    """Two strings as one, which may not grow without end: a single value is out of reach of limits of memory."""
    return (
        f"(CASE WHEN strlen({left}) + strlen({right}) > {MAX_TEXT} THEN {fails(TOO_LONG)} ELSE {left} || {right} END)"
    )


def said_as_text(value: Value) -> str:
    """A number or string as toString() writes it."""
    return value.sql if value.type == STR else f"CAST({value.sql} AS VARCHAR)"


def _float_function(sql: str) -> Callable[..., Value]:
    def make(_scope: Scope, value: Value) -> Value:
        if value.type == NULL:
            return NOTHING
        if value.type.kind not in {*NUMBERS, "any"}:
            raise Refused(f"A number is expected, and this is of type {value.type.kind}.")
        of = number_of(value) if value.type == ANY else f"CAST({value.sql} AS DOUBLE)"
        return Value(sql.format(of), FLOAT)

    return make


def _text_function(sql: str, type_: Type = STR, *more: str) -> Callable[..., Value]:
    """Of a string, and of whole numbers ("int") or strings ("str") behind it."""

    def make(_scope: Scope, *values: Value) -> Value:
        forms: list[str] = []
        for value, kind in zip(values, ("str", *more), strict=False):
            if value.type == NULL:
                return NOTHING
            if kind == "int":
                forms.append(whole(value, "The number").sql)
            elif value.type == ANY:
                wrong = fails("A string is expected, and a value is none.")
                forms.append(
                    f"(CASE WHEN {value.sql} IS NULL THEN NULL"
                    f" WHEN {kind_of(value.sql)} = 'VARCHAR' THEN {value.sql}->>'$' ELSE {wrong} END)"
                )
            elif value.type == STR:
                forms.append(value.sql)
            else:
                raise Refused(f"A string is expected, and this is of type {value.type.kind}.")
        return Value(sql.format(*forms), type_)

    return make


def _size(_scope: Scope, value: Value) -> Value:
    if value.type.kind == "list":
        return Value(f"len({value.sql})", INT)
    if value.type == STR:
        return Value(f"length({value.sql})", INT)
    if value.type == NULL:
        return NOTHING
    if value.type == ANY:
        wrong = fails("size() is asked of a value that is no list and no string.")
        return Value(
            bound(
                (value,),
                lambda v: (
                    f"(CASE {kind_of(v.sql)} WHEN 'ARRAY' THEN CAST(json_array_length({v.sql}) AS BIGINT)"
                    f" WHEN 'VARCHAR' THEN length({v.sql}->>'$')"
                    f" ELSE CASE WHEN {v.sql} IS NOT NULL THEN {wrong} END END)"
                ),
            ),
            INT,
        )
    raise Refused(f"size() of a {value.type.kind} is not possible.")


def _length(_scope: Scope, value: Value) -> Value:
    if value.type == NULL:
        return NOTHING
    if value.type != PATH:
        raise Refused(f"length() of a {value.type.kind} is not possible.", "Use size() of a list or string.")
    return Value(f"len({value.sql}.rels)", INT)


def _part_of_path(part: str, item: Type) -> Callable[..., Value]:
    def make(_scope: Scope, value: Value) -> Value:
        if value.type == NULL:
            return NOTHING
        if value.type != PATH:
            raise Refused(f"A path is expected, and this is of type {value.type.kind}.")
        return Value(f"{value.sql}.{part}", list_of(item))

    return make


def _id(_scope: Scope, value: Value) -> Value:
    if value.type == NULL:
        return NOTHING
    if value.type not in (NODE, REL):
        raise Refused(f"id() of a {value.type.kind} is not possible.")
    return Value(f"{value.sql}.id", INT)


def _labels(scope: Scope, value: Value) -> Value:
    if value.type == NULL:
        return NOTHING
    if value.type != NODE:
        raise Refused(f"labels() of a {value.type.kind} is not possible.")
    return scope.graph.labels(value)


def _type(_scope: Scope, value: Value) -> Value:
    if value.type == NULL:
        return NOTHING
    if value.type != REL:
        raise Refused(f"type() of a {value.type.kind} is not possible.")
    return Value(f"{value.sql}.type", STR)


def _properties(scope: Scope, value: Value) -> Value:
    if value.type == NULL or value.type.kind == "map":
        return value
    if value.type not in (NODE, REL):
        raise Refused(f"properties() of a {value.type.kind} is not possible.")
    return scope.graph.properties(value)


def _keys(scope: Scope, value: Value) -> Value:
    if value.type.kind == "map":
        return Value(f"[{', '.join(text(name) for name, _ in value.type.fields)}]", list_of(STR))
    if value.type == NULL:
        return NOTHING
    found = value if value.type == ANY else _properties(scope, value)
    return Value(f"json_keys({found.sql})", list_of(STR))


def _edge_of_list(at: str) -> Callable[..., Value]:
    def make(_scope: Scope, value: Value) -> Value:
        items = items_of(value)
        return Value(f"{items.sql}[{at}]", items.type.of) if items.type != NULL else NOTHING

    return make


def _tail(_scope: Scope, value: Value) -> Value:
    items = items_of(value)
    return Value(f"list_slice({items.sql}, 2, len({items.sql}))", items.type) if items.type != NULL else NOTHING


def _reverse(_scope: Scope, value: Value) -> Value:
    if value.type.kind == "list":
        return Value(f"list_reverse({value.sql})", value.type)
    return _text_function("reverse({0})")(_scope, value)


def _range(scope: Scope, first: Value, last: Value, step: Value | None = None) -> Value:
    a, b, s = (whole(each, "A bound of range()") for each in (first, last, step or Value("CAST(1 AS BIGINT)", INT)))
    if NULL in (a.type, b.type, s.type):
        raise Refused("range() of null is not possible.")
    most = MAX_INNER_RANGE if scope.in_lambda else MAX_RANGE
    wrong = fails(f"range() gives at most {most} numbers here, by a step that is not 0.")
    return Value(
        bound(
            (a, b, s),
            lambda a, b, s: (
                f"(CASE WHEN {s.sql} = 0 OR abs(({b.sql} - {a.sql}) // coalesce(nullif({s.sql}, 0), 1)) >= {most}"
                f" THEN {wrong} ELSE generate_series({a.sql}, {b.sql}, {s.sql}) END)"
            ),
        ),
        list_of(INT),
    )


def _to_number(type_: Type) -> Callable[..., Value]:
    sql = "BIGINT" if type_ == INT else "DOUBLE"

    def of_text(said: str) -> str:
        parsed = f"TRY_CAST({said} AS DOUBLE)"
        return f"CAST(trunc({parsed}) AS BIGINT)" if type_ == INT else parsed

    def make(_scope: Scope, value: Value) -> Value:
        kind = value.type.kind
        if kind == "null":
            return NOTHING
        if kind == "str":
            return Value(of_text(value.sql), type_)
        if kind in NUMBERS:
            return Value(f"CAST({'trunc' if type_ == INT and kind == 'float' else ''}({value.sql}) AS {sql})", type_)
        if kind == "any":
            wrong = fails("A number or a string is expected, and a value is neither.")
            whole = f"CAST(trunc({number(value.sql)}) AS BIGINT)" if type_ == INT else number(value.sql)
            return Value(
                f"(CASE WHEN {value.sql} IS NULL THEN NULL WHEN {is_number(value.sql)} THEN {whole}"
                f" WHEN {kind_of(value.sql)} = 'VARCHAR' THEN {of_text(string(value.sql))} ELSE {wrong} END)",
                type_,
            )
        raise Refused(f"A number of a {kind} is not possible.")

    return make


def _to_string(_scope: Scope, value: Value) -> Value:
    kind = value.type.kind
    if kind == "null":
        return NOTHING
    if kind in SCALARS:
        return Value(f"CAST({value.sql} AS VARCHAR)", STR)
    if kind == "any":
        wrong = fails("A number, a string or a truth value is expected, and a value is none.")
        return Value(
            f"(CASE WHEN {value.sql} IS NULL THEN NULL WHEN {kind_of(value.sql)} IN ('ARRAY', 'OBJECT') THEN {wrong}"
            f" ELSE {value.sql}->>'$' END)",
            STR,
        )
    raise Refused(f"toString() of a {kind} is not possible.")


def _to_boolean(_scope: Scope, value: Value) -> Value:
    if value.type == NULL:
        return NOTHING
    if value.type == BOOL:
        return value
    said = {"str": value.sql, "any": f"{value.sql}->>'$'"}.get(value.type.kind)
    if said is None:
        raise Refused(f"toBoolean() of a {value.type.kind} is not possible.")
    checked = f"(CASE lower({said}) WHEN 'true' THEN TRUE WHEN 'false' THEN FALSE END)"
    if value.type == ANY:
        wrong = fails("toBoolean() is asked of a value that is no string and no truth value.")
        is_one = f"{value.sql} IS NULL OR {kind_of(value.sql)} IN ('VARCHAR', 'BOOLEAN')"
        checked = f"(CASE WHEN {is_one} THEN {checked} ELSE {wrong} END)"
    return Value(checked, BOOL)


def _absolute(scope: Scope, value: Value) -> Value:
    if value.type == ANY:
        return Value(
            bound(
                (value,),
                lambda v: (
                    f"(CASE WHEN {is_int(v.sql)} THEN to_json(abs({integer(v.sql)}))"
                    f" ELSE to_json(abs({number_of(v)})) END)"
                ),
            ),
            ANY,
        )
    return Value(f"abs({value.sql})", INT) if value.type == INT else _any_or_float("abs({0})", scope, value)


def _any_or_float(sql: str, scope: Scope, value: Value) -> Value:
    if value.type == ANY:
        raise Refused("A number of unknown type is not supported here.", "Use toInteger() or toFloat().")
    return _float_function(sql)(scope, value)


def _sign(scope: Scope, value: Value) -> Value:
    found = _float_function("CAST(sign({0}) AS BIGINT)")(scope, value)
    return found._replace(type=INT) if found.type == FLOAT else found


def _exists(_scope: Scope, value: Value) -> Value:
    return Value("FALSE" if value.type == NULL else f"({value.sql} IS NOT NULL)", BOOL)


def _end_node(part: str) -> Callable[..., Value]:
    def make(_scope: Scope, _value: Value) -> Value:
        raise Refused(f"{part}() is not supported.", "Name the node in the pattern.")

    return make


def _constant(sql: str) -> Callable[[Scope], Value]:
    return lambda _scope: Value(sql, FLOAT)


def _substring(scope: Scope, *values: Value) -> Value:
    form = "substring({0}, {1} + 1, {2})" if len(values) > 2 else "substring({0}, {1} + 1)"
    return _text_function(form, STR, "int", "int")(scope, *values)


_REPLACE = (
    f"(CASE WHEN strlen({{0}}) * greatest(strlen({{2}}), 1) > {MAX_TEXT} THEN {fails(TOO_LONG)}"
    " ELSE replace({0}, {1}, {2}) END)"
)
_LOG = (
    "(CASE WHEN {0} > 0 THEN %s({0}) WHEN {0} = 0 THEN CAST('-inf' AS DOUBLE)"
    " WHEN {0} IS NOT NULL THEN CAST('nan' AS DOUBLE) END)"
)
FUNCTIONS: Mapping[str, tuple[Sequence[int], Callable[..., Value]]] = {
    "id": ((1,), _id), "labels": ((1,), _labels), "type": ((1,), _type), "properties": ((1,), _properties),
    "keys": ((1,), _keys), "size": ((1,), _size), "length": ((1,), _length), "exists": ((1,), _exists),
    "nodes": ((1,), _part_of_path("nodes", NODE)), "relationships": ((1,), _part_of_path("rels", REL)),
    "startnode": ((1,), _end_node("startNode")), "endnode": ((1,), _end_node("endNode")),
    "head": ((1,), _edge_of_list("1")), "last": ((1,), _edge_of_list("-1")), "tail": ((1,), _tail),
    "reverse": ((1,), _reverse), "range": ((2, 3), _range),
    "tointeger": ((1,), _to_number(INT)), "tofloat": ((1,), _to_number(FLOAT)), "tostring": ((1,), _to_string),
    "toboolean": ((1,), _to_boolean), "abs": ((1,), _absolute), "sign": ((1,), _sign),
    "ceil": ((1,), _float_function("ceil({0})")), "floor": ((1,), _float_function("floor({0})")),
    "round": ((1,), _float_function("floor({0} + 0.5)")),
    "sqrt": ((1,), _float_function("(CASE WHEN {0} < 0 THEN CAST('nan' AS DOUBLE) ELSE sqrt({0}) END)")),
    "exp": ((1,), _float_function("exp({0})")), "log": ((1,), _float_function(_LOG % "ln")),
    "log10": ((1,), _float_function(_LOG % "log10")),
    "sin": ((1,), _float_function("sin({0})")), "cos": ((1,), _float_function("cos({0})")),
    "tan": ((1,), _float_function("tan({0})")), "atan": ((1,), _float_function("atan({0})")),
    "radians": ((1,), _float_function("radians({0})")), "degrees": ((1,), _float_function("degrees({0})")),
    "pi": ((0,), _constant("pi()")), "e": ((0,), _constant("exp(CAST(1 AS DOUBLE))")),
    "tolower": ((1,), _text_function("lower({0})")), "toupper": ((1,), _text_function("upper({0})")),
    "trim": ((1,), _text_function("trim({0})")), "ltrim": ((1,), _text_function("ltrim({0})")),
    "rtrim": ((1,), _text_function("rtrim({0})")),
    "left": ((2,), _text_function("left({0}, {1})", STR, "int")),
    "right": ((2,), _text_function("right({0}, {1})", STR, "int")),
    "substring": ((2, 3), _substring),
    "replace": ((3,), _text_function(_REPLACE, STR, "str", "str")),
    "split": ((2,), _text_function("string_split({0}, {1})", list_of(STR), "str")),
}  # fmt: skip
