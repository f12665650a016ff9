"""The patterns of MATCH, and those in expressions, as joins and recursions."""

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from cypherast import ast

from mcp_graphrag.model import Ids
from mcp_graphrag.query.aggregates import aggregates_in
from mcp_graphrag.query.asked import Refused
from mcp_graphrag.query.comparison import equal
from mcp_graphrag.query.cypher_types import BOOL, INT, NODE, NULL, PATH, REL, Type
from mcp_graphrag.query.cypher_values import Value, fresh, quoted, struct, with_ctes
from mcp_graphrag.query.expressions import as_day, compiled, condition
from mcp_graphrag.query.graph_tables import GraphTables
from mcp_graphrag.query.parse_query import COMPARED, UNNAMED, conditions_of, elements_of, name_of, nodes_in
from mcp_graphrag.query.scope import Scope
from mcp_graphrag.query.variable_uses import ALL_KINDS, ENTITY, Kinds, kinds_of, labels_of, way_of
from mcp_graphrag.query.walks import Nodes, Walk, ids_of, numbers_of

MAX_HOPS = 15
_MATCHED, _ANY_NODE, _ANY_HOPS = 1, 4, 2**30
_ALONG = '(SELECT *, src AS "f.id", dst AS "t.id" FROM {0}'
_AGAINST = 'SELECT *, dst AS "f.id", src AS "t.id" FROM {0}'
_MATCH_OR_LIST = (
    "Write EXISTS { … } for whether it has a match, COUNT { … } for how many, [(a)-[:calls]->(b) | b.name] for a list."
)
_SHAPES = {1: f"{_ALONG})", -1: f"({_AGAINST})", 0: f"{_ALONG} UNION ALL {_AGAINST} WHERE src <> dst)"}


@dataclass
class Rows:
    """The rows of a query so far, which a pattern is matched with; `ctes` are common table expressions by name."""

    tables: GraphTables
    relation: str = ""  # "" for the one row that a query begins with
    names: dict[str, Type] = field(default_factory=dict[str, Type])
    kinds: dict[str, Kinds] = field(default_factory=dict[str, Kinds])  # of the nodes that patterns have found
    ctes: dict[str, str] = field(default_factory=dict[str, str])
    has_order: bool = False


class _Node(NamedTuple):
    """A node of a path: its value, the kinds that it may be, and the ids of the nodes with its name, None for no name.

    The less the `rank`, the fewer nodes it is likely to be; it is _ANY_NODE for one of which nothing is said.
    """

    value: Value
    kinds: Kinds
    ids: Sequence[int] | None
    rank: int


