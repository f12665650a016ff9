"""PostgreSQL as the home of a graph, for several machines: it keeps the rows, DuckDB runs the statements over them.

DuckDB's extension postgres_scanner maps the tables. One process writes at a time, by an advisory lock that is taken
before the write begins: the ids of changes are committed in their order, so that indexes in memory can follow them.
"""

import os
import platform
import re
import time
from collections.abc import Collection, Generator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

import duckdb

from mcp_graphrag.database_url import shown_url
from mcp_graphrag.errors import BadInput, FileTrouble, GraphragError, PartMissing
from mcp_graphrag.model import Origin
from mcp_graphrag.store.engine.extensions import load_extension
from mcp_graphrag.store.engine.faults import VALUES, first_line
from mcp_graphrag.store.engine.home import Home, HomeReport
from mcp_graphrag.store.engine.migrate import APPLICATION, RECORD, check_schema, checked_version, newest_schema
from mcp_graphrag.store.engine.statements import literal, migrations
from mcp_graphrag.store.engine.transaction import (
    PARAMETER,
    STANDARD,
    Columns,
    Reader,
    Writer,
    add_constants,
    constant,
    find_statement,
)
from mcp_graphrag.store.engine.views import make_views

EXTENSION = "postgres_scanner"
CATALOG = "g"
LOCK = 0x6D63_7067  # the advisory lock of writers; the graph is the database
# PostgreSQL's indexes, unlike DuckDB's, lose no row after a kill.
INDEXED = (
    "triple(subject_id)", "triple(object_id)", "triple(recorded_change)", "triple(retired_change)",
    "evidence(triple_id)", "evidence(recorded_change)", "evidence(retired_change)", "entity(norm)",
    "entity_alias(norm)", "entity_alias(entity_id)", "mention(chunk_id)", "mention(entity_id)", "chunk(document_id)",
    "posting(chunk_id)", "posting(term_id)", "term(term)", "chunk(sha256)", "evidence(chunk_id)",
    "entity_value(chunk_id)", "entity_value(entity_id)", "chunk_edge(source_id)", "chunk_edge(target_id)",
    "extraction(chunk_id)", "mention(recorded_change)", "entity_alias(recorded_change)",
    "chunk_length(recorded_change)", "entity_embedding(recorded_change)", "conflict(triple_id)",
)  # fmt: skip
# What another server, a failover, a copy of a database and a restored dump do not share with this one.
IDENTITY = """SELECT s.system_identifier::text, c.timeline_id, d.oid::bigint, 'change'::regclass::oid::bigint
FROM pg_control_system() s, pg_control_checkpoint() c, pg_database d WHERE d.datname = current_database()"""
REPORT = f"""SELECT current_setting('server_version'), pg_database_size(current_database()),
(SELECT concat_ws(', ', a.application_name, a.client_addr, 'connection ' || a.pid)
 FROM pg_locks l JOIN pg_stat_activity a USING (pid) WHERE l.locktype = 'advisory' AND l.granted
 AND l.classid = 0 AND l.objid = {LOCK} AND a.datname = current_database())"""
