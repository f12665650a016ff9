"""Jobs: long work that outlives one call, recorded so that its state can be read even after a kill."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from mcp_graphrag.model import Counts
from mcp_graphrag.store.engine.transaction import Reader, Writer, now

JobState = Literal["running", "done", "failed", "interrupted"]


@dataclass(frozen=True)
class Job:
    """One job as recorded. `report` has the counts so far."""

    id: int
    kind: str
    state: JobState
    client: str
    total: int
    done: int
    report: Mapping[str, Any] = field(default_factory=dict[str, Any])
    error: str | None = None


def add_job(tx: Writer, kind: str, *, process: int, total: int) -> int:
    """The id of a new running job."""
    job_id = int(tx.new_ids("job_id", 1)[0])
    values = {"id": job_id, "kind": kind, "client": tx.origin.client, "process": process, "total": total}
    tx.execute("add_job", values)
    return job_id


def update_job(tx: Writer, job: Job) -> None:
    """Record a job's state, progress and report."""
    tx.execute("update_job", {**vars(job), "report": json.dumps(dict(job.report), ensure_ascii=False)})


def update_progress(tx: Writer, job_id: int, done: int, report: Mapping[str, Any]) -> None:
    """Record how many items a running job has done, and its report so far."""
    values = {"id": job_id, "done": done, "report": json.dumps(dict(report), ensure_ascii=False)}
    tx.execute("update_progress", values)


def add_job_items(tx: Writer, job_id: int, outcomes: Sequence[tuple[str, str, str]]) -> None:
    """Record the outcomes of items of a job: (item, outcome, reason) for each."""
    for what, outcome, reason in outcomes:
        tx.execute("add_job_item", {"job_id": job_id, "what": what, "outcome": outcome, "reason": reason})


def interrupt_jobs(tx: Reader, keep: Collection[int]) -> None:
    """Mark every job that is marked as running as interrupted, except those to keep."""
    tx.rows("interrupt_jobs", {"keep": sorted(keep), "now": now()})


def get_job(tx: Reader, job_id: int) -> Job | None:
    """One job, None if there is none with that id."""
    row = tx.row("get_job", {"id": job_id})
    return _job(row) if row else None


def recent_jobs(tx: Reader, *, limit: int = 5) -> list[Job]:
    """The last jobs, newest first."""
    return [_job(row) for row in tx.rows("recent_jobs", {"limit": limit})]


def counts(tx: Reader) -> Counts:
    """How many active documents, chunks, entities, triples and values there are."""
    (row,) = tx.rows("counts")
    return Counts(*row)


def _job(row: tuple[Any, ...]) -> Job:
    *values, report, error = row
    return Job(*values, report=json.loads(report), error=error)
