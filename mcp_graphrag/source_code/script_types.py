"""JavaScript and TypeScript: what annotations, assignments and returns say of the types of names."""

from collections.abc import Iterator, Sequence

from tree_sitter import Node

from mcp_graphrag.source_code.nodes import MAX_CHAIN, TypedNode, dotted, imported_module, imported_name, text_of
from mcp_graphrag.source_code.script_values import FUNCTIONS
from mcp_graphrag.source_code.source_file import TypeName

_SELF = TypeName("Self")
# Types that are their first argument where they are awaited or read; a value is never the promise itself here.
_OF_FIRST = frozenset({"Promise", "PromiseLike", "Awaited", "Readonly", "Partial", "Required", "NonNullable"})
_SAME_ITEMS = {"ReadonlyArray": "Array", "ReadonlyMap": "Map", "ReadonlySet": "Set", "IterableIterator": "Iterable"}
_NOTHING = frozenset({"null", "undefined", "void", "never"})
_TRANSPARENT = frozenset(
    {"await_expression", "parenthesized_expression", "non_null_expression", "satisfies_expression"}
)
# Methods of lists that call a function with each item.
_OF_ITEMS = frozenset(
    {"forEach", "map", "filter", "find", "findLast", "some", "every", "flatMap", "findIndex", "findLastIndex"}
)
_AROUND = frozenset({"type_annotation", "parenthesized_type", "readonly_type"})
_NAMED = frozenset({"type_identifier", "identifier", "nested_type_identifier", "this_type", "type_query"})
_STATEMENTS = frozenset(
    {"statement_block", "if_statement", "else_clause", "for_statement", "for_in_statement", "while_statement"}
    | {"do_statement", "try_statement", "catch_clause", "finally_clause", "switch_statement", "switch_body"}
    | {"switch_case", "switch_default", "labeled_statement"}
)
_PARAMETERS = frozenset({"required_parameter", "optional_parameter"})
_FIELDS = frozenset({"public_field_definition", "field_definition", "property_signature"})


def script_types(node: Node) -> Iterator[TypedNode]:
    """What a variable, assignment, parameter, field, loop, function or callback of the items of a list says."""
    kind = node.type
    if kind == "for_in_statement":
        items = script_chain(node.child_by_field_name("right"))
        is_of = any(child.type == "of" for child in node.children)
        yield from _bound(node.child_by_field_name("left"), [f"{items}[*]" if items and is_of else ""])
    elif kind in {"call_expression", "new_expression"}:
        yield from _callbacks(node)
    elif kind == "assignment_expression":
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        yield from _given(left, None, right)
    elif kind == "export_statement":
        yield TypedNode(None, value=script_chain(node.child_by_field_name("value")), key="default")
    elif kind in _PARAMETERS:
        yield from _parameter(node)
    elif kind in {"type_parameter", "type_alias_declaration"}:
        yield from _named_type(node)
    elif kind == "variable_declarator" or kind in _FIELDS:
        name = node.child_by_field_name("name") or node.child_by_field_name("property")
        value = node.child_by_field_name("value")
        if value is not None and value.type in FUNCTIONS:
            yield from _returned(value)
        else:
            yield from _given(name, node.child_by_field_name("type"), value)
    else:
        yield from _returned(node.child_by_field_name("value") or node)


def _parameter(node: Node) -> Iterator[TypedNode]:
    """A parameter, which with `private`, `public` or `readonly` in front is a field of the class too."""
    pattern, declared = node.child_by_field_name("pattern"), node.child_by_field_name("type")
    is_field = any(child.type in {"accessibility_modifier", "readonly"} for child in node.children)
    for each in _given(pattern, declared, node.child_by_field_name("value")):
        yield each
        if is_field:
            yield each._replace(is_field=True)


def _named_type(node: Node) -> Iterator[TypedNode]:
    """The class that a name stands for: of a type parameter that of which it is an extension, of an alias its type."""
    name, constraint = node.child_by_field_name("name"), node.child_by_field_name("constraint")
    given = next(iter(constraint.named_children), None) if constraint is not None else node.child_by_field_name("value")
    type_ = read_type(given)
    if name is not None:
        yield TypedNode(name, value=type_.name if type_ is not None and type_ != _SELF else "")


