"""Fixtures that the tests of several packages share: a real file, and a graph on it."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from cached_databases import CachedDatabases, started_server
from cached_files import CachedFiles, Setup, empty, remove
from claude_server import ClaudeServer, run_claude_server
from hypothesis import HealthCheck, settings

from mcp_graphrag.embed import Embedder
from mcp_graphrag.embed.wordllama import WordllamaEmbedder
from mcp_graphrag.graph import Graph
from mcp_graphrag.store import Home, Store

# DuckDB looks for pandas at every value that is bound, through every folder of the path. There is none to be found.
sys.modules.setdefault("pandas", None)  # pyright: ignore[reportArgumentType]

# The model would take the time of the tests: those that are about it choose it.
os.environ["MCP_GRAPHRAG_EMBEDDER"] = "wordllama"
# Nor may a process of one test outlive it: those about the owner of a file choose it.
os.environ["MCP_GRAPHRAG_NO_DAEMON"] = "true"
# Nor is the project that this repository may be part of that of a test.
os.environ["MCP_GRAPHRAG_PROJECT"] = "none"


# A loaded machine is no failure; a test that hangs ends by the timeout of pyproject.toml.
settings.register_profile("any machine", deadline=None, suppress_health_check=list(HealthCheck))
settings.load_profile("any machine")


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--home postgres` runs the tests of the fixtures below on a real PostgreSQL."""
    parser.addoption("--home", default="file", choices=("file", "postgres"))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """The linters come first: in a whole run basedpyright takes a minute, and would be the last one at work.

    Of a test with several cases the first is tried in a quick run; the others count as slow.
    """
    if config.getoption("--home") != "file":
        items[:] = [item for item in items if item.get_closest_marker("of_file") is None]
    items.sort(key=lambda item: item.path.parent.name != "project")
    cases: dict[str, list[pytest.Item]] = {}
    for item in items:
        cases.setdefault(item.nodeid.partition("[")[0], []).append(item)
    for several in cases.values():
        for item in several[1:]:
            item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="session")
def wordllama() -> Embedder:
    """The static embedder, loaded once."""
    return WordllamaEmbedder()


@pytest.fixture(scope="session")
def cached_files(tmp_path_factory: pytest.TempPathFactory, wordllama: Embedder) -> CachedFiles:
    return CachedFiles(tmp_path_factory.mktemp("cached"), wordllama)


@pytest.fixture(scope="session")
def cached_databases(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, wordllama: Embedder
) -> Iterator[CachedDatabases | None]:
    """The databases in place of files where the tests run on PostgreSQL."""
    if request.config.getoption("--home") == "file":
        yield None
        return
    server = started_server()
    yield CachedDatabases(tmp_path_factory.mktemp("databases"), wordllama, server=server)
    server.cleanup()


@pytest.fixture
def store(tmp_path: Path, cached_files: CachedFiles, cached_databases: CachedDatabases | None) -> Iterator[Home]:
    if cached_databases:
        with cached_databases.store(empty, tmp_path / "graph.duckdb") as home:
            yield home
        return
    path = cached_files.copied(empty, tmp_path / "graph.duckdb")
    opened = Store(path, wait=0)
    yield opened
    remove(path)
    opened.close()


@pytest.fixture
def after(
    tmp_path: Path, cached_files: CachedFiles, cached_databases: CachedDatabases | None
) -> Iterator[Callable[[Setup], Graph]]:
    """A graph that a setup has filled; the file is copied where the setup has run before."""
    homes = cached_databases or cached_files
    with ExitStack() as stack:
        yield lambda setup: stack.enter_context(homes.scratch(setup, tmp_path / "graph.duckdb"))


@pytest.fixture
def graph(after: Callable[[Setup], Graph]) -> Graph:
    return after(empty)


@pytest.fixture
def claude_api() -> Iterator[ClaudeServer]:
    """A stand-in for Claude's API, which the real SDK talks to."""
    with run_claude_server() as api:
        yield api
