"""Reindexing rebuilds what is derived from names and chunks."""

from collections.abc import Sequence

import pytest
from search_helpers import FixedCosines, ask, changed, hit_uris, ingest_text, link, relate
from store_helpers import TEST, query

from mcp_graphrag.errors import EmbedderMismatch, PartMissing, UnknownName
from mcp_graphrag.graph import Graph
from mcp_graphrag.model import Matrix
from mcp_graphrag.store.rows.entity_rows import rebuild_normal_forms


def test_reindex_rebuilds_the_normal_forms_of_names(graph: Graph) -> None:
    relate(graph, "OpenSSL_1.1.1 uses Zlib")
    with graph.store.writing(TEST) as tx:
        rebuild_normal_forms(tx, lambda name: name.lower().replace(".", " "))
    with pytest.raises(UnknownName):
        link(graph, "OpenSSL 1.1.1")

    graph.reindex()

    assert [entity.name for entity in link(graph, "OpenSSL 1.1.1").entities] == ["OpenSSL 1.1.1"]


COSINES = {"mill": 0.9, "weir": 0.2}
VECTORS = """SELECT (SELECT value FROM meta WHERE key = 'model'), (SELECT count(*) FROM chunk_embedding),
(SELECT count(*) FROM entity_embedding), (SELECT count(*) FROM model_embedding),
(SELECT min(octet_length(vector)) FROM model_embedding)"""


class _Absent:
    """A model that is not at hand."""

    name = "absent"

    def embed(self, texts: Sequence[str]) -> Matrix:  # noqa: ARG002  (as its protocol has it)
        """Nothing."""
        raise PartMissing("The model is not at hand.")


@pytest.fixture
def mill(graph: Graph) -> Graph:
    """Two chunks and two names, and vectors of nomic."""
    ingest_text(graph, "memo:mill", "The mill grinds grain.")
    ingest_text(graph, "memo:weir", "The weir holds water.")
    relate(graph, "Miller owns Barge")
    changed(graph, model=FixedCosines(COSINES, "nomic", 8)).embed()
    return graph


def test_reindex_takes_another_model_and_the_first_one_back(mill: Graph) -> None:
    nomic, bge = (changed(mill, model=FixedCosines(COSINES, name, at)) for name, at in (("nomic", 8), ("bge", 3)))
    assert hit_uris(ask(nomic, "lake", mode="vector"))[0] == "memo:mill"
    assert query(mill.store, VECTORS) == [("nomic", 2, 2, 2, 8)]

    done = bge.reindex()

    assert (done.chunks, done.embedded, done.embedder) == (2, 6, "wordllama and bge")
    assert query(mill.store, VECTORS) == [("bge", 2, 2, 2, 3)]
    assert [hit.score for hit in ask(bge, "lake", mode="vector").hits] == pytest.approx([1, 0.2 / 0.9], abs=0.01)
    ingest_text(nomic, "memo:barge", "The barge is loaded.")
    with pytest.raises(EmbedderMismatch):
        nomic.embed()
    assert nomic.reindex().embedder == "wordllama and nomic"
    assert query(mill.store, VECTORS) == [("nomic", 3, 2, 3, 8)]
    assert nomic.health().problems == []


def test_reindex_without_a_model_drops_its_vectors(mill: Graph) -> None:
    done = mill.reindex()

    assert (done.embedded, done.embedder) == (4, "wordllama")
    assert query(mill.store, VECTORS) == [("", 2, 2, 0, None)]
    health = mill.health()
    assert (health.file_model, health.embedder, health.problems) == ("", "wordllama", [])


def test_a_model_that_is_not_at_hand_leaves_every_vector(mill: Graph) -> None:
    before = query(mill.store, VECTORS)

    with pytest.raises(PartMissing, match="not at hand"):
        changed(mill, model=_Absent()).reindex()

    assert query(mill.store, VECTORS) == before
    assert (
        hit_uris(ask(changed(mill, model=FixedCosines(COSINES, "nomic", 8)), "lake", mode="vector"))[0] == "memo:mill"
    )
