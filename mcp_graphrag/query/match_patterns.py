"""The patterns of MATCH, and those in expressions, as joins and recursions."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from cypherast import ast

from mcp_graphrag.query.aggregates import has_aggregate
from mcp_graphrag.query.asked import Refused
from mcp_graphrag.query.comparison import equal
from mcp_graphrag.query.cypher_values import (
    BOOL,
    INT,
    NODE,
    NULL,
    PATH,
    REL,
    Type,
    Value,
    failing,
    fresh,
    list_of,
    quoted,
    struct,
)
from mcp_graphrag.query.expressions import compiled, condition
from mcp_graphrag.query.graph_tables import Seeds, Steps
from mcp_graphrag.query.parse_query import elements_of, name_of
from mcp_graphrag.query.scope import Query, Scope

MAX_HOPS = 15
_ANY_NODE, _ANY_HOPS = 4, 2**30
_WAYS = {ast.Direction.OUTGOING: 1, ast.Direction.BOTH: 0}  # that of any other direction is -1
_ALONG = '(SELECT *, src AS "f.id", dst AS "t.id" FROM {0}'
_AGAINST = 'SELECT *, dst AS "f.id", src AS "t.id" FROM {0}'
_SHAPES = {1: f"{_ALONG})", -1: f"({_AGAINST})", 0: f"{_ALONG} UNION ALL {_AGAINST} WHERE src <> dst)"}
_TOO_LONG = f"Paths of more than {MAX_HOPS} relationships are not followed: give an upper bound, as in [*..{MAX_HOPS}]."


class Rows(Protocol):
    """The rows of a query so far, which a pattern is matched with; `ctes` are common table expressions by name."""

    query: Query
    relation: str
    names: dict[str, Type]
    ctes: dict[str, str]


class _Rel(NamedTuple):
    """The id of a relationship, or the list of those on a walk, and their types."""

    ids: str
    types: Sequence[str]
    is_list: bool = False


class _Walk(NamedTuple):
    """A path of several relationships: its pattern, the nodes at its ends and their patterns.

    With `keep` the nodes and relationships on it are wanted; `is_set` says that only its ends are, each pair once.
    """

    pattern: Any
    ends: tuple[Value, Value]
    end_patterns: tuple[Any, Any]
    keep: bool
    kind: str
    is_set: bool

    @property
    def hops(self) -> tuple[int, int | None]:
        """How many at least, and at most, None for no limit."""
        least = self.pattern.min_hops if self.pattern.min_hops is not None else 1
        return least, self.pattern.max_hops

    @property
    def limit(self) -> int:
        """How many to follow: one more than is allowed, to see that there are, where one path may go on in circles."""
        most = self.pattern.max_hops
        return most if most is not None else _ANY_HOPS if self.is_set or self.kind else MAX_HOPS + 1

    @property
    def types(self) -> Sequence[str]:
        """The types of the relationships, none for all."""
        return self.pattern.types or ()


@dataclass
class Match:
    """The patterns of a MATCH while they are compiled: the tables that are joined, conditions and new variables.

    In `is_set` the same match twice is as good as once. `names_in_where` are names that WHERE asks of variables.
    """

    rows: Rows
    outer: Scope
    is_set: bool = False
    may_define: bool = True
    names_in_where: Mapping[str, Any] = field(default_factory=dict[str, Any])
    sources: list[str] = field(default_factory=list[str])
    new: dict[str, Value] = field(default_factory=dict[str, Value])
    _said: list[str] = field(default_factory=list[str])
    _maps: list[tuple[Value, Any]] = field(default_factory=list[tuple[Value, Any]])
    _ids: dict[str, Sequence[int]] = field(default_factory=dict[str, Sequence[int]])  # by variable
    _rels: list[_Rel] = field(default_factory=list["_Rel"])

    def __post_init__(self) -> None:
        self._tables, self._uses = self.rows.query.tables, self.rows.query.uses

    def conditions(self) -> list[str]:
        """What holds of a match, beside what `different` says."""
        scope = self.outer.matched(self.new, with_patterns=False)
        return [
            *self._said,
            *(each for value, entries in self._maps for each in self._equalities(value, entries, scope)),
        ]

    def rels(self) -> list[str]:
        """The ids of the relationships of a match, of several as lists."""
        return [each.ids for each in self._rels]

    def different(self, rels: Sequence[str]) -> list[str]:
        """That no relationship stands twice in a match; `rels` are their ids, in the order of `rels()`."""
        said = list[str]()
        for at, (ids, one) in enumerate(zip(rels, self._rels, strict=True)):
            for others, other in zip(rels[:at], self._rels[:at], strict=True):
                if self._tables.is_apart(one.types, [other.types]):
                    continue
                if one.is_list and other.is_list:
                    said.append(f"NOT list_has_any(coalesce({ids}, []), coalesce({others}, []))")
                elif one.is_list or other.is_list:
                    listed, single = (ids, others) if one.is_list else (others, ids)
                    said.append(f"NOT list_contains(coalesce({listed}, []), {single})")
                else:
                    said.append(f"{ids} <> {others}")
        return said

    def add(self, paths: Sequence[Any]) -> None:
        """Add paths."""
        rels = [each for path in paths for each in elements_of(path)[1] if isinstance(each, ast.RelationshipPattern)]
        for path in paths:
            self._add(path, rels)

    def _add(self, path: Any, rels: Sequence[Any]) -> None:
        kind, elements = elements_of(path)
        name = name_of(path)
        if not all(isinstance(each, ast.NodePattern | ast.RelationshipPattern) for each in elements):
            raise Refused(f"{type(elements[0]).__name__} is not supported in this place.")
        if kind and (len(elements) != 3 or not elements[1].variable_length):
            raise Refused("A shortest path is of one relationship of several hops, as in (a)-[:calls*..8]->(b).")
        if name:
            self._check_new(name)
            if name in map(name_of, elements):
                raise Refused(f"Variable `{name}` is already defined.")
        aliases = [fresh("r") for _ in elements[1::2]]
        nodes = [
            self._node(each, elements[max(2 * at - 1, 0) : 2 * at + 2], self._end(aliases, at), whole=bool(name))
            for at, each in enumerate(elements[::2])
        ]
        parts: list[str] = [f"[{nodes[0].sql}]"]
        listed = list[str]()
        for at, (pattern, alias) in enumerate(zip(elements[1::2], aliases, strict=True)):
            ends = nodes[at], nodes[at + 1]
            self._said += [
                f"{alias}.{quoted(side + 'id')} = {node.id}"
                for side, node in zip(("f.", "t."), ends, strict=True)
                if node.row != (alias, side)
            ]
            if pattern.variable_length:
                keep = bool(name or name_of(pattern))
                others = [each.types or () for each in rels if each is not pattern]
                is_set = self.is_set and not (keep or kind or pattern.max_hops == 0) and (pattern.min_hops or 0) <= 1
                is_set = is_set and _way(pattern) != 0 and self._tables.is_apart(pattern.types or (), others)
                walk = _Walk(pattern, ends, (elements[2 * at], elements[2 * at + 2]), keep, kind, is_set)
                parts_of, listed_of = self._walk(walk, alias)
            else:
                parts_of, listed_of = f"[{ends[1].sql}]", f"[{self._edge(pattern, alias, whole=bool(name)).sql}]"
            parts.append(parts_of)
            listed.append(listed_of)
        if name:
            joined = {"nodes": _joined(parts), "rels": _joined(listed)}
            self._define(name, Value(struct(joined.items()), PATH))

    @staticmethod
    def _end(aliases: Sequence[str], at: int) -> tuple[str, str] | None:
        """Where the id of a node stands in a relationship of it."""
        if not aliases:
            return None
        return (aliases[at - 1], "t.") if at else (aliases[0], "f.")

    def _define(self, name: str, value: Value) -> None:
        if not self.may_define:
            raise Refused(f"Variable `{name}` is not defined.", "A pattern in an expression has no new variables.")
        self.new[name] = value

    def _check_new(self, name: str) -> None:
        if name in self.outer.names or name in self.new:
            raise Refused(f"Variable `{name}` is already defined.")

    def _node(self, pattern: Any, around: Sequence[Any], end: tuple[str, str] | None, *, whole: bool) -> Value:
        """A node; one of which only the id is wanted is read from a relationship, at `end`."""
        name, labels, (ids, entries) = name_of(pattern), _labels(pattern), self._entries(pattern)
        if pattern.where is not None or (pattern.labels is not None and pattern.labels.expression):
            raise Refused(
                "WHERE and expressions of labels inside of a node are not supported.", "Write WHERE n:A OR n:B."
            )
        value = self.new.get(name) or self.outer.names.get(name)
        if value is not None and value.type == NULL:
            value = None
            self._said.append("FALSE")
        if value is not None and value.type != NODE:
            raise Refused(f"`{name}` is no node.")
        if value is None:
            wanted = {*self._uses.of.get(name, ()), *entries, *(["type"] if labels else [])}
            whole = whole or self._uses.is_whole(name)
            if whole or wanted or end is None:
                alias = fresh("n")
                columns = self._tables.columns(NODE, None if whole else wanted)
                self.sources.append(f"{self._tables.nodes(labels or self._implied(pattern, around), columns)} {alias}")
                value = _in_row(NODE, (alias, ""), columns, whole=whole)
            else:
                value = _in_row(NODE, end, (), whole=False)
            if name and name not in self.outer.names:
                self._define(name, value)
        self._said += [self._tables.has_label(value, label) for label in labels]
        self._said += [f"{value.id} IN ({', '.join(map(str, ids)) or 'NULL'})"] if ids is not None else []
        self._maps.append((value, entries))
        return value

    def _implied(self, pattern: Any, around: Sequence[Any]) -> Sequence[str]:
        """The labels that a node has by the types of the relationships beside it."""
        for at, each in enumerate(around):
            if isinstance(each, ast.RelationshipPattern) and (way := _way(each)) != 0:
                is_start = (around[at - 1] is pattern) == (way > 0) if at else way < 0
                if labels := self._tables.labels_at_ends(each.types or ())[0 if is_start else 1]:
                    return labels
        return ()

    def _entries(self, pattern: Any) -> tuple[Sequence[int] | None, Mapping[str, Any]]:
        """The ids of the nodes with the name that a pattern or WHERE gives, and the properties beside it."""
        if pattern.properties is not None and not isinstance(pattern.properties, ast.Map):
            raise Refused("The properties of a pattern are written as {name: value}.")
        entries: dict[str, Any] = dict(pattern.properties.entries) if pattern.properties is not None else {}
        if not isinstance(pattern, ast.NodePattern):
            return None, entries
        ids = self._ids_named(entries.get("name"))
        if ids is not None:
            self._ids[name_of(pattern)] = ids
            return ids, {key: each for key, each in entries.items() if key != "name"}
        name = name_of(pattern)
        return self._ids.get(name, self._ids_named(self.names_in_where.get(name))), entries

    def _ids_named(self, name: Any) -> Sequence[int] | None:
        if isinstance(name, ast.String):
            return self._tables.named(name.this)
        return self._tables.named(self.rows.query.given.get(name.name)) if isinstance(name, ast.Parameter) else None

    def _equalities(self, value: Value, entries: Mapping[str, Any], scope: Scope) -> Iterator[str]:
        for name, each in entries.items():
            yield equal(self._tables.property(value, name), compiled(each, scope))

    def _edge(self, pattern: Any, alias: str, *, whole: bool) -> Value:
        """A single relationship."""
        if pattern.where is not None:
            raise Refused("WHERE inside of a relationship is not supported.", "Put it behind MATCH.")
        name, (_, entries) = name_of(pattern), self._entries(pattern)
        whole = whole or self._uses.is_whole(name)
        columns = self._tables.columns(REL, None if whole else {*self._uses.of.get(name, ()), *entries})
        edges = self._tables.edges(pattern.types or (), columns)
        self.sources.append(f"{_SHAPES[_way(pattern)].format(edges)} {alias}")
        value = _in_row(REL, (alias, ""), columns, whole=whole)
        if name in self.new:
            raise Refused(f"Variable `{name}` is already defined.", "A relationship stands once in a pattern.")
        if (known := self.outer.names.get(name)) is not None:
            if known.type not in (REL, NULL):
                raise Refused(f"`{name}` is no relationship.")
            self._said.append(f"{value.id} = {known.id}" if known.type == REL else "FALSE")
        elif name:
            self._define(name, value)
        self._maps.append((value, entries))
        self._rels.append(_Rel(value.id, pattern.types or ()))
        return value

    def _walk(self, walk: _Walk, alias: str) -> tuple[str, str]:
        """A path of several relationships: the nodes behind its first, and the relationships, in order."""
        name, (least, most) = name_of(walk.pattern), walk.hops
        self._check_walk(walk)
        ranks = [self._rank(*end) for end in zip(walk.ends, walk.end_patterns, strict=True)]
        from_right = ranks[1] < ranks[0]
        seeds = self._seeds(walk.ends[from_right], walk.end_patterns[from_right])
        far = None if max(ranks) == _ANY_NODE else not from_right
        goals = self._seeds(walk.ends[far], walk.end_patterns[far]) if far is not None else None
        walked = self._walked(walk, seeds, goals, from_right=from_right)
        reached = f"hops >= {max(least, 1)}" if not walk.is_set else "TRUE"
        if most is not None and not walk.is_set:
            reached += f" AND hops <= {most}"
        elif not walk.is_set and not walk.kind:
            reached += f" AND (CASE WHEN hops > {MAX_HOPS} THEN {failing(_TOO_LONG)} IS NULL ELSE TRUE END)"
        s, e = ("t.id", "f.id") if from_right else ("f.id", "t.id")
        found = f"SELECT s AS {quoted(s)}, e AS {quoted(e)}, ids, rels, nodes FROM {walked} WHERE {reached}"
        if least == 0:
            found += f" UNION {'' if walk.is_set else 'ALL '}SELECT id, id, NULL, NULL, NULL FROM ({seeds.sql})"
        self.sources.append(f"({found}) {alias}")
        if not walk.is_set:
            self._rels.append(_Rel(f"{alias}.ids", walk.types, is_list=True))
        rels, nodes = f"coalesce({alias}.rels, [])", f"coalesce({alias}.nodes, [])"
        if from_right and walk.keep:
            rels = f"list_reverse({rels})"
            nodes = f"list_slice(list_reverse(list_concat([{walk.ends[1].sql}], {nodes})), 2, len({nodes}) + 1)"
        if name:
            self._define(name, Value(rels, list_of(REL)))
        return nodes, rels

    def _check_walk(self, walk: _Walk) -> None:
        name, (least, most) = name_of(walk.pattern), walk.hops
        if name and (name not in self.outer.names or self.outer.names[name].type == NULL):
            self._check_new(name)
        elif name:
            raise Refused(
                f"Variable `{name}` is already defined, which is not supported for a path of several relationships."
            )
        if (most or 0) > MAX_HOPS or least > MAX_HOPS:
            raise Refused(
                f"A path of more than {MAX_HOPS} relationships is not followed.",
                f"Give at most {MAX_HOPS}, as in [*..{MAX_HOPS}].",
            )
        if walk.pattern.where is not None or walk.pattern.memgraph_quantifier:
            raise Refused("This form of a path is not supported.")

    def _walked(self, walk: _Walk, seeds: Seeds, goals: Seeds | None, *, from_right: bool) -> str:
        """The recursion over relationships, none of which stands twice in a path."""
        tables, most = self._tables, walk.hops[1]
        way = -_way(walk.pattern) if from_right else _way(walk.pattern)
        steps = Steps(seeds, goals, walk.types, way, walk.limit, walk.kind or "edges")
        within = tables.walked(steps, self.rows.ctes)
        if walk.kind and within is None:
            raise Refused("A shortest path is between few nodes.", "Name both ends, or MATCH them in a clause before.")
        _, entries = self._entries(walk.pattern)
        columns = tables.columns(REL, None if walk.keep else [*entries])
        made = ['x."id"', 'x."f.id" AS f', 'x."t.id" AS t', *(["i.seed", "i.hop"] if walk.kind else [])]
        source = f"{_SHAPES[way].format(tables.edges(walk.types, columns))} x"
        if walk.keep:
            of_nodes, ends = tables.columns(NODE, None), tables.labels_at_ends(walk.types)
            source += f' JOIN {tables.nodes(ends[1 if way > 0 else 0], of_nodes)} n ON n.id = x."t.id"'
            made += [f"{_in_row(NODE, ('n', ''), of_nodes, whole=True).sql} AS node"]
            made += [f"{_in_row(REL, ('x', ''), columns, whole=True).sql} AS rel"]
        source += f" JOIN {within} i ON i.id = x.id" if within else ""
        scope = Scope({}, self.outer.query)
        said = " AND ".join(self._equalities(_in_row(REL, ("x", ""), columns, whole=False), entries, scope)) or "TRUE"
        hop, found = fresh("h"), fresh("w")
        self.rows.ctes[hop] = f"SELECT {', '.join(made)} FROM {source} WHERE {said}"
        on = " AND h.seed = {} AND h.hop = {}" if walk.kind else ""
        lists = [("ids", "h.id"), *([("rels", "h.rel"), ("nodes", "h.node")] if walk.keep else [])]
        nothing = "".join(f", NULL AS {each}" for each in ("rels", "nodes")) if not walk.keep else ""
        if walk.is_set:
            # To one node lead as many paths as you like; each is reached once.
            hops = ("", "", "") if most is None else (", 1 AS hops", ", w.hops + 1", f" WHERE w.hops < {most}")
            pairs = fresh("w")
            self.rows.ctes[pairs] = (
                f"SELECT a.id AS s, h.t AS e{hops[0]} FROM ({seeds.sql}) a JOIN {hop} h ON h.f = a.id"
                f" UNION SELECT w.s, h.t{hops[1]} FROM {pairs} w JOIN {hop} h ON h.f = w.e{hops[2]}"
            )
            self.rows.ctes[found] = f"SELECT DISTINCT s, e, NULL AS ids, NULL AS rels, NULL AS nodes FROM {pairs}"
            return found
        begun = "".join(f", [{each}] AS {name}" for name, each in lists)
        further = "".join(f", list_append(w.{name}, {each})" for name, each in lists)
        rest = ", NULL, NULL" if nothing else ""
        self.rows.ctes[found] = (
            f"SELECT a.id AS s, h.t AS e{begun}{nothing}, 1 AS hops FROM ({seeds.sql}) a JOIN {hop} h ON h.f = a.id"
            f"{on.format('a.id', 1)}"
            f" UNION ALL SELECT w.s, h.t{further}{rest}, w.hops + 1 FROM {found} w JOIN {hop} h ON h.f = w.e"
            f"{on.format('w.s', 'w.hops + 1')} WHERE w.hops < {walk.limit}"
            f" AND NOT list_contains(w.ids, h.id)"
        )
        return found

    def _is_before(self, value: Value) -> bool:
        """Whether a node is known before the match."""
        return any(value is each for name, each in self.outer.names.items() if name in self.rows.names)

    def _rank(self, value: Value, pattern: Any) -> int:
        """The less, the fewer nodes an end of a walk is likely to be; _ANY_NODE for one of which nothing is said."""
        ids, entries = self._entries(pattern)
        return [ids is not None, self._is_before(value), bool(entries), bool(_labels(pattern)), True].index(True)

    def _seeds(self, start: Value, pattern: Any) -> Seeds:
        """The nodes that a walk may begin at."""
        ids, entries = self._entries(pattern)
        if ids is not None:
            return Seeds(f"SELECT unnest(CAST({[*ids]} AS BIGINT[])) AS id", ids)
        if self._is_before(start) and self.rows.relation:
            known = f"{self.rows.relation} p WHERE {start.id} IS NOT NULL"
            return Seeds(f"SELECT DISTINCT {start.id} AS id FROM {known}")
        labels, alias = _labels(pattern), fresh("n")
        constant = {name: each for name, each in entries.items() if each.find(ast.Identifier) is None}
        columns = self._tables.columns(NODE, {*constant, *(["type"] if labels else [])})
        value = _in_row(NODE, (alias, ""), columns, whole=False)
        said = [self._tables.has_label(value, label) for label in labels]
        said += self._equalities(value, constant, Scope({}, self.outer.query))
        nodes = f"{self._tables.nodes(labels, columns)} {alias}"
        return Seeds(f"SELECT {value.id} AS id FROM {nodes} WHERE {' AND '.join(said) or 'TRUE'}")


def conjuncts(where: Any) -> Sequence[Any]:
    """The conditions that AND joins."""
    return [*conjuncts(where.this), *conjuncts(where.expression)] if isinstance(where, ast.And) else [where]


def names_in(conditions: Sequence[Any]) -> Mapping[str, Any]:
    """The names that conditions ask of variables: `a.name = 'X'`."""
    found = dict[str, Any]()
    for each in conditions:
        if isinstance(each, ast.EQ) and isinstance(each.this, ast.Property) and each.this.name == "name":
            found |= {each.this.this.this: each.expression} if isinstance(each.this.this, ast.Identifier) else {}
    return found


def pattern_in(rows: Rows, node: Any, scope: Scope) -> Value:
    """A pattern in an expression, as a subquery of the rows so far: whether it has a match, how many, or their list."""
    if isinstance(node, ast.PatternPredicate):
        return Value(f"EXISTS (SELECT 1 {_subquery(rows, node.pattern, scope, is_set=True)})", BOOL)
    if isinstance(node, ast.CountSubquery):
        return Value(f"(SELECT count(*) {_subquery(rows, node.query, scope)})", INT)
    path = node.pattern
    if node.variable is not None:
        path = ast.PathPattern(variable=node.variable, elements=path.elements)
    match = Match(rows, scope)
    match.add([path])
    said, inner = match.conditions() + match.different(match.rels()), scope.matched(match.new)
    said += [condition(node.where.this, inner)] if node.where is not None else []
    made = compiled(node.projection, inner)
    shown = "CAST(NULL AS JSON)" if made.type == NULL else made.sql
    return Value(f"(SELECT coalesce(list({shown}), []) {_from(match.sources, said)})", list_of(made.type))


def _subquery(rows: Rows, pattern: Any, scope: Scope, *, is_set: bool = False) -> str:
    if isinstance(pattern, ast.PathPattern):
        match = Match(rows, scope, is_set=is_set, may_define=not is_set)
        match.add([pattern])
        return _from(match.sources, match.conditions() + match.different(match.rels()))
    clauses = list(pattern.clauses) if isinstance(pattern, ast.Query) else []
    last = clauses[-1] if clauses else None
    if isinstance(last, ast.Return) and not has_aggregate(last) and last.limit is None:
        clauses.pop()
    if not clauses or not all(isinstance(each, ast.Match) and not each.optional for each in clauses):
        raise Refused("Inside of EXISTS { } and COUNT { } only MATCH and WHERE are supported.")
    sources, said, inner = list[str](), list[str](), scope.matched({})
    for clause in clauses:
        match = Match(rows, inner, is_set=is_set)
        match.add(clause.pattern.paths)
        sources += match.sources
        said += match.conditions() + match.different(match.rels())
        inner = inner.matched(match.new)
        said += [condition(clause.where.this, inner)] if clause.where is not None else []
    return _from(sources, said)


def _from(sources: Sequence[str], said: Sequence[str]) -> str:
    return f"FROM {', '.join(sources) or '(SELECT 1)'} WHERE {' AND '.join(said) or 'TRUE'}"


def _labels(pattern: Any) -> Sequence[str]:
    return pattern.labels.labels if pattern.labels is not None else []


def _way(pattern: Any) -> int:
    """1 for a relationship along its arrow, -1 against it, 0 for both."""
    return _WAYS.get(pattern.direction, -1)


def _in_row(type_: Type, row: tuple[str, str], columns: Sequence[str], *, whole: bool) -> Value:
    """A node or relationship that stands in columns: as a map of them, or by its id."""
    found = Value("", type_, row)
    return found._replace(sql=struct((each, found.column(each)) for each in columns) if whole else found.id)


def _joined(lists: Sequence[str]) -> str:
    return f"list_concat({', '.join(lists)})" if len(lists) > 1 else "".join(lists) or "[]"
