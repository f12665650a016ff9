"""What the system does not let this user do is told in one sentence, with the next step."""

import contextlib
import os
import shutil
import tempfile
from collections.abc import Callable, Generator
from pathlib import Path

import duckdb
import pytest
from store_helpers import TEST, add_named_entities, query

from mcp_graphrag.errors import FileTrouble
from mcp_graphrag.store import Store
from mcp_graphrag.store.engine.faults import fault_of, opening_fault

NOBODY = 65_534
pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows keeps no such permissions of folders")


@contextlib.contextmanager
def without_privileges() -> Generator[None]:
    """Root may do everything, so what it may not do is tried as nobody."""
    user = os.geteuid()
    if user == 0:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(user)


@pytest.fixture
def folder() -> Generator[Path]:
    """A folder that nobody may enter, outside those of pytest."""
    made = Path(tempfile.mkdtemp())
    made.chmod(0o755)
    yield made
    made.chmod(0o700)
    shutil.rmtree(made)


def _write(path: Path) -> None:
    with contextlib.closing(Store(path, wait=0)) as store, store.writing(TEST) as tx:
        tx.log_change()


def _make(path: Path) -> None:
    with contextlib.closing(Store(path, wait=0)) as store:
        add_named_entities(store, "Redis")


def test_a_new_file_in_a_folder_that_cannot_be_written_is_refused(folder: Path) -> None:
    folder.chmod(0o555)

    with without_privileges(), pytest.raises(FileTrouble) as caught:
        _write(folder / "graph.duckdb")

    path = folder / "graph.duckdb"
    assert caught.value.fact == f"{path} cannot be made: permission denied."
    assert caught.value.hint == "Name a file with --db in a folder that can be written."


@pytest.mark.parametrize(
    ("mode", "folder_mode", "why"),
    [
        (0o666, 0o555, "a log in its folder cannot be made"),
        (0o444, 0o777, "it cannot be opened for writing"),
    ],
)
def test_a_write_to_what_may_only_be_read_is_refused(folder: Path, mode: int, folder_mode: int, why: str) -> None:
    path = folder / "graph.duckdb"
    _make(path)
    path.chmod(mode)
    folder.chmod(folder_mode)

    with without_privileges():
        with pytest.raises(FileTrouble) as caught:
            _write(path)
        with contextlib.closing(Store(path, read_only=True, wait=0)) as store:
            names = query(store, "SELECT name FROM entities")

    assert caught.value.fact == f"{path} cannot be written: {why}, permission denied."
    assert caught.value.hint.endswith("or start with --read-only to read it.")
    assert names == [("Redis",)]


def test_a_file_that_may_not_be_read_is_refused(folder: Path) -> None:
    path = folder / "graph.duckdb"
    _make(path)
    path.chmod(0)

    with without_privileges(), pytest.raises(FileTrouble) as caught:
        Store(path, read_only=True, wait=0).reading().__enter__()

    assert str(caught.value) == f"{path} cannot be read: permission denied. Let the user of this process read it."


@pytest.mark.parametrize("translate", [fault_of, opening_fault])
def test_a_read_only_file_system_is_named(folder: Path, translate: Callable[[duckdb.Error, Path], Exception]) -> None:
    path = folder / "graph.duckdb"

    error = translate(duckdb.IOException(f'Cannot open file "{path}": Read-only file system'), path)

    assert str(error).startswith(f"{path} cannot be made: the file system is read-only. Name a file with --db")
