"""Schema migrations: numbered, each applied together with its record in one transaction."""

from pathlib import Path

import duckdb

from mcp_graphrag.errors import FileTooNew, FileTrouble, NotAGraph
from mcp_graphrag.store.engine.statements import migrations
from mcp_graphrag.store.engine.views import renew_views, views_are_current

APPLICATION = "mcp-graphrag"


def checked_version(connection: duckdb.DuckDBPyConnection, path: Path, *, read_only: bool) -> int:
    """The number of the last migration applied, 0 for an empty database, of a file that may be used.

    Raises NotAGraph for another program's database and FileTooNew for one written by a newer version.
    """
    current = schema_version(connection, path)
    newest = migrations()[-1][0]
    if current > newest:
        raise FileTooNew(
            path,
            f"{path} was written by a newer mcp-graphrag (schema {current}; this one knows {newest}).",
            "Upgrade it: pip install --upgrade mcp-graphrag.",
        )
    if current < newest and read_only:
        raise FileTrouble(
            path, f"{path} has schema {current}, this version reads {newest}.", "Open it once without --read-only."
        )
    return current


def is_current(connection: duckdb.DuckDBPyConnection, current: int) -> bool:
    """Whether a file of a version lacks no migration and has the views of this version."""
    return current == migrations()[-1][0] and views_are_current(connection)


def migrate(connection: duckdb.DuckDBPyConnection, current: int) -> None:
    """Apply the migrations that a file of a version lacks, and renew its views."""
    for number, sql in migrations():
        if number > current:
            connection.execute("BEGIN TRANSACTION")
            connection.execute(sql)
            connection.execute(
                "INSERT OR REPLACE INTO meta VALUES ('application', $application), ('schema_version', $number)",
                {"application": APPLICATION, "number": str(number)},
            )
            connection.execute("COMMIT")
    renew_views(connection)


def schema_version(connection: duckdb.DuckDBPyConnection, path: Path) -> int:
    """The number of the last migration applied, 0 for an empty database. Raises NotAGraph for any other database."""
    tables = {name for (name,) in connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()}
    if not tables:
        return 0
    if "meta" in tables:
        try:
            found = dict(connection.execute("SELECT key, value FROM meta").fetchall())
        except duckdb.BinderException:
            found = {}
        if found.get("application") == APPLICATION:
            return int(found["schema_version"])
    raise NotAGraph(
        path, f"{path} is a DuckDB file of another program.", "It was not changed; name another file with --db."
    )
