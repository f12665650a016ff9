"""Why a query finds nothing: its matches asked again with one condition less, or an arrow turned; and what labels hide.

Why-not answers by relaxation, as in Tran and Chan, "How to ConQueR why-not questions", SIGMOD 2010.
"""

import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import lru_cache, reduce
from itertools import chain, combinations
from typing import Any, NamedTuple

from cypherast import ast

from mcp_graphrag.errors import BadInput
from mcp_graphrag.query.asked import Refused
from mcp_graphrag.query.compile_query import compile_query
from mcp_graphrag.query.graph_tables import EDGES, GraphTables
from mcp_graphrag.query.parse_query import Statement, conjuncts, elements_of, name_of, nodes_in, parse_query
from mcp_graphrag.query.variable_uses import ALL_KINDS, labels_of, names_in
from mcp_graphrag.store.rows.entity_rows import type_key

MAX_CHANGES = 10  # of a clause
MAX_TOLD, MAX_TYPES, MAX_TEXT = 3, 5, 120
_SHOWN = " shown"  # the variable of a node or relationship that has none
_GUESSED = frozenset({"labels", "direction", "types"})  # parts of which two may be wrong at once
_PATTERNS = (ast.PatternPredicate, ast.CountSubquery, ast.PatternComprehension)
_TURNED = {ast.Direction.OUTGOING: ast.Direction.INCOMING, ast.Direction.INCOMING: ast.Direction.OUTGOING}

_Count = tuple[str | None, int, str | None]  # a type, how many, and the name of one


class OutOfTimeError(Exception):
    """A note would take too long."""


class _Change(NamedTuple):
    """A part of a tree that gets another value: one condition less, or an arrow turned.

    `counts` is what the rows are counted by: the types of the node or the relationship, if it is one.
    """

    said: str
    part: Any
    key: str
    value: Any
    counts: str = ""
    entry: Sequence[tuple[str, Any]] = ()  # the property that is left out


def notes_on_matches(tables: GraphTables, parts: Sequence[Any], end: float, *, is_empty: bool) -> Iterator[str]:
    """What each MATCH and pattern that has no match has with less; and what the labels of the others hide.

    Each is asked together with the clauses before it; a MATCH that an answer with rows cannot do without, is not.
    """
    for part in parts:
        before = list[Any]()
        for clause in part.clauses:
            where = clause.args.get("where")
            bare = _changed(clause, where=None)
            for tree, rows in ((bare, before), (where, [*before, bare])):
                for node in nodes_in(tree):
                    for match in _matches_in(node):
                        found = [*_of_nothing(tables, rows, match, end)]
                        is_counted = not isinstance(node, ast.PatternPredicate)
                        yield from found or (_hidden(tables, rows, match, end, is_empty=False) if is_counted else ())
            is_match, is_optional = isinstance(clause, ast.Match), clause.args.get("optional")
            asked, found = _changed(clause, optional=False), list[str]()
            if is_optional or (is_empty and (is_match or where is not None)):
                found = [*_of_nothing(tables, before, asked, end)]
                yield from found
            if found and not is_optional:
                break
            if is_match and not found:
                yield from _hidden(tables, before, asked, end, is_empty=is_empty)
            before.append(clause)


def notes_on_patterns(tables: GraphTables, parts: Sequence[Any], end: float) -> Iterator[str]:
    """The same of the patterns alone of a query that is refused, each with those before it up to a WITH."""
    for part in parts:
        before = list[Any]()
        for each in part.clauses:
            if isinstance(each, ast.With):
                before.clear()
            if isinstance(each, ast.Match):
                clause = _changed(each, where=None, optional=False)
                found = [*_of_nothing(tables, before, clause, end)]
                yield from found or _hidden(tables, before, clause, end, is_empty=True)
                before += [] if found else [clause]


def rows_of(tables: GraphTables, clauses: Sequence[Any], end: float, limit: int) -> Sequence[Any] | None:
    """The rows of other clauses, None where these are refused. Raises OutOfTimeError at the `end`."""
    tables.query, tables.deadline = replace(tables.query, seconds=max(end - time.monotonic(), 0.001)), end
    try:
        made = compile_query(Statement([ast.Query(clauses=[*clauses])], is_distinct=False, faults=[]), tables)
        return tables.snapshot.tx.bounded_rows(made.sql, {}, seconds=tables.query.seconds, limit=limit)[0]
    except Refused:
        return None
    except BadInput as error:
        raise OutOfTimeError from error


def _matches_in(node: Any) -> Iterator[Any]:
    """The MATCH that a pattern in an expression stands for."""
    pattern = node.args.get("pattern") or node.args.get("query") if isinstance(node, _PATTERNS) else None
    if isinstance(pattern, ast.Query):
        matches = [each for each in pattern.clauses if isinstance(each, ast.Match)]
        yield from matches if len(matches) == 1 else ()
    elif pattern is not None and len(pattern.elements) > 1:
        path = ast.PathPattern(elements=pattern.elements)
        yield ast.Match(pattern=ast.Pattern(paths=[path]), where=node.args.get("where"))


