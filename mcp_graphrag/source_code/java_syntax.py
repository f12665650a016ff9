"""Java: imports and supertypes."""

from collections.abc import Iterator

from tree_sitter import Node

from mcp_graphrag.source_code.nodes import Base, ImportedName, bases, children, dotted, text_of
from mcp_graphrag.source_code.source_file import ANY


def java_imports(node: Node) -> Iterator[ImportedName]:
    """A class is a member of its package, a static member one of its class."""
    path = next((dotted(child) for child in children(node, "scoped_identifier", "identifier")), "")
    if any(child.type == "asterisk" for child in node.named_children):
        yield ImportedName(path, ANY, "")
    else:
        module, _, member = path.rpartition(".")
        yield ImportedName(module, member, member)


def is_in_anonymous_class(node: Node) -> bool:
    """Whether the nearest class around a node has no name."""
    around = node.parent
    while around is not None and not around.type.endswith(("_declaration", "class_body")):
        around = around.parent
    while around is not None and around.type not in {"class_body", "enum_body", "interface_body"}:
        around = around.parent
    return around is not None and around.parent is not None and around.parent.type == "object_creation_expression"


def name_of_anonymous(node: Node) -> str:
    """What an anonymous class is called: the variable or enum constant that it is for, else the type above it."""
    around = node.parent
    while around is not None and not around.type.endswith(("_declaration", "_body", "block")):
        if around.type == "variable_declarator" or _is_plain_constant(around):
            return text_of(around.child_by_field_name("name"))
        around = around.parent
    return text_of(node.child_by_field_name("type")).partition("<")[0].rpartition(".")[2]


def _is_plain_constant(node: Node) -> bool:
    return node.type == "enum_constant" and node.child_by_field_name("body") is None


def java_bases(node: Node) -> Iterator[Base]:
    """What a class extends and implements, and the interfaces that an interface extends.

    An enum constant with a body is a class of its own that extends the enum.
    """
    if node.type == "enum_constant":
        enum = node.parent.parent if node.parent is not None else None
        name = enum.child_by_field_name("name") if enum is not None else None
        yield from bases("extends", [name] if name is not None else [])
    for part in node.named_children:
        if part.type == "superclass":
            yield from bases("extends", part.named_children)
        elif part.type in {"super_interfaces", "extends_interfaces"}:
            relation = "implements" if part.type == "super_interfaces" else "extends"
            for listed in children(part, "type_list"):
                yield from bases(relation, listed.named_children)
