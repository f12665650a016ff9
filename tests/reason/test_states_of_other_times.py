"""What says who owns a thing today tells nothing of other times, and what a dated document says is of its year."""

from datetime import datetime, timedelta

import pytest

from mcp_graphrag import TextInput
from mcp_graphrag.graph import Graph
from mcp_graphrag.model import Candidate, When
from mcp_graphrag.reason.check_claim import Claim
from mcp_graphrag.store.engine.transaction import now

OWNER = Claim("Harbour Service", "owned_by", "Team Kestrel")


def at(day: str) -> When:
    return When(as_of=datetime.fromisoformat(day))


def catalogue(graph: Graph, said: str = "Harbour Service is owned by Team Kestrel.") -> int:
    """Ingest a catalogue of this January; its year."""
    day = now().replace(month=1, day=2)
    graph.ingest_text(TextInput(said, uri="u:catalogue", metadata={"date": f"{day:%Y-%m-%d}"}))
    return day.year


@pytest.mark.parametrize(
    "claim",
    [
        "Team Heron owned Harbour Service.",
        "Harbour Service was owned by Team Heron.",
        "Team Heron owned Harbour Service until February 2020.",
        "Team Heron owned Harbour Service in 2019.",
        "Team Heron owned Harbour Service from 2018 to 2020.",
    ],
)
def test_the_owner_of_today_is_not_against_one_of_the_past(graph: Graph, claim: str) -> None:
    graph.add_triples(
        [Candidate("Team Heron", "owns", "Rail Service"), Candidate("Harbour Service", "owned_by", "Team Kestrel")]
    )
    assert graph.check_claim(claim).verdict == "unknown"
    assert graph.check_claim("Harbour Service is owned by Team Heron.").verdict == "contradicted"


def test_what_does_not_change_is_against_the_past_tense_too(graph: Graph) -> None:
    graph.add_ontology("lives", {"predicates": {"born_on": {"functional": True}}})
    graph.add_triples([Candidate("Ann Lee", "born_on", "3 May 1950", "Person")])
    assert graph.check_claim("Ann Lee was born on 4 May 1951.").verdict == "contradicted"


def test_what_a_document_says_since_when_holds_from_then(graph: Graph) -> None:
    catalogue(graph, "Harbour Service has been owned by Team Kestrel since 3 May 2015.")
    assert graph.check_claim(OWNER, at("2016-01-01")).verdict == "supported"
    assert graph.check_claim(OWNER, at("2014-01-01")).verdict == "unknown"


def test_a_triple_of_a_caller_without_dates_holds_at_any_time(graph: Graph) -> None:
    graph.add_triples([Candidate("Harbour Service", "owned_by", "Team Kestrel")])
    assert graph.check_claim(OWNER, at("2014-01-01")).verdict == "supported"


def test_the_owner_of_the_owner_is_no_other_owner(graph: Graph) -> None:
    graph.add_triples([Candidate("PayHub", "owned_by", "Norge"), Candidate("Norge", "acquired_by", "Svea Kredit")])
    assert graph.check_claim("PayHub is owned by Svea Kredit.").verdict == "unknown"


def test_two_dates_of_one_event_are_disputed(graph: Graph) -> None:
    graph.ingest_text(TextInput("Meridian Mills was founded in 2009.", uri="u:1"))
    graph.ingest_text(TextInput("Meridian Mills was founded in 2007.", uri="u:2"))
    for year in (2007, 2009):
        checked = graph.check_claim(f"Meridian Mills was founded in {year}.")
        assert (checked.verdict, [one.disputed for one in checked.claims]) == ("unknown", [True])
    assert graph.check_claim("Meridian Mills was founded in 2011.").verdict == "contradicted"


@pytest.mark.parametrize(
    ("first", "second", "claim"),
    [
        ("The chief executive of {} is Hanna Roth.", "The chief executive of {} is Paul Sommer.", "{}'s CEO is {}."),
        ("{} is maintained by Hanna Roth.", "{} is maintained by Paul Sommer.", "{} is maintained by {}."),
    ],
)
def test_another_value_of_a_later_document_is_shown_beside_a_verdict(
    graph: Graph, first: str, second: str, claim: str
) -> None:
    days = [f"{now() - timedelta(days=days):%Y-%m-%d}" for days in (90, 20)]
    for day, said in zip(days, (first, second), strict=True):
        graph.ingest_text(TextInput(said.format("Nordwind"), uri=f"u:{day}", metadata={"date": day}))
    earlier, later = (graph.check_claim(claim.format("Nordwind", name)) for name in ("Hanna Roth", "Paul Sommer"))
    assert [earlier.verdict, later.verdict] == ["supported", "supported"]
    others = [[(one.triple.object, one.why) for one in each.claims[0].others] for each in (earlier, later)]
    assert others == [[("Paul Sommer", f"stored of {days[1]}")], []]
    assert any(each.is_later and "Paul Sommer" in each.text for each in earlier.passages)


def test_a_plan_offers_what_is_disputed_only_as_possible(graph: Graph) -> None:
    graph.add_ontology("leaders", {"predicates": {"ceo": {"functional": True}}})
    graph.ingest_text(TextInput("The chief executive of Nordwind is Hanna Roth.", uri="u:a"))
    graph.ingest_text(TextInput("The chief executive of Nordwind is Paul Sommer.", uri="u:b"))
    plan = graph.plan_question("Who is the chief executive of Nordwind?")
    assert list(plan.answer) == []
    assert sorted(one.entity.name for walk in plan.possible for one in walk.answers) == ["Hanna Roth", "Paul Sommer"]
    assert any("Disputed: " in words for words in plan.missing)


def test_an_event_is_not_so_before_its_year(graph: Graph) -> None:
    graph.ingest_text(TextInput("Pellucid Optics was acquired by Northgate Labs in 2021.", uri="u:a"))
    claim = "Pellucid Optics was acquired by Northgate Labs."
    assert graph.check_claim(claim).verdict == "supported"
    assert graph.check_claim(claim, at("2022-01-01")).verdict == "supported"
    assert graph.check_claim(claim, at("1980-01-01")).verdict == "unknown"
    assert graph.check_claim(Claim("Pellucid Optics", "acquired_by", "Northgate Labs"), at("1980-01-01")).verdict == (
        "unknown"
    )