def _of_nothing(tables: GraphTables, before: Sequence[Any], clause: Any, end: float) -> Iterator[str]:
    """A sentence on a clause that has no row, with the changes that let it have some; then what its labels hide."""
    found = rows_of(tables, [*before, clause, _returned("1 AS one")], end, 1)
    changes, told = [*_changes(before, clause)][:MAX_CHANGES], list[str]()
    needed = [each for each in changes if _is_of_nothing(tables, each)]
    types = [each for change in needed if change.key == "types" for each in change.part.types if found == []]
    yield from (f"No relationship has the type {each[:MAX_TEXT]}." for each in types)
    if found or (found is None and not needed) or len(changes) < 2:  # one change alone is known to be the cause
        return
    paths: Sequence[Any] = clause.pattern.paths if isinstance(clause, ast.Match) else []
    if len(paths) > 1:
        apart = [ast.Match(pattern=ast.Pattern(paths=[each])) for each in paths]
        apart[-1].set("where", clause.where)
        if rows_of(tables, [*before, *apart, _returned("1 AS one")], end, 1):
            told.append("with a MATCH for each path, as no relationship stands twice in one")
    helps = [*_that_help(tables, before, clause, end, changes, needed)]
    told += dict.fromkeys(f"{_said(some)} ({_listed(counts)})" for some, counts in helps)
    text = " ".join(clause.args[each].cypher() for each in ("pattern", "where") if clause.args.get(each))
    if told:
        behind = ", with the clauses before it" if before else ""
        yield f"Nothing matches {text[:MAX_TEXT]}{behind}; it does {', '.join(told[:MAX_TOLD])}."
    if needed and helps:
        some, counts = helps[0]
        typed = [each._replace(value=[counts[0][0]]) if each.key == "types" else each for each in some]
        with _applied(typed):
            yield from _hidden(tables, before, clause, end, is_empty=False)


def _that_help(
    tables: GraphTables,
    before: Sequence[Any],
    clause: Any,
    end: float,
    changes: Sequence[_Change],
    needed: list[_Change],
) -> Iterator[tuple[Sequence[_Change], Sequence[_Count]]]:
    """Those changes, beside the needed ones, with which a clause has rows: by themselves, else any two."""
    others = [each for each in changes if each not in needed]
    all_asked = [each for each in changes if each.key != "direction"]
    pairs, is_found = combinations([each for each in others if each.key in _GUESSED], 2), False
    for some in chain([()] if needed else [], ((each,) for each in others), pairs):
        is_more = len(some) == 2 or (needed and not any(each.key == "direction" for each in some))  # than is needed
        is_all = not before and all(each in [*needed, *some] for each in all_asked)  # which tells nothing
        if not (is_all or (is_found and is_more)) and (
            counts := _counts(tables, before, clause, [*needed, *some], end)
        ):
            is_found = True
            yield [*needed, *some], counts


def _is_of_nothing(tables: GraphTables, change: _Change) -> bool:
    """Whether a change leaves out what nothing in the graph has: a label, a type or a name."""
    if change.key == "labels":
        return not all(map(tables.is_label, labels_of(change.part)))
    if change.key == "types":
        return not any(map(tables.is_type, change.part.types))
    names = [value for key, value in change.entry if key == "name" and isinstance(value, ast.String)]
    return any(not tables.named(each.this) for each in names)


def _hidden(tables: GraphTables, before: Sequence[Any], clause: Any, end: float, *, is_empty: bool) -> Iterator[str]:
    """What a label of a node with relationships leaves out: entities of unknown type, those of others beside a name."""
    patterns = [each for path in clause.pattern.paths for each in elements_of(path)[1]]
    rels = [each for each in patterns if isinstance(each, ast.RelationshipPattern)]
    given = [each for each in patterns if _entries(each)]
    is_named = is_empty or given or names_in(conjuncts(clause.where.this) if clause.where is not None else [])
    is_of_triples = rels and all(each.types and not {*each.types} & EDGES.keys() for each in rels)
    for change in _changes(before, clause) if is_of_triples else ():
        if change.key == "labels" and not _is_of_nothing(tables, change):
            own = {each for label in labels_of(change.part) for each in tables.snapshot.ontology.subtypes(label)}
            entries = [*_entries(change.part), ("type", ast.String(this=""))]
            untyped = change._replace(key="properties", value=ast.Map(entries=entries))
            counts = _counts(tables, before, clause, [change, *([] if is_named else [untyped])], end)
            others = [each for each in counts if type_key(each[0] or "") not in own]
            if others:
                what = f"{_labelled(change.part)} leaves out {_listed(others)}, such as {str(others[0][2])[:MAX_TEXT]}"
                is_unknown = any(type_ is None for type_, *_ in others)
                to_see = with_untyped(labels_of(change.part), name_of(change.part)) if is_unknown else "drop the label"
                yield f"{what}: {to_see}."


