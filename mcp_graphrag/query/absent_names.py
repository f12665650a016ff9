"""What a query without rows names that the graph has not: labels, and names of nodes in other letters."""

import difflib
from typing import Any

from cypherast import ast

from mcp_graphrag.index.normalize import normal_form
from mcp_graphrag.query.parse_query import nodes_in
from mcp_graphrag.query.variable_uses import ALL_KINDS
from mcp_graphrag.snapshot import Snapshot
from mcp_graphrag.store.rows.entity_rows import entity_labels, entity_types, type_key

MAX_NAMED = 5


def absent_names(snapshot: Snapshot, statement: Any) -> list[str]:
    """A sentence for each label that nothing has, and each name that no entity has in these letters."""
    types = {type_key(each): each for each in entity_types(snapshot.tx) if each}
    labels: list[str] = []
    names: list[str] = []
    for node in nodes_in(statement):
        if isinstance(node, ast.NodePattern | ast.LabelPredicate) and node.labels is not None:
            labels += [str(each) for each in node.labels.labels or ()]
        if isinstance(node, ast.NodePattern) and isinstance(node.properties, ast.Map):
            names += [value.this for name, value in node.properties.entries if name == "name" and _is_text(value)]
        if isinstance(node, ast.EQ) and isinstance(node.this, ast.Property) and node.this.name == "name":
            names += [node.expression.this] if _is_text(node.expression) else []
    found = [_of_label(snapshot, each, types) for each in dict.fromkeys(labels)]
    found += [_of_name(snapshot, each) for each in dict.fromkeys(names)]
    return [each for each in found if each][:MAX_NAMED]


def _of_label(snapshot: Snapshot, label: str, types: dict[str, str]) -> str:
    if label in ALL_KINDS or {*snapshot.ontology.subtypes(label)} & types.keys() or type_key(label) in types:
        return ""
    if near := difflib.get_close_matches(type_key(label), types, n=1):
        return f"No node has the label {label}; the nearest is {types[near[0]]}."
    return f"No node has the label {label}; the most frequent are {', '.join([*types.values()][:MAX_NAMED])}."


def _of_name(snapshot: Snapshot, name: str) -> str:
    """Where entities have a name only in other letters, or none has it."""
    norm = normal_form(name)
    alike = [each for each, _ in snapshot.entities_named([norm], in_documents=True).get(norm, ())]
    stored = list(dict.fromkeys(each.name for each in entity_labels(snapshot.tx, alike).values()))
    if name in stored:
        return ""
    return f"No entity has the name '{name}'{f', but {stored[0]}' if stored else ''}."


def _is_text(node: Any) -> bool:
    return isinstance(node, ast.String)
