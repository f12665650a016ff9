"""Claude judges the passages of a claim where a caller asks for it; the verdict of the triples stays beside it."""

import json
from typing import Any

import pytest
from claude_server import ClaudeServer, error_response, text_response
from search_helpers import changed

from mcp_graphrag import TextInput
from mcp_graphrag.errors import PartMissing
from mcp_graphrag.graph import Graph

OWNED = "The Quay Service is owned by the Heron Team."
LATER = "Ola Brandt took the Quay Service over."


@pytest.fixture
def keyed(graph: Graph, claude_api: ClaudeServer) -> Graph:
    settings: dict[str, Any] = claude_api.settings
    for uri, date, text in (("old", "2023-05-02", OWNED), ("new", "2025-02-01", LATER)):
        graph.ingest_text(TextInput(f"---\ndate: {date}\n---\n{text}", uri=uri))
    return changed(graph, **settings)


def _answer(*judgements: dict[str, Any]) -> str:
    return json.dumps({"judgements": judgements})


def test_a_judgement_quotes_a_passage_and_the_triples_still_decide(keyed: Graph, claude_api: ClaudeServer) -> None:
    said = {"statement": 1, "verdict": "contradicted", "passage": 2, "quote": "took the Quay Service over"}
    claude_api.enqueue(text_response(_answer(said)))

    found = keyed.check_claim(OWNED, judge="claude")

    (judged,) = found.judgements
    assert (found.verdict, judged.verdict, judged.model) == ("supported", "contradicted", keyed.settings.claude_model)
    assert judged.citation == found.passages[1].citation
    assert "passage 2 of 2025-02-01" in claude_api.prompts[0]


def test_a_quote_that_no_passage_has_is_left_out_and_counted(keyed: Graph, claude_api: ClaudeServer) -> None:
    said = {"statement": 1, "verdict": "contradicted", "passage": 2, "quote": "the team was dissolved"}
    claude_api.enqueue(text_response(_answer(said)))

    found = keyed.check_claim(OWNED, judge="claude")

    assert found.judgements == []
    assert "1 judgements were left out: their words are not in the passages." in found.notes


def test_where_claude_does_not_answer_the_verdict_stays_and_a_note_says_so(
    keyed: Graph, claude_api: ClaudeServer
) -> None:
    claude_api.enqueue(error_response(401, "authentication_error"))

    found = keyed.check_claim(OWNED, judge="claude")

    assert (found.verdict, found.judgements) == ("supported", [])
    assert any(note.startswith("Claude did not judge.") for note in found.notes)


def test_nothing_is_sent_unless_asked_for_and_a_key_is_needed(graph: Graph, claude_api: ClaudeServer) -> None:
    graph.ingest_text(TextInput(OWNED, uri="old"))

    graph.check_claim(OWNED)
    with pytest.raises(PartMissing):
        graph.check_claim(OWNED, judge="claude")
    assert claude_api.requests == []
