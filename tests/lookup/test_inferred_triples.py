from datetime import datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from search_helpers import page, relate, triples

from mcp_graphrag.embed import Embedder, Embedders
from mcp_graphrag.graph import Graph
from mcp_graphrag.settings import Settings

TYPES = {"Shop": "Service", "Till": "Microservice", "Ledger": "Database", "Crew": "Team", "Bob": "Person"}


def test_dependants_are_found_by_type_hierarchy_and_transitivity(graph: Graph) -> None:
    relate(graph, "Shop depends_on Till", "Till depends_on Ledger", "Bob depends_on Shop", types=TYPES)
    found = page(graph, predicate="depends_on", object="Ledger", subject_type="component").triples
    assert [(item.subject, item.subject_type, item.id != 0) for item in found] == [
        ("Till", "Microservice", True),
        ("Shop", "Service", False),
    ]
    assert [f"{premise.subject} {premise.predicate} {premise.object}" for premise in found[1].inferred_from] == [
        "Shop depends_on Till",
        "Till depends_on Ledger",
    ]


def test_a_predicate_without_stored_triples_follows_from_its_inverse(graph: Graph) -> None:
    start, end = datetime(2024, 1, 1), datetime(2025, 1, 1)  # noqa: DTZ001
    relate(graph, "Shop owned_by Crew", types=TYPES, valid_from=start, valid_to=end, confidence=0.7)
    (found,) = page(graph, subject="Crew", predicate="owns").triples
    assert (found.id, found.object, found.confidence, found.valid_from, found.valid_to) == (0, "Shop", 0.7, start, end)
    assert triples(graph, object="Crew", infer=False) == ["Shop owned_by Crew"]


def test_names_that_came_after_the_first_question_are_in_inferred_triples(graph: Graph) -> None:
    relate(graph, "Shop owned_by Crew")
    assert triples(graph, subject="Crew") == ["Crew owns Shop"]

    relate(graph, "Mill owned_by Guild", "Barn owned_by Crew")

    assert sorted(triples(graph, predicate="owns")) == ["Crew owns Barn", "Crew owns Shop", "Guild owns Mill"]


def test_inferred_triples_come_after_the_stored_ones_and_are_paged_too(graph: Graph) -> None:
    relate(graph, "Shop owned_by Crew", "Till owned_by Crew", "Ledger owned_by Crew", types=TYPES)
    first = page(graph, object="Crew", limit=3)
    assert [triple.id > 0 for triple in first.triples] == [True] * 3
    assert first.next_after is None
    relate(graph, "Crew part_of Fleet")
    owned = page(graph, subject="Crew", limit=2)
    rest = page(graph, subject="Crew", limit=4, after=owned.next_after)
    texts = [f"{triple.subject} {triple.predicate} {triple.object}" for triple in (*owned.triples[1:], *rest.triples)]
    assert texts == ["Crew owns Shop", "Crew owns Till", "Crew owns Ledger"]
    assert rest.next_after is None


def test_transitive_triples_need_a_subject_or_object_and_a_note_says_so(graph: Graph) -> None:
    relate(graph, "Shop depends_on Till", "Till depends_on Ledger", types=TYPES)
    answer = page(graph, predicate="depends_on")
    assert len(answer.triples) == 2
    assert answer.notes == [
        "Triples that follow because depends_on is transitive are listed only for a given subject or object."
    ]


def test_inferred_triples_obey_validity(graph: Graph) -> None:
    relate(graph, "Shop depends_on Till", types=TYPES, valid_to=datetime(2025, 1, 1))  # noqa: DTZ001
    relate(graph, "Till depends_on Ledger", types=TYPES)
    ledger = {"subject": "Shop", "object": "Ledger", "predicate": "depends_on"}
    assert triples(graph, **ledger) == ["Shop depends_on Ledger"]


@pytest.mark.slow
@settings(max_examples=8, deadline=None)
@given(stored=st.integers(1, 5), limit=st.integers(1, 4))
def test_pages_have_every_stored_and_every_inferred_triple_once(
    tmp_path_factory: pytest.TempPathFactory, wordllama: Embedder, stored: int, limit: int
) -> None:
    graph = Graph(Settings(db=tmp_path_factory.mktemp("inferred") / "graph.duckdb"), embedders=Embedders(wordllama))
    relate(graph, *(f"A{number} owned_by B" for number in range(stored)))
    relate(graph, *(f"C owns D{number}" for number in range(stored)))
    seen: list[str] = []
    after: int | None = 0
    while after is not None:
        answer = page(graph, predicate="owns", limit=limit, after=after)
        assert [answer.marks[-1]] == [answer.next_after] or answer.next_after in {None, -1}
        seen += [f"{triple.subject} {triple.predicate} {triple.object}" for triple in answer.triples]
        after = answer.next_after
    graph.close()
    numbers = range(stored)
    assert seen == [f"C owns D{number}" for number in numbers] + [f"B owns A{number}" for number in numbers]


def test_a_list_of_all_triples_has_only_stored_ones(graph: Graph) -> None:
    relate(graph, "Shop owned_by Crew", types=TYPES)
    assert triples(graph) == ["Shop owned_by Crew"]
