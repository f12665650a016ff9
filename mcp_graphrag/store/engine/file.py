"""The DuckDB file: opened when needed, released when idle, one writer at a time, many readers."""

import os
import threading
from collections.abc import Generator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import duckdb

from mcp_graphrag.errors import (
    BadInput,
    FileDamaged,
    FileReplaced,
    FileTrouble,
    WalCut,
    WalQuarantined,
    as_graphrag_error,
)
from mcp_graphrag.model import Origin
from mcp_graphrag.store.engine.faults import fault_of, making_fault, not_a_graph, opening_fault
from mcp_graphrag.store.engine.file_state import (
    check_path,
    copy_log_aside,
    file_id,
    file_state,
    has_content,
    is_valid_log,
    log_of,
    make_folder,
    set_log_aside,
)
from mcp_graphrag.store.engine.home import Home, HomeReport
from mcp_graphrag.store.engine.log_end import (
    LogMark,
    acknowledged_bytes,
    forget_acknowledged,
    last_write_end,
    log_size,
    mark_of,
)
from mcp_graphrag.store.engine.migrate import checked_version, is_current, migrate
from mcp_graphrag.store.engine.new_files import (
    BLOCK_SIZE,
    copy_database,
    copy_unopened,
    make_database,
    make_log,
    remove_leftovers,
)
from mcp_graphrag.store.engine.transaction import FileState, Reader, Writer, now

OPEN_FILE = "SELECT path FROM duckdb_databases() WHERE database_name = current_database()"
CONNECTIONS = "SELECT count FROM duckdb_connection_count()"
# Embeddings compressed by these are 1.6 times larger and half as fast to scan (measured on 1.5.5).
DISABLED_COMPRESSION = "alp,alprd,chimp,patas"


