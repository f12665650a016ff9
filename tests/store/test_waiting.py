"""A file that another process has open: who waits for it keeps nobody else waiting."""

import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from foreign_holder import held_by_another, held_in_turn
from store_helpers import add_named_entities, query

from mcp_graphrag.errors import FileLocked
from mcp_graphrag.store import Store


@pytest.mark.slow
def test_calls_wait_side_by_side_for_a_file_that_another_process_has_open(tmp_path: Path) -> None:
    store = Store(tmp_path / "graph.duckdb", wait=2)
    add_named_entities(store, "Redis")
    store.release()
    refused: list[FileLocked] = []

    def read() -> None:
        try:
            query(store, "SELECT 1")
        except FileLocked as error:
            refused.append(error)

    with held_by_another(store.path):
        threads = [threading.Thread(target=read) for _ in range(4)]
        started = time.monotonic()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        waited = time.monotonic() - started

    assert len(refused) == 4
    assert waited < 4, "one after another they would wait for 8 seconds"
    assert query(store, "SELECT name FROM entities") == [("Redis",)]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows does not tell which process has a file open")
def test_processes_that_have_the_file_one_after_another_are_waited_for(tmp_path: Path) -> None:
    store = Store(tmp_path / "graph.duckdb", wait=1.5)
    add_named_entities(store, "Redis")
    store.release()

    with held_in_turn(store.path, processes=5, seconds=0.7):
        assert query(store, "SELECT name FROM entities") == [("Redis",)]
        store.close()


BUSY = """
import sys, time
from pathlib import Path
from mcp_graphrag.store import Store
store = Store(Path(sys.argv[1]))
with store.reading():
    print("open", flush=True)
    time.sleep(2.5)
store.close()
"""


@pytest.mark.slow
def test_a_process_of_ours_that_works_on_a_busy_machine_is_waited_for(tmp_path: Path) -> None:
    store = Store(tmp_path / "graph.duckdb", wait=0.5)
    add_named_entities(store, "Redis")
    store.close()

    with subprocess.Popen([sys.executable, "-c", BUSY, str(store.path)], stdout=subprocess.PIPE, text=True) as busy:
        assert busy.stdout is not None
        assert busy.stdout.readline() == "open\n"
        assert query(store, "SELECT name FROM entities") == [("Redis",)]
        store.close()


def test_work_in_the_background_does_not_keep_the_file_open(store: Store) -> None:
    query(store, "SELECT 1")
    time.sleep(0.2)
    with store.in_background(), store.reading():
        assert not store.release(idle=0.2), "it is in use"

    assert store.release(idle=0.2)

    query(store, "SELECT 1")
    assert not store.release(idle=60)
