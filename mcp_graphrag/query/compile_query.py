"""The clauses of Cypher as common table expressions, one after the other, of one SELECT.

The column of a variable is named "v:" and its name; a node or relationship is a map of its properties that are used.
Rows that ORDER BY has sorted have their number in the column "o".
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

from cypherast import ast

from mcp_graphrag.query.aggregates import aggregate, aggregates_in
from mcp_graphrag.query.asked import Refused
from mcp_graphrag.query.comparison import key, sort_key
from mcp_graphrag.query.cypher_types import ANY, INT, NULL, Type
from mcp_graphrag.query.cypher_values import Value, expanded, fresh, quoted, with_ctes
from mcp_graphrag.query.expressions import compiled, condition
from mcp_graphrag.query.graph_tables import GraphTables
from mcp_graphrag.query.match_patterns import Match, Rows, pattern_in
from mcp_graphrag.query.parse_query import UNNAMED, Statement, nodes_in, replaced
from mcp_graphrag.query.scope import Scope
from mcp_graphrag.query.variable_uses import find_uses

_ORDER = '"o"'
_INSENSITIVE = frozenset({"min", "max"})  # aggregates to which the same row twice is as good as once


class Compiled(NamedTuple):
    """One SELECT, and its columns with their types."""

    sql: str
    columns: Sequence[tuple[str, Type]]


def compile_query(statement: Statement, tables: GraphTables) -> Compiled:
    """A query as SQL. Raises Refused for what is wrong or not supported."""
    in_all, made = find_uses(statement.parts), list[Compiled]()
    tables.faults = [*statement.faults]
    for part in [each.copy() for each in statement.parts]:  # which gets the types of relationships without one
        tables.uses = replace(find_uses(part), named=in_all.named, all=in_all.all)
        try:
            made.append(_Rows(tables).compile(part))
        except Refused as fault:
            tables.faults.append(fault)
    if tables.faults:
        raise Refused.joined(tables.faults)
    return made[0] if len(made) == 1 else _union(made, distinct=statement.is_distinct)


def _union(queries: Sequence[Compiled], *, distinct: bool) -> Compiled:
    first = [name for name, _ in queries[0].columns]
    if any(sorted(name for name, _ in each.columns) != sorted(first) for each in queries):
        raise Refused("The parts of a UNION return columns of different names.", "Give them the same names by AS.")
    types = {name: Type.unified(dict(each.columns)[name] for each in queries) for name in first}
    selects = list[str]()
    for sql, columns in queries:
        own = {name: Value(f"u.{quoted(name)}", type_).converted(types[name]) for name, type_ in columns}
        selects.append(f"SELECT {', '.join(f'{own[name]} AS {quoted(name)}' for name in first)} FROM ({sql}) u")
    sql = " UNION ALL ".join(selects)
    if distinct:
        keys = ", ".join(key(Value(f"u.{quoted(name)}", types[name])) for name in first)
        items = ", ".join(f"first(u.{quoted(name)}) AS {quoted(name)}" for name in first)
        sql = f"SELECT {items} FROM ({sql}) u GROUP BY {keys}"
    return Compiled(sql, [(name, types[name]) for name in first])


@dataclass
class _Rows(Rows):
    """The rows of a query while it is compiled, clause by clause."""

    last: str = ""  # what orders and limits the rows of the last clause

    def compile(self, part: Any) -> Compiled:
        """The SELECT of a query without UNION."""
        for at, clause in enumerate(part.clauses):
            if isinstance(clause, ast.Match):
                self._match(clause, is_set=_is_set(part.clauses[at:]))
            elif isinstance(clause, ast.Unwind):
                self._unwind(clause)
            else:
                self._project(clause, is_last=isinstance(clause, ast.Return))
        shown = ", ".join(f"p.{_item(at)} AS {quoted(name)}" for at, name in enumerate(self.names))
        sql = with_ctes(self.ctes, f"SELECT {shown} FROM {self.relation} p{self.last}")
        return Compiled(sql, list(self.names.items()))

    def cte(self, sql: str) -> str:
        """The name of a common table expression that is added."""
        name = fresh("q")
        self.ctes[name] = sql
        return name

    def source(self, alias: str) -> str:
        """The rows so far, under an alias."""
        return f"{self.relation} {alias}" if self.relation else f"(SELECT 1) {alias}"

    def scope(self, more: Mapping[str, Value] | None = None) -> Scope:
        """What names mean in an expression over the rows so far, whose alias is `p`."""
        names = {name: Value(f"p.{_column(name)}", type_) for name, type_ in self.names.items()}
        return Scope({**names, **(more or {})}, self.tables, partial(pattern_in, self))

    def _kept(self) -> list[str]:
        """The columns of the rows so far."""
        return [f"p.{_column(name)}" for name in self.names] + ([f"p.{_ORDER}"] if self.has_order else [])

    # ---- reading clauses

    def _match(self, clause: Any, *, is_set: bool) -> None:
        match = Match(self, self.scope(), is_set)
        wheres = match.add(clause.pattern.paths, clause.where)
        kept, rows = self._kept(), self.source("p")
        if clause.optional:
            numbered = self.cte(f"SELECT {', '.join([*kept, 'row_number() OVER () AS r'])} FROM {rows}")
            rows = f"{numbered} p"
        made = [f"{value.sql} AS {_column(name)}" for name, value in match.new.items()]
        self.names |= {name: value.type for name, value in match.new.items()}
        where = f" WHERE {' AND '.join(match.said)}" if match.said else ""
        shown = [*(["p.r"] if clause.optional else []), *kept, *made] or ["1 AS one"]
        joined = f"FROM {', '.join([rows, *match.sources])}{where}"
        self.relation = self.cte(f"SELECT {', '.join(shown)} {joined}{f' LIMIT {2**62}' if wheres else ''}")
        if wheres:  # of what was joined before, as LIMIT sees to
            later = " AND ".join(condition(each, self.scope()) for each in wheres)
            self.relation = self.cte(f"SELECT * FROM {self.relation} p WHERE {later}")
        if clause.optional:
            # Only what the match needs is matched; rows without a match stay.
            new = [f"m.{_column(name)}" for name in match.new]
            columns = ", ".join([*kept, *new]) or "1 AS one"
            self.relation = self.cte(f"SELECT {columns} FROM {rows} LEFT JOIN {self.relation} m ON p.r = m.r")

    def _unwind(self, clause: Any) -> None:
        name = clause.alias.this
        if name in self.names:
            raise Refused(f"Variable `{name}` is already defined.")
        value = compiled(clause.expression, self.scope())
        sql, type_ = f"[{value.sql}]", value.type
        if value.type in (NULL, NULL.listed):
            sql, type_ = f"CAST({value.sql} AS JSON[])", ANY
        elif value.type == ANY:
            sql = expanded("as_items", value)
        elif value.type.kind == "list":
            sql, type_ = value.sql, value.type.of
        shown = ", ".join([*self._kept(), f"unnest({sql}) AS {_column(name)}"])
        self.relation = self.cte(f"SELECT {shown} FROM {self.source('p')}")
        self.names[name] = type_
        self.kinds.pop(name, None)

    # ---- projection

    def _project(self, clause: Any, *, is_last: bool) -> None:
        """Compile WITH, or RETURN, whose items stay in columns by their number."""
        items = self._items(clause, is_last=is_last)
        is_grouped = bool(clause.distinct or aggregates_in([each for _, each in items]))
        values = self._selected(self._grouped(items) if is_grouped else [each for _, each in items])
        made = {name: Value(f"p.{_item(at)}", values[at].type) for at, (name, _) in enumerate(items)}
        scope = self.scope(made)
        known = [(each, name) for name, each in items if is_grouped or not isinstance(each, ast.Identifier)]
        self._sort(clause, self._sort_keys(clause, scope, known), [*made.values()], is_last=is_last)
        if not is_last:
            said = f" WHERE {condition(clause.where.this, scope)}" if clause.where is not None else ""
            shown = [f"{value.sql} AS {_column(name)}" for name, value in made.items()]
            shown += [f"p.{_ORDER}"] if self.has_order else []
            self.relation = self.cte(f"SELECT {', '.join(shown)} FROM {self.relation} p{said}")
        self.names = {name: value.type for name, value in made.items()}
        aliases = {name: each.this for name, each in items if isinstance(each, ast.Identifier)}
        self.kinds = {name: self.kinds[each] for name, each in aliases.items() if each in self.kinds}

    def _sort(self, clause: Any, keys: Sequence[str], items: Sequence[Value], *, is_last: bool) -> None:
        """Sort the rows and number them, and keep those within SKIP and LIMIT."""
        limits = self._limits(clause)
        by = f" ORDER BY {', '.join(keys)}" if keys else f" ORDER BY p.{_ORDER}" if self.has_order else ""
        if is_last:
            self.last = f"{by}{limits}"
        elif keys or limits:
            number = f"row_number() OVER ({by[1:]}) AS {_ORDER}" if keys else f"p.{_ORDER}"
            shown = [f"p.{_column(name)}" for name in self.names]
            shown += [*(each.sql for each in items), *([number] if by else [])]
            self.relation = self.cte(f"SELECT {', '.join(shown)} FROM {self.relation} p{by}{limits}")
        self.has_order = bool(by)

    def _items(self, clause: Any, *, is_last: bool) -> list[tuple[str, Any]]:
        """The items with their names."""
        found: list[tuple[str, Any]] = []
        for each in clause.expressions:
            if isinstance(each, ast.Star):
                if not self.names and is_last:
                    raise Refused("RETURN * has nothing to return.")
                found += [
                    (name, ast.Identifier(this=name)) for name in sorted(self.names) if not name.startswith(UNNAMED)
                ]
            elif isinstance(each, ast.Alias | ast.Identifier):
                found.append((each.alias.this, each.this) if isinstance(each, ast.Alias) else (each.this, each))
            else:
                raise Refused("An expression of WITH has no name.", "Name it by AS.")
        if len(dict(found)) < len(found):
            raise Refused("Two columns have the same name.", "Give them different names by AS.")
        return found

    def _selected(self, items: Sequence[Any]) -> list[Value]:
        scope = replace(self.scope(), patterns=partial(pattern_in, self, is_item=True))
        values = [compiled(each, scope) for each in items]
        sql = ["CAST(NULL AS JSON)" if each.type == NULL else each.sql for each in values]
        shown = [*self._kept(), *(f"{each} AS {_item(at)}" for at, each in enumerate(sql))]
        self.relation = self.cte(f"SELECT {', '.join(shown) or '1 AS one'} FROM {self.source('p')}")
        return values

    def _grouped(self, items: Sequence[tuple[str, Any]]) -> list[Any]:
        """Group the rows by the items without aggregates; the items as expressions of these and of the aggregates."""
        keys = [each for _, each in items if not aggregates_in(each)]
        calls = aggregates_in([each for _, each in items])
        values = self._selected(keys)
        said = [key(Value(f"p.{_item(at)}", each.type)) for at, each in enumerate(values) if each.type != NULL]
        # Without rows, keys that are all null leave no group either.
        grouped = f" GROUP BY {', '.join(said)}" if said else " GROUP BY 1 = 1" if keys else ""
        made = [Value(f"first(p.{_item(at)})", each.type) for at, each in enumerate(values)]
        made += [self._aggregate(each) for each in calls]
        known = [(each, f"{UNNAMED}{at}") for at, each in enumerate([*keys, *calls])]
        shown = [f"{value.sql} AS {_column(name)}" for value, (_, name) in zip(made, known, strict=True)]
        self.relation = self.cte(f"SELECT {', '.join(shown)} FROM {self.relation} p{grouped}")
        self.names, self.has_order = {name: value.type for value, (_, name) in zip(made, known, strict=True)}, False
        found = [_over_items(each, known) for _, each in items]
        if any(isinstance(node, ast.PathPattern) for node in nodes_in(found)):
            raise Refused("A pattern beside an aggregate is not supported.", "Compute one of them by WITH before.")
        return found

    def _aggregate(self, call: Any) -> Value:
        """An aggregate of the rows so far."""
        if len(call.expressions) != 1:
            raise Refused(f"{call.name}() takes one argument.")
        if isinstance(call.expressions[0], ast.Star):
            return Value("count(*)", INT)
        order = f"p.{_ORDER}" if self.has_order else ""
        value = compiled(call.expressions[0], self.scope())
        return aggregate(str(call.name).lower(), value, order, distinct=bool(call.distinct))

    @staticmethod
    def _sort_keys(clause: Any, scope: Scope, known: Sequence[tuple[Any, str]]) -> list[str]:
        said = clause.order.expressions if clause.order is not None else ()
        orders = [(_over_items(each.this, known), each.desc) for each in said if not isinstance(each.this, ast.Literal)]
        if any(isinstance(node, ast.PathPattern) for node in nodes_in([each for each, _ in orders])):
            raise Refused("ORDER BY has a pattern that is no item.", "Name it by AS, and sort by its name.")
        if any(aggregates_in(each) for each, _ in orders):
            raise Refused("ORDER BY has an aggregate that is no item.", "Name it by AS, and sort by its name.")
        values = [(compiled(each, scope), "DESC NULLS FIRST" if down else "ASC NULLS LAST") for each, down in orders]
        return [f"{sort_key(value)} {way}" for value, way in values if value.type != NULL]

    @staticmethod
    def _limits(clause: Any) -> str:
        said = ""
        for word, name, each in (("LIMIT", "LIMIT", clause.limit), ("OFFSET", "SKIP", clause.skip)):
            if each is not None and (not isinstance(each.this, ast.Integer) or not 0 <= each.this.this < 2**63):
                raise Refused(f"{name} takes a whole number that is not negative, or a parameter.")
            said += f" {word} {each.this.this}" if each is not None else ""
        return said


def _over_items(node: Any, known: Sequence[tuple[Any, str]]) -> Any:
    """An expression with variables for what is known: beside an aggregate for variables, properties and aggregates."""
    if aggregates_in(node):
        known = [each for each in known if isinstance(each[0], ast.Identifier | ast.Property) or aggregates_in(each[0])]
    return replaced(node, known)


def _is_set(clauses: Sequence[Any]) -> bool:
    """Whether the same row of the first clause twice is as good as once: the next projection keeps one of them."""
    for clause in clauses:
        if isinstance(clause, ast.With | ast.Return):
            sums = [call for each in clause.expressions for call in aggregates_in(each)]
            is_insensitive = all(call.distinct or str(call.name).lower() in _INSENSITIVE for call in sums)
            return is_insensitive if sums else bool(clause.distinct)
    return False


def _column(name: str) -> str:
    """The column of a variable."""
    return quoted(f"v:{name}")


def _item(at: int) -> str:
    return f'"i:{at}"'
