"""Ingest as a job, which is recorded in the file when it starts and when it ends."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from mcp_graphrag.errors import GraphragError, Interrupted
from mcp_graphrag.extract import Extractor
from mcp_graphrag.jobs.ask_model import with_model
from mcp_graphrag.jobs.ingest_documents import Progress, ingest
from mcp_graphrag.jobs.ingest_report import IngestReport
from mcp_graphrag.model import Document, Origin, Skipped
from mcp_graphrag.snapshot import GraphFile
from mcp_graphrag.store.rows.job_rows import Job, add_job, add_job_items, interrupt_jobs, update_job
from mcp_graphrag.tracing import traced


@dataclass(frozen=True)
class Work:
    """What a job ingests. `total` is the number of documents and files, for progress."""

    documents: Iterable[Document | Skipped]
    total: int
    extractors: Sequence[Extractor]


@dataclass(frozen=True)
class Callbacks:
    """What a running job calls: `stop` before each document, to know whether it should end, and `progress` after."""

    stop: Callable[[], bool] = lambda: False
    progress: Progress = lambda _done, _what: None


def start_job(graph: GraphFile, work: Work, origin: Origin) -> Job:
    """A new job, recorded as running; one of another process that is recorded so was killed."""
    with graph.writing(origin) as write:
        interrupt_jobs(write.tx, graph.store.running)
        job_id = add_job(write.tx, "ingest", process=os.getpid(), total=work.total)
        graph.store.running.add(job_id)
        return Job(job_id, "ingest", "running", origin.client, work.total, 0)


@traced("ingest", "state", "done")
def run_job(
    graph: GraphFile,
    job: Job,
    work: Work,
    origin: Origin,
    *,
    report: IngestReport,
    calls: Callbacks = Callbacks(),
) -> Job:
    """The job as it ended: done, failed with its error, or interrupted by `calls.stop` or its budget.

    Batches committed before a failure or a stop stay; the same work again skips them.
    """
    stopped = False

    def until_stopped() -> Iterator[Document | Skipped]:
        nonlocal stopped
        for document in work.documents:
            if calls.stop():
                stopped = True
                return
            yield document

    with graph.store.held():
        try:
            origin = replace(origin, job=job.id)
            extractors = with_model(graph, work.extractors, calls.stop)
            ingest(graph, until_stopped(), extractors, origin, report=report, progress=calls.progress)
            ended = replace(job, state="interrupted" if stopped else "done")
        except Interrupted as error:
            ended = replace(job, state="interrupted", error=str(error))
        except GraphragError as error:
            ended = replace(job, state="failed", error=str(error))
        except KeyboardInterrupt:
            _record(graph, replace(job, state="interrupted"), report)
            raise
        except BaseException:
            _record(graph, replace(job, state="failed", error="A defect stopped the job; see the log."), report)
            raise
        finally:
            graph.store.running.discard(job.id)
        return _record(graph, ended, report)


def _record(graph: GraphFile, job: Job, report: IngestReport) -> Job:
    ended = replace(job, done=report.done, report=report.as_json())
    with graph.store.writing(Origin("ingest", job.client, job=job.id)) as tx:
        update_job(tx, ended)
        add_job_items(tx, job.id, [(skipped.what, "skipped", skipped.reason) for skipped in report.skipped])
    return ended
