"""Triples as callers mean them: placeholders are refused one by one, and a date is no doer."""

import pytest

from mcp_graphrag.edit.edit_entities import EntityInput
from mcp_graphrag.errors import BadInput
from mcp_graphrag.graph import Graph
from mcp_graphrag.lookup.query_triples import TripleQuery
from mcp_graphrag.model import Candidate


def stored(graph: Graph) -> list[str]:
    triples = graph.query_triples(TripleQuery(infer=False)).triples
    return [f"{triple.subject} {triple.predicate} {triple.object}" for triple in triples]


@pytest.mark.parametrize(
    "name",
    [
        "unknown",
        "TBD",
        "none",
        "N/A",
        "null",
        "-",
        "?",
        "—",
        "vacant",
        "to be named",
        "see wiki",
        "Same as above",
        "...",
    ],
)
def test_a_placeholder_is_refused_and_the_other_triples_are_stored(graph: Graph, name: str) -> None:
    found = graph.add_triples([Candidate("Shop", "lead", name), Candidate("Till", "lead", "Ana")])
    assert stored(graph) == ["Till led_by Ana"]
    assert list(found.refused) == [f"'{name}' names nothing; leave the triple out, or name what is meant."]


def test_placeholders_alone_are_an_error_and_store_nothing(graph: Graph) -> None:
    with pytest.raises(BadInput, match="'TBD' names nothing"):
        graph.add_triples([Candidate("Shop", "lead", "TBD")])
    with pytest.raises(BadInput, match="'n/a' names nothing"):
        graph.add_entities([EntityInput("n/a")])
    assert list(graph.add_entities([EntityInput("?"), EntityInput("Shop")]).refused) == [
        "'?' names nothing; leave the entity out, or name what is meant."
    ]


def test_a_function_may_return_none_and_names_with_such_words_are_names(graph: Graph) -> None:
    graph.add_triples([Candidate("find", "returns", "None"), Candidate("Unknown Pleasures", "authored by", "Joy")])
    assert stored(graph) == ["find returns None", "Unknown Pleasures authored_by Joy"]


@pytest.mark.parametrize(
    ("participle", "predicate"),
    [
        ("created", "created_on"),
        ("was created", "created_on"),
        ("released", "released_on"),
        ("founded", "founded_on"),
        ("launched", "released_on"),
        ("built", "constructed_on"),
        ("developed", "developed_on"),
        ("acquired", "acquired_on"),
        ("replaced", "replaced_on"),
        ("maintained", "maintained_on"),
    ],
)
def test_a_date_behind_a_participle_is_the_date_of_the_event(graph: Graph, participle: str, predicate: str) -> None:
    found = graph.add_triples([Candidate("Shop", participle, "2019-03")])
    assert stored(graph) == [f"Shop {predicate} 2019-03"]
    assert [(each.given, each.stored, each.swapped) for each in found.understood] == [(participle, predicate, False)]


def test_a_name_behind_the_same_participle_is_what_was_made(graph: Graph) -> None:
    graph.add_triples([Candidate("Ana", "created", "Shop"), Candidate("Till", "created", "2019")])
    assert stored(graph) == ["Shop created_by Ana", "Till created_on 2019"]
