"""The clauses of Cypher as common table expressions, one after the other, of one SELECT.

The column of a variable is named "v:" and its name. Rows that ORDER BY has sorted have their number in the column "o".
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from cypherast import ast

from mcp_graphrag.query.aggregates import has_aggregate
from mcp_graphrag.query.asked import Refused
from mcp_graphrag.query.comparison import key, sort_key
from mcp_graphrag.query.cypher_values import (
    ANY,
    INT,
    NULL,
    Type,
    Value,
    converted,
    failing,
    fresh,
    list_of,
    number_names_anew,
    quoted,
    unified,
)
from mcp_graphrag.query.expressions import compiled, condition
from mcp_graphrag.query.match_patterns import Match, PatternsOf, column_of
from mcp_graphrag.query.parse_query import column_names, parse_query
from mcp_graphrag.query.scope import Scope, Tables, parameter_value

_ORDER = '"o"'


class Compiled(NamedTuple):
    """One SELECT, its columns with their types, and the parameters that it has."""

    sql: str
    columns: Sequence[tuple[str, Type]]
    parameters: Mapping[str, Any]


def compile_query(source: str, tables: Tables, parameters: Mapping[str, Any]) -> Compiled:
    """A query as SQL. Raises Refused for what is wrong or not supported."""
    number_names_anew()
    statement = parse_query(source)
    given = {name: parameter_value(name, each) for name, each in parameters.items()}
    names = column_names(source)
    parts, union = list[Any](), set[bool]()
    while isinstance(statement, ast.Union):
        union.add(bool(statement.distinct))
        parts.insert(0, statement.expression)
        statement = statement.this
    parts.insert(0, statement)
    for clause in (clause for part in parts for clause in part.clauses):
        if not isinstance(clause, ast.Match | ast.Unwind | ast.With | ast.Return):
            words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(clause).__name__).upper().split()
            name = words[0] if words[0] != "LOAD" else "LOAD CSV"
            raise Refused(f"{name} is not supported: a query reads, by MATCH, WHERE, WITH, UNWIND and RETURN.")
    if len(union) > 1:
        raise Refused("UNION and UNION ALL are mixed.", "Use one of them.")
    if len(names) != len(parts):
        raise Refused("A query ends with one RETURN.")
    used = set[str]()
    queries = [
        _Query(tables, given, parameters, used).compile(part, items) for part, items in zip(parts, names, strict=True)
    ]
    sql, columns = queries[0] if len(queries) == 1 else _union(queries, distinct=union == {True})
    return Compiled(sql, columns, {name: _bindable(parameters[name]) for name in used if f"${name}" in sql})


def _bindable(value: Any) -> Any:
    return json.dumps(value) if isinstance(value, list | tuple | dict) else value


def _union(
    queries: Sequence[tuple[str, Sequence[tuple[str, Type]]]], *, distinct: bool
) -> tuple[str, Sequence[tuple[str, Type]]]:
    first = [name for name, _ in queries[0][1]]
    if any(sorted(name for name, _ in columns) != sorted(first) for _, columns in queries):
        raise Refused("The parts of a UNION return columns of different names.", "Give them the same names by AS.")
    types = {name: unified(dict(columns)[name] for _, columns in queries) for name in first}
    selects = list[str]()
    for sql, columns in queries:
        given = dict(columns)
        items = ", ".join(
            f"{converted(Value(f'u.{quoted(name)}', given[name]), types[name])} AS {quoted(name)}" for name in first
        )
        selects.append(f"SELECT {items} FROM ({sql}) u")
    sql = " UNION ALL ".join(selects)
    if distinct:
        keys = ", ".join(key(Value(f"u.{quoted(name)}", types[name])) for name in first)
        items = ", ".join(f"first(u.{quoted(name)}) AS {quoted(name)}" for name in first)
        sql = f"SELECT {items} FROM ({sql}) u GROUP BY {keys}"
    return sql, [(name, types[name]) for name in first]


class _Query:
    """A query of clauses while it is compiled."""

    def __init__(
        self, tables: Tables, parameters: Mapping[str, Value], given: Mapping[str, Any], used: set[str]
    ) -> None:
        self.tables, self.parameters, self.given, self.used = tables, parameters, given, used
        self.ctes: list[str] = []
        self.relation = ""  # that of the rows so far, "" for the one row that a query begins with
        self.names: dict[str, Type] = {}
        self.has_order = False

    def compile(self, query: Any, texts: Sequence[str]) -> tuple[str, Sequence[tuple[str, Type]]]:
        """The SELECT and its columns."""
        *clauses, last = query.clauses
        if not isinstance(last, ast.Return):
            raise Refused("A query ends with RETURN.")
        for clause in clauses:
            if isinstance(clause, ast.Match):
                self._match(clause)
            elif isinstance(clause, ast.Unwind):
                self._unwind(clause)
            elif isinstance(clause, ast.With):
                self._with(clause)
            else:
                raise Refused("RETURN is the end of a query.", "Use WITH to go on.")
        columns = self._project(last, texts)
        shown = ", ".join(f"q.{column_of(name)} AS {quoted(name)}" for name, _ in columns)
        order = f" ORDER BY q.{_ORDER}" if self.has_order else ""
        ctes = f"WITH RECURSIVE {', '.join(self.ctes)} " if self.ctes else ""
        return f"{ctes}SELECT {shown} FROM {self.relation} q{order}", columns

    def cte(self, sql: str) -> str:
        """The name of a common table expression that is added."""
        name = fresh("q")
        self.ctes.append(f"{name} AS ({sql})")
        return name

    def source(self, alias: str) -> str:
        """The rows so far, under an alias."""
        return f"{self.relation} {alias}" if self.relation else f"(SELECT 1) {alias}"

    def scope(self, alias: str = "p", more: Mapping[str, Value] | None = None) -> Scope:
        """What names mean in an expression over the rows so far."""
        names = {name: Value(f"{alias}.{column_of(name)}", type_) for name, type_ in self.names.items()}
        order = f"{alias}.{_ORDER}" if self.has_order else ""
        return Scope(
            {**names, **(more or {})},
            self.tables,
            PatternsOf(self),
            self.parameters,
            self.given,
            order=order,
            used=self.used,
        )

    def _kept(self, alias: str = "p") -> list[str]:
        """The columns of the rows so far."""
        return [f"{alias}.{column_of(name)}" for name in self.names] + ([f"{alias}.{_ORDER}"] if self.has_order else [])

    # ---- reading clauses

    def _match(self, clause: Any) -> None:
        if clause.hints or clause.search:
            raise Refused("Hints of MATCH are not supported.")
        alias = "p"
        match = Match(self, self.scope(alias))
        for path in clause.pattern.paths:
            match.path(path)
        conditions = match.conditions()
        scope = self.scope(alias, match.new)
        if clause.where is not None:
            if has_aggregate(clause.where.this):
                raise Refused("Aggregates are not possible in WHERE.", "Compute them by WITH before.")
            conditions.append(condition(clause.where.this, scope))
        made = [f"{value.sql} AS {column_of(name)}" for name, value in match.new.items()]
        where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
        if clause.optional:
            rows = self.cte(f"SELECT {', '.join([*self._kept(), 'row_number() OVER () AS r'])} FROM {self.source('p')}")
            # Only what the match needs is matched; rows without a match stay.
            found = self.cte(
                f"SELECT {', '.join(['p.r', *made])} FROM {', '.join([f'{rows} p', *match.sources])}{where}"
            )
            new = [f"m.{column_of(name)}" for name in match.new]
            shown = ", ".join([*self._kept(), *new]) or "1 AS one"
            self.relation = self.cte(f"SELECT {shown} FROM {rows} p LEFT JOIN {found} m ON p.r = m.r")
        else:
            shown = ", ".join([*self._kept(), *made]) or "1 AS one"
            self.relation = self.cte(f"SELECT {shown} FROM {', '.join([self.source('p'), *match.sources])}{where}")
        self.names |= {name: value.type for name, value in match.new.items()}

    def _unwind(self, clause: Any) -> None:
        name = clause.alias.this
        if name in self.names:
            raise Refused(f"Variable `{name}` is already defined.")
        if has_aggregate(clause.expression):
            raise Refused("Aggregates are not possible in UNWIND.", "Compute them by WITH before.")
        value = compiled(clause.expression, self.scope())
        if value.type == NULL or value.type == list_of(NULL):
            sql, type_ = ("CAST([] AS JSON[])" if value.type == NULL else f"CAST({value.sql} AS JSON[])"), ANY
        elif value.type == ANY:
            sql, type_ = (
                (
                    f"(CASE WHEN json_type({value.sql}) = 'ARRAY' THEN CAST({value.sql} AS JSON[])"
                    f" WHEN {value.sql} IS NOT NULL THEN [{value.sql}] END)"
                ),
                ANY,
            )
        elif value.type.kind == "list":
            sql, type_ = value.sql, value.type.of
        else:
            sql, type_ = f"[{value.sql}]", value.type
        shown = ", ".join([*self._kept(), f"unnest({sql}) AS {column_of(name)}"])
        self.relation = self.cte(f"SELECT {shown} FROM {self.source('p')}")
        self.names[name] = type_

    # ---- projection

    def _with(self, clause: Any) -> None:
        self._project(clause, None)

    def _project(self, clause: Any, texts: Sequence[str] | None) -> list[tuple[str, Type]]:
        if clause.group_by:
            raise Refused("GROUP BY is not supported: what is no aggregate is grouped by.")
        items = self._items(clause, texts)
        sums = [has_aggregate(each) for _, each in items]
        is_plain = not any(sums) and not clause.distinct
        values = self._grouped(items, sums) if any(sums) else self._selected(items, keep=is_plain)
        if clause.distinct:
            self._distinct(values)
        if not is_plain:
            self.names, self.has_order = {}, False
        projected = {name: Value(f"p.{_item(at)}", values[at].type) for at, (name, _) in enumerate(items)}
        known = [(each, Value(f"p.{_item(at)}", values[at].type)) for at, (_, each) in enumerate(items)]
        scope = self.scope("p", projected)
        scope.known = [each for each in known if not isinstance(each[0], ast.Identifier)] if is_plain else known
        self._sort(clause, scope, [f"p.{_item(at)}" for at in range(len(items))])
        where = getattr(clause, "where", None)
        if where is not None:
            if has_aggregate(where.this):
                raise Refused("Aggregates are not possible in WHERE.", "Compute them by WITH before.")
            said = condition(where.this, scope)
            self.relation = self.cte(f"SELECT * FROM {self.relation} p WHERE {said}")
        named = [f"p.{_item(at)} AS {column_of(name)}" for at, (name, _) in enumerate(items)]
        named += [f"p.{_ORDER}"] if self.has_order else []
        self.relation = self.cte(f"SELECT {', '.join(named)} FROM {self.relation} p")
        self.names = {name: value.type for (name, _), value in zip(items, values, strict=True)}
        return list(self.names.items())

    def _distinct(self, values: Sequence[Value]) -> None:
        """Keep one row of those whose items are the same."""
        columns = [f"p.{_item(at)}" for at in range(len(values))]
        keys = [
            key(Value(column, each.type)) for column, each in zip(columns, values, strict=True) if each.type != NULL
        ]
        shown = ", ".join(f"first({each}) AS {_item(at)}" if keys else each for at, each in enumerate(columns))
        grouped = f" GROUP BY {', '.join(keys)}" if keys else " LIMIT 1"
        self.relation = self.cte(f"SELECT {shown} FROM {self.relation} p{grouped}")

    def _sort(self, clause: Any, scope: Scope, items: Sequence[str]) -> None:
        """Sort the rows and number them, and keep those within SKIP and LIMIT."""
        keys, limits = self._sort_keys(clause, scope), self._limits(clause)
        shown, by = [*(f"p.{column_of(name)}" for name in self.names), *items], ""
        if keys:
            by = f" ORDER BY {', '.join(keys)}"
            shown.append(f"row_number() OVER ({by[1:]}) AS {_ORDER}")
        elif self.has_order:
            by = f" ORDER BY p.{_ORDER}"
            shown.append(f"p.{_ORDER}")
        if keys or limits:
            self.relation = self.cte(f"SELECT {', '.join(shown)} FROM {self.relation} p{by}{limits}")
        self.has_order = self.has_order or bool(keys)

    def _items(self, clause: Any, texts: Sequence[str] | None) -> list[tuple[str, Any]]:
        """The items with their names."""
        found: list[tuple[str, Any]] = []
        for at, each in enumerate(clause.expressions):
            if isinstance(each, ast.Star):
                if not self.names and texts is not None:
                    raise Refused("RETURN * has nothing to return.")
                found += [(name, ast.Identifier(this=name)) for name in sorted(self.names)]
            elif isinstance(each, ast.Alias):
                found.append((each.alias.this, each.this))
            elif isinstance(each, ast.Identifier):
                found.append((each.this, each))
            elif texts is None:
                raise Refused("An expression of WITH has no name.", "Name it by AS.")
            else:
                found.append((texts[at] if at < len(texts) else f"column{at}", each))
        names = [name for name, _ in found]
        if len(set(names)) < len(names):
            raise Refused("Two columns have the same name.", "Give them different names by AS.")
        return found

    def _selected(self, items: Sequence[tuple[str, Any]], *, keep: bool) -> list[Value]:
        scope = self.scope()
        scope.may_match = False
        values = [compiled(each, scope) for _, each in items]
        shown = [f"{_stored(value)} AS {_item(at)}" for at, value in enumerate(values)]
        self.relation = self.cte(
            f"SELECT {', '.join([*(self._kept() if keep else []), *shown]) or '1 AS one'} FROM {self.source('p')}"
        )
        return values

    def _grouped(self, items: Sequence[tuple[str, Any]], sums: Sequence[bool]) -> list[Value]:
        scope = self.scope()
        scope.may_match = False
        keys = {at: compiled(each, scope) for at, (_, each) in enumerate(items) if not sums[at]}
        shown = [*self._kept(), *(f'{_stored(value)} AS "k:{at}"' for at, value in keys.items())] or ["1 AS one"]
        keyed = self.cte(f"SELECT {', '.join(shown)} FROM {self.source('p')}")
        scope.sum_up = True
        # An expression beside an aggregate has only what is grouped by: variables and properties that are items.
        simple = {at: value for at, value in keys.items() if isinstance(items[at][1], ast.Identifier | ast.Property)}
        scope.known = [(items[at][1], Value(f'first(p."k:{at}")', value.type)) for at, value in simple.items()]
        values = [
            Value(f'first(p."k:{at}")', keys[at].type) if at in keys else compiled(each, scope)
            for at, (_, each) in enumerate(items)
        ]
        said = [key(Value(f'p."k:{at}"', value.type)) for at, value in keys.items() if value.type != NULL]
        # Without rows, keys that are all null leave no group either.
        grouped = f" GROUP BY {', '.join(said)}" if said else " GROUP BY 1 = 1" if keys else ""
        columns = ", ".join(f"{_stored(value)} AS {_item(at)}" for at, value in enumerate(values))
        self.relation = self.cte(f"SELECT {columns} FROM {keyed} p{grouped}")
        return values

    def _sort_keys(self, clause: Any, scope: Scope) -> list[str]:
        found: list[str] = []
        for each in clause.order.expressions if clause.order is not None else ():
            if has_aggregate(each.this) and not any(each.this == known for known, _ in scope.known):
                scope.sum_up = False
                if not any(has_aggregate(known) for known, _ in scope.known):
                    raise Refused("ORDER BY has an aggregate that is no item.", "Add it as an item.")
            if each.nulls:
                raise Refused("NULLS FIRST and NULLS LAST are not supported.")
            if not any(each.this == known for known, _ in scope.known) and has_aggregate(each.this):
                is_part = (ast.Identifier, ast.Property, ast.FunctionCall)
                scope = replace(scope, known=[one for one in scope.known if isinstance(one[0], is_part)])
            value = compiled(each.this, scope)
            if value.type != NULL:
                found.append(f"{sort_key(value)} {'DESC NULLS FIRST' if each.desc else 'ASC NULLS LAST'}")
        return found

    def _limits(self, clause: Any) -> str:
        said = ""
        for word, each in (("LIMIT", clause.limit), ("OFFSET", clause.skip)):
            if each is None:
                continue
            name = "SKIP" if word == "OFFSET" else word
            if each.this.find(ast.Identifier) is not None or has_aggregate(each.this):
                raise Refused(f"{name} takes a number that does not depend on rows.")
            value = compiled(each.this, Scope({}, self.tables, None, self.parameters, self.given, used=self.used))
            if value.type != INT:
                raise Refused(f"{name} takes a whole number.")
            wrong = failing(f"{name} takes a number that is not negative.")
            if isinstance(each.this, ast.Neg):
                raise Refused(f"{name} takes a number that is not negative.")
            said += f" {word} (SELECT CASE WHEN v < 0 THEN {wrong} ELSE v END FROM (SELECT {value.sql} AS v))"
        return said


def _stored(value: Value) -> str:
    return "CAST(NULL AS JSON)" if value.type == NULL else value.sql


def _item(at: int) -> str:
    return f'"i:{at}"'
