"""A file of a plain language while it is read."""

from bisect import bisect_right
from collections.abc import Iterator, Set
from itertools import accumulate

from tree_sitter import Node, Tree

from mcp_graphrag.source_code.find_definitions import MAX_NESTED, MAX_PATH, Scope, Scoped, joined
from mcp_graphrag.source_code.languages import Language
from mcp_graphrag.source_code.nodes import (
    text_of,
)
from mcp_graphrag.source_code.patterns import Matched, dotted_name
from mcp_graphrag.source_code.read_file import FileReading, reference_to
from mcp_graphrag.source_code.source_file import (
    Import,
    Kind,
    Reference,
)


class PlainReading(FileReading):
    """A file of a plain language: what a definition is called, imports and calls is what the patterns say."""

    def __init__(self, source: bytes, tree: Tree, found: Matched, language: Language) -> None:
        modules = [each for capture in ("module", "namespace", "nested") for each in found.captures.get(capture, ())]
        super().__init__(source, tree, {**found.captures, "module": modules}, language)
        self._matched = found

    def _name_node(self, node: Node) -> Node | None:
        return self._matched.names.get(node.id)

    def _owner_and_name(self, named: str) -> tuple[str, str]:
        owner, _, name = dotted_name(named).rpartition(".")
        return owner, name

    def _add(self, node: Node, name: Node, path: str, kind: Kind, parent: int) -> int:
        index = super()._add(node, name, path, kind, parent)
        own = text_of(name).rstrip("`").rpartition(path.rpartition(".")[2])
        self._definitions[index] = self._definitions[index]._replace(
            end=self._matched.ends.get(node.id, node.end_byte),
            name_start=name.start_byte + len(own[0].encode()),
            line=name.start_point[0] + 1,
        )
        return index

    def _block(self, node: Node, around: Scope) -> Scope:
        """The scope of a block of methods of a type that is defined elsewhere, such as an extension."""
        named = self._name_node(node)
        type_ = dotted_name(text_of(named))
        if named is None or around.depth >= MAX_NESTED or len(around.path) + len(type_) > MAX_PATH:
            return around._replace(end=node.end_byte)
        path = joined(around.path, type_)
        return Scope(node.end_byte, path, around.definition, is_type=True, type=type_, depth=around.depth + 1)

    def _calls(self, scopes: Scoped) -> Iterator[Reference]:
        places = {node.id: scope for node, scope in scopes("callee")}
        return (reference_to("calls", named, places[named.node.id]) for named in self._matched.calls)

    def _imports(self, node: Node, scope: int) -> Iterator[Import]:
        for (module, member, local), is_path in self._matched.imports[node.id]:
            yield Import(module, member, local, node.start_byte, node.end_byte, scope, is_path)

    def _bases(self) -> Iterator[Reference]:
        for id_, found in self._matched.bases.items():
            if id_ in self._by_node:
                yield from (reference_to(relation, named, self._by_node[id_]) for relation, named in found)

    def _hidden(self) -> Set[int]:
        """The definitions that are hidden, or in a part that is."""
        nodes = self._captures.get("hidden", ())
        starts, ends = [node.start_byte for node in nodes], list(accumulate((node.end_byte for node in nodes), max))
        places = [(index, each.body, bisect_right(starts, each.body)) for index, each in enumerate(self._definitions)]
        return {index for index, start, before in places if before and start < ends[before - 1]}
