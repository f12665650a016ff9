import pytest
from cli_runs import Cli
from embeddings_server import EmbeddingsServer, run_embeddings_server

REFUSED = (401, b"")


def flags(endpoint: EmbeddingsServer, model: str = "letters") -> tuple[str, ...]:
    return ("--embedder", "openai", "--embed-url", endpoint.url, "--embed-model", model)


@pytest.mark.slow
def test_reindex_takes_a_model_and_gives_it_up_again(cli: Cli) -> None:
    for text in ("zebra zoo", "quiet queue"):
        cli("ingest", "--text", text, "--uri", text, "--extract", "none")
    with run_embeddings_server() as endpoint:
        letters = flags(endpoint)
        done = cli("reindex", *letters)
        assert (done.out, done.err) == (
            "Indexed 2 chunks, made 4 vectors of chunks and entities with wordllama and openai:letters.\n",
            "",
        )
        assert cli("search", "zzz", "--mode", "vector", "--json", *letters).fields["hits"][0]["text"] == "zebra zoo"
        # Another model in the settings than in the file: static vectors answer, and a note says so.
        words = ("search", "zebra", "--mode", "vector", "--json", *flags(endpoint, "digits"))
        (note,) = cli(*words).fields["notes"]
        assert note.startswith(
            "Without the vectors of the model: The file has vectors of openai:letters, the settings name openai:digits:"
        )
        assert "`mcp-graphrag reindex --embedder openai --embed-model digits`" in note
        # The model cannot read the question.
        for mode in ("hybrid", "vector"):
            endpoint.queue.clear()
            endpoint.enqueue(*[REFUSED] * 10)
            fields = cli("search", "zebra", "--mode", mode, "--json", *letters).fields
            assert fields["hits"][0]["text"] == "zebra zoo"
            assert fields["notes"][0].startswith(
                f"Without the vectors of the model: The embeddings endpoint {endpoint.url} answered HTTP 401."
            )
    status = cli("status", "--json").fields
    assert (status["embedder"], status["model_vectors"]["count"]) == ("wordllama and openai:letters", 2)
    fields = cli("reindex", "--json").fields
    assert fields == {"chunks_indexed": 2, "embedded": 2, "embedder": "wordllama"}
    status = cli("status", "--json").fields
    assert (status["embedder"], status["model_vectors"]["count"]) == ("wordllama", 0)


@pytest.mark.slow
def test_an_endpoint_that_refuses_leaves_the_old_vectors_with_exit_code_5(cli: Cli) -> None:
    cli("ingest", "--text", "zebra zoo", "--extract", "none")
    with run_embeddings_server() as endpoint:
        letters = flags(endpoint)
        cli("reindex", *letters)
        endpoint.enqueue(*[REFUSED] * 10)
        ran = cli("reindex", *letters)
        assert ran.code == 5
        assert f"error: The embeddings endpoint {endpoint.url} answered HTTP 401. Check embed_url," in ran.error
    assert cli("status", "--json").fields["model_vectors"]["count"] == 1
    (hit,) = cli("search", "zebra", "--mode", "vector", "--json").fields["hits"]
    assert hit["text"] == "zebra zoo"
