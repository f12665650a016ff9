"""Python values as columns: what DuckDB reads is what was given, None included."""

from dataclasses import dataclass
from datetime import datetime

from hypothesis import given
from hypothesis import strategies as st
from store_helpers import rows

from mcp_graphrag.store import Store
from mcp_graphrag.store.engine.columns import optional_id_column, record_columns, row_columns, text_column, time_column

Y2020 = datetime(2020, 1, 1, 12, 30, 0, 5)  # noqa: DTZ001  (times in the file are naive UTC)


@dataclass(frozen=True)
class Record:
    number: int
    optional: int | None
    share: float
    said: bool
    text: str | None
    at: datetime


RECORDS = [Record(7, None, 0.5, said=True, text="größe", at=Y2020), Record(8, 9, 0.25, said=False, text=None, at=Y2020)]


def test_records_are_read_as_a_table_with_minus_one_for_a_missing_number(store: Store) -> None:
    with store.reading() as tx, tx.incoming("given", record_columns(Record, RECORDS)):
        assert rows(tx, "FROM given ORDER BY position") == [
            (0, 7, -1, 0.5, True, "größe", Y2020),
            (1, 8, 9, 0.25, False, None, Y2020),
        ]
        types = [row[1] for row in rows(tx, "DESCRIBE given")]
    assert types == ["BIGINT", "BIGINT", "BIGINT", "FLOAT", "BOOLEAN", "VARCHAR", "TIMESTAMP"]


def test_no_rows_are_an_empty_table_of_the_same_types(store: Store) -> None:
    types = {"id": int, "moment": datetime, "said": bool, "share": float}
    with store.reading() as tx, tx.incoming("given", row_columns(types, [])):
        assert rows(tx, "FROM given") == []
        assert [row[1] for row in rows(tx, "DESCRIBE given")] == ["BIGINT", "BIGINT", "TIMESTAMP", "BOOLEAN", "FLOAT"]


@given(st.lists(st.none() | st.integers(0, 2**60)))
def test_every_number_stays_and_none_becomes_minus_one(numbers: list[int | None]) -> None:
    assert optional_id_column(numbers).tolist() == [-1 if number is None else number for number in numbers]


@given(st.lists(st.none() | st.datetimes()))
def test_every_moment_stays(moments: list[datetime | None]) -> None:
    assert time_column(moments).tolist() == moments


@given(st.lists(st.none() | st.text()))
def test_every_text_stays_but_for_lone_surrogates(texts: list[str | None]) -> None:
    assert text_column(texts).tolist() == texts
    assert text_column(["a\udcff", *texts]).tolist() == ["a?", *texts]
