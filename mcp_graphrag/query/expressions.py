"""The expressions of Cypher as SQL: operators, lists, maps, with the three truth values of Cypher."""

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, cast

from cypherast import ast

from mcp_graphrag.query.aggregates import collected, extreme, statistic
from mcp_graphrag.query.asked import Refused
from mcp_graphrag.query.comparison import all_true, any_true, equal, key, ordered
from mcp_graphrag.query.cypher_values import (
    ANY,
    BOOL,
    FLOAT,
    INT,
    NODE,
    NOTHING,
    NULL,
    NUMBERS,
    REL,
    SCALARS,
    STR,
    Type,
    Value,
    as_json,
    boolean,
    bound,
    converted,
    fails,
    fresh,
    integer,
    is_int,
    is_number,
    json_items,
    json_path,
    kind_of,
    list_of,
    map_of,
    number,
    quoted,
    text,
    unified,
)
from mcp_graphrag.query.functions import (
    FUNCTIONS,
    MAX_TEXT,
    TOO_LONG,
    concatenated,
    items_of,
    said_as_text,
    text_or_null,
    whole,
)
from mcp_graphrag.query.parse_query import COMPARED, Paren
from mcp_graphrag.query.scope import AGGREGATES, Patterns, Scope

MAX_SQL = 200_000
_NO_VARIABLE = "Variable `{}` is not defined."


def compiled(node: Any, scope: Scope) -> Value:
    """The SQL of an expression. Raises Refused."""
    for known, value in scope.known:
        if node == known:
            return value
    compile_ = _COMPILE.get(cast("type[Any]", type(node)))
    if compile_ is None:
        raise Refused(f"{type(node).__name__} is not supported in an expression.")
    found = compile_(node, scope)
    if len(found.sql) > MAX_SQL:
        raise Refused("An expression is too deeply nested.", "Name parts of it by WITH.")
    return found


def condition(node: Any, scope: Scope) -> str:
    """The SQL of an expression that is true, false or null."""
    value = compiled(node, scope)
    if value.type == BOOL:
        return value.sql
    if value.type == NULL:
        return "CAST(NULL AS BOOLEAN)"
    if value.type == ANY:
        wrong = fails("A truth value was expected, and a value is none.")
        return bound(
            (value,),
            lambda v: (
                f"(CASE WHEN {v.sql} IS NULL THEN NULL WHEN {kind_of(v.sql)} = 'BOOLEAN' THEN {boolean(v.sql)}"
                f" ELSE {wrong} END)"
            ),
        )
    raise Refused(f"A truth value is expected, and this is of type {value.type.kind}.")


def _integer(node: Any, _scope: Scope) -> Value:
    if not -(2**63) <= node.this < 2**63:
        raise Refused(f"The number {node.this} is out of range.")
    return Value(f"CAST({node.this} AS BIGINT)", INT)


def _float(node: Any, _scope: Scope) -> Value:
    if math.isinf(node.this):
        raise Refused("A number is out of range.")
    return Value(f"CAST({node.this!r} AS DOUBLE)", FLOAT)


def _parameter(node: Any, scope: Scope) -> Value:
    if node.name not in scope.parameters:
        raise Refused(f"Parameter `{node.name}` is not given.")
    scope.used.add(node.name)
    return scope.parameters[node.name]


def _identifier(node: Any, scope: Scope) -> Value:
    found = scope.names.get(node.this)
    if found is None:
        raise Refused(_NO_VARIABLE.format(node.this))
    if scope.sum_up and not scope.in_aggregate and node.this not in scope.local:
        raise Refused(
            f"`{node.this}` stands beside an aggregate and is no item of its own.", "Add it as an item, or use WITH."
        )
    return found


def _list(node: Any, scope: Scope) -> Value:
    items = [compiled(each, scope) for each in node.expressions]
    type_ = unified(each.type for each in items)
    if not items:
        return Value("[]", list_of(NULL))
    if type_ == NULL:
        return Value(f"[{', '.join('NULL' for _ in items)}]", list_of(NULL))
    return Value(f"[{', '.join(converted(each, type_) for each in items)}]", list_of(type_))


