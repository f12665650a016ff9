"""The views for people who open the file, and the comments of tables, views and columns, as this version has them."""

import tomllib
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from importlib import resources

import duckdb

from mcp_graphrag.store.engine.statements import literal

FOLDER = resources.files("mcp_graphrag.store") / "views"
META_KEY = "views"
VIEW = "CREATE OR REPLACE VIEW "
EVERY = "*"  # the section of columns of one meaning in all tables
# A table or view of somebody else may have the name of a view: ours have comments.
TAKEN = """SELECT table_name FROM duckdb_tables() WHERE NOT internal
UNION ALL SELECT view_name FROM duckdb_views() WHERE NOT internal AND comment IS NULL"""
COLUMNS = """SELECT table_name, table_name IN (SELECT view_name FROM duckdb_views()), list(column_name)
FROM duckdb_columns() WHERE schema_name = 'main' AND NOT internal GROUP BY table_name"""


def views_are_current(connection: duckdb.DuckDBPyConnection) -> bool:
    """Whether the views and comments of a file are those of this version."""
    found = connection.execute("SELECT value FROM meta WHERE key = $key", {"key": META_KEY}).fetchone()
    return found == (_version(),)


def renew_views(connection: duckdb.DuckDBPyConnection) -> None:
    """Make the views and comments of a file those of this version, in one transaction; what others made stays."""
    connection.execute("BEGIN TRANSACTION")
    taken = {name for (name,) in connection.execute(TAKEN).fetchall()} & _views().keys()
    connection.execute("".join(sql for name, sql in _views().items() if name not in taken))
    found = connection.execute(COLUMNS).fetchall()
    described = [each for each in found if each[0] in _texts() and each[0] not in taken]
    connection.execute("".join(line for each in described for line in _comments(*each)))
    connection.execute("INSERT OR REPLACE INTO meta VALUES ($key, $version)", {"key": META_KEY, "version": _version()})
    connection.execute("COMMIT")


def make_views(connection: duckdb.DuckDBPyConnection) -> None:
    """Make the views alone."""
    connection.execute("".join(_views().values()))


def _comments(table: str, is_view: bool, columns: list[str]) -> Iterator[str]:  # noqa: FBT001  (a column of a row)
    """The statements that comment on a table or view and on its columns."""
    texts = _texts()
    own = texts.get(table, {})
    if "" in own:
        yield f"COMMENT ON {'VIEW' if is_view else 'TABLE'} {table} IS {literal(own[''])};"
    for column in columns:
        if text := own.get(column) or texts[EVERY].get(column):
            yield f'COMMENT ON COLUMN {table}."{column}" IS {literal(text)};'


@cache
def _views() -> dict[str, str]:
    """The statement of each view by its name, in order."""
    statements = (FOLDER / "views.sql").read_text(encoding="utf-8").split(VIEW)[1:]
    return {each.split(maxsplit=1)[0]: VIEW + each for each in statements}


@cache
def _texts() -> dict[str, dict[str, str]]:
    return tomllib.loads((FOLDER / "comments.toml").read_text(encoding="utf-8"))


@cache
def _version() -> str:
    return sha256(repr((_views(), _texts())).encode()).hexdigest()[:16]
