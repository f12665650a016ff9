"""A tool that says it only reads leaves the graph's file and its change log as they were."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import jsonschema
import pytest
from company_corpus import copy_corpus
from served import Asked, connected

from mcp_graphrag import TextInput, open_graph
from mcp_graphrag.server.app import create_server
from mcp_graphrag.server.context import App
from mcp_graphrag.server.tools import TOOLS, make_app

ENTITY = "User Database"
# The arguments of tools that need some. Those that write are called in this order, the others after them.
CALLS: dict[str, dict[str, Any]] = {
    "search": {"query": "login outage", "explain": True},
    "brief": {"question": "Who owns the Auth Service?"},
    "get_neighbourhood": {"entity": ENTITY, "include_source": True},
    "find_paths": {"source": "Boarding Service", "target": ENTITY},
    "trace_impact": {"entity": ENTITY},
    "check_claim": {"claim": "The Billing Service depends on the User Database."},
    "plan_question": {"question": "Who may approve purchases over $50K for the infrastructure team?"},
    "get_source": {"what": "note:1"},
    "query_graph": {"query": "MATCH (n) RETURN n.name LIMIT 3"},
    "get_job": {"job": 1},
    "history": {"entity": ENTITY},
    "diff": {"since": "2020"},
    "ingest": {"text": "Ann Lee works for Acme Corp.", "uri": "note:2"},
    "add_triples": {"triples": [{"subject": "Mill", "predicate": "owned_by", "object": name} for name in "AB"]},
    "record_outcome": {"error": "error:timeout", "tool": "curl", "fix": "Wait longer"},
    "add_entities": {"entities": [{"name": "Redis", "type": "Database", "aliases": ["rc"]}]},
    "update_entity": {"entity": "Redis", "description": "A cache."},
    "resolve": {"conflict": 1, "keep": "both", "reason": "Both are true."},
    "merge": {"keep": "Redis", "merge": "Mill"},
    "split": {"entity": "Mill"},
    "ontology": {"action": "show", "name": "memory"},
    "add_edges": {"edges": [{"source": "note:1", "target": "note:2", "relation": "references"}]},
    "backup": {"path": "backup.duckdb"},
    "export": {"path": "graph.jsonl"},
    "store_extraction": {"chunks": [{"citation": "note:1"}]},
    "forget": {"document": "note:2"},
}
READS = [tool.name for tool in TOOLS if tool.reads]
NEEDS_KEY = "review_with_claude"  # which `test_stdio_claude.py` calls
WRITES = sorted(
    (tool.name for tool in TOOLS if not tool.reads and tool.name != NEEDS_KEY),
    key=[*CALLS, *(each.name for each in TOOLS)].index,
)


@dataclass(frozen=True)
class Served:
    """A client of a server in this process, and the app behind it."""

    ask: Asked
    app: App

    def state(self) -> tuple[int, str]:
        """The generation of the file, and the hash of its bytes."""
        self.app.graph.store.checkpoint()
        generation = self.app.graph.status().generation
        return generation, hashlib.sha256(self.app.graph.store.path.read_bytes()).hexdigest()

    def check(self, tool: str) -> None:
        """Call a tool; its structured answer fits the output schema that it publishes."""
        tools = self.ask.portal.call(self.ask.client.list_tools).tools
        (schema,) = (each.output_schema for each in tools if each.name == tool)
        assert schema is not None
        jsonschema.validate(self.ask(tool, **CALLS.get(tool, {})), schema)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server with all tools, on the demo corpus and two notes; its background work is done."""
    folder = tmp_path_factory.mktemp("reads")
    graph = open_graph(
        folder / "graph.duckdb", toolsets="all", embedder="wordllama", structured=True, roots=[str(folder)]
    )
    graph.ingest_files(copy_corpus(folder))
    graph.ingest_text(TextInput("The Boarding Service is new.", uri="note:1"))
    app = make_app(graph)
    with connected(create_server(app), "legacy") as ask:
        yield Served(ask, app)


@pytest.mark.parametrize("tool", READS)
def test_a_tool_that_reads_writes_nothing_and_answers_by_its_schema(served: Served, tool: str) -> None:
    before = served.state()
    served.check(tool)
    assert served.state() == before


@pytest.mark.slow
def test_a_tool_that_writes_answers_by_its_schema(served: Served) -> None:
    for tool in WRITES:
        served.check(tool)
