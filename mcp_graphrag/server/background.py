"""Work that outlives a call: ingest jobs, one at a time, and embedding in batches."""

import logging
import os
import queue
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from contextvars import Context, copy_context
from dataclasses import dataclass, field, replace

from mcp_graphrag.errors import GraphragError, PartMissing
from mcp_graphrag.graph import Graph
from mcp_graphrag.jobs.embed_pending import embed_pending
from mcp_graphrag.jobs.ingest_documents import IngestReport
from mcp_graphrag.jobs.job import Callbacks, Work, run_job, start_job
from mcp_graphrag.model import Origin
from mcp_graphrag.store.rows.job_rows import Job

log = logging.getLogger(__name__)
STOP_SECONDS = 10.0


def _yield_to_others() -> None:
    """Give the thread a low priority, where threads have one of their own: a model takes all of a core."""
    if sys.platform == "linux":
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), 10)


@dataclass
class Ticket:
    """A job of this process, as far as it has come."""

    job: Job
    work: Work
    origin: Origin
    report: IngestReport = field(default_factory=IngestReport)
    ended: threading.Event = field(default_factory=threading.Event)
    context: Context = field(default_factory=copy_context)  # of the call: its span is the parent of the job's


class Background:
    """Two threads, started when there is something to do: one for ingest jobs, one for embeddings.

    `lacking` says which part was not at hand when embedding was last tried, "" where it went well.
    """

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._tickets: dict[int, Ticket] = {}
        self._queue: queue.Queue[Ticket | None] = queue.Queue()
        self._stopping = threading.Event()
        self._to_embed = threading.Event()
        self._threads: dict[str, threading.Thread] = {}
        self._lock = threading.Lock()
        self.lacking = ""

    def submit(self, work: Work, origin: Origin) -> Ticket:
        """The ticket of a new job, which runs when those before it have ended."""
        unfinished = [job_id for job_id, each in self._tickets.items() if not each.ended.is_set()]
        ticket = Ticket(start_job(self._graph, work, origin, keep=unfinished), work, origin)
        self._tickets[ticket.job.id] = ticket
        self._queue.put(ticket)
        self._start("ingest", self._work)
        return ticket

    def ticket(self, job_id: int) -> Ticket | None:
        """A job of this process."""
        return self._tickets.get(job_id)

    def embed_soon(self) -> None:
        """Embed what has no vector yet, after the caller has gone on."""
        self._to_embed.set()
        self._start("embed", self._embed)

    def stop(self) -> None:
        """End the threads after their present batch; unfinished jobs are written down as interrupted."""
        self._stopping.set()
        self._queue.put(None)
        self._to_embed.set()
        for thread in self._threads.values():
            thread.join(STOP_SECONDS)

    def _start(self, name: str, target: Callable[[], None]) -> None:
        with self._lock:
            if name not in self._threads and not self._stopping.is_set():
                self._threads[name] = threading.Thread(target=target, name=f"mcp-graphrag-{name}", daemon=True)
                self._threads[name].start()

    def _work(self) -> None:
        while (ticket := self._queue.get()) is not None:
            try:
                stop = self._stopping.is_set
                ticket.job = ticket.context.run(
                    run_job,
                    self._graph,
                    ticket.job,
                    ticket.work,
                    ticket.origin,
                    report=ticket.report,
                    calls=Callbacks(stop),
                )
            except GraphragError as error:
                ticket.job = replace(ticket.job, state="failed", error=str(error))
            except Exception:
                # The thread must live on for the next job; the traceback goes to the log and the job is failed.
                log.exception("job %d", ticket.job.id)
                ticket.job = replace(ticket.job, state="failed", error="A defect stopped the job; see the log.")
            finally:
                ticket.ended.set()
            self.embed_soon()

    def _embed(self) -> None:
        _yield_to_others()
        while not self._stopping.is_set():
            self._to_embed.wait()
            self._to_embed.clear()
            try:
                embed_pending(self._graph, stop=self._stopping.is_set)
                self.lacking = ""
            except GraphragError as error:
                log.warning("embedding: %s", error.fact)
                self.lacking = error.fact if isinstance(error, PartMissing) else ""
