"""Hits in source code: what is sought, and its tests."""

from pathlib import Path

import pytest
from code_helpers import write_files

from mcp_graphrag.graph import Graph
from mcp_graphrag.search.query import SearchQuery

FILES = {
    "till/till.py": "def pay_back(refund):\n    for coin in coins(refund):\n        drawer.open(coin)\n",
    "tests/test_till.py": 'def test_till():\n    """A refund is paid back to the customer."""\n',
}


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("where is a refund paid to the customer", "till/till.py"),
        ("which tests say that a refund is paid to the customer", "tests/test_till.py"),
    ],
)
def test_what_is_sought_comes_before_its_tests_unless_these_are_asked_for(
    graph: Graph, tmp_path: Path, question: str, first: str
) -> None:
    write_files(tmp_path, FILES)
    graph.ingest_files([tmp_path])
    for limit in (1, 5):
        hits = graph.search(SearchQuery(question, limit=limit)).hits
        assert hits[0].chunk.document.uri.endswith(first)
        assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
