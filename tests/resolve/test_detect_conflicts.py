"""Which triples contradict each other; both are recorded and stay in force."""

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from cached_files import Setup
from conflict_helpers import add, conflicts, in_force, read, triple, with_ontology
from hypothesis import given, settings
from hypothesis import strategies as st

from mcp_graphrag.graph import Graph
from mcp_graphrag.lookup.query_triples import TripleQuery
from mcp_graphrag.model import Candidate
from mcp_graphrag.resolve.review import ReviewQuery
from mcp_graphrag.store.engine.transaction import now


@pytest.fixture
def ruled(after: Callable[[Setup], Graph]) -> Graph:
    """A graph with the ontology of `conflict_helpers`."""
    return after(with_ontology)


SEQUENCES: list[tuple[list[str], list[str]]] = [
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
    (["A likes B from 2020 to 2024", "A likes B from 2022"], ["interval"]),
    (["A likes B from 2020 to 2022", "A likes B from 2022"], []),
    (["A lent_to B", "A owed_by B"], ["opposite"]),
    (["A lent_to B", "B debtor_of A"], ["opposite"]),
    (["B debtor_of A", "A lent_to B"], ["opposite"]),
    (["A led_by B", "C leads A"], ["functional"]),
    (["A leads B", "A leads C"], []),
    (["A born_on 1801", "A born_on 16_May_1801"], []),
    (["A born_on May_1801", "A born_on 1801", "A born_on 1801-05-16"], []),
    (["A born_on 1801", "A born_on 16_May_1802"], ["functional"]),
    (["A born_on May_1801", "A born_on 16_June_1801"], ["functional"]),
]


@pytest.mark.parametrize(("texts", "kinds"), SEQUENCES, ids=", ".join)
def test_a_contradiction_is_recorded_and_both_sides_stay(ruled: Graph, texts: list[str], kinds: list[str]) -> None:
    add(ruled, *texts)
    assert [conflict.kind for conflict in conflicts(ruled)] == kinds
    assert len(in_force(ruled)) == len(texts)


@pytest.mark.parametrize(
    ("types", "count"),
    [({}, 1), ({"Mill": "Service", "Blue": "Team"}, 1), ({"Mill": "Building"}, 0), ({"Blue": "Person"}, 0)],
)
def test_a_predicate_is_functional_only_for_the_types_that_it_fits(
    graph: Graph, types: dict[str, str], count: int
) -> None:
    graph.add_triples([triple(f"Mill owned_by {team}", types) for team in ("Blue", "Red")])
    assert len(conflicts(graph)) == count


@pytest.mark.parametrize(("texts", "kinds"), SEQUENCES, ids=", ".join)
def test_the_same_conflicts_are_found_in_the_reverse_order(ruled: Graph, texts: list[str], kinds: list[str]) -> None:
    for text in reversed(texts):
        add(ruled, text)
    assert [conflict.kind for conflict in conflicts(ruled)] == kinds


def test_a_type_that_every_signature_refuses_is_a_conflict_of_one_triple(ruled: Graph) -> None:
    add(ruled, "Ann runs_on Mill", "Mill runs_on River", Ann="Person", Mill="Service", River="Service")
    (found,) = conflicts(ruled)
    assert (found.kind, found.triple.subject, found.other) == ("type", "Ann", None)
    assert found.detail == "Ann runs_on Mill: runs_on leads from a Component, which no Person is"


def test_a_predicate_refuses_types_only_if_each_of_its_signatures_does(ruled: Graph) -> None:
    texts = ("Ann hosts Bob", "Rack hosts Mill", "Ann hosts Nowhere", "Ann keeps Mill", "Mill keeps Rack")
    others = ("Ann fixes Rack", "Rack fixes Mill", "Mill fixes Ann", "Mill eats Rack", "Ann eats Rack", "Bob eats Bob")

    done = add(ruled, *texts, *others, Ann="Person", Bob="Person", Mill="Component", Rack="Service")

    assert [conflict.detail for conflict in conflicts(ruled)] == [
        "Ann hosts Bob: hosts leads from a Component, which no Person is",
        "Ann hosts Nowhere: hosts leads from a Component, which no Person is",
        "Mill keeps Rack: keeps leads from a Person, which no Component is",
        "Mill fixes Ann: fixes leads to a Component, which no Person is",
        "Mill eats Rack: eats leads from a Person, which no Component is",
    ]
    assert done.conflicts.count == 5


