"""Edges between passages over stdio: found, given, refused."""

from pathlib import Path

from served import served

DOCK = "The pilot brings the ferry into the dock at high tide."
TIDE = "At high tide the ferry is brought into its dock by the pilot."


def test_edges_are_discovered_given_and_refused(tmp_path: Path) -> None:
    with served(tmp_path / "graph.duckdb", "--toolsets", "all") as ask:
        ask("ingest", text=DOCK, uri="note:dock", title="Dock")
        ask("ingest", text=TIDE, uri="note:tide", title="Tide")

        found = ask("discover_edges", documents="Tide", pairs=1)
        assert (found["added"], found["relations"], found["compared"]) == (1, {"similar_to": 1}, 1)
        assert [each["relation"] for each in found["edges"]] == ["similar_to"]
        assert found["edges"][0]["source"].startswith("note:dock#chunk:0-54@")
        assert ask("discover_edges")["hint"].startswith("Nothing new")

        edge = {"source": "note:tide", "target": "note:dock", "relation": "depends_on", "description": "needs a dock"}
        given = ask("add_edges", edges=[edge, {**edge, "relation": "similar_to", "weight": 0.1}])
        assert (given["added"], given["known"]) == (1, 1)
        assert given["edges"][0] == {
            "source": given["edges"][1]["source"],
            "relation": "depends_on",
            "target": given["edges"][1]["target"],
            "weight": 1.0,
            "description": "needs a dock",
            "extractor": "agent",
        }
        assert "one of references, elaborates" in ask.refused("add_edges", edges=[{**edge, "relation": "likes"}])
        assert "note:none" in ask.refused("add_edges", edges=[edge, {**edge, "target": "note:none"}])
        assert "note:none" in ask.refused("discover_edges", documents=["note:none"])