@dataclass
class Match:
    """The patterns of a MATCH while they are compiled: the tables that are joined, conditions and new variables.

    In `is_set` the same match twice is as good as once. Without `may_define` a pattern has no new variables.
    """

    rows: Rows
    outer: Scope
    is_set: bool = False
    may_define: bool = True
    may_wait: bool = True  # whether what is given back may have walks
    sources: list[str] = field(default_factory=list[str])
    said: list[str] = field(default_factory=list[str])  # what holds of them
    new: dict[str, Value] = field(default_factory=dict[str, Value])

    def __post_init__(self) -> None:
        self._tables, self._uses = self.rows.tables, self.rows.tables.uses

    def add(self, paths: Sequence[Any], where: Any) -> Sequence[Any]:
        """Add paths, in which no relationship stands twice, and what is asked of them; the rest of that is given back.

        Of two variables that are compared otherwise than for equality, DuckDB would join all with all; and a walk in a
        condition begins at what is matched.
        """
        wheres = self._wheres = conditions_of(paths, where)
        shortest = {name_of(each) for each in paths if elements_of(each)[0]}
        if shortest & {name.this for each in wheres for name in each.find_all(ast.Identifier)}:
            raise Refused("A condition on a shortest path is not supported.", "Filter it by WITH behind MATCH.")
        self._rels = list[tuple[str, Sequence[str]]]()  # ids, types
        kinds = [self._kinds(elements_of(path)[1]) for path in paths]
        rels = [each for path in paths for each in elements_of(path)[1][1::2]]
        for path, of_nodes in zip(paths, kinds, strict=True):
            self._add(path, of_nodes, rels)
        for (ids, types), (others, other_types) in combinations(self._rels, 2):
            if not self._tables.is_apart(types, [other_types]):
                self.said.append(f"NOT list_has_any({ids}, {others})")  # no comparison, as `<>` would be
        self._say([each for each in self._wheres if not (_compares_two(each) or (self.may_wait and _walks(each)))])
        return self._wheres

    def _say(self, wheres: Sequence[Any]) -> None:
        """Say conditions of what is matched so far, which are those of WHERE that are not yet said."""
        scope = self.outer.matched(self.new)
        self.said += [condition(each, scope) for each in wheres]
        self._wheres = [each for each in self._wheres if each not in wheres]

    def _kinds(self, elements: Sequence[Any]) -> list[Kinds]:
        """The kinds of the nodes of a path; relationships without types get those that its nodes can have."""
        if not all(isinstance(each, ast.NodePattern | ast.RelationshipPattern) for each in elements):
            raise Refused(f"{type(elements[0]).__name__} is not supported in this place.")
        nodes = elements[::2]
        said = [kinds_of(labels_of(each)) or self._kinds_of(name_of(each)) for each in nodes]
        found = [*said]
        for at, rel in enumerate(elements[1::2]):
            rel.types, ends = self._tables.between(
                rel.types or (), way_of(rel), (said[at], said[at + 1]), is_walk=bool(rel.variable_length)
            )
            for place, kinds in zip((at, at + 1), ends, strict=True):
                found[place] = (found[place] & kinds) or found[place] or kinds
        return [each or frozenset({ENTITY}) for each in found]

    def _kinds_of(self, name: str) -> Kinds:
        """The kinds of a variable, which are all where it comes from an expression; none where nothing is said."""
        if name in self.outer.names:
            return self.rows.kinds.get(name, ALL_KINDS)
        return self._uses.kinds.get(name, frozenset())

    def _add(self, path: Any, kinds: Sequence[Kinds], rels: Sequence[Any]) -> None:
        (kind, elements), name = elements_of(path), name_of(path)
        if kind and (len(elements) != 3 or not elements[1].variable_length):
            raise Refused("A shortest path is of one relationship of several hops, as in (a)-[:calls*..8]->(b).")
        aliases = [fresh("r") for _ in elements[1::2]]
        places = [(each, side) for each in aliases for side in ("f.", "t.")]  # where the ids of nodes stand
        left = self._node(elements[0], kinds[0], places[0] if places else None, whole=bool(name))
        parts, listed = [f"[{left.value.sql}]"], list[str]()
        named = {name, *map(name_of, elements[1::2])} - {""}
        # Of a path of which only the length is asked, the ids of the relationships are enough.
        is_measured = len(elements) == 3 and bool(named) and named <= self._uses.measured and not self._uses.all
        for at, (pattern, alias) in enumerate(zip(elements[1::2], aliases, strict=True)):
            left = left._replace(rank=min(left.rank, _MATCHED)) if at else left
            ends = left, self._node(elements[2 * at + 2], kinds[at + 1], places[2 * at + 1], whole=bool(name))
            self.said += [
                f"{alias}.{quoted(side + 'id')} = {node.value.id}"
                for side, node in zip(("f.", "t."), ends, strict=True)
                if node.value.row != (alias, side)
            ]
            if pattern.variable_length:
                others = [each.types for each in rels if each is not pattern]
                keep = "ids" if is_measured else "all" if name or name_of(pattern) else ""
                part, rel = self._walk(pattern, ends, alias, kind, others, keep)
            else:
                part, rel = f"[{ends[1].value.sql}]", f"[{self._edge(pattern, alias, whole=bool(name)).sql}]"
            parts.append(part)
            listed.append(rel)
            left = ends[1]
        joined = {"nodes": "[]" if is_measured else _joined(parts), "rels": _joined(listed)}
        self._define(name, Value(struct(joined.items()), PATH))

    def _define(self, name: str, value: Value) -> None:
        """Let a variable that is new, if any, be a value."""
        if name and not (self.may_define or name.startswith(UNNAMED)):
            raise Refused(f"Variable `{name}` is not defined.", "A pattern in an expression has no new variables.")
        if name and (name in self.outer.names or name in self.new):
            raise Refused(f"Variable `{name}` is already defined.", "A relationship or path is named once.")
        self.new |= {name: value} if name else {}

    def _node(self, pattern: Any, kinds: Kinds, end: tuple[str, str] | None, *, whole: bool) -> _Node:
        """A node; one of which only the id is wanted is read from a relationship, at `end`."""
        name, labels, entries = name_of(pattern), labels_of(pattern), _entries(pattern)
        ids = self._ids_named(entries.get("name"))
        if ids is not None:
            entries = {key: each for key, each in entries.items() if key != "name"}
        value = self.new.get(name) or self.outer.names.get(name)
        is_matched = value is not None and bool(self._among(value))
        if value is not None and value.type != NODE:
            raise Refused(f"`{name}` is no node.")
        if value is None:
            used: set[str] = {*self._uses.of.get(name, ()), *entries}
            if self._uses.kinds.get(name, kinds) <= kinds:  # else the name is also that of something else
                self._tables.use_properties(kinds, labels, used)
            wanted = {*used, *(["type"] if labels else [])}
            whole = whole or self._uses.is_whole(name)
            if whole or wanted or end is None:
                columns = self._tables.columns(NODE, None if whole else wanted)
                end = (fresh("n"), "")
                self.sources.append(f"{self._tables.nodes(kinds, columns)} {end[0]}")
                value = _in_row(NODE, end, columns)
            else:
                value = _in_row(NODE, end, ["id"])
            self._define(name, value)
            self.rows.kinds[name] = kinds
        self.said += [self._tables.has_label(value, label) for label in labels]
        self.said += [f"{value.id} IN ({', '.join(map(str, ids)) or 'NULL'})"] if ids is not None else []
        self.said += self._equalities(value, entries, self.outer.matched(self.new))
        known = {name, *self.new, *self.outer.names}
        own = [each for each in self._wheres if name in _variables_in(each) <= known and not _compares_two(each)]
        self._say(own)
        rank = [ids is not None, is_matched, bool(entries or own), bool(labels), True].index(True)
        return _Node(value, kinds, ids, rank)

    def _among(self, node: Value) -> str:
        """What follows FROM where the nodes are that a variable may be, "" for anywhere.

        That are the rows so far, and what is matched so far and has to do with the node. Conditions on what is outside
        of a subquery are left out: it stands alone, to find where a walk begins.
        """
        rows = [f"{self.rows.relation} p"] if self.rows.relation else []
        if node.row is None:
            return "".join(rows)
        sources = {each.rpartition(" ")[2]: each for each in [*rows, *self.sources]}
        said = [(each, {*re.findall(r'(\w+)\."', each)}) for each in self.said]
        said = [(each, names) for each, names in said if names <= sources.keys()]
        near, more = set[str](), {node.row[0]} & sources.keys()
        while more - near:
            near |= more
            more = near.union(*(names for _, names in said if names & near))
        where = " AND ".join(each for each, names in said if names <= near) or "TRUE"
        return f"{', '.join(sources[each] for each in sources if each in near)} WHERE {where}" if near else ""

    def _ids_named(self, name: Any) -> Sequence[int] | None:
        return self._tables.named(name.this) if isinstance(name, ast.String) else None

    def _equalities(self, value: Value, entries: Mapping[str, Any], scope: Scope) -> Iterator[str]:
        for name, each in entries.items():
            yield equal(self._tables.property(value, name), compiled(as_day(each, name), scope))

    def _edge(self, pattern: Any, alias: str, *, whole: bool) -> Value:
        """A single relationship."""
        name, entries = name_of(pattern), _entries(pattern)
        whole = whole or self._uses.is_whole(name)
        columns = self._tables.columns(REL, None if whole else {*self._uses.of.get(name, ()), *entries})
        self.sources.append(
            f"{_SHAPES[way_of(pattern)].format(self._tables.edges(pattern.types, columns, way_of(pattern)))} {alias}"
        )
        value = _in_row(REL, (alias, ""), columns)
        self._define(name, value)
        self.said += self._equalities(value, entries, self.outer.matched(self.new))
        self._rels.append((f"[{value.id}]", pattern.types))
        return value

    def _walk(
        self, pattern: Any, ends: tuple[_Node, _Node], alias: str, kind: str, others: Sequence[Any], keep: str
    ) -> tuple[str, str]:
        """A path of several relationships: the nodes behind its first, and the relationships, in order.

        It is a shortest one of a `kind`; `others` are the types of the other relationships of the match. What is wanted
        of the nodes and relationships on it says `keep`: "all", the "ids" of these, or "" for nothing.
        """
        least = pattern.min_hops if pattern.min_hops is not None else 1
        _check_hops(pattern, kind, least)
        # Whether only its ends are wanted, each pair once.
        is_set = self.is_set and not (keep or kind or pattern.max_hops == 0) and least <= 1
        is_set = is_set and self._tables.is_apart(pattern.types, others)
        # Where one path may go on in circles, one more hop than is allowed is followed, to see that there are more.
        most = pattern.max_hops if pattern.max_hops is not None else _ANY_HOPS if is_set or kind else MAX_HOPS + 1
        is_turned = ends[1].rank < ends[0].rank
        start, goal = ends[::-1] if is_turned else ends
        has_goals = goal.rank < _ANY_NODE and not is_set
        starts, goals = self._numbers(start), self._numbers(goal) if has_goals else None
        edges = self._edges_of(pattern, starts, most, goals if kind else None, is_turned=is_turned)
        first, last = (numbers_of(edges[each]) for each in ("near", "far"))
        walk = Walk(edges["id"], first, last, starts, goals, most, is_turned, self._tables.check_time)
        if is_set:
            source = self._tables.table(walk.reached(least, both=way_of(pattern) == 0))
        else:
            paths, steps = walk.paths(kind, least)
            if most == MAX_HOPS + 1 == abs(steps["hop"]).max(initial=0):
                raise _too_long()
            source = self._tables.table(paths)
            if keep or others:
                lists = self._lists(pattern, steps, keep=keep == "all")
                source = f"(SELECT * FROM {source} LEFT JOIN ({lists}) USING (path))"
            self._rels.append((f'coalesce({alias}."ids", [])', pattern.types))
        self.sources.append(f"{source} {alias}")
        rels, nodes = f'coalesce({alias}."{"ids" if keep == "ids" else "rels"}", [])', f'coalesce({alias}."nodes", [])'
        self._define(name_of(pattern), Value(rels, REL.listed))
        return nodes, rels

    def _edges_of(
        self, pattern: Any, starts: Nodes, most: int, goals: Nodes | None, *, is_turned: bool
    ) -> Mapping[str, Ids]:
        """The edges that a walk from some nodes may go over, each with the node behind and before it.

        In memory those near the nodes are found, which is faster than to read all.
        """
        entries, way = _entries(pattern), way_of(pattern)
        way_on = -way if is_turned else way
        if not entries:
            until = ids_of(goals) if goals is not None else None
            found = self._tables.walked(pattern.types, way_on, ids_of(starts), most, until)
            if found is not None:
                return found
        columns = self._tables.columns(REL, {*entries})
        source = _SHAPES[way].format(self._tables.edges(pattern.types, columns, way))
        said = self._equalities(_in_row(REL, ("x", ""), columns), entries, Scope({}, self._tables))
        near, far = ("t.id", "f.id") if is_turned else ("f.id", "t.id")
        shown, where = f'x.id, x."{near}" AS near, x."{far}" AS far', " AND ".join(said) or "TRUE"
        return self._tables.numbers(f"SELECT {shown} FROM {source} x WHERE {where}")

    def _lists(self, pattern: Any, steps: Mapping[str, Ids], *, keep: bool) -> str:
        """For each path the ids of the relationships on it, and with `keep` these and the nodes, in lists."""
        tables, on_path = self._tables, self._tables.table(steps)
        made, source = ["list(w.id ORDER BY w.hop) AS ids"], f"{on_path} w"
        if keep:
            of_rels, of_nodes = tables.columns(REL, None), tables.columns(NODE, None)
            _, (kinds, _) = tables.between(pattern.types, 0, (frozenset(), frozenset()), is_walk=True)
            edges = f"{tables.edges(pattern.types, of_rels)} WHERE id IN (SELECT id FROM {on_path})"
            source += f" JOIN (SELECT DISTINCT ON (id) * FROM {edges}) x ON x.id = w.id"
            source += f" JOIN {tables.nodes(kinds, of_nodes)} n ON n.id = w.node"
            made += [f"list({_in_row(REL, ('x', ''), of_rels).sql} ORDER BY w.hop) AS rels"]
            made += [f"list({_in_row(NODE, ('n', ''), of_nodes).sql} ORDER BY w.hop) AS nodes"]
        return f"SELECT w.path, {', '.join(made)} FROM {source} GROUP BY w.path"

    def _numbers(self, node: _Node) -> Nodes:
        """The nodes that a walk may begin or end at."""
        if node.ids is not None:
            return numbers_of(np.array(node.ids, dtype=np.int64))
        among = self._among(node.value)
        found = f"{node.value.id} AS id FROM {among}" if among else f"id FROM {self._tables.nodes(node.kinds, ['id'])}"
        sql = with_ctes(self.rows.ctes, f"SELECT id FROM (SELECT DISTINCT {found}) WHERE id IS NOT NULL")
        return numbers_of(self._tables.numbers(sql)["id"])


