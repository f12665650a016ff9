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
        ("Hanna Roth leads the {} Team.", "Paul Sommer leads the {} Team.", "{1} leads the {0} Team."),
    ],
)
def test_a_later_document_with_another_holder_disputes_an_office(
    graph: Graph, first: str, second: str, claim: str
) -> None:
    today = now()
    for name, said, days in (("older", first, 90), ("newer", second, 20)):
        date = f"{today - timedelta(days=days):%Y-%m-%d}"
        graph.ingest_text(TextInput(said.format("Nordwind"), uri=f"u:{name}", metadata={"date": date}))
    before = graph.check_claim(claim.format("Nordwind", "Hanna Roth"))
    assert before.verdict == "unknown"
    assert [each.disputed for each in before.claims] == [True]
    dates = [f"{today - timedelta(days=days):%Y-%m-%d}" for days in (90, 20)]
    assert before.claims[0].notes[-1] == (
        f"Disputed: the latest for it is of {dates[0]}, the latest against it of {dates[1]}."
    )
    assert graph.check_claim(claim.format("Nordwind", "Paul Sommer")).verdict == "supported"


def test_holders_of_an_office_in_documents_without_dates_are_disputed_and_those_in_one_document_not(
    graph: Graph,
) -> None:
    graph.ingest_text(TextInput("Ann Lee leads the Kiln Team. Bob Day leads the Kiln Team.", uri="u:both"))
    assert graph.check_claim("Ann Lee leads the Kiln Team.").verdict == "supported"
    for name in ("Hanna Roth", "Paul Sommer"):
        graph.ingest_text(TextInput(f"The chief executive of Nordwind is {name}.", uri=f"u:{name}"))
    checked = graph.check_claim("The chief executive of Nordwind is Hanna Roth.")
    assert [(each.verdict, each.disputed) for each in checked.claims] == [("unknown", True)]


def test_two_parents_of_a_company_in_two_documents_are_disputed(graph: Graph) -> None:
    graph.ingest_text(TextInput("Norrland Freight is a subsidiary of Baltic Carriers.", uri="u:history"))
    claim = "Norrland Freight is a subsidiary of Baltic Carriers."
    assert graph.check_claim(claim).verdict == "supported"
    graph.ingest_text(TextInput("Since 1 June 2026, Norrland Freight is a subsidiary of Arctic Rail.", uri="u:news"))
    checked = graph.check_claim(claim)
    assert [(each.verdict, each.disputed) for each in checked.claims] == [("unknown", True)]
    assert graph.check_claim("Norrland Freight is a subsidiary of Arctic Rail.").verdict == "supported"


def test_a_plan_offers_what_is_disputed_only_as_possible(graph: Graph) -> None:
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


@pytest.mark.parametrize(
    ("said", "values"),
    [
        ("The capital of Vestland is {}.", ("Olden", "Stryn")),
        ("Acme Ltd is owned by {}.", ("Kiln Ltd", "Fern Ltd")),
        ("The director of the Harbour Museum is {}.", ("Ann Lee", "Tor Rud")),
    ],
)
def test_a_later_document_with_another_value_disputes_the_only_one(
    graph: Graph, said: str, values: tuple[str, str]
) -> None:
    for days, value in zip((90, 20), values, strict=True):
        date = f"{now() - timedelta(days=days):%Y-%m-%d}"
        graph.ingest_text(TextInput(said.format(value), uri=f"u:{days}", metadata={"date": date}))
    checked = graph.check_claim(said.format(values[0]))
    assert (checked.verdict, [each.disputed for each in checked.claims]) == ("unknown", [True])


def test_two_directors_of_documents_without_dates_are_no_dispute(graph: Graph) -> None:
    for name in ("Ann Lee", "Tor Rud"):
        graph.ingest_text(TextInput(f"The Cold Sea is a film. The Cold Sea was directed by {name}.", uri=name))
    assert graph.check_claim("The Cold Sea was directed by Ann Lee.").verdict == "supported"
