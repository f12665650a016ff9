"""What was known at a moment: the tables as they stood after one change, for every statement to read.

Temporary views shadow the tables by name on one cursor, so that each statement of this room, unchanged, answers from
what was known then. In them nothing is retired: what is not in force has no row.
"""

from collections.abc import Generator
from contextlib import contextmanager
from datetime import datetime

from mcp_graphrag.errors import BadInput
from mcp_graphrag.store.transaction import Reader, now

THEN = "recorded_change <= {known} AND (retired_change IS NULL OR retired_change > {known})"
# Rows that are in force again since, or under other words.
BEFORE = (
    "JOIN {{file}}.main.past p ON p.kind = '{table}' AND p.id = t.id"
    " AND p.recorded_change <= {known} AND p.retired_change > {known}"
)

# Columns between id and recorded_at. `{was}` of a past row holds the words that were changed since.
COLUMNS = {
    "document": ("uri", "title", "source", "media_type", "metadata", "sha256", "length"),
    "chunk": (
        *("document_id", "parent_id", "ordinal", "start_offset", "end_offset", "headings", "context", "text"),
        "sha256",
    ),
    "entity": ("name", "norm", "type", "type_extractor", "description", "properties"),
    "triple": ("subject_id", "predicate_id", "object_id", "confidence", "valid_from", "valid_to", "properties"),
    "evidence": (
        *("triple_id", "chunk_id", "start_offset", "end_offset", "quote", "extractor", "confidence", "surface"),
        "source",
    ),
    "chunk_edge": ("source_id", "target_id", "relation", "weight", "description", "extractor"),
}
WORDS = {
    "document": ("title", "source", "metadata"),
    "entity": ("name", "norm", "type", "type_extractor", "description", "properties"),
}
LATER = {"evidence": ("subject_name", "object_name", "properties")}  # columns that a migration put behind the times
NAMED = {
    "entity_alias": "SELECT entity_id, name, norm, origin, document_id, recorded_at, recorded_change,"
    " retired_at, NULL::BIGINT AS retired_change, said_in FROM {file}.main.entity_alias",
    "mention": "SELECT chunk_id, entity_id, start_offset, end_offset, extractor, recorded_change, name, type,"
    " NULL::BIGINT AS retired_change FROM {file}.main.mention",
    "conflict": "SELECT * REPLACE (NULL::BIGINT AS retired_change) FROM {file}.main.conflict",
    "merge": "SELECT * REPLACE (NULL::BIGINT AS retired_change) FROM {file}.main.merge",
    "distinct_pair": "SELECT * REPLACE (NULL::BIGINT AS retired_change) FROM {file}.main.distinct_pair",
    "ontology": "SELECT * REPLACE (NULL::BIGINT AS retired_change) FROM {file}.main.ontology",
}


def generation_at(tx: Reader, moment: datetime) -> int:
    """The last change that was known at a moment, 0 before the first. Raises BadInput for one in the future."""
    if moment > now():
        raise BadInput(
            f"known_at is {moment:%Y-%m-%d %H:%M}, which is in the future.",
            "Give a past moment, or ask with as_of for what will hold.",
        )
    return tx.count("change_at", {"moment": moment})


def shadow(tx: Reader, known: int) -> None:
    """Let every statement on this cursor read the tables as they stood after a change."""
    # "main" alone would be the schema of the temporary views too.
    file = quoted(str((tx.row("database") or ("",))[0]))
    for table in COLUMNS:
        tx.run(f"CREATE OR REPLACE TEMP VIEW {table} AS {_snapshot(table, known).format(file=file)}")
    for table, select in NAMED.items():
        tx.run(f"CREATE OR REPLACE TEMP VIEW {table} AS {select.format(file=file)} WHERE {THEN.format(known=known)}")
    tx.known = known


def quoted(name: str) -> str:
    """A name as SQL takes it whatever is in it."""
    return '"' + name.replace('"', '""') + '"'


@contextmanager
def present(tx: Reader) -> Generator[None]:
    """Let a snapshot that looks back read the tables as they are, for the block."""
    known, tx.known = tx.known, None
    for table in (*COLUMNS, *NAMED):
        tx.run(f"DROP VIEW temp.{table}")
    try:
        yield
    finally:
        if known is not None:
            shadow(tx, known)


def _snapshot(table: str, known: int) -> str:
    # The CASE keeps the condition out of the scan: with one pushed into it, a look-up by id would not use the key.
    later = LATER.get(table, ())
    columns = ", ".join(f"t.{column}" for column in COLUMNS[table])
    rest = "".join(f", t.{column}" for column in later)
    words = ", ".join(_then(table, column) for column in COLUMNS[table])
    return (
        f"SELECT t.id, {columns}, t.recorded_at, t.recorded_change, t.retired_at, NULL::BIGINT AS retired_change{rest},"
        f" t.retired_change IS NOT NULL AS then_only FROM {{file}}.main.{table} t"
        f" WHERE CASE WHEN {THEN.format(known=known)} THEN true ELSE false END"
        f" UNION ALL SELECT t.id, {words}, p.recorded_at, p.recorded_change, p.retired_at, NULL{rest}, true"
        f" FROM {{file}}.main.{table} t {BEFORE.format(table=table, known=known)}"
    )


def _then(table: str, column: str) -> str:
    if column not in WORDS.get(table, ()):
        return f"t.{column}"
    said = f"p.was->>'$.{column}'"
    return f"({said})::JSON" if column in {"metadata", "properties"} else said
