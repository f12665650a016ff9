import json
import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

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


def test_reindex_takes_another_embedder_and_the_first_one_back(tmp_path: Path) -> None:
    cli = Cli(tmp_path.resolve())
    for text in ("zebra zoo", "quiet queue"):
        cli("ingest", "--text", text, "--uri", text, "--extract", "none")
    with endpoint() as letters:
        wrong = cli("search", "zzz", *letters)
        assert wrong.code == 4
        assert wrong.error.startswith(
            f"error: The embeddings in {cli.db} come from wordllama, the settings name openai:letters. "
        )
        assert "`mcp-graphrag reindex" in wrong.error
        done = cli("reindex", *letters)
        assert (done.out, done.err) == (
            "Indexed 2 chunks, embedded 2 chunks and entities with openai:letters.\n",
            "",
        )
        assert cli("search", "zzz", "--mode", "vector", "--json", *letters).fields["hits"][0]["text"] == "zebra zoo"
        # Without the endpoint's help a question has no vector; keyword search answers still, and says so.
        fields = cli("search", "zebra", "--mode", "hybrid", "--json", *letters[:-1], "wrong").fields
        assert [each["text"] for each in fields["hits"]] == ["zebra zoo"]
        assert fields["notes"][0].startswith(
            f"Without vectors: The embeddings endpoint {letters[3]} answered HTTP 401."
        )
    fields = cli("reindex", "--json").fields
    assert fields == {"chunks_indexed": 2, "embedded": 2, "embedder": "wordllama", "entities_pruned": 0}
    assert cli("status", "--json").fields["embedder"] == "wordllama/256"


def test_an_endpoint_that_refuses_leaves_the_old_vectors_with_exit_code_5(tmp_path: Path) -> None:
    cli = Cli(tmp_path.resolve())
    cli("ingest", "--text", "zebra zoo", "--extract", "none")
    with endpoint() as letters:
        ran = cli("reindex", *letters[:-1], "wrong")
        assert ran.code == 5
        assert ran.error.startswith(f"error: The embeddings endpoint {letters[3]} answered HTTP 401. Check embed_url,")
    (hit,) = cli("search", "zebra", "--mode", "vector", "--json").fields["hits"]
    assert hit["text"] == "zebra zoo"
