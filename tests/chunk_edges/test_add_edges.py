"""Chunk edges that a caller adds by citation: all of them or none."""

from dataclasses import replace

import pytest
from edit_helpers import read

from mcp_graphrag.chunk_edges.add_edges import EdgeInput
from mcp_graphrag.errors import BadInput, UnknownName
from mcp_graphrag.graph import Graph

GOOD = EdgeInput("memo:a", "memo:b", "Depends-On", 0.8, "needs  b")


@pytest.fixture
def memos(graph: Graph) -> Graph:
    """Two memos, the first replaced once."""
    read(graph, "memo:a", "The old text.")
    read(graph, "memo:a", "The dock is closed.")
    read(graph, "memo:b", "The pump is off. " * 200)
    return graph


def shown(graph: Graph) -> list[tuple[object, ...]]:
    """The edges that agents added."""
    sql = "SELECT source, target, relation, weight, description FROM chunk_edges WHERE extractor = 'agent'"
    with graph.reading() as snapshot:
        return snapshot.tx.run(sql).fetchall()


def test_an_edge_is_stored_once_and_the_strongest_wins(memos: Graph) -> None:
    assert memos.add_edges([GOOD, EdgeInput("memo:b", "memo:a", "contradicts", 0.4)]).added == 2
    before = shown(memos)
    weaker = [EdgeInput("memo:a", "memo:b", "contradicts", 0.3, "it seems"), replace(GOOD, description="", weight=0.7)]
    known = memos.add_edges(weaker)
    assert (known.added, shown(memos)) == (0, before)
    assert [(edge.relation, edge.weight, edge.description, edge.extractor) for edge in known.edges] == [
        ("contradicts", 0.4, "", "agent"),
        ("depends_on", 0.8, "needs b", "agent"),
    ]
    assert known.edges[0].source == known.edges[1].source, "in the direction in which it was added, though symmetric"
    assert memos.add_edges([EdgeInput("memo:a", "memo:b", "contradicts", 0.9, "open or closed")]).added == 1
    depends, contradicts = sorted(shown(memos), key=lambda row: str(row[2]), reverse=True)
    assert depends[2:] == ("depends_on", 0.8, "needs b")
    assert contradicts[2:] == ("contradicts", 0.9, "open or closed")
    assert str(depends[0]).startswith("memo:a#chunk:0-19@")

    with memos.reading() as snapshot:
        citations = snapshot.tx.run("SELECT citation FROM chunks WHERE document = 'memo:b' ORDER BY ordinal").fetchall()
    last = str(citations[-1][0])
    span = last.rpartition("@")[0]
    assert memos.add_edges([EdgeInput(span, "memo:a", "elaborates")]).added == 1
    assert [row[0] for row in shown(memos) if row[2] == "elaborates"] == [last]


def test_a_stronger_edge_without_description_keeps_that_of_the_weaker(memos: Graph) -> None:
    bare = replace(GOOD, description="")
    memos.add_edges([GOOD, replace(bare, weight=0.85)])
    (stored,) = memos.add_edges([replace(bare, weight=0.9)]).edges

    assert (stored.weight, stored.description) == (0.9, "needs b")
    assert [row[3:] for row in shown(memos)] == [(0.9, "needs b")]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (EdgeInput("memo:x", "memo:b", "references"), "memo:x"),
        (EdgeInput("memo:a#chunk:0-13", "memo:a#chunk:0-19@12345678", "references"), "12345678"),
        (EdgeInput("memo:a", "memo:a", "references"), "Edge 2 leads from a chunk to itself"),
        (EdgeInput("memo:a", "memo:b", "likes"), "edge 2 is 'likes'.*references, elaborates, depends_on, contradicts"),
        (EdgeInput("memo:a", "memo:b", "references", 0), "weight of edge 2 is 0"),
        (EdgeInput("memo:a", "memo:b", "references", 1.5), "weight of edge 2 is 1.5"),
        (EdgeInput("memo:a", "memo:b", "references", float("nan")), "weight of edge 2 is nan"),
        (EdgeInput("memo:a", "memo:b", "references", 1, "x" * 501), "description of edge 2"),
    ],
)
def test_one_bad_edge_leaves_none(memos: Graph, wrong: EdgeInput, message: str) -> None:
    with pytest.raises((BadInput, UnknownName), match=message):
        memos.add_edges([GOOD, wrong])
    assert shown(memos) == []


def test_replaced_text_cannot_be_cited(memos: Graph) -> None:
    with memos.reading() as snapshot:
        ((old,),) = snapshot.tx.run("SELECT sha256[1:8] FROM chunk WHERE text = 'The old text.'").fetchall()
    with pytest.raises(BadInput, match="no longer in force"):
        memos.add_edges([EdgeInput(f"memo:a#chunk:0-13@{old}", "memo:b", "references")])
