"""One transaction on one cursor: a snapshot to read, or the write in progress.

Only the modules of this package run statements; other packages pass the transaction to their functions.
"""

import json
import re
import threading
from collections import defaultdict
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import Any, TypeVar, cast

import duckdb
import numpy as np
from numpy.typing import NDArray

from mcp_graphrag.errors import BadInput
from mcp_graphrag.model import Ids, Origin
from mcp_graphrag.store.engine.statements import literal, statements

T = TypeVar("T")
Columns = Mapping[str, NDArray[Any]]
# (normal form, entity id, whether an alias, whether only inside a document) of names by an index, None where none can.
FindNames = Callable[[Sequence[str]], Iterable[tuple[str, int, bool, bool]] | None]
# (a generation, the triples from some entities to others that were active then) by an index, None where none can.
FindTriples = Callable[[Sequence[int], Sequence[int]], tuple[int, Ids] | None]
FileState = tuple[tuple[int, int, int, int] | None, ...]  # of a file and its log, see `file_state`
HomeState = FileState | str  # of a database, what tells it from another one, and from itself restored
STREAMED = 2_048  # rows that are in memory at once
PARAMETER = re.compile(r"\$(\w+)")
FIRST = "IN FIRST ("  # see `Reader.run`
STANDARD = "STANDARD "  # see `Reader.run`
MAX_FIRST = 10_000  # constants in place of a query
WITHOUT_OPTIMIZER, WITH_OPTIMIZER = "PRAGMA disable_optimizer", "PRAGMA enable_optimizer"
PLAIN_TEXT = re.compile(r"[ -&(-~]{,200}")  # ASCII without the apostrophe, which alone means something in a constant


def now() -> datetime:
    """The current time as naive UTC, the only kind of time in the file."""
    return datetime.now(UTC).replace(tzinfo=None)


def bind_value(value: Any) -> Any:
    """A parameter in the form that DuckDB binds fastest: a list as its JSON text, which the statement casts.

    For each element of a list DuckDB would try to import pandas: 36 ms for a vector of 256. Lone surrogates, as in an
    argument that is not UTF-8, become question marks.
    """
    if isinstance(value, list | tuple):
        value = json.dumps(value, ensure_ascii=False)
    return value.encode("utf-8", "replace").decode("utf-8") if isinstance(value, str) else value


class Constants(str):
    """Constants of SQL, in the place of a parameter: SQL that has the text of a value in it is not searched again."""

    __slots__ = ()


def add_constants(given: dict[str, Any], constants: str) -> str:
    """The parameter of SQL that stands for constants, added to those that are given."""
    name = f"constants_{len(given)}"
    given[name] = Constants(constants)
    return f"${name}"


def constant_of(value: Any) -> str | None:
    """A number, a moment, bytes, plain text or NULL as a constant of SQL; None for what must be bound.

    For each value that is bound DuckDB tries to import pandas, which takes as long as a small statement.
    """
    text: str | None = None
    if isinstance(value, Constants):
        text = value
    elif value is None:
        text = "NULL"
    elif type(value) is int:
        text = f"({value})"
    elif type(value) is float:
        text = f"'{value!r}'::DOUBLE PRECISION"  # a number with a point would be a DECIMAL
    elif isinstance(value, datetime) and value.tzinfo is None:
        text = f"TIMESTAMP '{value.isoformat(' ')}'"
    elif isinstance(value, bytes):
        text = f"unhex('{value.hex()}')"
    elif isinstance(value, str) and PLAIN_TEXT.fullmatch(value):
        text = f"'{value}'::VARCHAR"
    return text


def constant(value: Any) -> str:
    """A value as a constant that PostgreSQL and DuckDB read alike; bytes for PostgreSQL alone."""
    if isinstance(value, Constants):
        return value
    if value is None:
        return "NULL"
    if isinstance(value, datetime):
        return f"TIMESTAMP '{value.isoformat(' ')}'"
    if isinstance(value, bytes):
        return f"'\\x{value.hex()}'"
    if isinstance(value, int | float):
        return f"({value!r})" if isinstance(value, int) else f"'{value!r}'"
    # No text in SQL has a zero character, and no stored one a control character.
    return literal(str(bind_value(value)).replace("\0", "\x01"))


