"""One call answers from one snapshot: a write of another thread in between changes nothing in its answer."""

from collections.abc import Callable
from threading import Thread
from typing import Any

import pytest
from search_helpers import ingest_text, neighbourhood_of, relate

from mcp_graphrag.edit.remove import Removal
from mcp_graphrag.errors import UnknownName
from mcp_graphrag.graph import Graph
from mcp_graphrag.lookup import neighbourhood
from mcp_graphrag.reason import find_paths
from mcp_graphrag.reason.find_paths import PathQuery

TEXT = "The mill depends on the sluice."


@pytest.fixture
def mill(graph: Graph) -> Graph:
    """One triple with its evidence in one document."""
    ingest_text(graph, "memory://mill", TEXT)
    relate(graph, "Mill depends_on Sluice", source="memory://mill", quote="depends on the sluice")
    return graph


def write_after(monkeypatch: pytest.MonkeyPatch, module: Any, name: str, write: Callable[[], object]) -> None:
    """Let another thread write as soon as a function of a module has returned for the first time."""
    original, done = getattr(module, name), list[str]()

    def wrapped(*args: Any, **more: Any) -> Any:
        answer = original(*args, **more)
        if not done:
            done.append(name)
            writer = Thread(target=write)
            writer.start()
            writer.join()
        return answer

    monkeypatch.setattr(module, name, wrapped)


@pytest.mark.parametrize("removal", [Removal("memory://mill", purge=True), Removal(entity="Sluice", purge=True)])
@pytest.mark.parametrize("function", ["link_nearest", "fetch_triples"])
def test_a_neighbourhood_has_its_texts_even_if_they_are_purged_meanwhile(
    mill: Graph, monkeypatch: pytest.MonkeyPatch, function: str, removal: Removal
) -> None:
    write_after(monkeypatch, neighbourhood, function, lambda: mill.remove(removal))

    answer = neighbourhood_of(mill, "Mill", include_chunks=True)

    assert [neighbour.triple.object for neighbour in answer.neighbours] == ["Sluice"]
    assert list(answer.chunk_texts.values()) == [TEXT]
    with pytest.raises(UnknownName):
        neighbourhood_of(mill, "Sluice")


@pytest.mark.parametrize("function", ["link_name", "fetch_triples"])
def test_paths_have_their_texts_even_if_they_are_purged_meanwhile(
    mill: Graph, monkeypatch: pytest.MonkeyPatch, function: str
) -> None:
    write_after(monkeypatch, find_paths, function, lambda: mill.remove(Removal("memory://mill", purge=True)))

    answer = mill.find_paths(PathQuery("Mill", "Sluice", include_chunks=True))

    assert [len(path.hops) for path in answer.paths] == [1]
    assert list(answer.chunk_texts.values()) == [TEXT]
    with pytest.raises(UnknownName):
        mill.find_paths(PathQuery("Mill", "Sluice"))
