import json
import logging
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from office_files import page_text, pdf, slides, word, workbook

from mcp_graphrag import SearchQuery, open_graph
from mcp_graphrag.extract import EXTRACTORS
from mcp_graphrag.graph import Graph
from mcp_graphrag.ingest import readers
from mcp_graphrag.lookup.query_triples import TripleQuery

TEXTS = {
    "app.py": "from shop import cart\n\n\ndef checkout():\n    return cart.total()\n",
    "plan.md": "---\nowner: ops\n---\n# Plan\n\nThe Mill Service depends on the River Database.\n",
    "page.html": "<title>Page</title><p>The Barn Service calls the Mill Service.</p>",
    "services.csv": "service,owner,depends_on\nAuth Service,Ana Silva,User Database\n",
    "book.ipynb": json.dumps({"cells": [{"cell_type": "markdown", "source": "# Churn\n\nThe lighthouse model."}]}),
    "standup.vtt": "WEBVTT\n\n00:00:01.000 --> 00:00:04.000\n<v Ana Silva>The harbour is frozen.\n",
    "guide.rst": "Guide\n=====\n\nGrease the windlass.\n",
}


def test_a_folder_of_all_kinds_is_ingested_without_a_key(tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    for name, text in TEXTS.items():
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "stations.pdf").write_bytes(pdf([page_text(number) for number in range(1, 4)], title="Stations"))
    (folder / "manual.docx").write_bytes(word([("Keys", "The brass key opens the granary.")]))
    (folder / "ports.xlsx").write_bytes(workbook({"Ports": [["service", "owner"], ["Dock Service", "Bob Lee"]]}))
    (folder / "talk.pptx").write_bytes(slides([("Outlook", "The ferry returns in May.", "")]))
    with open_graph(tmp_path / "g.duckdb", embedder="wordllama") as graph:
        report = graph.ingest_files([folder], extract="auto")
        assert (report.added, report.skipped) == (11, [])
        found = {
            query: (graph.search(SearchQuery(query, limit=1)).hits[0])
            for query in ("brass key granary", "drawer 6 of the archive", "frozen harbour", "ferry in May", "windlass")
        }
        files = [hit.chunk.document.uri.rsplit("/", 1)[-1] for hit in found.values()]
        assert files == ["manual.docx", "stations.pdf", "standup.vtt", "talk.pptx", "guide.rst"]
        assert found["drawer 6 of the archive"].chunk.headings == ("Page 2",)
        stated = {(one.subject, one.predicate, one.object) for one in graph.query_triples(TripleQuery()).triples}
        assert stated >= {
            ("Mill Service", "depends_on", "River Database"),
            ("Auth Service", "owned_by", "Ana Silva"),
            ("Dock Service", "owned_by", "Bob Lee"),
        }
        again = graph.ingest_files([folder], extract="auto")
        assert (again.added, again.updated, again.unchanged) == (0, 0, 11)


POISON = "Hemlock"


def raising(read: Callable[..., readers.Reading]) -> Callable[..., readers.Reading]:
    """A function of a reader that raises where the content has a word."""

    def failing(content: str | bytes) -> readers.Reading:
        if (POISON.encode() if isinstance(content, bytes) else POISON) in content:  # pyright: ignore[reportOperatorIssue]
            raise RecursionError(POISON)
        return read(content)

    return failing


def test_a_file_that_its_reader_fails_on_is_named_and_all_others_are_stored(
    graph: Graph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    every = [*readers.READERS, *readers.BYTES_READERS]
    monkeypatch.setattr(readers, "READERS", [replace(one, read=raising(one.read)) for one in readers.READERS])
    monkeypatch.setattr(
        readers, "BYTES_READERS", [replace(one, read=raising(one.read)) for one in readers.BYTES_READERS]
    )
    suffixes = [next(suffix for suffix in reader.suffixes if suffix.startswith(".")) for reader in every]
    folder = tmp_path / "docs"
    folder.mkdir()
    for suffix in suffixes:
        (folder / f"bad{suffix}").write_text(f"{POISON} is a plant.", encoding="utf-8")
    (folder / "good.md").write_text("The Mill Service depends on the River Database.", encoding="utf-8")

    report = graph.ingest_files([folder])

    assert {each.what.rpartition("/")[2] for each in report.skipped} == {f"bad{suffix}" for suffix in suffixes}
    assert {each.reason for each in report.skipped} == {"the reader of its format failed (RecursionError)"}
    assert (report.added, report.counts.triples) == (1, 1)
    logged = [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR]
    assert len(logged) == len(every)
    assert POISON not in str(logged), "what a document says is in no line of the log"


@pytest.mark.parametrize("failing", EXTRACTORS)
def test_a_document_that_an_extractor_fails_on_is_named_and_searchable(
    graph: Graph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    kind = type(EXTRACTORS[failing](0, 0))
    extract_all = kind.extract_all

    def raise_on_poison(self: object, documents: list[tuple[readers.Document, object]]) -> object:
        if any(POISON in document.text for document, _ in documents):
            raise KeyError(POISON)
        return extract_all(self, documents)  # pyright: ignore[reportArgumentType]

    monkeypatch.setattr(kind, "extract_all", raise_on_poison)
    folder = tmp_path / "docs"
    folder.mkdir()
    for name in ("one.md", "two.md"):
        (folder / name).write_text(f"The Mill Service depends on {name}.", encoding="utf-8")
    (folder / "bad.md").write_text(f"{POISON} is a plant.", encoding="utf-8")

    report = graph.ingest_files([folder])

    assert report.added == 3
    assert [each.reason for each in report.failed] == [f"not read by {failing}: a defect (KeyError), see the log."]
    assert [hit.chunk.document.title for hit in graph.search(SearchQuery(POISON, limit=1)).hits] == ["bad"]
