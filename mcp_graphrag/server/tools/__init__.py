"""The tools, one module a subject: parameters, answer, rendering and declaration of each stand together."""

import pkgutil
from importlib import import_module

from mcp_graphrag.errors import BadInput
from mcp_graphrag.graph import Graph
from mcp_graphrag.server.background import Background
from mcp_graphrag.server.context import App
from mcp_graphrag.server.declaration import Tool
from mcp_graphrag.server.ownership import Ownership
from mcp_graphrag.server.tool_names import ToolNames

# As clients and the README list them; tools that are not named here come after these.
ORDER = (
    "brief", "search", "find_entities", "query_triples", "query_graph", "get_neighbourhood", "get_communities",
    "find_paths", "trace_impact", "check_claim", "plan_question", "get_source", "ingest", "get_job", "add_triples",
    "forget", "get_chunks_to_extract", "store_extraction",
    "record_outcome", "documents", "review", "add_entities", "history", "diff", "resolve", "merge", "split",
    "update_entity", "ontology", "discover_edges", "add_edges", "health", "verify", "backup", "export",
    "rebuild",
)  # fmt: skip


def _declared() -> tuple[Tool, ...]:
    """Every tool that a module of this package declares."""
    modules = (import_module(f"{__name__}.{module.name}") for module in pkgutil.iter_modules(__path__))
    found = {each.name: each for module in modules for each in vars(module).values() if isinstance(each, Tool)}
    first = (found.pop(name) for name in ORDER)
    return (*first, *found.values())


TOOLS = _declared()


def make_app(
    graph: Graph,
    *,
    background: Background | None = None,
    ownership: Ownership | None = None,
    as_commands: bool = False,
) -> App:
    """A graph with what tools need besides it; `as_commands` where the reader of answers types commands."""
    settings = graph.settings
    offered = _offered(settings.toolsets, read_only=settings.read_only)
    names = ToolNames({tool.name: tool for tool in TOOLS}, offered, settings.read_only, as_commands)
    return App(graph, background or Background(), names, ownership)


def _offered(toolsets: str, *, read_only: bool) -> frozenset[str]:
    """The names of the tools that `toolsets` offers: default, all, names of toolsets or of tools.

    Raises BadInput for a name that is neither.
    """
    wanted = {name.strip() for name in toolsets.split(",") if name.strip()} or {"default"}
    known = {tool.name for tool in TOOLS} | {tool.toolset for tool in TOOLS} | {"all"}
    if unknown := sorted(wanted - known):
        raise BadInput(f"No toolset or tool named '{unknown[0]}'.", f"Choose one of {', '.join(sorted(known))}.")
    return frozenset(
        tool.name
        for tool in TOOLS
        if ("all" in wanted or tool.name in wanted or tool.toolset in wanted) and (tool.reads or not read_only)
    )
