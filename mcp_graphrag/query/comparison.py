"""How values compare: equality and order with null, the keys of DISTINCT, the order of ORDER BY."""

from collections.abc import Callable, Mapping

from mcp_graphrag.query.asked import Refused
from mcp_graphrag.query.cypher_values import (
    ANY,
    BOOL,
    FLOAT,
    INT,
    NUMBERS,
    SCALARS,
    STR,
    Type,
    Value,
    as_json,
    boolean,
    bound,
    fails,
    fresh,
    is_int,
    is_number,
    kind_of,
    number,
    quoted,
    string,
    text,
)


def equal(left: Value, right: Value) -> str:
    """Whether two values are equal: true, false or null."""
    kinds = left.type.kind, right.type.kind
    if "null" in kinds:
        return "CAST(NULL AS BOOLEAN)"
    if kinds[0] == kinds[1] and kinds[0] in {"node", "rel"}:
        return f"({left.sql}.id = {right.sql}.id)"
    if kinds[0] == kinds[1] and (by_parts := _BY_PARTS.get(kinds[0])) is not None:
        return bound((left, right), by_parts)
    if set(kinds) <= NUMBERS or kinds[0] == kinds[1] in SCALARS:
        if kinds == ("float", "float"):
            return bound((left, right), lambda a, b: f"({a.sql} = {b.sql} AND NOT isnan({a.sql}))")
        return f"({left.sql} = {right.sql})"
    if "any" in kinds:
        return bound((left, right), _any_equal)
    return bound((left, right), lambda a, b: f"(CASE WHEN {a.sql} IS NULL OR {b.sql} IS NULL THEN NULL ELSE FALSE END)")


def _path_ids(sql: str) -> str:
    nodes, rels = fresh(), fresh()
    return (
        f"{{'n': list_transform({sql}.nodes, lambda {nodes}: {nodes}.id),"
        f" 'r': list_transform({sql}.rels, lambda {rels}: {rels}.id)}}"
    )


def all_true(sql: str) -> str:
    """Whether all truth values of a list are true, as AND joins them."""
    name = fresh("l")
    return (
        f"list_transform([{sql}], lambda {name}: CASE WHEN NOT coalesce(list_bool_and({name}), TRUE) THEN FALSE"
        f" WHEN list_count({name}) < len({name}) THEN NULL ELSE TRUE END)[1]"
    )


def any_true(sql: str) -> str:
    """Whether a truth value of a list is true, as OR joins them."""
    name = fresh("l")
    return (
        f"list_transform([{sql}], lambda {name}: CASE WHEN coalesce(list_bool_or({name}), FALSE) THEN TRUE"
        f" WHEN list_count({name}) < len({name}) THEN NULL ELSE FALSE END)[1]"
    )


def _lists_equal(left: Value, right: Value) -> str:
    at = fresh("i")
    items = equal(Value(f"{left.sql}[{at}]", left.type.of), Value(f"{right.sql}[{at}]", right.type.of))
    each = f"list_transform(generate_series(1, len({left.sql})), lambda {at}: {items})"
    return (
        f"(CASE WHEN {left.sql} IS NULL OR {right.sql} IS NULL THEN NULL"
        f" WHEN len({left.sql}) <> len({right.sql}) THEN FALSE ELSE {all_true(each)} END)"
    )


def _maps_equal(left: Value, right: Value) -> str:
    ours, theirs = dict(left.type.fields), dict(right.type.fields)
    if ours.keys() != theirs.keys():
        return f"(CASE WHEN {left.sql} IS NULL OR {right.sql} IS NULL THEN NULL ELSE FALSE END)"
    parts = [
        equal(Value(f"{left.sql}.{quoted(key)}", ours[key]), Value(f"{right.sql}.{quoted(key)}", theirs[key]))
        for key in ours
    ]
    return all_true(f"[{', '.join(parts)}]") if parts else "TRUE"


def _paths_equal(left: Value, right: Value) -> str:
    return f"({_path_ids(left.sql)} = {_path_ids(right.sql)})"


_BY_PARTS: Mapping[str, Callable[[Value, Value], str]] = {
    "path": _paths_equal, "list": _lists_equal, "map": _maps_equal,
}  # fmt: skip


