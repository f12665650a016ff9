"""The tools: each parses its arguments, calls one function of the library and shapes the answer."""

from collections.abc import Callable
from dataclasses import dataclass

from mcp_graphrag.errors import BadInput
from mcp_graphrag.pipeline import Pipeline
from mcp_graphrag.server.answers import Answer
from mcp_graphrag.server.background import Background
from mcp_graphrag.server.call import App
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


def make_app(pipeline: Pipeline) -> App:
    """A pipeline with what serving adds to it."""
    return App(pipeline, Background(pipeline), chosen_tools(pipeline.settings.toolsets, pipeline.settings.read_only))


def chosen_tools(toolsets: str, read_only: bool) -> tuple[str, ...]:  # noqa: FBT001
    """The names of the tools that `toolsets` offers: default, all, names of toolsets or of tools.

    Raises BadInput for a name that is neither.
    """
    wanted = {name.strip() for name in toolsets.split(",") if name.strip()} or {"default"}
    known = {tool.name for tool in TOOLS} | {tool.toolset for tool in TOOLS} | {"all"}
    if unknown := sorted(wanted - known):
        raise BadInput(f"No toolset or tool named '{unknown[0]}'.", f"Choose of {', '.join(sorted(known))}.")
    return tuple(
        tool.name
        for tool in TOOLS
        if ("all" in wanted or tool.name in wanted or tool.toolset in wanted) and (tool.reads or not read_only)
    )


__all__ = ["TOOLS", "ToolSpec", "chosen_tools", "make_app"]
