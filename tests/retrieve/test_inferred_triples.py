from datetime import datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from retrieve_stories import page, relate, triples

from mcp_graphrag.embed import Embedder
from mcp_graphrag.pipeline import Pipeline, make_pipeline
from mcp_graphrag.settings import Settings

TYPES = {"Shop": "Service", "Till": "Microservice", "Ledger": "Database", "Crew": "Team", "Bob": "Person"}


def test_every_component_that_depends_on_a_thing_is_found_through_hierarchy_and_others(pipeline: Pipeline) -> None:
    relate(pipeline, "Shop depends_on Till", "Till depends_on Ledger", "Bob depends_on Shop", types=TYPES)
    found = page(pipeline, predicate="depends_on", object="Ledger", subject_type="component").triples
    assert [(each.subject, each.subject_type, each.id != 0) for each in found] == [
        ("Till", "Microservice", True),
        ("Shop", "Service", False),
    ]
    assert [f"{each.subject} {each.predicate} {each.object}" for each in found[1].inferred_from] == [
        "Shop depends_on Till",
        "Till depends_on Ledger",
    ]


def test_a_predicate_of_which_nothing_is_stored_follows_from_its_inverse(pipeline: Pipeline) -> None:
    start, end = datetime(2024, 1, 1), datetime(2025, 1, 1)  # noqa: DTZ001
    relate(pipeline, "Shop owned_by Crew", types=TYPES, valid_from=start, valid_to=end, confidence=0.7)
    (found,) = page(pipeline, subject="Crew", predicate="owns").triples
    assert (found.id, found.object, found.confidence, found.valid_from, found.valid_to) == (0, "Shop", 0.7, start, end)
    assert triples(pipeline, object="Crew", infer=False) == ["Shop owned_by Crew"]


def test_inferred_triples_come_behind_the_stored_ones_and_are_paged_too(pipeline: Pipeline) -> None:
    relate(pipeline, "Shop owned_by Crew", "Till owned_by Crew", "Ledger owned_by Crew", types=TYPES)
    first = page(pipeline, object="Crew", limit=3)
    assert [each.id > 0 for each in first.triples] == [True] * 3
    assert first.next_after is None
    relate(pipeline, "Crew part_of Fleet")
    owned = page(pipeline, subject="Crew", limit=2)
    rest = page(pipeline, subject="Crew", limit=4, after=owned.next_after)
    told = [f"{each.subject} {each.predicate} {each.object}" for each in (*owned.triples[1:], *rest.triples)]
    assert told == ["Crew owns Shop", "Crew owns Till", "Crew owns Ledger"]
    assert rest.next_after is None


def test_what_reaches_through_needs_a_name_and_a_note_says_so(pipeline: Pipeline) -> None:
    relate(pipeline, "Shop depends_on Till", "Till depends_on Ledger", types=TYPES)
    answer = page(pipeline, predicate="depends_on")
    assert len(answer.triples) == 2
    assert answer.notes == ["What follows through depends_on is shown for a named subject or object only."]


def test_what_is_inferred_follows_both_times(pipeline: Pipeline) -> None:
    relate(pipeline, "Shop depends_on Till", types=TYPES, valid_to=datetime(2025, 1, 1))  # noqa: DTZ001
    relate(pipeline, "Till depends_on Ledger", types=TYPES)
    ledger = {"subject": "Shop", "object": "Ledger", "predicate": "depends_on"}
    assert triples(pipeline, **ledger) == ["Shop depends_on Ledger"]


@settings(max_examples=8, deadline=None)
@given(stored=st.integers(1, 5), limit=st.integers(1, 4))
def test_pages_have_every_stored_and_every_inferred_triple_once(
    tmp_path_factory: pytest.TempPathFactory, wordllama: Embedder, stored: int, limit: int
) -> None:
    pipeline = make_pipeline(Settings(db=tmp_path_factory.mktemp("inferred") / "graph.duckdb"))
    assert pipeline.embedder.name == wordllama.name
    relate(pipeline, *(f"A{number} owned_by B" for number in range(stored)))
    relate(pipeline, *(f"C owns D{number}" for number in range(stored)))
    seen: list[str] = []
    after: int | None = 0
    while after is not None:
        answer = page(pipeline, predicate="owns", limit=limit, after=after)
        assert [answer.marks[-1]] == [answer.next_after] or answer.next_after in {None, -1}
        seen += [f"{each.subject} {each.predicate} {each.object}" for each in answer.triples]
        after = answer.next_after
    pipeline.store.close()
    numbers = range(stored)
    assert seen == [f"C owns D{number}" for number in numbers] + [f"B owns A{number}" for number in numbers]


def test_a_list_of_everything_is_of_what_is_stored(pipeline: Pipeline) -> None:
    relate(pipeline, "Shop owned_by Crew", types=TYPES)
    assert triples(pipeline) == ["Shop owned_by Crew"]
