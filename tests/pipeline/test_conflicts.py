"""What contradicts what is recorded beside it, and stays in force until somebody decides."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mcp_graphrag.errors import BadInput, UnknownName
from mcp_graphrag.model import Candidate, Origin, When
from mcp_graphrag.pipeline import Pipeline
from mcp_graphrag.pipeline.conflicts import resolve_conflict
from mcp_graphrag.pipeline.ingest import IngestReport, ingest
from mcp_graphrag.pipeline.sources import Given, text_document
from mcp_graphrag.pipeline.triples import Asserted, assert_triples, parse_time
from mcp_graphrag.pipeline.undo import undo
from mcp_graphrag.resolve.ontology import Ontology, PredicateRule, Signature, TypeRule, combined
from mcp_graphrag.resolve.vocabulary_files import default_ontology
from mcp_graphrag.retrieve.conflicts import Conflict, list_conflicts
from mcp_graphrag.retrieve.triples import TripleQuery, query_triples
from mcp_graphrag.store.conflicts import retire_stale_conflicts
from mcp_graphrag.store.removal import retire_triples
from mcp_graphrag.store.transaction import now

TEST = Origin("test")
OWN = Ontology(
    {
        "person": TypeRule("Person", disjoint_with=("Component",)),
        "component": TypeRule("Component"),
        "service": TypeRule("Service", subclass_of=("Component",)),
    },
    {
        "likes": PredicateRule("likes", opposites=("hates",)),
        "married_to": PredicateRule("married_to", symmetric=True, functional=True),
        "allied_with": PredicateRule("allied_with", symmetric=True, opposites=("at_war_with",)),
        "at_war_with": PredicateRule("at_war_with", symmetric=True),
        "runs_on": PredicateRule("runs_on", signatures=(Signature("Component", "Component"),)),
    },
)


class Told(Pipeline):
    """A pipeline with predicates of this test's own."""

    def ontology(self, tx: Any) -> Ontology:  # noqa: ARG002
        return combined([default_ontology(), OWN])


@pytest.fixture
def told(pipeline: Pipeline) -> Pipeline:
    return Told(pipeline.store, pipeline.embedder, pipeline.extractors, pipeline.settings)


def said(text: str, types: Mapping[str, str], **more: Any) -> Candidate:
    """A triple written as "Subject predicate Object from 2024 to 2025"; underscores in names stand for spaces."""
    subject, predicate, object_, *dates = text.split()
    at = {word: parse_time(date, word) for word, date in zip(dates[::2], dates[1::2], strict=True)}
    names = subject.replace("_", " "), object_.replace("_", " ")
    dates_given: dict[str, Any] = {"valid_from": at.get("from"), "valid_to": at.get("to")}
    return Candidate(names[0], predicate, names[1], types.get(names[0]), types.get(names[1]), **dates_given, **more)


def tell(pipeline: Pipeline, *texts: str, supersede: bool = False, **types: str) -> Asserted:
    return assert_triples(pipeline, [said(each, types) for each in texts], TEST, supersede=supersede)


def conflicts(pipeline: Pipeline, **more: Any) -> Sequence[Conflict]:
    return list_conflicts(pipeline.store, **more).conflicts


def in_force(pipeline: Pipeline) -> set[str]:
    found = query_triples(pipeline.store, TripleQuery(limit=100)).triples
    return {
        " ".join(
            [each.subject, each.predicate, each.object]
            + ([f"from {each.valid_from:%Y-%m-%d}"] if each.valid_from else [])
            + ([f"to {each.valid_to:%Y-%m-%d}"] if each.valid_to else [])
        )
        for each in found
        if not each.inferred_from
    }


STORIES: list[tuple[list[str], list[str]]] = [
    (["A owned_by X", "A owned_by Y"], ["functional"]),
    (["A owned_by X", "Y owns A"], ["functional"]),
    (["X owns A", "Y owns A"], ["functional"]),
    (["A owned_by X", "X owns A"], []),
    (["A owned_by X", "B owned_by Y", "X owns C"], []),
    (["A depends_on X", "A depends_on Y"], []),
    (["A owned_by X to 2025", "A owned_by Y from 2025"], []),
    (["A owned_by X to 2025", "A owned_by Y from 2024"], ["functional"]),
    (["A owned_by X from 2020 to 2024", "A owned_by X from 2022"], ["interval"]),
    (["A owned_by X from 2020 to 2022", "A owned_by X from 2022"], []),
    (["A owned_by X", "A owned_by X from 2022"], []),
    (["A owned_by X", "A owned_by X from 2025", "A owned_by Y to 2025"], []),
    (["A owned_by Y to 2025", "A owned_by X", "A owned_by X from 2025"], []),
    (["A owned_by X", "A owned_by Y", "A owned_by Z"], ["functional"] * 3),
    (["A likes B", "A hates B"], ["opposite"]),
    (["A hates B", "A likes B"], ["opposite"]),
    (["A likes B", "B hates A"], []),
    (["A likes B to 2020", "A hates B from 2020"], []),
    (["A allied_with B", "B at_war_with A"], ["opposite"]),
    (["A married_to B", "C married_to A"], ["functional"]),
    (["A married_to B", "B married_to A"], []),
]


