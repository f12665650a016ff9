"""Python: imports and base classes."""

from collections.abc import Iterator

from tree_sitter import Node

from mcp_graphrag.source_code.nodes import Base, ImportedName, Parents, text_of
from mcp_graphrag.source_code.source_file import ANY


def python_imports(node: Node) -> Iterator[ImportedName]:
    """`import a.b` binds "a"; a relative module keeps its dots. `x = import_module("a.b")` binds the module."""
    if node.type in {"call", "assignment"}:
        yield from _loaded(node)
        return
    names = node.children_by_field_name("name")
    if node.type == "import_statement":
        for name in names:
            if name.type == "aliased_import":
                module = text_of(name.child_by_field_name("name"))
                yield ImportedName(module, "", text_of(name.child_by_field_name("alias")))
            else:
                yield ImportedName(text_of(name), "", text_of(name).partition(".")[0])
        return
    module = (
        "__future__" if node.type == "future_import_statement" else text_of(node.child_by_field_name("module_name"))
    )
    for name in names:
        if name.type == "aliased_import":
            member = text_of(name.child_by_field_name("name"))
            yield ImportedName(module, member, text_of(name.child_by_field_name("alias")))
        else:
            yield ImportedName(module, text_of(name), text_of(name))
    if not names:
        yield ImportedName(module, ANY, "")


def _loaded(node: Node) -> Iterator[ImportedName]:
    call = node.child_by_field_name("right") or node
    arguments = call.child_by_field_name("arguments")
    given = arguments.named_children if arguments is not None else []
    parts = [each.type for each in given[0].named_children]
    module = text_of(given[0].named_children[1]) if parts == ["string_start", "string_content", "string_end"] else ""
    if module and (not module.startswith(".") or [text_of(each) for each in given[1:]] == ["__package__"]):
        yield ImportedName(module, "", text_of(node.child_by_field_name("left")))


def python_bases(node: Node, _parents: Parents) -> Iterator[Base]:
    """The positional arguments of a class statement."""
    listed = node.child_by_field_name("superclasses")
    for base in listed.named_children if listed is not None else ():
        if base.type not in {"keyword_argument", "list_splat", "dictionary_splat", "comment"}:
            yield Base("extends", base.child_by_field_name("value") or base if base.type == "subscript" else base)