class Store(Home):
    """A graph in one DuckDB file."""

    _opening = threading.Lock()  # DuckDB gives the stores of one process the same open file

    def __init__(
        self,
        path: Path,
        *,
        read_only: bool = False,
        memory_limit: str = "2GB",
        threads: int = 1,
        wait: float = 5.0,
    ) -> None:
        super().__init__(
            path.expanduser().absolute(), read_only=read_only, memory_limit=memory_limit, threads=threads, wait=wait
        )
        self._config["default_block_size"] = BLOCK_SIZE
        self._found_state: FileState | None = None  # in which it was opened, if it was not written since
        self._file_id: tuple[int, int] | None = None  # of the open file
        self._log_id: tuple[int, int] | None = None  # of its log after the last write
        self._mark: LogMark | None = None  # of the open file
        self._has_tidied = False

    def _begin_reading(self, cursor: duckdb.DuckDBPyConnection) -> Reader:
        # DuckDB takes the snapshot at the first statement, not at BEGIN; the epoch must be of that moment.
        cursor.execute("BEGIN TRANSACTION READ ONLY")
        reader = Reader(cursor, self.epoch)
        reader.found_state = self._found_state
        _ = reader.generation
        return reader

    def _begin_writing(self, cursor: duckdb.DuckDBPyConnection, origin: Origin) -> Writer:
        cursor.execute("BEGIN TRANSACTION")
        self._found_state = None
        return Writer(cursor, origin, self.epoch, self._known)

    def _commit(self, cursor: duckdb.DuckDBPyConnection, writer: Writer) -> None:
        writer.flush()
        self._check_in_place()
        make_log(self.path)
        cursor.execute("COMMIT")
        self.epoch += writer.voids_indexes
        if self._mark is not None:
            self._mark.write()
        self._log_id = file_id(log_of(self.path))

    def release(self, *, idle: float = 0.0) -> bool:
        """Close the file if no call has used it for `idle` seconds, so that another process can open it.

        Answers whether it was closed.
        """
        with self._gate:
            if self.idle_seconds < idle:
                return False
            self.close()
            state = file_state(self.path)
            # What went while it was open, and what came in its place, is not the file that was released.
            self.released_state = state if file_id(self.path) == self._file_id else None
            return True

    def close(self) -> None:
        """Close the file even if it is in use; open transactions are rolled back."""
        with self._gate:
            if self._connection is None:
                return
            connection, self._connection, self._is_invalid = self._connection, None, False
            self._remove_mark()
            if file_id(self.path) == self._file_id:
                connection.close()
                return
            # Its log would be written into a file that has no name, or be replayed into another file.
            with suppress(duckdb.Error):
                connection.execute("PRAGMA disable_checkpoint_on_shutdown")
            connection.close()
            log = log_of(self.path)
            if self._log_id is not None and file_id(log) == self._log_id and has_content(log):
                set_log_aside(self.path)

    @contextmanager
    def closed(self) -> Generator[None]:
        """The file closed for the block, in which nobody opens it; indexes in memory are void then.

        Raises FileTrouble where calls use it for longer than the wait for a lock.
        """
        with self._gate:
            if not self._unused.wait_for(lambda: not self._users, timeout=self._wait):
                raise FileTrouble(self.path, f"{self.path} is in use by {len(self._users)} calls.", "Try again later.")
            self.close()
            self.released_state = None
            yield

    def copy_to(self, target: Path) -> None:
        """Copy one state of the file into a new one, without free space; reads and writes go on meanwhile.

        Raises FileTrouble.
        """
        with self.held() as connection, closing(connection.cursor()) as cursor:
            try:
                copy_database(cursor, target)
            except duckdb.Error as error:
                fault = fault_of(error, target)
                raise (fault_of(error, self.path) if isinstance(fault, FileDamaged) else fault) from error

    def copy_in(self, source: Path, target: Path) -> None:
        """Copy another file, which no process has open, to a new one. Raises FileTrouble."""
        try:
            copy_unopened(source, target, str(self._config["memory_limit"]))
        except duckdb.Error as error:
            raise opening_fault(error, source) from error

    @property
    def exists(self) -> bool:
        """Whether there is something under its path."""
        return self.path.exists()

    @property
    def quarantined(self) -> Sequence[str]:
        """The names of logs that were set aside."""
        return sorted(file.name for file in self.path.parent.glob(f"{self.path.name}.wal.*.quarantine"))

    def report(self) -> HomeReport:
        """The sizes of the file and its log, 0 for what does not exist; it is not opened."""
        size, log_size = (file.stat().st_size if file.exists() else 0 for file in (self.path, log_of(self.path)))
        return HomeReport("file", size, log_size)

    def check_has_content(self) -> None:
        """Raise BadInput where there is no file, and FileTrouble where it is empty: there is nothing to read."""
        if not self.path.exists():
            raise BadInput(f"There is no file {self.path}.", "Ingest something first, or start without --read-only.")
        if not has_content(self.path):
            raise FileTrouble(
                self.path,
                f"{self.path} has 0 bytes: what was in it is gone.",
                "Restore a backup (`mcp-graphrag restore`), or remove the file to begin a new graph.",
            )

    def checkpoint(self) -> None:
        """Write the write-ahead log into the file. Open readers are not affected."""
        if self.read_only:
            return
        with self._write_lock, self.held() as connection, closing(connection.cursor()) as cursor:
            self._check_in_place()
            try:
                with suppress(duckdb.TransactionException):
                    cursor.execute("CHECKPOINT")
                    self.found_no_space = False
                    if self._mark is not None:
                        self._mark.write()
            except duckdb.Error as error:
                raise self._writing_fault(error) from error

    def _open(self) -> duckdb.DuckDBPyConnection:
        check_path(self.path)
        if self.read_only:
            self.check_has_content()
        make_folder(self.path)
        self._found_state = file_state(self.path)
        if self.released_state != self._found_state:
            self.epoch += 1
        with self._opening:  # nobody writes in this process before it is known that the log is whole
            connection = self._connect()
            ((users,),) = connection.execute(CONNECTIONS).fetchall()
            return self._checked(connection, is_only=users == 1)

    def _checked(self, connection: duckdb.DuckDBPyConnection, *, is_only: bool) -> duckdb.DuckDBPyConnection:
        """The file that was opened, migrated; `is_only` where no other store of this process has it open."""
        self._file_id, self._writes = file_id(self.path), 0
        try:
            # The write-ahead log of another program's file must not be touched either.
            connection.execute("PRAGMA disable_checkpoint_on_shutdown")
            version = checked_version(connection, self.path, self.name, read_only=self.read_only)
            if is_only:
                self._check_log_is_whole()
                self._mark = None if self.read_only else LogMark(self.path)
            if not self.read_only:
                if not self._has_tidied:
                    remove_leftovers(self.path)
                    self._has_tidied = True
                connection.execute(f"SET disabled_compression_methods='{DISABLED_COMPRESSION}'")
                if not is_current(connection, version):
                    make_log(self.path)
                    migrate(connection, version)
                    self._found_state = None
                keep = {"keep": sorted(self.running), "now": now()}
                Reader(connection, self.epoch).rows("interrupt_jobs", keep)  # those of processes that have ended
            connection.execute("PRAGMA enable_checkpoint_on_shutdown")
            self._log_id = file_id(log_of(self.path))
            if self._mark is not None:
                self._mark.write()
        except BaseException as error:
            self._remove_mark()
            connection.close()
            if isinstance(error, duckdb.Error):
                raise fault_of(error, self.path) from error
            if isinstance(error, OSError):
                raise as_graphrag_error(error) from error
            raise
        return connection

    def _is_in_queue(self) -> bool:
        return mark_of(self.path).exists()  # of another store of ours

    def _remove_mark(self) -> None:
        if self._mark is not None:
            self._mark.remove()
            self._mark = None

    def _check_log_is_whole(self) -> None:
        """Raise WalCut where the log that was replayed ended too early; it is then cut where its last write ends.

        An end that is no whole write is usual after a kill: DuckDB leaves it out, and nothing is said where it is known
        that it was not acknowledged. Raises OSError.
        """
        log, size, acknowledged = log_of(self.path), log_size(self.path), acknowledged_bytes(self.path)
        end = last_write_end(log)
        is_whole = end >= (size if acknowledged is None else acknowledged)
        if is_whole and (end == size or self.read_only):
            return
        if self.read_only:
            raise FileTrouble(
                self.path,
                f"The write-ahead log {log} was cut short.",
                "Open the file once without --read-only: that keeps a copy of the log.",
            )
        aside = None if is_whole else copy_log_aside(self.path)
        if size:
            os.truncate(log, end)  # as DuckDB does before its next write
        if aside is not None:
            forget_acknowledged(self.path)
            raise WalCut(self.path, aside, is_certain=acknowledged is not None)

    def _check_in_place(self) -> None:
        """Raise FileReplaced where the path no longer names the open file, which is closed after its last use."""
        if (found := file_id(self.path)) != self._file_id:
            self._is_invalid = True
            raise FileReplaced(self.path, is_gone=found is None)

    def _connect(self) -> duckdb.DuckDBPyConnection:
        log = log_of(self.path)
        if self.path.exists():
            self.check_has_content()
        # DuckDB would delete the log of a file that is gone.
        if not is_valid_log(log) or (has_content(log) and not self.path.exists()):
            raise self._log_error()
        if not self.path.exists():
            self._make()
        try:
            connection = duckdb.connect(str(self.path), read_only=self.read_only, config=self._config)
        except duckdb.Error as error:
            raise self._log_error() if "replaying WAL" in str(error) else opening_fault(error, self.path) from error
        if connection.execute(OPEN_FILE).fetchall() == [(None,)]:
            # DuckDB opens data of another format, as of CSV, as a view of it in memory.
            connection.close()
            raise not_a_graph(self.path)
        return connection

    def _make(self) -> None:
        try:
            make_database(self.path)
        except duckdb.Error as error:
            raise opening_fault(error, self.path) from error
        except OSError as error:
            raise making_fault(error, self.path) from error

    def _log_error(self) -> FileTrouble:
        log = log_of(self.path)
        if self.read_only:
            return FileTrouble(
                self.path,
                f"The write-ahead log {log} could not be replayed.",
                "Open the file once without --read-only: that moves the log away.",
            )
        return WalQuarantined(self.path, set_log_aside(self.path))
