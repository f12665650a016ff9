"""JavaScript and TypeScript: what values define: objects with functions, and functions that other functions wrap."""

import re
from collections.abc import Callable, Iterator

from tree_sitter import Node

from mcp_graphrag.source_code.nodes import children, dotted, text_of

FUNCTIONS = frozenset({"arrow_function", "function_expression", "generator_function"})
MAX_WRAPPED = 5  # calls and objects in each other that are looked into
_COMPONENT = re.compile(r"[A-Z]\w*[a-z]\w*")  # React's way to tell a component from an element
_IN_FUNCTIONS = frozenset({"useCallback"})  # wrappers that are called inside of functions
_OF_VALUES = frozenset({"as_expression", "satisfies_expression", "parenthesized_expression"})
_FREEZE = frozenset({"Object.freeze", "Object.seal", "Object.assign"})


def value_name(node: Node) -> Node | None:
    """The name of what a variable, field, pair of an object or assignment defines, None for any other node."""
    left = node.child_by_field_name("left")
    if left is not None:
        return left if text_of(left) == "module.exports" else left.child_by_field_name("property")
    return node.child_by_field_name("property") or node.child_by_field_name("key")


def is_function(node: Node, *, at_top: bool) -> bool:
    """Whether a captured node defines a function; the result of a call does where the call is given one to wrap.

    Those are `forwardRef`, `memo`, styled components and others that get a component or give one, and at the top of a
    file functions that are given a function: `debounce(() => save())`.
    """
    call = node if node.type == "call_expression" else node.child_by_field_name("value")
    if call is None or call.type != "call_expression":
        return True
    function, name = call.child_by_field_name("function"), text_of(node.child_by_field_name("name"))
    if function is None or (not at_top and text_of(function)[-20:].rpartition(".")[2] not in _IN_FUNCTIONS):
        return False
    if not name or _COMPONENT.fullmatch(name):
        return _wraps(call, MAX_WRAPPED)
    is_plain = function.type == "identifier" or text_of(function.child_by_field_name("object"))[:1] in {"_", "R"}
    return is_plain and any(each.type in FUNCTIONS for each in _arguments(call))


def wrapped_components(node: Node, depth: int = MAX_WRAPPED) -> Iterator[Node]:
    """The names of the components that a call is given: `App` of `connect(state)(App)`."""
    call = node if node.type == "call_expression" else node.child_by_field_name("value")
    if call is None or call.type != "call_expression" or not depth:
        return
    function, given = call.child_by_field_name("function"), _arguments(call)
    yield from (each for each in given if each.type == "identifier" and _COMPONENT.fullmatch(text_of(each)))
    inner = function.child_by_field_name("object") if function is not None else None  # styled(App).attrs({})
    for each in (inner or function, *given):
        if each is not None and each.type == "call_expression":
            yield from wrapped_components(each, depth - 1)


def object_of(node: Node) -> Node | None:
    """The object literal that is the value of a captured node, None for any other value."""
    value = node.child_by_field_name("value") or node.child_by_field_name("right") or node
    for _ in range(MAX_WRAPPED):
        if value.type == "object":
            return value
        if value.type == "call_expression" and dotted(value.child_by_field_name("function")) in _FREEZE:
            value = value.child_by_field_name("arguments") or value
        elif value.type not in _OF_VALUES:
            return None
        inner = next(iter(value.named_children), None)
        if inner is None:
            return None
        value = inner
    return None


def has_functions(literal: Node, is_callable: Callable[[str], bool], depth: int = MAX_WRAPPED) -> bool:
    """Whether an object, or one in it, has methods, or values that are names of functions."""
    for each in literal.named_children:
        value = each.child_by_field_name("value")
        if each.type == "method_definition" or (value is not None and value.type in FUNCTIONS):
            return True
        if value is not None and value.type == "object" and depth and has_functions(value, is_callable, depth - 1):
            return True
        name = dotted(value or each) if value is None or value.type in {"identifier", "member_expression"} else ""
        if name and is_callable(name.partition(".")[0]):
            return True
    return False


def named_values(literal: Node) -> Iterator[tuple[str, str]]:
    """The keys of an object whose values are names, with these: ("get", "http.get") of `{ get: http.get }`."""
    for each in children(literal, "shorthand_property_identifier"):
        yield text_of(each), text_of(each)
    for each in children(literal, "pair"):
        value = dotted(each.child_by_field_name("value"))
        if value:
            yield text_of(each.child_by_field_name("key")), value


def _wraps(call: Node, depth: int) -> bool:
    function, arguments = call.child_by_field_name("function"), call.child_by_field_name("arguments")
    if function is None or arguments is None or not depth:
        return False
    if arguments.type == "template_string" or function.type == "call_expression":
        return True
    return any(
        each.type in FUNCTIONS
        or each.type == "class"
        or (each.type == "identifier" and _COMPONENT.fullmatch(text_of(each)) is not None)
        or (each.type == "call_expression" and _wraps(each, depth - 1))
        for each in _arguments(call)
    )


def _arguments(call: Node) -> list[Node]:
    given = call.child_by_field_name("arguments")
    return given.named_children if given is not None and given.type == "arguments" else []
