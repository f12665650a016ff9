"""What a query asks that the graph has not, or has otherwise: labels, names, properties, kinds of values, directions.

Each is a sentence beside the rows, as the same mistake gives no row in one query, and all of them behind NOT.
"""

import difflib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from cypherast import ast

from mcp_graphrag.index.normalize import normal_form
from mcp_graphrag.query.cypher_types import Type
from mcp_graphrag.query.graph_tables import EDGES, GraphTables
from mcp_graphrag.query.parse_query import COMPARED, conjuncts, elements_of, name_of, nodes_in
from mcp_graphrag.query.variable_uses import ALL_KINDS, labels_of, names_in, way_of
from mcp_graphrag.store.rows.entity_rows import entity_labels, entity_types, type_key

MAX_NOTES, MAX_LISTED = 6, 10
_ORDERS = (ast.LT, ast.LTE, ast.GT, ast.GTE)
_TEXTUAL = (ast.Contains, ast.StartsWith, ast.EndsWith, ast.RegexMatch)
_KINDS = {ast.Integer: "a number", ast.Float: "a number", ast.String: "text", ast.Boolean: "boolean"}
_OF_TYPES = {"str": "text", "float": "a number", "list": "a list"}
_WITH_UNIT = re.compile(r"[-+]?[\d.,]+(?![-\d.,])\D")


@dataclass
class _Asked:
    """What a query names: labels, names of entities, texts that types are compared with, and properties by values."""

    labels: list[str] = field(default_factory=list[str])
    names: list[str] = field(default_factory=list[str])
    types_of_nodes: list[str] = field(default_factory=list[str])
    types_of_rels: list[str] = field(default_factory=list[str])
    compared: list[tuple[Any, str]] = field(default_factory=list[tuple[Any, str]])  # with a kind of values
    has_null: bool = False
    unknown: set[str] = field(default_factory=set[str])  # labels that nothing has

    def add(self, node: Any) -> None:
        """Add what a part of the query asks."""
        if isinstance(node, ast.LabelExpression):
            self.labels += map(str, node.labels or ())
        elif isinstance(node, ast.NodePattern | ast.RelationshipPattern) and isinstance(node.properties, ast.Map):
            for name, value in node.properties.entries:
                self._compare(ast.Property(this=node.variable, name=name), [value])
        elif isinstance(node, ast.In):
            listed = node.expression
            self._compare(node.this, listed.expressions if isinstance(listed, ast.List) else [])
            self._compare(listed, [node.this])
        elif isinstance(node, (*COMPARED, *_TEXTUAL)):
            is_order = isinstance(node, _ORDERS)
            self._compare(node.this, [node.expression], is_order=is_order)
            self._compare(node.expression, [node.this], is_order=is_order)
        elif isinstance(node, ast.Ordered) or (_call(node) in {"min", "max"} and node.expressions):
            one = node.this if isinstance(node, ast.Ordered) else node.expressions[0]
            self.compared += [(one, "sorted")] if isinstance(one, ast.Property) else []

    def _compare(self, one: Any, values: Sequence[Any], *, is_order: bool = False) -> None:
        """Add that something is compared with values, of which those that are written out count."""
        texts = [each.this for each in values if isinstance(each, ast.String)]
        self.has_null |= any(isinstance(each, ast.Null) for each in values)
        if isinstance(one, ast.ListSubscript):
            one = one.this
        if _call(one) == "type" or (isinstance(one, ast.Property) and one.name == "predicate"):
            self.types_of_rels += texts
        elif _call(one) == "labels" or (isinstance(one, ast.Property) and one.name == "type"):
            self.types_of_nodes += texts
        elif isinstance(one, ast.Property) and one.name == "name":
            self.names += texts
        is_cast = _call(one) in {"tointeger", "tofloat"} and isinstance(one.expressions[0], ast.Property)
        one, kinds = (one.expressions[0], {"cast"}) if is_cast else (one, {_KINDS.get(type(each), "") for each in values})
        if isinstance(one, ast.Property):
            self.compared += [(one, kind) for kind in kinds if kind]
            self.compared += [(one, "sorted")] if is_order and texts else []


def notes_on(tables: GraphTables, parts: Sequence[Any], *, is_empty: bool) -> list[str]:
    """A sentence for each of the first of what a query asks that the graph has not, or has otherwise.

    Where the answer `is_empty`, also what the entities are that it names.
    """
    asked = _Asked()
    for node in nodes_in(parts):
        asked.add(node)
    return [*dict.fromkeys(each for each in _notes(tables, parts, asked, is_empty=is_empty) if each)][:MAX_NOTES]