def _callbacks(call: Node) -> Iterator[TypedNode]:
    """The parameters of the functions that a call is given.

    In `list.forEach((item) => …)` it is an item of the list, else what the called function says of its parameter.
    """
    function = call.child_by_field_name("function") or call.child_by_field_name("constructor")
    arguments = call.child_by_field_name("arguments")
    given = arguments.named_children if arguments is not None else []
    member = text_of(function.child_by_field_name("property")) if function is not None else ""
    of_items = function.child_by_field_name("object") if function is not None and member in _OF_ITEMS else None
    called = script_chain(of_items or function)
    for at, callback in enumerate(given):
        parameters = _parameters(callback) if callback.type in FUNCTIONS else []
        for place, parameter in enumerate(parameters[: 1 if of_items is not None else None]):
            step = "[]" if of_items is not None else f"{{{at},{place}}}"
            if parameter.child_by_field_name("type") is None:
                pattern = parameter.child_by_field_name("pattern") or parameter
                yield from _bound(pattern, [f"{called}{step}" if called else ""])


def _parameters(function: Node) -> list[Node]:
    """The parameters of a function, without the type of `this`."""
    listed, single = function.child_by_field_name("parameters"), function.child_by_field_name("parameter")
    found = [single] if single is not None else listed.named_children if listed is not None else []
    return [each for each in found if each.type != "comment" and text_of(each.child_by_field_name("pattern")) != "this"]


def _said_of_callbacks(function: Node) -> Iterator[TypedNode]:
    """The declared types of the parameters of the functions that a function takes, by their places: "{0,1}"."""
    for at, parameter in enumerate(_parameters(function)):
        type_ = parameter.child_by_field_name("type")
        for _ in range(MAX_CHAIN):
            if type_ is None or type_.type == "function_type":
                break
            inner = [each for each in type_.named_children if text_of(each) not in _NOTHING]
            is_one = type_.type in {*_AROUND, "union_type"} and len(inner) == 1
            type_ = inner[0] if is_one else None
        for place, each in enumerate(_parameters(type_) if type_ is not None else ()):
            declared = each.child_by_field_name("type")
            if declared is not None:
                yield TypedNode(None, declared=True, type=read_type(declared), key=f"{{{at},{place}}}")


def _given(left: Node | None, declared: Node | None, right: Node | None) -> Iterator[TypedNode]:
    """A name or pattern with its annotation, else with the values that it is given."""
    if left is None:
        return
    type_ = declared or (_asserted(right) if right is not None else None)
    if type_ is None:
        yield from _bound(left, list(_values(right)) if right is not None else [])
    elif left.type == "object_pattern":
        read = read_type(type_)
        yield from _bound(left, [read.name if read is not None and not read.arguments else ""])
    else:
        yield TypedNode(left, declared=declared is not None, type=read_type(type_))


def _asserted(node: Node) -> Node | None:
    """The type of `value as Type`; None for any other expression."""
    last = node.named_children[-1] if node.type == "as_expression" and node.named_child_count > 1 else None
    return last if last is not None and last.is_named else None


def _bound(left: Node | None, values: Sequence[str], depth: int = 0) -> Iterator[TypedNode]:
    """A name, or each name of a pattern, with its values, "" for one that is not known."""
    if left is None or depth > MAX_CHAIN:
        return
    if left.type == "object_pattern":
        for part in left.named_children:
            key, value = part.child_by_field_name("key"), part.child_by_field_name("value")
            inner = [f"{each}.{text_of(key or part)}" if each else "" for each in values]
            if part.type in {"shorthand_property_identifier_pattern", "pair_pattern"}:
                yield from _bound(value or part, inner, depth + 1)
    elif left.type == "array_pattern":
        for at, name in enumerate(left.named_children):
            yield from _bound(name, [f"{each}[{at}]" if each else "" for each in values], depth + 1)
    else:
        for value in values or [None]:
            yield TypedNode(left, value=value)


def _returned(function: Node) -> Iterator[TypedNode]:
    """What a function returns, as declared or by its own `return`s, and what it says of functions that it takes."""
    yield from _said_of_callbacks(function)
    declared, body = function.child_by_field_name("return_type"), function.child_by_field_name("body")
    if declared is not None:
        yield TypedNode(None, declared=True, type=read_type(declared))
    elif body is not None and not any(child.type == "*" for child in function.children):
        for value in _results(body):
            if value.type == "this":
                yield TypedNode(None, type=_SELF)
            elif (type_ := _asserted(value)) is not None:
                yield TypedNode(None, type=read_type(type_))
            else:
                yield from (TypedNode(None, value=each) for each in _values(value))


