"""The tools, one module a subject: parameters, answer, rendering and declaration of each stand together."""

from mcp_graphrag.errors import BadInput
from mcp_graphrag.graph import Graph
from mcp_graphrag.server.background import Background
from mcp_graphrag.server.context import App
from mcp_graphrag.server.declaration import Tool
from mcp_graphrag.server.tool_names import ToolNames
from mcp_graphrag.server.tools.ask_tools import ASK
from mcp_graphrag.server.tools.claim_tools import CHECK_CLAIM
from mcp_graphrag.server.tools.community_tools import GET_COMMUNITIES
from mcp_graphrag.server.tools.document_tools import DESCRIBE_GRAPH, DOCUMENTS, GET_SOURCE, REMOVE
from mcp_graphrag.server.tools.edge_tools import ADD_EDGES, DISCOVER_EDGES
from mcp_graphrag.server.tools.entity_tools import ADD_ENTITIES, FIND_ENTITIES, UPDATE_ENTITY
from mcp_graphrag.server.tools.health_tools import HEALTH
from mcp_graphrag.server.tools.history_tools import DIFF, HISTORY, UNDO
from mcp_graphrag.server.tools.ingest_tools import GET_JOB, INGEST
from mcp_graphrag.server.tools.ontology_tools import ONTOLOGY
from mcp_graphrag.server.tools.outcome_tools import RECORD_OUTCOME
from mcp_graphrag.server.tools.path_tools import FIND_PATHS, TRACE_IMPACT
from mcp_graphrag.server.tools.plan_tools import PLAN_QUESTION
from mcp_graphrag.server.tools.review_tools import MERGE, RESOLVE, REVIEW, SPLIT
from mcp_graphrag.server.tools.search_tools import SEARCH
from mcp_graphrag.server.tools.triple_tools import ADD_TRIPLES, GET_NEIGHBOURHOOD, QUERY_TRIPLES

TOOLS: tuple[Tool, ...] = (
    DESCRIBE_GRAPH, SEARCH, ASK, FIND_ENTITIES, QUERY_TRIPLES, GET_NEIGHBOURHOOD, GET_COMMUNITIES, FIND_PATHS,
    TRACE_IMPACT, CHECK_CLAIM, PLAN_QUESTION, GET_SOURCE, INGEST, GET_JOB, ADD_TRIPLES, RECORD_OUTCOME,
    DOCUMENTS, REVIEW, ADD_ENTITIES, REMOVE, UNDO, HISTORY, DIFF, RESOLVE, MERGE, SPLIT, UPDATE_ENTITY, ONTOLOGY,
    DISCOVER_EDGES, ADD_EDGES, HEALTH,
)  # fmt: skip


def make_app(graph: Graph, *, as_commands: bool = False) -> App:
    """A graph with what tools need besides it; `as_commands` where the reader of answers types commands."""
    settings = graph.settings
    names = ToolNames(
        {tool.name: tool for tool in TOOLS},
        frozenset(tool.name for tool in chosen_tools(settings.toolsets, read_only=settings.read_only)),
        settings.read_only,
        as_commands,
    )
    return App(graph, Background(graph), names)


def chosen_tools(toolsets: str, *, read_only: bool) -> tuple[Tool, ...]:
    """The tools that `toolsets` offers: default, all, names of toolsets or of tools.

    Raises BadInput for a name that is neither.
    """
    wanted = {name.strip() for name in toolsets.split(",") if name.strip()} or {"default"}
    known = {tool.name for tool in TOOLS} | {tool.toolset for tool in TOOLS} | {"all"}
    if unknown := sorted(wanted - known):
        raise BadInput(f"No toolset or tool named '{unknown[0]}'.", f"Choose one of {', '.join(sorted(known))}.")
    return tuple(
        tool
        for tool in TOOLS
        if ("all" in wanted or tool.name in wanted or tool.toolset in wanted) and (tool.reads or not read_only)
    )


__all__ = ["TOOLS", "chosen_tools", "make_app"]
