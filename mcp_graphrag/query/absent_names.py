"""What a query names that the graph has not, or has otherwise: labels, names, ends of relationships."""

import difflib
from typing import Any

from cypherast import ast

from mcp_graphrag.index.normalize import normal_form
from mcp_graphrag.query.graph_tables import EDGES, GraphTables
from mcp_graphrag.query.parse_query import nodes_in
from mcp_graphrag.query.variable_uses import ALL_KINDS
from mcp_graphrag.snapshot import Snapshot
from mcp_graphrag.store.rows.entity_rows import entity_labels, entity_types, type_key

MAX_NAMED = 5


def absent_names(snapshot: Snapshot, tables: GraphTables, statement: Any, *, is_empty: bool) -> list[str]:
    """A sentence for each label and name that nothing has.

    Where the answer `is_empty`, also one for each name as it is stored, and each type of relationships.
    """
    if not is_empty and not any(
        isinstance(node, ast.LabelExpression | ast.Map | ast.EQ) for node in nodes_in(statement)
    ):
        return []
    types = {type_key(each): each for each in entity_types(snapshot.tx) if each}
    labels, names, between = list[str](), list[str](), list[str]()
    for node in nodes_in(statement):
        if isinstance(node, ast.LabelExpression):
            labels += map(str, node.labels or ())
        elif isinstance(node, ast.NodePattern) and isinstance(node.properties, ast.Map):
            names += [each.this for name, each in node.properties.entries if name == "name" and _is_text(each)]
        elif isinstance(node, ast.EQ) and isinstance(node.this, ast.Property) and node.this.name == "name":
            names += [node.expression.this] if _is_text(node.expression) else []
        elif isinstance(node, ast.RelationshipPattern):
            between += [each for each in node.types or () if each not in EDGES]
    found = [_of_label(snapshot, each, types) for each in dict.fromkeys(labels)]
    found += [_of_name(snapshot, each, is_empty=is_empty) for each in dict.fromkeys(names)]
    found += [_of_ends(tables, each) for each in dict.fromkeys(between)] if is_empty else []
    return [each for each in found if each][:MAX_NAMED]


def _of_label(snapshot: Snapshot, label: str, types: dict[str, str]) -> str:
    if label in ALL_KINDS or {*snapshot.ontology.subtypes(label)} & types.keys() or type_key(label) in types:
        return ""
    near = difflib.get_close_matches(type_key(label), types, n=1)
    nearest = f"the nearest is {types[near[0]]}, " if near else ""
    return f"No node has the label {label}; {nearest}the most frequent are {', '.join([*types.values()][:MAX_NAMED])}."


def _of_name(snapshot: Snapshot, name: str, *, is_empty: bool) -> str:
    norm = normal_form(name)
    alike = [each for each, _ in snapshot.entities_named([norm], in_documents=True).get(norm, ())]
    stored = {each.name: each.type for each in reversed(entity_labels(snapshot.tx, alike).values())}
    if name in stored:
        return f"{name} is a {stored[name]}." if stored[name] and is_empty else ""
    return f"No entity has the name '{name}'{f', but {next(reversed(stored))}' if stored else ''}."


def _of_ends(tables: GraphTables, type_: str) -> str:
    ends = ", ".join(f"{start or 'no type'} to {end or 'no type'}" for start, end in tables.ends_of(type_))
    return f"{type_} leads from {ends}." if ends else ""


def _is_text(node: Any) -> bool:
    return isinstance(node, ast.String)