def closing_parenthesis(sql: str, start: int) -> int:
    """Where the parenthesis closes that was opened before `start`; those in constants are none."""
    depth = 1
    for found in re.finditer(r"'[^']*'|[()]", sql[start:]):
        depth += {"(": 1, ")": -1}.get(found[0], 0)
        if not depth:
            return start + found.start()
    raise ValueError(f"a parenthesis is not closed: {sql[start:]}")


def with_constants(sql: str, given: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """SQL with its parameters as constants, and those of them that must be bound."""
    bound: dict[str, Any] = {}

    def written(found: re.Match[str]) -> str:
        name = found[1]
        if name not in given:
            return found[0]
        text = constant_of(given[name])
        if text is None:
            bound[name] = bind_value(given[name])
        return text or found[0]

    return PARAMETER.sub(written, sql) if given else sql, bound


def id_constants(ids: Iterable[int]) -> str:
    """Ids as sorted constants, each once, which DuckDB looks up by primary key."""
    return ",".join(str(value) for value in sorted({int(value) for value in ids}))


def query_ended(seconds: float) -> BadInput:
    """A query that has taken longer than it may."""
    next_step = "Name what it begins at, give bounds to its paths, or ask for less."
    return BadInput(f"The query was ended after {seconds:g} s.", next_step)


def find_statement(name: str, parts: Mapping[str, str]) -> str:
    """The SQL of a statement, with the parts in place of its `{...}`."""
    sql = statements()[name]
    return sql.format(**parts) if parts else sql


@dataclass(frozen=True)
class Known:
    """What the next write need not read again: the last change of the file, and what `Reader.once` keeps to the end.

    Of one epoch (see `Reader.epoch`). Only one process writes the file while it is open.
    """

    epoch: int
    generation: int
    lasting: dict[str, Any]


class Reader:
    """A snapshot of the file: everything read through it belongs to one generation."""

    def __init__(self, cursor: duckdb.DuckDBPyConnection, epoch: int) -> None:
        self._cursor = cursor
        self.epoch = epoch  # indexes of another epoch are void
        self.known: int | None = None  # the last change that it sees, None for all (see `time_travel.look_back`)
        self.found_state: HomeState | None = None  # of a file when it was opened, if it was not written since
        self._memo: dict[str, Any] = {}
        self._lasting: dict[str, Any] = {}
        self.find_names: FindNames = lambda _norms: None
        self.find_triples: FindTriples = lambda _subjects, _objects: None

    def rows(self, statement: str, parameters: Mapping[str, Any] | None = None, **parts: str) -> list[Any]:
        """All rows of the named statement, as tuples; `parts` replace `{...}` in it."""
        return self.run(find_statement(statement, parts), parameters).fetchall()

    def values(self, statement: str, parameters: Mapping[str, Any] | None = None, **parts: str) -> list[Any]:
        """The first column of the named statement."""
        return [row[0] for row in self.rows(statement, parameters, **parts)]

    def stream(
        self,
        statement: str,
        parameters: Mapping[str, Any] | None = None,
        columns: list[str] | None = None,
        **parts: str,
    ) -> Iterator[tuple[Any, ...]]:
        """The rows of the named statement, a batch in memory at a time; their names are added to `columns`.

        No other statement may run before the last row.
        """
        found = self.run(find_statement(statement, parts), parameters)
        if columns is not None:
            columns += [column[0] for column in found.description or ()]
        while batch := found.fetchmany(STREAMED):
            yield from batch

    def row(self, statement: str, parameters: Mapping[str, Any] | None = None) -> tuple[Any, ...] | None:
        """The first row of the named statement, or None."""
        return self.run(statements()[statement], parameters).fetchone()

    def rows_by_id(self, statement: str, ids: Iterable[int], parameters: Mapping[str, Any] | None = None) -> list[Any]:
        """All rows of the named statement, with the ids inserted as constants in place of its `{ids}`.

        Sorted constants are looked up by primary key; a bound list is joined with a scan of the whole table.
        """
        constants = id_constants(ids)
        return self.rows(statement, parameters, ids=constants) if constants else []

    def rows_of_each(self, statement: str, ids: Iterable[int]) -> list[Any]:
        """All rows of the named statement with each of the ids as a constant in place of its `{id}`.

        For a column that is no key: a scan for several values at once reads more than as many scans for one.
        """
        sql = statements()[statement]
        found = [f"({sql.format(id=entry)})" for entry in sorted({int(entry) for entry in ids})]
        return self.run("\nUNION ALL\n".join(found)).fetchall() if found else []

    def count(self, statement: str, parameters: Mapping[str, Any] | None = None) -> int:
        """The number that the named statement returns, 0 for NULL."""
        ((found,),) = self.rows(statement, parameters)
        return int(found or 0)

    def ids(self, statement: str, parameters: Mapping[str, Any] | None = None, **parts: str) -> Ids:
        """The first column of the named statement, of ids, as a numpy array."""
        return self.id_columns(statement, parameters, **parts)[0]

    def id_columns(self, statement: str, parameters: Mapping[str, Any] | None = None, **parts: str) -> list[Ids]:
        """The columns of the named statement, of ids or other whole numbers, as numpy arrays."""
        return [np.asarray(column, np.int64) for column in self.columns(statement, parameters, **parts).values()]

    def columns(
        self, statement: str, parameters: Mapping[str, Any] | None = None, **parts: str
    ) -> dict[str, NDArray[Any]]:
        """The named statement's columns as numpy arrays; NULLs make a masked array."""
        # The stub names a type of pandas, which is not installed; no column here is of an ENUM type.
        return cast("dict[str, NDArray[Any]]", self.run(find_statement(statement, parts), parameters).fetchnumpy())  # pyright: ignore[reportUnknownMemberType]

    def run(self, sql: str, parameters: Mapping[str, Any] | None = None) -> duckdb.DuckDBPyConnection:
        """Run SQL that may name a dimension or a table, with those of the parameters that it names.

        Each query in `IN FIRST (…)` is run before it: its rows are looked up as constants, which those of a join are
        not. What follows `STANDARD` is understood by any database.
        """
        given = dict(parameters or {})
        while (start := sql.rfind(FIRST)) >= 0:  # the last one has none inside
            end = closing_parenthesis(sql, start + len(FIRST))
            query = sql[start + len(FIRST) : end]
            constants = self._constants(query, given)
            query = add_constants(given, constants) if constants else query.replace(STANDARD, "")
            sql = f"{sql[:start]}IN ({query}{sql[end:]}"
        return self._send(sql, given)

    def _constants(self, query: str, given: Mapping[str, Any]) -> str:
        """The values of a query of one column as constants, "" for too many."""
        cursor = self._send(query, given)
        found = cursor.fetchmany(MAX_FIRST + 1)
        if len(found) > MAX_FIRST:
            return ""
        if values := ", ".join(sorted({constant(value) for (value,) in found if value is not None})):
            return values
        # A value that no table has, as NULL would have the table read.
        is_text = str(cursor.description[0][1]) == "VARCHAR"
        return "'\x01'" if is_text else f"({1 - 2**63})"

    def _send(self, sql: str, given: Mapping[str, Any]) -> duckdb.DuckDBPyConnection:
        """Run SQL that has no query to be run first."""
        sql, bound = with_constants(sql.replace(STANDARD, ""), given)
        return self._cursor.execute(sql, bound) if bound else self._cursor.execute(sql)

    def bounded_rows(
        self, sql: str, parameters: Mapping[str, Any], *, seconds: float, limit: int
    ) -> tuple[list[Any], bool]:
        """The first `limit` rows of SQL, and whether there are more. Raises BadInput where it takes longer."""
        with self._bounded(seconds):
            found = self._cursor.execute(sql, dict(parameters)).fetchmany(limit + 1)
        return found[:limit], len(found) > limit

    def bounded_columns(self, sql: str, *, seconds: float) -> Columns:
        """The columns of SQL, in which nothing is null. Raises BadInput where it takes longer."""
        with self._bounded(seconds):
            return cast("Columns", self._cursor.execute(sql).fetchnumpy())  # pyright: ignore[reportUnknownMemberType]

    @contextmanager
    def _bounded(self, seconds: float) -> Generator[None]:
        """The time of a statement of a user; what ends it is said in words for them."""
        timer = threading.Timer(seconds, self._cursor.interrupt)
        timer.start()
        try:
            yield
        except duckdb.InterruptException as error:
            raise query_ended(seconds) from error
        except duckdb.InvalidInputException as error:
            said, _, hint = str(error).partition("Error: ")[2].split("\n")[0].partition(". ")
            fact = f"{said.removesuffix('.')}." if said else "The query meets a value that it cannot handle."
            raise BadInput(fact, hint or "Ask for other values, or leave these out by WHERE.") from error
        except (duckdb.OutOfRangeException, duckdb.ConversionException) as error:
            raise BadInput("A number is out of range.", "Ask for other values.") from error
        finally:
            timer.cancel()

    @contextmanager
    def incoming(self, name: str, columns: Columns) -> Generator[None]:
        """Numpy columns as a table called `name`, for the statements inside the block. Object arrays are text."""
        self._cursor.register(name, dict(columns))
        try:
            yield
        finally:
            self._cursor.unregister(name)

    @contextmanager
    def temporary(
        self, name: str, statement: str, parameters: Mapping[str, Any] | None = None, **parts: str
    ) -> Generator[int]:
        """The rows of the named query as a temporary table called `name`, for the statements inside the block.

        Yields the number of rows. `parts` replace `{...}` in the query.
        """
        created = self.run(f"CREATE TEMP TABLE {name} AS\n{find_statement(statement, parts)}", parameters)
        try:
            ((count,),) = created.fetchall()
            yield int(count)
        finally:
            # A statement that failed has aborted the transaction, and the table goes with it.
            with suppress(duckdb.TransactionException):
                self.run(f"DROP TABLE temp.{name}")

    def once(self, key: str, read: Callable[[], T], *, lasting: bool = False) -> T:
        """What `read` answers; it is kept for this key while the transaction has changed nothing.

        With `lasting` it is kept to the end and for the next write: who changes it in the file also changes what is
        kept, or forgets it.
        """
        memo = self._lasting if lasting else self._memo
        if key in memo:
            return memo[key]
        found = read()
        if lasting or not self.changed:
            memo[key] = found
        return found

    def forget(self, key: str) -> None:
        """Drop what is kept to the end for a key."""
        self._lasting.pop(key, None)

    @property
    def changed(self) -> bool:
        """Whether this transaction has written anything."""
        return False

    @cached_property
    def generation(self) -> int:
        """The id of the last change in this snapshot, 0 in an empty file."""
        return self.count("last_change")

    @property
    def graph_id(self) -> str:
        """The identity of the graph, the same under every path and in every copy; "" in a file of an older schema."""
        row = self.row("meta_value", {"key": "graph_id"})
        return str(row[0]) if row else ""


class Writer(Reader):
    """The write in progress. It adds its row to the change log when `change` is first used, so none if nothing changes.

    Set `voids_indexes` where rows are removed for good, which indexes in memory cannot follow.
    """

    def __init__(
        self, cursor: duckdb.DuckDBPyConnection, origin: Origin, epoch: int, before: Known | None = None
    ) -> None:
        """`before` is what the last write knew; one of another epoch does not count."""
        super().__init__(cursor, epoch)
        self._before = before if before is not None and before.epoch == epoch else None
        if self._before:
            self._lasting = self._before.lasting
        self.origin = origin
        self.voids_indexes = False
        self.recorded_at = now()
        self._change: int | None = None
        self._drawn: dict[str, int] = {}  # ids by sequence that are not used yet
        self.added: dict[str, list[Mapping[str, Any]]] = defaultdict(list)  # the rows that `add_row` has, by statement
        self.only_added = True  # whether no other statement has changed anything
        self._waiting: list[str] = []  # the statements of `add_row` that are not run yet
        self.expected: Sequence[str] = ()  # sequences of which one id more will be used than the next that is drawn

    @cached_property
    def generation(self) -> int:
        """The id of the last change in this snapshot, 0 in an empty file."""
        return self._before.generation if self._before and not self.changed else self.count("last_change")

    @property
    def previous(self) -> int | None:
        """The last change before this write, None where that is not known."""
        return self._before.generation if self._before else None

    def known_after(self) -> Known | None:
        """What the next write need not read again, once this one is committed; None if that is not known."""
        if self.voids_indexes:
            return None
        if self._change is not None:
            return Known(self.epoch, self._change, self._lasting)
        return self._before

    @property
    def change(self) -> int:
        """The id of this write's row in the change log."""
        if self._change is None:
            self._memo.clear()
            self._change = int(self.new_ids("change_id", 1)[0])
            self.add_row(
                "add_change",
                {
                    "id": self._change,
                    "recorded_at": self.recorded_at,
                    "client": self.origin.client,
                    "request_id": self.origin.request_id,
                    "tool": self.origin.tool,
                    "operation": self.origin.operation or self._change,
                    "job_id": self.origin.job,
                },
            )
        return self._change

    def log_change(self) -> None:
        """Add this write to the change log, where no statement names it."""
        _ = self.change

    @property
    def changed(self) -> bool:
        """Whether it has."""
        return self._change is not None

    def run(self, sql: str, parameters: Mapping[str, Any] | None = None) -> duckdb.DuckDBPyConnection:
        """As of a snapshot; the parameters `change` and `now` of statements that record or retire rows are added."""
        stamp: dict[str, Any] = {"now": self.recorded_at}
        if "$change" in sql and "change" in PARAMETER.findall(sql):
            stamp["change"] = self.change
            self.only_added = False
        self.flush()
        return super().run(sql, stamp | dict(parameters or {}))

    def execute(self, statement: str, parameters: Mapping[str, Any] | None = None, **parts: str) -> None:
        """Run the named statement; `parts` replace `{...}` in it."""
        self.only_added = False
        self.run(find_statement(statement, parts), parameters)

    def add_row(self, statement: str, values: Mapping[str, Any], **parts: str) -> None:
        """Run the named statement, which adds a row with these values; indexes then need not read it.

        It is run with others before the next statement, or at the end.
        """
        stamp = {"now": self.recorded_at, "change": self.change}
        self.added[statement].append(values)
        sql, bound = with_constants(find_statement(statement, parts), {**stamp, **values})
        if bound:  # by a statement alone
            self.flush()
            self._cursor.execute(sql, bound)
        else:
            self.run_later(sql)

    def run_later(self, sql: str) -> None:
        """Run a statement of constants with the rows of `add_row`."""
        self._waiting.append(sql)

    def flush(self) -> None:
        """Run what waits of `add_row`, as one text: to optimize constants would take a fourth of the time."""
        if self._waiting:
            waiting, self._waiting = self._waiting, []
            self._cursor.execute(";\n".join([WITHOUT_OPTIMIZER, *waiting, WITH_OPTIMIZER]))

    def new_ids(self, sequence: str, count: int) -> Ids:
        """`count` new ids, ascending."""
        if not count:
            return np.empty(0, dtype=np.int64)
        if count == 1:
            if sequence not in self._drawn:
                self._draw(sequence)
            return np.array([self._drawn.pop(sequence)], dtype=np.int64)
        return self.ids("new_ids", {"count": count}, sequence=sequence)

    def _draw(self, sequence: str) -> None:
        """Draw the next id of a sequence, and in the same statement those that will be used with it."""
        # Who draws an id will use it in a row of this change.
        with_it = [*self.expected, *(() if self.changed else ("change_id",))]
        names = list(dict.fromkeys([sequence, *(name for name in with_it if name not in self._drawn)]))
        self.expected = ()
        (row,) = self.rows("next_ids", wanted=", ".join(f"nextval('{name}')" for name in names))
        self._drawn |= zip(names, row, strict=True)
