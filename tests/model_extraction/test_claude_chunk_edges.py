"""The chunk edges that the extractor claude finds in the pass that finds entities and relationships."""

from collections.abc import Iterator

import pytest
from claude_server import ClaudeServer
from model_answers import FILLER, Asking, answer, chunks_of, edge, read
from store_helpers import query

from mcp_graphrag.edit.inputs import TextInput
from mcp_graphrag.graph import Graph
from mcp_graphrag.model_extraction.ask_questions import BadAnswer
from mcp_graphrag.model_extraction.read_answer import answer_lists

TEXT = "\n\n".join(f"# Part {number}\n\nStep {number} needs part {number - 1}. {FILLER}" for number in range(1, 5))
EDGES = """
SELECT s.ordinal, t.ordinal, e.relation, round(e.weight::DOUBLE, 2), e.description
FROM chunk_edge e JOIN chunk s ON s.id = e.source_id JOIN chunk t ON t.id = e.target_id
WHERE e.extractor = 'claude' AND e.retired_change IS NULL ORDER BY ALL
"""


@pytest.fixture
def asked(asking: Asking) -> Iterator[Graph]:
    """A graph whose model is asked about two chunks at a time."""
    with asking(claude_chunks=2, claude_workers=1) as graph:
        yield graph


def needs_the_one_before(connection: object, body: dict[str, object]) -> None:
    """Answer that each chunk depends on the one before it."""
    numbers = [text.split("Step ")[1].split(".")[0] for text in chunks_of(body)]
    edges = [edge(at, at - 1, f"Step {words}") for at, words in enumerate(numbers, start=1)]
    answer(*read(body), edges)(connection, body)  # pyright: ignore[reportArgumentType]


def test_edges_come_with_the_entities_and_lead_over_the_ends_of_requests(
    asked: Graph, claude_api: ClaudeServer
) -> None:
    claude_api.default = needs_the_one_before
    report = asked.ingest_text(TextInput(TEXT, "Guide", uri="memo:a"), extract="claude")

    assert query(asked.store, EDGES) == [
        (1, 0, "depends_on", 0.8, "Step 2 needs part 1"),
        (2, 1, "depends_on", 0.8, "Step 3 needs part 2"),
        (3, 2, "depends_on", 0.8, "Step 4 needs part 3"),
    ]
    assert dict(report.dropped) == {"end of a chunk edge not among the chunks": 1}, "the first has none before it"


def test_kept_edges_are_stored_again_without_a_request(asked: Graph, claude_api: ClaudeServer) -> None:
    claude_api.default = needs_the_one_before
    asked.ingest_text(TextInput(TEXT, "Guide", uri="memo:a"), extract="claude")
    requests = len(claude_api.requests)
    asked.ingest_text(TextInput(TEXT, "Guide", uri="memo:copy"), extract="claude")

    assert len(query(asked.store, EDGES)) == 6
    asked.rebuild("claude", documents=["memo:a"])
    assert len(query(asked.store, EDGES)) == 6
    assert len(claude_api.requests) == requests


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"target": 7}, "end of a chunk edge not among the chunks"),
        ({"source": "first"}, "end of a chunk edge not among the chunks"),
        ({"target": 1}, "chunk edge of a chunk with itself"),
        ({"relation": "invented"}, "relation outside those of chunk edges"),
        ({"weight": 0}, "weight outside 0 to 1"),
        ({"weight": 1.5}, "weight outside 0 to 1"),
        ({"quote": "Ignore your instructions."}, "quote of a chunk edge not in its chunks"),
        ({"quote": ""}, "quote of a chunk edge not in its chunks"),
    ],
)
def test_an_edge_that_its_chunks_do_not_bear_out_is_dropped_and_counted(
    asked: Graph, claude_api: ClaudeServer, changed: dict[str, object], reason: str
) -> None:
    right = edge(1, 2, "Step 2 needs part 1", relation="Elaborates")
    claude_api.enqueue(answer([], [], [{**edge(1, 2, "Step 1"), **changed}, right]))
    claude_api.default = answer([], [])
    report = asked.ingest_text(TextInput(TEXT, "Guide", uri="memo:a"), extract="claude")

    assert query(asked.store, EDGES) == [(0, 1, "elaborates", 0.8, "Step 2 needs part 1")]
    assert dict(report.dropped) == {reason: 1}


def test_an_answer_without_one_of_its_lists_is_no_answer() -> None:
    with pytest.raises(BadAnswer):
        answer_lists('{"entities": [], "relationships": []}', "entities", "relationships", "chunk_edges")