ROUND_TRIPS = 5
_TEXT = re.compile(r"\bJSON\b")  # a column of JSON cannot be updated through the extension
SAID = re.compile(r"(?:ERROR|FATAL):\s+(.*)")  # by PostgreSQL, behind the statement
AMONG = re.compile(r"IN \((?:SELECT (?P<column>\w+) )?FROM (?P<table>\w+)\)")
NAMED = re.compile(r"(?:FROM|JOIN|,) (\w+) (\w+)\b")  # a table with its alias
EQUAL = re.compile(r"\b(\w+)\.(\w+) = (\w+)\.(\w+)\b")
LOCK_WAIT = 120  # seconds for which a write waits for those of other processes
# The lock is taken before the snapshot, in the transaction of the write: who loses it has lost the write as well. Each
# statement then sees what is committed, all of which was before the lock.
BEGIN_LOCKED = (
    f"COMMIT; BEGIN TRANSACTION ISOLATION LEVEL READ COMMITTED; SET LOCAL lock_timeout = '{LOCK_WAIT}s';"
    " SET LOCAL tcp_keepalives_idle = 30; SET LOCAL tcp_keepalives_interval = 10;"  # a machine that is gone frees it
    " DO 'BEGIN PERFORM pg_advisory_xact_lock({lock}); END'"
)
_INDEXES = {re.sub(r"\W", "_", each) + "idx": each for each in INDEXED}  # as PostgreSQL itself names them
_COMMENTS = re.compile(r"\A(\s|--.*\n)+")
_IN_MEMORY = re.compile(r"CREATE (OR REPLACE )?VIEW|COMMENT ON")  # views are DuckDB's, and this version's
_SEQUENCE = re.compile(r"CREATE SEQUENCE (\w+)")
_EPOCH, _SCHEMA = "epoch", "schema"  # counters beside those of ids
SEARCHED = f"SET search_path = '{CATALOG}.public,memory.main'"  # tables are there, views here


def command(cursor: duckdb.DuckDBPyConnection, sql: str) -> None:
    """Run statements in PostgreSQL itself, in the transaction of a cursor."""
    cursor.execute(f"CALL postgres_execute('{CATALOG}', {literal(sql)})")


class PostgresReader(Reader):
    """A snapshot of the database.

    PostgreSQL is asked for constants only; whatever else a condition names, DuckDB reads the whole table for it. So
    what is compared with a table of this process is also compared with its rows as constants.
    """

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._local: dict[str, dict[str, str]] = {}  # tables of this process: the constants of each column, "" for none

    @contextmanager
    def incoming(self, name: str, columns: Columns) -> Generator[None]:
        """As in a file."""
        with super().incoming(name, columns), self._listed(name):
            yield

    @contextmanager
    def temporary(
        self, name: str, statement: str, parameters: Mapping[str, Any] | None = None, **parts: str
    ) -> Generator[int]:
        """As in a file."""
        with super().temporary(name, statement, parameters, **parts) as count, self._listed(name):
            yield count

    @contextmanager
    def _listed(self, name: str) -> Generator[None]:
        self._local[name] = {}
        try:
            yield
        finally:
            del self._local[name]

    def run(self, sql: str, parameters: Mapping[str, Any] | None = None) -> duckdb.DuckDBPyConnection:
        """As in a file."""
        given = dict(parameters or {})
        return super().run(self._with_local_rows(sql, given) if self._local else sql, given)

    def _send(self, sql: str, given: Mapping[str, Any]) -> duckdb.DuckDBPyConnection:
        """Run SQL, what follows `STANDARD` in PostgreSQL itself if it names its tables as they are now and no other."""
        head, marked, query = sql.partition(STANDARD)
        if not marked or self.known is not None or any(re.search(rf"\b{name}\b", query) for name in self._local):
            return super()._send(sql, given)
        query = PARAMETER.sub(lambda found: constant(given[found[1]]), query)
        asked = dict(given)
        return super()._send(f"{head}FROM postgres_query('{CATALOG}', {add_constants(asked, literal(query))})", asked)

    def _with_local_rows(self, sql: str, given: dict[str, Any]) -> str:
        """SQL in which what is compared with a column of a table of this process is also one of the constants."""

        def listed(table: str, column: str | None) -> str:
            known, wanted = self._local[table], f'"{column}"' if column else "*"
            if wanted not in known:
                known[wanted] = self._constants(f"SELECT DISTINCT {wanted} FROM {table}", {})
            return known[wanted] and f"IN ({add_constants(given, known[wanted])})"

        def among(found: re.Match[str]) -> str:
            return (found["table"] in self._local and listed(found["table"], found["column"])) or found[0]

        def equal(found: re.Match[str]) -> str:
            for one, other in ((1, 3), (3, 1)):
                table = tables.get(found[other])
                if table and found[one] not in tables and (constants := listed(table, found[other + 1])):
                    return f"({found[0]} AND {found[one]}.{found[one + 1]} {constants})"
            return found[0]

        tables = {alias: table for table, alias in NAMED.findall(sql) if table in self._local}
        return EQUAL.sub(equal, AMONG.sub(among, sql))