def _any_equal(left: Value, right: Value) -> str:
    if left.type != ANY:
        left, right = right, left
    a, b = left.sql, right.sql
    nothing = f"WHEN {a} IS NULL OR {b} IS NULL THEN NULL"
    if right.type == INT:
        exact = f"WHEN {is_int(a)} THEN TRY_CAST({a} AS HUGEINT) = {b}"
        return f"(CASE {nothing} {exact} ELSE coalesce({number(a)} = {b}, FALSE) END)"
    if right.type == FLOAT:
        return f"(CASE {nothing} ELSE coalesce({number(a)} = {b} AND NOT isnan({b}), FALSE) END)"
    if right.type == STR:
        return f"(CASE {nothing} ELSE coalesce({string(a)} = {b}, FALSE) END)"
    if right.type == BOOL:
        return f"(CASE {nothing} ELSE coalesce({boolean(a)} = {b}, FALSE) END)"
    if right.type.holds_graph:
        return f"(CASE {nothing} ELSE FALSE END)"
    other = b if right.type == ANY else as_json(right)
    unsure = fails("Lists or maps of unknown types are compared, which is not supported.")
    return (
        f"(CASE {nothing} WHEN {is_number(a)} AND {is_number(other)} THEN {number(a)} = {number(other)}"
        f" WHEN {kind_of(a)} IN ('ARRAY', 'OBJECT') AND {kind_of(other)} = {kind_of(a)} THEN"
        f" CASE WHEN contains(CAST({a} AS VARCHAR), 'null') OR CAST({a} AS VARCHAR) <> CAST({other} AS VARCHAR)"
        f" THEN {unsure} ELSE TRUE END ELSE CAST({a} AS VARCHAR) = CAST({other} AS VARCHAR) END)"
    )


def ordered(op: str, left: Value, right: Value) -> str:
    """Whether a value is before or after another ("<", ">="); null for values that have no order among them."""
    kinds = left.type.kind, right.type.kind
    if "null" in kinds or {"node", "rel", "path", "map"} & {*kinds}:
        return "CAST(NULL AS BOOLEAN)"
    if set(kinds) <= NUMBERS:
        floats = [each.sql for each in (left, right) if each.type == FLOAT]
        if not floats:
            return f"({left.sql} {op} {right.sql})"
        return bound((left, right), lambda a, b: _order_of_numbers(op, a, b))
    if kinds[0] == kinds[1] and kinds[0] in SCALARS:
        return f"({left.sql} {op} {right.sql})"
    if "list" in kinds:
        if kinds[0] != kinds[1] and "any" not in kinds:
            return "CAST(NULL AS BOOLEAN)"
        if "any" in kinds:
            raise Refused("The order of lists of unknown types is not supported.")
        return bound((left, right), lambda a, b: _lists_ordered(op, a, b))
    if "any" in kinds:
        return bound((left, right), lambda a, b: _any_ordered(op, a, b))
    return "CAST(NULL AS BOOLEAN)"


def _lists_ordered(op: str, left: Value, right: Value) -> str:
    """By the first items that are not equal, else by length; null where these have no order among them."""
    at, item = fresh("i"), fresh()
    a, b = Value(f"{left.sql}[{at}]", left.type.of), Value(f"{right.sql}[{at}]", right.type.of)
    said = (
        f"CASE WHEN {equal(a, b)} THEN 0 WHEN {ordered('<', a, b)} THEN -1 WHEN {ordered('>', a, b)} THEN 1 ELSE 2 END"
    )
    each = f"list_transform(generate_series(1, least(len({left.sql}), len({right.sql}))), lambda {at}: {said})"
    first = f"list_filter({each}, lambda {item}: {item} <> 0)[1]"
    held = fresh("l")
    return (
        f"list_transform([{first}], lambda {held}: CASE WHEN {left.sql} IS NULL OR {right.sql} IS NULL THEN NULL"
        f" WHEN {held} = 2 THEN NULL"
        f" WHEN {held} IS NULL THEN len({left.sql}) {op} len({right.sql}) ELSE {held} {op} 0 END)[1]"
    )


def _order_of_numbers(op: str, left: Value, right: Value) -> str:
    nan = " OR ".join(f"isnan({each.sql})" for each in (left, right) if each.type == FLOAT)
    return f"(CASE WHEN {nan} THEN FALSE ELSE {left.sql} {op} {right.sql} END)"