@pytest.mark.parametrize(("story", "kinds"), STORIES, ids=", ".join)
def test_what_cannot_hold_together_is_recorded_and_stays(told: Pipeline, story: list[str], kinds: list[str]) -> None:
    tell(told, *story)
    assert [each.kind for each in conflicts(told)] == kinds
    assert len(in_force(told)) == len(story)


@pytest.mark.parametrize(("story", "kinds"), STORIES, ids=", ".join)
def test_it_does_not_matter_in_which_order_it_is_told(told: Pipeline, story: list[str], kinds: list[str]) -> None:
    for each in reversed(story):
        tell(told, each)
    assert [each.kind for each in conflicts(told)] == kinds


def test_a_type_that_every_signature_refuses_is_a_conflict_of_one_triple(told: Pipeline) -> None:
    tell(told, "Ann runs_on Mill", "Mill runs_on River", Ann="Person", Mill="Service", River="Service")
    (found,) = conflicts(told)
    assert (found.kind, found.triple.subject, found.other) == ("type", "Ann", None)
    assert found.detail == "Ann runs_on Mill: runs_on leads from a Component, which no Person is"


def test_a_conflict_says_both_sides_with_their_evidence(pipeline: Pipeline) -> None:
    sides = [said("Mill owned_by Blue", {}, source="memo"), said("Mill owned_by Red", {}, source="wiki", quote="red's")]
    added = [assert_triples(pipeline, [each], TEST) for each in sides]
    sentence = "Mill owned_by Blue contradicts Mill owned_by Red: owned_by has one object at a time"
    assert [(each.conflicts.count, list(each.conflicts.named)) for each in added] == [(0, []), (1, [sentence])]
    (found,) = conflicts(pipeline)
    assert found.other is not None
    assert [found.triple.evidence[0].source, found.other.evidence[0].quote] == ["memo", "red's"]
    assert assert_triples(pipeline, sides, TEST).conflicts.count == 0
    assert len(conflicts(pipeline)) == 1


@pytest.mark.parametrize(
    ("precedence", "preferred"),
    [((), ""), (("wiki",), "other"), (("WIKI", "memo"), "other"), (("memo", "wiki"), "triple"), (("mail",), "")],
)
def test_the_more_trusted_source_is_preferred(pipeline: Pipeline, precedence: tuple[str, ...], preferred: str) -> None:
    sides = [said("Mill owned_by Blue", {}, source="memo"), said("Mill owned_by Red", {}, source="wiki")]
    assert_triples(pipeline, sides, TEST)
    assert [each.preferred for each in conflicts(pipeline, precedence=precedence)] == [preferred]


def test_a_document_is_trusted_by_its_title_or_uri(pipeline: Pipeline) -> None:
    read(pipeline, "u:1", "The Mill Service is owned by the Blue Team.", "Catalogue")
    read(pipeline, "u:2", "The Mill Service is owned by the Red Team.", "Audit")
    assert [each.preferred for each in conflicts(pipeline, precedence=["audit"])] == ["other"]
    assert [each.preferred for each in conflicts(pipeline, precedence=["u:1", "audit"])] == ["triple"]


def read(pipeline: Pipeline, uri: str, text: str, title: str = "") -> IngestReport:
    report = IngestReport()
    document = text_document(pipeline, Given(text, title, uri=uri))
    ingest(pipeline, [document], pipeline.chosen_extractors("auto"), TEST, report=report)
    return report


def test_ingest_reports_what_it_found_and_forgets_it_with_the_document(pipeline: Pipeline) -> None:
    read(pipeline, "u:1", "The Mill Service is owned by the Blue Team.")
    report = read(pipeline, "u:2", "The Mill Service is owned by the Red Team.")
    sentence = (
        "Mill Service owned_by Blue Team contradicts Mill Service owned_by Red Team: owned_by has one object at a time"
    )
    assert (report.conflicts, report.conflicts_named) == (1, [sentence])
    read(pipeline, "u:2", "The Mill Service is blue now.")
    assert conflicts(pipeline) == []


