"""A real OpenAI-compatible embeddings endpoint on loopback: a text's vector follows from its length."""

import json
import threading
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = tuple[int, bytes]
Plan = Callable[[list[str]], Answer]


def vector_of(text: str) -> list[float]:
    """The vector that the endpoint answers."""
    return [float(len(text)), 1.0, 2.0]


def good(texts: Sequence[str], *, status: int = 200) -> Answer:
    """What an endpoint answers that works."""
    rows = [{"index": at, "embedding": vector_of(text)} for at, text in enumerate(texts)]
    return status, json.dumps({"data": rows[::-1]}).encode()


def _always(answer: Answer, _texts: Sequence[str]) -> Answer:
    return answer


class Served:
    """A real endpoint on loopback. `plans` are its next answers; after them it answers as it should."""

    def __init__(self) -> None:
        self.plans: list[Plan] = []
        self.asked: list[dict[str, Any]] = []
        self.headers: list[str | None] = []
        self.paths: list[str] = []
        served = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                served.asked.append(body)
                served.headers.append(self.headers["Authorization"])
                served.paths.append(self.path)
                status, content = (served.plans.pop(0) if served.plans else good)(body["input"])
                self.send_response(status)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  (as http.server names it)
                """Say nothing on stderr."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1"

    def answers(self, *answers: Answer) -> None:
        """Plan the next answers, whatever is asked."""
        self.plans += [partial(_always, answer) for answer in answers]


@contextmanager
def embeddings_served() -> Generator[Served]:
    """The endpoint, until the end of the block."""
    served = Served()
    thread = threading.Thread(target=served.server.serve_forever, args=(0.01,))
    thread.start()
    yield served
    served.server.shutdown()
    thread.join()
    served.server.server_close()
