"""Python: what annotations and assignments say of the types of names."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from tree_sitter import Node

from mcp_graphrag.source_code.nodes import MAX_CHAIN, TypedNode, text_of
from mcp_graphrag.source_code.source_file import TypeName

MAX_TYPE = 1_000  # characters of an annotation that is read
_TOKEN = re.compile(r"""[\w.]+|[\[\](),|]|"[^"]*"|'[^']*'""")
_NONE = TypeName("None")
# Forms whose first argument says the type.
_OF_FIRST = frozenset({"Optional", "Annotated", "Final", "ClassVar", "Required", "NotRequired", "InitVar", "ReadOnly"})
_UNKNOWN = frozenset({"Literal", "Callable", "Any", "object"})
# What these give has the items of their argument.
_SAME_ITEMS = frozenset({"list", "set", "frozenset", "sorted", "reversed", "iter", "copy", "deepcopy"})
_SELF = TypeName("Self")


def python_types(node: Node) -> Iterator[TypedNode]:
    """What an assignment, parameter, loop, `with`, `except`, `return` or head of a function says."""
    kind = node.type
    if kind == "function_definition":
        declared = node.child_by_field_name("return_type")
        if declared is not None:
            yield TypedNode(None, declared=True, type=read_type(text_of(declared)))
    elif kind in {"return_statement", "yield"}:
        value = next(iter(node.named_children), None) if kind == "return_statement" else node
        if value is not None:
            yield from _given(None, value)
    elif kind in {"typed_parameter", "typed_default_parameter"}:
        name = next(iter(node.named_children), None)
        if name is not None and name.type == "identifier":
            yield TypedNode(name, declared=True, type=read_type(text_of(node.child_by_field_name("type"))))
    elif kind == "with_statement":
        entered = ".__aenter__()" if node.children[0].type == "async" else ".__enter__()"
        for item in (item for clause in node.named_children[:1] for item in clause.named_children):
            yield from _named_as(item.child_by_field_name("value"), entered)
    elif kind == "except_clause":
        yield from _named_as(node.child_by_field_name("value"), "")
    else:
        yield from _assigned(node)


def _named_as(node: Node | None, entered: str) -> Iterator[TypedNode]:
    """The name behind `as`: of what the value gives when it is entered, or of an exception, whose class it is."""
    alias = node.child_by_field_name("alias") if node is not None and node.type == "as_pattern" else None
    name = next(iter(alias.named_children), None) if alias is not None else None
    if node is None or name is None:
        return
    value = python_chain(node.named_children[0])
    if entered:
        yield from _bound(name, [value and value + entered])
    elif re.fullmatch(r"[\w.]+", value):
        yield TypedNode(name, type=TypeName(value))


def _assigned(node: Node) -> Iterator[TypedNode]:
    """The names of an assignment, a loop or a named expression."""
    if node.type == "assignment":
        parts = node.children  # x: type = value; to look for a field that is not there takes longer
        left, declared = parts[0], parts[2] if len(parts) > 2 and parts[1].type == ":" else None
        right = parts[-1] if declared is None or len(parts) > 4 else None
    else:
        left = node.child_by_field_name("left") or node.child_by_field_name("name")
        right = node.child_by_field_name("right") or node.child_by_field_name("value")
        declared = None
    if left is None:
        return
    if declared is not None:
        yield TypedNode(left, declared=True, type=read_type(text_of(declared)))
    elif right is not None and node.type in {"for_statement", "for_in_clause"}:
        yield from _looped(left, right)
    elif right is not None:
        while right.type == "assignment":  # a = b = value
            right = right.child_by_field_name("right") or right.named_children[-1]
        yield from _given(left, right)


def _looped(left: Node, right: Node) -> Iterator[TypedNode]:
    items = f"{value}[*]" if (value := python_chain(right)) else ""
    listed = _arguments(right, "enumerate")
    if listed and left.type in _PATTERNS and len(left.named_children) == 2:
        inner = python_chain(listed[0])
        yield from _bound(left.named_children[1], [f"{inner}[*]" if inner else ""])
    else:
        yield from _bound(left, [items])


def _given(left: Node | None, right: Node) -> Iterator[TypedNode]:
    """A name, or what a function returns, with the value that it is given."""
    kind = right.type
    if kind in _LITERALS:
        yield TypedNode(left, value="")
    elif kind == "call" and len(cast := _arguments(right, "cast")) > 1:
        yield TypedNode(left, type=read_type(text_of(cast[0])))
    elif left is None and kind == "identifier" and text_of(right) == "self":
        yield TypedNode(None, type=_SELF)
    else:
        yield from _bound(left, list(_values(right)))


_LITERALS = frozenset({"string", "integer", "float", "true", "false", "list", "dictionary", "list_comprehension"})
_PATTERNS = frozenset({"pattern_list", "tuple_pattern", "list_pattern", "tuple"})