def test_without_its_dated_form_a_triple_is_compared_as_it_is(pipeline: Pipeline) -> None:
    read(pipeline, "u:1", "Nothing.")
    dated = said("Mill owned_by Blue from 2025", {}, source="u:1", quote="Nothing.")
    assert_triples(pipeline, [dated], TEST)
    tell(pipeline, "Mill owned_by Blue", "Mill owned_by Red to 2025")
    assert conflicts(pipeline) == []
    read(pipeline, "u:1", "Something else.")
    assert [each.kind for each in conflicts(pipeline)] == ["functional"]


def test_the_dropped_side_is_retired_and_the_verdict_is_kept(pipeline: Pipeline) -> None:
    tell(pipeline, "Mill owned_by Blue", "Mill owned_by Red", "Mill owned_by White")
    before = now()
    first = conflicts(pipeline)[0]
    done = resolve_conflict(pipeline, first.id, "first", "  Blue has signed. ", TEST)
    assert (done.verdict, done.reason, done.dropped and done.dropped.object) == ("first", "Blue has signed.", "Red")
    assert in_force(pipeline) == {"Mill owned_by Blue", "Mill owned_by White"}
    assert [each.id for each in conflicts(pipeline, state="resolved")] == [done.conflict_id]
    (resolved,) = conflicts(pipeline, state="resolved")
    assert resolved.other is not None
    assert (resolved.other.object, len(resolved.other.evidence), resolved.reason) == ("Red", 1, "Blue has signed.")
    assert ["Red" in each.detail for each in conflicts(pipeline)] == [False]
    then = conflicts(pipeline, when=When(known_at=before))
    assert len(then) == 3
    assert first.id in {each.id for each in then}


def test_both_sides_may_stay(pipeline: Pipeline) -> None:
    tell(pipeline, "Mill owned_by Blue", "Mill owned_by Red")
    done = resolve_conflict(pipeline, conflicts(pipeline)[0].id, "both", "They share it.", TEST)
    assert (done.dropped, conflicts(pipeline)) == (None, [])
    assert len(in_force(pipeline)) == 2
    assert tell(pipeline, "Mill owned_by Blue").conflicts.count == 0
    assert [each.verdict for each in conflicts(pipeline, state="all")] == ["both"]


def test_the_dropped_side_may_end_where_the_other_begins(pipeline: Pipeline) -> None:
    tell(pipeline, "Mill owned_by Blue", "Mill owned_by Red from 2025")
    done = resolve_conflict(pipeline, conflicts(pipeline)[0].id, "second", "Handed over.", TEST, supersede=True)
    assert done.ended == datetime(2025, 1, 1)  # noqa: DTZ001
    assert in_force(pipeline) == {"Mill owned_by Blue to 2025-01-01", "Mill owned_by Red from 2025-01-01"}
    assert conflicts(pipeline) == []
    (resolved,) = conflicts(pipeline, state="resolved")
    assert len(resolved.triple.evidence) == 1


def test_a_triple_that_does_not_fit_is_kept_or_dropped(told: Pipeline) -> None:
    tell(told, "Ann runs_on Mill", "Bob runs_on Mill", Ann="Person", Bob="Person", Mill="Service")
    one, other = conflicts(told)
    resolve_conflict(told, one.id, "first", "Ann is a robot.", TEST)
    resolve_conflict(told, other.id, "second", "Bob is not.", TEST)
    assert in_force(told) == {"Ann runs_on Mill"}


def test_what_cannot_be_resolved_says_why_and_changes_nothing(pipeline: Pipeline) -> None:
    tell(pipeline, "Mill owned_by Blue", "Mill owned_by Red from 2025", "Dam owned_by Blue", "Dam owned_by Red")
    dated, other = conflicts(pipeline)
    with pytest.raises(BadInput, match="reason is empty"):
        resolve_conflict(pipeline, dated.id, "first", " ", TEST)
    with pytest.raises(UnknownName, match="No conflict named '99'"):
        resolve_conflict(pipeline, 99, "first", "Why not.", TEST)
    with pytest.raises(BadInput, match="Nothing is superseded"):
        resolve_conflict(pipeline, dated.id, "both", "Shared.", TEST, supersede=True)
    early = resolve_conflict(pipeline, other.id, "both", "Shared.", TEST)
    with pytest.raises(BadInput, match=f"Conflict {early.conflict_id} is resolved already: both"):
        resolve_conflict(pipeline, early.conflict_id, "first", "No.", TEST)
    with pytest.raises(BadInput, match=f"Conflict {other.id} is open no longer"):
        resolve_conflict(pipeline, other.id, "first", "No.", TEST)
    assert len(in_force(pipeline)) == 4