def _map(node: Any, scope: Scope) -> Value:
    entries = [(name, compiled(each, scope)) for name, each in dict(node.entries).items()]
    if not entries:
        return Value("CAST('{}' AS JSON)", map_of(()))
    return Value(
        f"{{{', '.join(f'{text(name)}: {each.sql}' for name, each in entries)}}}",
        map_of((name, each.type) for name, each in entries),
    )


def _map_projection(node: Any, scope: Scope) -> Value:
    base = compiled(node.this, scope)
    if base.type.kind not in {"node", "rel", "map", "null"}:
        raise Refused("A map projection is of a node, relationship or map.")
    if base.type == NULL:
        return NOTHING
    entries: dict[str, Value] = {}
    for each in node.entries:
        if isinstance(each, ast.PropertySelector):
            entries[each.name] = _member(base, each.name, scope)
        elif isinstance(each, tuple):
            entries[each[0]] = compiled(each[1], scope)
        elif isinstance(each, str):
            entries[each] = compiled(ast.Identifier(this=each), scope)
        elif base.type.kind == "map":
            entries |= {name: _member(base, name, scope) for name, _ in base.type.fields}
        else:
            raise Refused("`.*` of a node is not supported.", "Use properties(n).")
    made = f"{{{', '.join(f'{text(name)}: {each.sql}' for name, each in entries.items())}}}"
    return Value(
        f"(CASE WHEN {base.sql} IS NOT NULL THEN {made} END)",
        map_of((name, each.type) for name, each in entries.items()),
    )


def _property(node: Any, scope: Scope) -> Value:
    return _member(compiled(node.this, scope), node.name, scope)


def _member(base: Value, name: str, scope: Scope) -> Value:
    kind = base.type.kind
    if kind in {"node", "rel"}:
        return scope.graph.property(base, name)
    if kind == "map":
        type_ = dict(base.type.fields).get(name)
        return Value(f"{base.sql}.{quoted(name)}", type_) if type_ is not None else NOTHING
    if kind == "null":
        return NOTHING
    if kind == "any":
        wrong = fails(f"The property {name[:50]} is asked of a value that has none.")
        found = f"json_extract({{0}}, {json_path(name).replace('{', '{{').replace('}', '}}')})"
        return Value(
            bound(
                (base,),
                lambda v: (
                    f"(CASE WHEN {v.sql} IS NULL THEN NULL WHEN {kind_of(v.sql)} <> 'OBJECT' THEN {wrong}"
                    f" WHEN {kind_of(found.format(v.sql))} <> 'NULL' THEN {found.format(v.sql)} END)"
                ),
            ),
            ANY,
        )
    raise Refused(f"A {kind} has no properties.")


def _subscript(node: Any, scope: Scope) -> Value:
    base, index = compiled(node.this, scope), compiled(node.index, scope)
    if base.type.kind in {"node", "rel", "map"}:
        if not isinstance(node.index, ast.String):
            raise Refused("A property is taken by a name that is written out.")
        return _member(base, node.index.this, scope)
    if NULL in (base.type, index.type):
        return NOTHING
    if base.type == ANY and index.type == STR:
        if isinstance(node.index, ast.String):
            return _member(base, node.index.this, scope)
        raise Refused("A property is taken by a name that is written out.")
    if base.type == ANY:
        base = Value(json_items(base.sql), list_of(ANY))
    if base.type.kind != "list":
        raise Refused(f"A {base.type.kind} has no items.")
    at = whole(index, "The place in a list")
    return Value(
        bound((base, at), lambda b, i: f"{b.sql}[CASE WHEN {i.sql} < 0 THEN {i.sql} ELSE {i.sql} + 1 END]"),
        base.type.of,
    )


