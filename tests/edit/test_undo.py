"""Every operation that writes can be undone, the last first; what was known in between stays readable at its time."""

import time
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

import pytest
from cached_files import Setup
from edit_helpers import TEST, found, present, read, relate, triples, whole
from hypothesis import given, settings
from hypothesis import strategies as st

from mcp_graphrag.chunk_edges.add_edges import EdgeInput
from mcp_graphrag.edit.edit_entities import EntityInput, EntityUpdate
from mcp_graphrag.edit.remove import Removal
from mcp_graphrag.errors import BadInput
from mcp_graphrag.graph import Graph
from mcp_graphrag.lookup.neighbourhood import NeighbourhoodQuery
from mcp_graphrag.model import Candidate, When
from mcp_graphrag.ontology.active_ontologies import own_ontologies
from mcp_graphrag.outcomes.outcome_names import Outcome
from mcp_graphrag.resolve.review import ReviewQuery
from mcp_graphrag.store.engine.transaction import now

TEXTS = (
    "The Auth Service depends on the User Database. AWS hosts it.",
    "the auth service is owned by the Identity Team.",
    "Amazon Web Services (AWS) hosts the User Database. Maria Keller leads the Identity Team.",
)
NAMES = st.sampled_from(["AWS", "Auth Service", "Redis", "User Database"])
STEPS = st.one_of(
    st.tuples(st.just("read"), st.sampled_from(["memo:a", "memo:b"]), st.sampled_from(TEXTS)),
    st.tuples(st.just("remove"), st.sampled_from(["memo:a", "memo:b"]), st.just("")),
    st.tuples(st.just("relate"), NAMES, st.sampled_from(["Redis", "AWS"])),
    st.tuples(st.just("remove entity"), NAMES, st.just("")),
)


def step(graph: Graph, what: str, name: str, more: str) -> None:
    """One operation; one that cannot be done does nothing."""
    if what == "read":
        read(graph, name, more)
    elif what == "relate":
        graph.add_triples([Candidate(name, "uses", more)])
    else:
        try:
            graph.remove(Removal(document=name) if what == "remove" else Removal(entity=name))
        except BadInput:
            return


def generation(graph: Graph) -> int:
    with graph.reading() as snapshot:
        return snapshot.tx.generation


@settings(max_examples=6)
@given(steps=st.lists(STEPS, min_size=2, max_size=5), back=st.integers(1, 3))
@pytest.mark.slow
def test_undo_restores_the_state_before_each_operation(
    graph: Graph, steps: list[tuple[str, str, str]], back: int
) -> None:
    graph.clear(documents=True)
    before: list[dict[str, list[Any]]] = []
    for what in steps:
        state, generation_before = present(graph), generation(graph)
        step(graph, *what)
        if generation(graph) > generation_before:
            before.append(state)
    back = min(back, len(before))

    # One by one, and what was undone is not undone again.
    for state in reversed(before[len(before) - back :]):
        graph.undo()
        assert present(graph) == state


def test_what_was_undone_is_still_known_at_its_time(graph: Graph) -> None:
    relate(graph, "A uses B")
    relate(graph, "B uses C")
    between = moment()
    graph.undo()

    assert triples(graph) == ["A uses B"]
    assert triples(graph, when=When(known_at=between)) == ["A uses B", "B uses C"]
    walked = graph.neighbourhood(NeighbourhoodQuery("A"), When(known_at=between))
    assert [edge.triple.object for edge in walked.neighbours] == ["B", "C"]


def test_undoing_a_removal_makes_the_document_searchable_again(graph: Graph) -> None:
    read(graph, "memo:a", TEXTS[0])
    graph.remove(Removal(document="memo:a"))
    assert found(graph, "auth service") == []

    graph.undo()

    assert found(graph, "auth service", mode="keyword") == ["memo:a"]
    assert found(graph, "auth service", mode="vector") == ["memo:a"]
    assert triples(graph, subject="Auth Service", predicate="depends_on") == ["Auth Service depends_on User Database"]


def test_undo_is_refused_where_there_is_nothing_or_a_purge_since(graph: Graph) -> None:
    with pytest.raises(BadInput, match="none to undo"):
        graph.undo()
    relate(graph, "A uses B")
    relate(graph, "B uses C")
    graph.remove(Removal(triple=("A", "uses", "B"), purge=True))
    relate(graph, "C uses D")

    graph.undo()

    with pytest.raises(BadInput, match="purged"):
        graph.undo()
    assert triples(graph) == ["B uses C"]


def test_one_to_a_hundred_operations_are_undone_and_never_more_than_there_are(graph: Graph) -> None:
    relate(graph, "A uses B")
    relate(graph, "B uses C")
    for operations in (0, 101):
        with pytest.raises(BadInput) as refused:
            graph.undo(operations)
        assert str(refused.value) == f"operations is {operations}. It is from 1 to 100."
    for operations in (3, 100):
        with pytest.raises(BadInput) as refused:
            graph.undo(operations)
        assert str(refused.value) == "There are only 2 to undo. `history` and `diff` show what was changed."
    assert [operation.tool for operation in graph.undo(2)] == ["test", "test"]
    assert triples(graph) == []


