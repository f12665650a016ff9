"""A backup is one state of the file, whoever writes meanwhile; a restore puts it back and keeps the former file."""

import threading
from pathlib import Path

import duckdb
import pytest
from edit_helpers import TEST, present, read, relate, triples
from foreign_holder import held_by_another

from mcp_graphrag import open_graph
from mcp_graphrag.errors import BadInput, FileLocked, FileTrouble, NotAGraph
from mcp_graphrag.graph import Graph


def test_a_backup_holds_what_the_file_holds_and_opens_alone(graph: Graph, tmp_path: Path) -> None:
    read(graph, "memo:1", "The Harbour Service depends on the Tide Database.")
    relate(graph, "Mill uses River")

    made = graph.back_up(tmp_path / "copies" / "it's a copy.duckdb")

    assert (made.counts.documents, made.problems) == (1, [])
    assert [file.name for file in made.path.parent.iterdir()] == ["it's a copy.duckdb"]
    with open_graph(made.path) as copy:
        assert present(copy) == present(graph)
        relate(copy, "Mill uses Wind")  # sequences go on
        assert copy.verify().problems == []


def test_a_backup_during_writes_is_one_state(graph: Graph, tmp_path: Path) -> None:
    stop = threading.Event()

    def write() -> None:
        number = 0
        while not stop.is_set():
            number += 1
            relate(graph, f"Mill{number} uses River{number}", f"River{number} feeds Sea{number}")

    thread = threading.Thread(target=write)
    thread.start()
    try:
        made = [graph.back_up(tmp_path / f"{number}.duckdb") for number in range(3)]
    finally:
        stop.set()
        thread.join()

    for each in made:
        assert each.problems == []
        assert each.counts.triples % 2 == 0


def test_only_an_earlier_backup_is_overwritten_and_only_when_told(graph: Graph, tmp_path: Path) -> None:
    relate(graph, "Mill uses River")
    backup, notes = tmp_path / "copy.duckdb", tmp_path / "notes.md"
    graph.back_up(backup)
    before = backup.read_bytes()
    notes.write_text("notes", encoding="utf-8")

    with pytest.raises(BadInput, match="is there already"):
        graph.back_up(backup)
    with pytest.raises(BadInput, match="is no backup"):
        graph.back_up(notes, overwrite=True)
    with pytest.raises(BadInput, match="is the file itself"):
        graph.back_up(graph.store.path, overwrite=True)
    with pytest.raises(BadInput, match="is an address"):
        graph.back_up("s3://bucket/copy.duckdb")
    assert (backup.read_bytes(), notes.read_text(encoding="utf-8")) == (before, "notes")

    relate(graph, "Mill uses Wind")
    assert graph.back_up(backup, overwrite=True).counts.triples == 2


def test_where_no_backup_can_be_made_the_place_is_named(graph: Graph, tmp_path: Path) -> None:
    relate(graph, "Mill uses River")
    notes = tmp_path / "notes.md"
    notes.touch()

    for target in (notes / "copy.duckdb", Path("/proc/copy.duckdb")):  # where nobody can make a file
        with pytest.raises(FileTrouble, match=f"{target}[ .]") as refused:
            graph.back_up(target)
        assert refused.value.hint == "Name a file in a folder that can be written."
    with pytest.raises(BadInput, match="is a folder"):
        graph.back_up(tmp_path, overwrite=True)


def test_a_restore_brings_the_backup_back_and_keeps_the_former_file(graph: Graph, tmp_path: Path) -> None:
    relate(graph, "Mill uses River")
    backup = graph.back_up(tmp_path / "copy.duckdb").path
    relate(graph, "Mill uses Wind")
    assert graph.neighbourhood("Mill").total == 2

    restored = graph.restore(backup)

    assert triples(graph) == ["Mill uses River"]
    assert graph.neighbourhood("Mill").total == 1  # indexes in memory are of the restored file
    relate(graph, "Mill uses Sun")
    assert graph.verify().problems == []
    assert restored.former is not None
    with open_graph(restored.former) as former:
        assert triples(former) == ["Mill uses River", "Mill uses Wind"]


def test_a_damaged_file_is_replaced_by_a_backup(graph: Graph, tmp_path: Path) -> None:
    relate(graph, "Mill uses River")
    backup = graph.back_up(tmp_path / "copy.duckdb").path
    graph.store.close()
    graph.store.path.write_bytes(b"\0" * 100_000)

    graph.restore(backup)

    assert triples(graph) == ["Mill uses River"]


def test_what_is_no_backup_is_refused_and_the_file_stays(graph: Graph, tmp_path: Path) -> None:
    relate(graph, "Mill uses River")
    table = tmp_path / "table.csv"
    table.write_text("a,b\n1,2\n", encoding="utf-8")
    foreign = tmp_path / "foreign.duckdb"
    with duckdb.connect(str(foreign)) as plain:
        plain.execute("CREATE TABLE t (a INT)")

    cut = tmp_path / "cut.duckdb"
    cut.write_bytes(foreign.read_bytes()[:5000])
    missing = tmp_path / "none.duckdb"

    for source, error in ((table, NotAGraph), (foreign, FileTrouble), (cut, FileTrouble), (missing, BadInput)):
        with pytest.raises(error, match=source.name) as refused:
            graph.restore(source)
        assert refused.value.hint == "Name a file that `mcp-graphrag backup` wrote."

    assert triples(graph) == ["Mill uses River"]
    assert sorted(file.name for file in tmp_path.iterdir() if ".wal" not in file.name) == [
        "cut.duckdb", "foreign.duckdb", "graph.duckdb", "table.csv",
    ]  # fmt: skip


def test_a_restore_waits_for_no_job(graph: Graph, tmp_path: Path) -> None:
    relate(graph, "Mill uses River")
    backup = graph.back_up(tmp_path / "copy.duckdb").path
    graph.store.running.add(1)

    with pytest.raises(FileTrouble, match="A job is writing"):
        graph.restore(backup)

    graph.store.running.clear()
    with graph.writing(TEST) as write:
        write.tx.log_change()


@pytest.mark.slow
def test_a_file_that_another_process_has_open_is_not_exchanged(graph: Graph, tmp_path: Path) -> None:
    relate(graph, "Mill uses River")
    backup = graph.back_up(tmp_path / "copy.duckdb").path
    graph.store.release()
    with held_by_another(graph.store.path), pytest.raises(FileLocked):
        graph.restore(backup)
    assert triples(graph) == ["Mill uses River"]