def _slice(node: Any, scope: Scope) -> Value:
    base = items_of(compiled(node.this, scope))
    if base.type == NULL:
        return NOTHING
    start = whole(compiled(node.start, scope), "The start") if node.start is not None else Value("0", INT)
    end = whole(compiled(node.end, scope), "The end") if node.end is not None else Value(str(2**31), INT)
    if NULL in (start.type, end.type):
        return NOTHING

    def cut(b: Value, s: Value, e: Value) -> str:
        first = f"(CASE WHEN {s.sql} < 0 THEN greatest(len({b.sql}) + {s.sql}, 0) ELSE {s.sql} END) + 1"
        last = f"(CASE WHEN {e.sql} < 0 THEN len({b.sql}) + {e.sql} ELSE {e.sql} END)"
        return (
            f"(CASE WHEN {s.sql} IS NULL OR {e.sql} IS NULL THEN NULL WHEN {last} < {first}"
            f" THEN list_slice({b.sql}, 2, 1) ELSE list_slice({b.sql}, {first}, {last}) END)"
        )

    return Value(bound((base, start, end), cut), base.type)


def _boolean_operator(word: str) -> Callable[[Any, Scope], Value]:
    def compile_(node: Any, scope: Scope) -> Value:
        left, right = condition(node.this, scope), condition(node.expression, scope)
        return Value(f"({left} {word} {right})", BOOL)

    return compile_


def _xor(node: Any, scope: Scope) -> Value:
    return Value(f"({condition(node.this, scope)} <> {condition(node.expression, scope)})", BOOL)


def _not(node: Any, scope: Scope) -> Value:
    return Value(f"(NOT {condition(node.this, scope)})", BOOL)


def _compared(node: Any, scope: Scope) -> Value:
    """A comparison, or a chain of them: `1 < n.age < 3`."""
    parts: list[tuple[type, Any, Any]] = []
    while isinstance(node, COMPARED):
        left = node.this
        parts.append((type(node), left.expression if isinstance(left, COMPARED) else left, node.expression))
        node = left
    said = [_comparison(kind, compiled(left, scope), compiled(right, scope)) for kind, left, right in reversed(parts)]
    return Value(said[0] if len(said) == 1 else f"({' AND '.join(said)})", BOOL)


def _comparison(kind: type, left: Value, right: Value) -> str:
    if kind is ast.EQ:
        return equal(left, right)
    if kind is ast.NEQ:
        return f"(NOT {equal(left, right)})"
    signs = {ast.LT: "<", ast.LTE: "<=", ast.GT: ">", ast.GTE: ">="}
    return ordered(signs[kind], left, right)


def _in(node: Any, scope: Scope) -> Value:
    wanted, items = compiled(node.this, scope), items_of(compiled(node.expression, scope))
    if items.type == NULL:
        return Value("CAST(NULL AS BOOLEAN)", BOOL)

    def found(one: Value, listed: Value) -> str:
        name = fresh()
        each = f"list_transform({listed.sql}, lambda {name}: {equal(one, Value(name, items.type.of))})"
        empty = f"WHEN len({listed.sql}) = 0 THEN FALSE"
        return f"(CASE WHEN {listed.sql} IS NULL THEN NULL {empty} ELSE {any_true(each)} END)"

    if items.type.of == NULL:
        return Value(f"(CASE WHEN len({items.sql}) = 0 THEN FALSE END)", BOOL)
    return Value(bound((wanted, items), found), BOOL)


def _is_null(node: Any, scope: Scope) -> Value:
    value = compiled(node.this, scope)
    said = "TRUE" if value.type == NULL else f"({value.sql} IS NULL)"
    return Value(f"(NOT {said})" if node.not_ else said, BOOL)


def _string_operator(function: str) -> Callable[[Any, Scope], Value]:
    def compile_(node: Any, scope: Scope) -> Value:
        left, right = (text_or_null(compiled(each, scope)) for each in (node.this, node.expression))
        return Value(f"{function}({left}, {right})" if "NULL" not in (left, right) else "CAST(NULL AS BOOLEAN)", BOOL)

    return compile_


