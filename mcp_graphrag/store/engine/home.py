"""A home of a graph: opened when needed, one writer at a time, many readers.

What the DuckDB file and PostgreSQL have in common; DuckDB runs the statements of both.
"""

import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Collection, Generator, Sequence
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import duckdb

from mcp_graphrag.errors import DiskFull, FileLocked, FileTrouble, NotAllowed
from mcp_graphrag.model import Origin
from mcp_graphrag.store.engine.fair_lock import FairLock
from mcp_graphrag.store.engine.faults import fault_of, invalidates
from mcp_graphrag.store.engine.time_travel import generation_at, look_back
from mcp_graphrag.store.engine.transaction import HomeState, Known, Reader, Writer

LOCK_CHECK = 0.05  # seconds between two attempts to open a file that another process has
MAX_QUEUE = 30.0  # seconds to wait for a file that one process after another has
MAX_WRITES = 1_000  # of an open file: DuckDB keeps some 15 kB of each until the file is closed, which takes 60 ms


@dataclass(frozen=True)
class HomeReport:
    """What a home is, its bytes and those of its log.

    Of a database also who holds the lock of writers at the moment, "" for nobody, and the milliseconds of a round trip.
    """

    kind: str = "file"
    bytes: int = 0
    log_bytes: int = 0
    writer: str = ""
    latency_ms: float | None = None