def _notes(tables: GraphTables, parts: Sequence[Any], asked: _Asked, *, is_empty: bool) -> Iterator[str]:
    yield from _of_types(tables, asked)
    for name in dict.fromkeys(asked.names):
        yield _of_name(tables, name, is_empty=is_empty)
    if asked.has_null:
        yield "Nothing equals null: write IS NULL or IS NOT NULL."
    yield from _of_properties(tables, parts, asked)
    yield from _of_ends(tables, parts, asked.unknown, is_empty=is_empty)
    is_cut = [bool(each.clauses[-1].order or each.clauses[-1].limit) for each in parts]
    if len(parts) > 1 and is_cut[-1] and not any(is_cut[:-1]):
        yield "ORDER BY and LIMIT behind a UNION are of its last part alone."


def _of_types(tables: GraphTables, asked: _Asked) -> Iterator[str]:
    if not (asked.labels or asked.types_of_nodes or asked.types_of_rels):
        return
    stored = {each: type_key(each) for each in entity_types(tables.snapshot.tx) if each}
    for label in dict.fromkeys([*asked.labels, *asked.types_of_nodes]):
        is_known = {*tables.snapshot.ontology.subtypes(label), type_key(label)} & {*stored.values()}
        if label not in ALL_KINDS and not is_known:
            asked.unknown.add(label)
            near = difflib.get_close_matches(type_key(label), stored.values(), n=1, cutoff=0.75)
            nearest = "".join(f"the nearest is {each}, " for each in stored if stored[each] in near)
            frequent = ", ".join([*stored][:MAX_LISTED])
            yield f"No node has the label {label}; {nearest}the most frequent are {frequent}."
        elif label in asked.types_of_nodes and label not in ALL_KINDS | stored.keys():
            said = [each for each in stored if stored[each] == type_key(label)]
            yield f"As text a type is compared exactly: {', '.join(said) or 'there is none so written'}, not '{label}'. Write n:{label}."
    for type_ in dict.fromkeys(asked.types_of_rels):
        predicate = tables.predicate_of(type_)
        if predicate != type_ and type_ not in EDGES:
            meant = f"{predicate}, not '{type_}'. Write [:{type_}]" if predicate else f"there is no '{type_}'"
            yield f"As text a type of relationships is compared exactly: {meant}."


def _of_name(tables: GraphTables, name: str, *, is_empty: bool) -> str:
    snapshot, norm = tables.snapshot, normal_form(name)
    alike = [each for each, _ in snapshot.entities_named([norm], in_documents=True).get(norm, ())]
    stored = {each.name: each.type for each in reversed(entity_labels(snapshot.tx, alike).values())}
    if name in stored:
        return f"{name} is a {stored[name]}." if stored[name] and is_empty else ""
    if tables.named(name):
        return ""
    return f"No entity has the name '{name}'{f', but {next(reversed(stored))}' if stored else ''}."


def _of_properties(tables: GraphTables, parts: Sequence[Any], asked: _Asked) -> Iterator[str]:
    values = {name: tables.values_of(name) for name in sorted({name for name, _ in tables.used})}
    yield from (_of_no_value(tables, name) for name, found in values.items() if not found)
    hidden = dict[str, list[str]]()
    for name, labels in sorted(tables.used):
        untyped = sum(count for _, count, type_, _ in values[name] if not type_)
        for label in labels if untyped else ():
            hidden.setdefault(label, []).append(f"{name} ({untyped})")
    for label, names in hidden.items():
        yield f"Entities without a type have {', '.join(names)} too: leave the label {label} out to see those."
    rels = {name_of(each) for each in nodes_in(parts) if isinstance(each, ast.RelationshipPattern)}
    for one, kind in asked.compared:
        is_edge = isinstance(one.this, ast.Identifier) and one.this.this in rels
        type_, example = tables.type_of(one.name, is_edge=is_edge), "2024-10-01" if one.name.startswith("valid_") else ""
        fixed = [(_OF_TYPES[type_.kind], 0, "", example)] if type_ is not None and kind in _KINDS.values() else []
        yield _of_kind(one.name, kind, fixed or values.get(one.name, []))


def _of_no_value(tables: GraphTables, name: str) -> str:
    if predicate := tables.predicate_of(name):
        return f"No entity has the property {name}; {predicate} is a relationship: (n)-[:{predicate}]->(x)."
    known = tables.snapshot.tx.values("property_names")
    near = difflib.get_close_matches(name.lower(), known, n=2)
    said = f"the nearest is {' or '.join(near)}" if near else f"there are {', '.join(['name', 'type', 'description', *known][:20])}"
    return f"No entity has the property {name}; {said}."


