"""The tools: each parses its arguments, calls one function of the library and shapes the answer."""

from collections.abc import Callable
from dataclasses import dataclass

from mcp_graphrag.errors import BadInput
from mcp_graphrag.pipeline import Pipeline
from mcp_graphrag.server.answers import Answer
from mcp_graphrag.server.background import Background
from mcp_graphrag.server.call import App
from mcp_graphrag.server.tools.asking import ask
from mcp_graphrag.server.tools.claims import check_claim
from mcp_graphrag.server.tools.communities import get_communities
from mcp_graphrag.server.tools.conflicts import resolve
from mcp_graphrag.server.tools.curating import diff, documents, history, remove, undo
from mcp_graphrag.server.tools.edges import add_edges, discover_edges
from mcp_graphrag.server.tools.memory import add_entities, record_outcome, update_entity
from mcp_graphrag.server.tools.merging import merge, review, split
from mcp_graphrag.server.tools.ontologies import ontology
from mcp_graphrag.server.tools.reading import (
    describe_graph,
    find_entities,
    get_neighbourhood,
    get_source,
    query_triples,
)
from mcp_graphrag.server.tools.reasoning import find_paths, plan_question, trace_impact
from mcp_graphrag.server.tools.searching import search
from mcp_graphrag.server.tools.writing import add_triples, get_job, ingest


@dataclass(frozen=True)
class ToolSpec:
    """One tool. Its function's first parameter is the call, the rest are its arguments on the wire.

    `destroys` says that what it removes may be gone for good, `repeats` that the same call again changes nothing more.

    The function's docstring is what a model reads: when to use the tool and what to call first.
    """

    function: Callable[..., Answer]
    title: str
    reads: bool = True
    toolset: str = "default"
    destroys: bool = False
    repeats: bool = True

    @property
    def name(self) -> str:
        """Its name on the wire."""
        return self.function.__name__


TOOLS: tuple[ToolSpec, ...] = (
    ToolSpec(describe_graph, "Describe the graph"),
    ToolSpec(search, "Search passages"),
    ToolSpec(ask, "Answer a question"),
    ToolSpec(find_entities, "Find entities"),
    ToolSpec(query_triples, "Query triples"),
    ToolSpec(get_neighbourhood, "Get a neighbourhood"),
    ToolSpec(get_communities, "Get communities"),
    ToolSpec(find_paths, "Find paths"),
    ToolSpec(trace_impact, "Trace an impact"),
    ToolSpec(check_claim, "Check a claim"),
    ToolSpec(plan_question, "Answer by walking"),
    ToolSpec(get_source, "Read a source"),
    ToolSpec(ingest, "Ingest texts and files", reads=False),
    ToolSpec(get_job, "Ask about a job"),
    ToolSpec(add_triples, "Add triples", reads=False),
    ToolSpec(record_outcome, "Learn from an outcome", reads=False),
    ToolSpec(documents, "List documents", toolset="admin"),
    ToolSpec(review, "Review what is doubtful", toolset="admin"),
    ToolSpec(add_entities, "Add entities", reads=False, toolset="admin"),
    ToolSpec(remove, "Remove", reads=False, toolset="admin", destroys=True),
    ToolSpec(undo, "Undo", reads=False, toolset="admin", repeats=False),
    ToolSpec(history, "History of an entity", toolset="admin"),
    ToolSpec(diff, "Compare two moments", toolset="admin"),
    ToolSpec(resolve, "Resolve a conflict", reads=False, toolset="admin"),
    ToolSpec(merge, "Merge entities", reads=False, toolset="admin"),
    ToolSpec(split, "Split entities", reads=False, toolset="admin"),
    ToolSpec(update_entity, "Update an entity", reads=False, toolset="admin"),
    ToolSpec(ontology, "Ontologies", reads=False, toolset="admin"),
    ToolSpec(discover_edges, "Find edges between passages", reads=False, toolset="admin"),
    ToolSpec(add_edges, "Add edges between passages", reads=False, toolset="admin"),
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