def _too_long() -> Refused:
    fact = f"Paths of more than {MAX_HOPS} relationships are not followed."
    return Refused(fact, f"Give an upper bound, as in [*..{MAX_HOPS}].")


def _check_hops(pattern: Any, kind: str, least: int) -> None:
    if pattern.where is not None:
        raise Refused("WHERE inside of a path of several relationships is not supported.", "Put it behind MATCH.")
    if max(pattern.max_hops or 0, least) > MAX_HOPS:
        raise _too_long()
    if kind and least > 1:
        raise Refused(
            "A shortest path has no least number of hops.",
            "Write p = (a)-[:calls*2..8]->(b) … ORDER BY length(p) LIMIT 1.",
        )


def pattern_in(rows: Rows, node: Any, scope: Scope, *, is_item: bool = False) -> Value:
    """A pattern in an expression, as a subquery of the rows so far: whether it has a match, how many, or their list."""
    if is_item and isinstance(node, ast.PatternPredicate) and isinstance(node.pattern, ast.PathPattern):
        raise Refused("A pattern stands outside of WHERE.", _MATCH_OR_LIST)
    scope = replace(scope, patterns=partial(pattern_in, rows))
    if isinstance(node, ast.PatternPredicate):
        return Value(f"EXISTS (SELECT 1 {_subquery(rows, node.pattern, scope, is_set=True)})", BOOL)
    if isinstance(node, ast.CountSubquery):
        return Value(f"(SELECT count(*) {_subquery(rows, node.query, scope)})", INT)
    path = ast.PathPattern(variable=node.variable, elements=node.pattern.elements)
    found, inner = _matched(rows, [([path], node.where)], scope)
    made = compiled(node.projection, inner)
    shown = "CAST(NULL AS JSON)" if made.type == NULL else made.sql
    return Value(f"(SELECT coalesce(list({shown}), []) {found})", made.type.listed)


