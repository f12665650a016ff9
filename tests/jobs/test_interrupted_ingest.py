"""What an ingest leaves that is killed, or that something else writes beside."""

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from edit_helpers import TEST, present, read, relate, triples

from mcp_graphrag.edit.inputs import TextInput
from mcp_graphrag.edit.remove import Removal
from mcp_graphrag.errors import BadInput
from mcp_graphrag.graph import Graph
from mcp_graphrag.jobs.ingest_report import IngestReport
from mcp_graphrag.jobs.job import Work, run_job, start_job
from mcp_graphrag.model import Chunk, Document, Extraction

OLD = "The Harbour Service depends on the Tide Database."
NEW = "The Harbour Service depends on the Quay Cache."
# Ingests a second version of a document and is killed while the extractors read it.
KILLED = """
import os, signal, sys
from mcp_graphrag import open_graph
from mcp_graphrag.edit.inputs import TextInput
from mcp_graphrag.extract.lite_extractor import LiteExtractor

def killed(self, documents):
    os.kill(os.getpid(), signal.SIGKILL)

with open_graph(sys.argv[1], embedder="wordllama") as graph:
    graph.ingest_text(TextInput(sys.argv[2], uri="memo:1"))
    LiteExtractor.extract_all = killed
    graph.ingest_text(TextInput(sys.argv[3], uri="memo:1"))
"""


@pytest.mark.skipif(os.name != "posix", reason="kill -9 needs POSIX")
@pytest.mark.slow
def test_a_killed_ingest_leaves_its_documents_as_they_were_and_its_job_interrupted(
    graph: Graph, tmp_path: Path
) -> None:
    db = tmp_path / "killed.duckdb"
    ran = subprocess.run([sys.executable, "-c", KILLED, str(db), OLD, NEW], check=False)
    assert ran.returncode == -signal.SIGKILL
    read(graph, "memo:1", OLD)

    with Graph(replace(graph.settings, db=db), embedders=graph.embedders) as killed:
        jobs = killed.status().jobs
        assert [(job.state, job.done, job.error) for job in jobs] == [
            ("interrupted", 0, "The process that ran it has ended."),
            ("done", 1, None),
        ]
        assert triples(killed) == triples(graph) == ["Harbour Service depends_on Tide Database"]
        assert killed.verify().problems == []
        killed.ingest_text(TextInput(NEW, uri="memo:1"))
        assert triples(killed) == ["Harbour Service depends_on Quay Cache"]


class Meanwhile:
    """An extractor that finds nothing, and does something while it reads the first document."""

    name, version = "meanwhile", "1"

    def __init__(self, *steps: object) -> None:
        self.steps = list(steps)

    def extract_all(self, documents: Sequence[tuple[Document, Sequence[Chunk]]]) -> list[list[Extraction]]:
        if self.steps:
            self.steps.pop()()  # pyright: ignore[reportCallIssue]
        return [[Extraction()] * len(chunks) for _, chunks in documents]


def run(graph: Graph, meanwhile: Meanwhile, *documents: Document) -> IngestReport:
    """Ingest documents by all extractors, this one last."""
    report = IngestReport()
    work = Work(documents, len(documents), [*graph.chosen_extractors("auto"), meanwhile])
    assert run_job(graph, start_job(graph, work, TEST), work, TEST, report=report).state == "done"
    return report


def test_a_document_that_is_removed_while_it_is_read_again_is_stored_whole(graph: Graph) -> None:
    read(graph, "memo:1", OLD)
    report = run(graph, Meanwhile(lambda: graph.remove(Removal(document="memo:1"))), Document("memo:1", "memo:1", OLD))

    assert (report.added, report.updated, report.unchanged) == (1, 0, 0)
    assert triples(graph) == ["Harbour Service depends_on Tide Database"]
    assert graph.verify().problems == []


def test_a_document_that_is_stored_by_another_meanwhile_is_stored_once(graph: Graph) -> None:
    report = run(graph, Meanwhile(lambda: read(graph, "memo:1", OLD)), Document("memo:1", "memo:1", NEW))

    assert (report.added, report.updated) == (0, 1)
    assert triples(graph) == ["Harbour Service depends_on Quay Cache"]
    assert graph.verify().problems == []


def test_an_ingest_is_undone_when_it_has_ended_and_not_before(graph: Graph) -> None:
    relate(graph, "A uses B")
    before = present(graph)
    refused: list[str] = []

    def undo() -> None:
        with pytest.raises(BadInput) as error:
            graph.undo()
        refused.append(str(error.value))

    # The second document with a uri is in a batch of its own, behind the commit of the first.
    steps = Meanwhile(undo, lambda: None)
    run(graph, steps, Document("memo:1", "memo:1", OLD), Document("memo:1", "memo:1", NEW))

    (said,) = refused
    assert said.endswith(
        "it would go on after the undo. Undo it when it has ended; `get_job` tells when an ingest has."
    )
    graph.undo()
    assert present(graph) == before


def test_a_job_tells_how_far_it_was_when_it_was_killed(graph: Graph) -> None:
    seen: list[tuple[int, int]] = []

    def look() -> None:
        job = graph.job(1)
        seen.append((job.done, job.report.get("added", 0)))

    run(graph, Meanwhile(look, look), Document("memo:1", "memo:1", OLD), Document("memo:1", "memo:1", NEW))

    assert seen == [(0, 0), (1, 1)]
