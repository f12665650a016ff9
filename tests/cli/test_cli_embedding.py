"""How the command `ingest` tells that a model embeds what is stored, and what an interruption leaves."""

import os
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from embeddings_server import EmbeddingsServer, Response, run_embeddings_server, valid_response
from forked import FRESH, own_environment
from served import served, wait_for

from mcp_graphrag.cli import progress
from mcp_graphrag.cli.progress import progress_bars

SENTENCE = "Heron {} stands at the lighthouse and counts the ships that pass by, and writes them into the book. "


def hold(endpoint: EmbeddingsServer, after: int) -> threading.Event:
    """The event that lets the endpoint answer, after so many requests without it."""
    released = threading.Event()

    def wait(texts: list[str]) -> Response:
        assert released.wait(60)
        return valid_response(texts)

    endpoint.queue += [valid_response] * after + [wait] * 20
    return released


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there is no pseudo-terminal")
def test_an_ingest_tells_how_far_the_model_is_and_a_server_goes_on_after_ctrl_c(tmp_path: Path) -> None:
    db = tmp_path / "graph.duckdb"
    text = "\n\n".join(f"# Part {number}\n\n{SENTENCE.format(number) * 12}" for number in range(150))
    (tmp_path / "book.md").write_text(text, encoding="utf-8")
    with run_embeddings_server() as endpoint:
        flags = ("--embedder", "openai", "--embed-url", endpoint.url, "--embed-model", "nomic")
        released = hold(endpoint, after=1)
        ours, theirs = os.openpty()
        words = (*FRESH, "ingest", str(tmp_path / "book.md"), "--db", str(db), "--linger", "1", *flags)
        environment = {**own_environment(), "MCP_GRAPHRAG_NO_DAEMON": ""}
        with subprocess.Popen(words, stderr=theirs, stdout=subprocess.PIPE, env=environment) as ingest:
            os.close(theirs)
            said = b""
            while b" 64/" not in said:
                said += os.read(ours, 1000)
            ingest.send_signal(signal.SIGINT)
            assert ingest.wait(60) == 130
        os.close(ours)
        above, _, bar = said.decode().partition("Ctrl-C is safe: the next ingest or a server of the file goes on.")
        assert "All of it is stored and searchable." in above
        assert "Embedding" in bar

        released.set()
        with served(db, *flags) as ask:
            assert len(ask("search", query="heron", mode="keyword")["hits"]) > 1
            wait_for(lambda: not ask("brief")["holds"]["chunks_awaiting_embedding"])


def test_where_stderr_is_no_terminal_a_long_step_has_lines_and_a_short_one_none(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with progress_bars(shown=True) as show:
        show(1, 3, "Ingesting")
        show(3, 3, "Ingesting")
        assert capsys.readouterr().err == ""
        monkeypatch.setattr(progress, "LINE_SECONDS", 0.0)
        show(0, 0, "Nothing")
        for done in (64, 1_280):
            show(done, 30_625, "It is stored.\nEmbedding")
    lines = re.sub(r", about \d+ s left$", ", …", capsys.readouterr().err, flags=re.MULTILINE)
    assert lines == "It is stored.\nEmbedding: 64 of 30,625, …\nEmbedding: 1,280 of 30,625, …\n"
