"""Resolutions of conflicts: what they keep, what they drop, and that they are remembered."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest
from cached_files import Setup
from conflict_helpers import add, conflicts, in_force, read, with_ontology
from edit_helpers import TEST

from mcp_graphrag.errors import BadInput, UnknownName
from mcp_graphrag.graph import Graph
from mcp_graphrag.lookup.query_triples import TripleQuery
from mcp_graphrag.model import When
from mcp_graphrag.resolve.review import ReviewQuery
from mcp_graphrag.store.engine.transaction import now
from mcp_graphrag.store.rows.conflict_rows import retire_stale_conflicts
from mcp_graphrag.store.rows.triple_rows import retire_triples

BLUE, RED = "The Mill Service is owned by the Blue Team.", "The Mill Service is owned by the Red Team."


@pytest.fixture
def ruled(after: Callable[[Setup], Graph]) -> Graph:
    """A graph with the ontology of `conflict_helpers`."""
    return after(with_ontology)


def test_a_resolution_retires_one_side_and_its_verdict_is_kept(graph: Graph) -> None:
    add(graph, "Mill owned_by Blue", "Mill owned_by Red", "Mill owned_by White")
    before = now()
    first = conflicts(graph)[0]
    done = graph.resolve_conflict(first.id, "first", "  Blue has signed. ")
    assert (done.verdict, done.reason, [each.object for each in done.dropped]) == ("first", "Blue has signed.", ["Red"])
    assert in_force(graph) == {"Mill owned_by Blue", "Mill owned_by White"}
    assert [conflict.id for conflict in conflicts(graph, resolved=True)] == [done.conflict_id]
    (resolved,) = conflicts(graph, resolved=True)
    assert resolved.other is not None
    assert (resolved.other.object, len(resolved.other.evidence), resolved.reason) == ("Red", 1, "Blue has signed.")
    assert ["Red" in conflict.detail for conflict in conflicts(graph)] == [False]
    then = conflicts(graph, when=When(known_at=before))
    assert len(then) == 3
    assert first.id in {conflict.id for conflict in then}


def test_a_resolution_may_keep_both_sides(graph: Graph) -> None:
    add(graph, "Mill owned_by Blue", "Mill owned_by Red")
    done = graph.resolve_conflict(conflicts(graph)[0].id, "both", "They share it.")
    assert (done.dropped, conflicts(graph)) == ([], [])
    assert len(in_force(graph)) == 2
    assert add(graph, "Mill owned_by Blue").conflicts.count == 0
    assert [conflict.verdict for conflict in conflicts(graph, resolved=True)] == ["both"]


def test_a_review_says_what_a_resolution_does_and_what_says_the_same_as_the_kept_one_stays(graph: Graph) -> None:
    add(graph, "Mill owned_by Blue", "Mill owned_by Blue from 2020", "Mill owned_by Red from 2020")
    add(graph, "Dam owned_by Blue", "Dam owned_by Blue from 2020", "Dam owned_by Blue from 2021")
    mill, dam = graph.review(ReviewQuery("conflicts")).items
    assert [len(drop.alike) for drop in (*mill.drops, *dam.drops)] == [1, 0, 0, 0]
    done = graph.resolve_conflict(mill.place, "second", "Red pays.")
    assert [(each.object, each.valid_from is None) for each in done.dropped] == [("Blue", False), ("Blue", True)]
    graph.resolve_conflict(dam.place, "first", "Says the deed.")
    assert in_force(graph) == {
        "Mill owned_by Red from 2020-01-01", "Dam owned_by Blue", "Dam owned_by Blue from 2020-01-01"
    }  # fmt: skip
    assert [each.what.rpartition("; ")[2] for each in graph.history("Red").events if "resolved" in each.what] == [
        "kept second, because: Red pays."
    ]


def test_a_refused_resolution_says_why_and_changes_nothing(graph: Graph) -> None:
    add(graph, "Mill owned_by Blue", "Mill owned_by Red from 2025", "Dam owned_by Blue", "Dam owned_by Red")
    dated, other = conflicts(graph)
    with pytest.raises(BadInput, match="reason is empty"):
        graph.resolve_conflict(dated.id, "first", " ")
    with pytest.raises(UnknownName, match="No conflict named '99'"):
        graph.resolve_conflict(99, "first", "Because.")
    with pytest.raises(BadInput, match="There is no other triple that is wrong"):
        graph.resolve_conflict(dated.id, "both", "Shared.", other="wrong")
    early = graph.resolve_conflict(other.id, "both", "Shared.")
    with pytest.raises(BadInput, match=f"Conflict {early.conflict_id} is resolved already: both"):
        graph.resolve_conflict(early.conflict_id, "first", "No.")
    with pytest.raises(BadInput, match=f"Conflict {other.id} is no longer open"):
        graph.resolve_conflict(other.id, "first", "No.")
    assert len(in_force(graph)) == 4


def test_two_kept_sides_stay_when_a_document_states_one_again_in_another_sentence(graph: Graph) -> None:
    read(graph, "u:1", BLUE)
    read(graph, "u:2", RED)
    graph.resolve_conflict(conflicts(graph)[0].id, "both", "They share it.")
    read(graph, "u:2", "Nothing of it.")
    assert (conflicts(graph), conflicts(graph, resolved=True)) == ([], [])
    report = read(graph, "u:2", f"Since the spring of that year, by the way. {RED}")
    assert (report.conflicts, conflicts(graph)) == (0, [])
    (found,) = conflicts(graph, resolved=True)
    assert (found.verdict, found.reason) == ("both", "They share it.")


@pytest.mark.parametrize(("keep", "kept"), [("first", "Blue Team"), ("second", "Red Team")])
def test_a_conflict_that_comes_back_names_the_verdict_and_drops_nothing(graph: Graph, keep: Any, kept: str) -> None:
    read(graph, "u:1", BLUE)
    read(graph, "u:2", RED)
    graph.resolve_conflict(conflicts(graph)[0].id, keep, "It has signed.")
    read(graph, "u:1", f"By the way: {BLUE}")
    read(graph, "u:2", f"By the way: {RED}")
    (found,) = conflicts(graph)
    note = f"; was resolved before: kept Mill Service owned_by {kept}, because: It has signed."
    assert found.detail.endswith(f"has one object at a time{note}")
    assert found.detail.count("resolved before") == 1


def test_the_newest_verdict_that_was_not_undone_is_remembered(graph: Graph) -> None:
    add(graph, "Mill owned_by Blue", "Mill owned_by Red")
    graph.resolve_conflict(conflicts(graph)[0].id, "first", "Blue pays.")
    add(graph, "Mill owned_by Red")
    graph.resolve_conflict(conflicts(graph)[0].id, "second", "Red pays now.")
    add(graph, "Mill owned_by Blue")
    assert conflicts(graph)[0].detail.endswith("kept Mill owned_by Red, because: Red pays now.")
    graph.undo(2)
    assert conflicts(graph)[0].detail.endswith("kept Mill owned_by Blue, because: Blue pays.")
    with graph.writing(TEST) as write:
        retire_triples(write.tx, [triple.id for triple in graph.query_triples(TripleQuery(object="Red")).triples])
        retire_stale_conflicts(write.tx)
    add(graph, "Mill owned_by Red")
    assert conflicts(graph)[0].detail.endswith("kept Mill owned_by Blue, because: Blue pays.")


def test_a_conflict_at_other_dates_has_no_former_verdict(graph: Graph) -> None:
    add(graph, "Mill owned_by Blue from 2020", "Mill owned_by Red from 2021")
    graph.resolve_conflict(conflicts(graph)[0].id, "both", "They share it.")
    add(graph, "Mill owned_by Red from 2022 to 2023")
    assert "resolved before" not in conflicts(graph)[0].detail


def test_a_kept_violation_stays_resolved_when_it_is_added_again(ruled: Graph) -> None:
    add(ruled, "Ann runs_on Mill", "Bob runs_on Mill", Ann="Person", Bob="Person", Mill="Service")
    one, other = conflicts(ruled)
    ruled.resolve_conflict(one.id, "first", "Ann is a robot.")
    ruled.resolve_conflict(other.id, "second", "Bob is not.")
    assert in_force(ruled) == {"Ann runs_on Mill"}
    with ruled.writing(TEST) as write:
        retire_triples(write.tx, [one.triple.id])
        retire_stale_conflicts(write.tx)
    add(ruled, "Ann runs_on Mill", "Bob runs_on Mill", Ann="Person", Bob="Person", Mill="Service")
    assert [conflict.triple.subject for conflict in conflicts(ruled, resolved=True)] == ["Bob", "Ann"]
    (found,) = conflicts(ruled)
    assert found.detail.startswith("Bob runs_on Mill: ")
    assert found.detail.endswith("; was resolved before: dropped, because: Bob is not.")


@pytest.mark.parametrize(
    ("texts", "keep", "message"),
    [
        (
            ["Mill owned_by Blue from 2022", "Mill owned_by Red from 2022 to 2024"],
            "second",
            "Mill owned_by Blue begins 2022-01-01, not before 2022-01-01, so it cannot end then. Keep it",
        ),
        (["Mill owned_by Blue", "Mill owned_by Red"], "third", "keep is 'third'. It is first, second or both."),
        (["Ann runs_on Dam"], "second", "There is no other triple that is ended. Leave other out, or keep one of two"),
    ],
)
def test_what_cannot_end_is_refused_and_nothing_ends(ruled: Graph, texts: list[str], keep: Any, message: str) -> None:
    add(ruled, *texts, Ann="Person", Dam="Service")
    before = in_force(ruled)

    with pytest.raises(BadInput) as refused:
        ruled.resolve_conflict(conflicts(ruled)[0].id, keep, "Sold.", other="ended")

    assert str(refused.value).startswith(message)
    assert (in_force(ruled), len(conflicts(ruled))) == (before, 1)


def test_what_ended_without_a_date_ends_now(graph: Graph) -> None:
    add(graph, "Mill owned_by Blue from 2020", "Mill owned_by Red")
    done = graph.resolve_conflict(conflicts(graph)[0].id, "second", "Sold.", other="ended")
    assert (done.verdict, [each.object for each in done.dropped]) == ("second", ["Blue"])
    assert in_force(graph) == {f"Mill owned_by Blue from 2020-01-01 to {now():%Y-%m-%d}", "Mill owned_by Red"}
    (resolved,) = conflicts(graph, resolved=True)
    assert (resolved.id, resolved.triple.valid_to, resolved.verdict) == (done.conflict_id, done.ended, "second")


@pytest.mark.parametrize(
    ("texts", "keep", "left"),
    [
        ("Blue, Red from 2025", "second", "Blue to 2025-01-01, Red from 2025-01-01"),
        ("Blue from 2020, Red from 2024", "second", "Blue from 2020-01-01 to 2024-01-01, Red from 2024-01-01"),
        ("Blue from 2020 to 2030, Red from 2024", "second", "Blue from 2020-01-01 to 2024-01-01, Red from 2024-01-01"),
        ("Blue from 2020, Red from 2024", "first", "Blue from 2020-01-01"),
        ("Blue from 2020, Red", "second", "Red"),
        ("Blue from 2020, Red from 2020", "second", "Red from 2020-01-01"),
    ],
)
def test_what_held_before_the_kept_one_ends_where_that_begins_and_the_rest_is_retired(
    graph: Graph, texts: str, keep: Any, left: str
) -> None:
    add(graph, *(f"Mill owned_by {text}" for text in texts.split(", ")))
    done = graph.resolve_conflict(conflicts(graph)[0].id, keep, "It has signed.")
    assert in_force(graph) == {f"Mill owned_by {text}" for text in left.split(", ")}
    assert (done.ended is not None) == (" to " in left)
    assert conflicts(graph) == []


def test_the_past_of_what_was_ended_is_answered_and_that_of_what_was_wrong_is_not(graph: Graph) -> None:
    add(graph, "Mill owned_by Blue from 2020", "Mill owned_by Red from 2024")
    add(graph, "Dam owned_by Blue from 2020", "Dam owned_by Red from 2024")
    mill, dam = conflicts(graph)
    graph.resolve_conflict(mill.id, "second", "Sold.")
    graph.resolve_conflict(dam.id, "second", "A typing error.", other="wrong")
    then = graph.query_triples(TripleQuery(), When(as_of=datetime(2022, 5, 1)))  # noqa: DTZ001
    assert [(found.subject, found.object) for found in then.triples] == [("Mill", "Blue")]


def test_of_two_periods_of_one_triple_the_one_not_kept_is_retired(graph: Graph) -> None:
    add(graph, "Mill owned_by Blue from 2020 to 2023", "Mill owned_by Blue from 2021 to 2024")
    (found,) = conflicts(graph)
    graph.resolve_conflict(found.id, "second", "By the deed.")
    assert (found.kind, in_force(graph)) == ("interval", {"Mill owned_by Blue from 2021-01-01 to 2024-01-01"})
