"""An undo takes back whole operations, the last first, and what was known in between stays known of that time."""

import time
from datetime import datetime
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pipeline_stories import TEST, found, present, read, relate, triples

from mcp_graphrag.errors import BadInput
from mcp_graphrag.model import Candidate, When
from mcp_graphrag.pipeline import Pipeline
from mcp_graphrag.pipeline.clear import clear
from mcp_graphrag.pipeline.remove import Removal, remove
from mcp_graphrag.pipeline.triples import assert_triples
from mcp_graphrag.pipeline.undo import undo
from mcp_graphrag.retrieve.neighbourhood import NeighbourhoodQuery, get_neighbourhood
from mcp_graphrag.store.transaction import now

TEXTS = (
    "The Auth Service depends on the User Database. AWS hosts it.",
    "the auth service is owned by the Identity Team.",
    "Amazon Web Services (AWS) hosts the User Database. Maria Keller leads the Identity Team.",
)
STEPS = st.one_of(
    st.tuples(st.just("read"), st.sampled_from(["memo:a", "memo:b"]), st.sampled_from(TEXTS)),
    st.tuples(st.just("remove"), st.sampled_from(["memo:a", "memo:b"]), st.just("")),
    st.tuples(st.just("say"), st.sampled_from(["AWS", "Auth Service", "Redis"]), st.sampled_from(["Redis", "AWS"])),
    st.tuples(st.just("drop"), st.sampled_from(["AWS", "Auth Service", "Redis", "User Database"]), st.just("")),
)


def step(pipeline: Pipeline, what: str, name: str, more: str) -> None:
    """One operation; one that cannot be done does nothing."""
    if what == "read":
        read(pipeline, name, more)
    elif what == "say":
        assert_triples(pipeline, [Candidate(name, "uses", more)], TEST)
    else:
        try:
            remove(pipeline, Removal(document=name) if what == "remove" else Removal(entity=name), TEST)
        except BadInput:
            return


def generation(pipeline: Pipeline) -> int:
    with pipeline.store.reading() as tx:
        return tx.generation


@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(STEPS, min_size=2, max_size=5), back=st.integers(1, 3))
def test_operations_taken_back_leave_what_was_there_before_them(
    pipeline: Pipeline, steps: list[tuple[str, str, str]], back: int
) -> None:
    clear(pipeline, TEST, documents=True)
    before: list[dict[str, list[Any]]] = []
    for what in steps:
        state, generation_before = present(pipeline), generation(pipeline)
        step(pipeline, *what)
        if generation(pipeline) > generation_before:
            before.append(state)
    back = min(back, len(before))

    # One by one, and what was undone is not undone again.
    for state in reversed(before[len(before) - back :]):
        undo(pipeline, TEST)
        assert present(pipeline) == state


def test_what_was_undone_is_still_known_of_its_time(pipeline: Pipeline) -> None:
    relate(pipeline, "A uses B")
    relate(pipeline, "B uses C")
    between = moment()
    undo(pipeline, TEST)

    assert triples(pipeline) == ["A uses B"]
    assert triples(pipeline, when=When(known_at=between)) == ["A uses B", "B uses C"]
    walked = get_neighbourhood(pipeline.store, pipeline.embedder, NeighbourhoodQuery("A", when=When(known_at=between)))
    assert [each.triple.object for each in walked.neighbours] == ["B", "C"]


def test_a_removed_document_comes_back_with_all_that_found_it(pipeline: Pipeline) -> None:
    read(pipeline, "memo:a", TEXTS[0])
    remove(pipeline, Removal(document="memo:a"), TEST)
    assert found(pipeline, "auth service") == []

    undo(pipeline, TEST)

    assert found(pipeline, "auth service", mode="keyword") == ["memo:a"]
    assert found(pipeline, "auth service", mode="vector") == ["memo:a"]
    assert triples(pipeline, subject="Auth Service", predicate="depends_on") == [
        "Auth Service depends_on User Database"
    ]


def test_nothing_to_undo_and_things_purged_are_said_so(pipeline: Pipeline) -> None:
    with pytest.raises(BadInput, match="none to undo"):
        undo(pipeline, TEST)
    relate(pipeline, "A uses B")
    relate(pipeline, "B uses C")
    remove(pipeline, Removal(triple=("A", "uses", "B"), purge=True), TEST)
    relate(pipeline, "C uses D")

    undo(pipeline, TEST)

    with pytest.raises(BadInput, match="purged"):
        undo(pipeline, TEST)
    assert triples(pipeline) == ["B uses C"]


def moment() -> datetime:
    """A moment after all that was written, before all that will be."""
    time.sleep(0.002)
    found = now()
    time.sleep(0.002)
    return found
