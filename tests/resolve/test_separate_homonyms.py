"""Persons of one name in several documents: one entity with a reason, two without."""

import re
from itertools import permutations

import pytest
from conflict_helpers import add, in_force, read
from store_helpers import query

from mcp_graphrag.edit.edit_entities import EntityInput
from mcp_graphrag.edit.remove import Removal
from mcp_graphrag.errors import BadInput
from mcp_graphrag.graph import Graph
from mcp_graphrag.lookup.query_triples import TripleQuery
from mcp_graphrag.model import Candidate
from mcp_graphrag.outcomes.outcome_names import Outcome
from mcp_graphrag.resolve.review import ReviewQuery

ENGINEER = "John Smith, who is a software engineer, works for Acme Rockets. John Smith reports to Ann Lee."
CRICKETER = "John Smith, who was a cricketer, was born in 1888. John Smith played cricket for Kent."
LEADER = "John Smith, who leads the Mill Team, works for Acme Rockets."
TEXTS = {"u:1": ENGINEER, "u:2": CRICKETER, "u:3": LEADER}
ENTITIES = """
SELECT list(DISTINCT d.uri ORDER BY d.uri) AS uris
FROM entities e JOIN mention m ON m.entity_id = e.id AND m.retired_change IS NULL
JOIN chunk c ON c.id = m.chunk_id JOIN document d ON d.id = c.document_id
WHERE e.name = 'John Smith' GROUP BY e.id ORDER BY uris
"""


def documents(graph: Graph) -> list[list[str]]:
    """The documents of each John Smith."""
    return [row[0] for row in query(graph.store, ENTITIES)]


@pytest.mark.parametrize("order", list(permutations(TEXTS)))
def test_two_persons_are_two_entities_in_any_order_of_documents(graph: Graph, order: tuple[str, ...]) -> None:
    for uri in order:
        read(graph, uri, TEXTS[uri])

    assert documents(graph) == [["u:1", "u:3"], ["u:2"]]


def test_the_triples_of_two_persons_are_theirs(graph: Graph) -> None:
    read(graph, "u:1", ENGINEER)
    read(graph, "u:2", CRICKETER)

    found = graph.query_triples(TripleQuery(predicate="reports_to")).triples
    rows = query(graph.store, ENTITIES.replace("AS uris", "AS uris, any_value(e.id)"))

    assert [triple.subject_id for triple in found] == [rows[0][1]]


def test_a_document_that_joins_two_persons_is_taken_back_with_its_removal(graph: Graph) -> None:
    read(graph, "u:1", "John Smith, who works for Acme Rockets, has a dog.")
    read(graph, "u:2", "John Smith, who lives with Mary Jones, has a cat.")
    apart, triples = documents(graph), in_force(graph)
    read(graph, "u:3", "John Smith, who works for Acme Rockets, lives with Mary Jones.")
    together = documents(graph)

    graph.remove(Removal(document="u:3"))

    assert (apart, together) == ([["u:1"], ["u:2"]], [["u:1", "u:2", "u:3"]])
    assert (documents(graph), in_force(graph)) == (apart, triples)


def test_two_persons_of_one_name_are_suggested_for_a_merge_that_holds(graph: Graph) -> None:
    read(graph, "u:1", ENGINEER)
    read(graph, "u:2", CRICKETER)
    (item,) = [each for each in graph.review(ReviewQuery("merges")).items if each.keep.startswith("John Smith")]
    assert item.suggestion is not None
    assert "both are called 'John Smith'" in item.suggestion.reasons

    graph.merge(item.keep, item.merge)
    read(graph, "u:2", f"{CRICKETER} He scored.")
    read(graph, "u:3", LEADER)

    assert documents(graph) == [["u:1", "u:2", "u:3"]]


def test_a_document_that_uses_a_merged_name_alone_means_the_entity_of_the_merge(graph: Graph) -> None:
    read(graph, "u:1", ENGINEER)
    add(graph, "Tide_Database depends_on Quay_Cache")
    graph.merge("John Smith", "Tide Database")

    read(graph, "u:2", "The Tide Database depends on the Ferry Desk.")

    assert documents(graph) == [["u:1", "u:2"]]
    assert graph.verify().problems == []


def test_two_persons_that_were_kept_apart_stay_so(graph: Graph) -> None:
    read(graph, "u:1", "John Smith, who works for Acme Rockets, has a dog.")
    read(graph, "u:2", "John Smith, who lives with Mary Jones, has a cat.")
    (item,) = [each for each in graph.review(ReviewQuery("merges")).items if each.keep.startswith("John Smith")]
    graph.keep_apart(item.keep, item.merge)

    read(graph, "u:3", "John Smith, who works for Acme Rockets, lives with Mary Jones.")

    assert sorted(map(len, documents(graph))) == [1, 2]


def test_a_caller_who_names_one_of_two_persons_says_which(graph: Graph) -> None:
    read(graph, "u:1", ENGINEER)
    read(graph, "u:2", CRICKETER)
    with pytest.raises(BadInput, match="2 entities have the name 'John Smith'") as refused:
        add(graph, "John_Smith likes Tea")
    first, second = re.findall(r"John Smith \(#\d+\)", str(refused.value))

    graph.add_triples([Candidate(first, "likes", "Tea"), Candidate("John Smith", "likes", "Rum", source="u:2")])

    assert [triple.object for triple in graph.query_triples(TripleQuery(first, "likes")).triples] == ["Tea"]
    assert [triple.object for triple in graph.query_triples(TripleQuery(second, "likes")).triples] == ["Rum"]


