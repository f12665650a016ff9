"""Which pairs of entities are suggested for a merge, and why."""

from collections.abc import Sequence
from typing import Any
from unittest import mock

import pytest
from search_helpers import changed

from mcp_graphrag.errors import UnknownName
from mcp_graphrag.graph import Graph
from mcp_graphrag.model import NOW, Candidate, When
from mcp_graphrag.resolve import suggest_merges as suggest_merges_module
from mcp_graphrag.resolve.suggest_merges import Suggestion, SuggestionPage, suggest_merges
from mcp_graphrag.store.engine.transaction import now

# (one, other, type of both, whether a person who knows the names would review the pair)
LABELLED = [
    ("check_out", "Check Out", "Service", True),
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
    ("Platform weekly — 2 Sep", "Platform weekly — 2 Dec", "", False),
    ("Platform weekly — September", "Platform weekly — December", "Document", False),
    ("Final Fantasy XV", "Final Fantasy XVI", "", False),
    ("Phase one of the migration", "Phase two of the migration", "", False),
    ("Thursday", "Thursdays", "Date", False),
    ("<= (inet)", ">= (inet)", "", False),
    ("South Australia", "South Australian", "Location", False),
    ("Siemens", "Siemens AG", "Organization", True),
    ("Acme Rockets Limited", "Acme Rockets", "", True),
    ("Siemens AG", "Siemens Limited", "Organization", False),
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


def test_a_page_is_not_suggested_to_be_what_it_is_about(graph: Graph) -> None:
    store_names(graph, ("Checkout Service", "Document"), ("Checkout Service", "Service"), ("Checkout Services", ""))

    assert pairs(graph) == [{"Checkout Service", "Checkout Services"}]
    assert "Document" not in {only(graph).keep.type, only(graph).merge.type}


def test_names_of_similar_meaning_from_one_series_are_not_suggested_about_one_of_them(graph: Graph) -> None:
    store_names(graph, ("weekly report of March", ""), ("report of April, weekly", ""))

    assert pairs(graph, about="weekly report of March") == []


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


def raised(score: float, *shares: float) -> Any:
    """The score after each share of its gap to 1 was closed, as the suggestions round it."""
    for share in shares:
        score += (1 - score) * share
    return pytest.approx(score, abs=0.0005)


def cosine(graph: Graph, one: str, other: str) -> float:
    """How similar in meaning two names are."""
    left, right = graph.embedders.static.embed([one, other])
    return float(left @ right)


def by_meaning(graph: Graph, one: str, other: str) -> float:
    """The share of the gap to 1 that the meaning closes: a quarter at a cosine of 1, nothing up to 0.8."""
    return 0.25 * max(0.0, (cosine(graph, one, other) - 0.8) / 0.2)


# (one, other, type of both, similarity of the names)
SIMILAR = [
    ("data base", "database", "", 0.9),
    ("Site Reliability Engineering", "SRE", "", 0.65),
    ("John Henry Dearle", "J. H. Dearle", "Person", 0.8),
    ("Willi Schneider", "Schneider", "Person", 0.75),
    ("Postgres", "Postgers", "", 0.92 - 2 * 1 / 8),
    ("Postgres", "Postgers", "Database", 0.92 - 2 * 1 / 8),
    ("Abracadabra Cluster", "Abracadabar Clutser", "", 0.92 - 2 * 2 / 19),
    ("Kubernetes Cluster", "Kubernetes Clusters", "", 0.7),
    ("Kubernetes Cluster Handbook", "Kubernetes Clusters Handbook", "", 0.92 - 2 * 1 / 27.5),
    ("Kubernetes Cluster Administration", "Kubernetes Clusters Administration", "", 0.85),
    ("Zorblatt", "Zorblattqx", "", 0.5),
]


@pytest.mark.parametrize(("one", "other", "type_", "similarity"), SIMILAR)
def test_the_score_is_the_similarity_of_the_names_raised_by_type_and_meaning(
    graph: Graph, one: str, other: str, type_: str, similarity: float
) -> None:
    store_names(graph, (one, type_), (other, type_))

    found = only(graph, min_score=0.5)

    assert found.score == raised(similarity, 0.15 if type_ else 0, by_meaning(graph, one, other))
    assert (found.keep.name, found.merge.name) == (one, other)


def test_a_surname_of_two_persons_is_half_the_evidence_for_each(graph: Graph) -> None:
    names = "Willi Schneider", "Anna Schneider", "Schneider"
    store_names(graph, *((name, "Person") for name in names))

    assert scores(graph) == {
        frozenset({full, "Schneider"}): raised(0.5 + 0.2 / 2, 0.15, by_meaning(graph, full, "Schneider"))
        for full in names[:2]
    }


@pytest.mark.parametrize(
    ("triples", "score"),
    [
        ("Postgres uses Disk, Postgers uses Disk", raised(0.67, 0.6 / 2)),
        ("Postgres uses Disk, Postgers uses Disk, Postgers uses Rack", raised(0.67, 0.6 / 3)),
        ("Postgres uses Disk, Postgers uses Disk, Postgres runs Ada, Postgers runs Bob", raised(0.67, 0.6 / 4)),
        ("Postgres uses Disk, Postgers uses Disk, Ada uses Postgres, Ada uses Postgers", raised(0.67, 0.6 * 2 / 3)),
        ("Postgres uses Disk, Postgers uses Disk, Postgers uses Postgres", raised(0.67 * 0.85)),
    ],
)
def test_common_neighbours_among_all_and_a_triple_between_the_two_count(
    graph: Graph, triples: str, score: float
) -> None:
    parts = [triple.split() for triple in triples.split(", ")]
    graph.add_triples([Candidate(subject, predicate, object_) for subject, predicate, object_ in parts])

    found = page(graph, min_score=0.0).suggestions[0]

    assert ({found.keep.name, found.merge.name}, found.score) == ({"Postgres", "Postgers"}, score)
    assert found.reasons[1] == ("2 common neighbours" if "Ada uses" in triples else "1 common neighbour")
    assert ("against it: a triple connects the two" in found.reasons) == ("Postgers uses Postgres" in triples)


def test_names_of_different_types_have_six_tenths_of_their_score(graph: Graph) -> None:
    store_names(graph, ("data base", "Service"), ("database", "Team"), ("Mercury", "Planet"), ("Mercury", "Element"))

    found = page(graph, min_score=0.5).suggestions

    against = "against it: different types"
    assert [(pair.score, list(pair.reasons)) for pair in found] == [
        (raised(0.93 * 0.6), ["both are called 'Mercury'", against]),
        (raised(0.9 * 0.6), ["'data base' and 'database' differ only in spaces and signs", against]),
    ]
    assert pairs(graph) == [], "too low to be suggested"


def test_types_that_are_disjoint_are_never_suggested_and_subtypes_agree(graph: Graph) -> None:
    graph.add_ontology(
        "test", {"types": {"Person": {"disjoint_with": ["Boat"]}, "Boat": {}, "Ferry": {"subclass_of": "Boat"}}}
    )
    store_names(graph, ("Ann Mary", "Person"), ("Annmary", "Ferry"), ("Sea Gull", "Boat"), ("Seagull", "Ferry"))

    (found,) = page(graph, min_score=0.0).suggestions

    assert (found.keep.name, found.score) == ("Sea Gull", raised(0.9, 0.15))
    assert found.reasons[-1] == "the same type"


def test_names_of_similar_meaning_are_suggested_for_one_entity(graph: Graph) -> None:
    store_names(graph, ("large dog", "Animal"), ("big dog", "Animal"), ("huge dog", ""), ("great dog", "Team"))
    similar = {name: cosine(graph, "big dog", name) for name in ("large dog", "huge dog")}

    assert pairs(graph) == []
    found = page(graph, about="big dog").suggestions

    assert {frozenset({pair.keep.name, pair.merge.name}): pair.score for pair in found} == {
        frozenset({"big dog", name}): raised(0.45 + value / 4) for name, value in similar.items()
    }
    reasons = {name: [f"names of similar meaning (cosine {value:.2f})"] for name, value in similar.items()}
    assert [list(pair.reasons) for pair in found] == [[*reasons["large dog"], "the same type"], reasons["huge dog"]]
    graph.keep_apart("large dog", "big dog")
    assert pairs(graph, about="big dog") == [{"big dog", "huge dog"}]


def test_the_better_connected_entity_is_kept(graph: Graph) -> None:
    graph.add_triples([Candidate("Postgres", "uses", "Disk"), Candidate("Postgers", "uses", "Rack")])
    assert only(graph).keep.name == "Postgres", "the older of two with as many triples"
    graph.add_triples([Candidate("Postgers", "uses", "Shelf")])

    found = only(graph)

    assert (found.keep.name, found.keep.degree, found.merge.name, found.merge.degree) == ("Postgers", 2, "Postgres", 1)


def test_suggestions_as_they_were_known_before_are_not_those_of_now(graph: Graph) -> None:
    store_names(graph, ("Postgres", ""), ("Postgers", ""))
    before = now()
    graph.merge("Postgres", "Postgers")
    assert pairs(graph) == []

    with graph.reading(When(known_at=before)) as snapshot:
        (then,) = suggest_merges(snapshot).suggestions

    assert {then.keep.name, then.merge.name} == {"Postgres", "Postgers"}
    assert pairs(graph) == []


def test_what_is_disjoint_in_one_ontology_is_suggested_in_another(graph: Graph) -> None:
    store_names(graph, ("Ann Mary", "Person"), ("Annmary", "Boat"))
    graph.add_ontology("test", {"types": {"Person": {"disjoint_with": ["Boat"]}, "Boat": {}}})
    other = changed(graph, ontology=["code"])

    assert [scores(each) for each in (graph, other, graph)] == [{}, scores(other), {}]
    assert len(scores(other)) == 1


def test_pairs_are_computed_once_a_generation_whatever_is_asked_of_the_past(
    graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    store_names(graph, ("Postgres", ""), ("Postgers", ""))
    before = now()
    store_names(graph, ("data base", ""), ("database", ""))

    def asked(when: When = NOW) -> int:
        with graph.reading(when) as snapshot:
            return len(suggest_merges(snapshot).suggestions)

    computed = mock.Mock(wraps=suggest_merges_module.likely_pairs)
    monkeypatch.setattr(suggest_merges_module, "likely_pairs", computed)
    assert [asked(), asked(When(known_at=before)), asked()] == [2, 1, 2]
    assert computed.call_count == 2, "once for now, and for the past"
    graph.merge("Postgres", "Postgers")
    assert (asked(), computed.call_count) == (1, 3)