def test_a_conflict_has_both_triples_with_their_evidence(graph: Graph) -> None:
    sides = [triple("Mill owned_by Blue", source="memo"), triple("Mill owned_by Red", source="wiki", quote="red's")]
    added = [graph.add_triples([side]) for side in sides]
    sentence = "Mill owned_by Blue contradicts Mill owned_by Red: owned_by has one object at a time"
    assert [(stored.conflicts.count, list(stored.conflicts.examples)) for stored in added] == [(0, []), (1, [sentence])]
    (found,) = conflicts(graph)
    assert found.other is not None
    assert [found.triple.evidence[0].source, found.other.evidence[0].quote] == ["memo", "red's"]
    assert graph.add_triples(sides).conflicts.count == 0
    assert len(conflicts(graph)) == 1


def test_ingest_reports_conflicts_and_they_end_with_their_document(graph: Graph) -> None:
    read(graph, "u:1", "The Mill Service is owned by the Blue Team.")
    report = read(graph, "u:2", "The Mill Service is owned by the Red Team.")
    sentence = (
        "Mill Service owned_by Blue Team contradicts Mill Service owned_by Red Team: owned_by has one object at a time"
    )
    assert (report.conflicts, report.conflicts_named) == (1, [sentence])
    read(graph, "u:2", "The Mill Service is blue now.")
    assert conflicts(graph) == []


def test_an_undated_triple_is_compared_once_its_dated_form_is_gone(graph: Graph) -> None:
    read(graph, "u:1", "Nothing.")
    dated = triple("Mill owned_by Blue from 2025", source="u:1", quote="Nothing.")
    graph.add_triples([dated])
    add(graph, "Mill owned_by Blue", "Mill owned_by Red to 2025")
    assert conflicts(graph) == []
    read(graph, "u:1", "Something else.")
    assert [conflict.kind for conflict in conflicts(graph)] == ["functional"]


def test_superseding_without_a_date_ends_the_old_triple_now_and_only_once(graph: Graph) -> None:
    add(graph, "Mill owned_by Blue from 2020")
    today = f"{now():%Y-%m-%d}"
    assert add(graph, "Red owns Mill", replaces=True).ended != []
    held = {f"Mill owned_by Blue from 2020-01-01 to {today}", f"Red owns Mill from {today}"}
    assert in_force(graph) == held
    assert add(graph, "Red owns Mill", replaces=True).ended == []
    assert conflicts(graph) == []


def test_what_is_said_in_the_past_tense_stays_so_when_it_is_superseded(graph: Graph) -> None:
    graph.ingest_text("Mill Service was owned by the Red Team.")
    graph.add_triples([Candidate("Mill Service", "owned_by", "Blue Team")], replaces=True)
    found = graph.query_triples(TripleQuery(subject="Mill Service")).triples
    assert {(one.object, one.is_over) for one in found} == {("Red Team", True), ("Blue Team", False)}


def test_of_several_that_supersede_a_triple_the_first_to_begin_ends_it(graph: Graph) -> None:
    add(graph, "Mill owned_by Blue", "Dam owned_by Blue from 2020")
    rows = ["Mill owned_by Red from 2025", "Mill owned_by White from 2023", "Mill owned_by Gray from 2024"]
    done = add(graph, *rows, "Dam depends_on River", replaces=True)
    assert in_force(graph) == {
        "Mill owned_by Blue to 2023-01-01",
        "Dam owned_by Blue from 2020-01-01",
        "Dam depends_on River",
        *(f"{row}-01-01" for row in rows),
    }
    assert (len(done.ended), done.conflicts.count) == (1, 3)