def _bound(left: Node | None, values: Sequence[str]) -> Iterator[TypedNode]:
    """A name, or each name of a pattern, with its values, "" for one that is not known."""
    if left is None or left.type not in _PATTERNS:
        for value in values or [None]:
            yield TypedNode(left, value=value)
        return
    starred = any(each.type == "list_splat_pattern" for each in left.named_children)
    for at, name in enumerate(left.named_children):
        if name.type not in _PATTERNS:
            yield from _bound(name, [(value and not starred and f"{value}[{at}]") or "" for value in values])


def _values(node: Node, depth: int = 0) -> Iterator[str]:
    """The values that an expression may give, "" for one that is not known; None as a value says nothing."""
    kind = node.type
    if depth > MAX_CHAIN:
        yield ""
    elif kind == "conditional_expression":
        yield from _values(node.named_children[0], depth + 1)
        yield from _values(node.named_children[-1], depth + 1)
    elif kind == "boolean_operator" and node.children[1].type == "or":
        for operand in node.named_children:
            yield from _values(operand, depth + 1)
    elif kind == "parenthesized_expression" and node.named_children:
        yield from _values(node.named_children[0], depth + 1)
    elif kind != "none":
        yield python_chain(node)


def python_chain(node: Node | None, depth: int = 0) -> str:
    """An expression as the value of a `Typed`, "" for one whose type is not followed."""
    if node is None or depth > MAX_CHAIN:
        return ""
    kind = node.type
    if kind == "identifier":
        return text_of(node)
    if kind == "attribute":
        value = python_chain(node.child_by_field_name("object"), depth + 1)
        return value and f"{value}.{text_of(node.child_by_field_name('attribute'))}"
    if kind == "call":
        function = node.child_by_field_name("function")
        name = text_of(function) if function is not None and function.type == "identifier" else ""
        if name in _SAME_ITEMS or name == "next":
            listed = _arguments(node, name)
            value = python_chain(listed[0], depth + 1) if listed else ""
            return value and (f"{value}[*]" if name == "next" else value)
        value = python_chain(function, depth + 1)
        return value and f"{value}()"
    if kind == "subscript":
        keys = node.children_by_field_name("subscript")
        value = python_chain(node.child_by_field_name("value"), depth + 1)
        return value and ("" if len(keys) != 1 or keys[0].type == "slice" else f"{value}[]")
    if kind in {"await", "parenthesized_expression"} and node.named_children:
        return python_chain(node.named_children[0], depth + 1)
    return python_chain(node.child_by_field_name("value"), depth + 1) if kind == "named_expression" else ""


def _arguments(node: Node, function: str) -> Sequence[Node]:
    """The arguments of a call of a function by its last name, none for any other expression."""
    called = node.child_by_field_name("function") if node.type == "call" else None
    if called is not None and called.type == "attribute":
        called = called.child_by_field_name("attribute")
    if called is None or called.type != "identifier" or text_of(called) != function:
        return ()
    listed = node.child_by_field_name("arguments")
    return () if listed is None else [each for each in listed.named_children if each.type != "comment"]


@lru_cache(maxsize=4_000)
def read_type(text: str) -> TypeName | None:
    """The type that an annotation says, without None; None where it is one of several, or not a class."""
    if len(text) > MAX_TYPE:
        return None
    tokens = _TOKEN.findall(text)[::-1]
    found = _one_of(tokens, 0)
    return found if not tokens and found != _NONE else None


def _one_of(tokens: list[str], depth: int) -> TypeName | None:
    """Take a union from the end of the tokens."""
    found = [_single(tokens, depth)]
    while tokens and tokens[-1] == "|":
        tokens.pop()
        found.append(_single(tokens, depth))
    return _only(found)


def _only(types: Sequence[TypeName | None]) -> TypeName | None:
    left = [each for each in dict.fromkeys(types) if each != _NONE]
    return left[0] if len(left) == 1 else None if left else _NONE


def _single(tokens: list[str], depth: int) -> TypeName | None:
    token = tokens.pop() if tokens else ""
    if token[:1] in {'"', "'"}:
        return read_type(token[1:-1]) if depth <= MAX_CHAIN else None
    name = "" if token in {"[", "("} else token
    if not name:
        tokens.append(token)
    arguments: list[TypeName | None] = []
    if tokens and tokens[-1] in {"[", "("}:
        tokens.pop()
        while tokens and tokens[-1] not in {"]", ")"}:
            if depth > MAX_CHAIN:
                return None
            arguments.append(_one_of(tokens, depth + 1))
            if tokens and tokens[-1] == ",":
                tokens.pop()
            elif tokens and tokens[-1] not in {"]", ")"}:
                tokens.clear()  # no annotation
        del tokens[-1:]
    last = name.rpartition(".")[2]
    if last in _OF_FIRST:
        return arguments[0] if arguments else None
    if last == "Union":
        return _only(arguments)
    return TypeName(name, tuple(arguments)) if last and last not in _UNKNOWN else None
