"""Every operation that writes can be taken back, and the views are then as they were."""

from collections.abc import Callable, Mapping

import pytest
from pipeline_stories import TEST, present, read, relate
from told_once import Story

from mcp_graphrag.pipeline import Pipeline
from mcp_graphrag.pipeline.conflicts import resolve_conflict
from mcp_graphrag.pipeline.discover_edges import discover_chunk_edges
from mcp_graphrag.pipeline.entities import EntityGiven, Update, add_entities, update_entity
from mcp_graphrag.pipeline.given_edges import EdgeGiven, add_edges
from mcp_graphrag.pipeline.merge import keep_apart, merge, split
from mcp_graphrag.pipeline.ontology import add_ontology, remove_ontology
from mcp_graphrag.pipeline.outcome_names import Outcome
from mcp_graphrag.pipeline.outcomes import record_outcome
from mcp_graphrag.pipeline.remove import Removal, remove
from mcp_graphrag.pipeline.undo import undo
from mcp_graphrag.retrieve.conflicts import list_conflicts

TEXT = (
    "See [more](memo:b). The Auth Service depends on the User Database. The Auth Service is owned by the Identity Team."
)
MORE = (
    "See [the first](memo:a). The Sign-in Service is owned by the Portal Team."
    " The Auth Service is owned by the Portal Team."
)
SPECIES = {"types": {"Lambda": {"subclass_of": "Microservice"}}}


def first_conflict(pipeline: Pipeline) -> int:
    """The number of the first open conflict."""
    return list_conflicts(pipeline.store).conflicts[0].id


OPERATIONS: Mapping[str, Callable[[Pipeline], object]] = {
    "ingest": lambda p: read(p, "memo:c", "Maria Keller leads the Portal Team."),
    "ingest again": lambda p: read(p, "memo:a", "The Auth Service depends on Redis."),
    "add triples": lambda p: relate(p, "Redis uses Memory", "AuthService uses Redis"),
    "remove a document": lambda p: remove(p, Removal(document="memo:a"), TEST),
    "remove an entity": lambda p: remove(p, Removal(entity="Auth Service"), TEST),
    "merge": lambda p: merge(p, "Auth Service", "Sign-in Service", TEST, reason="the same"),
    "keep apart": lambda p: keep_apart(p, "Auth Service", "Sign-in Service", TEST, reason="not the same"),
    "add entities": lambda p: add_entities(
        p, [EntityGiven("Auth Service", description="Signs in"), EntityGiven("New", aliases=["Newer"])], TEST
    ),
    "update an entity": lambda p: update_entity(
        p, "Auth Service", Update(rename="Login Service", type="Component"), TEST
    ),
    "resolve a conflict": lambda p: resolve_conflict(p, first_conflict(p), "first", "asked them", TEST),
    "record an outcome": lambda p: record_outcome(p, Outcome("error:timeout", "http", "s1", "retry", "fixed"), TEST),
    "discover chunk edges": lambda p: discover_chunk_edges(p, TEST),
    "add a chunk edge": lambda p: add_edges(p, [EdgeGiven("memo:a", "memo:b", "contradicts", 0.7, "two owners")], TEST),
    "add an ontology": lambda p: add_ontology(p, "mine", SPECIES, TEST),
}


def whole(pipeline: Pipeline) -> dict[str, list[str]]:
    """All that the views show, and what lies beside them."""
    shown = present(pipeline)
    with pipeline.store.reading() as tx:
        for name, sql in (
            ("conflicts", "SELECT kind, triple, other, verdict, reason FROM conflicts"),
            ("merges", "SELECT kept, merged FROM merges"),
            ("apart", "SELECT entity_id, other_id FROM distinct_pair WHERE retired_change IS NULL"),
            ("ontologies", "SELECT name, body::VARCHAR FROM ontology WHERE retired_change IS NULL"),
            ("words", "SELECT name, description, properties::VARCHAR FROM entities"),
        ):
            shown[name] = sorted(map(repr, tx.run(sql).fetchall()))
    return shown


def two_memos(pipeline: Pipeline) -> None:
    read(pipeline, "memo:a", TEXT)
    read(pipeline, "memo:b", MORE)


@pytest.fixture
def told(after: Callable[[Story], Pipeline]) -> Pipeline:
    """A graph of two documents, of which one contradicts the other."""
    return after(two_memos)


@pytest.mark.parametrize("operation", OPERATIONS)
def test_one_operation_is_taken_back_whole(told: Pipeline, operation: str) -> None:
    before = whole(told)
    OPERATIONS[operation](told)
    assert whole(told) != before

    assert len(undo(told, TEST)) == 1

    assert whole(told) == before


def test_a_split_and_a_removed_ontology_are_taken_back_too(told: Pipeline) -> None:
    add_ontology(told, "mine", SPECIES, TEST)
    merge(told, "Auth Service", "Sign-in Service", TEST, reason="the same")
    merged = whole(told)
    split(told, "Sign-in Service", TEST)
    remove_ontology(told, "mine", TEST)

    undo(told, TEST, operations=2)

    assert whole(told) == merged


def test_all_operations_are_taken_back_one_after_the_other(told: Pipeline) -> None:
    states: list[dict[str, list[str]]] = []
    for operation in ("ingest", "merge", "update an entity", "add triples", "remove a document"):
        states.append(whole(told))
        OPERATIONS[operation](told)

    for state in reversed(states):
        undo(told, TEST)
        assert whole(told) == state