def test_superseded_triples_end_each_where_its_own_successor_begins_and_there_is_no_conflict(graph: Graph) -> None:
    add(graph, "Mill owned_by Blue", "Red owns Dam", "Weir owned_by Blue", "Mill depends_on River")
    told = "White owns Dam from 2024", "Mill owned_by Red from 2025", "Mill depends_on Dam from 2023"
    done = add(graph, *told, replaces=True)
    assert in_force(graph) == {
        "Mill depends_on River to 2023-01-01",
        "Mill depends_on Dam from 2023-01-01",
        "Mill owned_by Blue to 2025-01-01",
        "Mill owned_by Red from 2025-01-01",
        "Red owns Dam to 2024-01-01",
        "White owns Dam from 2024-01-01",
        "Weir owned_by Blue",
    }
    assert (len(done.ended), done.conflicts.count) == (3, 0)
    (ended,) = graph.query_triples(TripleQuery(subject="Mill", object="Blue")).triples
    assert len(ended.evidence) == 1


@pytest.mark.parametrize("dated", ["A owned_by X from 2025", "A owned_by X to 2019"])
def test_a_conflict_ends_when_one_of_its_triples_gets_dates(graph: Graph, dated: str) -> None:
    add(graph, "A owned_by X", "A owned_by Y from 2020 to 2024")
    assert len(conflicts(graph)) == 1
    add(graph, dated, "B depends_on C")
    assert conflicts(graph) == []


def test_a_triple_that_began_later_is_contradicted_instead_of_superseded(graph: Graph) -> None:
    add(graph, "Mill owned_by Blue from 2024")
    done = add(graph, "Mill owned_by Red from 2020", replaces=True)
    assert (len(done.ended), done.conflicts.count) == (0, 1)


def test_the_conflicts_of_many_rivals_are_capped(graph: Graph) -> None:
    many = [Candidate("Mill", "owned_by", f"Team {number}") for number in range(400)]
    found = graph.add_triples(many).conflicts
    assert 400 <= found.count <= 400 * 30
    assert len(found.examples) == 5


DAYS = st.none() | st.integers(0, 6)
SPANS = st.tuples(DAYS, DAYS).filter(lambda span: None in span or span[0] < span[1])  # type: ignore[operator]
STATEMENTS = st.lists(st.tuples(st.sampled_from("XYZ"), SPANS), min_size=1, max_size=6, unique=True)


@settings(max_examples=15)
@given(statements=STATEMENTS, calls=st.integers(1, 3))
def test_overlaps_are_those_that_a_comparison_day_by_day_finds(
    graph: Graph, statements: list[tuple[str, tuple[int | None, int | None]]], calls: int
) -> None:
    mill = f"Mill {now():%H%M%S%f}"
    start = datetime(2024, 1, 1)  # noqa: DTZ001

    def day(number: int | None) -> datetime | None:
        return None if number is None else start + timedelta(days=number)

    candidates = [
        Candidate(mill, "owned_by", team, valid_from=day(begin), valid_to=day(end)) for team, (begin, end) in statements
    ]
    before = graph.review(ReviewQuery("conflicts")).conflicts
    size = -(-len(candidates) // calls)
    for at in range(0, len(candidates), size):
        graph.add_triples(candidates[at : at + size])
    assert graph.review(ReviewQuery("conflicts")).conflicts - before == len(naive(statements))


def naive(statements: list[tuple[str, tuple[int | None, int | None]]]) -> set[frozenset[int]]:
    """The pairs of statements that share a day; of one team, an undated statement gives way to a dated one."""
    dated = {team for team, span in statements if span != (None, None)}
    kept = [(team, span) for team, span in statements if span != (None, None) or team not in dated]
    days = [
        {day for day in range(-1, 8) if (begin is None or begin <= day) and (end is None or day < end)}
        for _, (begin, end) in kept
    ]
    return {frozenset((a, b)) for a in range(len(kept)) for b in range(a) if days[a] & days[b]}