BLUE, RED = "The Mill Service is owned by the Blue Team.", "The Mill Service is owned by the Red Team."


def test_both_of_what_was_resolved_stay_when_a_document_says_it_with_other_words(pipeline: Pipeline) -> None:
    read(pipeline, "u:1", BLUE)
    read(pipeline, "u:2", RED)
    resolve_conflict(pipeline, conflicts(pipeline)[0].id, "both", "They share it.", TEST)
    read(pipeline, "u:2", "Nothing of it.")
    assert conflicts(pipeline, state="all") == []
    report = read(pipeline, "u:2", f"Since the spring of that year, by the way. {RED}")
    assert (report.conflicts, conflicts(pipeline)) == (0, [])
    (found,) = conflicts(pipeline, state="resolved")
    assert (found.verdict, found.reason) == ("both", "They share it.")


@pytest.mark.parametrize(("keep", "kept"), [("first", "Blue Team"), ("second", "Red Team")])
def test_a_verdict_on_what_is_said_again_is_told_and_nothing_is_dropped(
    pipeline: Pipeline, keep: Any, kept: str
) -> None:
    read(pipeline, "u:1", BLUE)
    read(pipeline, "u:2", RED)
    resolve_conflict(pipeline, conflicts(pipeline)[0].id, keep, "It has signed.", TEST)
    read(pipeline, "u:1", f"By the way: {BLUE}")
    read(pipeline, "u:2", f"By the way: {RED}")
    (found,) = conflicts(pipeline)
    told = f"; was resolved before: kept Mill Service owned_by {kept}, because: It has signed."
    assert found.detail.endswith(f"has one object at a time{told}")
    assert found.detail.count("resolved before") == 1


def test_the_newest_verdict_that_was_not_undone_is_remembered(pipeline: Pipeline) -> None:
    tell(pipeline, "Mill owned_by Blue", "Mill owned_by Red")
    resolve_conflict(pipeline, conflicts(pipeline)[0].id, "first", "Blue pays.", TEST)
    tell(pipeline, "Mill owned_by Red")
    resolve_conflict(pipeline, conflicts(pipeline)[0].id, "second", "Red pays now.", TEST)
    tell(pipeline, "Mill owned_by Blue")
    assert conflicts(pipeline)[0].detail.endswith("kept Mill owned_by Red, because: Red pays now.")
    undo(pipeline, TEST, operations=2)
    assert conflicts(pipeline)[0].detail.endswith("kept Mill owned_by Blue, because: Blue pays.")
    with pipeline.writing(TEST) as tx:
        retire_triples(tx, [each.id for each in query_triples(pipeline.store, TripleQuery(object="Red")).triples])
        retire_stale_conflicts(tx)
    tell(pipeline, "Mill owned_by Red")
    assert conflicts(pipeline)[0].detail.endswith("kept Mill owned_by Blue, because: Blue pays.")


def test_other_dates_are_another_question(pipeline: Pipeline) -> None:
    tell(pipeline, "Mill owned_by Blue from 2020", "Mill owned_by Red from 2021")
    resolve_conflict(pipeline, conflicts(pipeline)[0].id, "both", "They share it.", TEST)
    tell(pipeline, "Mill owned_by Red from 2022 to 2023")
    assert "resolved before" not in conflicts(pipeline)[0].detail


def test_a_misfit_that_was_kept_stays_when_it_is_said_again(told: Pipeline) -> None:
    tell(told, "Ann runs_on Mill", "Bob runs_on Mill", Ann="Person", Bob="Person", Mill="Service")
    one, other = conflicts(told)
    resolve_conflict(told, one.id, "first", "Ann is a robot.", TEST)
    resolve_conflict(told, other.id, "second", "Bob is not.", TEST)
    with told.writing(TEST) as tx:
        retire_triples(tx, [one.triple.id])
        retire_stale_conflicts(tx)
    tell(told, "Ann runs_on Mill", "Bob runs_on Mill", Ann="Person", Bob="Person", Mill="Service")
    assert [each.triple.subject for each in conflicts(told, state="resolved")] == ["Bob", "Ann"]
    (found,) = conflicts(told)
    assert found.detail.startswith("Bob runs_on Mill: ")
    assert found.detail.endswith("; was resolved before: dropped, because: Bob is not.")


