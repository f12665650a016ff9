"""The record of a job: how it ended, and what was ingested until then."""

from collections.abc import Iterator

import pytest
from edit_helpers import TEST

from mcp_graphrag.errors import GraphragError, UnknownName
from mcp_graphrag.graph import Graph
from mcp_graphrag.jobs.ingest_documents import IngestReport
from mcp_graphrag.jobs.job import Callbacks, Work, run_job, start_job
from mcp_graphrag.model import Document, Skipped
from mcp_graphrag.store.rows.job_rows import Job

# The second document with a uri ends the batch of the first, so that is committed before what follows.
TWO = [Document("memo:a", "A", "The pilot waits."), Document("memo:a", "A", "The pilot waits for the tide.")]


def interrupted_by(graph: Graph, error: BaseException) -> Job:
    """The record of a job that an error behind its second batch has ended."""

    def documents() -> Iterator[Document]:
        yield from (*TWO, TWO[1])
        raise error

    work = Work(documents(), 3, [])
    job = start_job(graph, work, TEST)
    with pytest.raises(type(error)):
        run_job(graph, job, work, TEST, report=IngestReport())
    return graph.job(job.id)


@pytest.mark.parametrize(
    ("error", "state", "message"),
    [
        (ValueError("a defect"), "failed", "A defect stopped the job; see the log."),
        (SystemExit(1), "failed", "A defect stopped the job; see the log."),
        (KeyboardInterrupt(), "interrupted", None),
    ],
)
def test_a_defect_or_an_interrupt_is_recorded_and_raised(
    graph: Graph, error: BaseException, state: str, message: str | None
) -> None:
    job = interrupted_by(graph, error)

    assert (job.state, job.error, job.done) == (state, message, 2)
    assert job.report is not None
    assert (job.report["added"], job.report["updated"]) == (1, 1)


def test_a_failure_outside_the_extractors_is_recorded_and_returned(graph: Graph) -> None:
    def documents() -> Iterator[Document | Skipped]:
        yield from TWO
        raise GraphragError("The disk is full.", "Free some space.")

    job = graph.run_ingest(Work(documents(), 3, []))

    assert (job.state, job.error) == ("failed", "The disk is full. Free some space.")
    assert (graph.job(job.id).state, graph.job(job.id).error) == (job.state, job.error)
    assert job.done == 1, "the batch before the failure is committed"


def test_a_stopped_job_keeps_what_it_has_ingested(graph: Graph) -> None:
    work = Work([*TWO, Skipped("notes.bin", "binary")], 3, [])
    report = IngestReport()
    job = run_job(
        graph, start_job(graph, work, TEST), work, TEST, report=report, calls=Callbacks(lambda: report.added > 0)
    )

    assert (job.state, job.error, job.done) == ("interrupted", None, 2)


def test_jobs_of_a_process_stay_running_until_they_are_run(graph: Graph) -> None:
    waiting = start_job(graph, Work([], 0, []), TEST)
    done = graph.run_ingest(Work(TWO, 2, []))
    graph.store.release()

    assert [graph.job(job_id).state for job_id in (waiting.id, done.id)] == ["running", "done"]
    with pytest.raises(UnknownName, match="No job named '99'"):
        graph.job(99)


def test_a_file_of_several_documents_counts_as_these(graph: Graph) -> None:
    job = graph.run_ingest(Work(iter([*TWO[:1], Document("memo:b", "B", "The tide waits.")]), 1, []))

    assert (graph.job(job.id).done, graph.job(job.id).total) == (2, 2)
