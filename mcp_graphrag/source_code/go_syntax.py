"""Go: imports, receivers of methods and embedded types."""

from collections.abc import Iterator

from tree_sitter import Node

from mcp_graphrag.source_code.nodes import Base, ImportedName, Parents, bases, children, text_of, type_name
from mcp_graphrag.source_code.source_file import ANY

_UNBOUND = {"_": "", ".": ANY}


def go_imports(node: Node) -> Iterator[ImportedName]:
    """A package is bound by its alias, else by the last part of its path without a version."""
    path = text_of(node.child_by_field_name("path")).strip('"`')
    alias = text_of(node.child_by_field_name("name"))
    parts = path.split("/")
    last = parts[-2] if len(parts) > 1 and parts[-1][:1] == "v" and parts[-1][1:].isdigit() else parts[-1]
    if alias in _UNBOUND:
        yield ImportedName(path, _UNBOUND[alias], "")
    else:
        yield ImportedName(path, "", alias or last.partition(".")[0].removeprefix("go-"))


def go_bases(node: Node, _parents: Parents) -> Iterator[Base]:
    """The types that a struct or interface embeds."""
    body = node.child_by_field_name("type")
    if body is None:
        return
    for fields in children(body, "field_declaration_list"):
        for field in children(fields, "field_declaration"):
            if field.child_by_field_name("name") is None:
                yield from bases("extends", [*field.children_by_field_name("type")])
    for element in children(body, "type_elem", "constraint_elem"):
        if len(element.named_children) == 1 and element.named_children[0].type in {"type_identifier", "qualified_type"}:
            yield from bases("extends", element.named_children)


def receiver_type(node: Node) -> str:
    """The type that a method belongs to, "" for a function."""
    listed = node.child_by_field_name("receiver")
    for declared in children(listed, "parameter_declaration") if listed is not None else ():
        named = type_name(declared.child_by_field_name("type"))
        return named[1] if named is not None else ""
    return ""