def test_superseding_ends_what_is_replaced_and_leaves_no_conflict(pipeline: Pipeline) -> None:
    tell(pipeline, "Mill owned_by Blue", "Dam owned_by Blue", "Mill depends_on River")
    done = tell(pipeline, "Mill owned_by Red from 2025", "Mill depends_on Dam", supersede=True)
    assert (done.superseded, done.conflicts.count) == (1, 0)
    assert in_force(pipeline) == {
        "Mill owned_by Blue to 2025-01-01",
        "Mill owned_by Red from 2025-01-01",
        "Dam owned_by Blue",
        "Mill depends_on River",
        "Mill depends_on Dam",
    }
    (ended,) = query_triples(pipeline.store, TripleQuery(subject="Mill", object="Blue")).triples
    assert len(ended.evidence) == 1


def test_superseding_without_a_date_happens_now_and_only_once(pipeline: Pipeline) -> None:
    tell(pipeline, "Mill owned_by Blue from 2020")
    today = f"{now():%Y-%m-%d}"
    assert tell(pipeline, "Red owns Mill", supersede=True).superseded == 1
    held = {f"Mill owned_by Blue from 2020-01-01 to {today}", f"Red owns Mill from {today}"}
    assert in_force(pipeline) == held
    assert tell(pipeline, "Red owns Mill", supersede=True).superseded == 0
    assert conflicts(pipeline) == []


def test_what_began_later_is_not_superseded_but_contradicted(pipeline: Pipeline) -> None:
    tell(pipeline, "Mill owned_by Blue from 2024")
    done = tell(pipeline, "Mill owned_by Red from 2020", supersede=True)
    assert (done.superseded, done.conflicts.count) == (0, 1)


def test_of_very_many_rivals_not_every_pair_is_recorded(pipeline: Pipeline) -> None:
    many = [Candidate("Mill", "owned_by", f"Team {number}") for number in range(400)]
    found = assert_triples(pipeline, many, TEST).conflicts
    assert 400 <= found.count <= 400 * 30
    assert len(found.named) == 5


def test_conflicts_are_listed_page_by_page(pipeline: Pipeline) -> None:
    tell(pipeline, *(f"Mill_{number} owned_by {team}" for number in range(5) for team in ("Blue", "Red")))
    first = list_conflicts(pipeline.store, limit=3)
    assert first.next_after is not None
    rest = list_conflicts(pipeline.store, limit=3, after=first.next_after)
    assert [len(first.conflicts), len(rest.conflicts), first.total, rest.next_after] == [3, 2, 5, None]
    ended = list_conflicts(pipeline.store, when=When(as_of=datetime(2020, 1, 1)))  # noqa: DTZ001
    assert ended.total == 5


DAYS = st.none() | st.integers(0, 6)
SPANS = st.tuples(DAYS, DAYS).filter(lambda span: None in span or span[0] < span[1])  # type: ignore[operator]
TOLD = st.lists(st.tuples(st.sampled_from("XYZ"), SPANS), min_size=1, max_size=6, unique=True)


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(told=TOLD, calls=st.integers(1, 3))
def test_overlaps_are_what_a_look_at_every_day_finds(
    pipeline: Pipeline, told: list[tuple[str, tuple[int | None, int | None]]], calls: int
) -> None:
    mill = f"Mill {now():%H%M%S%f}"
    start = datetime(2024, 1, 1)  # noqa: DTZ001

    def day(number: int | None) -> datetime | None:
        return None if number is None else start + timedelta(days=number)

    offered = [
        Candidate(mill, "owned_by", team, valid_from=day(begin), valid_to=day(end)) for team, (begin, end) in told
    ]
    before = list_conflicts(pipeline.store).total
    size = -(-len(offered) // calls)
    for at in range(0, len(offered), size):
        assert_triples(pipeline, offered[at : at + size], TEST)
    assert list_conflicts(pipeline.store).total - before == len(naive(told))


def naive(told: list[tuple[str, tuple[int | None, int | None]]]) -> set[frozenset[int]]:
    """The pairs of different sayings that share a day; a team's saying without dates gives way to one with dates."""
    dated = {team for team, span in told if span != (None, None)}
    kept = [(team, span) for team, span in told if span != (None, None) or team not in dated]
    days = [
        {each for each in range(-1, 8) if (begin is None or begin <= each) and (end is None or each < end)}
        for _, (begin, end) in kept
    ]
    return {frozenset((a, b)) for a in range(len(kept)) for b in range(a) if days[a] & days[b]}
