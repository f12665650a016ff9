"""Bulk work without garbage collection."""

import gc

import pytest

from mcp_graphrag.edit.gc_paused import gc_paused


@pytest.mark.parametrize("was_enabled", [True, False])
def test_collection_pauses_in_the_block_and_is_then_as_it_was(*, was_enabled: bool) -> None:
    (gc.enable if was_enabled else gc.disable)()
    try:
        with gc_paused():
            assert not gc.isenabled()
        assert gc.isenabled() == was_enabled
    finally:
        gc.enable()
