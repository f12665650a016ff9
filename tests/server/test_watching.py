import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from served import wait_for

from mcp_graphrag import Graph, open_graph
from mcp_graphrag.edit.inputs import FileInput
from mcp_graphrag.errors import NotAllowed
from mcp_graphrag.jobs.watch_folders import watch_settings
from mcp_graphrag.server.background import Background
from mcp_graphrag.server.watcher import Kept, Watcher, start_watching


@pytest.fixture
def graph(tmp_path: Path) -> Iterator[Graph]:
    (tmp_path / "docs").mkdir()
    given = {"roots": [str(tmp_path / "docs")], "watch": [str(tmp_path / "docs")], "watch_interval": 0.1}
    with open_graph(tmp_path / "g.duckdb", embedder="wordllama", **given) as opened:
        yield opened


@pytest.fixture
def background() -> Iterator[Background]:
    made = Background()
    yield made
    made.stop()


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / "docs" / name
    path.write_text(text, encoding="utf-8")
    return path


def titles(graph: Graph) -> set[str]:
    return {each.document.title for each in graph.documents(limit=100)}


def files(folder: Path) -> FileInput:
    return FileInput([folder / "docs"], [folder / "docs"], ignore=["private*"])


def test_changes_are_stored_when_a_second_look_finds_them_at_rest(
    tmp_path: Path, graph: Graph, background: Background
) -> None:
    watcher = Watcher(graph, background, files(tmp_path))
    first = write(tmp_path, "a.md", "# Mill\n\nOld.")
    write(tmp_path, "private.md", "# Secret")
    assert watcher.look() is None
    assert watcher.look() == Kept(1, 0, 0)
    assert watcher.look() is None
    write(tmp_path, "a.md", "# Barn\n\nHalf")
    assert watcher.look() is None
    write(tmp_path, "a.md", "# Barn\n\nHalf a sentence.")
    assert watcher.look() is None
    assert watcher.look() == Kept(0, 1, 0)
    assert titles(graph) == {"Barn"}
    first.unlink()
    assert watcher.look() == Kept(0, 0, 1)
    assert titles(graph) == set()


def test_the_first_look_removes_what_went_before_and_nothing_else(
    tmp_path: Path, graph: Graph, background: Background
) -> None:
    gone = write(tmp_path, "gone.md", "# Gone\n\nText.")
    other = tmp_path / "other.md"
    other.write_text("# Other\n\nText.", encoding="utf-8")
    graph.ingest_files([gone, other])
    graph.ingest_text("A note of its own.")
    gone.unlink()
    other.unlink()
    assert Watcher(graph, background, files(tmp_path)).look() == Kept(0, 0, 1)
    assert titles(graph) == {"Other", "A note of its own."}


def test_a_folder_that_is_not_there_removes_nothing(tmp_path: Path, graph: Graph, background: Background) -> None:
    write(tmp_path, "a.md", "# Mill\n\nText.")
    watcher = Watcher(graph, background, files(tmp_path))
    watcher.look()
    watcher.look()
    (tmp_path / "docs").rename(tmp_path / "unmounted")
    assert watcher.look() is None
    assert titles(graph) == {"Mill"}


def test_while_a_folder_is_not_there_the_others_are_watched_and_it_is_told(
    tmp_path: Path, graph: Graph, background: Background
) -> None:
    write(tmp_path, "a.md", "# Mill\n\nText.")
    (tmp_path / "notes").mkdir()
    folders = [tmp_path / "docs", tmp_path / "notes"]
    end = start_watching(graph, background, FileInput(folders, folders))
    try:
        wait_for(lambda: titles(graph) == {"Mill"})
        (tmp_path / "docs").rename(tmp_path / "unmounted")
        (tmp_path / "notes" / "b.md").write_text("# Barn\n\nText.")
        wait_for(lambda: titles(graph) == {"Mill", "Barn"})
        wait_for(lambda: f"'{tmp_path / 'docs'}' is not there" in str(background.watch_failed))
        (tmp_path / "unmounted").rename(tmp_path / "docs")
        wait_for(lambda: background.watch_failed is None)
    finally:
        end()
    assert titles(graph) == {"Mill", "Barn"}


def test_a_running_server_keeps_the_folders_of_its_settings_in_step(
    tmp_path: Path, graph: Graph, background: Background
) -> None:
    folders = watch_settings(graph.settings)
    assert folders is not None
    end = start_watching(graph, background, folders)
    try:
        path = write(tmp_path, "a.md", "# Mill\n\nText.")
        wait_for(lambda: titles(graph) == {"Mill"})
        path.unlink()
        wait_for(lambda: titles(graph) == set())
    finally:
        end()


def test_why_folders_are_not_watched_is_known_until_they_are(
    tmp_path: Path, graph: Graph, background: Background
) -> None:
    elsewhere, outside = tmp_path / "docs" / "inner", tmp_path / "outside"
    outside.mkdir()
    elsewhere.symlink_to(outside)
    end = start_watching(graph, background, FileInput([elsewhere], [tmp_path / "docs"]))
    try:
        wait_for(lambda: background.watch_failed is not None)
        assert "outside the folders that may be read" in str(background.watch_failed)
        elsewhere.unlink()
        elsewhere.mkdir()
        wait_for(lambda: background.watch_failed is None)
    finally:
        end()


@pytest.mark.parametrize(("roots", "hint"), [(["docs"], "outside the folders that may be read"), ([], "--root DIR")])
def test_only_folders_below_the_roots_are_watched(tmp_path: Path, roots: list[str], hint: str) -> None:
    allowed = [str(tmp_path / root) for root in roots]
    with (
        open_graph(tmp_path / "g.duckdb", roots=allowed, watch=[str(tmp_path)]) as graph,
        pytest.raises(NotAllowed, match=hint),
    ):
        watch_settings(graph.settings)


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="needs a folder that may not be read")
def test_a_folder_that_cannot_be_read_keeps_its_documents(tmp_path: Path, graph: Graph, background: Background) -> None:
    inner = tmp_path / "docs" / "inner"
    inner.mkdir()
    (inner / "a.md").write_text("# Mill\n\nText.", encoding="utf-8")
    watcher = Watcher(graph, background, files(tmp_path))
    watcher.look()
    watcher.look()
    inner.chmod(0)
    try:
        assert watcher.look() is None
    finally:
        inner.chmod(0o700)
    assert titles(graph) == {"Mill"}
