"""Which pairs of entities are suggested for a merge, and why."""

from collections.abc import Sequence
from typing import Any

import pytest

from mcp_graphrag.errors import UnknownName
from mcp_graphrag.graph import Graph
from mcp_graphrag.model import Candidate
from mcp_graphrag.resolve.suggest_merges import Suggestion, SuggestionPage, suggest_merges

# (one, other, type of both, whether a person who knows the names would review the pair)
LABELLED = [
    ("Postgres", "Postgers", "Database", True),
    ("Kubernetes Cluster", "Kubernetes Clusters", "", True),
    ("check_out", "Check Out", "Service", True),
    ("data base", "database", "", True),
    ("Site Reliability Engineering", "SRE", "", True),
    ("John Henry Dearle", "J. H. Dearle", "Person", True),
    ("Willi Schneider", "Schneider", "Person", True),
    ("Müller & Söhne", "Mueller & Söhne", "", True),
    ("2002 Winter Olympics", "2006 Winter Olympics", "", False),
    ("Henry II", "Henry III", "Person", False),
    ("Martin King", "Martin King Jr.", "Person", False),
    ("Plan A", "Plan B", "", False),
    ("Python 2", "Python 3", "", False),
    ("Ann Lee", "Bob Lee", "Person", False),
    ("Atari 2600", "Atari 5200", "", False),
    ("auth.v1.2", "auth.v12", "", False),
    ("platform.auth.sessions", "platform.auth.users", "Module", False),
    ("platform.auth.sessions", "platform.auth.session", "Module", True),
    ("API notes > Clients", "API notes > Client", "Document", False),
    ("API notes > Client notes", "API notes client notes", "Document", False),
    ("API notes", "API note", "Document", True),
    ("Cause > Effect", "Cause > Effects", "Concept", True),
]


def store_names(graph: Graph, *names: tuple[str, str], near: Sequence[str] = ()) -> None:
    """Entities of these names and types, each with these neighbours, or one of its own."""
    triples = [
        Candidate(one, "meets", other, type_ or None)
        for number, (one, type_) in enumerate(names)
        for other in near or [f"{'zyxwv'[number % 5] * 3}{chr(97 + number) * 4}"]
    ]
    graph.add_triples(triples)


def page(graph: Graph, **query: Any) -> SuggestionPage:
    with graph.reading() as snapshot:
        return suggest_merges(snapshot, **query)


def pairs(graph: Graph, **query: Any) -> list[set[str]]:
    return [{pair.keep.name, pair.merge.name} for pair in page(graph, **query).suggestions]


def scores(graph: Graph) -> dict[frozenset[str], float]:
    found = page(graph, min_score=0.0).suggestions
    return {frozenset({pair.keep.name, pair.merge.name}): pair.score for pair in found}


def only(graph: Graph, **query: Any) -> Suggestion:
    (found,) = page(graph, **query).suggestions
    return found


@pytest.mark.parametrize(("one", "other", "type_", "alike"), LABELLED)
def test_the_pairs_that_a_person_would_review_are_suggested(
    graph: Graph, one: str, other: str, type_: str, *, alike: bool
) -> None:
    store_names(graph, (one, type_), (other, type_))

    assert ({one, other} in pairs(graph)) is alike


def test_a_suggestion_says_why(graph: Graph) -> None:
    store_names(graph, ("Redis Cluster", "Service"), ("Redis Clusters", "Service"), near=["Ann", "Bob"])

    found = only(graph)

    assert list(found.reasons) == [
        "'Redis Cluster' and 'Redis Clusters' differ by 1 edit",
        found.reasons[1],
        "2 common neighbours",
        "the same type",
    ]
    assert found.reasons[1].startswith("names of similar meaning (cosine 0.8")
    assert 0.85 < found.score <= 1


def test_common_neighbours_raise_the_score_and_different_types_lower_it(graph: Graph) -> None:
    names = [
        ("Harbor Crane", "Service"),
        ("Harbour Crane", "Service"),
        ("Ferry Desk", "Service"),
        ("Fery Desk", "Team"),
    ]
    store_names(graph, *names)
    alone = scores(graph)
    store_names(graph, *names, near=["Quay"])
    together = scores(graph)

    harbour, desk = frozenset({"Harbor Crane", "Harbour Crane"}), frozenset({"Ferry Desk", "Fery Desk"})
    assert together[harbour] > alone[harbour] > 0.6
    assert alone.get(desk, 0) < 0.6


def test_a_triple_between_two_entities_lowers_their_score(graph: Graph) -> None:
    store_names(graph, ("Postgres", ""), ("Postgers", ""))
    before = only(graph, min_score=0.0).score
    graph.add_triples([Candidate("Postgres", "meets", "Postgers")])

    found = only(graph, min_score=0.0)

    assert found.score < before
    assert found.reasons[-1] == "against it: a triple connects the two"


def test_declared_homonyms_are_not_suggested(graph: Graph) -> None:
    store_names(graph, ("Mercury", "Planet"), ("Mercury", "Element"))

    assert pairs(graph) == []


def test_an_acronym_of_two_long_forms_is_not_suggested(graph: Graph) -> None:
    store_names(graph, ("Point of Sale", ""), ("Proof of Stake", ""), ("POS", ""))

    assert pairs(graph) == []


def test_a_decided_pair_is_not_suggested_again(graph: Graph) -> None:
    store_names(graph, ("Postgres", ""), ("Postgers", ""), ("Redis Cluster", ""), ("Redis Clusters", ""))
    assert len(pairs(graph)) == 2

    graph.keep_apart("Redis Cluster", "Redis Clusters", reason="two rows")
    graph.merge("Postgres", "Postgers")
    assert pairs(graph) == []
    graph.split("Postgers")
    assert pairs(graph) == []


def test_sections_of_documents_are_not_suggested_by_meaning(graph: Graph) -> None:
    names = "API notes", "API notes > Clients", "API notes > Client"
    store_names(graph, *((name, "Document") for name in names))

    assert pairs(graph, about=names[1], min_score=0.0) == []


def test_pages_follow_one_order_and_can_be_limited_to_one_entity(graph: Graph) -> None:
    store_names(graph, ("Postgres", ""), ("Postgers", ""), ("Redis Cluster", ""), ("Redis Clusters", ""), ("POS", ""))
    whole = page(graph)
    first = page(graph, limit=1)
    rest = page(graph, limit=1, after=1)

    assert [*first.suggestions, *rest.suggestions] == list(whole.suggestions)
    assert (first.total, rest.total) == (2, 2)
    assert pairs(graph, about="postgers") == [{"Postgres", "Postgers"}]
    assert pairs(graph, about="POS") == []
    with pytest.raises(UnknownName):
        page(graph, about="Nobody at all")
