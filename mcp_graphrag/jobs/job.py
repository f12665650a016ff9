"""Ingest and rebuilding as jobs, which are recorded in the file when they start and when they end."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from mcp_graphrag.errors import GraphragError, Interrupted
from mcp_graphrag.extract import Extractor
from mcp_graphrag.jobs.ask_model import models_among, with_model
from mcp_graphrag.jobs.ingest_documents import Progress, ingest
from mcp_graphrag.jobs.ingest_report import IngestReport
from mcp_graphrag.model import Origin
from mcp_graphrag.snapshot import GraphFile
from mcp_graphrag.store.rows.job_rows import Job, add_job, add_job_items, interrupt_jobs, update_job
from mcp_graphrag.tracing import traced

# Stores items in batches, and counts them in the report.
Run = Callable[[GraphFile, Iterable[Any], Sequence[Extractor], Origin, IngestReport, Progress], None]


@dataclass(frozen=True)
class Work:
    """What a job does, by default ingest documents. `total` is the number of items, for progress.

    `then` is done after the last of them, unless the job was stopped.
    """

    items: Iterable[Any]
    total: int
    extractors: Sequence[Extractor]
    kind: str = "ingest"
    run: Run = ingest
    then: Callable[[GraphFile, Origin, IngestReport], None] | None = None


@dataclass(frozen=True)
class Callbacks:
    """What a running job calls: `stop` before each item, to know whether it should end, and `progress` after."""

    stop: Callable[[], bool] = lambda: False
    progress: Progress = lambda _done, _what: None


def start_job(graph: GraphFile, work: Work, origin: Origin) -> Job:
    """A new job, recorded as running; one of another process that is recorded so was killed.

    Raises PartMissing for the extractor `claude` without a key or the package.
    """
    for model in models_among(work.extractors):
        model.claude.check()
    with graph.writing(origin) as write:
        interrupt_jobs(write.tx, graph.store.running_jobs(write.tx))
        job_id = add_job(write.tx, work.kind, process=os.getpid(), total=work.total)
        graph.store.begin_job(job_id)
        return Job(job_id, work.kind, "running", origin.client, work.total, 0)


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

    def until_stopped() -> Iterator[Any]:
        nonlocal stopped
        for item in work.items:
            if calls.stop():
                stopped = True
                return
            yield item

    with graph.store.held():
        try:
            origin = replace(origin, job=job.id)
            extractors = with_model(graph, work.extractors, calls.stop)
            report.spending = next((each.spending for each in models_among(extractors)), None)
            work.run(graph, until_stopped(), extractors, origin, report, calls.progress)
            if work.then is not None and not stopped:
                work.then(graph, origin, report)
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
            graph.store.end_job(job.id)
        return _record(graph, ended, report)


def _record(graph: GraphFile, job: Job, report: IngestReport) -> Job:
    # A file may have several documents.
    ended = replace(job, done=report.done, total=max(job.total, report.done), report=report.as_json())
    with graph.store.writing(Origin(job.kind, job.client, job=job.id)) as tx:
        update_job(tx, ended)
        add_job_items(tx, job.id, [(each.what, "skipped", each.reason) for each in report.skipped])
        add_job_items(tx, job.id, [(each.what, "failed", each.reason) for each in report.failed])
    return ended