def _any_ordered(op: str, left: Value, right: Value) -> str:
    def form(value: Value, kind: Type) -> str:
        if value.type == kind:
            return value.sql
        return {STR: string, BOOL: boolean}.get(kind, number)(value.sql)

    if ANY not in (left.type, right.type):
        return "CAST(NULL AS BOOLEAN)"
    known = right.type if left.type == ANY else left.type
    if known.kind in NUMBERS:
        if INT in (left.type, right.type):
            any_, int_ = (left, right) if left.type == ANY else (right, left)
            whole, exact = f"TRY_CAST({any_.sql} AS HUGEINT)", int_.sql
            pair = (whole, exact) if left.type == ANY else (exact, whole)
            loose = (number(any_.sql), exact) if left.type == ANY else (exact, number(any_.sql))
            return f"(CASE WHEN {is_int(any_.sql)} THEN {pair[0]} {op} {pair[1]} ELSE {loose[0]} {op} {loose[1]} END)"
        return f"({form(left, FLOAT)} {op} {form(right, FLOAT)})"
    if known.kind in {"str", "bool"}:
        return f"({form(left, known)} {op} {form(right, known)})"
    unsure = fails("The order of lists is not supported.")
    return (
        f"(CASE WHEN {kind_of(left.sql)} = 'ARRAY' AND {kind_of(right.sql)} = 'ARRAY' THEN {unsure} ELSE"
        f" coalesce({number(left.sql)} {op} {number(right.sql)}, {string(left.sql)} {op} {string(right.sql)},"
        f" {boolean(left.sql)} {op} {boolean(right.sql)}) END)"
    )


def key(value: Value) -> str:
    """SQL that is equal for values that DISTINCT and grouping take for the same."""
    kind, sql = value.type.kind, value.sql
    if kind in {"node", "rel"}:
        return f"{sql}.id"
    if kind == "path":
        return _path_ids(sql)
    if kind == "list":
        name = fresh()
        return (
            sql
            if value.type.of.kind in SCALARS
            else f"list_transform({sql}, lambda {name}: {key(Value(name, value.type.of))})"
        )
    if kind == "map":
        parts = [f"{text(name)}: {key(Value(f'{sql}.{quoted(name)}', each))}" for name, each in value.type.fields]
        return f"{{{', '.join(parts)}}}" if parts else "1"
    if kind == "any":
        return bound(
            (value,),
            lambda v: (
                f"(CASE WHEN {is_number(v.sql)} THEN CAST(to_json({number(v.sql)}) AS VARCHAR)"
                f" ELSE CAST({v.sql} AS VARCHAR) END)"
            ),
        )
    return sql


def sort_key(value: Value) -> str:
    """SQL by which values are in the order of Cypher: nodes, relationships, lists, strings, truth values, numbers."""
    kind, sql = value.type.kind, value.sql
    if kind in {"node", "rel"}:
        return f"{sql}.id"
    if kind in {"path", "map"} or (kind == "list" and value.type.of.kind not in SCALARS | {"null", "any"}):
        raise Refused(f"The order of a {kind} is not supported.", "Sort by a property of it.")
    if kind == "list":
        name = fresh()
        # null is the last of all.
        inner = Value(name, value.type.of)
        rank = f"{{'n': {name} IS NULL, 'v': {sort_key(inner)}}}"
        return f"list_transform({sql}, lambda {name}: {rank})"
    if kind == "any":
        wrong = fails("The order of lists and maps of unknown types is not supported.")
        return bound(
            (value,),
            lambda v: (
                f"(CASE {kind_of(v.sql)} WHEN 'VARCHAR' THEN {{'r': 1, 'n': 0.0::DOUBLE, 's': {v.sql}->>'$'}}"
                f" WHEN 'BOOLEAN' THEN {{'r': 2, 'n': CAST({boolean(v.sql)} AS DOUBLE), 's': ''}}"
                f" WHEN 'ARRAY' THEN {wrong} WHEN 'OBJECT' THEN {wrong}"
                f" ELSE CASE WHEN {v.sql} IS NOT NULL THEN {{'r': 3, 'n': {number(v.sql)}, 's': ''}} END END)"
            ),
        )
    return sql
