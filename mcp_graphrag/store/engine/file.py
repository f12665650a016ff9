"""The DuckDB file: opened when needed, released when idle, one writer at a time, many readers."""

import re
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager, nullcontext, suppress
from datetime import datetime
from pathlib import Path

import duckdb

from mcp_graphrag.errors import (
    BadInput,
    DiskFull,
    FileDamaged,
    FileLocked,
    FileTrouble,
    NotAGraph,
    NotAllowed,
    WalQuarantined,
)
from mcp_graphrag.model import Origin
from mcp_graphrag.store.engine.fair_lock import FairLock
from mcp_graphrag.store.engine.faults import fault_of, first_line, invalidates
from mcp_graphrag.store.engine.migrate import migrate
from mcp_graphrag.store.engine.time_travel import generation_at, look_back
from mcp_graphrag.store.engine.transaction import Reader, Writer, now

LOCK_HOLDER = re.compile(r"held in (?P<program>.+?) \(PID (?P<pid>\d+)\)")
LOCK_MESSAGES = ("could not set lock", "being used by another process")
WAL_MAGIC = b"\x64\x00\x62"  # the version entry; DuckDB would silently delete a log that starts differently
# Embeddings compressed by these are 1.6 times larger and half as fast to scan (measured on 1.5.5).
DISABLED_COMPRESSION = "alp,alprd,chimp,patas"


