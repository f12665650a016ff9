from pathlib import Path

import pytest
from embeddings_server import EmbeddingsServer, run_embeddings_server
from served import Asked, served, wait_for

TEXT = "The lighthouse keeper counts herons."


def found(ask: Asked) -> str:
    return ask("search", query="herons", mode="keyword")["hits"][0]["text"]


def awaiting(ask: Asked) -> int:
    return ask("brief")["holds"]["chunks_awaiting_embedding"]


def sent(endpoint: EmbeddingsServer) -> list[str]:
    return [text for request in endpoint.requests for text in request["input"] if TEXT in text]


@pytest.mark.slow
def test_a_server_that_is_only_asked_embeds_what_an_earlier_one_left(tmp_path: Path) -> None:
    db = tmp_path / "graph.duckdb"
    with run_embeddings_server() as endpoint:
        flags = ("--embedder", "openai", "--embed-url", endpoint.url, "--embed-model", "nomic")
        with served(db, "--embedder", "wordllama") as ask:
            ask("ingest", text=TEXT, extract="none")
        with served(db, "--read-only", *flags) as ask:
            assert (found(ask), awaiting(ask), sent(endpoint)) == (TEXT, 1, [])
        with served(db, *flags) as ask:
            assert found(ask) == TEXT
            wait_for(lambda: not awaiting(ask))
        assert len(sent(endpoint)) == 1
