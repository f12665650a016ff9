"""How values compare: equality and order with null, the keys of DISTINCT, the order of ORDER BY."""

from functools import partial

from mcp_graphrag.query.asked import Refused
from mcp_graphrag.query.cypher_values import (
    ANY,
    NUMBERS,
    SCALARS,
    UNKNOWN,
    Value,
    as_json,
    bound,
    call,
    fresh,
    quoted,
    struct,
)

_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


def equal(left: Value, right: Value) -> str:
    """Whether two values are equal: true, false or null."""
    one, other = kinds = left.type.kind, right.type.kind
    if "null" in kinds:
        return UNKNOWN.sql
    if "any" in kinds:
        return _json_equals(left, right) if left.type == ANY else _json_equals(right, left)
    if one != other and not {*kinds} <= NUMBERS:
        return call("never_equal", left, right)
    if one in {"list", "map"}:
        return bound((left, right), _lists_equal if one == "list" else _maps_equal)
    if kinds == ("float", "float"):
        return call("floats_equal", left, right)
    return f"({key(left)} = {key(right)})"


def _json_equals(left: Value, right: Value) -> str:
    if right.type.kind in SCALARS:
        return call(f"json_equals_{right.type.kind}", left, right)
    if right.type.holds_graph:
        return call("never_equal", left, right)
    return call("json_equals", left, Value(as_json(right), ANY))


def _lists_equal(left: Value, right: Value) -> str:
    at = fresh("i")
    items = equal(Value(f"{left.sql}[{at}]", left.type.of), Value(f"{right.sql}[{at}]", right.type.of))
    each = Value(f"list_transform(generate_series(1, len({left.sql})), lambda {at}: {items})", ANY)
    return call("lists_equal", left, right, each)


def _maps_equal(left: Value, right: Value) -> str:
    ours, theirs = dict(left.type.fields), dict(right.type.fields)
    if ours.keys() != theirs.keys():
        return call("never_equal", left, right)
    parts = [
        equal(Value(f"{left.sql}.{quoted(key)}", ours[key]), Value(f"{right.sql}.{quoted(key)}", theirs[key]))
        for key in ours
    ]
    return call("all_true", Value(f"[{', '.join(parts)}]", ANY)) if parts else "TRUE"


def ordered(op: str, left: Value, right: Value) -> str:
    """Whether a value is before or after another ("<", ">="); null for values that have no order among them."""
    one, other = kinds = left.type.kind, right.type.kind
    if set(kinds) <= NUMBERS and "float" in kinds:
        return call("floats_ordered", left, right, op=op)
    if set(kinds) <= NUMBERS or one == other in SCALARS:
        return f"({left.sql} {op} {right.sql})"
    if one == other == "list":
        return bound((left, right), partial(_lists_ordered, op))
    if kinds == ("any", "any"):
        return call("json_ordered", left, right, op=op)
    if one == "any" and other in SCALARS:
        return call(f"json_ordered_{other}", left, right, op=op)
    if other == "any" and one in SCALARS:
        return call(f"json_ordered_{one}", right, left, op=_TURNED[op])
    if {*kinds} == {"any", "list"}:
        raise Refused("The order of lists of unknown types is not supported.")
    return UNKNOWN.sql


def _lists_ordered(op: str, left: Value, right: Value) -> str:
    at = fresh("i")
    a, b = Value(f"{left.sql}[{at}]", left.type.of), Value(f"{right.sql}[{at}]", right.type.of)
    said = f"WHEN {equal(a, b)} THEN 0 WHEN {ordered('<', a, b)} THEN -1 WHEN {ordered('>', a, b)} THEN 1"
    places = f"generate_series(1, least(len({left.sql}), len({right.sql})))"
    each = Value(f"list_transform({places}, lambda {at}: CASE {said} ELSE 2 END)", ANY)
    return call("lists_ordered", left, right, each, op=op)


def key(value: Value) -> str:
    """SQL that is equal for values that DISTINCT and grouping take for the same."""
    kind, sql, name = value.type.kind, value.sql, fresh()
    if kind in {"node", "rel"}:
        return value.id
    if kind == "path":
        nodes, rels = (f"list_transform({sql}.{part}, lambda {name}: {name}.id)" for part in ("nodes", "rels"))
        return f"{{'n': {nodes}, 'r': {rels}}}"
    if kind == "list" and value.type.of.kind not in SCALARS:
        return f"list_transform({sql}, lambda {name}: {key(Value(name, value.type.of))})"
    if kind == "map":
        return struct((each, key(Value(f"{sql}.{quoted(each)}", of))) for each, of in value.type.fields)
    return call("json_key", value) if kind == "any" else sql


def sort_key(value: Value) -> str:
    """SQL by which values are in the order of Cypher: nodes, relationships, lists, strings, truth values, numbers."""
    kind, sql = value.type.kind, value.sql
    if kind in {"node", "rel"}:
        return value.id
    if kind in {"path", "map"} or (kind == "list" and value.type.of.kind not in SCALARS | {"null", "any"}):
        raise Refused(f"The order of a {kind} is not supported.", "Sort by a property of it.")
    if kind == "list":
        name = fresh()
        rank = f"{{'n': {name} IS NULL, 'v': {sort_key(Value(name, value.type.of))}}}"  # null is the last of all
        return f"list_transform({sql}, lambda {name}: {rank})"
    return call("json_rank", value) if kind == "any" else sql
