"""A knowledge graph in one DuckDB file, for any agent.

`open_graph(path)` opens one; the methods of `Graph` are what it can do. The other names are the records that these
methods take, and the errors that they raise.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mcp_graphrag.chunk_edges.add_edges import EdgeInput
    from mcp_graphrag.edit.edit_entities import EntityInput, EntityUpdate
    from mcp_graphrag.edit.inputs import FileInput, TextInput
    from mcp_graphrag.edit.remove import Removal
    from mcp_graphrag.errors import BadInput, FileTrouble, GraphragError, NotAllowed, PartMissing, UnknownName
    from mcp_graphrag.graph import Graph, open_graph
    from mcp_graphrag.jobs.discover_edges import Discovery
    from mcp_graphrag.lookup.neighbourhood import NeighbourhoodQuery
    from mcp_graphrag.lookup.query_triples import TripleQuery
    from mcp_graphrag.model import Candidate, Origin, When
    from mcp_graphrag.outcomes.outcome_names import Outcome
    from mcp_graphrag.query.asked import GraphQuery, GraphRows
    from mcp_graphrag.reason.check_claim import Claim
    from mcp_graphrag.reason.find_paths import PathQuery
    from mcp_graphrag.reason.plan_question import PlanQuery
    from mcp_graphrag.reason.trace_impact import ImpactQuery
    from mcp_graphrag.resolve.review import ReviewQuery
    from mcp_graphrag.search.ask import AskQuery
    from mcp_graphrag.search.query import SearchQuery
    from mcp_graphrag.settings import Settings
    from mcp_graphrag.store.rows.document_rows import ChunkFilter

__version__ = "0.1.0"

# Imported at the first use: a process that needs one module must not wait for all of them.
_NAMES = {
    "chunk_edges.add_edges": "EdgeInput",
    "edit.edit_entities": "EntityInput EntityUpdate",
    "edit.inputs": "FileInput TextInput",
    "edit.remove": "Removal",
    "errors": "BadInput FileTrouble GraphragError NotAllowed PartMissing UnknownName",
    "graph": "Graph open_graph",
    "jobs.discover_edges": "Discovery",
    "lookup.neighbourhood": "NeighbourhoodQuery",
    "lookup.query_triples": "TripleQuery",
    "model": "Candidate Origin When",
    "outcomes.outcome_names": "Outcome",
    "query.asked": "GraphQuery GraphRows",
    "reason.check_claim": "Claim",
    "reason.find_paths": "PathQuery",
    "reason.plan_question": "PlanQuery",
    "reason.trace_impact": "ImpactQuery",
    "resolve.review": "ReviewQuery",
    "search.ask": "AskQuery",
    "search.query": "SearchQuery",
    "settings": "Settings",
    "store.rows.document_rows": "ChunkFilter",
}
_MODULES = {name: module for module, names in _NAMES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module 'mcp_graphrag' has no attribute '{name}'")
    return getattr(import_module(f"mcp_graphrag.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    return [*globals(), *_MODULES]


__all__ = [
    "AskQuery",
    "BadInput",
    "Candidate",
    "ChunkFilter",
    "Claim",
    "Discovery",
    "EdgeInput",
    "EntityInput",
    "EntityUpdate",
    "FileInput",
    "FileTrouble",
    "Graph",
    "GraphQuery",
    "GraphRows",
    "GraphragError",
    "ImpactQuery",
    "NeighbourhoodQuery",
    "NotAllowed",
    "Origin",
    "Outcome",
    "PartMissing",
    "PathQuery",
    "PlanQuery",
    "Removal",
    "ReviewQuery",
    "SearchQuery",
    "Settings",
    "TextInput",
    "TripleQuery",
    "UnknownName",
    "When",
    "__version__",
    "open_graph",
]