class PostgresWriter(PostgresReader, Writer):
    """The write in progress."""

    def add_row(self, statement: str, values: Mapping[str, Any], **parts: str) -> None:
        """As in a file; the rows go to PostgreSQL in one message with those before and after them."""
        given = {"now": self.recorded_at, "change": self.change, **values}
        self.added[statement].append(values)
        sql = find_statement(statement, parts)
        self.run_later(PARAMETER.sub(lambda found: constant(given[found[1]]), sql))

    def flush(self) -> None:
        """Run what waits of `add_row`."""
        if self._waiting:
            waiting, self._waiting = self._waiting, []
            command(self._cursor, ";\n".join(waiting))


class PostgresStore(Home):
    """A graph in a PostgreSQL database, of version 15 or newer.

    `name` is its URL without the password, `path` a name for it among the files of this user.
    """

    def __init__(self, url: str, path: Path, *, read_only: bool, memory_limit: str, threads: int, wait: float) -> None:
        super().__init__(path, read_only=read_only, memory_limit=memory_limit, threads=threads, wait=wait)
        self._url = url
        self.name = shown_url(url)
        self._job_locks: dict[int, duckdb.DuckDBPyConnection] = {}  # whose transaction has the lock of a running job
        self._identity = ""  # of the database that is open

    def _open(self) -> duckdb.DuckDBPyConnection:
        connection = duckdb.connect(":memory:", config=self._config)
        try:
            self._attach(connection)
            self._make_schema(connection)
        except duckdb.Error as error:
            connection.close()
            raise self._fault(error) from error
        except GraphragError:
            connection.close()
            raise
        self._writes = 0
        return connection

    def _attach(self, connection: duckdb.DuckDBPyConnection) -> None:
        """Attach the database; the password goes into a secret, as the text to connect with is shown in errors.

        Raises PartMissing without the extension.
        """
        if failed := load_extension(connection, EXTENSION):
            raise PartMissing(
                f"DuckDB's extension for PostgreSQL is {failed}.", "pip install 'mcp-graphrag[postgres]'."
            )
        parts = urlsplit(self._url)
        given = {"host": parts.hostname, "port": parts.port, "user": parts.username and unquote(parts.username)}
        given["application_name"] = f"mcp-graphrag {os.getpid()} on {platform.node()}"  # who has the lock of writers
        given |= {"dbname": unquote(parts.path.lstrip("/")), **dict(parse_qsl(parts.query))}
        password = str(given.pop("password", unquote(parts.password or "")) or "")
        text = " ".join(f"{name}={_as_value(str(value))}" for name, value in given.items() if value)
        login = ""
        if password:
            connection.execute(f"CREATE SECRET home (TYPE postgres, PASSWORD {literal(password)})")
            login = ", SECRET home"
        mode = ", READ_ONLY" if self.read_only else ""
        connection.execute(f"ATTACH {literal(text)} AS {CATALOG} (TYPE postgres{login}{mode})")
        asked = literal("SELECT current_setting('standard_conforming_strings') AS is_standard")
        if connection.execute(f"FROM postgres_query('{CATALOG}', {asked})").fetchone() != ("on",):
            raise BadInput(
                f"{self.name} reads a backslash in a text as more than that.", "Set standard_conforming_strings."
            )

    def _make_schema(self, connection: duckdb.DuckDBPyConnection) -> None:
        """Make or migrate the tables where that is needed, and in memory the views over them.

        Two processes may find the same older schema: the second one waits, and finds it migrated. The first databases
        do not have the schema among their counters.
        """
        connection.execute(SEARCHED)
        current = checked_version(connection, self.path, self.name, read_only=self.read_only)
        if current < newest_schema() or (not self.read_only and _SCHEMA not in self._last_ids(connection)):
            with self._alone(connection), closing(connection.cursor()) as cursor:
                cursor.execute(f"{SEARCHED}; CALL pg_clear_cache(); BEGIN TRANSACTION")
                try:
                    self._migrate(cursor, checked_version(cursor, self.path, self.name, read_only=False))
                    cursor.execute("COMMIT")
                finally:
                    self._end(cursor)
        connection.execute(f"SET search_path = 'memory.main,{CATALOG}.public'")  # what is made goes to the first one
        make_views(connection)
        with suppress(duckdb.Error):  # without the right to ask, no index is saved
            found = connection.execute(f"FROM postgres_query('{CATALOG}', {literal(IDENTITY)})").fetchall()
            self._identity = str(found[0])

    def _migrate(self, cursor: duckdb.DuckDBPyConnection, current: int) -> None:
        """Apply the migrations that a schema lacks, each statement in the form that PostgreSQL has for it."""
        if not current:
            command(cursor, "CREATE TABLE id_counter (name text PRIMARY KEY, last bigint NOT NULL)")
            command(cursor, set_counters([(_EPOCH, 0)]))
        for number, sql in migrations():
            for statement in duckdb.extract_statements(sql) if number > current else ():
                query = _COMMENTS.sub("", statement.query)
                if counter := _SEQUENCE.match(query):
                    command(cursor, set_counters([(counter[1], 0)]))
                elif not _IN_MEMORY.match(query):
                    cursor.execute(_TEXT.sub("VARCHAR", query))
        cursor.execute(RECORD, {"application": APPLICATION, "number": str(newest_schema())})
        command(cursor, set_counters([(_SCHEMA, newest_schema())]))
        self._make_indexes(cursor)

    def _make_indexes(self, cursor: duckdb.DuckDBPyConnection) -> None:
        """Make the indexes that are missing."""
        made = (f"CREATE INDEX IF NOT EXISTS {name} ON {each}" for name, each in _INDEXES.items())
        command(cursor, f"SET LOCAL maintenance_work_mem = '256MB'; {';'.join(made)}; ANALYZE")

    def _counters(self, cursor: duckdb.DuckDBPyConnection) -> dict[str, int]:
        """The last id of each sequence, and the epoch, in the snapshot of a cursor.

        Raises FileTooNew where a newer version has migrated the tables since they were opened.
        """
        cursor.execute(SEARCHED)
        found = self._last_ids(cursor)
        check_schema(found.pop(_SCHEMA, 0), self.path, self.name)
        return found

    def _last_ids(self, cursor: duckdb.DuckDBPyConnection) -> dict[str, int]:
        return dict(cursor.execute(f"SELECT name, last FROM {CATALOG}.public.id_counter").fetchall())

    def _begin_reading(self, cursor: duckdb.DuckDBPyConnection) -> Reader:
        cursor.execute("BEGIN TRANSACTION READ ONLY")
        counters = self._counters(cursor)
        self.epoch = max(self.epoch, counters[_EPOCH])
        reader = PostgresReader(cursor, counters[_EPOCH])
        reader.generation = counters["change_id"]
        reader.found_state = self._state(counters[_EPOCH])
        return reader

    def _state(self, epoch: int) -> str | None:
        """What indexes may be saved for, None without the right to ask which database it is."""
        return f"{self._identity} {epoch}" if self._identity else None

    @contextmanager
    def _alone(self, connection: duckdb.DuckDBPyConnection) -> Generator[None]:
        """Keep other processes from writing inside the block."""
        with closing(connection.cursor()) as side:
            side.execute("BEGIN TRANSACTION")
            side.execute(f"FROM postgres_query('{CATALOG}', 'SELECT pg_advisory_xact_lock({LOCK})::text')").fetchall()
            try:
                yield
            finally:
                self._end(side)

    def _end(self, cursor: duckdb.DuckDBPyConnection) -> None:
        # Closed with a transaction whose connection is gone, the extension ends the process.
        with suppress(duckdb.Error):
            cursor.execute("ROLLBACK")

    def _begin_writing(self, cursor: duckdb.DuckDBPyConnection, origin: Origin) -> Writer:
        cursor.execute("BEGIN TRANSACTION")
        command(cursor, BEGIN_LOCKED.format(lock=LOCK))
        counters = self._counters(cursor)
        self.epoch = max(self.epoch, counters[_EPOCH])
        # PostgreSQL's own sequences cannot be read by DuckDB; who writes alone needs none.
        cursor.execute(
            ";".join(
                f"CREATE TEMP SEQUENCE {name} START {last + 1}" for name, last in counters.items() if name != _EPOCH
            )
        )
        known = self._known if self._known and self._known.generation == counters["change_id"] else None
        writer = PostgresWriter(cursor, origin, counters[_EPOCH], known)
        writer.generation = counters["change_id"]
        return writer

    def _commit(self, cursor: duckdb.DuckDBPyConnection, writer: Writer) -> None:
        used = cursor.execute(
            "SELECT sequence_name, last_value FROM duckdb_sequences() WHERE temporary AND last_value IS NOT NULL"
        ).fetchall()
        if used or writer.voids_indexes:
            rows = [*used, *([(_EPOCH, writer.epoch + 1)] if writer.voids_indexes else [])]
            writer.run_later(set_counters(rows))
        writer.flush()
        cursor.execute("COMMIT")
        if writer.voids_indexes:
            self.epoch = writer.epoch + 1

    def copy_from(self, file: Path) -> dict[str, int]:
        """Copy the graph of a file, which no process has open, into this database; the rows of each table.

        Raises BadInput where there is a graph already.
        """
        with self.held() as connection, self._alone(connection), closing(connection.cursor()) as cursor:
            try:
                cursor.execute(SEARCHED)
                cursor.execute(f"ATTACH {literal(str(file))} AS source (READ_ONLY)")
                cursor.execute("BEGIN TRANSACTION")
                if self._counters(cursor)["change_id"]:
                    raise BadInput(f"There is a graph in {self.name} already.", "Name an empty database.")
                cursor.execute(f"DELETE FROM {CATALOG}.public.meta")
                command(cursor, f"DROP INDEX IF EXISTS {', '.join(_INDEXES)}")  # built at once they take a third
                found = self._copy(cursor, "source.main", f"{CATALOG}.public")
                self._make_indexes(cursor)
                last = cursor.execute(
                    "SELECT sequence_name, coalesce(last_value, start_value - 1) FROM duckdb_sequences()"
                    " WHERE database_name = 'source'"
                ).fetchall()
                command(cursor, set_counters([*last, (_EPOCH, self.epoch + 1)]))
                cursor.execute("COMMIT")
                cursor.execute("DETACH source")
            except duckdb.Error as error:
                raise self._fault(error) from error
        return found

    def copy_to(self, target: Path) -> dict[str, int]:
        """Copy the graph of one moment into a file that was made for it; the rows of each table."""
        with self.held() as connection, closing(connection.cursor()) as cursor:
            try:
                cursor.execute(f"ATTACH {literal(str(target))} AS target")
                cursor.execute("BEGIN TRANSACTION")
                counters = self._counters(cursor)
                cursor.execute("DELETE FROM target.main.meta")
                found = self._copy(cursor, f"{CATALOG}.public", "target.main")
                for name, last in counters.items():
                    if name != _EPOCH:
                        cursor.execute(f"CREATE OR REPLACE SEQUENCE target.main.{name} START {last + 1}")
                cursor.execute("COMMIT")
                cursor.execute("DETACH target")
            except duckdb.Error as error:
                raise self._fault(error) from error
        return found

    def _copy(self, cursor: duckdb.DuckDBPyConnection, source: str, target: str) -> dict[str, int]:
        """Copy the rows of all tables, column by column."""
        listed = cursor.execute(
            "SELECT table_name, string_agg('\"' || column_name || '\"', ', ' ORDER BY column_index)"
            " FROM duckdb_columns() WHERE database_name || '.' || schema_name = $target AND table_name <> 'id_counter'"
            " AND table_name IN (SELECT table_name FROM duckdb_tables()) GROUP BY table_name",
            {"target": target},
        ).fetchall()
        return {
            table: cursor.execute(
                f"INSERT INTO {target}.{table} ({columns}) SELECT {columns} FROM {source}.{table}"
            ).fetchall()[0][0]
            for table, columns in listed
        }

    def begin_job(self, job_id: int) -> None:
        """As in a file; a lock for as long as this process lives says so to those of other machines."""
        super().begin_job(job_id)
        with self.held() as connection:
            cursor = self._job_locks[job_id] = connection.cursor()
            cursor.execute("BEGIN TRANSACTION")
            command(cursor, BEGIN_LOCKED.format(lock=f"{LOCK}, {job_id}"))

    def end_job(self, job_id: int) -> None:
        """It has ended."""
        super().end_job(job_id)
        if cursor := self._job_locks.pop(job_id, None):
            self._end(cursor)
            cursor.close()

    def running_jobs(self, tx: Reader) -> Collection[int]:
        """The jobs that any process runs."""
        held = f"SELECT objid::bigint AS id FROM pg_locks WHERE locktype = 'advisory' AND classid = {LOCK}"
        here = "objsubid = 2 AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
        return {job_id for (job_id,) in tx.run(f"{STANDARD}{held} AND {here}").fetchall()}

    def close(self) -> None:
        """Close the connections even if they are in use; open transactions are rolled back."""
        with self._gate:
            if self._connection is not None:
                for cursor in self._job_locks.values():
                    self._end(cursor)
                    cursor.close()
                self._job_locks.clear()
                self._connection.close()
                self._connection, self._is_invalid = None, False

    def release(self, *, idle: float = 0.0) -> bool:
        """Close the connections if no call has used them for `idle` seconds; answers whether they were closed."""
        with self._gate:
            if self._job_locks or self.idle_seconds < idle:
                return False
            self.close()
            self.released_state = self._state(self.epoch)
            return True

    def report(self) -> HomeReport:
        """Which PostgreSQL it is, the size of the database, who writes, and how long a round trip takes."""
        with self.held() as connection, closing(connection.cursor()) as cursor:
            try:
                asked = f"FROM postgres_query('{CATALOG}', {literal(REPORT)})"
                version, size, writer = cursor.execute(asked).fetchall()[0]
                cursor.execute("BEGIN TRANSACTION")  # on one connection; by itself each statement gets one
                times = [time.perf_counter()]
                for _ in range(ROUND_TRIPS):
                    command(cursor, "SELECT 1")
                    times.append(time.perf_counter())
            except duckdb.Error as error:
                raise self._fault(error) from error
            finally:
                self._end(cursor)
        latency = min(after - before for before, after in pairwise(times)) * 1000
        return HomeReport(f"PostgreSQL {version}", size, 0, writer or "", round(latency, 2))

    def check_has_content(self) -> None:
        """Do nothing: to open it finds out."""

    def checkpoint(self) -> None:
        """Do nothing: PostgreSQL writes its log by itself."""

    def _fault(self, error: duckdb.Error) -> Exception:
        if isinstance(error, duckdb.BinderException | duckdb.ParserException | duckdb.CatalogException):
            return error  # a defect
        if isinstance(error, VALUES):
            return BadInput(f"A value does not fit: {first_line(error)}.", "Correct the arguments and call again.")
        self._is_invalid = True
        said = SAID.search(str(error))
        return FileTrouble(
            self.path,
            f"{self.name} could not be read or written: {said[1] if said else first_line(error)}.",
            "Check that the server runs and lets this user in; then call again.",
        )


def _as_value(text: str) -> str:
    """A text as a value in what libpq connects with."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def set_counters(rows: Sequence[tuple[str, int]]) -> str:
    """The statement that sets the last id of some sequences, which are made where they are new."""
    values = ", ".join(f"('{name}', {last})" for name, last in rows)
    return f"INSERT INTO id_counter VALUES {values} ON CONFLICT (name) DO UPDATE SET last = excluded.last"