def _of_kind(name: str, wanted: str, values: Sequence[tuple[str, int, str, str]]) -> str:
    """How the values of a property are of another kind than what they are compared with."""
    for kind, _, _, one in values:
        has_unit = kind == "text" and _WITH_UNIT.match(one) is not None
        if kind == wanted or (wanted in {"sorted", "cast"} and not has_unit):
            continue
        count, total = (sum(each for k, each, _, _ in values if k in kinds) for kinds in ({kind}, {k for k, *_ in values}))
        said = f"{name} is {kind}{f' in {count} of {total} values' if total else ''}"
        said += f", as {one[:60]}" if kind == "a number" and one else f", as '{one[:60]}'" if one else ""
        if kind == "a list":
            return f"{said}: write any(x IN n.{name} WHERE x = …)."
        if has_unit:
            sorts = ", and sorts as such" if wanted == "sorted" else ""
            return f"{said}{sorts}: its number is toFloat(split(n.{name}, ' ')[0]), if all have the same unit."
        return f"{said}: write what it is compared with {'in' if kind == 'text' else 'without'} quotes."
    return ""


def _of_ends(tables: GraphTables, parts: Sequence[Any], unknown: set[str], *, is_empty: bool) -> Iterator[str]:
    """Which relationships never lead between such nodes. Those that rows have matched are not asked for."""
    matches = [each for each in nodes_in(parts) if isinstance(each, ast.Match)]
    matched = [path for part in parts for each in part.clauses for path in _paths(each) if not is_empty]
    labels, names = dict[str, list[str]](), dict[str, Any]()
    for each in matches:
        names |= names_in(conjuncts(each.where.this) if each.where is not None else [])
    for node in (each for each in nodes_in(parts) if isinstance(each, ast.NodePattern)):
        labels.setdefault(name_of(node), []).extend(map(str, labels_of(node)))
    for path in (each for each in nodes_in(parts) if isinstance(each, ast.PathPattern)):
        if any(path is each for each in matched):
            continue
        elements = elements_of(path)[1]
        for at in range(1, len(elements) - 1, 2):
            left, rel, right = elements[at - 1 : at + 2]
            if not isinstance(rel, ast.RelationshipPattern) or not rel.types or {*rel.types} & EDGES.keys():
                continue
            ends = [_End(tables, each, labels, names) for each in ((left, right), (right, left))[way_of(rel) < 0]]
            if rel.min_hops != 0 and not any({*each.labels} & (ALL_KINDS | unknown) for each in ends):
                yield from _of_relationship(tables, rel, ends)


def _paths(clause: Any) -> Sequence[Any]:
    return clause.pattern.paths if isinstance(clause, ast.Match) and not clause.optional else []


class _End:
    """An end of a relationship: what is said of it, in words, and as a condition on an entity."""

    def __init__(self, tables: GraphTables, node: Any, labels: Mapping[str, Sequence[str]], names: Mapping[str, Any]):
        variable = name_of(node)
        said = dict(node.properties.entries) if isinstance(node.properties, ast.Map) else {}
        name = said.get("name", names.get(variable))
        self.labels = [*dict.fromkeys([*map(str, labels_of(node)), *(labels.get(variable, ()) if variable else ())])]
        ids = tables.named(name.this) if isinstance(name, ast.String) else None
        self.words = f"'{name.this}'" if ids else " and ".join(self.labels) or "anything"
        self.conditions = tables.entity_conditions([] if ids else self.labels, ids)

    def at(self, alias: str) -> Sequence[str]:
        """The conditions on an alias."""
        return [each.replace("n.", f"{alias}.") for each in self.conditions]


def _of_relationship(tables: GraphTables, rel: Any, ends: Sequence[_End]) -> Iterator[str]:
    way, (start, end) = way_of(rel), ends
    tests = [(start, None), (None, end)] if rel.variable_length else [(start, end)]
    for first, last in tests:
        along, against = (
            tables.has_edges(rel.types, [*(one.at("s") if one else []), *(other.at("o") if other else [])])
            for one, other in ((first, last), (last, first))
        )
        if along or (way == 0 and against):
            continue
        said = "|".join(rel.types)
        words = [each.words if each else "anything" for each in (first, last)]
        lead = ", ".join(f"{one or 'no type'} to {other or 'no type'}" for one, other in tables.ends_of(rel.types))
        turn = ": turn the arrow" if against else ""
        yield f"No {said} leads from {words[0]} to {words[1]}; it leads from {lead}{turn}." if lead else f"There is no {said}."
        return


def _call(node: Any) -> str:
    return str(node.name).lower() if isinstance(node, ast.FunctionCall) else ""
