"""The page docs/sql.md, for people who open the file: its statements, their results, and the columns of the views."""

import re
import shlex
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, cast

import duckdb
import pytest
from cli_runs import Cli
from pages import DOCS, write_files

from mcp_graphrag.store import Store

STATEMENT = re.compile(r"^```sql\n(.*?)^```$\n\n^```text\n(.*?)^```$", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^\$ mcp-graphrag ([^\n]+)$", re.MULTILINE)
ROW = re.compile(r"^\| (`[a-z_]+`(?:, `[a-z_]+`)?) \| [^|]+ \| ([^|]+) \|$", re.MULTILINE)
CORRECTION = re.compile(r"^correction: `([^`]+)`", re.MULTILINE)
BARE: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
}
COLUMNS = """SELECT table_name, list('`' || column_name || '`' ORDER BY column_index) FROM duckdb_columns()
WHERE table_name IN (SELECT view_name FROM duckdb_views() WHERE NOT internal) GROUP BY table_name"""


def printed(connection: duckdb.DuckDBPyConnection, statement: str) -> str:
    """What `duckdb -column` prints for a statement, without spaces at the ends of lines."""
    asked = connection.execute(statement)
    names = [name for name, *_ in asked.description or ()]
    rows = [[_shown(value) for value in row] for row in asked.fetchall()]
    widths = [max(map(len, column)) for column in zip(names, *rows, strict=True)]
    lines = [names, ["-" * width for width in widths], *rows]
    return "".join("  ".join(map(str.ljust, line, widths)).rstrip() + "\n" for line in lines)


def _shown(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_shown, cast('Sequence[Any]', value)))}]"
    if value is None or isinstance(value, bool):
        return "NULL" if value is None else str(value).lower()
    return value.isoformat(sep=" ") if isinstance(value, datetime) else str(value)


def columns(connection: duckdb.DuckDBPyConnection) -> dict[str, str]:
    """The columns of each view, as the page lists them."""
    return {view: ", ".join(names) for view, names in connection.execute(COLUMNS).fetchall()}


def test_the_views_of_a_new_file_have_the_columns_of_the_page_and_take_its_statements(store: Store) -> None:
    page = (DOCS / "sql.md").read_text("utf-8")
    with store.reading():
        pass
    store.close()
    with duckdb.connect(str(store.path), read_only=True, config=BARE) as plain:
        of_views, listed = columns(plain), ROW.findall(page)
        shown = {name: "; ".join(of_views.pop(each) for each in re.findall(r"\w+", name)) for name, _ in listed}
        assert (dict(listed), of_views) == (shown, {})
        for statement, _ in STATEMENT.findall(page):
            assert plain.execute(statement).description


@pytest.mark.slow
def test_the_statements_of_the_page_print_what_it_shows_and_no_view_is_empty(tmp_path: Path) -> None:
    page, cli = (DOCS / "sql.md").read_text("utf-8"), Cli(tmp_path)
    write_files("source-code.md", tmp_path / "shop")
    (tmp_path / "correction.jsonl").write_text(CORRECTION.findall(page)[0], encoding="utf-8")
    for command in COMMAND.findall(page):
        ran = cli(*shlex.split(command))
        assert (command, ran.code, ran.err) == (command, 0, "")
    with duckdb.connect(str(cli.db), read_only=True, config=BARE) as plain:
        of_views = columns(plain)
        empty = {view for view in of_views if plain.execute(f"SELECT count(*) FROM {view}").fetchall() == [(0,)]}
        assert empty == {"merges", "model_vectors"}  # nothing was merged, and no model has embedded
        shown = STATEMENT.findall(page)
        assert len(shown) >= 18
        assert [(statement, printed(plain, statement)) for statement, _ in shown] == shown
