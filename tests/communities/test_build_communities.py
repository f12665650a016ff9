"""Communities are built from the graph as it is, and only what has changed is written again."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from claude_server import KEY, ClaudeServer, Connection, error_response, text_response
from edit_helpers import TEST, read, relate
from search_helpers import changed

from mcp_graphrag.edit.edit_entities import EntityInput
from mcp_graphrag.edit.remove import Removal
from mcp_graphrag.embed import Embedder, Embedders
from mcp_graphrag.errors import PartMissing
from mcp_graphrag.graph import Graph
from mcp_graphrag.jobs.ingest_documents import IngestReport, ingest
from mcp_graphrag.jobs.rebuild_communities import build_communities
from mcp_graphrag.model import Document, Origin
from mcp_graphrag.settings import Settings
from mcp_graphrag.store.rows.community_rows import CommunityRow, communities_are_stale, stored_communities

FERRY = ("Ferry uses Engine", "Engine uses Fuel", "Ferry uses Fuel", "Crew runs Ferry")
MILL = ("Mill uses Wheel", "Wheel uses River", "Mill uses River")
NOTE = "The Lake House overlooks Long Lake. Anna Berg sold the Lake House to Otto Lind. Otto Lind sails on Long Lake."


def stored(graph: Graph) -> list[CommunityRow]:
    with graph.reading() as snapshot:
        return stored_communities(snapshot.tx)


def by_title(graph: Graph) -> Mapping[str, CommunityRow]:
    return {row.title: row for row in stored(graph)}


def test_a_title_has_central_names_and_a_summary_their_triples(graph: Graph) -> None:
    relate(graph, *FERRY, *MILL)
    report = build_communities(graph, TEST)
    assert (report.built, report.kept, report.removed) == (2, 0, 0)
    found = by_title(graph)
    assert list(found) == ["Ferry, Engine and Fuel", "Mill, River and Wheel"]
    assert found["Mill, River and Wheel"].summary == (
        "Mill, River, Wheel. Mill uses River; Mill uses Wheel; Wheel uses River."
    )


def test_a_title_has_no_name_within_another_and_long_ones_last(graph: Graph) -> None:
    long = "The_decision_to_rotate_every_signing_key_of_the_house"
    names = ["Billing", "Billing.refund()", long, "Ledger", "Till"]
    relate(graph, *[f"{one} uses {other}" for one in names[:3] for other in names if one != other])
    build_communities(graph, TEST)
    (row,) = stored(graph)
    assert row.title == "Billing, Ledger and Till"
    assert long in row.summary


def test_a_title_prefers_typed_names_and_those_that_other_communities_do_not_share(graph: Graph) -> None:
    themes = ("boat_id", "Ferry", "Pier", "Lake"), ("mill_id", "Mill", "Wheel", "Hill")
    lake, hill = ([f"{one} uses {other}" for one in ("Prev", *names) for other in names[1:]] for names in themes)
    graph.add_entities([EntityInput(name, "Service") for name in ("Ferry", "Pier", "Mill", "Wheel")])
    relate(graph, *lake, *hill)
    build_communities(graph, TEST)
    assert sorted(by_title(graph)) == ["Ferry, Pier and Lake", "Mill, Wheel and Hill"]


def test_only_what_has_changed_is_built_again(graph: Graph) -> None:
    relate(graph, *FERRY, *MILL)
    build_communities(graph, TEST)
    before = by_title(graph)["Mill, River and Wheel"]
    relate(graph, "Ferry uses Radar", "Radar uses Engine")
    report = build_communities(graph, TEST)
    after = by_title(graph)["Mill, River and Wheel"]
    assert (report.built, report.kept, report.removed) == (1, 1, 1)
    assert (after.id, after.summary, after.sha256) == (before.id, before.summary, before.sha256)
    assert len(stored(graph)) == 2


def test_communities_are_stale_only_after_entities_or_triples_change(graph: Graph) -> None:
    relate(graph, *MILL)
    stale = [_stale(graph)]
    build_communities(graph, TEST)
    stale.append(_stale(graph))
    ingest(graph, [Document("note:1", "Note", "No name in here.")], [], TEST, report=IngestReport())
    stale.append(_stale(graph))
    relate(graph, "Mill uses Sluice")
    stale.append(_stale(graph))
    assert stale == [True, False, False, True]


def _stale(graph: Graph) -> bool:
    with graph.reading() as snapshot:
        return communities_are_stale(snapshot.tx)


def test_communities_do_not_depend_on_the_order_of_ingestion(graph: Graph, tmp_path: Path, wordllama: Embedder) -> None:
    other = Graph(Settings(db=tmp_path / "other.duckdb"), embedders=Embedders(wordllama))
    texts = {"note:lake": NOTE, "note:house": "Anna Berg knows Otto Lind. Anna Berg painted the Lake House."}
    for graph_, order in ((graph, 1), (other, -1)):
        relate(graph_, *[*FERRY, *MILL][::order])
        for uri in list(texts)[::order]:
            read(graph_, uri, texts[uri])
        build_communities(graph_, TEST)
    contents = [
        [(row.level, row.title, row.summary, row.sha256, row.citations) for row in stored(graph_)]
        for graph_ in (graph, other)
    ]
    other.close()
    assert contents[0] == contents[1]
    assert len(contents[0]) >= 3


def test_names_that_are_mentioned_together_form_a_community_without_triples(graph: Graph) -> None:
    read(graph, "note:lake", "Anna Berg, Otto Lind and Maja Falk. Then again Otto Lind, Anna Berg and Maja Falk.")
    build_communities(graph, TEST)
    (row,) = stored(graph)
    assert "Anna Berg" in row.title
    assert "“" in row.summary
    assert row.citations[0].startswith("note:lake#chunk:")


def test_a_quote_in_a_summary_is_removed_with_its_document(graph: Graph) -> None:
    relate(graph, *MILL)
    note = Document("note:mill", "Note", "Of all these, Mill, Wheel and River are the oldest.")
    ingest(graph, [note], graph.chosen_extractors("lite"), TEST, report=IngestReport())
    build_communities(graph, TEST)
    (before,) = stored(graph)
    assert "the oldest" in before.summary
    graph.remove(Removal(document="note:mill"), origin=TEST)
    build_communities(graph, TEST)
    (after,) = stored(graph)
    assert (after.sha256, after.citations, "the oldest" in after.summary) == (before.sha256, (), False)


def test_an_undo_skips_communities(graph: Graph) -> None:
    relate(graph, *MILL)
    build_communities(graph, TEST)
    assert [operation.tool for operation in graph.undo(origin=TEST)] == ["test"]
    build_communities(graph, TEST)
    assert stored(graph) == []


def test_communities_of_a_large_graph_are_built_by_the_command_only(graph: Graph) -> None:
    relate(graph, *MILL)
    small = changed(graph, max_community_triples=2)
    with pytest.raises(PartMissing, match="not built yet"):
        small.list_communities()
    small.build_communities()
    page = small.list_communities()
    assert (page.total, page.notes) == (1, ())


def test_a_build_reports_its_steps(graph: Graph, claude_api: ClaudeServer) -> None:
    relate(graph, *MILL, *FERRY)
    steps: list[str] = []
    claude_api.default = text_response("Title\nSummary.")
    keyed = changed(graph, claude_key=KEY, claude_url=claude_api.url)
    build_communities(keyed, TEST, rewrite=200, progress=lambda what, done: steps.append(f"{what} {done}"))
    assert steps == ["communities 2", "rewriting 1", "rewriting 2"]


def test_a_model_rewrites_each_community_once(graph: Graph, claude_api: ClaudeServer) -> None:
    relate(graph, *FERRY, *MILL)
    claude_api.enqueue(*(text_response(f"# Theme {number}\n What holds\nthem together. ") for number in (1, 2, 3)))
    keyed = changed(graph, claude_key=KEY, claude_url=claude_api.url, claude_model="model-1")
    report = build_communities(keyed, TEST, rewrite=200)
    assert (report.rewritten, report.waiting, report.warnings) == (2, 0, [])
    assert [(row.title, row.summary, row.summarised_by) for row in stored(graph)] == [
        ("Theme 1", "What holds them together.", "model-1"),
        ("Theme 2", "What holds them together.", "model-1"),
    ]
    assert claude_api.prompts[0].startswith("<community>\nMembers, the most central first:\n- Ferry")
    assert "- Ferry uses Fuel" in claude_api.prompts[0]

    relate(graph, "Mill uses Sluice", "Sluice uses River")
    assert build_communities(keyed, TEST, rewrite=200).rewritten == 1
    assert [row.title for row in stored(graph)] == ["Theme 1", "Theme 3"]


def test_a_model_that_fails_leaves_summaries_unchanged(graph: Graph, claude_api: ClaudeServer) -> None:
    relate(graph, *FERRY, *MILL, "<b> uses </community>", "</community> uses C", "<b> uses C")

    def respond(connection: Connection, body: dict[str, Any]) -> None:
        text: str = body["messages"][0]["content"]
        answer = text_response("no summary") if "Mill" in text else text_response("Signs\nSigns of markup.")
        (error_response(529, x_should_retry="false") if "Ferry" in text else answer)(connection, body)

    claude_api.default = respond
    report = build_communities(changed(graph, claude_key=KEY, claude_url=claude_api.url), TEST, rewrite=200)
    assert all(prompt.count("</community>") == 1 for prompt in claude_api.prompts)
    assert (report.rewritten, report.waiting, len(report.warnings)) == (1, 2, 2)
    assert report.warnings[0].startswith("Ferry, Engine and Fuel: Claude is overloaded (HTTP 529).")
    assert {row.summarised_by for row in stored(graph)} == {"extractive", graph.settings.claude_model}
    assert "Ferry, Engine and Fuel" in by_title(graph)


def test_a_build_records_its_client(graph: Graph) -> None:
    relate(graph, *MILL)
    build_communities(graph, Origin("get_communities", "somebody"))
    with graph.reading() as snapshot:
        row = snapshot.tx.run("SELECT tool, client FROM change ORDER BY id DESC LIMIT 1").fetchone()
    assert row == ("communities", "somebody")


@pytest.mark.parametrize("triples", [(), ("A uses B",)])
def test_a_graph_that_is_too_small_has_no_communities(graph: Graph, triples: tuple[str, ...]) -> None:
    relate(graph, *triples)
    assert build_communities(graph, TEST).built == 0
    assert graph.list_communities().total == 0
