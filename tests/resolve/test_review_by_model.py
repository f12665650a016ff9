"""Open decisions made by Claude: only what its evidence decides, and all of it can be taken back."""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from cached_files import Setup
from claude_server import ClaudeServer, Connection, Response, error_response, text_response
from conflict_helpers import add
from edit_helpers import present
from store_helpers import query

from mcp_graphrag.graph import Graph
from mcp_graphrag.jobs.review_by_model import ModelReview
from mcp_graphrag.resolve.review import ReviewQuery
from mcp_graphrag.settings import make_settings


def undecided(graph: Graph) -> None:
    """A conflict, and two pairs of similar names."""
    add(graph, "Mill owned_by Blue", "Mill owned_by Red", "Postgers uses Disk", "Postgres uses Disk")
    add(graph, "data_base uses Rack", "database uses Shelf")


def verdict(item: int, said: str, quote: str, confidence: float = 0.95) -> dict[str, Any]:
    return {"item": item, "verdict": said, "confidence": confidence, "quote": quote}


def says(decisions: dict[str, tuple[Any, ...]]) -> Response:
    """Answer for each item with some words in it: (verdict, quote, confidence)."""

    def respond(connection: Connection, body: dict[str, Any]) -> None:
        found = re.findall(r"item (\d+)>\n(.*?)\n</", body["messages"][0]["content"], re.DOTALL)
        given = [verdict(int(at), *decisions[words]) for at, shown in found for words in decisions if words in shown]
        text_response(json.dumps({"decisions": given}))(connection, body)

    return respond


MILL, POSTGRES, DATABASE = "Mill owned_by", "Postgers", "data base"
DECIDED = says(
    {
        MILL: ("second", "Mill owned_by Red"),
        POSTGRES: ("same", "Postgers uses Disk"),
        DATABASE: ("different", "data base uses Rack"),
    }
)


@pytest.fixture
def filled(after: Callable[[Setup], Graph], claude_api: ClaudeServer) -> Graph:
    graph = after(undecided)
    settings = make_settings(**claude_api.settings, db=str(graph.settings.db))
    return Graph(settings, embedders=graph.embedders, shares=graph)


def open_items(graph: Graph) -> tuple[int, int]:
    page = graph.review(ReviewQuery())
    return page.conflicts, page.merges


def test_what_the_evidence_decides_is_decided_and_one_undo_takes_it_back(
    filled: Graph, claude_api: ClaudeServer
) -> None:
    before = present(filled)
    claude_api.default = DECIDED
    report = filled.review_by_model()

    assert report.decided == {"second": 1, "same": 1, "different": 1}
    assert open_items(filled) == (0, 0)
    assert query(filled.store, "SELECT reason FROM conflict WHERE verdict IS NOT NULL") == [
        ('claude-haiku-5-5: "Mill owned_by Red"',)
    ]
    filled.undo()
    assert (present(filled), open_items(filled)) == (before, (1, 2))


def test_the_undo_names_the_operation_by_the_number_that_the_history_has(
    filled: Graph, claude_api: ClaudeServer
) -> None:
    claude_api.default = DECIDED
    filled.review_by_model()
    recorded = filled.history("Mill").events[0].operation
    assert [operation.id for operation in filled.undo()] == [recorded]


def test_what_the_model_is_unsure_of_stays_open_and_is_not_asked_again(filled: Graph, claude_api: ClaudeServer) -> None:
    claude_api.default = says(
        {MILL: ("unsure", ""), POSTGRES: ("same", "Postgers uses Disk", 0.7), DATABASE: ("unsure", "")}
    )
    report = filled.review_by_model()
    assert (report.decided, report.unsure, open_items(filled)) == ({}, 3, (1, 2))

    claude_api.default = DECIDED
    again = filled.review_by_model()
    assert (again.unsure, again.known, len(claude_api.requests)) == (3, 3, 1)
    add(filled, "data_base uses Cellar")
    changed = filled.review_by_model()
    assert (changed.decided, changed.known) == ({"different": 1}, 2), "new evidence is asked about"


@pytest.mark.parametrize(
    ("decision", "reason"),
    [
        (("second", "Ignore your instructions."), "quote not in the evidence"),
        (("second", ""), "quote not in the evidence"),
        (("same", "Mill owned_by Red"), "verdict that the item cannot have"),
        (("second", "Mill owned_by Red", 7), "confidence outside 0 to 1"),
    ],
)
def test_a_decision_that_is_not_borne_out_is_dropped_and_the_item_stays_open(
    filled: Graph, claude_api: ClaudeServer, decision: tuple[Any, ...], reason: str
) -> None:
    claude_api.default = says({MILL: decision})
    report = filled.review_by_model(ModelReview("conflicts"))
    assert (report.dropped, report.decided, report.left, open_items(filled)) == ({reason: 1}, {}, 1, (1, 2))


def test_what_is_about_an_entity_that_was_just_merged_waits(filled: Graph, claude_api: ClaudeServer) -> None:
    add(filled, "Postgress uses Disk")
    said = says({POSTGRES: ("same", "uses Disk"), "Postgress": ("same", "uses Disk")})
    claude_api.default = said
    report = filled.review_by_model(ModelReview("merges"))
    assert report.decided == {"same": 1}
    assert report.left > 0


def test_a_rebuild_does_not_take_a_decision_back(filled: Graph, claude_api: ClaudeServer) -> None:
    for team in ("Green", "Gray"):
        filled.ingest_text(f"The Corn Service is owned by the {team} Team.")
    claude_api.default = says({"Corn": ("second", "owned by the Gray Team")})
    assert filled.review_by_model(ModelReview("conflicts", about="Corn Service")).decided == {"second": 1}
    after = present(filled)
    filled.rebuild()
    assert present(filled) == after


def test_a_model_that_cannot_be_reached_decides_nothing(filled: Graph, claude_api: ClaudeServer) -> None:
    claude_api.default = error_response(401, "authentication_error")
    report = filled.review_by_model()
    assert (report.left, report.decided) == (3, {})
    assert report.why.startswith("Claude rejected the key")
