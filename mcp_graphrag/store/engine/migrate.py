"""Schema migrations: numbered, each applied together with its record in one transaction."""

from pathlib import Path

import duckdb

from mcp_graphrag.errors import FileTooNew, FileTrouble, NotAGraph
from mcp_graphrag.store.engine.statements import migrations
from mcp_graphrag.store.engine.views import renew_views, views_are_current

APPLICATION = "mcp-graphrag"
RECORD = "INSERT OR REPLACE INTO meta VALUES ('application', $application), ('schema_version', $number)"
# Another schema of a PostgreSQL database is nobody's concern; in a file, whatever there is makes it another program's.
TABLES = """SELECT table_name FROM duckdb_tables()
WHERE database_name = current_database() AND (schema_name = current_schema() OR current_schema() = 'main')"""


def newest_schema() -> int:
    """The number of the last migration that this version knows."""
    return migrations()[-1][0]


def check_schema(version: int, path: Path, name: str) -> None:
    """Raise FileTooNew for a graph, a file or database of this name, that a newer version has written."""
    if version > newest_schema():
        raise FileTooNew(
            path,
            f"{name} was written by a newer mcp-graphrag (schema {version}; this one knows {newest_schema()}).",
            "Upgrade it: pip install --upgrade mcp-graphrag.",
        )


def checked_version(connection: duckdb.DuckDBPyConnection, path: Path, name: str, *, read_only: bool) -> int:
    """The number of the last migration applied, 0 where there are no tables, of a graph that may be used.

    Raises NotAGraph for another program's tables and FileTooNew for those written by a newer version.
    """
    current = schema_version(connection, path, name)
    check_schema(current, path, name)
    if current < newest_schema() and read_only:
        has = f"{name} has schema {current}, this version reads {newest_schema()}."
        fact = has if current else f"There is no graph in {name}."
        raise FileTrouble(path, fact, "Open it once without --read-only.")
    return current


def is_current(connection: duckdb.DuckDBPyConnection, current: int) -> bool:
    """Whether a file of a version lacks no migration and has the views of this version."""
    return current == newest_schema() and views_are_current(connection)


def migrate(connection: duckdb.DuckDBPyConnection, current: int) -> None:
    """Apply the migrations that a file of a version lacks, and renew its views."""
    for number, sql in migrations():
        if number > current:
            connection.execute("BEGIN TRANSACTION")
            connection.execute(sql)
            connection.execute(RECORD, {"application": APPLICATION, "number": str(number)})
            connection.execute("COMMIT")
    renew_views(connection)


def schema_version(connection: duckdb.DuckDBPyConnection, path: Path, name: str) -> int:
    """The number of the last migration applied, 0 where there are no tables. Raises NotAGraph for any others."""
    tables = {name for (name,) in connection.execute(TABLES).fetchall()}
    if not tables:
        return 0
    if "meta" in tables:
        try:
            found = dict(connection.execute("SELECT key, value FROM meta").fetchall())
        except duckdb.BinderException:
            found = {}
        if found.get("application") == APPLICATION:
            return int(found["schema_version"])
    fact = f"{name} holds tables of another program."
    raise NotAGraph(path, fact, "It was not changed; name another file or database with --db.")
