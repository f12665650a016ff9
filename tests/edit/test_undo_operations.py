"""Every operation that writes can be undone, and the views are then as they were."""

from collections.abc import Callable, Mapping

import pytest
from cached_files import Setup
from edit_helpers import TEST, present, read, relate

from mcp_graphrag.chunk_edges.add_edges import EdgeInput
from mcp_graphrag.edit.edit_entities import EntityInput, EntityUpdate
from mcp_graphrag.edit.remove import Removal
from mcp_graphrag.graph import Graph
from mcp_graphrag.ontology.active_ontologies import own_ontologies
from mcp_graphrag.outcomes.outcome_names import Outcome
from mcp_graphrag.resolve.review import ReviewQuery

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


def whole(graph: Graph) -> dict[str, list[str]]:
    """Every view, and the tables that no view shows."""
    shown = present(graph)
    with graph.reading() as snapshot:
        for name, sql in (
            ("conflicts", "SELECT kind, triple, other, verdict, reason FROM conflicts"),
            ("merges", "SELECT kept, merged FROM merges"),
            ("apart", "SELECT entity_id, other_id FROM distinct_pair WHERE retired_change IS NULL"),
            ("ontologies", "SELECT name, body::VARCHAR FROM ontology WHERE retired_change IS NULL"),
            ("descriptions", "SELECT name, description, properties::VARCHAR FROM entities"),
        ):
            shown[name] = sorted(map(repr, snapshot.tx.run(sql).fetchall()))
    return shown


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


def test_operations_are_undone_one_after_the_other(memos: Graph) -> None:
    states: list[dict[str, list[str]]] = []
    for operation in ("ingest", "merge", "update an entity", "add triples", "remove a document"):
        states.append(whole(memos))
        OPERATIONS[operation](memos)

    for state in reversed(states):
        memos.undo()
        assert whole(memos) == state