def _negative(node: Any, scope: Scope) -> Value:
    if isinstance(node.this, ast.Integer):
        return _integer(ast.Integer(this=-node.this.this), scope)
    value = compiled(node.this, scope)
    if value.type == ANY:
        return _arithmetic_any("-", Value("CAST(0 AS BIGINT)", INT), value)
    if value.type.kind in NUMBERS:
        return Value(f"(-{value.sql})", value.type)
    if value.type == NULL:
        return NOTHING
    raise Refused(f"A {value.type.kind} has no negative.")


def _arithmetic(sign: str) -> Callable[[Any, Scope], Value]:
    def compile_(node: Any, scope: Scope) -> Value:
        return _computed(sign, compiled(node.this, scope), compiled(node.expression, scope))

    return compile_


def _computed(sign: str, left: Value, right: Value) -> Value:
    kinds = left.type.kind, right.type.kind
    if "list" in kinds and sign == "+":
        return _joined(left, right)
    if "null" in kinds:
        return NOTHING
    if set(kinds) <= NUMBERS:
        return _of_numbers(sign, left, right)
    if sign == "+" and "str" in kinds and set(kinds) <= SCALARS - {"bool"}:
        return Value(
            bound(
                (Value(said_as_text(left), STR), Value(said_as_text(right), STR)),
                lambda a, b: concatenated(a.sql, b.sql),
            ),
            STR,
        )
    if "any" in kinds and set(kinds) <= {"any", "int", "float", "str"}:
        return _arithmetic_any(sign, left, right)
    raise Refused(f"`{sign}` of a {kinds[0]} and a {kinds[1]} is not supported.")


def _of_numbers(sign: str, left: Value, right: Value) -> Value:
    if sign == "^":
        return Value(f"pow(CAST({left.sql} AS DOUBLE), CAST({right.sql} AS DOUBLE))", FLOAT)
    if left.type == right.type == INT:
        if sign in "/%":
            zero = fails("A number is divided by zero.")
            op = "//" if sign == "/" else "%"
            return Value(
                bound((left, right), lambda a, b: f"(CASE WHEN {b.sql} = 0 THEN {zero} ELSE {a.sql} {op} {b.sql} END)"),
                INT,
            )
        return Value(f"({left.sql} {sign} {right.sql})", INT)
    a, b = (f"CAST({each.sql} AS DOUBLE)" if each.type == INT else each.sql for each in (left, right))
    return Value(f"({a} {sign} {b})" if sign != "%" else f"fmod({a}, {b})", FLOAT)


def _arithmetic_any(sign: str, left: Value, right: Value) -> Value:
    """Of values whose types are known when the query runs: the result is JSON."""

    def compute(left: Value, right: Value) -> str:
        a, b = as_json(left), as_json(right)
        whole = _of_numbers(sign, Value(integer(a), INT), Value(integer(b), INT))
        loose = _of_numbers(sign, Value(number(a), FLOAT), Value(number(b), FLOAT))
        wrong = fails(f"`{sign}` is asked of values that are no numbers.")
        texts = ""
        if sign == "+":
            said = concatenated(
                *(
                    f"CASE WHEN {kind_of(each)} = 'VARCHAR' THEN {each}->>'$' ELSE CAST({each} AS VARCHAR) END"
                    for each in (a, b)
                )
            )
            both = " AND ".join(f"({kind_of(each)} = 'VARCHAR' OR {is_number(each)})" for each in (a, b))
            texts = f" WHEN {both} THEN to_json({said})"
            lists = (
                f"CASE WHEN {kind_of(each)} = 'ARRAY' THEN CAST({each} AS JSON[]) ELSE [{each}] END" for each in (a, b)
            )
            texts += f" WHEN 'ARRAY' IN ({kind_of(a)}, {kind_of(b)}) THEN to_json(list_concat({', '.join(lists)}))"
        return (
            f"(CASE WHEN {a} IS NULL OR {b} IS NULL THEN NULL"
            f" WHEN {is_int(a)} AND {is_int(b)} THEN to_json({whole.sql})"
            f" WHEN {is_number(a)} AND {is_number(b)} THEN to_json({loose.sql}){texts} ELSE {wrong} END)"
        )

    return Value(bound((left, right), compute), ANY)


