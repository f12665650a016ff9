"""What waits for a vector gets it in batches, and each text is sent to a paid or slow endpoint only once."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest
from edit_helpers import TEST
from embeddings_server import EmbeddingsServer, run_embeddings_server
from search_helpers import FixedCosines, changed, ingest_text, relate
from store_helpers import query

from mcp_graphrag.embed import Endpoint
from mcp_graphrag.embed.endpoint_embedder import EndpointEmbedder
from mcp_graphrag.errors import EmbedderMismatch, PartMissing
from mcp_graphrag.graph import Graph
from mcp_graphrag.jobs.embed_pending import LOCAL_BATCH, MODEL_BATCH, embed_pending
from mcp_graphrag.jobs.ingest_documents import IngestReport, ingest
from mcp_graphrag.model import Document, Matrix
from mcp_graphrag.store.rows.embedding_rows import delete_embeddings, set_model

SECTIONS = {"Harbour": "The pilot brings the ferry in at high tide. " * 40, "Mill": "The mill grinds at night. " * 60}
HARBOUR = "\n\n".join(f"# {title}\n\n{text}" for title, text in SECTIONS.items())
UNEQUAL = """SELECT count(*) FROM model_embedding e JOIN chunk c ON c.id = e.chunk_id
JOIN chunk o ON o.sha256 = c.sha256 JOIN model_embedding f ON f.chunk_id = o.id WHERE e.vector <> f.vector"""
KEPT = """SELECT (SELECT value FROM meta WHERE key = 'model'), count(*), min(recorded_change), max(recorded_change)
FROM model_embedding"""


@dataclass
class Recording:
    """A model that keeps the texts of each call."""

    name: str = "nomic"
    calls: list[Sequence[str]] = field(default_factory=list[Sequence[str]])

    def embed(self, texts: Sequence[str]) -> Matrix:
        """The same vector for each text."""
        self.calls.append(texts)
        return np.eye(8, dtype=np.float32)[np.zeros(len(texts), dtype=np.int64)]


@pytest.fixture
def served() -> Iterator[EmbeddingsServer]:
    with run_embeddings_server() as served:
        yield served


@pytest.fixture
def remote(graph: Graph, served: EmbeddingsServer) -> Graph:
    return changed(graph, model=EndpointEmbedder(Endpoint(served.url, "nomic", "")))


def embedded(graph: Graph, served: EmbeddingsServer, *documents: Document) -> list[str]:
    """The texts that were sent to the endpoint after an ingest, until nothing waits for an embedding."""
    served.requests.clear()
    ingest(graph, documents, graph.chosen_extractors("auto"), TEST, report=IngestReport())
    graph.embed()
    assert graph.waiting_for_embedding() == 0
    return [text for request in served.requests for text in request["input"]]


def with_notes(graph: Graph, count: int, model: Recording) -> Graph:
    """The graph with documents of one chunk each, which wait for a model."""
    modelled = changed(graph, model=model)
    documents = [Document(f"memo:{at}", "Notes", f"The mill grinds at {at}.") for at in range(count)]
    ingest(modelled, documents, [], TEST, report=IngestReport())
    return modelled


@pytest.fixture
def of_nomic(graph: Graph) -> Graph:
    """A chunk with a vector of nomic, and one that waits."""
    ingest_text(graph, "memo:a", "The mill grinds.")
    changed(graph, model=Recording()).embed()
    ingest_text(graph, "memo:b", "The weir is closed.")
    return graph


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


def test_names_are_never_sent_to_the_model(remote: Graph, served: EmbeddingsServer) -> None:
    relate(remote, "Mill uses Weir")

    assert embedded(remote, served) == []
    assert query(remote.store, "SELECT count(*) FROM entity_embedding") == [(2,)]


def test_the_model_reads_chunks_in_batches_and_becomes_that_of_the_file(graph: Graph) -> None:
    model, steps = Recording(), list[int]()
    modelled = with_notes(graph, MODEL_BATCH + 6, model)
    assert modelled.waiting_for_embedding() == MODEL_BATCH + 6

    assert modelled.embed(steps.append) == MODEL_BATCH + 6

    assert [len(call) for call in model.calls] == [LOCAL_BATCH] * (MODEL_BATCH // LOCAL_BATCH) + [6]
    assert steps == [MODEL_BATCH, MODEL_BATCH + 6]
    changes = "SELECT count(DISTINCT recorded_change), count(*) FROM model_embedding"
    assert query(graph.store, changes) == [(2, MODEL_BATCH + 6)], "each batch has its own transaction"
    assert modelled.health().file_model == "nomic"
    assert modelled.embed() == 0


def test_embedding_stops_between_batches_and_keeps_those_before(graph: Graph) -> None:
    modelled, steps = with_notes(graph, MODEL_BATCH + 6, Recording()), list[int]()

    assert embed_pending(modelled, stop=lambda: bool(steps), progress=steps.append) == MODEL_BATCH

    assert modelled.waiting_for_embedding() == 6


def test_a_batch_of_a_slow_model_is_given_up_where_embedding_is_to_stop(graph: Graph) -> None:
    model = Recording()
    modelled = with_notes(graph, MODEL_BATCH, model)

    assert embed_pending(modelled, stop=lambda: bool(model.calls)) == 0

    assert [len(call) for call in model.calls] == [LOCAL_BATCH]
    assert modelled.waiting_for_embedding() == MODEL_BATCH


def test_a_chunk_with_a_text_that_the_model_has_read_gets_a_copy_of_its_vector(graph: Graph) -> None:
    model = Recording()
    modelled = changed(graph, model=model)
    ingest_text(modelled, "memo:a", "The mill grinds.", title="Notes")
    modelled.embed()
    ingest_text(modelled, "memo:b", "The mill grinds.", title="Notes")

    assert modelled.embed() == 1

    assert len(model.calls[0]) == 1
    assert not any(model.calls[1:]), "no text is embedded twice"
    assert query(graph.store, "SELECT count(*), count(DISTINCT vector) FROM model_embedding") == [(2, 1)]


def test_static_vectors_that_are_missing_are_made_too(graph: Graph) -> None:
    relate(graph, "Mill uses Weir")
    ingest_text(graph, "memo:a", "The mill grinds.")
    kept = "SELECT vector FROM chunk_embedding UNION ALL SELECT vector FROM entity_embedding"
    before = query(graph.store, kept)
    with graph.store.writing(TEST) as tx:
        delete_embeddings(tx, "chunk")
        delete_embeddings(tx, "entity")
    modelled = changed(graph, model=Recording())
    assert (graph.waiting_for_embedding(), modelled.waiting_for_embedding()) == (3, 4)

    assert modelled.embed() == 4

    assert sorted(query(graph.store, kept)) == sorted(before)
    assert query(graph.store, "SELECT count(*) FROM model_embedding") == [(1,)]


def test_without_a_model_only_static_vectors_are_made(graph: Graph) -> None:
    ingest_text(graph, "memo:a", "The mill grinds.")

    assert graph.embed() == 0
    assert graph.health().file_model == ""


def test_another_model_than_that_of_the_file_is_refused_and_changes_nothing(of_nomic: Graph) -> None:
    before = query(of_nomic.store, KEPT)
    other = Recording("minilm")

    with pytest.raises(EmbedderMismatch, match="The file has vectors of nomic, the settings name minilm"):
        changed(of_nomic, model=other).embed()

    assert other.calls == []
    assert query(of_nomic.store, KEPT) == before == [("nomic", 1, before[0][2], before[0][3])]
    assert changed(of_nomic, model=Recording()).embed() == 1


def test_a_model_that_another_process_took_meanwhile_is_not_mixed_with(graph: Graph) -> None:
    class Overtaken(Recording):
        def embed(self, texts: Sequence[str]) -> Matrix:
            with graph.store.writing(TEST) as tx:
                set_model(tx, "minilm")
            return super().embed(texts)

    ingest_text(graph, "memo:a", "The mill grinds.")

    with pytest.raises(EmbedderMismatch, match="The file has vectors of minilm"):
        changed(graph, model=Overtaken()).embed()

    assert query(graph.store, KEPT)[0][:2] == ("minilm", 0)


def test_a_model_that_serves_another_dimension_is_refused_and_changes_nothing(of_nomic: Graph) -> None:
    before = query(of_nomic.store, KEPT)

    with pytest.raises(PartMissing, match="The model nomic returns 3 dimensions, but its vectors in the file have 8"):
        changed(of_nomic, model=FixedCosines({}, "nomic", 3)).embed()

    assert query(of_nomic.store, KEPT) == before
