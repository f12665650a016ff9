"""Triples below the minimum confidence are neither shown nor walked: by setting, or by the query."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from mcp_graphrag.embed import Embedder, Embedders
from mcp_graphrag.errors import BadInput
from mcp_graphrag.graph import Graph
from mcp_graphrag.lookup.neighbourhood import NeighbourhoodQuery
from mcp_graphrag.lookup.query_triples import TripleQuery
from mcp_graphrag.model import Candidate
from mcp_graphrag.reason.find_paths import PathQuery
from mcp_graphrag.settings import make_settings

TRIPLES = [
    Candidate("Mill", "depends_on", "Wheel", confidence=0.9),
    Candidate("Wheel", "depends_on", "River", confidence=0.7),
    Candidate("Mill", "depends_on", "Ghost", confidence=0.2),
]


@pytest.fixture
def sure(tmp_path: Path, wordllama: Embedder) -> Iterator[Graph]:
    """A graph whose answers show triples of at least 0.7."""
    graph = Graph(make_settings(db=tmp_path / "sure.duckdb", min_confidence=0.7), embedders=Embedders(wordllama))
    graph.add_triples(TRIPLES)
    yield graph
    graph.close()


def objects(graph: Graph, min_confidence: float | None = None) -> list[str]:
    page = graph.query_triples(TripleQuery("Mill", "depends_on", min_confidence=min_confidence))
    return [triple.object for triple in page.triples]


def test_the_setting_applies_to_lists_walks_and_counts(sure: Graph) -> None:
    # Mill depends on River by two triples, which are less certain together: 0.63.
    assert objects(sure) == ["Wheel"]
    assert [each.triple.object for each in sure.neighbourhood("Mill").neighbours] == ["Wheel", "River"]
    assert not sure.find_paths(PathQuery("Mill", "Ghost")).paths
    assert [each.entity.name for each in sure.trace_impact("Ghost").affected] == []
    assert sure.describe().predicates == {"depends_on": 2}


def test_a_query_has_its_own_minimum(sure: Graph) -> None:
    assert objects(sure, min_confidence=0.0) == ["Wheel", "Ghost", "River"]
    assert objects(sure, min_confidence=0.9) == ["Wheel"]
    near = sure.neighbourhood(NeighbourhoodQuery("Mill", min_confidence=0.9)).neighbours
    assert [each.triple.object for each in near] == ["Wheel"]
    with pytest.raises(BadInput, match="min_confidence"):
        objects(sure, min_confidence=1.5)
