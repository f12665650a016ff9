"""A file brought to the newest form: numbered migrations, each applied with its record in one transaction."""

from pathlib import Path

import duckdb

from mcp_graphrag.errors import FileTooNew, FileTrouble, NotAGraph
from mcp_graphrag.store.statements import migrations

OURS = "mcp-graphrag"


def migrate(connection: duckdb.DuckDBPyConnection, path: Path, *, read_only: bool) -> None:
    """Apply what the file lacks.

    Raises NotAGraph for another program's database and FileTooNew for one written by a newer version.
    """
    stands_at = schema_version(connection, path)
    newest = migrations()[-1][0]
    if stands_at > newest:
        raise FileTooNew(
            path,
            f"{path} was written by a newer mcp-graphrag (schema {stands_at}; this one knows {newest}).",
            "Upgrade it: pip install --upgrade mcp-graphrag.",
        )
    if stands_at < newest and read_only:
        raise FileTrouble(
            path, f"{path} has schema {stands_at}, this version reads {newest}.", "Open it once without --read-only."
        )
    for number, sql in migrations():
        if number > stands_at:
            connection.execute("BEGIN TRANSACTION")
            connection.execute(sql)
            connection.execute(
                "INSERT OR REPLACE INTO meta VALUES ('application', $ours), ('schema_version', $number)",
                {"ours": OURS, "number": str(number)},
            )
            connection.execute("COMMIT")


def schema_version(connection: duckdb.DuckDBPyConnection, path: Path) -> int:
    """The number of the last migration applied, 0 for an empty database. Raises NotAGraph for anything else."""
    tables = {name for (name,) in connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()}
    if not tables:
        return 0
    if "meta" in tables:
        try:
            found = dict(connection.execute("SELECT key, value FROM meta").fetchall())
        except duckdb.BinderException:
            found = {}
        if found.get("application") == OURS:
            return int(found["schema_version"])
    raise NotAGraph(
        path, f"{path} is a DuckDB file of another program.", "It was left as it was; name another file with --db."
    )
