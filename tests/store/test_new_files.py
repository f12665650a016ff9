"""New files: for the user alone in a folder of theirs; what a killed process left of one, the next owner removes."""

import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from edit_helpers import relate
from store_helpers import add_named_entities, query

from mcp_graphrag import open_graph
from mcp_graphrag.durability.backup import file_of
from mcp_graphrag.errors import DiskFull, GraphragError
from mcp_graphrag.store import Store
from mcp_graphrag.store.engine.new_files import new_file_beside

posix = pytest.mark.skipif(os.name != "posix", reason="permissions, limits and kill -9 as POSIX has them")

pytestmark = pytest.mark.of_file
COPY = """
import sys, time
from pathlib import Path
from mcp_graphrag.store import Store
from mcp_graphrag.store.engine.new_files import new_file_beside

store = Store(Path(sys.argv[1]))
with new_file_beside(Path(sys.argv[2])) as new:
    store.copy_to(new)
    print(new.name, flush=True)
    time.sleep(600)
"""

WRITE = """
import sys
from pathlib import Path
from mcp_graphrag.model import Origin
from mcp_graphrag.store import Store
from mcp_graphrag.store.rows.entity_rows import NewEntity, add_entities

store = Store(Path(sys.argv[1]), wait=60)
with store.writing(Origin("test")) as tx:
    add_entities(tx, [NewEntity(sys.argv[2], sys.argv[2], "", "")])
store.close()
"""


@posix
def test_the_next_owner_removes_what_a_killed_copy_left_and_nothing_else(tmp_path: Path) -> None:
    path, source = tmp_path / "graph.duckdb", tmp_path / "source.duckdb"
    others = [".other.duckdb.0123abcd.new", ".graph.duckdb.notes.new", "graph.duckdb.0123abcd.new"]
    for name in others:
        (tmp_path / name).write_text("mine", encoding="utf-8")
    (tmp_path / ".graph.duckdb.89abcdef.new").mkdir()
    (tmp_path / ".graph.duckdb.01234567.new").write_text("of a version without locks", encoding="utf-8")
    command = [sys.executable, "-c", COPY, str(source), str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout
        copy = tmp_path / writer.stdout.readline().strip()

        add_named_entities(store := Store(path, wait=0), "Redis")
        store.close()
        assert copy.stat().st_size > 0, "another process writes it"

        writer.send_signal(signal.SIGKILL)
    add_named_entities(store := Store(path, wait=0), "Kafka")
    store.close()

    left = {each.name for each in tmp_path.glob("*") if "source" not in each.name}
    assert left == {"graph.duckdb", ".graph.duckdb.89abcdef.new", *others}


@posix
@pytest.mark.parametrize(("owned", "mode"), [(True, 0o600), (False, 0o644)])
def test_new_files_are_for_the_user_alone_in_a_folder_of_theirs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, owned: bool, mode: int
) -> None:
    if not owned:
        monkeypatch.setattr(os, "geteuid", lambda: tmp_path.stat().st_uid + 1)
    before, path = os.umask(0o022), tmp_path / "graph.duckdb"
    try:
        with open_graph(path) as graph:
            relate(graph, "Mill uses River")
            graph.store.checkpoint()
            relate(graph, "Mill uses Wind")  # in a log that is new after the checkpoint
            graph.back_up(tmp_path / "copy.duckdb")
            found = {each.name: stat.S_IMODE(each.stat().st_mode) for each in tmp_path.glob("[!.]*")}
            with new_file_beside(path) as new:
                file_of(graph).copy_to(new)
                assert stat.S_IMODE(new.stat().st_mode) == mode
            path.chmod(0o640)
            graph.compact(None)
            assert stat.S_IMODE(path.stat().st_mode) == 0o640  # as somebody chose
            relate(graph, "Mill uses Sun")
            assert stat.S_IMODE((tmp_path / "graph.duckdb.wal").stat().st_mode) == 0o640
    finally:
        os.umask(before)
    assert found == dict.fromkeys(["graph.duckdb", "graph.duckdb.wal", "copy.duckdb"], mode)


def test_a_file_that_two_processes_make_at_once_is_one_file(tmp_path: Path) -> None:
    path = tmp_path / "graph.duckdb"
    writers = [subprocess.Popen([sys.executable, "-c", WRITE, str(path), name]) for name in "AB"]

    assert [each.wait(120) for each in writers] == [0, 0]
    assert len(query(Store(path, wait=0), "SELECT name FROM entities")) == 2


@posix
def test_what_cannot_be_written_on_a_full_disk_is_named(tmp_path: Path) -> None:
    import resource  # noqa: PLC0415  (not on Windows)

    with open_graph(tmp_path / "graph.duckdb") as graph:
        relate(graph, "Mill uses River")
        backup = graph.back_up(tmp_path / "copy.duckdb").path
        before, handler = resource.getrlimit(resource.RLIMIT_FSIZE), signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, before[1]))
        said = list[GraphragError]()
        try:
            for work in (lambda: graph.restore(backup), lambda: graph.back_up(tmp_path / "new.duckdb")):
                with pytest.raises(DiskFull) as caught:
                    work()
                said.append(caught.value)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
            signal.signal(signal.SIGXFSZ, handler)

    for each, name in zip(said, ("graph.duckdb", "new.duckdb"), strict=True):
        assert each.fact == f"There is no space left to write {tmp_path / name}: nothing was stored."
    assert not [*tmp_path.glob(".*.new*")]
