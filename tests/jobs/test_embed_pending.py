"""Each text is sent to a paid or slow endpoint only once."""

from collections.abc import Iterator

import pytest
from edit_helpers import TEST
from embeddings_server import EmbeddingsServer, run_embeddings_server

from mcp_graphrag.embed import Endpoint, make_embedder
from mcp_graphrag.graph import Graph
from mcp_graphrag.jobs.ingest_documents import IngestReport, ingest
from mcp_graphrag.model import Document

SECTIONS = {"Harbour": "The pilot brings the ferry in at high tide. " * 40, "Mill": "The mill grinds at night. " * 60}
HARBOUR = "\n\n".join(f"# {title}\n\n{text}" for title, text in SECTIONS.items())
UNEQUAL = """SELECT count(*) FROM chunk_embedding e JOIN chunk c ON c.id = e.chunk_id
JOIN chunk o ON o.sha256 = c.sha256 JOIN chunk_embedding f ON f.chunk_id = o.id WHERE e.vector <> f.vector"""


@pytest.fixture
def served() -> Iterator[EmbeddingsServer]:
    with run_embeddings_server() as served:
        yield served


@pytest.fixture
def remote(graph: Graph, served: EmbeddingsServer) -> Graph:
    graph.embedder = make_embedder("openai", Endpoint(served.url, "nomic", ""))
    return graph


def embedded(graph: Graph, served: EmbeddingsServer, *documents: Document) -> list[str]:
    """The texts that were sent to the endpoint after an ingest, until nothing waits for an embedding."""
    served.requests.clear()
    ingest(graph, documents, graph.chosen_extractors("auto"), TEST, report=IngestReport())
    graph.embed()
    assert graph.waiting_for_embedding() == 0
    return [text for request in served.requests for text in request["input"]]


def test_only_the_new_chunks_of_a_changed_document_are_embedded(remote: Graph, served: EmbeddingsServer) -> None:
    first = embedded(remote, served, Document("memo:a", "Notes", HARBOUR))

    again = embedded(remote, served, Document("memo:a", "Notes", f"{HARBOUR}It stands still by day."))

    assert any("pilot" in text for text in first)
    assert ["by day" in text for text in again] == [True]
    with remote.reading() as snapshot:
        assert snapshot.tx.run(UNEQUAL).fetchone() == (0,)


def test_the_same_text_with_another_title_is_embedded_again(remote: Graph, served: EmbeddingsServer) -> None:
    embedded(remote, served, Document("memo:a", "Notes", HARBOUR))

    again = embedded(remote, served, Document("memo:b", "Log", HARBOUR))

    assert any("pilot" in text for text in again)


def test_copies_in_one_batch_are_embedded_once(remote: Graph, served: EmbeddingsServer) -> None:
    texts = embedded(remote, served, *(Document(f"memo:{name}", "Notes", HARBOUR) for name in "abc"))

    assert len(texts) == len(set(texts))
    assert any("pilot" in text for text in texts)
