"""Communities are built from the graph as it is, and only what has changed is written again."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from claude_server import KEY, ClaudeServer, saying
from pipeline_stories import TEST, read, relate

from mcp_graphrag.embed import Embedder
from mcp_graphrag.errors import NoAnswer
from mcp_graphrag.model import Document, Origin
from mcp_graphrag.pipeline import Pipeline, make_pipeline
from mcp_graphrag.pipeline.communities import Rewriter, bring_up_to_date, build_communities, claude_rewriter
from mcp_graphrag.pipeline.ingest import IngestReport, ingest
from mcp_graphrag.pipeline.remove import Removal, remove
from mcp_graphrag.pipeline.undo import undo
from mcp_graphrag.settings import Settings
from mcp_graphrag.store.communities import CommunityRow, communities_are_stale, stored_communities

FERRY = ("Ferry uses Engine", "Engine uses Fuel", "Ferry uses Fuel", "Crew runs Ferry")
MILL = ("Mill uses Wheel", "Wheel uses River", "Mill uses River")
NOTE = "The Lake House overlooks Long Lake. Anna Berg sold the Lake House to Otto Lind. Otto Lind sails on Long Lake."


def stored(pipeline: Pipeline) -> list[CommunityRow]:
    with pipeline.reading() as tx:
        return stored_communities(tx)


def by_title(pipeline: Pipeline) -> Mapping[str, CommunityRow]:
    return {row.title: row for row in stored(pipeline)}


def test_a_title_names_what_is_central_and_a_summary_says_what_is_known(pipeline: Pipeline) -> None:
    relate(pipeline, *FERRY, *MILL)
    report = build_communities(pipeline, TEST)
    assert (report.built, report.kept, report.removed) == (2, 0, 0)
    found = by_title(pipeline)
    assert list(found) == ["Ferry, Engine and Fuel", "Mill, River and Wheel"]
    assert found["Mill, River and Wheel"].summary == (
        "Mill, River, Wheel. Mill uses River; Mill uses Wheel; Wheel uses River."
    )


def test_a_title_has_no_name_within_another_and_long_ones_last(pipeline: Pipeline) -> None:
    long = "The_decision_to_rotate_every_signing_key_of_the_house"
    names = ["Billing", "Billing.refund()", long, "Ledger", "Till"]
    relate(pipeline, *[f"{one} uses {other}" for one in names[:3] for other in names if one != other])
    build_communities(pipeline, TEST)
    (row,) = stored(pipeline)
    assert row.title == "Billing, Ledger and Till"
    assert long in row.summary


def test_only_what_has_changed_is_built_again(pipeline: Pipeline) -> None:
    relate(pipeline, *FERRY, *MILL)
    build_communities(pipeline, TEST)
    before = by_title(pipeline)["Mill, River and Wheel"]
    relate(pipeline, "Ferry uses Radar", "Radar uses Engine")
    report = build_communities(pipeline, TEST)
    after = by_title(pipeline)["Mill, River and Wheel"]
    assert (report.built, report.kept, report.removed) == (1, 1, 1)
    assert (after.id, after.summary, after.sha256) == (before.id, before.summary, before.sha256)
    assert len(stored(pipeline)) == 2


def test_they_are_stale_as_soon_as_the_graph_is_another_and_only_then(pipeline: Pipeline) -> None:
    relate(pipeline, *MILL)
    stale = [_stale(pipeline)]
    assert bring_up_to_date(pipeline, TEST)
    stale.append(_stale(pipeline))
    ingest(pipeline, [Document("note:1", "Note", "No name in here.")], [], TEST, report=IngestReport())
    stale.append(_stale(pipeline))
    relate(pipeline, "Mill uses Sluice")
    stale.append(_stale(pipeline))
    assert stale == [True, False, False, True]


def _stale(pipeline: Pipeline) -> bool:
    with pipeline.reading() as tx:
        return communities_are_stale(tx)


def test_the_same_graph_has_the_same_communities_whatever_came_first(
    pipeline: Pipeline, tmp_path: Path, wordllama: Embedder
) -> None:
    other = replace(make_pipeline(Settings(db=tmp_path / "other.duckdb")), embedder=wordllama)
    texts = {"note:lake": NOTE, "note:house": "Anna Berg knows Otto Lind. Anna Berg painted the Lake House."}
    for each, order in ((pipeline, 1), (other, -1)):
        relate(each, *[*FERRY, *MILL][::order])
        for uri in list(texts)[::order]:
            read(each, uri, texts[uri])
        build_communities(each, TEST)
    said = [
        [(row.level, row.title, row.summary, row.sha256, row.citations) for row in stored(each)]
        for each in (pipeline, other)
    ]
    other.store.close()
    assert said[0] == said[1]
    assert len(said[0]) >= 3


def test_names_that_stand_together_are_a_community_without_any_triple(pipeline: Pipeline) -> None:
    read(pipeline, "note:lake", "Anna Berg, Otto Lind and Maja Falk. Then again Otto Lind, Anna Berg and Maja Falk.")
    build_communities(pipeline, TEST)
    (row,) = stored(pipeline)
    assert "Anna Berg" in row.title
    assert "“" in row.summary
    assert row.citations[0].startswith("note:lake#chunk:")


def test_what_a_summary_quotes_goes_with_its_document_though_the_graph_stays(pipeline: Pipeline) -> None:
    relate(pipeline, *MILL)
    note = Document("note:mill", "Note", "Of all these, Mill, Wheel and River are the oldest.")
    ingest(pipeline, [note], pipeline.chosen_extractors("lite"), TEST, report=IngestReport())
    build_communities(pipeline, TEST)
    (before,) = stored(pipeline)
    assert "the oldest" in before.summary
    remove(pipeline, Removal(document="note:mill"), TEST)
    build_communities(pipeline, TEST)
    (after,) = stored(pipeline)
    assert (after.sha256, after.citations, "the oldest" in after.summary) == (before.sha256, (), False)


def test_an_undo_passes_over_them(pipeline: Pipeline) -> None:
    relate(pipeline, *MILL)
    build_communities(pipeline, TEST)
    assert [each.tool for each in undo(pipeline, TEST)] == ["test"]
    build_communities(pipeline, TEST)
    assert stored(pipeline) == []


def test_a_graph_too_large_for_a_wait_is_left_to_the_command(pipeline: Pipeline) -> None:
    relate(pipeline, *MILL)
    small = replace(pipeline, settings=replace(pipeline.settings, community_most_triples=2))
    said: list[str] = []
    assert not bring_up_to_date(small, TEST, note=said.append)
    build_communities(small, TEST)
    assert bring_up_to_date(small, TEST, note=said.append)
    assert said == []


def test_who_waits_for_a_build_is_told_of_it_and_only_then(pipeline: Pipeline) -> None:
    said: list[str] = []
    steps: list[str] = []

    def progress(done: float, total: float | None, what: str) -> None:
        steps.append(f"{done}/{total} {what}")

    assert bring_up_to_date(pipeline, TEST, note=said.append, progress=progress)
    assert said == []
    relate(pipeline, *MILL)
    bring_up_to_date(pipeline, TEST, note=said.append)
    relate(pipeline, *FERRY)
    steps.clear()
    for _ in range(2):
        bring_up_to_date(pipeline, TEST, note=said.append, progress=progress)
    assert said == [
        f"Communities were built for this answer from {ground}."
        for ground in (
            "3 triples and 0 mentions: 1 new, 0 as before",
            "7 triples and 0 mentions: 1 new, 1 as before",
        )
    ]
    assert steps == ["0/1 building communities from 7 triples and 0 mentions", "1/1 built 1 communities"]


def test_a_model_rewords_each_community_once(pipeline: Pipeline) -> None:
    relate(pipeline, *FERRY, *MILL)
    sent: list[str] = []

    def summarise(text: str) -> tuple[str, str]:
        sent.append(text)
        return f"# Theme {len(sent)}", " What holds\nthem together. "

    rewriter = Rewriter("model-1", summarise)
    report = build_communities(pipeline, TEST, rewriter=rewriter)
    assert (report.rewritten, report.waiting, report.warnings) == (2, 0, [])
    assert [(row.title, row.summary, row.summarised_by) for row in stored(pipeline)] == [
        ("Theme 1", "What holds them together.", "model-1"),
        ("Theme 2", "What holds them together.", "model-1"),
    ]
    assert sent[0].startswith("<community>\nMembers")
    assert "- Ferry uses Fuel" in sent[0]

    relate(pipeline, "Mill uses Sluice", "Sluice uses River")
    assert build_communities(pipeline, TEST, rewriter=rewriter).rewritten == 1
    assert [row.title for row in stored(pipeline)] == ["Theme 1", "Theme 3"]


def test_a_model_that_fails_leaves_the_words_as_they_were(pipeline: Pipeline) -> None:
    relate(pipeline, *FERRY, *MILL, "<b> uses </community>", "</community> uses C", "<b> uses C")

    def summarise(text: str) -> tuple[str, str]:
        assert text.count("</community>") == 1
        if "Ferry" in text:
            raise NoAnswer("busy", "Claude has too much to do.")
        return ("", "no title") if "Mill" in text else ("Signs", "Signs of markup.")

    report = build_communities(pipeline, TEST, rewriter=Rewriter("model-1", summarise))
    assert (report.rewritten, report.waiting, len(report.warnings)) == (1, 2, 2)
    assert report.warnings[0] == "Ferry, Engine and Fuel: Claude has too much to do."
    assert {row.summarised_by for row in stored(pipeline)} == {"extractive", "model-1"}
    assert "Ferry, Engine and Fuel" in by_title(pipeline)


def test_a_build_says_who_wrote_it(pipeline: Pipeline) -> None:
    relate(pipeline, *MILL)
    build_communities(pipeline, Origin("get_communities", "somebody"))
    with pipeline.reading() as tx:
        row = tx.run("SELECT tool, client FROM change ORDER BY id DESC LIMIT 1").fetchone()
    assert row == ("communities", "somebody")


@pytest.mark.parametrize("triples", [(), ("A uses B",)])
def test_too_little_of_a_graph_has_no_communities(pipeline: Pipeline, triples: tuple[str, ...]) -> None:
    relate(pipeline, *triples)
    assert build_communities(pipeline, TEST).built == 0
    assert bring_up_to_date(pipeline, TEST)


def test_claude_rewords_where_a_key_is_there(pipeline: Pipeline, claude_api: ClaudeServer) -> None:
    relate(pipeline, *MILL)
    keyed = replace(pipeline.settings, claude_key=KEY, claude_url=claude_api.url)
    claude_api.will(saying("The mill on the river\n\nThe Mill uses the Wheel."))
    rewriter = claude_rewriter(replace(pipeline, settings=keyed))
    assert build_communities(pipeline, TEST, rewriter=rewriter).rewritten == 1
    (row,) = stored(pipeline)
    assert (row.title, row.summary) == ("The mill on the river", "The Mill uses the Wheel.")
    assert row.summarised_by == keyed.claude_model
    assert claude_api.prompts[0].startswith("<community>\nMembers, the most central first:\n- Mill")
