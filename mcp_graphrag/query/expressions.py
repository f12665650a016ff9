"""The expressions of Cypher as SQL: operators, lists, maps, with the three truth values of Cypher."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from cypherast import ast

from mcp_graphrag.query.aggregates import AGGREGATES
from mcp_graphrag.query.asked import Refused
from mcp_graphrag.query.comparison import equal, ordered
from mcp_graphrag.query.cypher_types import ANY, BOOL, FLOAT, INT, NODE, NULL, NUMBERS, REL, SQL_TYPES, STR, Type
from mcp_graphrag.query.cypher_values import NOTHING, UNKNOWN, Value, bound, call, fresh, json_path, struct, text
from mcp_graphrag.query.functions import FUNCTION_NAMES, SEARCHES, applied, in_words
from mcp_graphrag.query.parse_query import COMPARED, MIDNIGHT
from mcp_graphrag.query.rewrites import rewrites_of
from mcp_graphrag.query.scope import Scope

MAX_SQL = 200_000
MAX_FOUND = 100  # chunks and entities of a search


def compiled(node: Any, scope: Scope) -> Value:
    """The SQL of an expression, that of null for one that is refused: all faults of a query are told at once."""
    faults = scope.tables.faults
    before = len(faults)
    try:
        return _compiled(node, scope)
    except Refused as fault:
        faults += [fault] if len(faults) == before else []  # else it may come of the null for a part of it
        return NOTHING


def _compiled(node: Any, scope: Scope) -> Value:
    compile_ = _COMPILE.get(cast("type[Any]", type(node)))
    if compile_ is None:
        name = type(node).__name__
        raise Refused(f"{name} is not supported in an expression.", " ".join(rewrites_of(f"{name}(")))
    found = compile_(node, scope)
    if isinstance(node, ast.String | ast.List):
        found = scope.limited(found)
    if len(found.sql) > MAX_SQL:
        raise Refused("An expression is too long or too deeply nested.", "Name parts of it by WITH.")
    return found


def condition(node: Any, scope: Scope) -> str:
    """The SQL of an expression that is true, false or null."""
    value = compiled(node, scope).expected("bool")
    return UNKNOWN.sql if value.type == NULL else value.sql


def _number(node: Any, _scope: Scope) -> Value:
    is_whole = isinstance(node, ast.Integer)
    if not (-(2**63) <= node.this < 2**63 if is_whole else math.isfinite(node.this)):
        raise Refused("A number is out of range.", "Numbers have 64 bits.")
    return Value(f"CAST({node.this} AS BIGINT)", INT) if is_whole else Value(f"CAST({node.this!r} AS DOUBLE)", FLOAT)


def _identifier(node: Any, scope: Scope) -> Value:
    found = scope.names.get(node.this)
    if found is None:
        raise Refused(
            f"Variable `{node.this}` is not defined.",
            "Name it in a pattern; beside or behind WITH, DISTINCT and aggregates only items are known: add it there.",
        )
    return found if node.this in scope.local else scope.limited(found)


def _list(node: Any, scope: Scope) -> Value:
    items = [compiled(each, scope) for each in node.expressions]
    type_ = Type.unified(each.type for each in items)
    return Value(f"[{', '.join(each.converted(type_) for each in items)}]", type_.listed)


def _map(node: Any, scope: Scope) -> Value:
    entries = {name: compiled(each, scope) for name, each in dict(node.entries).items()}
    fields = Type("map", fields=tuple((name, each.type) for name, each in entries.items()))
    return Value(struct((name, each.sql) for name, each in entries.items()), fields)


def _member(base: Value, name: str, scope: Scope) -> Value:
    kind = base.type.kind
    if kind in {"node", "rel"}:
        return scope.tables.property(base, name)
    if kind == "map":
        fields = dict(base.type.fields)
        type_ = fields.get(name)
        if type_ is None and {*fields} == {"node", "score"}:
            raise Refused(f"What a search finds has no {name}.", "It has node and score: hit.node.text, hit.score.")
        return Value(base.column(name), type_) if type_ is not None else NOTHING
    if kind == "null":
        return NOTHING
    if kind == "any":
        return Value(call("member", base, path=json_path(name)), ANY)
    raise Refused(f"`{name}` is asked of a {kind}, which has no properties.", " ".join(rewrites_of(f".{name}")))


def _subscript(node: Any, scope: Scope) -> Value:
    base, index = compiled(node.this, scope), compiled(node.index, scope)
    if base.type.kind in {"node", "rel", "map"} or (base.type, index.type) == (ANY, STR):
        if not isinstance(node.index, ast.String):
            raise Refused(
                "A property is taken by a name that is written out.", "Write n.port, or properties(n) for all."
            )
        return _member(base, node.index.this, scope)
    if NULL in (base.type, index.type):
        return NOTHING
    items = base.expected("list")
    return Value(call("list_item", items, index.expected("int")), items.type.of)


def _slice(node: Any, scope: Scope) -> Value:
    base = compiled(node.this, scope).expected("list")
    start = compiled(node.start, scope).expected("int") if node.start is not None else Value("0", INT)
    end = compiled(node.end, scope).expected("int") if node.end is not None else Value(str(2**31), INT)
    if NULL in (base.type, start.type, end.type):
        return NOTHING
    return Value(call("list_part", base, start, end), base.type)


def _boolean(node: Any, scope: Scope) -> Value:
    return Value(f"({condition(node.this, scope)} {_BOOLEAN[type(node)]} {condition(node.expression, scope)})", BOOL)


def as_day(node: Any, name: str) -> Any:
    """A text to compare with a property: with a bound of a relationship a moment at midnight is written as its date."""
    is_moment = name in {"valid_from", "valid_to"} and isinstance(node, ast.String)
    return ast.String(this=MIDNIGHT.sub("", node.this)) if is_moment else node


def _compared(node: Any, scope: Scope) -> Value:
    sides = (node.this, node.expression)
    bound_by = next((each.name for each in sides if isinstance(each, ast.Property)), "")
    left, right = (compiled(as_day(each, bound_by), scope) for each in sides)
    if type(node) in _SIGNS:
        return Value(ordered(_SIGNS[type(node)], left, right), BOOL)
    # As a NOT it would be a condition by which DuckDB joins, in a loop over all pairs.
    return Value(equal(left, right) if isinstance(node, ast.EQ) else f"({equal(left, right)} = FALSE)", BOOL)


def _in(node: Any, scope: Scope) -> Value:
    wanted, items = compiled(node.this, scope), compiled(node.expression, scope).expected("list")
    if items.type == NULL:
        return UNKNOWN
    return Value(bound((wanted, items), _is_among), BOOL)


def _is_among(one: Value, listed: Value) -> str:
    name = fresh()
    each = f"list_transform({listed.sql}, lambda {name}: {equal(one, Value(name, listed.type.of))})"
    return call("any_true", Value(each, ANY))


def _is_null(node: Any, scope: Scope) -> Value:
    return Value(f"({compiled(node.this, scope).sql} IS {'NOT ' if node.not_ else ''}NULL)", BOOL)


def _of_strings(node: Any, scope: Scope) -> Value:
    values = [compiled(each, scope) for each in (node.this, node.expression)]
    if any(each.type not in (STR, ANY) for each in values):
        return UNKNOWN
    parts = (call("as_str", each) if each.type == ANY else each.sql for each in values)
    return Value(f"{_OF_STRINGS[type(node)]}({', '.join(parts)})", BOOL)


def _negative(node: Any, scope: Scope) -> Value:
    if isinstance(node.this, ast.Integer):
        return _number(ast.Integer(this=-node.this.this), scope)
    return _arithmetic(ast.Sub(this=ast.Integer(this=0), expression=node.this), scope)


def _arithmetic(node: Any, scope: Scope) -> Value:
    left, right = compiled(node.this, scope), compiled(node.expression, scope)
    sign, items = _ARITHMETIC[type(node)], scope.items
    kinds = {left.type.kind, right.type.kind}
    if sign == "+" and "list" in kinds:
        return _joined(left, right, items)
    if "null" in kinds:
        return NOTHING
    if kinds == {"int"} and sign != "^":
        macro = {"/": "divided", "%": "remainder"}.get(sign)
        return Value(call(macro, left, right) if macro else f"({left.sql} {sign} {right.sql})", INT)
    if kinds <= NUMBERS:
        return Value(f"({left.expected('float').sql} {sign} {right.expected('float').sql})", FLOAT)
    if sign == "+" and kinds == {"str"}:
        return Value(call("joined_text", left, right, items=items), STR)
    if not kinds <= {"any", "int", "float", "str"}:
        raise Refused(f"`{sign}` of a {left.type.kind} and a {right.type.kind} is not supported.")
    both = (each.as_json() for each in (left, right))
    if sign == "+":
        return Value(call("json_added", *both, items=items), ANY)
    return Value(call("json_computed", *both, op=sign, whole="//" if sign == "/" else sign), ANY)


def _joined(left: Value, right: Value, items: str) -> Value:
    """A list and a list, or an item in front of or behind one."""
    if ANY in (left.type, right.type):
        raise Refused("A list and a value of unknown type are joined, which is not supported.")
    if NULL in (left.type, right.type):
        return NOTHING
    both = [each if each.type.kind == "list" else Value(f"[{each.sql}]", each.type.listed) for each in (left, right)]
    type_ = Type.unified(each.type for each in both)
    return Value(call("joined_lists", *(Value(each.converted(type_), type_) for each in both), items=items), type_)


def _comprehension(node: Any, scope: Scope) -> Value:
    """What stands for each item of a list of limited length for which a condition holds."""
    source, name, held = compiled(node.source, scope).expected("list"), fresh(), fresh("l")
    inner = scope.inside(f"len({held})", **{node.variable.this: Value(name, source.type.of)})
    made = Value(held, source.type)
    if node.where is not None:
        said = condition(node.where, inner)
        made = Value(f"list_filter({held}, lambda {name}: coalesce({said}, FALSE))", source.type)
    if node.projection is not None:
        each = compiled(node.projection, inner)
        made = Value(f"list_transform({made.sql}, lambda {name}: {each.sql})", each.type.listed)
    if source.type == NULL:
        return NOTHING
    limited = call("limited_list", Value(held, source.type), items=scope.items)
    checked = f"CASE WHEN {limited} IS NOT NULL THEN {made.sql} END"
    return Value(f"list_transform([{source.sql}], lambda {held}: {checked})[1]", made.type)


def _quantifier(node: Any, scope: Scope) -> Value:
    if node.where is None:
        raise Refused(f"{node.name}() has no WHERE.")
    said = ast.And(this=node.where, expression=ast.Boolean(this=True))  # so that it is a truth value
    listed = ast.ListComprehension(variable=node.variable, source=node.source, projection=said)
    each = _comprehension(listed, scope)
    if each.type == NULL:
        return UNKNOWN
    if node.name == "none":
        return Value(f"(NOT {call('any_true', each)})", BOOL)
    return Value(call(f"{node.name}_true", each), BOOL)


def _reduced(node: Any, scope: Scope) -> Value:
    """The list of pairs of a value so far and an item, the first with the value to begin with, as one pair."""
    if node.name != "reduce":
        raise Refused(f"{node.name}() is not supported.", " ".join(rewrites_of(f"{node.name}(")))
    first = compiled(node.initial, scope)
    listed = _comprehension(ast.ListComprehension(variable=node.variable, source=node.source), scope)
    if listed.type == NULL:
        return NOTHING
    # All that is made on the way is computed for each row, and nothing can end that of 2,048 rows.
    listed, tenth = Value(call("limited_list", listed, items="10"), listed.type), f"(len({listed.sql}) // 10 + 1)"
    so_far, name, type_ = fresh("r"), fresh(), first.type

    def next_value() -> Value:
        names = {node.accumulator.this: Value(f"{so_far}.value", type_)}
        names |= {node.variable.this: Value(f"{name}.item", listed.type.of)}
        return compiled(node.expression, scope.inside(tenth, **names))

    type_ = Type.unified([type_, next_value().type])
    value = next_value()
    if Type.unified([type_, value.type]) != type_:
        raise Refused("The type of what reduce() makes changes with each item.", "Begin with a value of that type.")
    inner = type_.of if type_.kind == "list" else type_
    if first.type in (NULL, NULL.listed) and inner.kind not in SQL_TYPES:
        raise Refused("reduce() of such items cannot begin with null or [].", "Begin with head(list), over tail(list).")
    begin = (
        f"CAST(NULL AS {SQL_TYPES[type_.kind]})" if first.type == NULL and type_ == inner else first.converted(type_)
    )
    pair = f"{{'value': {value.converted(type_)}, 'item': {name}.item}}"

    def over(items: Value) -> str:
        pairs = f"list_transform({items.sql}, lambda {name}: {{'value': NULL, 'item': {name}}})"
        pairs = f"list_concat([{{'value': {begin}, 'item': NULL}}], {pairs})"
        reduced = f"list_reduce({pairs}, lambda {so_far}, {name}: {pair}).value"
        return f"CASE WHEN {items.sql} IS NOT NULL THEN {reduced} END"

    return Value(bound([listed], over), type_)


def _case(node: Any, scope: Scope) -> Value:
    whens = [ast.EQ(this=node.this, expression=when) if node.this is not None else when for when, _ in node.ifs]
    tests = [condition(each, scope) for each in whens]
    results = [compiled(then, scope) for _, then in node.ifs]
    default = compiled(node.default, scope) if node.default is not None else NOTHING
    type_ = Type.unified([*(each.type for each in results), default.type])
    arms = " ".join(f"WHEN {test} THEN {then.converted(type_)}" for test, then in zip(tests, results, strict=True))
    return Value(f"(CASE {arms} ELSE {default.converted(type_)} END)", type_)


def _coalesce(node: Any, scope: Scope) -> Value:
    values = [each for each in (compiled(part, scope) for part in node.expressions) if each.type != NULL]
    type_ = Type.unified(each.type for each in values)
    return Value(f"coalesce({', '.join(each.converted(type_) for each in values)})", type_) if values else NOTHING


def _pattern(node: Any, scope: Scope) -> Value:
    if scope.patterns is None or scope.local:
        raise Refused("A pattern is not supported in this place.", "Compute it by WITH before.")
    return scope.patterns(node, scope)


def _label_predicate(node: Any, scope: Scope) -> Value:
    value = compiled(node.this, scope)
    if value.type == NULL:
        return UNKNOWN
    if value.type not in (NODE, REL):
        raise Refused(f"A {value.type.kind} has no labels.")
    said = " AND ".join(scope.tables.has_label(value, each) for each in node.labels.labels)
    return Value(f"(CASE WHEN {value.sql} IS NOT NULL THEN {said} END)", BOOL)


def _call(node: Any, scope: Scope) -> Value:
    name = str(node.name).lower()
    if name in AGGREGATES:
        raise Refused(f"{node.name}() is not possible here.", "Aggregate in WITH or RETURN, then filter.")
    if name not in FUNCTION_NAMES or node.distinct:
        instead = " ".join(rewrites_of(f"{node.name}(n.")) or f"Known are: {in_words(AGGREGATES)}."
        raise Refused(f"The function {node.name}() is not known.", instead)
    if name in SEARCHES:
        return _search(name, node.expressions, scope)
    return applied(name, [compiled(each, scope) for each in node.expressions], scope)


def _search(name: str, arguments: Sequence[Any], scope: Scope) -> Value:
    wanted, most = (*(each.this if isinstance(each, ast.Literal) else None for each in arguments), 10, 10)[:2]
    if len(arguments) > 2 or not isinstance(wanted, str) or not isinstance(most, int) or not 1 <= most <= MAX_FOUND:
        raise Refused(f"{name}() takes a text, and a number up to {MAX_FOUND}.", f"Write {name}('…', 10).")
    return scope.tables.seeds(name, wanted, most)


_BOOLEAN = {ast.And: "AND", ast.Or: "OR", ast.Xor: "<>"}
_SIGNS = {ast.LT: "<", ast.LTE: "<=", ast.GT: ">", ast.GTE: ">="}
_OF_STRINGS = {
    ast.StartsWith: "starts_with", ast.EndsWith: "ends_with", ast.Contains: "contains",
    ast.RegexMatch: "regexp_full_match",
}  # fmt: skip
_ARITHMETIC = {ast.Add: "+", ast.Sub: "-", ast.Mul: "*", ast.Div: "/", ast.Mod: "%", ast.Pow: "^"}
_COMPILE: Mapping[type, Callable[[Any, Scope], Value]] = {
    **dict.fromkeys(_BOOLEAN, _boolean), **dict.fromkeys(COMPARED, _compared),
    **dict.fromkeys(_OF_STRINGS, _of_strings), **dict.fromkeys(_ARITHMETIC, _arithmetic),
    ast.Null: lambda _node, _scope: NOTHING,
    ast.Boolean: lambda node, _scope: Value("TRUE" if node.this else "FALSE", BOOL),
    ast.Integer: _number, ast.Float: _number, ast.String: lambda node, _scope: Value(text(node.this), STR),
    ast.Identifier: _identifier, ast.List: _list, ast.Map: _map,
    ast.Property: lambda node, scope: _member(compiled(node.this, scope), node.name, scope),
    ast.ListSubscript: _subscript, ast.ListSlice: _slice, ast.In: _in, ast.IsNull: _is_null, ast.Neg: _negative,
    ast.Not: lambda node, scope: Value(f"(NOT {condition(node.this, scope)})", BOOL),
    ast.ListComprehension: _comprehension, ast.Quantifier: _quantifier, ast.ListLambda: _reduced,
    ast.Case: _case, ast.Coalesce: _coalesce, ast.PatternPredicate: _pattern,
    ast.CountSubquery: _pattern, ast.PatternComprehension: _pattern,
    ast.LabelPredicate: _label_predicate, ast.FunctionCall: _call,
}  # fmt: skip
