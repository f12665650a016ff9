"""Builds of the stored communities while the graph is written to."""

from edit_helpers import read, relate

from mcp_graphrag.edit.remove import Removal
from mcp_graphrag.graph import Graph
from mcp_graphrag.store.rows.community_rows import communities_are_stale, communities_generation

TEXT = "The Auth Service depends on the User Database. The User Database is owned by the {} Team."


def marked(graph: Graph) -> bool:
    """Whether the stored communities are used."""
    with graph.reading() as snapshot:
        return communities_generation(snapshot.tx) is not None


def test_communities_built_during_a_purge_are_not_used(graph: Graph) -> None:
    names = ["Red", "Blue", "White", "Green"]
    for name in names:
        read(graph, f"memo:{name}", TEXT.format(name))
    purged = iter(names)

    def purge(what: str, _done: int) -> None:
        if what == "communities":
            graph.remove(Removal(document=f"memo:{next(purged)}", purge=True))

    graph.build_communities(progress=purge)

    assert next(purged) == "Green", "every repeat of the build was disturbed"
    assert not marked(graph)
    assert "Red Team" not in str(graph.list_communities())
    graph.build_communities()
    assert marked(graph)


def test_a_build_is_repeated_if_the_graph_was_written_to_meanwhile(graph: Graph) -> None:
    relate(graph, "Mill feeds River", "River feeds Lake", "Lake feeds Mill")
    builds: list[int] = []

    def write_once(what: str, done: int) -> None:
        if what == "communities":
            builds.append(done)
            if len(builds) == 1:
                relate(graph, "Lake feeds Dam")

    graph.build_communities(progress=write_once)

    assert len(builds) == 2
    with graph.reading() as snapshot:
        assert not communities_are_stale(snapshot.tx)
