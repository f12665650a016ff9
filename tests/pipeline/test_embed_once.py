"""What was embedded once is not embedded again: by an endpoint that would be paid or waited for."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from embeddings_server import Served, embeddings_served
from pipeline_stories import TEST

from mcp_graphrag.embed import Endpoint, make_embedder
from mcp_graphrag.model import Document
from mcp_graphrag.pipeline import Pipeline
from mcp_graphrag.pipeline.embed import embed_pending, pending
from mcp_graphrag.pipeline.ingest import IngestReport, ingest

SECTIONS = {"Harbour": "The pilot brings the ferry in at high tide. " * 40, "Mill": "The mill grinds at night. " * 60}
HARBOUR = "\n\n".join(f"# {title}\n\n{text}" for title, text in SECTIONS.items())
WRONG = """SELECT count(*) FROM chunk_embedding e JOIN chunk c ON c.id = e.chunk_id
JOIN chunk o ON o.sha256 = c.sha256 JOIN chunk_embedding f ON f.chunk_id = o.id WHERE e.vector <> f.vector"""


@pytest.fixture
def served() -> Iterator[Served]:
    with embeddings_served() as served:
        yield served


@pytest.fixture
def remote(pipeline: Pipeline, served: Served) -> Pipeline:
    return replace(pipeline, embedder=make_embedder("openai", Endpoint(served.url, "nomic", "")))


def told(pipeline: Pipeline, served: Served, *documents: Document) -> list[str]:
    """The texts that the endpoint was asked for after an ingest, all of which then have vectors."""
    served.asked.clear()
    ingest(pipeline, documents, pipeline.chosen_extractors("auto"), TEST, report=IngestReport())
    embed_pending(pipeline)
    assert pending(pipeline) == 0
    return [text for asked in served.asked for text in asked["input"]]


def test_a_changed_document_has_only_its_new_passages_embedded(remote: Pipeline, served: Served) -> None:
    first = told(remote, served, Document("memo:a", "Notes", HARBOUR))

    again = told(remote, served, Document("memo:a", "Notes", f"{HARBOUR}It stands still by day."))

    assert any("pilot" in text for text in first)
    assert ["by day" in text for text in again] == [True]
    with remote.reading() as tx:
        assert tx.run(WRONG).fetchone() == (0,)


def test_the_same_text_under_another_title_is_another_text(remote: Pipeline, served: Served) -> None:
    told(remote, served, Document("memo:a", "Notes", HARBOUR))

    again = told(remote, served, Document("memo:b", "Log", HARBOUR))

    assert any("pilot" in text for text in again)


def test_copies_in_one_batch_are_asked_for_once(remote: Pipeline, served: Served) -> None:
    texts = told(remote, served, *(Document(f"memo:{name}", "Notes", HARBOUR) for name in "abc"))

    assert len(texts) == len(set(texts))
    assert any("pilot" in text for text in texts)
