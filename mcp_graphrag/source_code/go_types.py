"""Go: what declarations, composite literals and calls say of the types of names."""

from collections.abc import Iterator, Sequence

from tree_sitter import Node

from mcp_graphrag.source_code.nodes import MAX_CHAIN, TypedNode, dotted, text_of
from mcp_graphrag.source_code.source_file import TypeName

_DECLARED = frozenset({"parameter_declaration", "variadic_parameter_declaration", "field_declaration"})
_THROUGH = frozenset({"pointer_type", "parenthesized_type"})
_LISTS = frozenset({"slice_type", "array_type", "implicit_length_array_type"})
_NAMED = frozenset({"type_identifier", "qualified_type"})
_SAME = frozenset({"parenthesized_expression", "unary_expression"})


def go_types(node: Node) -> Iterator[TypedNode]:
    """What a parameter, field, variable, loop or head of a function says."""
    kind = node.type
    if kind in _DECLARED:
        yield from _declared(node)
    elif kind in {"function_declaration", "method_declaration"}:
        result = node.child_by_field_name("result")
        if result is not None:
            yield TypedNode(None, declared=True, type=_result(result))
    elif kind == "range_clause":
        left, items = _parts(node.child_by_field_name("left")), go_chain(node.child_by_field_name("right"))
        for at, name in enumerate(left):
            yield TypedNode(name, value=f"{items}[]" if items and at else "")
    elif (type_ := node.child_by_field_name("type")) is not None:
        for name in node.children_by_field_name("name"):
            yield TypedNode(name, declared=True, type=read_type(type_))
    else:
        names = node.children_by_field_name("name") or _parts(node.child_by_field_name("left"))
        values = _parts(node.child_by_field_name("value") or node.child_by_field_name("right"))
        yield from _given(names, values)


def _declared(node: Node) -> Iterator[TypedNode]:
    """The names of a parameter or field, an embedded type by its own name."""
    type_ = node.child_by_field_name("type")
    is_field, read = node.type == "field_declaration", read_type(type_)
    if node.type == "variadic_parameter_declaration":
        read = TypeName("Array", (read,))
    for name in node.children_by_field_name("name"):
        yield TypedNode(name, declared=True, type=read, is_field=is_field)
    if is_field and type_ is not None and node.child_by_field_name("name") is None:
        embedded = type_.child_by_field_name("name") or type_.child_by_field_name("type") or type_
        yield TypedNode(embedded, declared=True, type=read, is_field=True)


def _given(names: Sequence[Node], values: Sequence[Node]) -> Iterator[TypedNode]:
    """Names with their values; of one value for several, with what it gives in its place."""
    if len(names) == len(values):
        for name, value in zip(names, values, strict=True):
            type_ = read_type(value.child_by_field_name("type")) if value.type == "composite_literal" else None
            yield TypedNode(name, type=type_) if type_ is not None else TypedNode(name, value=go_chain(value))
        return
    value = go_chain(values[0]) if len(values) == 1 else ""
    is_call = value and values[0].type == "call_expression"
    for at, name in enumerate(names):
        yield TypedNode(name, value=f"{value}[{at}]" if is_call else "" if at else value)


def go_chain(node: Node | None, depth: int = 0) -> str:
    """An expression as the value of a `Typed`, "" for one whose type is not followed."""
    if node is None or depth > MAX_CHAIN:
        return ""
    kind = node.type
    if kind == "identifier":
        return text_of(node)
    if kind == "selector_expression":
        value = go_chain(node.child_by_field_name("operand"), depth + 1)
        return value and f"{value}.{text_of(node.child_by_field_name('field'))}"
    if kind == "call_expression":
        function, given = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        if text_of(function) == "new" and given is not None:
            return _object_of(next(iter(given.named_children), None))
        value = go_chain(function, depth + 1)
        return value and f"{value}()"
    if kind == "index_expression":
        value = go_chain(node.child_by_field_name("operand"), depth + 1)
        return value and f"{value}[]"
    if kind in {"composite_literal", "type_assertion_expression"}:
        return _object_of(node.child_by_field_name("type"))
    is_same = kind in _SAME and text_of(node.child_by_field_name("operator")) in {"", "&", "*"}
    return go_chain(node.named_children[0], depth + 1) if is_same and node.named_children else ""


def _object_of(type_: Node | None) -> str:
    """An object of a type, or of the type that a pointer leads to, as the value of a `Typed`."""
    read = read_type(type_)
    return f"{read.name}()" if read is not None and not read.arguments else ""


def read_type(node: Node | None, depth: int = 0) -> TypeName | None:
    """The type that a node names, of a pointer what it leads to; None where it has no name."""
    if node is None or depth > MAX_CHAIN:
        return None
    kind = node.type
    if kind in _THROUGH and node.named_children:
        return read_type(node.named_children[0], depth + 1)
    if kind in _LISTS:
        return TypeName("Array", (read_type(node.child_by_field_name("element"), depth + 1),))
    if kind == "map_type":
        return TypeName("map", tuple(read_type(node.child_by_field_name(part), depth + 1) for part in ("key", "value")))
    if kind == "generic_type":
        return read_type(node.child_by_field_name("type"), depth + 1)
    name = dotted(node) if kind in _NAMED else ""
    return TypeName(name) if name else None


def _result(node: Node) -> TypeName | None:
    """What a function gives: of several values a tuple."""
    if node.type != "parameter_list":
        return read_type(node)
    types = [
        read_type(each.child_by_field_name("type"))
        for each in node.named_children
        for _ in each.children_by_field_name("name") or [each]
    ]
    return types[0] if len(types) == 1 else TypeName("tuple", tuple(types))


def _parts(node: Node | None) -> list[Node]:
    """The expressions of a list."""
    if node is None:
        return []
    return (
        [each for each in node.named_children if each.type != "comment"] if node.type == "expression_list" else [node]
    )
