"""The patterns of MATCH, and those in expressions, as joins and recursions."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from cypherast import ast

from mcp_graphrag.query.aggregates import has_aggregate
from mcp_graphrag.query.asked import Refused
from mcp_graphrag.query.comparison import equal
from mcp_graphrag.query.cypher_values import NODE, NULL, PATH, REL, Type, Value, failing, fresh, list_of, quoted
from mcp_graphrag.query.expressions import compiled, condition
from mcp_graphrag.query.scope import Scope, Tables

MAX_HOPS = 15
_DOUBLED = "(SELECT *, src AS f, dst AS t FROM {0} UNION ALL SELECT *, dst AS f, src AS t FROM {0} WHERE src <> dst)"
_FORWARD, _BACKWARD = "(SELECT *, src AS f, dst AS t FROM {0})", "(SELECT *, dst AS f, src AS t FROM {0})"


class Rows(Protocol):
    """The rows of a query so far, which a pattern is matched with."""

    tables: Tables
    relation: str
    names: dict[str, Type]
    ctes: list[str]


def column_of(name: str) -> str:
    """The column of a variable."""
    return quoted(f"v:{name}")


@dataclass
class Match:
    """The patterns of a MATCH while they are compiled: the tables that are joined, conditions and new variables."""

    query: Rows
    outer: Scope
    may_define: bool = True
    sources: list[str] = field(default_factory=list[str])
    new: dict[str, Value] = field(default_factory=dict[str, Value])
    _said: list[str] = field(default_factory=list[str])
    _maps: list[tuple[Value, Any]] = field(default_factory=list[tuple[Value, Any]])
    _rels: list[tuple[str, bool]] = field(default_factory=list[tuple[str, bool]])  # ids, and whether a list

    def conditions(self) -> list[str]:
        """What holds of a match."""
        scope = Scope(
            {**self.outer.names, **self.new},
            self.query.tables,
            None,
            self.outer.parameters,
            self.outer.given,
            used=self.outer.used,
            in_lambda=self.outer.in_lambda,
        )
        said = [*self._said]
        for value, entries in self._maps:
            if not isinstance(entries, ast.Map):
                raise Refused("The properties of a pattern are written as {name: value}.")
            for name, each in entries.entries:
                wanted = compiled(each, scope)
                by_name = self.query.tables.named(value, wanted) if name == "name" and value.type == NODE else None
                said.append(by_name or equal(self.query.tables.property(value, name), wanted))
        for at, (one, is_list) in enumerate(self._rels):
            for other, are_others in self._rels[:at]:
                if is_list and are_others:
                    said.append(f"NOT list_has_any(coalesce({one}, []), coalesce({other}, []))")
                elif is_list or are_others:
                    listed, single = (one, other) if is_list else (other, one)
                    said.append(f"NOT list_contains(coalesce({listed}, []), {single})")
                else:
                    said.append(f"{one} <> {other}")
        return said

    def path(self, path: Any) -> None:
        """Add a path."""
        elements = path.elements
        name = path.variable.this if path.variable is not None else ""
        if not all(isinstance(each, ast.NodePattern | ast.RelationshipPattern) for each in elements):
            raise Refused(f"{type(elements[0]).__name__} is not supported in this place.")
        if name:
            self._check_new(name)
            inside = (each.variable.this for each in elements if each.variable is not None)
            if name in inside:
                raise Refused(f"Variable `{name}` is already defined.")
        left = self._node(elements[0])
        nodes, rels = [f"[{left.sql}]"], list[str]()
        for at in range(1, len(elements), 2):
            relationship, right = elements[at], self._node(elements[at + 1])
            if relationship.variable_length:
                ends = elements[at - 1], elements[at + 1]
                nodes_of, rels_of = self._walk(relationship, left, right, ends, whole=bool(name))
                nodes.append(nodes_of)
                rels.append(rels_of)
            else:
                edge = self._edge(relationship, left, right)
                nodes.append(f"[{right.sql}]")
                rels.append(f"[{edge.sql}]")
            left = right
        if name:
            joined = [
                f"list_concat({', '.join(each)})" if len(each) > 1 else "".join(each) or "[]" for each in (nodes, rels)
            ]
            self._define(name, Value(f"{{'nodes': {joined[0]}, 'rels': {joined[1]}}}", PATH))

    def _define(self, name: str, value: Value) -> None:
        if not self.may_define:
            raise Refused(f"Variable `{name}` is not defined.", "A pattern in an expression has no new variables.")
        self.new[name] = value

    def _check_new(self, name: str) -> None:
        if name in self.outer.names or name in self.new:
            raise Refused(f"Variable `{name}` is already defined.")

    def _node(self, pattern: Any) -> Value:
        name = pattern.variable.this if pattern.variable is not None else ""
        labels: list[str] = pattern.labels.labels if pattern.labels is not None else []
        if pattern.where is not None or (pattern.labels is not None and pattern.labels.expression):
            raise Refused("WHERE and expressions of labels inside of a node are not supported.", "Put them into WHERE.")
        value = self.new.get(name) or self.outer.names.get(name)
        if value is not None and value.type == NULL:
            value = None
            self._said.append("FALSE")
        if value is not None and value.type != NODE:
            raise Refused(f"`{name}` is no node.")
        if value is None:
            alias = fresh("n")
            self.sources.append(f"{self.query.tables.nodes(labels)} {alias}")
            value = Value(self.query.tables.node(alias), NODE, alias)
            if name and name not in self.outer.names:
                self._define(name, value)
        self._said += [self.query.tables.has_label(value, label) for label in labels]
        if pattern.properties is not None:
            self._maps.append((value, pattern.properties))
        return value

    def _edge(self, pattern: Any, left: Value, right: Value) -> Value:
        """A single relationship."""
        if pattern.where is not None:
            raise Refused("WHERE inside of a relationship is not supported.", "Put it behind MATCH.")
        alias, name = fresh("r"), pattern.variable.this if pattern.variable is not None else ""
        edges = self.query.tables.edges(pattern.types or ())
        shape = {ast.Direction.BOTH: _DOUBLED, ast.Direction.OUTGOING: _FORWARD}.get(pattern.direction, _BACKWARD)
        self.sources.append(f"{shape.format(edges)} {alias}")
        self._said += [f"{alias}.f = {_id_of(left)}", f"{alias}.t = {_id_of(right)}"]
        value = Value(self.query.tables.edge(alias), REL, alias)
        if name in self.new:
            raise Refused(f"Variable `{name}` is already defined.", "A relationship stands once in a pattern.")
        if name in self.outer.names:
            if self.outer.names[name].type not in (REL, NULL):
                raise Refused(f"`{name}` is no relationship.")
            self._said.append(
                f"{alias}.id = {_id_of(self.outer.names[name])}" if self.outer.names[name].type == REL else "FALSE"
            )
        elif name:
            self._define(name, value)
        if pattern.properties is not None:
            self._maps.append((value, pattern.properties))
        self._rels.append((f"{alias}.id", False))
        return value

    def _walk(self, pattern: Any, left: Value, right: Value, ends: tuple[Any, Any], *, whole: bool) -> tuple[str, str]:
        """A path of several relationships: the nodes behind its first, and the relationships, in order."""
        name = pattern.variable.this if pattern.variable is not None else ""
        if name:
            if name in self.outer.names and self.outer.names[name].type != NULL:
                raise Refused(
                    f"Variable `{name}` is already defined, which is not supported for a path of several relationships."
                )
            self._check_new(name)
        least = pattern.min_hops if pattern.min_hops is not None else 1
        most = pattern.max_hops
        if (most or 0) > MAX_HOPS or least > MAX_HOPS:
            raise Refused(
                f"A path of more than {MAX_HOPS} relationships is not followed.",
                f"Give at most {MAX_HOPS}, as in [*..{MAX_HOPS}].",
            )
        if pattern.where is not None or pattern.memgraph_quantifier:
            raise Refused("This form of a path is not supported.")
        from_right = not self._is_before(left) and self._is_before(right)
        start, start_pattern = (right, ends[1]) if from_right else (left, ends[0])
        walked = self._walked(
            pattern, self._seeds(start, start_pattern), most, from_right=from_right, keep=whole or bool(name)
        )
        alias = fresh("w")
        long = failing(
            f"Paths of more than {MAX_HOPS} relationships are not followed: give an upper bound, as in [*..{MAX_HOPS}]."
        )
        limit = (
            f"(CASE WHEN hops > {MAX_HOPS} THEN {long} IS NULL ELSE TRUE END)" if most is None else f"hops <= {most}"
        )
        columns = "s, e, ids, rels, nodes"
        rows = f"SELECT {columns} FROM {walked} WHERE hops >= {max(least, 1)} AND {limit}"
        if least == 0:
            rows += f" UNION ALL SELECT id, id, NULL, NULL, NULL FROM ({self._seeds(start, start_pattern)})"
        self.sources.append(f"({rows}) {alias}")
        s, e = ("e", "s") if from_right else ("s", "e")
        self._said += [f"{alias}.{s} = {_id_of(left)}", f"{alias}.{e} = {_id_of(right)}"]
        self._rels.append((f"{alias}.ids", True))
        rels, nodes = f"coalesce({alias}.rels, [])", f"coalesce({alias}.nodes, [])"
        if from_right:
            rels = f"list_reverse({rels})"
            nodes = (
                f"list_slice(list_reverse(list_concat([{right.sql}], {nodes})), 2, len({nodes}) + 1)"
                if whole
                else nodes
            )
        if name:
            self._define(name, Value(rels, list_of(REL)))
        return nodes, rels

    def _walked(self, pattern: Any, seeds: str, most: int | None, *, from_right: bool, keep: bool) -> str:
        """The recursion over relationships, none of which stands twice in a path."""
        tables, walk = self.query.tables, fresh("w")
        direction = pattern.direction
        out, back = (_BACKWARD, _FORWARD) if from_right else (_FORWARD, _BACKWARD)
        shape = {ast.Direction.BOTH: _DOUBLED, ast.Direction.OUTGOING: out}.get(direction, back)
        edges = shape.format(tables.edges(pattern.types or ()))
        join = f" JOIN {tables.nodes(())} n ON n.id = x.t" if keep else ""
        rel, node = (tables.edge("x"), tables.node("n")) if keep else ("NULL", "NULL")
        wanted = ""
        if pattern.properties is not None:
            if not isinstance(pattern.properties, ast.Map):
                raise Refused("The properties of a pattern are written as {name: value}.")
            scope = Scope({}, tables, None, self.outer.parameters, self.outer.given, used=self.outer.used)
            each = [
                equal(tables.property(Value(tables.edge("x"), REL, "x"), name), compiled(value, scope))
                for name, value in pattern.properties.entries
            ]
            wanted = "".join(f" AND {one}" for one in each)
        rels, nodes = (f"list_append(w.rels, {rel})", f"list_append(w.nodes, {node})") if keep else ("NULL", "NULL")
        first = (f"[{rel}]", f"[{node}]") if keep else ("NULL", "NULL")
        self.query.ctes.append(
            f"{walk} AS (SELECT a.id AS s, x.t AS e, [x.id] AS ids, {first[0]} AS rels, {first[1]} AS nodes, 1 AS hops"
            f" FROM ({seeds}) a JOIN {edges} x ON x.f = a.id{join} WHERE TRUE{wanted}"
            f" UNION ALL SELECT w.s, x.t, list_append(w.ids, x.id), {rels}, {nodes}, w.hops + 1"
            f" FROM {walk} w JOIN {edges} x ON x.f = w.e{join}"
            f" WHERE w.hops < {MAX_HOPS + 1 if most is None else most} AND NOT list_contains(w.ids, x.id){wanted})"
        )
        return walk

    def _is_before(self, value: Value) -> bool:
        """Whether a node is known before the match."""
        return any(value is each for name, each in self.outer.names.items() if name in self.query.names)

    def _seeds(self, start: Value, pattern: Any) -> str:
        """The ids of the nodes that a walk may begin at."""
        tables = self.query.tables
        if self._is_before(start) and self.query.relation:
            column = column_of(next(name for name, each in self.outer.names.items() if each is start))
            return f"SELECT DISTINCT p.{column}.id AS id FROM {self.query.relation} p WHERE p.{column} IS NOT NULL"
        labels: list[str] = pattern.labels.labels if pattern.labels is not None else []
        alias = fresh("n")
        value = Value(tables.node(alias), NODE, alias)
        said = [tables.has_label(value, label) for label in labels]
        if isinstance(pattern.properties, ast.Map):
            scope = Scope({}, tables, None, self.outer.parameters, self.outer.given, used=self.outer.used)
            said += [
                equal(tables.property(value, name), compiled(each, scope))
                for name, each in pattern.properties.entries
                if each.find(ast.Identifier) is None
            ]
        where = f" WHERE {' AND '.join(said)}" if said else ""
        return f"SELECT {alias}.id AS id FROM {tables.nodes(labels)} {alias}{where}"


class PatternsOf:
    """Patterns in expressions, as subqueries of the rows so far."""

    def __init__(self, query: Rows) -> None:
        self._query = query

    def exists(self, pattern: Any, scope: Scope) -> str:
        """Whether a pattern, or the query of EXISTS { }, has a match."""
        return f"EXISTS (SELECT 1 {self._from(pattern, scope)})"

    def count(self, query: Any, scope: Scope) -> str:
        """How many matches it has."""
        return f"(SELECT count(*) {self._from(query, scope, may_define=True)})"

    def collected(self, comprehension: Any, scope: Scope) -> Value:
        """The list of what a pattern comprehension makes of each match."""
        path = comprehension.pattern
        if comprehension.variable is not None:
            path = ast.PathPattern(variable=comprehension.variable, elements=path.elements)
        match = Match(self._query, scope)
        match.path(path)
        said = match.conditions()
        inner = Scope(
            {**scope.names, **match.new}, scope.graph, scope.patterns, scope.parameters, scope.given, used=scope.used
        )
        if comprehension.where is not None:
            said.append(condition(comprehension.where.this, inner))
        made = compiled(comprehension.projection, inner)
        sql = _subquery(match.sources, said)
        shown = "CAST(NULL AS JSON)" if made.type == NULL else made.sql
        return Value(f"(SELECT coalesce(list({shown}), []) {sql})", list_of(made.type))

    def _from(self, pattern: Any, scope: Scope, *, may_define: bool = False) -> str:
        if isinstance(pattern, ast.PathPattern):
            match = Match(self._query, scope, may_define=may_define)
            match.path(pattern)
            return _subquery(match.sources, match.conditions())
        clauses = list(pattern.clauses) if isinstance(pattern, ast.Query) else []
        if (
            clauses
            and isinstance(clauses[-1], ast.Return)
            and not has_aggregate(clauses[-1])
            and clauses[-1].limit is None
        ):
            clauses.pop()
        if not clauses or not all(isinstance(each, ast.Match) and not each.optional for each in clauses):
            raise Refused("Inside of EXISTS { } and COUNT { } only MATCH and WHERE are supported.")
        names, sources, said = dict(scope.names), list[str](), list[str]()
        for clause in clauses:
            inner = Scope(names, scope.graph, scope.patterns, scope.parameters, scope.given, used=scope.used)
            match = Match(self._query, inner)
            for path in clause.pattern.paths:
                match.path(path)
            sources += match.sources
            said += match.conditions()
            names |= match.new
            if clause.where is not None:
                inner = Scope(names, scope.graph, scope.patterns, scope.parameters, scope.given, used=scope.used)
                said.append(condition(clause.where.this, inner))
        return _subquery(sources, said)


def _subquery(sources: Sequence[str], said: Sequence[str]) -> str:
    where = f" WHERE {' AND '.join(said)}" if said else ""
    return f"FROM {', '.join(sources) or '(SELECT 1)'}{where}"


def _id_of(value: Value) -> str:
    return f"{value.alias or value.sql}.id"
