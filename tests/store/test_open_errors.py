import contextlib
import os
import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest
from foreign_holder import held_by_another
from store_helpers import TEST, add_named_entities, query

from mcp_graphrag.errors import BadInput, FileLocked, FileTooNew, FileTrouble, NotAGraph, NotAllowed
from mcp_graphrag.store import Store
from mcp_graphrag.store.engine.faults import first_line

pytestmark = pytest.mark.of_file

IN_LOG = "PRAGMA disable_checkpoint_on_shutdown;"
NEWER = "UPDATE meta SET value = '9999' WHERE key = 'schema_version'"
FOREIGN_META = "CREATE TABLE meta (key VARCHAR, value VARCHAR); INSERT INTO meta VALUES ('application', 'x')"


def _open(path: Path, *, read_only: bool = False, wait: float = 0) -> None:
    store = Store(path, read_only=read_only, wait=wait)
    try:
        with store.reading():
            pass
    finally:
        store.close()


def _bytes(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in sorted(folder.iterdir())}


def _made(sql: str, *, by_us: bool = False) -> Callable[[Path], None]:
    """What makes a file by SQL, or changes one of this package."""

    def make(path: Path) -> None:
        if by_us:
            _open(path)
        with duckdb.connect(str(path)) as plain:
            plain.execute(sql)

    return make


def _text(path: Path) -> None:
    path.write_text("Not a database, but somebody's notes.\n" * 500, encoding="utf-8")


def _sqlite(path: Path) -> None:
    with contextlib.closing(sqlite3.connect(path)) as other, other:
        other.execute("CREATE TABLE t (a INT)")


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (_made(NEWER, by_us=True), FileTooNew, "newer mcp-graphrag"),
        (_made(f"{IN_LOG} {NEWER}", by_us=True), FileTooNew, "newer mcp-graphrag"),
        (_made("CREATE TABLE t (a INT)"), NotAGraph, "another program"),
        (_made(f"{IN_LOG} CREATE TABLE t (a INT)"), NotAGraph, "another program"),
        (_made("CREATE TABLE meta (a INT)"), NotAGraph, "another program"),
        (_made(FOREIGN_META), NotAGraph, "another program"),
        (_text, NotAGraph, "not a DuckDB file"),
        (_sqlite, NotAGraph, "not a DuckDB file"),
    ],
)
@pytest.mark.parametrize("read_only", [False, True])
def test_a_file_of_another_program_or_version_is_refused_and_left_unchanged(
    tmp_path: Path, make: Callable[[Path], None], error: type[FileTrouble], message: str, *, read_only: bool
) -> None:
    path = tmp_path / "other.duckdb"
    make(path)
    before = _bytes(tmp_path)

    with pytest.raises(error, match=message) as caught:
        _open(path, read_only=read_only)

    assert caught.value.path == path
    assert caught.value.hint
    assert _bytes(tmp_path) == before


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="is a folder"):
        _open(tmp_path)


def test_a_folder_that_cannot_be_created_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")

    with pytest.raises(
        FileTrouble, match=r"cannot be made: .+\. Name a file with --db in a folder that can be written"
    ):
        _open(tmp_path / "file" / "deep" / "graph.duckdb")


def test_missing_parent_folders_of_a_new_file_are_created(tmp_path: Path) -> None:
    _open(tmp_path / "some" / "folders" / "grüße & 'quotes'.duckdb")

    assert (tmp_path / "some" / "folders" / "grüße & 'quotes'.duckdb").is_file()


def test_a_file_open_in_another_process_is_refused_with_the_name_of_that_process(tmp_path: Path) -> None:
    path = tmp_path / "graph.duckdb"
    _open(path)
    with held_by_another(path) as holder:
        with pytest.raises(FileLocked) as caught:
            _open(path)

        assert caught.value.path == path
        if os.name == "posix":  # Windows does not report the process
            assert caught.value.pid == holder.pid
            assert f"process {holder.pid}" in str(caught.value)

    _open(path)


def test_a_file_that_is_released_within_the_wait_opens(tmp_path: Path) -> None:
    path = tmp_path / "graph.duckdb"
    _open(path)
    with held_by_another(path) as holder:
        assert holder.stdin
        timer = threading.Timer(0.2, holder.stdin.close)
        timer.start()

        _open(path, wait=20)

        timer.join()


def test_a_read_only_store_refuses_writes_and_leaves_the_file_unchanged(store: Store, tmp_path: Path) -> None:
    add_named_entities(store, "Redis")
    store.close()
    before = _bytes(tmp_path)
    reader = Store(tmp_path / "graph.duckdb", read_only=True, wait=0)

    with pytest.raises(NotAllowed, match="read-only"), reader.writing(TEST):
        pass

    assert query(reader, "SELECT name FROM entities") == [("Redis",)]
    reader.checkpoint()
    reader.close()
    assert _bytes(tmp_path) == before


def test_a_read_only_store_creates_no_file(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="There is no file"):
        _open(tmp_path / "folder" / "graph.duckdb", read_only=True)

    assert list(tmp_path.iterdir()) == []


def test_an_error_is_told_by_its_first_line_without_a_period() -> None:
    messages = ["IO Error: no space left.\nCandidates: none.\nEnd.", "No more"]

    assert [first_line(OSError(message)) for message in messages] == ["IO Error: no space left", "No more"]


@pytest.mark.parametrize("name", ["graph.duckdb", "graph.duckdb.wal"])
@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes in folders")
def test_a_pipe_is_refused_without_waiting(tmp_path: Path, name: str) -> None:
    os.mkfifo(tmp_path / name)
    with pytest.raises(BadInput, match="is a pipe or a device"):
        _open(tmp_path / "graph.duckdb")


@pytest.mark.skipif(not Path("/dev/null").exists(), reason="this system has no devices as files")
def test_a_device_is_refused() -> None:
    with pytest.raises(BadInput, match="is a pipe or a device"):
        _open(Path("/dev/null"))


def test_a_graph_in_memory_is_refused() -> None:
    with pytest.raises(BadInput, match="not in memory"), Store(Path(":memory:")).reading():
        pass
    assert not Path(":memory:").exists()
