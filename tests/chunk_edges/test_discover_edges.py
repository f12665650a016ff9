"""Discovery of chunk edges: similar chunks of different documents, at most so many for each."""

from dataclasses import replace

import pytest
from edit_helpers import TEST, read

from mcp_graphrag.errors import BadInput, UnknownName
from mcp_graphrag.graph import Graph
from mcp_graphrag.jobs.discover_edges import EVERYTHING, Discovery
from mcp_graphrag.jobs.ingest_documents import IngestReport, ingest
from mcp_graphrag.model import Document

DOCK = "The pilot brings the ferry into the dock at high tide."
TEXTS = {
    "memo:a": DOCK,
    "memo:b": "At high tide the ferry is brought into its dock by the pilot.",
    "memo:c": "The ferry comes to the dock when the tide is high.",
    "memo:d": "Invoices are paid within thirty days by bank transfer.",
}
PAIRS = "SELECT source[6:6], target[6:6], weight >= .5, extractor FROM chunk_edges WHERE relation = 'similar_to'"


@pytest.fixture
def memos(graph: Graph) -> Graph:
    """Three memos about one subject and one about another."""
    for uri, text in TEXTS.items():
        read(graph, uri, text)
    return graph


def pairs(graph: Graph) -> list[str]:
    """The stored pairs, written as the letters of their documents."""
    with graph.reading() as snapshot:
        found = snapshot.tx.run(f"{PAIRS} ORDER BY ALL").fetchall()
    assert all(strong and extractor == "wordllama" for _, _, strong, extractor in found)
    return [source + target for source, target, *_ in found]


def test_similar_chunks_of_different_documents_are_paired_once(memos: Graph) -> None:
    first = memos.discover_edges()
    assert (pairs(memos), first.added, first.chunks) == (["ab", "ac", "bc"], {"similar_to": 3}, 4)
    assert first.examples[0].description == f"similarity {first.examples[0].weight:.2f}"
    again = memos.discover_edges()
    assert (again.added, len(pairs(memos))) == ({}, 3)
    memos.undo()
    assert pairs(memos) == []


def test_documents_and_pairs_limit_the_comparison(memos: Graph) -> None:
    memos.discover_edges(Discovery(["memo:c", "memo:b"]))
    assert pairs(memos) == ["bc"]
    memos.undo()
    memos.discover_edges(Discovery(["memo:a"]))
    assert pairs(memos) == ["ab", "ac"]
    memos.undo()
    memos.discover_edges(Discovery(pairs=1))
    assert len(pairs(memos)) == 1
    memos.undo()
    assert not memos.discover_edges(Discovery(threshold=1.0)).added


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        (Discovery(["memo:x"]), UnknownName),
        (Discovery(threshold=0), BadInput),
        (Discovery(threshold=1.1), BadInput),
        (Discovery(pairs=0), BadInput),
    ],
)
def test_a_discovery_out_of_range_is_refused(memos: Graph, wrong: Discovery, error: type[Exception]) -> None:
    with pytest.raises(error):
        memos.discover_edges(wrong)


def test_an_ambiguous_title_lists_uris_and_an_unknown_one_the_nearest(graph: Graph) -> None:
    documents = [Document(f"memo:{at}", "Dock rules", f"{DOCK} {at}") for at in range(7)]
    ingest(graph, documents, [], TEST, report=IngestReport())
    with pytest.raises(BadInput) as several:
        graph.discover_edges(Discovery(["dock RULES"]))
    uris = "memo:0, memo:1, memo:2, memo:3, memo:4 and 2 more"
    assert str(several.value) == f"7 documents have the title 'dock RULES'. Give one of the uris: {uris}."
    with pytest.raises(UnknownName, match="Nearest: Dock rules"):
        graph.discover_edges(Discovery(["Dock rule"]))


def test_discovery_can_be_stopped_and_reports_progress(memos: Graph) -> None:
    steps: list[str] = []

    def progress(_done: int, _total: int, what: str) -> None:
        steps.append(what)

    stopped = memos.discover_edges(stop=lambda: True, progress=progress)
    assert (stopped.stopped, stopped.added, steps) == (True, {}, [])
    memos.discover_edges(progress=progress)
    assert steps == ["4 of 4 documents read", "4 of 4 chunks compared"]


def test_ingest_compares_new_documents_if_the_setting_says_so(graph: Graph) -> None:
    graph.settings = replace(graph.settings, discover_edges=True)
    documents = [Document(uri, uri, text) for uri, text in TEXTS.items()]
    ingest(graph, documents, [], TEST, report=IngestReport())
    assert pairs(graph) == ["ab", "ac", "bc"]
    assert len(graph.undo()) == 1
    assert pairs(graph) == []


def test_a_discovery_that_adds_nothing_says_why(graph: Graph) -> None:
    def why(discovery: Discovery = EVERYTHING) -> tuple[str, list[str]]:
        report = graph.discover_edges(discovery)
        assert not report.added
        return report.nothing.partition(":")[0], [note.partition(",")[0] for note in report.notes]

    assert why() == ("No document is stored", [])
    read(graph, "memo:a", TEXTS["memo:a"])
    assert why() == ("There is no other document to compare with.", [])
    read(graph, "memo:b", TEXTS["memo:b"])
    unlike = "No two chunks of different documents have a similarity of"
    assert why(Discovery(threshold=0.999)) == (f"{unlike} 0.999", [])
    assert why(Discovery(across=False)) == ("Every reference in the texts is stored already.", [])
    graph.settings = replace(graph.settings, edge_min_weight=0.99)
    assert why() == (f"{unlike} 0.99", [])


def test_a_discovery_whose_edges_are_stored_already_says_what_finds_more(memos: Graph) -> None:
    assert memos.discover_edges().nothing == ""
    everything, one = memos.discover_edges(), memos.discover_edges(Discovery(["memo:a"]))
    assert everything.nothing.startswith("Nothing new: ")
    assert "naming documents" in everything.nothing
    assert "naming documents" not in one.nothing
