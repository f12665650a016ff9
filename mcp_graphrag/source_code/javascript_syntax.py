"""JavaScript and TypeScript: imports and base classes."""

from collections.abc import Iterator

from tree_sitter import Node

from mcp_graphrag.source_code.nodes import Base, ImportedName, bases, children, text_of
from mcp_graphrag.source_code.source_file import ANY

DEFAULT = "default"


def javascript_imports(node: Node) -> Iterator[ImportedName]:
    """Import statements, re-exports and `const x = require("y")`; the default export is the member "default"."""
    if node.type == "variable_declarator":
        yield from _required(node)
        return
    source = node.child_by_field_name("source")
    if source is None:
        return
    module = text_of(source).strip("'\"`")
    found = False
    for name in _specifiers(node):
        found = True
        if name.type == "namespace_import":
            yield ImportedName(module, "", text_of(name.named_children[-1]))
        elif name.type == "identifier":
            yield ImportedName(module, DEFAULT, text_of(name))
        else:
            member = text_of(name.child_by_field_name("name"))
            yield ImportedName(module, member, text_of(name.child_by_field_name("alias")) or member)
    if not found:
        yield ImportedName(module, ANY if node.type == "export_statement" else "", "")


def _specifiers(node: Node) -> Iterator[Node]:
    for clause in children(node, "import_clause", "export_clause"):
        for child in clause.named_children:
            if child.type == "named_imports":
                yield from children(child, "import_specifier")
            elif child.type in {"identifier", "namespace_import", "export_specifier"}:
                yield child


def _required(node: Node) -> Iterator[ImportedName]:
    call = node.child_by_field_name("value")
    arguments = call.child_by_field_name("arguments") if call is not None else None
    given = arguments.named_children if arguments is not None else []
    if len(given) != 1 or given[0].type != "string":
        return
    module, name = text_of(given[0]).strip("'\""), node.child_by_field_name("name")
    if name is not None and name.type == "object_pattern":
        for part in children(name, "shorthand_property_identifier_pattern", "pair_pattern"):
            key = text_of(part.child_by_field_name("key") or part)
            yield ImportedName(module, key, text_of(part.child_by_field_name("value") or part))
    else:
        yield ImportedName(module, "", text_of(name))


def javascript_bases(node: Node) -> Iterator[Base]:
    """What a class extends and implements, and the interfaces that an interface extends."""
    for part in node.named_children:
        if part.type == "extends_type_clause":
            yield from bases("extends", part.named_children)
        if part.type != "class_heritage":
            continue
        clauses = list(children(part, "extends_clause", "implements_clause"))
        for clause in clauses:
            types = [child for child in clause.named_children if child.type != "type_arguments"]
            yield from bases("extends" if clause.type == "extends_clause" else "implements", types)
        if not clauses:
            yield from bases("extends", part.named_children[:1])
