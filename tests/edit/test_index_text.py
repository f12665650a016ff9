"""What search is told of chunks and names, and what is left to the background."""

from collections.abc import Iterator

import pytest
from edit_helpers import TEST, relate
from embeddings_server import run_embeddings_server

from mcp_graphrag.edit.index_text import embed_entities, embedded_text, index_chunks, keyword_text
from mcp_graphrag.edit.inputs import TextInput
from mcp_graphrag.embed import Embedder, Endpoint, make_embedder
from mcp_graphrag.graph import Graph
from mcp_graphrag.model import Chunk
from mcp_graphrag.store.rows.embedding_rows import stored_embedder

CHUNK = Chunk(0, 0, 9, " The Mill ", ("Notes", "Mills"), context="| Mill |\n")


@pytest.fixture
def slow() -> Iterator[Embedder]:
    """An embedder that is too slow to wait for."""
    with run_embeddings_server() as served:
        yield make_embedder("openai", Endpoint(served.url, "nomic", ""))


def test_a_chunk_is_found_by_title_and_headings_and_embedded_without_their_repeats(wordllama: Embedder) -> None:
    assert keyword_text("Notes", CHUNK) == "Notes\nNotes\nMills\n| Mill |\n\n The Mill "
    assert embedded_text("Notes", CHUNK) == "Notes\nMills\n| Mill |\n\nThe Mill"
    indexed = index_chunks(wordllama, [("Notes", CHUNK)])
    assert indexed.vectors is not None
    assert indexed.vectors.tolist() == wordllama.embed([embedded_text("Notes", CHUNK)]).tolist()


def test_a_slow_embedder_leaves_names_and_chunks_to_the_background(graph: Graph, slow: Embedder) -> None:
    graph.embedder = slow
    relate(graph, "A uses B")
    graph.run_ingest(graph.text_work(TextInput("The Mill.", uri="u:1"), extract="none"))
    assert graph.waiting_for_embedding() == 3
    with graph.reading() as snapshot:
        assert stored_embedder(snapshot.tx) is None
    assert index_chunks(slow, [("Notes", CHUNK)]).vectors is None


def test_a_fast_embedder_leaves_nothing_to_the_background(graph: Graph) -> None:
    with graph.writing(TEST) as write:
        embed_entities(write.tx, graph.embedder, [])
        assert stored_embedder(write.tx) is None
    relate(graph, "A uses B")
    graph.run_ingest(graph.text_work(TextInput("The Mill.", uri="u:1"), extract="none"))
    assert graph.waiting_for_embedding() == 0


def test_more_names_than_a_caller_can_wait_for_are_left_to_the_background(graph: Graph) -> None:
    names = [(number, f"Mill {number}") for number in range(10_001)]
    with graph.writing(TEST) as write:
        embed_entities(write.tx, graph.embedder, names)
        assert stored_embedder(write.tx) is None
        embed_entities(write.tx, graph.embedder, names[1:])
        assert write.tx.run("SELECT count(*) FROM entity_embedding").fetchone() == (10_000,)
