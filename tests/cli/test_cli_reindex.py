import json
import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from cli_runs import Cli

LETTERS = "abcdefghijklmnopqrstuvwxyz"


class Letters(BaseHTTPRequestHandler):
    """An OpenAI-compatible endpoint whose vectors count letters."""

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        vectors = [[text.lower().count(each) + 0.01 for each in LETTERS] for text in asked["input"]]
        data = [{"index": at, "embedding": vector} for at, vector in enumerate(vectors)]
        known = self.path == "/v1/embeddings" and self.headers["Authorization"] == "Bearer hush"
        self.send_response(200 if known else 401)
        self.end_headers()
        self.wfile.write(json.dumps({"data": data}).encode())

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  (the name is the base class's)
        """Say nothing."""


@contextmanager
def endpoint() -> Generator[Sequence[str]]:
    """The flags of a running endpoint."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Letters)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    url = f"http://127.0.0.1:{server.server_port}/v1"
    try:
        yield ("--embedder", "openai", "--embed-url", url, "--embed-model", "letters", "--embed-key", "hush")
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.mark.slow
def test_reindex_takes_a_model_and_gives_it_up_again(tmp_path: Path) -> None:
    cli = Cli(tmp_path.resolve())
    for text in ("zebra zoo", "quiet queue"):
        cli("ingest", "--text", text, "--uri", text, "--extract", "none")
    with endpoint() as letters:
        done = cli("reindex", *letters)
        assert (done.out, done.err) == (
            "Indexed 2 chunks, made 4 vectors of chunks and entities with wordllama and openai:letters.\n",
            "",
        )
        assert cli("search", "zzz", "--mode", "vector", "--json", *letters).fields["hits"][0]["text"] == "zebra zoo"
        # Another model in the settings than in the file: static vectors answer, and a note says so.
        other = [*letters[:-3], "digits", *letters[-2:]]
        (note,) = cli("search", "zebra", "--mode", "vector", "--json", *other).fields["notes"]
        assert note.startswith(
            "Without the vectors of the model: The file has vectors of openai:letters, the settings name openai:digits:"
        )
        assert "`mcp-graphrag reindex --embedder openai --embed-model digits`" in note
        # The model cannot read the question.
        for mode in ("hybrid", "vector"):
            fields = cli("search", "zebra", "--mode", mode, "--json", *letters[:-1], "wrong").fields
            assert fields["hits"][0]["text"] == "zebra zoo"
            assert fields["notes"][0].startswith(
                f"Without the vectors of the model: The embeddings endpoint {letters[3]} answered HTTP 401."
            )
    status = cli("status", "--json").fields
    assert (status["embedder"], status["model_vectors"]["count"]) == ("wordllama and openai:letters", 2)
    fields = cli("reindex", "--json").fields
    assert fields == {"chunks_indexed": 2, "embedded": 2, "embedder": "wordllama"}
    status = cli("status", "--json").fields
    assert (status["embedder"], status["model_vectors"]["count"]) == ("wordllama", 0)


def test_an_endpoint_that_refuses_leaves_the_old_vectors_with_exit_code_5(tmp_path: Path) -> None:
    cli = Cli(tmp_path.resolve())
    cli("ingest", "--text", "zebra zoo", "--extract", "none")
    with endpoint() as letters:
        cli("reindex", *letters)
        ran = cli("reindex", *letters[:-1], "wrong")
        assert ran.code == 5
        assert ran.error.startswith(f"error: The embeddings endpoint {letters[3]} answered HTTP 401. Check embed_url,")
    assert cli("status", "--json").fields["model_vectors"]["count"] == 1
    (hit,) = cli("search", "zebra", "--mode", "vector", "--json").fields["hits"]
    assert hit["text"] == "zebra zoo"
