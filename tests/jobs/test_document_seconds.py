"""The processor time that extraction from a document may take, and of how many lines its text may be."""

import time
from pathlib import Path

import pytest

from mcp_graphrag.edit.inputs import FileInput, TextInput
from mcp_graphrag.extract.lite_extractor import LiteExtractor
from mcp_graphrag.graph import Graph, open_graph
from mcp_graphrag.jobs.store_extractions import OVER_SECONDS
from mcp_graphrag.lookup.query_triples import TripleQuery
from mcp_graphrag.model import Chunk, Document
from mcp_graphrag.processor_time import TookTooLong, check_time, cpu_limit
from mcp_graphrag.search.query import SearchQuery

SLOW = "The Mill depends on the River.\n\n" + "Ann: hi\n" * 8_000


@pytest.fixture(scope="module", autouse=True)
def _loaded() -> None:
    """The grammar and the lexicon, which are loaded once and are no document's."""
    text = "The Mill depends on the River."
    LiteExtractor().extract(Document("a", "A", text), [Chunk(0, 0, len(text), text)])


def compute(seconds: float) -> None:
    until = time.thread_time() + seconds
    while time.thread_time() < until:
        check_time()


def hits(graph: Graph, query: str) -> list[str]:
    return [hit.citation.partition("#")[0] for hit in graph.search(SearchQuery(query, mode="keyword")).hits]


def test_a_document_that_takes_too_long_is_searchable_and_read_in_part(tmp_path: Path) -> None:
    with open_graph(tmp_path / "graph.duckdb", embedder="wordllama", document_seconds=0.1) as graph:
        report = graph.ingest_text(TextInput(f"{SLOW}\nThe end is at Zeebrugge.", uri="note:slow"))

        assert report.added == 1
        (said,) = report.warnings
        assert said.startswith("note:slow is searchable, but lite read only ")
        assert said.endswith("Raise document_seconds to let it take more.")
        unread = report.dropped[OVER_SECONDS]
        assert 0 < unread <= report.counts.chunks
        assert hits(graph, "Zeebrugge") == ["note:slow"]
        assert graph.verify().problems == []
        again = graph.ingest_text(TextInput(f"{SLOW}\nThe end is at Zeebrugge.", uri="note:slow"))
        assert (again.unchanged, again.warnings) == (1, [])


@pytest.mark.slow
def test_the_other_documents_of_a_batch_are_read_in_whole(tmp_path: Path) -> None:
    (tmp_path / "slow.md").write_text(SLOW, encoding="utf-8")
    for number in range(3):
        (tmp_path / f"{number}.md").write_text(f"The Shop{number} depends on the Quay{number}.", encoding="utf-8")
    with open_graph(tmp_path / "graph.duckdb", embedder="wordllama", document_seconds=0.1, roots=[tmp_path]) as graph:
        report = graph.ingest_files(FileInput([tmp_path]))

        assert report.added == 4
        assert [said.split()[0].rpartition("/")[2] for said in report.warnings] == ["slow.md"]
        names = {triple.subject for triple in graph.query_triples(TripleQuery(predicate="depends_on")).triples}
        assert {"Shop0", "Shop1", "Shop2"} <= names


@pytest.mark.slow
def test_a_document_of_very_many_lines_is_searchable_and_the_receipt_says_how_it_was_read(tmp_path: Path) -> None:
    text = "\n" * 500_000 + "\nThe end is at Zeebrugge."
    with open_graph(tmp_path / "graph.duckdb", embedder="wordllama") as graph:
        report = graph.ingest_text(TextInput(text, "Many", uri="note:many", media_type="text/markdown"))

        assert report.warnings == [
            "note:many is read as plain text: it has more than 500,000 lines or 200,000 blocks and headings."
        ]
        assert hits(graph, "Zeebrugge") == ["note:many"]
        again = graph.ingest_text(TextInput(text, "Many", uri="note:many", media_type="text/markdown"))
        assert (again.unchanged, again.warnings) == (1, [])


def test_a_block_that_computes_too_long_is_ended_and_what_follows_is_not() -> None:
    with pytest.raises(TookTooLong), cpu_limit(0.05):
        compute(60)
    with cpu_limit(0.05):
        time.sleep(0.2)  # waiting is not computing
    compute(0.2)
