"""JavaScript and TypeScript: imports, exports and base classes."""

from collections.abc import Collection, Iterator

from tree_sitter import Node

from mcp_graphrag.source_code.nodes import (
    Base,
    ImportedName,
    Parents,
    bases,
    children,
    dotted,
    imported_module,
    imported_name,
    text_of,
)
from mcp_graphrag.source_code.source_file import ANY

DEFAULT = "default"
BLOCKS = frozenset({"statement_block", "program", "switch_body"})
ELEMENTS = ("jsx_opening_element", "jsx_self_closing_element")  # of components: those of HTML have small letters
_LAZY = frozenset({"lazy", "dynamic", "loadable", "defineAsyncComponent"})  # that load a component when it is shown
WHOLE = "="  # what a module is when it is called itself: `module.exports = f`
_OWN_THIS = frozenset(
    {"function_declaration", "function_expression", "generator_function", "generator_function_declaration"}
    | {"method_definition"}
)


def javascript_imports(node: Node) -> Iterator[ImportedName]:
    """Import statements, re-exports, `import("y")` and `require("y")`; the default export is the member "default"."""
    if node.type == "variable_declarator":
        yield from _required(node)
        return
    if node.type == "call_expression":
        yield from _called(node)
        return
    required = next(children(node, "import_require_clause"), None)  # import x = require("y")
    source = (required or node).child_by_field_name("source")
    if source is None:
        return
    if required is not None:
        yield ImportedName(text_of(source).strip("'\"`"), "", text_of(required.named_children[0]))
        return
    module = text_of(source).strip("'\"`")
    found = False
    for name in _specifiers(node):
        found = True
        if name.type in {"namespace_import", "namespace_export"}:
            yield ImportedName(module, "", text_of(name.named_children[-1]))
        elif name.type == "identifier":
            yield ImportedName(module, DEFAULT, text_of(name))
        else:
            member = text_of(name.child_by_field_name("name"))
            yield ImportedName(module, member, text_of(name.child_by_field_name("alias")) or member)
    if not found:
        yield ImportedName(module, ANY if node.type == "export_statement" else "", "")


def _specifiers(node: Node) -> Iterator[Node]:
    for clause in children(node, "import_clause", "export_clause", "namespace_export"):
        if clause.type == "namespace_export":
            yield clause
            continue
        for child in clause.named_children:
            if child.type == "named_imports":
                yield from children(child, "import_specifier")
            elif child.type in {"identifier", "namespace_import", "export_specifier"}:
                yield child


def _required(node: Node) -> Iterator[ImportedName]:
    """What `const x = require("y")`, `require("y").x` or `await import("y")` binds."""
    value, member = node.child_by_field_name("value"), ""
    if value is not None and value.type == "member_expression":
        value, member = value.child_by_field_name("object"), text_of(value.child_by_field_name("property"))
    module = imported_module(value)
    name = node.child_by_field_name("name")
    if module and name is not None:
        yield from _bound_to(name, module, member)


def _called(node: Node) -> Iterator[ImportedName]:
    """What `import("y")` and `require("y")` import, by the name that `imported_name` gives the expression.

    `import("y").then((x) => …)` binds the parameter, and `lazy(() => import("y"))` takes the default export.
    """
    function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    first = next(iter(arguments.named_children), None) if arguments is not None else None
    if function is None or first is None:
        return
    if module := imported_module(node):
        yield ImportedName(module, "", imported_name(node))
    elif function.type == "member_expression" and text_of(function.child_by_field_name("property")) == "then":
        module = imported_module(function.child_by_field_name("object"))
        listed = first.child_by_field_name("parameters")
        name = first.child_by_field_name("parameter") or (next(iter(listed.named_children), None) if listed else None)
        if module and name is not None:
            yield from _bound_to(name.child_by_field_name("pattern") or name, module, "")
    elif dotted(function).rpartition(".")[2] in _LAZY and (
        module := imported_module(first.child_by_field_name("body"))
    ):
        yield ImportedName(module, DEFAULT, "")


def _bound_to(name: Node, module: str, member: str) -> Iterator[ImportedName]:
    """The names that a name or pattern binds, which is given a module or a member of it."""
    if name.type != "object_pattern":
        yield ImportedName(module, member, text_of(name))
        return
    for part in children(name, "shorthand_property_identifier_pattern", "pair_pattern") if not member else ():
        key = text_of(part.child_by_field_name("key") or part)
        yield ImportedName(module, key, text_of(part.child_by_field_name("value") or part))


def exported_names(node: Node) -> dict[str, str]:
    """What `export { a as b }` exports under another name than its own."""
    if node.type != "export_statement" or node.child_by_field_name("source") is not None:
        return {}
    return {
        text_of(alias): text_of(each.child_by_field_name("name"))
        for clause in children(node, "export_clause")
        for each in children(clause, "export_specifier")
        if (alias := each.child_by_field_name("alias")) is not None
    }


def default_export(node: Node, parents: Parents) -> str:
    """The name "default" for a class or function that has no name and is exported as that, "" for any other node."""
    around = parents.of(node)
    is_value = around is not None and around.type == "export_statement" and around.child_by_field_name("value") == node
    return DEFAULT if is_value else ""


def is_of_class(node: Node, parents: Parents, objects: Collection[int]) -> bool:
    """Whether `this` is that of the class around a node, or of one of the objects, by the ids of their literals.

    No function or other object between them has its own.
    """
    around = parents.nearest(node, _OWN_THIS)
    if around is None or around.type != "method_definition":
        return around is None
    holder = parents.of(around)
    return holder is not None and (holder.type == "class_body" or holder.id in objects)


def is_of_object(method: Node, parents: Parents) -> bool:
    """Whether a method is one of an object literal, or given to a member of a function or class."""
    if method.type == "assignment_expression":
        return True
    holder = parents.of(method)
    return holder is not None and holder.type == "object"


def name_of_object(method: Node, parents: Parents) -> str:
    """The name of the variable or member that the object of a method is given to, "" if it has none."""
    left = method.child_by_field_name("left")
    if left is not None:  # Card.Header = () => …
        return dotted(left.child_by_field_name("object"))
    literal = parents.of(method)
    holder = parents.of(literal) if literal is not None else None
    if holder is None:
        return ""
    named = (
        holder.child_by_field_name("name")
        or holder.child_by_field_name("property")
        or holder.child_by_field_name("key")
        or holder.child_by_field_name("left")
    )
    return dotted(named)


def javascript_bases(node: Node, _parents: Parents) -> Iterator[Base]:
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