class Store:
    """One knowledge graph in one DuckDB file.

    The file is opened by the first transaction and stays open until `release` or `close`. `epoch` grows when another
    process may have written the file while it was closed, and when rows were removed for good: indexes in memory of an
    older epoch are void.
    """

    def __init__(
        self,
        path: Path,
        *,
        read_only: bool = False,
        memory_limit: str = "2GB",
        threads: int = 1,
        wait: float = 5.0,
    ) -> None:
        self.path = path.expanduser().absolute()
        self.read_only = read_only
        self.epoch = 0
        self.running = set[int]()  # jobs of this process
        self._config: dict[str, str | bool | int | float | list[str]] = {
            "memory_limit": memory_limit,
            "threads": threads,
            "autoinstall_known_extensions": False,
            "default_block_size": 65_536,  # a quarter of the default: a small graph takes half the space
            "python_enable_replacements": False,  # tables are registered: no search for a variable of their name
            # Object arrays are always text here; to find out, DuckDB would import pandas a thousand times per column.
            "pandas_analyze_sample": 0,
        }
        self._wait = wait
        self._gate = threading.RLock()
        self._unused = threading.Condition(self._gate)
        self._write_lock = FairLock()
        self._connection: duckdb.DuckDBPyConnection | None = None
        self._users = 0
        self._is_invalid = False
        self._idle_since = time.monotonic()
        self._released_state: object = None

    @contextmanager
    def reading(self, *, known_at: datetime | None = None) -> Generator[Reader]:
        """A snapshot of the file, or of what it held at a moment if one is given.

        Raises FileTrouble if the file cannot be opened, BadInput for a moment in the future.
        """
        with self.held() as connection:
            cursor = connection.cursor()
            try:
                with self._gate:
                    # DuckDB takes the snapshot at the first statement, not at BEGIN; the epoch must be of that moment.
                    cursor.execute("BEGIN TRANSACTION READ ONLY")
                    reader = Reader(cursor, self.epoch)
                    _ = reader.generation
                if known_at is not None:
                    look_back(reader, generation_at(reader, known_at))
                yield reader
            except duckdb.Error as error:
                raise self._fault(error) from error
            finally:
                cursor.close()

    @contextmanager
    def writing(self, origin: Origin) -> Generator[Writer]:
        """The write in progress, committed at the end of the block and rolled back if the block raises.

        Waits for other writers. Raises FileTrouble if the file cannot be opened or written.
        """
        if self.read_only:
            raise NotAllowed("This graph is open read-only.", "Start the server without --read-only to write.")
        with self.held() as connection, self._write_lock:
            cursor = connection.cursor()
            try:
                cursor.execute("BEGIN TRANSACTION")
                writer = Writer(cursor, origin, self.epoch)
                yield writer
                with self._gate if writer.voids_indexes else nullcontext():
                    cursor.execute("COMMIT")
                    self.epoch += writer.voids_indexes
            except duckdb.Error as error:
                raise self._fault(error) from error
            finally:
                cursor.close()

    @contextmanager
    def held(self) -> Generator[duckdb.DuckDBPyConnection]:
        """Keep the file open for the block, so that a job does not lose it between two writes."""
        with self._gate:
            if self._connection is None:
                self._connection = self._open()
            self._users += 1
            connection = self._connection
        try:
            yield connection
        finally:
            with self._gate:
                self._users -= 1
                self._idle_since = time.monotonic()
                if not self._users:
                    self._unused.notify_all()
                    if self._is_invalid:
                        self.close()

    def release(self, *, idle: float = 0.0) -> bool:
        """Close the file if it was not used for `idle` seconds, so that another process can open it.

        Answers whether it was closed.
        """
        with self._gate:
            if self._connection is None or self._users or time.monotonic() - self._idle_since < idle:
                return False
            self.close()
            self._released_state = file_state(self.path)
            return True

    def allow_writing(self) -> None:
        """Open the file for writing from now on. Waits for those who read it meanwhile."""
        with self._gate:
            if self.read_only:
                self.read_only = False
                self._unused.wait_for(lambda: not self._users, timeout=self._wait)
                self.close()

    def close(self) -> None:
        """Close the file even if it is in use; open transactions are rolled back."""
        with self._gate:
            if self._connection is not None:
                self._connection.close()
                self._connection = None
                self._is_invalid = False

    def checkpoint(self) -> None:
        """Write the write-ahead log into the file. Open readers are not affected."""
        if not self.read_only:
            with self.held() as connection, self._write_lock:
                cursor = connection.cursor()
                try:
                    with suppress(duckdb.TransactionException):
                        cursor.execute("CHECKPOINT")
                except duckdb.Error as error:
                    raise self._fault(error) from error
                finally:
                    cursor.close()

    def _open(self) -> duckdb.DuckDBPyConnection:
        self._check_path()
        if self._released_state != file_state(self.path):
            self.epoch += 1
        connection = self._connect()
        try:
            # The write-ahead log of another program's file must not be touched either.
            connection.execute("PRAGMA disable_checkpoint_on_shutdown")
            if not self.read_only:
                connection.execute(f"SET disabled_compression_methods='{DISABLED_COMPRESSION}'")
            migrate(connection, self.path, read_only=self.read_only)
            if not self.read_only:
                keep = {"keep": sorted(self.running), "now": now()}
                Reader(connection, self.epoch).rows("interrupt_jobs", keep)  # those of processes that have ended
            connection.execute("PRAGMA enable_checkpoint_on_shutdown")
        except duckdb.Error as error:
            connection.close()
            raise fault_of(error, self.path) from error
        except BaseException:
            connection.close()
            raise
        return connection

    def _fault(self, error: duckdb.Error) -> Exception:
        """What to raise for an error of DuckDB; where that refuses to go on, the file is closed after its last use."""
        self._is_invalid |= invalidates(error)
        return fault_of(error, self.path)

    def _check_path(self) -> None:
        if self.path.is_dir():
            raise BadInput(f"{self.path} is a folder.", "Name a file in it, such as graph.duckdb.")
        if any(each.exists() and not each.is_file() for each in (self.path, _log_of(self.path))):
            raise BadInput(f"{self.path} or its log is a pipe or a device.", "Name a file, such as graph.duckdb.")
        if self.path.name == ":memory:":  # several processes may use a graph, each of which closes the file when idle
            raise BadInput("A graph is kept in a file and not in memory.", "Name a file, such as graph.duckdb.")
        if self.read_only and not self.path.exists():
            raise BadInput(f"There is no file {self.path}.", "Ingest something first, or start without --read-only.")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise FileTrouble(self.path, f"The folder of {self.path} cannot be made: {error.strerror}.") from error

    def _connect(self) -> duckdb.DuckDBPyConnection:
        if not _is_valid_log(_log_of(self.path)):
            raise self._log_error()
        deadline = time.monotonic() + self._wait
        while True:
            try:
                return duckdb.connect(str(self.path), read_only=self.read_only, config=self._config)
            except duckdb.Error as error:
                translated = self._translate(error)
                if not isinstance(translated, FileLocked) or time.monotonic() >= deadline:
                    raise translated from error
            time.sleep(0.05)

    def _translate(self, error: duckdb.Error) -> FileTrouble:
        """The error of this package for DuckDB's error on opening a file, which has no code, only text."""
        message = str(error)
        if any(text in message.lower() for text in LOCK_MESSAGES):
            holder = LOCK_HOLDER.search(message)
            pid, program = (int(holder["pid"]), Path(holder["program"]).name) if holder else (None, "")
            return FileLocked(self.path, pid, program)
        if "not a valid DuckDB database" in message:
            return NotAGraph(self.path, f"{self.path} is not a DuckDB file.", "Name another file with --db.")
        if "replaying WAL" in message:
            return self._log_error()
        if isinstance(fault := fault_of(error, self.path), DiskFull | FileDamaged):
            return fault
        return FileTrouble(self.path, f"{self.path} cannot be opened: {first_line(error)}.", "Check its permissions.")

    def _log_error(self) -> FileTrouble:
        log = _log_of(self.path)
        if self.read_only:
            return FileTrouble(
                self.path,
                f"The write-ahead log {log} could not be replayed.",
                "Open the file once without --read-only: that moves the log away.",
            )
        quarantine = log.with_name(f"{log.name}.{now():%Y%m%dT%H%M%S}.quarantine")
        log.rename(quarantine)
        return WalQuarantined(self.path, quarantine)


def _log_of(path: Path) -> Path:
    return path.with_name(path.name + ".wal")


def _is_valid_log(log: Path) -> bool:
    try:
        with log.open("rb") as content:
            head = content.read(len(WAL_MAGIC))
    except OSError:
        return True  # there is none, or DuckDB reports the error
    return head == WAL_MAGIC[: len(head)]


def file_state(path: Path) -> tuple[tuple[int, int, int] | None, ...]:
    """(inode, size, mtime in ns) of the file and of its write-ahead log, None for a missing one."""
    states: list[tuple[int, int, int] | None] = []
    for file in (path, _log_of(path)):
        try:
            found = file.stat()
            states.append((found.st_ino, found.st_size, found.st_mtime_ns))
        except OSError:
            states.append(None)
    return tuple(states)
