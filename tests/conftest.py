"""What the tests of several rooms share: a real file, and a pipeline on it."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from claude_server import ClaudeServer, claude_served

from mcp_graphrag.embed import Embedder, make_embedder
from mcp_graphrag.pipeline import Pipeline, make_pipeline
from mcp_graphrag.settings import Settings
from mcp_graphrag.store import Store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = Store(tmp_path / "graph.duckdb", wait=0)
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def wordllama() -> Embedder:
    """The default embedder, loaded once."""
    return make_embedder("wordllama")


@pytest.fixture
def pipeline(tmp_path: Path, wordllama: Embedder) -> Iterator[Pipeline]:
    made = replace(make_pipeline(Settings(db=tmp_path / "graph.duckdb")), embedder=wordllama)
    yield made
    made.store.close()


@pytest.fixture
def claude_api() -> Iterator[ClaudeServer]:
    """A stand-in for Claude's API, which the real SDK talks to."""
    with claude_served() as api:
        yield api
