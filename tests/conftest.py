"""What the tests of several rooms share: a real file, and a pipeline on it."""

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from claude_server import ClaudeServer, claude_served
from told_once import Story, ToldOnce, silence

from mcp_graphrag.embed import Embedder, make_embedder
from mcp_graphrag.pipeline import Pipeline
from mcp_graphrag.store import Store

# DuckDB looks for pandas at every value that is bound, through every folder of the path. There is none to be found.
sys.modules.setdefault("pandas", None)  # pyright: ignore[reportArgumentType]


@pytest.fixture(scope="session")
def wordllama() -> Embedder:
    """The default embedder, loaded once."""
    return make_embedder("wordllama")


@pytest.fixture(scope="session")
def told_once(tmp_path_factory: pytest.TempPathFactory, wordllama: Embedder) -> ToldOnce:
    return ToldOnce(tmp_path_factory.mktemp("told"), wordllama)


@pytest.fixture
def store(tmp_path: Path, told_once: ToldOnce) -> Iterator[Store]:
    opened = Store(told_once.copied(silence, tmp_path / "graph.duckdb"), wait=0)
    yield opened
    opened.close()


@pytest.fixture
def after(tmp_path: Path, told_once: ToldOnce) -> Iterator[Callable[[Story], Pipeline]]:
    """Tells a story, or copies what it left where it was told before, and answers a pipeline to go on with."""
    with ExitStack() as stack:
        yield lambda story: stack.enter_context(told_once.opened(told_once.copied(story, tmp_path / "graph.duckdb")))


@pytest.fixture
def pipeline(after: Callable[[Story], Pipeline]) -> Pipeline:
    return after(silence)


@pytest.fixture
def claude_api() -> Iterator[ClaudeServer]:
    """A stand-in for Claude's API, which the real SDK talks to."""
    with claude_served() as api:
        yield api
