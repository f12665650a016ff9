"""The extractor claude over MCP: consent, and what a dry run says."""

import json
from pathlib import Path

from claude_server import ClaudeServer, text_response
from model_answers import note, read_sentences
from served import served


def test_naming_the_extractor_is_no_consent_over_mcp(tmp_path: Path, claude_api: ClaudeServer) -> None:
    claude_api.default = read_sentences
    with served(tmp_path / "graph.duckdb", **claude_api.environment) as ask:
        said = ask.refused("ingest", text=note(1), extract=["claude"])
        assert "needs the user's consent" in said
        assert "consent=true" in said
        planned = ask("ingest", text=note(1), extract=["claude"], dry_run=True)
        assert (planned["state"], planned["model"]["requests"], planned["model"]["new_chunks"]) == ("dry run", 1, 1)
        assert claude_api.requests == []
        assert ask("brief")["holds"]["documents"] == 0

        done = ask("ingest", text=note(1), extract=["auto", "claude"], consent=True)
        assert (done["state"], done["triples"], done["model"]["requests"]) == ("done", 1, 1)
        assert ask("brief")["holds"]["extractors"] == {"claude": 1, "lite": 1}


def test_auto_asks_no_model_though_there_is_a_key(tmp_path: Path, claude_api: ClaudeServer) -> None:
    with served(tmp_path / "graph.duckdb", **claude_api.environment) as ask:
        ask("ingest", text=note(1))
    assert claude_api.requests == []


def test_without_a_key_a_caller_is_told_which_setting_is_missing(tmp_path: Path) -> None:
    with served(tmp_path / "graph.duckdb") as ask:
        assert "claude_key" in ask.refused("ingest", text=note(1), extract=["claude"], consent=True)


def test_typing_similar_chunks_needs_consent_over_mcp(tmp_path: Path, claude_api: ClaudeServer) -> None:
    claude_api.default = text_response('{"chunk_edges": []}')
    with served(tmp_path / "graph.duckdb", "--toolsets", "all", **claude_api.environment) as ask:
        for number in range(2):
            ask("ingest", text=f"{note(1)} This is memo {number}.", extract=["none"])
        said = ask.refused("discover_edges", typed=True)
        assert "needs the user's consent" in said
        assert "dry_run=true of discover_edges" in said
        planned = ask("discover_edges", typed=True, dry_run=True)
        assert (planned["compared"], planned["model"]["pairs"], planned["model"]["requests"]) == (2, 1, 1)
        assert claude_api.requests == []
        answer = ask("discover_edges", typed=True, consent=True)
        assert (answer["added"], answer["model"]["requests"], len(claude_api.requests)) == (0, 1, 1)


def test_claude_decides_what_is_open_only_with_consent(tmp_path: Path, claude_api: ClaudeServer) -> None:
    decided = {"item": 1, "verdict": "first", "confidence": 0.9, "quote": "Mill owned_by Blue"}
    claude_api.default = text_response(json.dumps({"decisions": [decided]}))
    with served(tmp_path / "graph.duckdb", "--toolsets", "all", **claude_api.environment) as ask:
        for team in ("Blue", "Red"):
            ask("add_triples", triples=[{"subject": "Mill", "predicate": "owned_by", "object": team}])
        assert "needs the user's consent" in ask.refused("review_with_claude")
        planned = ask("review_with_claude", kind="conflicts", dry_run=True)
        assert (planned["left"], planned["decided"], planned["model"]["requests"]) == (1, {}, 1)
        assert claude_api.requests == []
        assert ask("review")["conflicts"] == 1
        answer = ask("review_with_claude", kind="conflicts", consent=True)
        assert (answer["decided"], answer["unsure"], answer["model"]["requests"]) == ({"first": 1}, 0, 1)
        assert ask("review")["conflicts"] == 0
        assert [each["tool"] for each in ask("forget", undo=1)["undone"]] == ["review_with_claude"]
        assert ask("review")["conflicts"] == 1