class Home(ABC):
    """One knowledge graph in its home.

    It is opened by the first transaction and stays open until `release` or `close`, or until nobody uses it after
    MAX_WRITES. `epoch` grows when another process may have written the file while it was closed, and when rows were
    removed for good: indexes in memory of an older epoch are void. `name` is the home in words.
    """

    def __init__(self, path: Path, *, read_only: bool, memory_limit: str, threads: int, wait: float) -> None:
        self.path = path
        self.name = str(path)
        self.read_only = read_only
        self.epoch: int = 0
        self.running = set[int]()  # jobs of this process
        self._config: dict[str, str | bool | int | float | list[str]] = {
            "memory_limit": memory_limit,
            "threads": threads,
            "autoinstall_known_extensions": False,
            "python_enable_replacements": False,  # tables are registered: no search for a variable of their name
            # Object arrays are always text here; to find out, DuckDB would import pandas a thousand times per column.
            "pandas_analyze_sample": 0,
        }
        self._wait = wait
        self._gate = threading.RLock()
        self._unused = threading.Condition(self._gate)
        self._write_lock = FairLock()
        self.found_no_space = False  # at the last write or checkpoint
        self._known: Known | None = None  # after the last write, for the next one
        self._connection: duckdb.DuckDBPyConnection | None = None
        self._users: list[int] = []  # the thread of each
        self._in_background = set[int]()  # threads
        self._is_invalid = False
        self._writes = 0  # since it was opened
        self.changed_at = 0.0  # time.time() of the last write of this process
        self._idle_since = time.monotonic()
        self.released_state: HomeState | None = None  # in which this process last left it

    @contextmanager
    def reading(self, *, known_at: datetime | None = None) -> Generator[Reader]:
        """A snapshot of the graph, or of what it held at a moment if one is given.

        Raises FileTrouble if its home cannot be opened or is no longer the open one, BadInput for a moment in the
        future, or before one up to which retired rows were dropped.
        """
        self._await_last_use()
        with self.held() as connection, closing(connection.cursor()) as cursor:
            self._check_in_place()
            try:
                with self._gate:
                    reader = self._begin_reading(cursor)
                if known_at is not None:
                    look_back(reader, generation_at(reader, known_at))
                yield reader
            except duckdb.Error as error:
                raise self._fault(error) from error
            finally:
                self._end(cursor)

    @contextmanager
    def writing(self, origin: Origin) -> Generator[Writer]:
        """The write in progress, committed at the end of the block and rolled back if the block raises.

        Waits for other writers. Raises FileTrouble if the graph's home cannot be opened or written, or if it is no
        longer the open one.
        """
        if self.read_only:
            raise NotAllowed("This graph is open read-only.", "Start the server without --read-only to write.")
        self._await_last_use()
        # The lock comes first: who waits for it does not keep the file from being closed.
        with self._write_lock, self.held() as connection, closing(connection.cursor()) as cursor:
            try:
                writer = self._begin_writing(cursor, origin)
                self._known = None  # a write that fails may have changed what it was given
                yield writer
                with self._gate if writer.voids_indexes else nullcontext():
                    self._commit(cursor, writer)
                self._writes += 1
                self.changed_at = time.time()
                self._known = writer.known_after()
                self.found_no_space = False
            except duckdb.Error as error:
                raise self._writing_fault(error) from error
            finally:
                self._end(cursor)

    def _end(self, cursor: duckdb.DuckDBPyConnection) -> None:  # noqa: B027  (to close the cursor of a file is enough)
        """End what a cursor has not committed, before it is closed."""

    @abstractmethod
    def _open(self) -> duckdb.DuckDBPyConnection:
        """Open the home, made or migrated where that is needed."""

    @abstractmethod
    def _begin_reading(self, cursor: duckdb.DuckDBPyConnection) -> Reader:
        """Begin the snapshot of a cursor, with its epoch and generation."""

    @abstractmethod
    def _begin_writing(self, cursor: duckdb.DuckDBPyConnection, origin: Origin) -> Writer:
        """Begin the write of a cursor, when no other process writes."""

    @abstractmethod
    def _commit(self, cursor: duckdb.DuckDBPyConnection, writer: Writer) -> None:
        """Commit a write, with what waits of it."""

    @abstractmethod
    def close(self) -> None:
        """Close the home even if it is in use; open transactions are rolled back."""

    @abstractmethod
    def release(self, *, idle: float = 0.0) -> bool:
        """Close the home if no call has used it for `idle` seconds, so that another process can open it.

        Answers whether it was closed.
        """

    @property
    def exists(self) -> bool:
        """Whether there is a home to open; of a database that is not known before."""
        return True

    @property
    def quarantined(self) -> Sequence[str]:
        """The names of logs that were set aside."""
        return ()

    @abstractmethod
    def report(self) -> HomeReport:
        """What it says of itself. Raises FileTrouble where a database does not answer."""

    @abstractmethod
    def check_has_content(self) -> None:
        """Raise BadInput where there is nothing to read."""

    @abstractmethod
    def checkpoint(self) -> None:
        """Write what waits in a log. Open readers are not affected."""

    def _check_in_place(self) -> None:  # noqa: B027  (a database is always in its place)
        """Raise FileReplaced where the path no longer names the open file, which is closed after its last use."""

    @contextmanager
    def held(self) -> Generator[duckdb.DuckDBPyConnection]:
        """Keep the file open for the block, so that a job does not lose it between two writes."""
        connection, thread = self._taken(), threading.get_ident()
        try:
            yield connection
        finally:
            with self._gate:
                self._users.remove(thread)
                if thread not in self._in_background:
                    self._idle_since = time.monotonic()
                if not self._users:
                    self._unused.notify_all()
                    if self._is_invalid:
                        self.close()
                    elif self._writes >= MAX_WRITES:
                        self.release()

    def _taken(self) -> duckdb.DuckDBPyConnection:
        """The open file, which this thread uses from now on; who waits for another process keeps nobody waiting.

        The wait begins anew when the next process has it: who has it for a moment only is one of several in a queue.
        """
        began = since = time.monotonic()
        holder = None
        while True:
            try:
                with self._gate:
                    if self._connection is None:
                        self._connection = self._open()
                    self._users.append(threading.get_ident())
                    return self._connection
            except FileLocked as error:
                tried = time.monotonic()
                if error.pid != holder:
                    holder, since = error.pid, tried
                wait = MAX_QUEUE if self._wait and self._is_in_queue() else self._wait
                if tried - since >= wait or tried - began >= max(wait, MAX_QUEUE):
                    raise
            time.sleep(LOCK_CHECK)

    def _is_in_queue(self) -> bool:
        """Whether the process that has the file gives it back as soon as it has answered."""
        return False

    @contextmanager
    def in_background(self) -> Generator[None]:
        """What this thread does with the file in the block is no reason to keep it open."""
        self._in_background.add(thread := threading.get_ident())
        try:
            yield
        finally:
            self._in_background.discard(thread)

    def _await_last_use(self) -> None:
        """Wait until an open file that cannot be used any more is closed, unless this thread itself keeps it open."""
        with self._gate:
            if self._is_invalid and threading.get_ident() not in self._users:
                self._unused.wait_for(lambda: not self._users, timeout=self._wait)

    def begin_job(self, job_id: int) -> None:
        """Let others know that this process runs a job, until `end_job`."""
        self.running.add(job_id)

    def end_job(self, job_id: int) -> None:
        """It has ended."""
        self.running.discard(job_id)

    def running_jobs(self, tx: Reader) -> Collection[int]:
        """The jobs that any process runs; nobody else has a file open."""
        del tx
        return self.running

    @property
    def idle_seconds(self) -> float:
        """For how long the open file is not used; below 0 where it is, or is not open."""
        with self._gate:
            return -1.0 if self._connection is None or self._users else time.monotonic() - self._idle_since

    def allow_writing(self) -> None:
        """Open the file for writing from now on. Waits for those who read it meanwhile."""
        with self._gate:
            if self.read_only:
                self.read_only = False
                self._unused.wait_for(lambda: not self._users, timeout=self._wait)
                self.close()

    @contextmanager
    def writes_paused(self) -> Generator[None]:
        """No write begins in the block; those in progress have ended. Writes of the same thread would wait forever.

        Raises FileTrouble where a job of this process runs, which writes again and again.
        """
        with self._write_lock:
            if self.running:
                raise FileTrouble(self.path, f"A job is writing to {self.path}.", "Repeat this when it has ended.")
            yield

    def _fault(self, error: duckdb.Error) -> Exception:
        """What to raise for an error of DuckDB; where that refuses to go on, the file is closed after its last use."""
        self._is_invalid |= invalidates(error)
        return fault_of(error, self.path)

    def _writing_fault(self, error: duckdb.Error) -> Exception:
        fault = self._fault(error)
        self.found_no_space = isinstance(fault, DiskFull)
        return fault
