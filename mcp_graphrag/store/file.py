"""The DuckDB file: opened when needed, released when idle, one writer at a time, many readers."""

import re
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path

import duckdb

from mcp_graphrag.errors import BadInput, FileLocked, FileTrouble, NotAGraph, NotAllowed, WalQuarantined
from mcp_graphrag.model import Origin
from mcp_graphrag.store.known import generation_at, shadow
from mcp_graphrag.store.migrate import migrate
from mcp_graphrag.store.transaction import Reader, Writer, now

LOCK_HOLDER = re.compile(r"held in (?P<program>.+?) \(PID (?P<pid>\d+)\)")
LOCK_WORDS = ("could not set lock", "being used by another process")
LOG_STARTS = b"\x64\x00\x62"  # the version entry; a log that starts otherwise DuckDB would silently delete
# Embeddings compressed by these are 1.6 times larger and half as fast to scan (measured on 1.5.5).
DISABLED_COMPRESSION = "alp,alprd,chimp,patas"


class Store:
    """One knowledge graph in one DuckDB file.

    The file is opened by the first transaction and stays open until `release` or `close`. `epoch` grows whenever the
    file may have been written by somebody else in between: projections of an older epoch are void.
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
        self._config: dict[str, str | bool | int | float | list[str]] = {
            "memory_limit": memory_limit,
            "threads": threads,
            "autoinstall_known_extensions": False,
            "default_block_size": 65_536,  # a quarter of the default: a small graph takes half the space
            # Object arrays are text without a look at them; the look asks for pandas a thousand times a column.
            "pandas_analyze_sample": 0,
        }
        self._wait = wait
        self._gate = threading.RLock()
        self._write_lock = threading.Lock()
        self._connection: duckdb.DuckDBPyConnection | None = None
        self._users = 0
        self._idle_since = time.monotonic()
        self._left_as: object = None
        self.also_closes: Callable[[], object] | None = None  # what is in memory beside the file, and must end with it

    @contextmanager
    def reading(self, *, known_at: datetime | None = None) -> Generator[Reader]:
        """A snapshot, of what was known at a moment if one is given.

        Raises FileTrouble where the file cannot be opened, BadInput for a moment in the future.
        """
        with self.held() as connection:
            cursor = connection.cursor()
            try:
                cursor.execute("BEGIN TRANSACTION READ ONLY")
                reader = Reader(cursor)
                if known_at is not None:
                    shadow(reader, generation_at(reader, known_at))
                yield reader
            finally:
                cursor.close()

    @contextmanager
    def writing(self, origin: Origin) -> Generator[Writer]:
        """The write in progress, committed at the end of the block and rolled back when the block raises.

        Waits for the writer before it. Raises FileTrouble where the file cannot be opened or the disk is full.
        """
        if self.read_only:
            raise NotAllowed("This graph is open read-only.", "Start the server without --read-only to write.")
        with self.held() as connection, self._write_lock:
            cursor = connection.cursor()
            try:
                cursor.execute("BEGIN TRANSACTION")
                yield Writer(cursor, origin)
                cursor.execute("COMMIT")
            except duckdb.IOException as error:
                raise FileTrouble(self.path, f"{self.path} could not be written: {first_line(error)}.") from error
            finally:
                cursor.close()

    @contextmanager
    def held(self) -> Generator[duckdb.DuckDBPyConnection]:
        """Keep the file open for the block: a job holds it so that it is not released between its writes."""
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

    def release(self, *, idle: float = 0.0) -> bool:
        """Close the file if nobody has used it for `idle` seconds, so that another program can open it."""
        with self._gate:
            if self._connection is None or self._users or time.monotonic() - self._idle_since < idle:
                return False
            self._connection.close()
            self._connection = None
            self._left_as = file_state(self.path)
            return True

    def close(self) -> None:
        """Close the file whoever uses it; transactions under way are rolled back."""
        with self._gate:
            if self._connection is not None:
                self._connection.close()
                self._connection = None
        if self.also_closes is not None:
            self.also_closes()

    def checkpoint(self) -> None:
        """Fold the write-ahead log into the file. Readers under way are not disturbed."""
        if not self.read_only:
            with self.held() as connection, self._write_lock:
                cursor = connection.cursor()
                with suppress(duckdb.TransactionException):
                    cursor.execute("CHECKPOINT")
                cursor.close()

    def _open(self) -> duckdb.DuckDBPyConnection:
        self._check_place()
        if self._left_as is None or self._left_as != file_state(self.path):
            self.epoch += 1
        connection = self._connect()
        try:
            # A file that turns out not to be ours keeps its write-ahead log too.
            connection.execute("PRAGMA disable_checkpoint_on_shutdown")
            if not self.read_only:
                connection.execute(f"SET disabled_compression_methods='{DISABLED_COMPRESSION}'")
            migrate(connection, self.path, read_only=self.read_only)
            connection.execute("PRAGMA enable_checkpoint_on_shutdown")
        except BaseException:
            connection.close()
            raise
        return connection

    def _check_place(self) -> None:
        if self.path.is_dir():
            raise BadInput(f"{self.path} is a folder.", "Name a file in it, as in graph.duckdb.")
        if self.read_only and not self.path.exists():
            raise BadInput(f"There is no file {self.path}.", "Ingest something first, or start without --read-only.")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise FileTrouble(self.path, f"The folder of {self.path} cannot be made: {error.strerror}.") from error

    def _connect(self) -> duckdb.DuckDBPyConnection:
        if not _starts_well(_log_of(self.path)):
            raise self._log_trouble()
        deadline = time.monotonic() + self._wait
        while True:
            try:
                return duckdb.connect(str(self.path), read_only=self.read_only, config=self._config)
            except duckdb.Error as error:
                trouble = self._explain(error)
                if not isinstance(trouble, FileLocked) or time.monotonic() >= deadline:
                    raise trouble from error
            time.sleep(0.05)

    def _explain(self, error: duckdb.Error) -> FileTrouble:
        """What DuckDB says of a file that it cannot open, as one of our errors. It gives no codes, only text."""
        said = str(error)
        if any(words in said.lower() for words in LOCK_WORDS):
            holder = LOCK_HOLDER.search(said)
            pid, program = (int(holder["pid"]), Path(holder["program"]).name) if holder else (None, "")
            return FileLocked(self.path, pid, program)
        if "not a valid DuckDB database" in said:
            return NotAGraph(self.path, f"{self.path} is not a DuckDB file.", "Name another file with --db.")
        if "replaying WAL" in said:
            return self._log_trouble()
        return FileTrouble(
            self.path, f"{self.path} cannot be opened: {first_line(error)}.", "Check that it may be read and written."
        )

    def _log_trouble(self) -> FileTrouble:
        log = _log_of(self.path)
        if self.read_only:
            return FileTrouble(
                self.path,
                f"The write-ahead log {log} could not be replayed.",
                "Open the file once without --read-only, which sets the log aside.",
            )
        aside = log.with_name(f"{log.name}.{now():%Y%m%dT%H%M%S}.quarantine")
        log.rename(aside)
        return WalQuarantined(self.path, aside)


def _log_of(path: Path) -> Path:
    return path.with_name(path.name + ".wal")


def _starts_well(log: Path) -> bool:
    try:
        with log.open("rb") as content:
            head = content.read(len(LOG_STARTS))
    except OSError:
        return True  # there is none, or DuckDB will say what is wrong with it
    return head == LOG_STARTS[: len(head)]


def file_state(path: Path) -> tuple[tuple[int, int, int] | None, ...]:
    """(inode, size, mtime in ns) of the file and of its write-ahead log, None for what is absent."""
    states: list[tuple[int, int, int] | None] = []
    for each in (path, _log_of(path)):
        try:
            found = each.stat()
            states.append((found.st_ino, found.st_size, found.st_mtime_ns))
        except OSError:
            states.append(None)
    return tuple(states)


def first_line(error: BaseException) -> str:
    """The first line of an error's text, without a closing period."""
    return str(error).split("\n", maxsplit=1)[0].rstrip(".")