def test_entities_and_outcomes_with_a_name_of_two_ask_which_one(graph: Graph) -> None:
    read(graph, "u:1", ENGINEER)
    read(graph, "u:2", CRICKETER)
    with pytest.raises(BadInput, match="2 entities have the name 'John Smith'") as refused:
        graph.add_entities([EntityInput("John Smith", description="Bats.")])
    first, second = re.findall(r"John Smith \(#\d+\)", str(refused.value))
    with pytest.raises(BadInput, match="2 entities have the name 'John Smith'"):
        graph.record_outcome(Outcome(error="error:timeout", fix="John Smith", kind="fixed"))

    (described,) = graph.add_entities([EntityInput(second, description="Bats.")]).entities
    recorded = graph.record_outcome(Outcome(error="error:timeout", fix=first, kind="fixed"))

    assert (f"{described.name} (#{described.id})", described.description) == (second, "Bats.")
    (resolved,) = [triple for triple in recorded.triples if triple.predicate == "resolved_by"]
    assert f"{resolved.object} (#{resolved.object_id})" == first


def test_a_page_does_not_catch_what_is_said_of_the_thing_of_its_name(graph: Graph) -> None:
    graph.add_entities([EntityInput("Checkout", "Document"), EntityInput("Checkout", "Service")])

    graph.add_triples([Candidate("Checkout", "depends_on", "Ledger")])

    (stored,) = graph.query_triples(TripleQuery(predicate="depends_on")).triples
    assert stored.subject_type == "Service"


def test_the_history_of_a_name_of_two_persons_is_refused_with_both(graph: Graph) -> None:
    read(graph, "u:1", ENGINEER)
    read(graph, "u:2", CRICKETER)

    with pytest.raises(BadInput, match=r"2 entities have the name 'John Smith': John Smith \(#\d+\), John Smith"):
        graph.history("John Smith")


FILM = "# Salt Road ({year} film)\n\nSalt Road is a {year} film. Salt Road was directed by {director}."


@pytest.mark.parametrize("first", [0, 1])
def test_titles_with_other_words_in_brackets_keep_a_name_apart(graph: Graph, first: int) -> None:
    films = [FILM.format(year=1962, director="Ann Lee"), FILM.format(year=1994, director="Tom Brook")]
    for film in (films[first], films[1 - first]):
        read(graph, film[:20], film)
    read(graph, "u:3", "Salt Road was praised by Tom Brook.")

    found = graph.query_triples(TripleQuery(predicate="directed_by")).triples

    assert len({triple.subject_id for triple in found}) == 2


def test_titles_that_only_tell_how_a_document_stands_keep_nothing_apart(graph: Graph) -> None:
    read(graph, "u:1", "# Parcel Portal (draft)\n\nThe Parcel Portal depends on Redis.")
    read(graph, "u:2", "# Parcel Portal (archived)\n\nThe Parcel Portal depends on Kafka.")

    found = graph.query_triples(TripleQuery(subject="Parcel Portal")).triples

    assert len({triple.subject_id for triple in found}) <= 1


@pytest.mark.parametrize(
    "denial",
    [
        "He is not the same person as John Smith, the cricketer.",
        "He is not to be confused with the cricketer John Smith.",
        "He is no relation to John Smith, the cricketer.",
    ],
)
def test_a_text_that_denies_to_mean_another_person_joins_none(graph: Graph, denial: str) -> None:
    read(graph, "u:1", f"John Smith, who is a software engineer, works for Acme Rockets. {denial}")
    read(graph, "u:2", CRICKETER)

    assert documents(graph) == [["u:1"], ["u:2"]]


TWO_FILMS = {
    year: FILM.format(year=year, director=director) for year, director in ((1962, "Ann Lee"), (1994, "Tom Brook"))
}
SALT_ROADS = "SELECT name, type FROM entity WHERE norm = 'salt road' AND retired_change IS NULL"


def test_things_that_titles_tell_apart_are_no_problem_and_a_repair_leaves_them_apart(graph: Graph) -> None:
    for year, film in TWO_FILMS.items():
        read(graph, f"u:{year}", film)

    assert graph.verify().problems == []
    graph.repair()
    assert len(query(graph.store, SALT_ROADS)) == 2


@pytest.mark.parametrize("removed", TWO_FILMS)
def test_without_the_titles_that_told_them_apart_the_documents_name_one_thing(graph: Graph, removed: int) -> None:
    for year, film in TWO_FILMS.items():
        read(graph, f"u:{year}", film)
    read(graph, "u:3", "Salt Road was praised by Tom Brook.")
    read(graph, "u:4", "Salt Road was praised by Ann Lee.")
    assert len(query(graph.store, SALT_ROADS)) == 2

    graph.remove(Removal(document=f"u:{removed}"))

    assert len(query(graph.store, SALT_ROADS)) == 1
    assert graph.verify().problems == []
    graph.undo()
    assert len(query(graph.store, SALT_ROADS)) == 2
    assert graph.verify().problems == []
