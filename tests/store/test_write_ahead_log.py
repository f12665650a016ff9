"""The write-ahead log: a damaged one is moved away, never deleted; a torn end loses only unacknowledged writes."""

from collections.abc import Callable
from pathlib import Path

import pytest
from store_helpers import TEST, add_document, add_named_entities, query

from mcp_graphrag.errors import FileTrouble, WalQuarantined
from mcp_graphrag.store import Store


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


def test_a_log_that_ends_within_a_write_loses_only_that_write(log: Path) -> None:
    log.write_bytes(log.read_bytes()[:-7])

    assert _names(log.with_suffix("")) == ["Redis", "Kafka"]


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
