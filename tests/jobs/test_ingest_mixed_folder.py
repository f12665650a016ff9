import json
from pathlib import Path

from office_files import page_text, pdf, slides, word, workbook

from mcp_graphrag import SearchQuery, open_graph
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
