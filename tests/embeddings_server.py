"""An OpenAI-compatible embeddings endpoint on loopback; the vector of a text depends on its length."""

import json
import threading
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Response = tuple[int, bytes]
Responder = Callable[[list[str]], Response]


def vector_of(text: str) -> list[float]:
    """The vector that the endpoint returns."""
    return [float(len(text)), 1.0, 2.0]


def valid_response(texts: Sequence[str]) -> Response:
    """The response of a working endpoint."""
    rows = [{"index": index, "embedding": vector_of(text)} for index, text in enumerate(texts)]
    return 200, json.dumps({"data": rows[::-1]}).encode()


class EmbeddingsServer:
    """The endpoint. `queue` holds its next responses; after them it responds correctly."""

    def __init__(self) -> None:
        self.queue: list[Responder] = []
        self.requests: list[dict[str, Any]] = []
        self.headers: list[str | None] = []
        self.paths: list[str] = []
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                server.requests.append(body)
                server.headers.append(self.headers["Authorization"])
                server.paths.append(self.path)
                status, content = (server.queue.pop(0) if server.queue else valid_response)(body["input"])
                self.send_response(status)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  (as http.server names it)
                """Log nothing to stderr."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1"

    def enqueue(self, *responses: Response) -> None:
        """Set the next responses, whatever the request."""
        for response in responses:
            self.queue.append(lambda _, given=response: given)


@contextmanager
def run_embeddings_server() -> Generator[EmbeddingsServer]:
    """A running endpoint."""
    server = EmbeddingsServer()
    thread = threading.Thread(target=server.server.serve_forever, args=(0.01,))
    thread.start()
    yield server
    server.server.shutdown()
    thread.join()
    server.server.server_close()
