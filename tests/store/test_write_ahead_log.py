"""The write-ahead log: a damaged one is moved away, never deleted; a torn end loses only unacknowledged writes."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from store_helpers import TEST, add_document, add_named_entities, query

from mcp_graphrag import open_graph
from mcp_graphrag.errors import FileTrouble, WalCut, WalQuarantined
from mcp_graphrag.store import Store

pytestmark = pytest.mark.of_file
END_OF_WRITE = b"\x64\x00\x64\xff\xff"
WRITE = """
import os, sys
from pathlib import Path
from mcp_graphrag.model import Origin
from mcp_graphrag.store import Store
from mcp_graphrag.store.rows.entity_rows import NewEntity, add_entities

store = Store(Path(sys.argv[1]))
store.checkpoint()
for number in range(40):
    with store.writing(Origin("test")) as tx:
        add_entities(tx, [NewEntity(f"E{number}", f"e{number}", "", "")])
print(number + 1, flush=True)
os._exit(1) if os.name == "nt" else os.kill(os.getpid(), 9)
"""


@pytest.fixture
def log(store: Store, tmp_path: Path) -> Path:
    """The log of a file with Redis in the file, and Kafka and Nginx only in the log."""
    add_named_entities(store, "Redis")
    store.close()
    return _close_with_log(tmp_path / "graph.duckdb", "Kafka", "Nginx")


def _close_with_log(path: Path, *names: str) -> Path:
    store = Store(path, wait=0)
    with store.held() as connection:
        connection.execute("PRAGMA disable_checkpoint_on_shutdown")
        for name in names:
            add_named_entities(store, name)
    store.close()
    return path.with_name(path.name + ".wal")


def _names(path: Path) -> list[str]:
    store = Store(path, wait=0)
    found = query(store, "SELECT name FROM entities ORDER BY id")
    store.close()
    return [name for (name,) in found]


def _middle_flipped(content: bytes) -> bytes:
    half = len(content) // 2
    return content[:half] + bytes([content[half] ^ 255]) + content[half + 1 :]


def _start_overwritten(content: bytes) -> bytes:
    return b"\x00" * 64 + content[64:]


def _replaced(content: bytes) -> bytes:
    return b"these are not the bytes of a log" * (len(content) // 32)


@pytest.mark.parametrize("damage", [_middle_flipped, _start_overwritten, _replaced])
def test_a_damaged_log_is_moved_away_unchanged_and_the_next_open_works(
    log: Path, damage: Callable[[bytes], bytes]
) -> None:
    damaged = damage(log.read_bytes())
    log.write_bytes(damaged)
    path = log.with_suffix("")

    with pytest.raises(WalQuarantined) as caught:
        _names(path)

    assert caught.value.quarantine.read_bytes() == damaged
    assert caught.value.quarantine.name.startswith("graph.duckdb.wal.")
    assert str(caught.value.quarantine) in str(caught.value)
    assert not log.exists()
    assert _names(path) == ["Redis"]


def test_the_log_of_another_file_is_moved_away(log: Path, tmp_path: Path) -> None:
    other = _close_with_log(tmp_path / "other.duckdb", "Postgres")
    log.write_bytes(other.read_bytes())

    with pytest.raises(WalQuarantined):
        _names(log.with_suffix(""))

    assert _names(log.with_suffix("")) == ["Redis"]


@pytest.fixture
def killed_log(tmp_path: Path) -> Path:
    """The log that a killed process left, of 40 acknowledged writes."""
    ran = subprocess.run(
        [sys.executable, "-c", WRITE, str(tmp_path / "graph.duckdb")], capture_output=True, check=False
    )
    assert ran.stdout == b"40\n", ran.stderr
    return tmp_path / "graph.duckdb.wal"


def _half(content: bytes) -> bytes:
    return content[: len(content) // 2]


def _last_write_gone(content: bytes) -> bytes:
    """Cut between two writes: what is left looks whole."""
    return content[: content.rindex(END_OF_WRITE, 0, -1) + len(END_OF_WRITE)]


def _length_raised(content: bytes) -> bytes:
    """The length of an entry in the middle reaches over the end, where DuckDB stops without a word."""
    at = content.index(END_OF_WRITE, len(content) // 2) + len(END_OF_WRITE)
    return content[:at] + b"\xff\xff\xff" + content[at + 3 :]


def _emptied(content: bytes) -> bytes:
    return content[:0]


@pytest.mark.parametrize("cut", [_half, _last_write_gone, _length_raised, _emptied, None])
def test_a_log_that_lacks_acknowledged_writes_is_said_and_what_is_left_is_kept(
    killed_log: Path, cut: Callable[[bytes], bytes] | None
) -> None:
    path, left = killed_log.with_suffix(""), cut(killed_log.read_bytes()) if cut else b""
    killed_log.write_bytes(left)
    if cut is None:
        killed_log.unlink()
    else:
        with pytest.raises(FileTrouble, match="was cut short"), Store(path, read_only=True, wait=0).reading():
            pass

    with pytest.raises(WalCut, match="acknowledged writes are missing") as caught:
        _names(path)

    assert caught.value.is_certain
    assert caught.value.quarantine.read_bytes() == left
    found = _names(path)
    assert found == [f"E{number}" for number in range(len(found))]
    assert (len(found) > 5) == bool(left)
    with open_graph(path) as graph:
        assert [each for each in graph.health().problems if caught.value.quarantine.name in each.fact]


def test_an_end_that_was_not_acknowledged_is_left_out_without_a_word(killed_log: Path) -> None:
    path, whole = killed_log.with_suffix(""), killed_log.read_bytes()
    killed_log.write_bytes(whole + whole[len(_last_write_gone(whole)) : -7])  # as of a kill within a write

    assert len(_names(path)) == 40
    assert not list(path.parent.glob("*.quarantine"))


def test_a_log_that_ends_within_a_write_is_said_where_nobody_noted_how_far_it_was_acknowledged(log: Path) -> None:
    log.write_bytes(log.read_bytes()[:-7])

    with pytest.raises(WalCut, match="ends within a write") as caught:
        _names(log.with_suffix(""))

    assert not caught.value.is_certain
    assert _names(log.with_suffix("")) == ["Redis", "Kafka"]


def test_a_copy_of_a_file_without_its_log_is_no_loss(killed_log: Path, tmp_path: Path) -> None:
    path = killed_log.with_suffix("")
    copy = tmp_path / "copy.duckdb"
    copy.write_bytes(path.read_bytes())
    (tmp_path / ".copy.duckdb.wal.acknowledged").write_bytes((tmp_path / ".graph.duckdb.wal.acknowledged").read_bytes())

    assert _names(copy) == []


def test_an_empty_log_is_valid(log: Path) -> None:
    log.write_bytes(b"")

    assert _names(log.with_suffix("")) == ["Redis"]


@pytest.mark.parametrize("damage", [_middle_flipped, _replaced])
def test_a_read_only_store_leaves_a_damaged_log_where_it_is(log: Path, damage: Callable[[bytes], bytes]) -> None:
    damaged = damage(log.read_bytes())
    log.write_bytes(damaged)
    store = Store(log.with_suffix(""), read_only=True, wait=0)

    with pytest.raises(FileTrouble, match="could not be replayed") as caught, store.reading():
        pass

    assert not isinstance(caught.value, WalQuarantined)
    assert log.read_bytes() == damaged


def test_a_checkpoint_writes_the_log_into_the_file(store: Store, tmp_path: Path) -> None:
    with store.writing(TEST) as tx:
        add_document(tx, "memory://a", "text")
    log = tmp_path / "graph.duckdb.wal"
    assert log.stat().st_size > 0

    store.checkpoint()

    assert not log.exists() or log.stat().st_size == 0