def _results(body: Node) -> Iterator[Node]:
    if body.type not in _STATEMENTS:
        yield body  # of an arrow function
        return
    pending = [body]
    while pending:
        for each in pending.pop().named_children:
            if each.type in _STATEMENTS:
                pending.append(each)
            elif each.type == "return_statement" and each.named_children:
                yield each.named_children[0]


def _values(node: Node, depth: int = 0) -> Iterator[str]:
    """The values that an expression may give, "" for one that is not known; null as a value says nothing."""
    kind = node.type
    if depth > MAX_CHAIN:
        yield ""
    elif kind == "ternary_expression":
        for field in ("consequence", "alternative"):
            if (part := node.child_by_field_name(field)) is not None:
                yield from _values(part, depth + 1)
    elif kind == "binary_expression" and text_of(node.child_by_field_name("operator")) in {"||", "??"}:
        for part in node.named_children:
            yield from _values(part, depth + 1)
    elif kind in _TRANSPARENT and node.named_children:
        yield from _values(node.named_children[0], depth + 1)
    elif kind not in _NOTHING:
        yield script_chain(node)


def script_chain(node: Node | None, depth: int = 0) -> str:
    """An expression as the value of a `Typed`, "" for one whose type is not followed."""
    if node is None or depth > MAX_CHAIN:
        return ""
    kind = node.type
    if kind in {"identifier", "this"}:
        return text_of(node)
    if kind in _TRANSPARENT and node.named_children:
        return script_chain(node.named_children[0], depth + 1)
    if kind == "member_expression":
        value = script_chain(node.child_by_field_name("object"), depth + 1)
        return value and f"{value}.{text_of(node.child_by_field_name('property'))}"
    if kind in {"call_expression", "new_expression"}:
        if imported_module(node):
            return imported_name(node)
        value = script_chain(node.child_by_field_name("function") or node.child_by_field_name("constructor"), depth + 1)
        return value and f"{value}()"
    if kind == "subscript_expression":
        value = script_chain(node.child_by_field_name("object"), depth + 1)
        return value and f"{value}[]"
    return script_chain(node.child_by_field_name("right"), depth + 1) if kind == "assignment_expression" else ""


def read_type(node: Node | None, depth: int = 0) -> TypeName | None:
    """The type that an annotation says, without null and undefined; None where it is one of several, or no class."""
    if node is None or depth > MAX_CHAIN:
        return None
    kind, inner = node.type, next(iter(node.named_children), None)
    if kind in _AROUND:
        return read_type(inner, depth + 1)
    if kind == "generic_type":
        return _generic(node, depth)
    if kind == "union_type":
        left = [each for each in _parts(node, depth) if text_of(each) not in _NOTHING]
        return read_type(left[0], depth + 1) if len(left) == 1 else None
    if kind in {"array_type", "tuple_type"}:
        items = tuple(read_type(each, depth + 1) for each in node.named_children)
        return TypeName("Array" if kind == "array_type" else "tuple", items)
    named = "Self" if kind == "this_type" else dotted(inner if kind == "type_query" else node)
    named = named if kind in _NAMED else ""
    if kind == "type_query" and named:
        return TypeName("type", (TypeName(named),))
    return TypeName(_SAME_ITEMS.get(named, named)) if named else None


def _generic(node: Node, depth: int) -> TypeName | None:
    named = read_type(node.child_by_field_name("name"), depth + 1)
    listed = node.child_by_field_name("type_arguments")
    arguments = tuple(read_type(each, depth + 1) for each in (listed.named_children if listed is not None else ()))
    if named is not None and named.name in _OF_FIRST:
        return arguments[0] if arguments else None
    return named._replace(arguments=arguments) if named is not None else None


def _parts(node: Node, depth: int) -> Iterator[Node]:
    for each in node.named_children:
        if each.type == "union_type" and depth <= MAX_CHAIN:
            yield from _parts(each, depth + 1)
        else:
            yield each
