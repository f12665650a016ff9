"""Whatever is edited in whatever order, the file stays whole."""

import pytest
from edit_sequences import run_sequence

from mcp_graphrag.graph import Graph

# Sequences after which the file was not whole before what caused it was mended.
ONCE_FAILED = (5, 16, 26, 69, 177, 1301, 20066)


@pytest.mark.slow
@pytest.mark.parametrize("seed", ONCE_FAILED)
def test_a_file_is_whole_after_any_sequence_of_edits(graph: Graph, seed: int) -> None:
    run_sequence(graph, seed, 30)

    assert graph.verify().problems == []
