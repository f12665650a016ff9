"""The tools: each parses its arguments, calls one function of the library and shapes the answer."""

from collections.abc import Callable
from dataclasses import dataclass

from mcp_graphrag.server.answers import Answer
from mcp_graphrag.server.tools.reading import (
    describe_graph,
    find_entities,
    get_neighbourhood,
    get_source,
    query_triples,
    search,
)
from mcp_graphrag.server.tools.writing import add_triples, get_job, ingest


@dataclass(frozen=True)
class ToolSpec:
    """One tool. Its function's first parameter is the call, the rest are its arguments on the wire.

    The function's docstring is what a model reads: when to use the tool and what to call first.
    """

    function: Callable[..., Answer]
    title: str
    reads: bool = True
    toolset: str = "default"

    @property
    def name(self) -> str:
        """Its name on the wire."""
        return self.function.__name__


TOOLS: tuple[ToolSpec, ...] = (
    ToolSpec(describe_graph, "Describe the graph"),
    ToolSpec(search, "Search passages"),
    ToolSpec(find_entities, "Find entities"),
    ToolSpec(query_triples, "Query triples"),
    ToolSpec(get_neighbourhood, "Get a neighbourhood"),
    ToolSpec(get_source, "Read a source"),
    ToolSpec(ingest, "Ingest texts and files", reads=False),
    ToolSpec(get_job, "Ask about a job"),
    ToolSpec(add_triples, "Add triples", reads=False),
)

__all__ = ["TOOLS", "ToolSpec"]
