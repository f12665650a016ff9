"""Rust: use declarations, implementations and supertraits. Paths have "::" between their parts."""

from collections.abc import Iterator

from tree_sitter import Node

from mcp_graphrag.source_code.nodes import MAX_CHAIN, Base, ImportedName, Parents, bases, text_of
from mcp_graphrag.source_code.source_file import ANY


def rust_imports(node: Node) -> Iterator[ImportedName]:
    """Every path of a use declaration: the module is what stands in front of its last part."""
    if node.type == "extern_crate_declaration":
        name = text_of(node.child_by_field_name("name"))
        yield ImportedName(name, "", text_of(node.child_by_field_name("alias")) or name)
        return
    argument = node.child_by_field_name("argument")
    if argument is not None:
        yield from _paths(argument, "")


def _paths(node: Node, prefix: str, depth: int = 0) -> Iterator[ImportedName]:
    if depth > MAX_CHAIN:
        return
    if node.type == "scoped_use_list":
        path = _joined(prefix, text_of(node.child_by_field_name("path")))
        listed = node.child_by_field_name("list")
        for each in listed.named_children if listed is not None else ():
            yield from _paths(each, path, depth + 1)
    elif node.type == "use_list":
        for each in node.named_children:
            yield from _paths(each, prefix, depth + 1)
    elif node.type == "use_wildcard":
        yield ImportedName(_joined(prefix, text_of(node).removesuffix("*").removesuffix("::")), ANY, "")
    elif node.type == "use_as_clause":
        path = _joined(prefix, text_of(node.child_by_field_name("path")))
        yield _member(path, text_of(node.child_by_field_name("alias")))
    elif node.type == "self":
        yield _member(prefix, "")
    elif node.type in {"identifier", "scoped_identifier", "crate", "super"}:
        yield _member(_joined(prefix, text_of(node)), "")


def _member(path: str, local: str) -> ImportedName:
    module, _, member = path.rpartition("::")
    local = "" if local == "_" else local or member
    return ImportedName(module, member, local) if module else ImportedName(member, "", local)


def _joined(prefix: str, path: str) -> str:
    return f"{prefix}::{path}" if prefix and path else prefix or path


def seen_from_file(module: str, depth: int) -> str:
    """The path of a module as written outside of so many inline modules."""
    parts = module.split("::")
    ups = min(depth, next((at for at, part in enumerate(parts) if part != "super"), len(parts)))
    return "::".join(parts[ups:] if parts[ups:][:1] == ["super"] else ["self", *parts[ups:]]) if ups else module


def rust_bases(node: Node, _parents: Parents) -> Iterator[Base]:
    """The supertraits of a trait, and the trait that an `impl` block implements."""
    if node.type == "trait_item":
        bounds = node.child_by_field_name("bounds")
        kept = {"type_identifier", "scoped_type_identifier", "generic_type"}
        yield from bases("extends", [each for each in bounds.named_children if each.type in kept] if bounds else ())
    elif node.type == "impl_item":
        trait = node.child_by_field_name("trait")
        yield from bases("implements", [trait] if trait is not None else ())
