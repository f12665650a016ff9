"""Java: imports and supertypes."""

from collections.abc import Iterator

from tree_sitter import Node

from mcp_graphrag.source_code.nodes import Base, ImportedName, Parents, bases, children, dotted, text_of
from mcp_graphrag.source_code.source_file import ANY

_ENUMS = frozenset({"enum_declaration"})
_BODIES = frozenset({"class_body", "enum_body", "interface_body"})
_NAMED_OR_BLOCK = _BODIES | {"variable_declarator", "enum_constant", "constructor_body", "block", "switch_block"}


def java_imports(node: Node) -> Iterator[ImportedName]:
    """A class is a member of its package, a static member one of its class."""
    path = next((dotted(child) for child in children(node, "scoped_identifier", "identifier")), "")
    if any(child.type == "asterisk" for child in node.named_children):
        yield ImportedName(path, ANY, "")
    else:
        module, _, member = path.rpartition(".")
        yield ImportedName(module, member, member)


def is_in_anonymous_class(node: Node, parents: Parents) -> bool:
    """Whether the nearest class around a node has no name."""
    body = parents.nearest(node, _BODIES)
    holder = parents.of(body) if body is not None else None
    return holder is not None and holder.type == "object_creation_expression"


def name_of_anonymous(node: Node, parents: Parents) -> str:
    """What an anonymous class is called: the variable or enum constant that it is for, else the type above it."""
    around = parents.nearest(node, _NAMED_OR_BLOCK)
    if around is not None and (around.type == "variable_declarator" or _is_plain_constant(around)):
        return text_of(around.child_by_field_name("name"))
    return text_of(node.child_by_field_name("type")).partition("<")[0].rpartition(".")[2]


def _is_plain_constant(node: Node) -> bool:
    return node.type == "enum_constant" and node.child_by_field_name("body") is None


def java_bases(node: Node, parents: Parents) -> Iterator[Base]:
    """What a class extends and implements, and the interfaces that an interface extends.

    An enum constant with a body is a class of its own that extends the enum.
    """
    if node.type == "enum_constant":
        enum = parents.nearest(node, _ENUMS)
        name = enum.child_by_field_name("name") if enum is not None else None
        yield from bases("extends", [name] if name is not None else [])
    for part in node.named_children:
        if part.type == "superclass":
            yield from bases("extends", part.named_children)
        elif part.type in {"super_interfaces", "extends_interfaces"}:
            relation = "implements" if part.type == "super_interfaces" else "extends"
            for listed in children(part, "type_list"):
                yield from bases(relation, listed.named_children)
