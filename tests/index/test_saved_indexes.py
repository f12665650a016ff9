"""Saved indexes make no answer different from those of a process without them, whatever happened to any file."""

import json
import os
import pickle
import shutil
import stat
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import platformdirs
import pytest

from mcp_graphrag.edit.inputs import TextInput
from mcp_graphrag.edit.remove import Removal
from mcp_graphrag.graph import Graph, open_graph
from mcp_graphrag.index import saved_indexes
from mcp_graphrag.lookup.neighbourhood import NeighbourhoodQuery
from mcp_graphrag.model import Candidate
from mcp_graphrag.search.query import SearchQuery

BUILDERS = ("build_graph", "build_names", "build_evidence", "build_keywords", "build_mentions")


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the saved indexes, which are saved however small they are."""
    monkeypatch.setattr(platformdirs, "user_cache_path", tmp_path.joinpath)
    monkeypatch.setattr(saved_indexes, "MIN_BYTES", 0)
    return tmp_path / "mcp-graphrag" / "indexes"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A graph file that a process has asked and closed."""
    with open_graph(tmp_path / "graph.duckdb", embedder="wordllama") as graph:
        graph.ingest_text(TextInput("Ada Reed leads the Beacon team. Beacon sails at dawn.", title="Beacon", uri="u:1"))
        graph.add_triples([Candidate("Ada", "knows", "Ben"), Candidate("Ben", "knows", "Cy", confidence=0.5)])
        _answers(graph)
    return tmp_path / "graph.duckdb"


def _answers(graph: Graph) -> list[Any]:
    asked = [graph.neighbourhood(NeighbourhoodQuery(name, hops=2)) for name in ("Ada", "Ben")]
    found = [graph.search(SearchQuery("Beacon team at dawn", mode=mode)) for mode in ("keyword", "graph")]
    return [*asked, *(answer.hits for answer in found)]


def _answers_of(path: Path, *, without: Path | None = None) -> list[Any]:
    """The answers of a new process, of one without saved indexes where their folder is given."""
    if without is not None:
        shutil.rmtree(without)
    with open_graph(path, embedder="wordllama") as graph:
        return _answers(graph)


def test_the_next_process_builds_nothing_and_its_writes_count(
    path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        for name in BUILDERS:
            patch.setattr(f"mcp_graphrag.index.indexes.{name}", None)  # who builds one calls it
        before = _answers_of(path)
        with open_graph(path, embedder="wordllama") as graph:
            _answers(graph)
            graph.add_triples([Candidate("Cy", "knows", "Dee"), Candidate("Ada", "likes", "Dee")])
            written = _answers(graph)
            graph.remove(Removal(document="u:1"))
            removed = _answers(graph)
        assert _answers_of(path) == removed
    assert before != written != removed == _answers_of(path, without=cache)


@pytest.mark.skipif(os.name != "posix", reason="the rights of POSIX")
def test_only_their_user_can_read_them(path: Path, cache: Path) -> None:
    assert path.exists()
    assert stat.S_IMODE(cache.stat().st_mode) == 0o700
    assert {stat.S_IMODE(each.stat().st_mode) for each in cache.iterdir()} == {0o600}


class _Runs:
    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return Path.touch, (Path("was-run"),)


def _scribble_values(saved: Path) -> None:
    content = saved.read_bytes()
    saved.write_bytes(content[:-128] + bytes(each ^ 1 for each in content[-128:]))


def _cut(saved: Path) -> None:
    os.truncate(saved, saved.stat().st_size // 2)


def _swap(saved: Path) -> None:
    """Another index of the graph under this name."""
    shutil.copy(saved.with_name(next(each.name for each in sorted(saved.parent.iterdir()) if each != saved)), saved)


def _plant(saved: Path) -> None:
    """A whole file with the right header, that makes something else than an index."""
    planted = pickle.dumps(_Runs(), protocol=5).ljust(4 * saved_indexes.ALIGNMENT, b"\0")
    header = json.loads(saved.read_bytes().partition(b"\n")[0]) | {
        "crc": zlib.crc32(planted),
        "lengths": [len(planted)],
    }
    saved.write_bytes(json.dumps(header).encode() + b"\n" + planted)


@pytest.mark.parametrize("damage", [_scribble_values, _plant, _cut, _swap, Path.unlink])
def test_a_damaged_or_foreign_one_is_built_anew(
    path: Path, cache: Path, damage: Callable[[Path], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    expected = _answers_of(path)
    for saved in cache.iterdir():
        damage(saved)
    assert _answers_of(path) == expected
    assert not Path("was-run").exists()


def _edited(path: Path) -> None:
    with duckdb.connect(str(path)) as file:
        file.execute("DELETE FROM triple WHERE id = (SELECT max(id) FROM triple)")


def _diverged(path: Path) -> None:
    """Another write of the same number in each of two copies, of which the other takes the place of the first."""
    copy = Path(shutil.copy(path, path.with_name("copy.duckdb")))
    for each, name in ((path, "Ada"), (copy, "Ben")):
        with open_graph(each, embedder="wordllama") as graph:
            graph.add_triples([Candidate(name, "knows", "Eve")])
            _answers(graph)
    if os.name == "posix":  # where no program can set the time of the last change of a file's state
        os.utime(copy, ns=(path.stat().st_atime_ns, path.stat().st_mtime_ns))
    shutil.copy2(copy, path)


def _purged(path: Path) -> None:
    with open_graph(path, embedder="wordllama") as graph:
        graph.remove(Removal(document="u:1", purge=True))
        assert not list(saved_indexes.saved_path(path, "graph").parent.iterdir())  # a process may be killed now


@pytest.mark.parametrize("change", [_edited, _diverged, _purged])
def test_after_another_program_has_changed_the_file_none_is_believed(
    path: Path, cache: Path, change: Callable[[Path], None]
) -> None:
    before = _answers_of(path)
    change(path)
    assert before != _answers_of(path) == _answers_of(path, without=cache)


def test_what_is_purged_is_not_kept(path: Path, cache: Path) -> None:
    _purged(path)
    assert not list(cache.iterdir())


def test_where_none_can_be_saved_questions_are_answered(path: Path, cache: Path) -> None:
    shutil.rmtree(cache)
    cache.touch()
    assert _answers_of(path) == _answers_of(path)


def test_the_oldest_make_room(path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    size = sum(each.stat().st_size for each in cache.iterdir())
    monkeypatch.setattr(saved_indexes, "MAX_BYTES", size)
    _answers_of(Path(shutil.copy(path, path.with_name("copy.duckdb"))))
    kept = sum(each.stat().st_size for each in cache.iterdir())
    assert 0 < kept <= size
