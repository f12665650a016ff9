"""What only reads leaves the file as it was, also where communities are missing or out of date."""

from collections.abc import Callable
from typing import Any

import pytest
from search_helpers import changed, relate

from mcp_graphrag.graph import Graph
from mcp_graphrag.search.ask import AskQuery
from mcp_graphrag.search.query import MODES, SearchQuery
from mcp_graphrag.server.tools import make_app

MILL = ("Mill uses Wheel", "Wheel uses River", "Mill uses River")
CALLS: dict[str, Callable[[Graph], object]] = {
    **{f"search {mode}": lambda graph, mode=mode: graph.search(SearchQuery("mill themes", mode)) for mode in MODES},
    "ask": lambda graph: graph.ask("What are the main themes?"),
    "ask in mode global": lambda graph: graph.ask(AskQuery("mill", 1_000, "global")),
    "list_communities": lambda graph: graph.list_communities(),
    "rank_communities": lambda graph: graph.rank_communities("mill"),
}


def contents(graph: Graph) -> dict[str, Any]:
    """The change log and the stored communities."""
    tables = ("change", "community", "community_member", "meta")
    with graph.reading() as snapshot:
        return {table: snapshot.tx.run(f"FROM {table} ORDER BY ALL").fetchall() for table in tables}


@pytest.mark.parametrize("communities", ["missing", "stale", "stale and too large to build"])
@pytest.mark.parametrize("call", CALLS)
def test_a_call_that_reads_writes_nothing(graph: Graph, call: str, communities: str) -> None:
    relate(graph, *MILL)
    if communities != "missing":
        graph.build_communities()
        relate(graph, "Mill uses Sluice", "Sluice uses River")
    limit = 1 if "large" in communities else 100_000
    before = contents(graph)

    CALLS[call](changed(graph, max_community_triples=limit))

    assert contents(graph) == before


def test_a_server_that_goes_idle_after_a_write_stores_what_the_communities_are_then_and_only_once(graph: Graph) -> None:
    app = make_app(changed(graph, idle_release=0))
    relate(graph, *MILL)
    shown = [each.title for each in graph.list_communities().communities]

    app.release_when_idle()

    with graph.reading() as snapshot:
        assert snapshot.tx.run("SELECT title FROM communities").fetchall() == [(title,) for title in shown]
    before = contents(graph)
    app.release_when_idle()
    assert contents(graph) == before
    app.background.stop()
