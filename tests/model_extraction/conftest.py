"""Graphs whose model is the stand-in for Claude's API, which reads sentences unless a test says otherwise."""

from pathlib import Path

import pytest
from claude_server import ClaudeServer
from model_answers import FILLER, Asking, note, read_sentences

from mcp_graphrag.embed import Embedder, Embedders
from mcp_graphrag.graph import Graph
from mcp_graphrag.settings import make_settings


@pytest.fixture
def asking(tmp_path: Path, claude_api: ClaudeServer, wordllama: Embedder) -> Asking:
    """Opens the one file of the test with further settings."""
    claude_api.default = read_sentences

    def opened(**settings: object) -> Graph:
        given = {**claude_api.settings, "db": str(tmp_path / "graph.duckdb"), **settings}
        return Graph(make_settings(**given), embedders=Embedders(wordllama))

    return opened


@pytest.fixture
def shelf(tmp_path: Path) -> Path:
    """Seven documents of more characters than a model is given at once."""
    folder = tmp_path / "shelf"
    folder.mkdir()
    for number in range(10, 17):
        (folder / f"{number}.txt").write_text(f"{note(number)} {FILLER * 13}", encoding="utf-8")
    return folder