def _joined(left: Value, right: Value) -> Value:
    """A list and a list, or an item in front of or behind one."""
    if "any" in (left.type.kind, right.type.kind):
        raise Refused("A list and a value of unknown type are joined, which is not supported.")
    if left.type.kind == right.type.kind == "list":
        type_ = unified([left.type, right.type])
        return Value(
            bound(
                (Value(converted(left, type_), type_), Value(converted(right, type_), type_)),
                lambda a, b: (
                    f"(CASE WHEN len({a.sql}) + len({b.sql}) > {MAX_TEXT} THEN {fails(TOO_LONG)}"
                    f" WHEN {a.sql} IS NOT NULL AND {b.sql} IS NOT NULL THEN list_concat({a.sql}, {b.sql}) END)"
                ),
            ),
            type_,
        )
    if NULL in (left.type, right.type):
        return NOTHING
    listed, item = (left, right) if left.type.kind == "list" else (right, left)
    type_ = list_of(unified([listed.type.of, item.type]))
    whole = Value(f"[{converted(item, type_.of)}]", type_)
    return _joined(*((listed, whole) if listed is left else (whole, listed)))


def _comprehension(node: Any, scope: Scope) -> Value:
    source = items_of(compiled(node.source, scope))
    if source.type == NULL:
        return NOTHING
    name = fresh()
    inner = scope.inside(**{node.variable.this: Value(name, source.type.of)})
    sql = source.sql
    if node.where is not None:
        sql = f"list_filter({sql}, lambda {name}: coalesce({condition(_unwrapped(node.where), inner)}, FALSE))"
    if node.projection is None:
        return Value(sql, source.type)
    made = compiled(node.projection, inner)
    return Value(f"list_transform({sql}, lambda {name}: {made.sql})", list_of(made.type))


def _unwrapped(node: Any) -> Any:
    return node.this if isinstance(node, ast.Where) else node


def _quantifier(node: Any, scope: Scope) -> Value:
    source = items_of(compiled(node.source, scope))
    if node.where is None:
        raise Refused(f"{node.name}() has no WHERE.")
    name = fresh()
    inner = scope.inside(**{node.variable.this: Value(name, source.type.of)})
    said = condition(_unwrapped(node.where), inner)
    if source.type == NULL:
        return Value("CAST(NULL AS BOOLEAN)", BOOL)
    each = f"list_transform({source.sql}, lambda {name}: {said})"
    if node.name == "single":
        held = fresh("l")
        return Value(
            f"list_transform([{each}], lambda {held}: CASE WHEN {held} IS NULL THEN NULL"
            f" WHEN len(list_filter({held}, lambda {name}: coalesce({name}, FALSE))) > 1 THEN FALSE"
            f" WHEN list_count({held}) < len({held}) THEN NULL"
            f" ELSE len(list_filter({held}, lambda {name}: {name})) = 1 END)[1]",
            BOOL,
        )
    some = fresh("l")
    joined = all_true(some) if node.name == "all" else any_true(some)
    if node.name == "none":
        joined = f"(NOT {joined})"
    return Value(f"list_transform([{each}], lambda {some}: CASE WHEN {some} IS NOT NULL THEN {joined} END)[1]", BOOL)


