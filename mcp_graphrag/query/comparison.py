"""How values compare: equality and order with null, the keys of DISTINCT, the order of ORDER BY."""

from mcp_graphrag.query.asked import Refused
from mcp_graphrag.query.cypher_types import ANY, NUMBERS, SCALARS
from mcp_graphrag.query.cypher_values import UNKNOWN, Value, call, fresh, struct


def equal(left: Value, right: Value) -> str:
    """Whether two values are equal: true, false or null."""
    kinds = {left.type.kind, right.type.kind}
    if "null" in kinds:
        return UNKNOWN.sql
    if kinds == {"float"}:
        return call("floats_equal", left, right)
    if kinds <= NUMBERS or (len(kinds) == 1 and kinds <= {*SCALARS, "node", "rel", "path"}):
        return f"({key(left)} = {key(right)})"
    if kinds <= {"any", "list", "map", *SCALARS} and not kinds <= SCALARS:
        return call("json_equals", *(each.as_json() for each in (left, right)))
    return call("never_equal", left, right)


def ordered(op: str, left: Value, right: Value) -> str:
    """Whether a value is before or after another ("<", ">="); null for values that have no order among them."""
    kinds = {left.type.kind, right.type.kind}
    if kinds <= NUMBERS and "float" in kinds:
        return call("floats_ordered", left, right, op=op)
    if len(kinds) == 1 and kinds <= SCALARS:
        return f"({left.sql} {op} {right.sql})"
    if kinds <= {"any", "list", *SCALARS} and not kinds <= SCALARS:
        return call("json_ordered", *(each.as_json() for each in (left, right)), op=op)
    return UNKNOWN.sql


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
        return struct((each, key(Value(value.column(each), of))) for each, of in value.type.fields)
    return call("json_key", value) if kind == "any" else sql


def sort_key(value: Value) -> str:
    """SQL by which values are in the order of Cypher: nodes, relationships, strings, truth values, numbers."""
    if value.type.kind in {"path", "map", "list"}:
        raise Refused(f"The order of a {value.type.kind} is not supported.", "Sort by a property or item of it.")
    if value.type.kind in {"node", "rel"}:
        return value.id
    return call("json_rank", value) if value.type == ANY else value.sql
