"""Reindexing rebuilds what is derived from names and chunks."""

import pytest
from search_helpers import link, relate
from store_helpers import TEST

from mcp_graphrag.errors import UnknownName
from mcp_graphrag.graph import Graph
from mcp_graphrag.store.rows.entity_rows import rebuild_normal_forms


def test_reindex_rebuilds_the_normal_forms_of_names(graph: Graph) -> None:
    relate(graph, "OpenSSL_1.1.1 uses Zlib")
    with graph.store.writing(TEST) as tx:
        rebuild_normal_forms(tx, lambda name: name.lower().replace(".", " "))
    with pytest.raises(UnknownName):
        link(graph, "OpenSSL 1.1.1")

    graph.reindex()

    assert [entity.name for entity in link(graph, "OpenSSL 1.1.1").entities] == ["OpenSSL 1.1.1"]