def _list_lambda(node: Any, scope: Scope) -> Value:
    if node.name != "reduce":
        raise Refused(f"{node.name}() is not supported.", "Use a list comprehension.")
    source, start = items_of(compiled(node.source, scope)), compiled(node.initial, scope)
    if source.type == NULL:
        return NOTHING
    total, item = fresh(), fresh()

    def step(type_: Type) -> Value:
        names = {node.accumulator.this: Value(total, type_), node.variable.this: Value(item, source.type.of)}
        return compiled(node.expression, scope.inside(**names))

    type_ = unified([start.type, step(start.type).type])
    made = step(type_)
    uses = sum(each == node.accumulator for each in node.expression.find_all(ast.Identifier))
    if uses > 1 and type_.kind not in NUMBERS:
        raise Refused("reduce() that uses what it has so far more than once is not supported.")
    if unified([type_, made.type]) != type_ or type_ != source.type.of:
        raise Refused("reduce() of a list of another type than its result is not supported.")
    return Value(
        f"list_reduce({source.sql}, lambda {total}, {item}: {converted(made, type_)}, {converted(start, type_)})", type_
    )


def _case(node: Any, scope: Scope) -> Value:
    subject = compiled(node.this, scope) if node.this is not None else None
    tests = [
        equal(subject, compiled(when, scope)) if subject is not None else condition(when, scope) for when, _ in node.ifs
    ]
    results = [compiled(then, scope) for _, then in node.ifs]
    default = compiled(node.default, scope) if node.default is not None else NOTHING
    type_ = unified([*(each.type for each in results), default.type])
    arms = " ".join(f"WHEN {test} THEN {converted(then, type_)}" for test, then in zip(tests, results, strict=True))
    return Value(f"(CASE {arms} ELSE {converted(default, type_)} END)", type_)


def _coalesce(node: Any, scope: Scope) -> Value:
    values = [each for each in (compiled(part, scope) for part in node.expressions) if each.type != NULL]
    type_ = unified(each.type for each in values)
    return Value(f"coalesce({', '.join(converted(each, type_) for each in values)})", type_) if values else NOTHING


def _pattern_predicate(node: Any, scope: Scope) -> Value:
    pattern = node.pattern
    if isinstance(pattern, ast.PathPattern) and len(pattern.elements) == 1:  # (n) and (n:Label) in parentheses
        (one,) = pattern.elements
        if isinstance(one, ast.NodePattern) and one.properties is None and one.variable is not None:
            inner = one.variable if one.labels is None else ast.LabelPredicate(this=one.variable, labels=one.labels)
            return compiled(ast.Not(this=inner) if node.not_ else inner, scope)
    if isinstance(node.pattern, ast.PathPattern) and not scope.may_match:
        raise Refused("A pattern stands outside of WHERE.", "Write EXISTS { … } for whether it has a match.")
    said = _patterns(scope).exists(node.pattern, scope)
    return Value(f"(NOT {said})" if node.not_ else said, BOOL)


def _count_subquery(node: Any, scope: Scope) -> Value:
    return Value(_patterns(scope).count(node.query, scope), INT)


def _pattern_comprehension(node: Any, scope: Scope) -> Value:
    return _patterns(scope).collected(node, scope)


def _patterns(scope: Scope) -> Patterns:
    if scope.patterns is None or scope.in_lambda or (scope.sum_up and not scope.in_aggregate):
        raise Refused("A pattern is not supported in this place.", "Compute it by WITH before.")
    return scope.patterns


def _label_predicate(node: Any, scope: Scope) -> Value:
    value = compiled(node.this, scope)
    if value.type == NULL:
        return Value("CAST(NULL AS BOOLEAN)", BOOL)
    if value.type not in (NODE, REL):
        raise Refused(f"A {value.type.kind} has no labels.")
    if node.labels.expression:
        raise Refused("Expressions of labels are not supported.", "Write `n:A OR n:B`.")
    said = " AND ".join(scope.graph.has_label(value, each) for each in node.labels.labels)
    return Value(f"(CASE WHEN {value.sql} IS NOT NULL THEN {said} END)", BOOL)


