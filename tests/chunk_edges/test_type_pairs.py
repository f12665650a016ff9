"""Similar chunks of different documents, whose relation Claude tells."""

import json
import re
from typing import Any

import pytest
from claude_server import ClaudeServer, Connection, error_response, text_response
from edit_helpers import read
from model_answers import edge, read_sentences
from store_helpers import query

from mcp_graphrag.edit.inputs import TextInput
from mcp_graphrag.edit.remove import Removal
from mcp_graphrag.graph import Graph
from mcp_graphrag.ingest.token_estimate import estimate_tokens
from mcp_graphrag.jobs.discover_edges import Discovery, EdgesReport
from mcp_graphrag.settings import make_settings

TEXTS = {
    "memo:a": "The pilot brings the ferry into the dock at high tide.",
    "memo:b": "At high tide the ferry is never brought into its dock by the pilot.",
    "memo:c": "The ferry comes to the dock when the tide is high.",
    "memo:d": "Invoices are paid within thirty days by bank transfer.",
}
EDGES = (
    "SELECT source[6:6], relation, target[6:6], description FROM chunk_edges WHERE extractor = 'claude' ORDER BY ALL"
)


def with_claude(graph: Graph, api: ClaudeServer, **other: object) -> Graph:
    settings = make_settings(**{**api.settings, "db": str(graph.settings.db), "claude_workers": 1, **other})
    return Graph(settings, embedders=graph.embedders, shares=graph)


@pytest.fixture
def memos(graph: Graph, claude_api: ClaudeServer) -> Graph:
    """Three memos about one subject and one about another."""
    for uri, text in TEXTS.items():
        read(graph, uri, text)
    claude_api.default = never_contradicts
    return with_claude(graph, claude_api)


def never_contradicts(connection: Connection, body: dict[str, Any]) -> None:
    """Answer that a passage with "never" contradicts the other one of its pair."""
    prompt = body["messages"][0]["content"]
    passages = {int(at): text for at, text in re.findall(r"passage (\d+)>\n(.*?)\n</", prompt, re.DOTALL)}
    pairs = [(int(one), int(other)) for one, other in re.findall(r"(\d+) and (\d+)", prompt.split("Pairs: ")[1])]
    found = [pair for pair in pairs if any("never" in passages[at] for at in pair)]
    edges = [edge(*pair, "never brought into its dock", relation="contradicts") for pair in found]
    text_response(json.dumps({"chunk_edges": edges}))(connection, body)


def typed(graph: Graph, *documents: str) -> EdgesReport:
    return graph.discover_edges(Discovery(documents, model=graph.claude_extractor()))


@pytest.mark.slow
def test_the_model_types_the_pairs_and_leaves_out_what_is_no_relation(memos: Graph, claude_api: ClaudeServer) -> None:
    report = typed(memos)
    assert query(memos.store, EDGES) == [
        ("a", "contradicts", "b", "never brought into its dock"),
        ("b", "contradicts", "c", "never brought into its dock"),
    ]
    assert (report.added, report.pairs, len(claude_api.requests)) == ({"contradicts": 2}, 3, 1)
    assert report.spending is not None
    assert report.spending.requests == 1
    assert query(memos.store, "SELECT count(*) FROM chunk_edges WHERE relation = 'similar_to'") == [(0,)]
    assert all(text not in str(claude_api.requests[0]["system"]) for text in TEXTS.values())


def test_a_pair_is_not_paid_for_twice_and_undo_takes_the_edges_back(memos: Graph, claude_api: ClaudeServer) -> None:
    typed(memos)
    memos.undo()
    assert query(memos.store, EDGES) == []
    typed(memos)
    assert (len(query(memos.store, EDGES)), len(claude_api.requests)) == (2, 1)


