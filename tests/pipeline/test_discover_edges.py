"""Similar passages of different documents, found by a call of their own, at most so many for each."""

from dataclasses import replace

import pytest
from pipeline_stories import TEST, read

from mcp_graphrag.embed import Embedder
from mcp_graphrag.errors import BadInput, UnknownName
from mcp_graphrag.model import Document, Origin
from mcp_graphrag.pipeline import Pipeline
from mcp_graphrag.pipeline.discover_edges import EVERYTHING, Discovery, discover_chunk_edges
from mcp_graphrag.pipeline.embed import embed_pending
from mcp_graphrag.pipeline.ingest import IngestReport, ingest
from mcp_graphrag.pipeline.undo import undo

DOCK = "The pilot brings the ferry into the dock at high tide."
TEXTS = {
    "memo:a": DOCK,
    "memo:b": "At high tide the ferry is brought into its dock by the pilot.",
    "memo:c": "The ferry comes to the dock when the tide is high.",
    "memo:d": "Invoices are paid within thirty days by bank transfer.",
}
PAIRS = "SELECT source[6:6], target[6:6], weight >= .5, extractor FROM chunk_edges WHERE relation = 'similar_to'"


@pytest.fixture
def told(pipeline: Pipeline) -> Pipeline:
    """Three memos of one thing and one of another."""
    for uri, text in TEXTS.items():
        read(pipeline, uri, text)
    return pipeline


def pairs(pipeline: Pipeline) -> list[str]:
    """The pairs stored, each as the letters of its documents."""
    with pipeline.store.reading() as tx:
        found = tx.run(f"{PAIRS} ORDER BY ALL").fetchall()
    assert all(strong and extractor == "wordllama" for _, _, strong, extractor in found)
    return [source + target for source, target, *_ in found]


def test_similar_passages_of_different_documents_are_paired_once(told: Pipeline) -> None:
    first = discover_chunk_edges(told, TEST)
    assert (pairs(told), first.added, first.chunks) == (["ab", "ac", "bc"], {"similar_to": 3}, 4)
    assert first.examples[0].description == f"similarity {first.examples[0].weight:.2f}"
    again = discover_chunk_edges(told, TEST)
    assert (again.added, len(pairs(told))) == ({}, 3)
    undo(told, TEST)
    assert pairs(told) == []


def test_documents_and_pairs_narrow_the_search(told: Pipeline) -> None:
    discover_chunk_edges(told, TEST, Discovery(["memo:c", "memo:b"]))
    assert pairs(told) == ["bc"]
    undo(told, TEST)
    discover_chunk_edges(told, TEST, Discovery(["memo:a"]))
    assert pairs(told) == ["ab", "ac"]
    undo(told, TEST)
    discover_chunk_edges(told, TEST, Discovery(pairs=1))
    assert len(pairs(told)) == 1
    undo(told, TEST)
    assert not discover_chunk_edges(told, TEST, Discovery(threshold=1.0)).added


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        (Discovery(["memo:x"]), UnknownName),
        (Discovery(threshold=0), BadInput),
        (Discovery(threshold=1.1), BadInput),
        (Discovery(pairs=0), BadInput),
    ],
)
def test_what_cannot_be_looked_for_is_refused(told: Pipeline, wrong: Discovery, error: type[Exception]) -> None:
    with pytest.raises(error):
        discover_chunk_edges(told, TEST, wrong)


def test_a_title_of_several_is_told_by_uris_and_an_unknown_one_by_what_is_like_it(pipeline: Pipeline) -> None:
    documents = [Document(f"memo:{at}", "Dock rules", f"{DOCK} {at}") for at in range(7)]
    ingest(pipeline, documents, [], TEST, report=IngestReport())
    with pytest.raises(BadInput) as several:
        discover_chunk_edges(pipeline, TEST, Discovery(["dock RULES"]))
    uris = "memo:0, memo:1, memo:2, memo:3, memo:4 and 2 more"
    assert str(several.value) == f"7 documents have the title 'dock RULES'. Name it by its uri: {uris}."
    with pytest.raises(UnknownName, match="Nearest: Dock rules"):
        discover_chunk_edges(pipeline, TEST, Discovery(["Dock rule"]))


def test_it_stops_when_told_and_says_what_it_did(told: Pipeline) -> None:
    said: list[str] = []

    def progress(_done: int, _total: int, what: str) -> None:
        said.append(what)

    stopped = discover_chunk_edges(told, TEST, stop=lambda: True, progress=progress)
    assert (stopped.stopped, stopped.added, said) == (True, {}, [])
    discover_chunk_edges(told, TEST, progress=progress)
    assert said == ["4 of 4 documents read", "4 of 4 passages compared"]


def test_ingest_looks_for_them_where_the_setting_says_so(pipeline: Pipeline) -> None:
    eager = replace(pipeline, settings=replace(pipeline.settings, discover_edges=True))
    documents = [Document(uri, uri, text) for uri, text in TEXTS.items()]
    ingest(eager, documents, [], Origin("test"), report=IngestReport())
    assert pairs(eager) == ["ab", "ac", "bc"]
    assert len(undo(eager, TEST)) == 1
    assert pairs(eager) == []


def test_where_nothing_is_found_it_says_why(pipeline: Pipeline, wordllama: Embedder) -> None:
    class Slow:
        name, dimension, instant, embed = wordllama.name, wordllama.dimension, False, wordllama.embed

    def said(found: Pipeline, discovery: Discovery = EVERYTHING) -> tuple[str, list[str]]:
        report = discover_chunk_edges(found, TEST, discovery)
        assert not report.added
        return report.nothing.partition(":")[0], [note.partition(",")[0] for note in report.notes]

    assert said(pipeline) == ("No document is stored", [])
    unembedded = ["None of the passages has an embedding yet"]
    slow = replace(pipeline, embedder=Slow())
    read(slow, "memo:a", TEXTS["memo:a"])
    assert said(slow) == ("The texts point at nothing that is not stored already.", unembedded)
    embed_pending(slow)
    assert said(pipeline) == ("There is no other document to compare with.", [])
    read(slow, "memo:b", TEXTS["memo:b"])
    assert said(slow)[1][0].startswith("1 passage has no embedding yet and stayed apart: call discover_edges again")
    embed_pending(slow)
    unlike = "No two passages of different documents have a similarity of"
    assert said(pipeline, Discovery(threshold=0.999)) == (f"{unlike} 0.999", [])
    assert said(replace(pipeline, settings=replace(pipeline.settings, edge_min_weight=0.99))) == (f"{unlike} 0.99", [])
    assert said(pipeline, Discovery(across=False)) == ("The texts point at nothing that is not stored already.", [])
    assert discover_chunk_edges(pipeline, TEST).nothing == ""
    assert said(pipeline) == ("Nothing new", [])
    assert "naming documents" in discover_chunk_edges(pipeline, TEST).nothing
    assert "naming documents" not in discover_chunk_edges(pipeline, TEST, Discovery(["memo:a"])).nothing
