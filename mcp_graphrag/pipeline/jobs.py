"""Ingest as a job: written down when it starts, while it goes on and when it ends."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from mcp_graphrag.errors import GraphragError, UnknownName
from mcp_graphrag.extract import Extractor
from mcp_graphrag.model import Document, Origin, Skipped
from mcp_graphrag.pipeline.ingest import IngestReport, Progress, ingest
from mcp_graphrag.pipeline.pipeline import Pipeline
from mcp_graphrag.store.jobs import Job, add_job, add_job_items, get_job, interrupt_jobs, update_job
from mcp_graphrag.store.transaction import now

MOST_SKIPPED = 1_000  # rows of skipped things that a job keeps


@dataclass(frozen=True)
class Work:
    """What a job has to ingest. `total` is how many things there are, for progress."""

    documents: Iterable[Document | Skipped]
    total: int
    extractors: Sequence[Extractor]


def start_job(pipeline: Pipeline, work: Work, origin: Origin, *, keep: Sequence[int] = ()) -> Job:
    """The job, written down as running. `keep` are the jobs of this process that have not ended."""
    with pipeline.writing(origin) as tx:
        # A job holds the file while it runs, so whatever else says it runs was killed.
        interrupt_jobs(tx, keep)
        job_id = add_job(tx, "ingest", process=os.getpid(), total=work.total)
        return Job(job_id, "ingest", "running", origin.client, os.getpid(), tx.recorded_at, None, work.total, 0)


def run_job(
    pipeline: Pipeline,
    job: Job,
    work: Work,
    origin: Origin,
    *,
    report: IngestReport,
    stop: Callable[[], bool] = lambda: False,
    progress: Progress = lambda _done, _what: None,
) -> Job:
    """Do the work and answer the job as it ended: done, failed with its error, or interrupted by `stop`.

    What was committed before a failure or a stop stays; the same work again skips it.
    """
    stopped = False

    def until_stopped() -> Iterator[Document | Skipped]:
        nonlocal stopped
        for document in work.documents:
            if stop():
                stopped = True
                return
            yield document

    with pipeline.store.held():
        try:
            ingest(
                pipeline,
                until_stopped(),
                work.extractors,
                replace(origin, job=job.id),
                report=report,
                progress=progress,
            )
            ended = replace(job, state="interrupted" if stopped else "done")
        except GraphragError as error:
            ended = replace(job, state="failed", error=str(error))
        except KeyboardInterrupt:
            _write_down(pipeline, replace(job, state="interrupted"), report)
            raise
        except BaseException:
            _write_down(pipeline, replace(job, state="failed", error="A defect stopped the job; see the log."), report)
            raise
        return _write_down(pipeline, ended, report)


def find_job(pipeline: Pipeline, job_id: int) -> Job:
    """A job as the file knows it. Raises UnknownName."""
    with pipeline.reading() as tx:
        job = get_job(tx, job_id)
    if job is None:
        raise UnknownName("job", str(job_id), hint="ingest answers the number of its job.")
    return job


def report_counts(report: IngestReport) -> dict[str, Any]:
    """A report as JSON values."""
    return {
        "added": report.added,
        "updated": report.updated,
        "unchanged": report.unchanged,
        "documents": report.counts.documents,
        "chunks": report.counts.chunks,
        "entities": report.counts.entities,
        "triples": report.counts.triples,
        "skipped": [{"what": each.what, "reason": each.reason} for each in list(report.skipped)],
        "skipped_by_reason": dict(report.skipped_by_reason),
        "dropped": dict(report.dropped),
        "conflicts": report.conflicts,
        "conflicts_named": list(report.conflicts_named),
        "warnings": list(report.warnings),
    }


def _write_down(pipeline: Pipeline, job: Job, report: IngestReport) -> Job:
    ended = replace(job, done=report.done, finished_at=now(), report=report_counts(report))
    with pipeline.store.writing(Origin("ingest", job.client, job=job.id)) as tx:
        update_job(tx, ended)
        add_job_items(tx, job.id, [(each.what, "skipped", each.reason) for each in report.skipped[:MOST_SKIPPED]])
    return ended
