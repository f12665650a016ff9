"""Chunk edges that a caller gives by citation: all of them or none."""

from dataclasses import replace

import pytest
from pipeline_stories import TEST, read

from mcp_graphrag.errors import BadInput, UnknownName
from mcp_graphrag.pipeline import Pipeline
from mcp_graphrag.pipeline.given_edges import EdgeGiven, add_edges

GOOD = EdgeGiven("memo:a", "memo:b", "Depends-On", 0.8, "needs  b")


@pytest.fixture
def told(pipeline: Pipeline) -> Pipeline:
    """Two memos, the first read twice."""
    read(pipeline, "memo:a", "The old text.")
    read(pipeline, "memo:a", "The dock is closed.")
    read(pipeline, "memo:b", "The pump is off. " * 200)
    return pipeline


def shown(pipeline: Pipeline) -> list[tuple[object, ...]]:
    """What agents gave."""
    sql = "SELECT source, target, relation, weight, description FROM chunk_edges WHERE extractor = 'agent'"
    with pipeline.store.reading() as tx:
        return tx.run(sql).fetchall()


def test_edges_are_stored_by_citation_once_and_the_strongest_wins(told: Pipeline) -> None:
    assert add_edges(told, [GOOD, EdgeGiven("memo:b", "memo:a", "contradicts", 0.4)], TEST).added == 2
    before = shown(told)
    weaker = [EdgeGiven("memo:a", "memo:b", "contradicts", 0.3, "it seems"), replace(GOOD, description="", weight=0.7)]
    known = add_edges(told, weaker, TEST, extractor="somebody")
    assert (known.added, shown(told)) == (0, before)
    assert [(each.relation, each.weight, each.description, each.extractor) for each in known.edges] == [
        ("contradicts", 0.4, "", "agent"),
        ("depends_on", 0.8, "needs b", "agent"),
    ]
    assert known.edges[0].source == known.edges[1].source, "as it was given, though it is symmetric"
    assert add_edges(told, [EdgeGiven("memo:a", "memo:b", "contradicts", 0.9, "open or closed")], TEST).added == 1
    depends, contradicts = sorted(shown(told), key=lambda row: str(row[2]), reverse=True)
    assert depends[2:] == ("depends_on", 0.8, "needs b")
    assert contradicts[2:] == ("contradicts", 0.9, "open or closed")
    assert str(depends[0]).startswith("memo:a#chunk:0-19@")

    with told.store.reading() as tx:
        last = tx.run("SELECT citation FROM chunks WHERE document = 'memo:b' ORDER BY ordinal DESC LIMIT 1").fetchall()
    span = str(last[0][0]).rpartition("@")[0]
    assert add_edges(told, [EdgeGiven(span, "memo:a", "elaborates")], TEST).added == 1
    assert [row[0] for row in shown(told) if row[2] == "elaborates"] == [last[0][0]]


def test_a_stronger_edge_that_says_nothing_keeps_the_words_of_the_weaker(told: Pipeline) -> None:
    silent = replace(GOOD, description="")
    add_edges(told, [GOOD, replace(silent, weight=0.85)], TEST)
    (stored,) = add_edges(told, [replace(silent, weight=0.9)], TEST).edges

    assert (stored.weight, stored.description) == (0.9, "needs b")
    assert [row[3:] for row in shown(told)] == [(0.9, "needs b")]


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (EdgeGiven("memo:x", "memo:b", "references"), "memo:x"),
        (EdgeGiven("memo:a#chunk:0-13", "memo:a#chunk:0-19@12345678", "references"), "12345678"),
        (EdgeGiven("memo:a", "memo:a", "references"), "Edge 2 leads from a passage to itself"),
        (EdgeGiven("memo:a", "memo:b", "likes"), "edge 2 is 'likes'.*references, elaborates, depends_on, contradicts"),
        (EdgeGiven("memo:a", "memo:b", "references", 0), "weight of edge 2 is 0"),
        (EdgeGiven("memo:a", "memo:b", "references", 1.5), "weight of edge 2 is 1.5"),
        (EdgeGiven("memo:a", "memo:b", "references", float("nan")), "weight of edge 2 is nan"),
        (EdgeGiven("memo:a", "memo:b", "references", 1, "x" * 501), "description of edge 2"),
    ],
)
def test_one_bad_edge_and_nothing_is_written(told: Pipeline, wrong: EdgeGiven, said: str) -> None:
    with pytest.raises((BadInput, UnknownName), match=said):
        add_edges(told, [GOOD, wrong], TEST)
    assert shown(told) == []


def test_text_that_was_replaced_cannot_be_cited(told: Pipeline) -> None:
    with told.store.reading() as tx:
        ((old,),) = tx.run("SELECT sha256[1:8] FROM chunk WHERE text = 'The old text.'").fetchall()
    with pytest.raises(BadInput, match="no longer in force"):
        add_edges(told, [EdgeGiven(f"memo:a#chunk:0-13@{old}", "memo:b", "references")], TEST)