def _subquery(rows: Rows, pattern: Any, scope: Scope, *, is_set: bool = False) -> str:
    if isinstance(pattern, ast.PathPattern):
        return _matched(rows, [([pattern], None)], scope, is_set=is_set, may_define=False)[0]
    clauses = list(pattern.clauses) if isinstance(pattern, ast.Query) else []
    last = clauses[-1] if clauses else None
    is_plain = isinstance(last, ast.Return) and not (aggregates_in(last) or last.limit or last.skip or last.distinct)
    if is_plain:
        clauses.pop()
    if not clauses or not all(isinstance(each, ast.Match) and not each.optional for each in clauses):
        raise Refused(
            "Inside of EXISTS { } and COUNT { } only MATCH and WHERE are supported.",
            "Leave the rest out; to count what is distinct write MATCH … WITH n, count(DISTINCT x) AS number.",
        )
    return _matched(rows, [(each.pattern.paths, each.where) for each in clauses], scope, is_set=is_set)[0]


def _matched(
    rows: Rows, parts: Sequence[tuple[Any, Any]], scope: Scope, *, is_set: bool = False, may_define: bool = True
) -> tuple[str, Scope]:
    """FROM and WHERE of paths and their conditions, one after the other, and what names mean with them."""
    match = Match(rows, scope, is_set, may_define, may_wait=False)
    for paths, where in parts:
        others = match.add(paths, where)
        match.said += [condition(each, scope.matched(match.new)) for each in others]
    where = " AND ".join(match.said) or "TRUE"
    return f"FROM {', '.join(match.sources) or '(SELECT 1)'} WHERE {where}", scope.matched(match.new)


