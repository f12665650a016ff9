"""A full disk and damaged pages: each fault has its sentence, and after it the graph works without a new start."""

import os
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from mcp_graphrag.edit.inputs import TextInput
from mcp_graphrag.errors import BadInput, Defect, DiskFull, FileDamaged, FileTrouble, GraphragError, as_graphrag_error
from mcp_graphrag.graph import open_graph
from mcp_graphrag.store.engine.faults import fault_of

# Fills the disk to several degrees: the log, the checkpoint of a release or a new file is what finds no space.
STORY = """
import sys
from pathlib import Path
from mcp_graphrag.edit.inputs import TextInput
from mcp_graphrag.errors import GraphragError
from mcp_graphrag.graph import open_graph
from mcp_graphrag.search.query import SearchQuery

folder, space, limit = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3] == "limit"
text = " ".join(f"The Mill{at} depends on the River{at}." for at in range(400))
stored = set()

def tell(work):
    try:
        return work()
    except GraphragError as error:
        print("said:", error)
        return None

def ingest(graph, uri, text):
    if tell(lambda: graph.ingest_text(TextInput(f"{uri} {text}", uri=uri))) is not None:
        stored.add(uri)

if limit:
    import resource, signal
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (space, before[1]))
else:
    fill = folder / "fill"
    fill.write_bytes(bytes(8_000_000 - space))
graph = open_graph(folder / "graph.duckdb", embedder="wordllama")
for at in range(4):
    ingest(graph, f"full:{at}", text)
    tell(lambda: graph.search(SearchQuery("mill river")))
    tell(lambda: graph.store.checkpoint())
    if at % 2:
        tell(graph.store.release)
print("health:", [each.fact for each in graph.health().problems])
if limit:
    resource.setrlimit(resource.RLIMIT_FSIZE, before)
else:
    fill.unlink()
after = graph.ingest_text(TextInput("The Mill depends on the Sea.", uri="after:1"))
assert after.added == 1
print("healthy:", not [each for each in graph.health().problems if "last write" in each.fact])
stored.add("after:1")
graph.close()
graph = open_graph(folder / "graph.duckdb", embedder="wordllama")
found = {each.document.uri for each in graph.documents(limit=100)}
print("stored", sorted(stored), "found", sorted(found))
assert stored <= found
"""


def full(folder: Path, space: int, way: str) -> str:
    """What the story says in a process with so many bytes of space."""
    words = [sys.executable, "-c", STORY, str(folder), str(space), way]
    if way == "disk":
        mounted = f'mount -t tmpfs -o size=8m none {folder} && exec "$@"'
        words = ["unshare", "-rm", "sh", "-c", mounted, "sh", *words]
    ran = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)
    if way == "disk" and ("unshare" in ran.stderr or "mount" in ran.stderr):
        pytest.skip("a file system of its own cannot be mounted here")
    assert ran.returncode == 0, ran.stderr + ran.stdout
    assert "Traceback" not in ran.stderr
    return ran.stdout


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="limits of files and mounts as Linux has them")
@pytest.mark.parametrize(
    ("space", "way"),
    [(700_000, "limit"), (20_000, "limit"), (1_300_000, "limit"), (700_000, "disk")],
)
def test_a_full_disk_is_said_and_writing_goes_on_when_there_is_space(tmp_path: Path, space: int, way: str) -> None:
    said = full(tmp_path, space, way)
    assert f"There is no space left to write {tmp_path / 'graph.duckdb'}" in said
    health = said.split("health: ")[1].splitlines()[0]
    assert "found no space" in health or "There is no space" in health
    assert ("MB free" in health) == (way == "disk")
    assert "healthy: True" in said
    assert said.count("Free some space and call again.") == said.count("said:")


def test_damaged_pages_are_said(tmp_path: Path) -> None:
    path = tmp_path / "graph.duckdb"
    with open_graph(path, embedder="wordllama") as graph:
        graph.ingest_text(TextInput(" ".join(f"The Mill{at} depends on the River{at}." for at in range(300))))
    size, sound = path.stat().st_size, path.read_bytes()
    said = list[str]()
    for at in range(16_384, size, size // 12):
        path.write_bytes(sound[:at] + os.urandom(2_000) + sound[at + 2_000 :])
        path.with_name("graph.duckdb.wal").unlink(missing_ok=True)
        try:
            with open_graph(path, embedder="wordllama") as graph:
                graph.ingest_text(TextInput("The Mill depends on the Sea.", uri="after:1"))
                graph.describe()
        except GraphragError as error:
            said.append(f"{error} {'' if error.hint else 'defect: no hint'}")
    assert any(f"{path} is damaged: " in each for each in said)
    assert not [each for each in said if "defect" in each]


def test_a_file_that_was_cut_off_is_damaged(tmp_path: Path) -> None:
    path = tmp_path / "graph.duckdb"
    with open_graph(path, embedder="wordllama") as graph:
        graph.ingest_text(TextInput(" ".join(f"The Mill{at} depends on the River{at}." for at in range(300))))
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    with open_graph(path, embedder="wordllama") as graph, pytest.raises(FileDamaged, match="restore a backup"):
        graph.describe()


def test_each_kind_of_error_has_its_sentence_and_a_defect_stays_one() -> None:
    path = Path("graph.duckdb")
    full_disk = duckdb.TransactionException("Failed to commit: Could not write: No space left on device")
    assert isinstance(fault_of(full_disk, path), DiskFull)
    assert isinstance(fault_of(duckdb.OutOfMemoryException("failed to pin"), path), FileTrouble)
    assert isinstance(fault_of(duckdb.ConversionException("value out of range"), path), BadInput)
    defect = duckdb.BinderException("no such column")
    assert fault_of(defect, path) is defect
    assert isinstance(as_graphrag_error(defect), Defect)
    assert isinstance(as_graphrag_error(RecursionError()), BadInput)
    assert isinstance(as_graphrag_error(OSError(28, "No space left on device", "a")), DiskFull)
    assert str(as_graphrag_error(PermissionError(13, "Permission denied", "b"))) == (
        "b cannot be used: Permission denied. Check that it exists and may be read."
    )


@pytest.mark.parametrize("value", [float("inf"), 10**5000, float("nan")], ids=["infinite", "long", "no number"])
def test_metadata_that_json_cannot_hold_is_refused(tmp_path: Path, value: float) -> None:
    with open_graph(tmp_path / "graph.duckdb", embedder="wordllama") as graph, pytest.raises(BadInput, match="JSON"):
        graph.ingest_text(TextInput("a", metadata={"b": value}))
