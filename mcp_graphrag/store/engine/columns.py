"""Python values as the numpy columns that DuckDB reads as a table."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from operator import attrgetter
from typing import Any, TypeVar, cast, get_type_hints

import numpy as np
from numpy.typing import NDArray

from mcp_graphrag.model import Ids

Record = TypeVar("Record")


def id_column(ids: Iterable[int]) -> dict[str, NDArray[Any]]:
    """A table of ids, each once, ascending, in one column called `id`."""
    return {"id": np.array(sorted({int(value) for value in ids}), dtype=np.int64)}


def text_column(values: Iterable[str | None]) -> np.ndarray[Any, np.dtype[np.object_]]:
    """Strings as the object array that DuckDB reads as VARCHAR; lone surrogates become question marks."""
    values = list(values)
    if not all(map(str.isascii, filter(None, values))):
        values = [value and value.encode("utf-8", "replace").decode("utf-8") for value in values]
    return np.array(values, dtype=object)


def optional_id_column(values: Sequence[int | None]) -> Ids:
    """Numbers with -1 for None, which the statements turn to NULL: DuckDB ignores the mask of a masked array."""
    if values.count(None) == len(values):
        return np.full(len(values), -1, dtype=np.int64)
    return np.array([-1 if value is None else value for value in values], dtype=np.int64)


def time_column(values: Sequence[datetime | None]) -> NDArray[np.datetime64]:
    """Moments in microseconds; None is not-a-time, which DuckDB reads as NULL."""
    if values.count(None) == len(values):
        return np.full(len(values), "NaT", dtype="datetime64[us]")
    return np.array(values, dtype="datetime64[us]")


def row_columns(types: Mapping[str, Any], rows: Iterable[Sequence[Any]]) -> dict[str, NDArray[Any]]:
    """Rows as a table with columns of these names and types, and the `position` of each row.

    An int is BIGINT, with -1 for None, a float FLOAT, one that may be None DOUBLE, with NaN for None, a datetime
    TIMESTAMP, and everything else text.
    """
    rows = list(rows)
    columns: dict[str, NDArray[Any]] = {"position": np.arange(len(rows), dtype=np.int64)}
    for at, (name, type_) in enumerate(types.items()):
        values = [row[at] for row in rows]
        if type_ in {int, int | None}:
            columns[name] = optional_id_column(values)
        elif type_ in {float, bool}:
            columns[name] = np.array(values, dtype=np.float32 if type_ is float else np.bool_)
        elif type_ == float | None:
            columns[name] = np.array(values, dtype=np.float64)
        else:
            is_time = type_ in {datetime, datetime | None}
            columns[name] = time_column(values) if is_time else text_column(values)
    return columns


def record_columns(kind: type[Record], records: Iterable[Record]) -> dict[str, NDArray[Any]]:
    """Records of a dataclass or named tuple as such a table, with a column for each field."""
    types = get_type_hints(kind)
    if issubclass(kind, tuple):
        return row_columns(types, cast("Iterable[Sequence[Any]]", records))
    return row_columns(types, map(attrgetter(*types), records))


def component_columns(vectors: NDArray[Any]) -> dict[str, NDArray[Any]]:
    """One column per component of the vectors, which have shape (rows, dimension).

    DuckDB reads no 2-D array; without pyarrow this is the fastest way in. `component_list` puts them together again.
    """
    return {f"c{at}": np.ascontiguousarray(vectors[:, at]) for at in range(vectors.shape[1])}


def component_list(dimension: int) -> str:
    """The vector of `component_columns` as an SQL expression."""
    return f"[{','.join(f'c{at}' for at in range(dimension))}]"
