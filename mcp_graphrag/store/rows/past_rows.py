"""Earlier intervals of rows, in the table `past`: nothing is overwritten, so that every look back finds it.

A row that is restored keeps its id; the interval in which it was active before goes to `past`, as do the values of an
entity or document that are about to be updated.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from mcp_graphrag.model import Ids
from mcp_graphrag.store.engine.columns import id_column
from mcp_graphrag.store.engine.time_travel import earlier_values
from mcp_graphrag.store.engine.transaction import Reader, Writer


def keep_values(tx: Writer, table: str, ids: Iterable[int]) -> None:
    """Copy the values of rows that are about to be updated, unless this write has already changed them."""
    with tx.incoming("incoming_id", id_column(ids)):
        tx.execute("keep_values", table=table, was=earlier_values(table))


def retired_ids(tx: Reader, table: Literal["chunk", "entity", "evidence"], *, since: int) -> Ids:
    """The ids of the rows of a table that were retired after a generation."""
    return tx.ids("retired_ids", {"since": since}, table=table)


def restore_rows(tx: Writer, table: str, query: str, parameters: Mapping[str, Any] | None = None, **parts: str) -> None:
    """Make the rows of a table active again whose ids the named query returns; `table` and `parts` fill its `{...}`."""
    with tx.temporary("restored", query, parameters, table=table, **parts):
        tx.execute("keep_interval", table=table, was=earlier_values(table))
        tx.execute("restore", table=table)
