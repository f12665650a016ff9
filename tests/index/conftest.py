"""Fixtures that the tests of the indexes share."""

from collections.abc import Iterator

import pytest

from mcp_graphrag.store import Store


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """One store for many examples, each of which starts with `emptied`."""
    store = Store(tmp_path_factory.mktemp("index") / "graph.duckdb", wait=0)
    yield store
    store.close()
