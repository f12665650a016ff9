"""Work that outlives a call: ingest jobs, one at a time, and embedding in batches."""

import logging
import os
import queue
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from contextvars import Context, copy_context
from dataclasses import dataclass, field, replace
from pathlib import Path

from mcp_graphrag.edit.inputs import FileInput
from mcp_graphrag.errors import FileLocked, GraphragError, PartMissing, as_graphrag_error
from mcp_graphrag.graph import Graph
from mcp_graphrag.ingest import FoundFile, find_below
from mcp_graphrag.jobs.embed_pending import embed_pending
from mcp_graphrag.jobs.ingest_report import IngestReport
from mcp_graphrag.jobs.job import Callbacks, Work, run_job, start_job
from mcp_graphrag.model import Document, Origin, Skipped
from mcp_graphrag.store.rows.job_rows import Job

log = logging.getLogger(__name__)
STOP_SECONDS = 10.0  # for a batch of an ingest job
EMBED_STOP_SECONDS = 1.0  # what is embedded then is not stored
LOCKED_SECONDS = 1.0  # between two attempts to open a file that another program has


def _yield_to_others() -> None:
    """Give the thread a low priority, where threads have one of their own: a model takes all of a core."""
    if sys.platform == "linux":
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), 10)


def _checkpoint(graph: Graph) -> None:
    """Write the log into the file: an owner that is never idle would not."""
    try:
        graph.store.checkpoint()
    except GraphragError as error:
        log.warning("checkpoint: %s", error.fact)


@dataclass
class Ticket:
    """A job of this process, as far as it has come; `stop`, or `stopped` of its caller, ends it after its document."""

    graph: Graph
    job: Job
    work: Work
    origin: Origin
    stopped: Callable[[], bool] = lambda: False
    report: IngestReport = field(default_factory=IngestReport)
    stop: threading.Event = field(default_factory=threading.Event)
    ended: threading.Event = field(default_factory=threading.Event)
    context: Context = field(default_factory=copy_context)  # of the call: its span is the parent of the job's

    @property
    def total(self) -> int:
        """The number of documents as far as it is known: a file may have several."""
        return max(self.work.total, self.report.done)