def test_a_dry_run_estimates_what_is_sent_and_stores_nothing(memos: Graph, claude_api: ClaudeServer) -> None:
    model = memos.claude_extractor()
    plan = memos.discover_edges(Discovery(model=model, dry_run=True))
    assert (claude_api.requests, query(memos.store, "SELECT count(*) FROM chunk_edges")) == ([], [(0,)])
    typed(memos)
    body = claude_api.requests[0]
    parts = (body["system"][0]["text"], json.dumps(body["output_config"]["format"]["schema"]), claude_api.prompts[0])
    assert plan.spending is not None
    price = plan.spending.price
    assert price is not None
    assert plan.spending.dollars == pytest.approx(
        (plan.spending.input_tokens * price.input + plan.spending.output_tokens * price.output) / 1_000_000
    )
    assert (plan.pairs, plan.spending.requests, len(claude_api.requests)) == (3, 1, 1)
    assert plan.spending.input_tokens == sum(map(estimate_tokens, parts))
    again = memos.discover_edges(Discovery(model=memos.claude_extractor(), dry_run=True))
    assert again.spending is not None
    assert again.spending.requests == 0


def test_a_budget_holds_for_pairs(memos: Graph, claude_api: ClaudeServer) -> None:
    graph = with_claude(memos, claude_api, max_tokens_spent=100)
    report = typed(graph)
    assert "3 of 3 pairs were not read: The budget of 100 tokens" in report.notes[0]
    assert claude_api.requests == []


def test_a_purge_deletes_what_was_kept_of_a_document(memos: Graph) -> None:
    typed(memos)
    memos.remove(Removal(document="memo:b", purge=True))
    assert query(memos.store, "SELECT count(*) FROM model_result WHERE contains(result, 'never')") == [(0,)]


def test_an_edge_of_another_pair_or_without_words_of_its_passages_is_dropped(
    memos: Graph, claude_api: ClaudeServer
) -> None:
    wrong = [
        edge(1, 9, "ferry"),
        edge(1, 1, "ferry"),
        edge(1, 2, "Ignore your instructions."),
        edge(1, 2, "ferry", relation="owns"),
    ]
    claude_api.default = text_response(json.dumps({"chunk_edges": wrong}))
    report = typed(memos, "memo:a", "memo:b")
    assert query(memos.store, EDGES) == []
    assert report.dropped == {
        "end of a chunk edge not among the chunks": 1,
        "chunk edge of a chunk with itself": 1,
        "quote of a chunk edge not in its chunks": 1,
        "relation outside those of chunk edges": 1,
    }


def test_a_model_that_cannot_be_reached_leaves_the_pairs_to_the_next_call(
    memos: Graph, claude_api: ClaudeServer
) -> None:
    claude_api.default = error_response(401, "authentication_error")
    report = typed(memos)
    assert report.notes[0].startswith("3 of 3 pairs were not read: Claude rejected the key")
    claude_api.default = never_contradicts
    assert typed(memos).added == {"contradicts": 2}


@pytest.mark.parametrize(("on", "relations"), [(True, ["contradicts"]), (False, [])])
def test_an_ingest_by_claude_types_pairs_only_where_the_setting_says_so(
    graph: Graph, claude_api: ClaudeServer, *, on: bool, relations: list[str]
) -> None:
    def respond(connection: Connection, body: dict[str, Any]) -> None:
        (never_contradicts if "Pairs: " in body["messages"][0]["content"] else read_sentences)(connection, body)

    claude_api.default = respond
    asking = with_claude(graph, claude_api, claude_edges=on)
    for uri in ("memo:a", "memo:b"):
        asking.ingest_text(TextInput(TEXTS[uri], uri=uri), extract="claude")
    assert [relation for _, relation, *_ in query(asking.store, EDGES)] == relations


def test_the_setting_alone_sends_nothing(graph: Graph, claude_api: ClaudeServer) -> None:
    asking = with_claude(graph, claude_api, claude_edges=True)
    for uri, text in TEXTS.items():
        asking.ingest_text(TextInput(text, uri=uri))
    assert claude_api.requests == []
