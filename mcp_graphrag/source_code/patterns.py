"""What the patterns of a plain language match in a syntax tree, match by match."""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, TypeAlias, get_args

from tree_sitter import Node

from mcp_graphrag.source_code.nodes import ImportedName, Named, text_of
from mcp_graphrag.source_code.source_file import ANY, OBJECT, Kind, Relation

DEFINING = frozenset({*get_args(Kind), "namespace", "nested", "scope"})
BASES: tuple[Relation, ...] = ("extends", "implements")
MAX_NAME = 300  # bytes of a name with its path, as written
_SEPARATOR = re.compile(r"\s*(?:::|[.\\])\s*(?=[\w~`])")
_ARGUMENTS = re.compile(r"(?<=\w)<[^<>]*>|(?<=\w)\[[^\[\]]*\]|\(\)")
_WORD = re.compile(r"(?:::|\\)?[\w`~@$]")
_OPERATOR = re.compile(r"\boperator\b(?:\s*\(\s*\))?[^(]*")
_SHELL_VALUE = re.compile(r"\$(?:\{[^{}$]*\}|\([^()$]*\)|\w+)")
_CHAIN = re.compile(r"(?:::|\\)?[\w$@]+[?!]?(?:\s*(?:::|\\|\.|->)\s*[\w$]+[?!]?)*")


Matches: TypeAlias = Sequence[tuple[int, Mapping[str, Sequence[Node]]]]


class Matched(NamedTuple):
    """The nodes by capture, in order; names and bases by the id of the definition; calls and imports in order.

    An import has with its node and name whether it is the path of a file. A call has the name of its object as
    receiver, `OBJECT` for an expression. `ends` are the ends in bytes of namespaces without braces.
    """

    captures: Mapping[str, Sequence[Node]]
    names: Mapping[int, Node]
    bases: Mapping[int, Sequence[tuple[Relation, Named]]]
    imports: Mapping[int, Sequence[tuple[ImportedName, bool]]]
    calls: Sequence[Named]
    ends: Mapping[int, int]


def matched(matches: Matches, size: int) -> Matched:
    """The matches of a query in a text of so many bytes, put together."""
    captures: dict[str, dict[int, Node]] = defaultdict(dict)
    names: dict[int, Node] = {}
    bases: dict[int, list[tuple[Relation, Named]]] = defaultdict(list)
    for _, match in matches:
        for capture, nodes in match.items():
            captures[capture].update((node.id, node) for node in nodes)
        defined = next((match[capture][0] for capture in match if capture in DEFINING), None)
        if defined is not None:
            names.update((defined.id, name) for name in match.get("name", ()) if defined.id not in names)
            for relation in BASES:
                bases[defined.id].extend((relation, base) for node in match.get(relation, ()) for base in _named(node))
    starts = sorted(node.start_byte for node in captures["namespace"].values())
    ends = dict.fromkeys(captures["nested"], size)
    for id_, node in captures["namespace"].items():
        ends[id_] = next(iter(starts[bisect_right(starts, node.start_byte) :][:1]), size)
    ordered = {capture: list(nodes.values()) for capture, nodes in captures.items()}
    return Matched(ordered, names, bases, _imports(matches), _calls(matches), ends)


def _calls(matches: Matches) -> Sequence[Named]:
    calls: dict[int, Named] = {}
    for _, match in matches:
        for node in match.get("callee", ()):
            object_ = next(iter(match.get("object", ())), None)
            before, _, name = name_chain(node).rpartition(".")
            receiver = before if object_ is None else name_chain(object_) or OBJECT
            if name and (node.id not in calls or receiver):
                calls[node.id] = Named(receiver, name, node)
    return sorted(calls.values(), key=lambda call: call.node.start_byte)


def _imports(matches: Matches) -> Mapping[int, Sequence[tuple[ImportedName, bool]]]:
    imports: dict[int, list[tuple[ImportedName, bool]]] = defaultdict(list)
    parts: dict[int, list[str]] = defaultdict(list)
    # The pattern for the name of an import may be met by one of all names too, and that for its parts by any.
    named = sorted(
        (match for _, match in matches if "import" in match), key=lambda match: ("all" in match) - ("part" in match)
    )
    for match in named:
        id_ = match["import"][0].id
        if "part" in match:
            parts[id_] += [dotted_name(text_of(each)) for each in match["part"]]
        else:
            found = list(_imported(match, ".".join(parts[id_])))
            imports[id_] = found if "all" in match else imports[id_] + found
    return {id_: list(_imported({}, ".".join(of))) for id_, of in parts.items() if of} | imports


def blanked(source: bytes, pattern: str) -> bytes:
    """A source of the same length with spaces in place of the groups that match."""

    def spaces(match: re.Match[bytes]) -> bytes:
        start, end = match.span(match.lastindex or 0)
        inside = re.sub(rb"\S", b" ", source[start:end])
        return source[match.start() : start] + inside + source[end : match.end()]

    return re.sub(pattern.encode(), spaces, source)


def dotted_name(text: str) -> str:
    """A name as written with "." between its parts, without type arguments: "a.b.C" for `a::b::C<T>`."""
    if not _WORD.match(text):
        return text  # an operator
    operator = _OPERATOR.search(text := text[:MAX_NAME])
    text, own = (text[: operator.start()], operator[0]) if operator is not None else (text, "")
    while (plain := _ARGUMENTS.sub("", text)) != text:
        text = plain
    return _SEPARATOR.sub(".", text.strip()).rstrip(". \n").replace("`", "") + (
        f".{own}" if own and text.strip() else own
    )


def name_chain(node: Node) -> str:
    """The name, or names with separators, that a node is, with "." between them; "" for any other expression."""
    if node.end_byte - node.start_byte > MAX_NAME:
        return ""
    text = text_of(node)
    return dotted_name(text).replace("->", ".") if _CHAIN.fullmatch(text) else ""


def _named(node: Node) -> Iterable[Named]:
    receiver, _, name = dotted_name(text_of(node) if node.end_byte - node.start_byte <= MAX_NAME else "").rpartition(
        "."
    )
    return [Named(receiver, name, node)] if re.fullmatch(r"\w+", name) else []


def _imported(match: Mapping[str, Sequence[Node]], of: str) -> Iterable[tuple[ImportedName, bool]]:
    """What an import names: the path of a file, or something by its name, or a member of what `of` names."""
    for node in match.get("path", ()):
        path = _static_path(text_of(node).strip("<>"))
        if path:
            yield ImportedName(f"./{path.lstrip('/')}" if "relative" in match else path, ANY, ""), True
    targets = [dotted_name(text_of(each)) for each in match.get("target", ())] or [""] * bool(of)
    alias = next((text_of(each) for each in match.get("alias", ())), "")
    for target in targets:
        path = f"{of}.{target}".strip(".")
        module, _, member = path.rpartition(".")
        if "all" in match:
            yield ImportedName(path, ANY, ""), False
        elif member:
            yield ImportedName(module or member, member if module else "", alias or member), False


def _static_path(text: str) -> str:
    """A path as written; behind a folder that a variable or command gives, the rest of it; "" where nothing is left."""
    path = re.sub("[\"' ]", "", text[:MAX_NAME])
    while (plain := _SHELL_VALUE.sub("\0", path)) != path:
        path = plain
    _, given, rest = path.rpartition("\0")
    rest = rest if not given else rest[1:] if rest.startswith("/") else ""
    return "" if "$" in rest else rest