class Background:
    """Two threads, started when there is something to do: one for ingest jobs, one for embeddings.

    The graphs that they work on are of one file, with the settings of the clients that asked. `failed` is why embedding
    did not go on when it was last tried, `watch_failed` why folders are not watched, None where it went well.
    """

    def __init__(self) -> None:
        self._embedding: Graph | None = None  # with the settings of the last client that asked
        self._has_model_begun = self._has_read_again = False
        self._tickets: dict[int, Ticket] = {}
        self._queue: queue.Queue[Ticket | None] = queue.Queue()
        self._edited: dict[Path, FoundFile | Skipped] = {}  # files of a job that has not begun
        self._stopping = threading.Event()
        self._to_embed = threading.Event()
        self._threads: dict[str, threading.Thread] = {}
        self._lock = threading.Lock()
        self._embedded = threading.Event()
        self._embedded.set()
        self.failed: GraphragError | None = None
        self.watch_failed: GraphragError | None = None

    @property
    def lacking(self) -> str:
        """Which part was not at hand when embedding was last tried, "" for none."""
        return self.failed.fact if isinstance(self.failed, PartMissing) else ""

    def has_embedded(self, seconds: float) -> bool:
        """Whether all is embedded, as far as it can be; waits that long for it."""
        return self._embedded.wait(seconds)

    @property
    def busy(self) -> bool:
        """Whether a job runs or waits."""
        return any(not each.ended.is_set() for each in list(self._tickets.values()))

    def submit(self, graph: Graph, work: Work, origin: Origin, stopped: Callable[[], bool] = lambda: False) -> Ticket:
        """The ticket of a new job, which runs when those before it have ended."""
        ticket = Ticket(graph, start_job(graph, work, origin), work, origin, stopped)
        self._tickets[ticket.job.id] = ticket
        self._queue.put(ticket)
        self._start("ingest", self._work)
        return ticket

    def ingest_edits(self, graph: Graph, root: Path, paths: Iterable[Path]) -> None:
        """Ingest files below a root by one job for all that wait, each once. Raises GraphragError."""
        found = {path: file for path in paths if (file := find_below(root, path, max_bytes=graph.max_bytes))}
        extractors = graph.chosen_extractors("auto")
        with self._lock:
            waits = bool(self._edited)
            self._edited |= found
        if found and not waits:
            work = Work(self._take_edited(graph, FileInput([root], [root])), len(found), extractors)
            try:
                self.submit(graph, work, Origin("ingest", "edit hook"))
            except GraphragError:
                self._edited.clear()
                raise

    def _take_edited(self, graph: Graph, files: FileInput) -> Iterator[Document | Skipped]:
        with self._lock:
            found, self._edited = [*self._edited.values()], {}
        yield from graph.found_work(files, found).items

    def ticket(self, job_id: int) -> Ticket | None:
        """A job of this process."""
        return self._tickets.get(job_id)

    def embed_soon(self, graph: Graph) -> None:
        """Embed what has no vector yet, after the caller has gone on."""
        with self._lock:
            self._embedding = graph
            self._has_model_begun |= graph.embedders.has_model
            self._embedded.clear()
            self._to_embed.set()
        self._start("embed", self._embed)

    def resume_embedding(self, graph: Graph) -> None:
        """Have the model of a client that may write embed what an earlier process left; only the first time."""
        if (
            not (self._has_model_begun or graph.settings.read_only)
            and graph.embedders.has_model
            and graph.settings.has_graph
        ):
            self.embed_soon(graph)

    def read_again(self, graph: Graph) -> None:
        """Have documents that were read by older rules read anew, once a process, after the caller has gone on."""
        if self._has_read_again or graph.settings.read_only or not graph.settings.has_graph:
            return
        self._has_read_again = True
        self._start("read-again", lambda: self._submit_unread(graph))

    def _submit_unread(self, graph: Graph) -> None:
        try:
            if uris := graph.documents_by_older_rules():
                self.submit(graph, graph.rebuild_work("auto", uris), Origin("read again by newer rules"))
        except GraphragError as error:
            log.warning("reading again: %s", error.fact)

    def stop(self) -> None:
        """End the threads; a job after its present batch, written down as interrupted, if it is unfinished."""
        self._stopping.set()
        self._queue.put(None)
        self._to_embed.set()
        for name, thread in self._threads.items():
            thread.join(EMBED_STOP_SECONDS if name == "embed" else STOP_SECONDS)

    def _start(self, name: str, target: Callable[[], None]) -> None:
        with self._lock:
            if name not in self._threads and not self._stopping.is_set():
                self._threads[name] = threading.Thread(target=target, name=f"mcp-graphrag-{name}", daemon=True)
                self._threads[name].start()

    def _work(self) -> None:
        while (ticket := self._queue.get()) is not None:
            try:
                calls = Callbacks(
                    lambda ticket=ticket: self._stopping.is_set() or ticket.stop.is_set() or ticket.stopped()
                )
                ticket.job = ticket.context.run(
                    run_job, ticket.graph, ticket.job, ticket.work, ticket.origin, report=ticket.report, calls=calls
                )
            except GraphragError as error:
                ticket.job = replace(ticket.job, state="failed", error=str(error))
            except Exception as error:
                # The thread must live on for the next job; the traceback goes to the log and the job is failed.
                log.exception("job %d", ticket.job.id)
                ticket.job = replace(ticket.job, state="failed", error=str(as_graphrag_error(error)))
            finally:
                _checkpoint(ticket.graph)
                self.embed_soon(ticket.graph)
                ticket.work = replace(ticket.work, items=())  # the texts of a job that has ended need no memory
                ticket.ended.set()

    def _embed(self) -> None:
        _yield_to_others()
        while not self._stopping.is_set():
            self._to_embed.wait()
            self._to_embed.clear()
            if (graph := self._embedding) is None or self._stopping.is_set():
                continue
            try:
                with graph.store.in_background():
                    if embed_pending(graph, stop=self._stopping.is_set):
                        _checkpoint(graph)
                self.failed = None
            except GraphragError as error:
                if str(error) != str(self.failed):
                    log.warning("embedding: %s", error.fact)
                self.failed = error
                if isinstance(error, FileLocked) and not self._stopping.wait(LOCKED_SECONDS):
                    self._to_embed.set()
            with self._lock:
                if not self._to_embed.is_set():
                    self._embedded.set()
