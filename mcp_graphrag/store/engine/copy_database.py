"""A copy of one state of the open file in a new one: tables, sequences, views and comments, without free space.

DuckDB makes it, and not a copy of the bytes: closing a second handle of the file would end the lock on it (POSIX).
"""

import secrets
from contextlib import suppress
from pathlib import Path

import duckdb

BLOCK_SIZE = 65_536  # a quarter of the default: a small graph takes half the space


def copy_database(cursor: duckdb.DuckDBPyConnection, target: Path) -> None:
    """Copy the database of a cursor into a new file. What was written of it is removed where this fails.

    Raises duckdb.Error.
    """
    ((source,),) = cursor.execute("SELECT current_database()").fetchall()
    name = f"copy_{secrets.token_hex(8)}"
    cursor.execute(f"ATTACH {_quoted(target)} AS {name} (BLOCK_SIZE {BLOCK_SIZE})")
    try:
        escaped = str(source).replace('"', '""')
        cursor.execute(f'COPY FROM DATABASE "{escaped}" TO {name}')
        cursor.execute(f"CHECKPOINT {name}")
        cursor.execute(f"DETACH {name}")
    except BaseException:
        with suppress(duckdb.Error):
            cursor.execute(f"DETACH {name}")
        for left in (target, target.with_name(target.name + ".wal")):
            left.unlink(missing_ok=True)
        raise


def copy_unopened(source: Path, target: Path, memory_limit: str) -> None:
    """Copy the database in a file into a new file; the first stays as it is. Raises duckdb.Error."""
    config: dict[str, str | bool | int | float | list[str]] = {
        "memory_limit": memory_limit,
        "autoinstall_known_extensions": False,
    }
    with duckdb.connect(":memory:", config=config) as connection:
        connection.execute(f"ATTACH {_quoted(source)} AS source (READ_ONLY, TYPE duckdb); USE source")
        copy_database(connection, target)


def _quoted(path: Path) -> str:
    text = str(path).replace("'", "''")
    return f"'{text}'"