def with_untyped(labels: Sequence[str], name: str = "") -> str:
    """How a query asks for entities with the labels and those of unknown type."""
    name = name or "n"
    return f"for those of unknown type write ({name}) … WHERE ({name}:{':'.join(labels)} OR {name}.type = '')"


def _changes(before: Sequence[Any], clause: Any) -> Iterator[_Change]:
    """The changes of a clause, those first that are the likeliest to help."""
    paths = [elements_of(path)[1] for path in clause.pattern.paths] if isinstance(clause, ast.Match) else []
    nodes, rels = [each for path in paths for each in path[::2]], [each for path in paths for each in path[1::2]]
    names = {*map(name_of, nodes)} - {""}
    others = [each for each in nodes_in(before) if isinstance(each, ast.NodePattern) and name_of(each) in names]
    for node in [*nodes, *others]:
        if labels_of(node) and not {*labels_of(node)} & ALL_KINDS:
            yield _Change(f"without {_labelled(node)}", node, "labels", None, "labels({0})[0]")
    turned = [(each, _TURNED[each.direction]) for each in rels if each.direction in _TURNED]
    yield from (_Change(f"with {_types(rel)} turned", rel, "direction", to) for rel, to in turned)
    typed = [each for each in rels if each.types and each.min_hops != 0]
    yield from (_Change(f"without {_types(each)}", each, "types", None, "type({0})") for each in typed)
    for each in [*nodes, *rels]:
        for entry, others in _each_left_out(_entries(each)):
            said = f"without {ast.Map(entries=[entry]).cypher()[:MAX_TEXT]}"
            yield _Change(said, each, "properties", ast.Map(entries=others), entry=[entry])
    for each in [*nodes, *rels, clause]:
        conditions: Sequence[Any] = conjuncts(each.where.this) if each.args.get("where") is not None else []
        for condition, others in _each_left_out(conditions):
            where = ast.Where(this=reduce(_both, others)) if others else None
            yield _Change(f"without {condition.cypher()[:MAX_TEXT]}", each, "where", where)


def _entries(pattern: Any) -> Sequence[Any]:
    return pattern.properties.entries if isinstance(pattern.properties, ast.Map) else []


def _each_left_out(items: Sequence[Any]) -> Iterator[tuple[Any, list[Any]]]:
    for at, item in enumerate(items):
        yield item, [*items[:at], *items[at + 1 :]]


def _both(one: Any, other: Any) -> Any:
    return ast.And(this=one, expression=other)


def _labelled(node: Any) -> str:
    return f"{name_of(node)}:{':'.join(labels_of(node))}"


def _types(rel: Any) -> str:
    return f"[:{'|'.join(rel.types)}]" if rel.types else "the arrow"


def _counts(
    tables: GraphTables, before: Sequence[Any], clause: Any, changes: Sequence[_Change], end: float
) -> Sequence[_Count]:
    """How many rows a clause has with changes, by type where one is told, then with a name."""
    counted = max(changes, key=lambda each: len(each.counts) and (each.key == "types") + 1)
    name = counted.counts and name_of(counted.part)
    shown = f"`{name or _SHOWN}`"
    named = counted._replace(key="variable", value=ast.Identifier(this=name or _SHOWN))
    is_label = counted.key == "labels"
    number, one = (f"count(DISTINCT {shown})", f"min({shown}.name)") if is_label else ("count(*)", "null")
    type_ = counted.counts.format(shown) or "''"
    items = f"{type_} AS type, {number} AS n, {one} AS one ORDER BY n DESC, type"
    with _applied([*changes, *([named] if counted.counts else [])]):
        return [each for each in rows_of(tables, [*before, clause, _returned(items)], end, 20) or () if each[1]]


@contextmanager
def _applied(changes: Sequence[_Change]) -> Generator[None]:
    """The tree with the changes, inside the block."""
    made = [(each.part, each.key, each.value) for each in changes]
    made += [(each.part, "variable_length", None) for each in changes if each.key == "types"]  # one of any type
    stored = [(part, key, part.args.get(key)) for part, key, _ in made]
    try:
        for part, key, value in made:
            part.set(key, value)
        yield
    finally:
        for part, key, value in stored:
            part.set(key, value)


def _said(changes: Sequence[_Change]) -> str:
    others = {id(each.part) for each in changes if each.key == "types"}
    is_turned = [each.key == "direction" and id(each.part) in others for each in changes]
    return " and ".join("turned" if turned else each.said for each, turned in zip(changes, is_turned, strict=True))


def _listed(counts: Sequence[_Count]) -> str:
    return ", ".join(
        f"{n} {'of unknown type' if type_ is None else type_}".strip() for type_, n, _ in counts[:MAX_TYPES]
    )


@lru_cache(maxsize=64)
def _returned(items: str) -> Any:
    return parse_query(f"MATCH (` shown`) RETURN {items}", {}).parts[0].clauses[-1]


def _changed(clause: Any, **args: Any) -> Any:
    return type(clause)(**{**clause.args, **{name: value for name, value in args.items() if name in clause.args}})