def _call(node: Any, scope: Scope) -> Value:
    name = str(node.name).lower()
    if name in AGGREGATES:
        return _aggregate(name, node, scope)
    function = FUNCTIONS.get(name)
    if function is None or node.distinct:
        raise Refused(
            f"The function {node.name}() is not known.", f"Known are: {', '.join(sorted({*FUNCTIONS, *AGGREGATES}))}."
        )
    if name == "exists" and node.expressions and not isinstance(node.expressions[0], ast.Property):
        raise Refused("exists() is of a property or a pattern.")
    values = [compiled(each, scope) for each in node.expressions]
    counts, make = function
    if len(values) not in counts:
        raise Refused(f"The function {node.name}() takes {' or '.join(map(str, counts))} arguments.")
    return make(scope, *values)


def _aggregate(name: str, node: Any, scope: Scope) -> Value:
    if not scope.sum_up or scope.in_aggregate:
        raise Refused(f"{node.name}() is not possible here.", "Aggregate in WITH or RETURN, then filter.")
    inner = replace(scope, sum_up=False, in_aggregate=True, known=())
    distinct = bool(node.distinct)
    if len(node.expressions) == 1 and isinstance(node.expressions[0], ast.Star):
        return Value("count(*)", INT)
    values = [compiled(each, inner) for each in node.expressions]
    if len(values) != (2 if name.startswith("percentile") else 1):
        raise Refused(f"{node.name}() takes another number of arguments.")
    value = values[0]
    if name == "count":
        return (
            Value(f"count(DISTINCT {key(value)})" if distinct else f"count({value.sql})", INT)
            if value.type != NULL
            else Value("CAST(count(NULL) AS BIGINT)", INT)
        )
    if name == "collect":
        return collected(value, scope, distinct=distinct)
    if name in {"min", "max"}:
        return extreme(name, value)
    share = node.expressions[1] if len(values) > 1 else None
    given = scope.given.get(share.name) if isinstance(share, ast.Parameter) else getattr(share, "this", None)
    is_number = isinstance(given, int | float) and not isinstance(given, bool)
    return statistic(name, values, distinct=distinct, share=given if is_number else None)


_COMPILE: Mapping[type, Callable[[Any, Scope], Value]] = {
    ast.Null: lambda _node, _scope: NOTHING,
    ast.Boolean: lambda node, _scope: Value("TRUE" if node.this else "FALSE", BOOL),
    ast.Integer: _integer, ast.Float: _float, ast.String: lambda node, _scope: Value(text(node.this), STR),
    ast.Parameter: _parameter, ast.Identifier: _identifier, ast.List: _list, ast.Map: _map,
    ast.MapProjection: _map_projection, ast.Property: _property, ast.ListSubscript: _subscript, ast.ListSlice: _slice,
    ast.And: _boolean_operator("AND"), ast.Or: _boolean_operator("OR"), ast.Xor: _xor, ast.Not: _not,
    ast.EQ: _compared, ast.NEQ: _compared, ast.LT: _compared, ast.LTE: _compared, ast.GT: _compared, ast.GTE: _compared,
    Paren: lambda node, scope: compiled(node.this, scope), ast.In: _in, ast.IsNull: _is_null,
    ast.StartsWith: _string_operator("starts_with"), ast.EndsWith: _string_operator("ends_with"),
    ast.Contains: _string_operator("contains"), ast.RegexMatch: _string_operator("regexp_full_match"),
    ast.Neg: _negative, ast.Add: _arithmetic("+"), ast.Sub: _arithmetic("-"), ast.Mul: _arithmetic("*"),
    ast.Div: _arithmetic("/"), ast.Mod: _arithmetic("%"), ast.Pow: _arithmetic("^"),
    ast.ListComprehension: _comprehension, ast.Quantifier: _quantifier, ast.ListLambda: _list_lambda,
    ast.Case: _case, ast.Coalesce: _coalesce, ast.PatternPredicate: _pattern_predicate,
    ast.CountSubquery: _count_subquery, ast.PatternComprehension: _pattern_comprehension,
    ast.LabelPredicate: _label_predicate, ast.FunctionCall: _call,
}  # fmt: skip
