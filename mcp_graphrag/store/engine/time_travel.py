"""Reading the past: the tables as they were after one change, for every statement to read.

Temporary views shadow the tables by name on one cursor, so that the same statements read the past. A view has only the
rows that were active then, and shows none of them as retired.
"""

from collections.abc import Generator
from contextlib import contextmanager
from datetime import datetime

from mcp_graphrag.errors import BadInput
from mcp_graphrag.store.engine.transaction import Reader, now

ACTIVE_THEN = "recorded_change <= {known} AND (retired_change IS NULL OR retired_change > {known})"
# Earlier intervals of rows that were restored or updated since.
EARLIER = (
    "JOIN {{tables}}.past p ON p.kind = '{table}' AND p.id = t.id"
    " AND p.recorded_change <= {known} AND p.retired_change > {known}"
)

# Tables that are read with their earlier intervals.
HISTORY_TABLES = ("document", "chunk", "entity", "triple", "evidence", "chunk_edge")
# Columns whose earlier values are in `past.was`.
UPDATED_COLUMNS = {
    "document": ("title", "source", "metadata"),
    "entity": ("name", "norm", "type", "type_extractor", "description", "properties"),
}
# Tables that are read without them.
SIMPLE_TABLES = (
    *("entity_alias", "mention", "entity_value", "conflict", "merge", "distinct_pair", "ontology", "extraction"),
)


def generation_at(tx: Reader, moment: datetime) -> int:
    """The last change made until a moment, 0 before the first.

    Raises BadInput for a moment in the future, and for one before that up to which retired rows were dropped.
    """
    if moment > now():
        raise BadInput(
            f"known_at is {moment:%Y-%m-%d %H:%M}, which is in the future.",
            "Give a past moment, or use as_of for what will be valid then.",
        )
    known = tx.count("change_at", {"moment": moment})
    dropped = tx.row("compacted")
    if dropped is not None and known < dropped[0]:
        raise BadInput(
            f"What was known at {moment:%Y-%m-%d %H:%M} is no longer in the file: what was retired until"
            f" {dropped[1]:%Y-%m-%d %H:%M:%S} was dropped by `mcp-graphrag compact`.",
            "Ask for a later moment, or look into a backup.",
        )
    return known


def look_back(tx: Reader, known: int) -> None:
    """Let every statement on this cursor read the tables as they were after a change."""
    # "main" alone also names the schema of the temporary views.
    ((database, schema),) = tx.rows("database")
    tables = f'"{database.replace(chr(34), chr(34) * 2)}".{schema}'
    views = {table: _history_view(table, known) for table in HISTORY_TABLES}
    simple = "SELECT * REPLACE (NULL::BIGINT AS retired_change) FROM {{tables}}.{table} WHERE " + ACTIVE_THEN
    views |= {table: simple.format(table=table, known=known) for table in SIMPLE_TABLES}
    for table, select in views.items():
        tx.run(f"CREATE OR REPLACE TEMP VIEW {table} AS {select.format(tables=tables)}")
    tx.known = known


@contextmanager
def present(tx: Reader) -> Generator[None]:
    """Let a snapshot of the past read the newest tables inside the block."""
    known, tx.known = tx.known, None
    for table in (*HISTORY_TABLES, *SIMPLE_TABLES):
        tx.run(f"DROP VIEW temp.{table}")
    try:
        yield
    finally:
        if known is not None:
            look_back(tx, known)


def earlier_values(table: str) -> str:
    """The columns of a table that updates change, as an SQL expression for `past.was`; NULL if there are none."""
    pairs = ", ".join(f"'{column}', {column}" for column in UPDATED_COLUMNS.get(table, ()))
    return f"json_object({pairs})" if pairs else "NULL"


def _history_view(table: str, known: int) -> str:
    # The CASE keeps the condition out of the scan: otherwise a lookup by id would not use the primary key.
    earlier = "".join(f", {_earlier_value(column)} AS {column}" for column in UPDATED_COLUMNS.get(table, ()))
    return (
        "SELECT t.* REPLACE (NULL::BIGINT AS retired_change), t.retired_change IS NOT NULL AS then_only"
        f" FROM {{tables}}.{table} t"
        f" WHERE CASE WHEN {ACTIVE_THEN.format(known=known)} THEN true ELSE false END"
        " UNION ALL SELECT t.* REPLACE (p.recorded_at AS recorded_at, p.recorded_change AS recorded_change,"
        f" p.retired_at AS retired_at, NULL::BIGINT AS retired_change{earlier}), true"
        f" FROM {{tables}}.{table} t {EARLIER.format(table=table, known=known)}"
    )


def _earlier_value(column: str) -> str:
    value = f"p.was->>'$.{column}'"
    return f"({value})::JSON" if column in {"metadata", "properties"} else f"({value})"
