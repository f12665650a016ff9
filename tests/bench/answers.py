"""The size of structured answers beside their text, on the demo corpus: `python tests/bench/answers.py`.

The text is what a client gets unless the server is started with --structured.
"""

import json
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from company_corpus import copy_corpus

from mcp_graphrag.graph import Graph
from mcp_graphrag.server.budget import wire
from mcp_graphrag.server.call_by_name import answered
from mcp_graphrag.server.context import Call
from mcp_graphrag.server.tools import make_app
from mcp_graphrag.settings import load_settings

TOKENS = 6_000
OUTAGE = "How was the login outage INC-2041 resolved?"
OWNER = "Who owns the User Database?"
CALLS: tuple[tuple[str, str, Mapping[str, Any]], ...] = (
    ("search", "search", {"query": OUTAGE}),
    ("search, explain", "search", {"query": OUTAGE, "explain": True}),
    ("brief", "brief", {"question": OWNER}),
    ("find_entities", "find_entities", {"query": "service"}),
    ("query_triples", "query_triples", {"predicate": "depends_on"}),
    ("get_neighbourhood", "get_neighbourhood", {"entity": "User Database", "hops": 2}),
    (
        "get_neighbourhood, include_source",
        "get_neighbourhood",
        {"entity": "User Database", "hops": 2, "include_source": True},
    ),
    ("find_paths", "find_paths", {"source": "Boarding Service", "target": "User Database"}),
    ("trace_impact", "trace_impact", {"entity": "User Database"}),
    ("check_claim", "check_claim", {"claim": "The Billing Service depends on the User Database."}),
    ("plan_question", "plan_question", {"question": OWNER}),
    ("get_communities", "get_communities", {}),
)


def measure(folder: Path) -> dict[str, tuple[int, int]]:
    """The characters of text and of compact JSON of each call, on a graph of the demo corpus made in a folder."""
    graph = Graph(load_settings({"db": str(folder / "graph.duckdb"), "embedder": "wordllama"}, {}))
    app = make_app(graph)
    try:
        graph.ingest_files(copy_corpus(folder))
        found: dict[str, tuple[int, int]] = {}
        for title, name, arguments in CALLS:
            tool = app.names.tools[name]
            answer = app.names.answer(answered(tool, Call(app, TOKENS), arguments))
            written = json.dumps(wire(answer), ensure_ascii=False, separators=(",", ":"))
            found[title] = (len(answer.written()), len(written))
        return found
    finally:
        app.close()


def main() -> None:
    """Print the sizes and their ratio, a call a line."""
    with tempfile.TemporaryDirectory() as folder:
        for title, (text, structured) in measure(Path(folder)).items():
            print(f"{title:36} text {text:7,} structured {structured:7,} ratio {structured / text:.2f}")


if __name__ == "__main__":
    sys.exit(main())