def test_an_operation_that_began_before_a_purge_is_not_undone(graph: Graph) -> None:
    relate(graph, "A uses B")
    with graph.operation(TEST) as origin:
        graph.add_triples([Candidate("B", "uses", "C")], origin=origin)
        graph.remove(Removal(triple=("A", "uses", "B"), purge=True))
        graph.add_triples([Candidate("C", "uses", "D")], origin=origin)
    relate(graph, "D uses E")

    with pytest.raises(BadInput, match="Something was purged since, and nothing before a purge can be undone"):
        graph.undo(2)

    assert triples(graph) == ["B uses C", "C uses D", "D uses E"]


def moment() -> datetime:
    """A moment after everything that was written and before everything that will be."""
    time.sleep(0.002)
    found = now()
    time.sleep(0.002)
    return found


@pytest.mark.parametrize("steps_back", [(1, 1, 1), (2, 1), (1, 2), (3,)])
def test_what_a_merge_and_a_split_moved_goes_with_its_document_however_it_is_undone(
    graph: Graph, steps_back: tuple[int, ...]
) -> None:
    relate(graph, "Redis uses AWS")
    before = present(graph)
    read(graph, "memo:a", "The Pilot Gateway uses Redis in production.")
    graph.merge("AWS", "Redis")
    graph.split("Redis")

    for operations in steps_back:
        graph.undo(operations)

    assert graph.verify().problems == []
    assert present(graph) == before


TEXT = (
    "See [more](memo:b). The Auth Service depends on the User Database. The Auth Service is owned by the Identity Team."
)
MORE = (
    "See [the first](memo:a). The Sign-in Service is owned by the Portal Team."
    " The Auth Service is owned by the Portal Team."
)
ONTOLOGY = {"types": {"Lambda": {"subclass_of": "Microservice"}}}


def first_conflict(graph: Graph) -> int:
    """The number of the first open conflict."""
    return graph.review(ReviewQuery("conflicts")).items[0].place


OPERATIONS: Mapping[str, Callable[[Graph], object]] = {
    "ingest": lambda graph: read(graph, "memo:c", "Maria Keller leads the Portal Team."),
    "ingest again": lambda graph: read(graph, "memo:a", "The Auth Service depends on Redis."),
    "add triples": lambda graph: relate(graph, "Redis uses Memory", "AuthService uses Redis"),
    "remove a document": lambda graph: graph.remove(Removal(document="memo:a")),
    "remove an entity": lambda graph: graph.remove(Removal(entity="Auth Service")),
    "merge": lambda graph: graph.merge("Auth Service", "Sign-in Service", reason="the same"),
    "keep apart": lambda graph: graph.keep_apart("Auth Service", "Sign-in Service", reason="not the same"),
    "add entities": lambda graph: graph.add_entities(
        [EntityInput("Auth Service", description="Signs in"), EntityInput("New", aliases=["Newer"])]
    ),
    "update an entity": lambda graph: graph.update_entity(
        "Auth Service", EntityUpdate(rename="Login Service", type="Component")
    ),
    "resolve a conflict": lambda graph: graph.resolve_conflict(first_conflict(graph), "first", "asked them"),
    "record an outcome": lambda graph: graph.record_outcome(Outcome("error:timeout", "http", "s1", "retry", "fixed")),
    "discover chunk edges": lambda graph: graph.discover_edges(),
    "add a chunk edge": lambda graph: graph.add_edges(
        [EdgeInput("memo:a", "memo:b", "contradicts", 0.7, "two owners")]
    ),
    "add an ontology": lambda graph: graph.add_ontology("mine", ONTOLOGY),
}


def two_memos(graph: Graph) -> None:
    read(graph, "memo:a", TEXT)
    read(graph, "memo:b", MORE)


@pytest.fixture
def memos(after: Callable[[Setup], Graph]) -> Graph:
    """A graph of two documents, of which one contradicts the other."""
    return after(two_memos)


@pytest.mark.parametrize("operation", OPERATIONS)
def test_one_operation_is_undone_whole(memos: Graph, operation: str) -> None:
    before = whole(memos)
    OPERATIONS[operation](memos)
    assert whole(memos) != before

    assert len(memos.undo()) == 1

    assert whole(memos) == before


def test_a_split_and_the_removal_of_an_ontology_are_undone(memos: Graph) -> None:
    memos.add_ontology("mine", ONTOLOGY)
    memos.merge("Auth Service", "Sign-in Service", reason="the same")
    merged = whole(memos)
    memos.split("Sign-in Service")
    memos.remove_ontology("mine")

    memos.undo(2)

    assert whole(memos) == merged


def test_a_write_follows_the_ontology_that_the_last_one_changed(memos: Graph) -> None:
    known: list[bool] = []
    relate(memos, "A uses B")
    for change in (
        lambda: memos.add_ontology("mine", ONTOLOGY),
        memos.undo,
        lambda: memos.add_ontology("mine", ONTOLOGY),
        lambda: memos.remove_ontology("mine"),
        memos.undo,
    ):
        change()
        with memos.writing(TEST) as write:
            known.append("mine" in own_ontologies(write.tx))

    assert known == [True, False, True, False, True]


@pytest.mark.slow
def test_operations_are_undone_one_after_the_other(memos: Graph) -> None:
    states: list[dict[str, list[str]]] = []
    for operation in ("ingest", "merge", "update an entity", "add triples", "remove a document"):
        states.append(whole(memos))
        OPERATIONS[operation](memos)

    for state in reversed(states):
        memos.undo()
        assert whole(memos) == state
