"""One transaction on one cursor: a snapshot to read from, or the one write in progress.

Only the modules of this room name statements; every other room calls their functions with the transaction.
"""

import json
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cached_property
from typing import Any, cast

import duckdb
import numpy as np
from numpy.typing import NDArray

from mcp_graphrag.model import Ids, Origin
from mcp_graphrag.store.statements import statements

Columns = Mapping[str, NDArray[Any]]


def now() -> datetime:
    """The present as naive UTC, the only kind of time in the file."""
    return datetime.now(UTC).replace(tzinfo=None)


def bound(value: Any) -> Any:
    """A parameter as DuckDB takes it fastest: a list as its JSON text, which the statement casts.

    For each element of a list DuckDB would look for pandas, in vain: 36 ms for a vector of 256. Lone surrogates, as in
    an argument that is not UTF-8, become question marks.
    """
    if isinstance(value, list):
        value = json.dumps(value, ensure_ascii=False)
    return value.encode("utf-8", "replace").decode("utf-8") if isinstance(value, str) else value


def id_column(ids: Iterable[int]) -> dict[str, NDArray[Any]]:
    """Ids as columns to offer: each once, ascending, under the name `id`."""
    return {"id": np.array(sorted({int(each) for each in ids}), dtype=np.int64)}


class Reader:
    """A snapshot of the file: everything read through it belongs to one generation."""

    def __init__(self, cursor: duckdb.DuckDBPyConnection) -> None:
        self._cursor = cursor
        self.known: int | None = None  # the last change that it knows of, None for all (see `known.shadow`)

    def rows(self, statement: str, parameters: Mapping[str, Any] | None = None) -> list[tuple[Any, ...]]:
        """All rows of the named statement."""
        return self.run(statements()[statement], parameters).fetchall()

    def row(self, statement: str, parameters: Mapping[str, Any] | None = None) -> tuple[Any, ...] | None:
        """The first row of the named statement, or None."""
        return self.run(statements()[statement], parameters).fetchone()

    def rows_by_id(
        self, statement: str, ids: Iterable[int], parameters: Mapping[str, Any] | None = None
    ) -> list[tuple[Any, ...]]:
        """All rows of the named statement for ids that stand in it as constants.

        Sorted constants are looked up by primary key; a bound list is joined with a scan of the whole table.
        """
        listed = ",".join(str(each) for each in sorted({int(each) for each in ids}))
        return self.run(statements()[statement].format(ids=listed), parameters).fetchall() if listed else []

    def count(self, statement: str, parameters: Mapping[str, Any] | None = None) -> int:
        """The one number that the named statement answers, 0 for NULL."""
        found = self.row(statement, parameters)
        return int(found[0] or 0) if found else 0

    def columns(self, statement: str, parameters: Mapping[str, Any] | None = None) -> dict[str, NDArray[Any]]:
        """The named statement's columns as numpy arrays; NULLs make a masked array."""
        return self.arrays(statements()[statement], parameters)

    def arrays(self, sql: str, parameters: Mapping[str, Any] | None = None) -> dict[str, NDArray[Any]]:
        """The columns of SQL that cannot stand in a statement file, as numpy arrays."""
        # The stub has a pandas type in it that this project does not install; no column here is of an ENUM type.
        return cast("dict[str, NDArray[Any]]", self.run(sql, parameters).fetchnumpy())  # pyright: ignore[reportUnknownMemberType]

    def run(self, sql: str, parameters: Mapping[str, Any] | None = None) -> duckdb.DuckDBPyConnection:
        """SQL that cannot stand in a statement file because it names a dimension or a table."""
        if not parameters:
            return self._cursor.execute(sql)
        return self._cursor.execute(sql, {name: bound(value) for name, value in parameters.items()})

    @contextmanager
    def offering(self, name: str, columns: Columns) -> Generator[None]:
        """Numpy columns as a table called `name`, for the statements inside the block. Object arrays are text."""
        self._cursor.register(name, dict(columns))
        try:
            yield
        finally:
            self._cursor.unregister(name)

    def interrupt(self) -> None:
        """Stop the running statement from another thread; it raises `duckdb.InterruptException` there."""
        self._cursor.interrupt()

    @cached_property
    def generation(self) -> int:
        """The id of the last change in this snapshot, 0 in an empty file."""
        return self.count("last_change")


class Writer(Reader):
    """The write in progress. Its change row is made at the first use of `change`, so a write of nothing leaves none."""

    def __init__(self, cursor: duckdb.DuckDBPyConnection, origin: Origin) -> None:
        super().__init__(cursor)
        self.origin = origin
        self.recorded_at = now()
        self._change: int | None = None

    @property
    def change(self) -> int:
        """The id of this write's row in the change log."""
        if self._change is None:
            self._change = int(self.new_ids("change_id", 1)[0])
            self.rows(
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

    @property
    def changed(self) -> bool:
        """Whether this write has written anything."""
        return self._change is not None

    def stamp(self) -> dict[str, Any]:
        """The parameters of a row recorded or retired by this write."""
        return {"change": self.change, "now": self.recorded_at}

    def new_ids(self, sequence: str, count: int) -> Ids:
        """`count` fresh ids, ascending."""
        found = self.arrays(f"SELECT nextval('{sequence}') AS id FROM range({count})")["id"]
        return np.asarray(found, dtype=np.int64)