def _variables_in(where: Any) -> Set[str]:
    """The variables that a condition is about; none for one with a pattern."""
    nodes = [*nodes_in(where)]
    has_pattern = any(isinstance(each, ast.PathPattern | ast.Query) for each in nodes)
    return {each.this for each in nodes if isinstance(each, ast.Identifier)} if not has_pattern else frozenset()


def _walks(where: Any) -> bool:
    """Whether a condition has a pattern of several relationships."""
    return any(isinstance(each, ast.RelationshipPattern) and each.variable_length for each in nodes_in(where))


def _compares_two(where: Any) -> bool:
    """Whether a condition compares two variables otherwise than for equality."""
    return isinstance(where, COMPARED) and not isinstance(where, ast.EQ) and len(_variables_in(where)) > 1


def _entries(pattern: Any) -> Mapping[str, Any]:
    """The properties that a pattern gives."""
    if pattern.properties is not None and not isinstance(pattern.properties, ast.Map):
        raise Refused("The properties of a pattern are written as {name: value}.")
    return dict(pattern.properties.entries) if pattern.properties is not None else {}


def _in_row(type_: Type, row: tuple[str, str], columns: Sequence[str]) -> Value:
    """A node or relationship that stands in columns, as a map of them."""
    found = Value("", type_, row)
    return found._replace(sql=struct((each, found.column(each)) for each in columns))


def _joined(lists: Sequence[str]) -> str:
    return f"list_concat({', '.join(lists)})" if len(lists) > 1 else "".join(lists) or "[]"
