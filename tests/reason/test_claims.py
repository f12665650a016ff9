from datetime import timedelta

import pytest
from claim_helpers import check, day, reason_texts, relate

from mcp_graphrag.edit.inputs import TextInput
from mcp_graphrag.graph import Graph
from mcp_graphrag.model import Candidate, Origin, When
from mcp_graphrag.reason.check_claim import Claim
from mcp_graphrag.store.engine.transaction import now


def test_a_stored_triple_supports_a_claim_and_contradicts_its_negation(graph: Graph) -> None:
    relate(graph, "Shop depends_on Till", quote="The shop needs the till.")
    found = check(graph, "Shop DEPENDS-ON Till")
    assert (found.verdict, reason_texts(found.supporting)) == ("supported", ["Shop depends_on Till: direct"])
    assert found.supporting[0].triple.evidence[0].quote == "The shop needs the till."
    denied = check(graph, "not Shop depends_on Till")
    assert (denied.verdict, reason_texts(denied.contradicting)) == ("contradicted", ["Shop depends_on Till: direct"])


def test_what_is_not_stored_is_unknown_and_so_is_its_negation(graph: Graph) -> None:
    relate(graph, "Shop depends_on Till")
    assert [check(graph, said).verdict for said in ("Till depends_on Shop", "not Till depends_on Shop")] == [
        "unknown"
    ] * 2


def test_inverses_and_transitive_chains_support(graph: Graph) -> None:
    relate(graph, "Shop owned_by Crew", "Shop depends_on Till", "Till depends_on Vault")
    assert reason_texts(check(graph, "Crew owns Shop").supporting) == ["Shop owned_by Crew: inverse of owned_by"]
    (chain,) = check(graph, "Shop depends_on Vault").supporting
    assert chain.why == "follows from 2 triples: Shop -[depends_on]-> Till; Till -[depends_on]-> Vault"
    assert [premise.object for premise in chain.triple.inferred_from] == ["Till", "Vault"]


def test_another_object_of_a_functional_predicate_contradicts_from_either_side(graph: Graph) -> None:
    relate(graph, "Shop owned_by Crew", "Bob member_of Club")
    why = "Shop owned_by Crew: functional: owned_by has one object at a time, here Crew"
    for said in ("Shop owned_by Club", "Club owns Shop"):
        found = check(graph, said)
        assert (found.verdict, reason_texts(found.contradicting)) == ("contradicted", [why])
    assert check(graph, "not Club owns Shop").verdict == "supported"
    assert check(graph, "Bob member_of Crew").verdict == "unknown"


def test_a_triple_supports_only_while_it_is_valid(graph: Graph) -> None:
    relate(graph, "Shop owned_by Crew", valid_to=day(2024, 3))
    relate(graph, "Shop owned_by Club", valid_from=day(2024, 3))
    today = check(graph, "Shop owned_by Crew")
    assert (today.verdict, reason_texts(today.other_times)) == (
        "contradicted",
        ["Shop owned_by Crew: held until 2024-03-01"],
    )
    then = check(graph, "Shop owned_by Crew", When(as_of=day(2024, 2)))
    assert (then.verdict, then.contradicting) == ("supported", [])
    early = check(graph, "Crew owns Shop", When(as_of=day(2024, 4)))
    assert early.verdict == "contradicted"
    future = check(graph, "Shop owned_by Club", When(as_of=day(2023)))
    assert reason_texts(future.other_times) == ["Shop owned_by Club: holds from 2024-03-01"]


def test_a_triple_with_dates_takes_precedence_over_the_same_without(graph: Graph) -> None:
    relate(graph, "Shop owned_by Crew")
    relate(graph, "Shop owned_by Crew", valid_to=day(2024))
    found = check(graph, "Shop owned_by Crew")
    assert (found.verdict, reason_texts(found.other_times)) == (
        "unknown",
        ["Shop owned_by Crew: held until 2024-01-01"],
    )


def test_a_claim_is_disputed_unless_one_side_is_more_trusted(graph: Graph) -> None:
    relate(graph, "Shop owned_by Crew", confidence=0.9, source="catalogue")
    relate(graph, "Shop owned_by Club", confidence=0.3, source="audit")
    found = check(graph, "Shop owned_by Crew")
    assert (found.verdict, found.disputed, len(found.supporting), len(found.contradicting)) == ("unknown", True, 1, 1)
    trusted = [check(graph, "Shop owned_by Crew", precedence=[name]) for name in ("Catalogue", "audit")]
    assert [(checked.verdict, checked.disputed) for checked in trusted] == [
        ("supported", False),
        ("contradicted", False),
    ]


def test_a_dispute_of_sources_of_different_times_is_noted_with_both_dates(graph: Graph) -> None:
    earlier, later = (f"{now() - timedelta(days=days):%Y-%m-%d}" for days in (90, 30))
    for date, team in ((earlier, "Club"), (later, "Crew")):
        text = f"---\ndate: {date}\n---\n\nThe Shop is owned by {team}."
        graph.ingest_text(TextInput(text, uri=f"notes:{date}", media_type="text/markdown"))
        relate(graph, f"Shop owned_by {team}", source=f"notes:{date}", quote=f"The Shop is owned by {team}.")
    found = check(graph, "Shop owned_by Crew")
    assert (found.verdict, found.disputed) == ("unknown", True)
    assert f"Disputed: the latest for it is of {later}, the latest against it of {earlier}." in found.notes


def test_a_type_is_supported_by_the_hierarchy_and_contradicted_by_disjoint_types(graph: Graph) -> None:
    relate(graph, "Shop depends_on Till", "Bob member_of Crew")
    graph.add_ontology("people", {"types": {"Person": {"disjoint_with": ["Deployable"]}}})
    found = check(graph, "Shop is_a component")
    assert (found.verdict, reason_texts(found.supporting)) == (
        "supported",
        ["Shop is_a Microservice: every Microservice is a Component"],
    )
    against = check(graph, "Shop is Person")
    assert (against.verdict, reason_texts(against.contradicting)[0]) == (
        "contradicted",
        "Shop is_a Microservice: disjoint types: no Microservice is a Person",
    )
    assert check(graph, "Shop is_a Database").verdict == "unknown"
    misfit = check(graph, "Bob owned_by Crew")
    assert reason_texts(misfit.contradicting) == [
        "Bob is_a Person: disjoint types: owned_by leads from a Component, which no Person is"
    ]


def test_a_declared_opposite_contradicts_in_both_directions(graph: Graph) -> None:
    graph.add_ontology("trust", {"predicates": {"trusts": {"opposites": ["distrusts"]}}})
    relate(graph, "Bob distrusts Crew", "Bob trusts Club")
    found = check(graph, "Bob trusts Crew")
    assert (found.verdict, reason_texts(found.contradicting)) == (
        "contradicted",
        ["Bob distrusts Crew: distrusts is the opposite of trusts"],
    )
    assert check(graph, "Bob distrusts Club").verdict == "contradicted"


def test_same_as_entities_count_as_one_and_the_reason_says_so(graph: Graph) -> None:
    relate(graph, "Shop depends_on Vault", "Vault same_as Safe")
    (reason,) = check(graph, "Shop depends_on Safe").supporting
    assert reason.why == "direct, by same_as (Vault)"


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("Shopp owned_by Crew", "No entity named 'Shopp'. Nearest: Shop."),
        ("Shop owned_by Nobody", "No entity named 'Nobody'."),
        ("Shop befriends Crew", "No predicate named 'befriends'. Nearest: "),
    ],
)
def test_a_claim_about_an_unknown_name_is_unknown_with_that_reason(graph: Graph, said: str, reason: str) -> None:
    relate(graph, "Shop owned_by Crew")
    found = check(graph, said)
    assert (found.verdict, found.supporting, found.contradicting) == ("unknown", (), ())
    assert found.notes[0].startswith(reason)


def test_a_name_of_similar_meaning_or_spelling_is_another_name(graph: Graph) -> None:
    graph.add_triples([Candidate("Billing Service", "owned_by", "Crew")], origin=Origin("test"))
    for name in ("Service Billing", "Biling Service", "Billing"):
        assert graph.check_claim(Claim(name, "owned_by", "Crew")).verdict == "unknown"


def test_a_place_in_the_other_or_a_longer_name_is_no_contradiction(graph: Graph) -> None:
    graph.add_ontology("birth", {"predicates": {"cradle": {"functional": True}}})
    graph.add_triples(
        [
            Candidate("Ann", "cradle", "Hamlet"),
            Candidate("Hamlet", "located_in", "Ruritania"),
            Candidate("Hamlet on Sea", "located_in", "Borduria"),
        ],
        origin=Origin("test"),
    )
    found = {place: graph.check_claim(Claim("Ann", "cradle", place)).verdict for place in ("Ruritania", "Borduria")}
    assert found == {"Ruritania": "unknown", "Borduria": "contradicted"}
    assert graph.check_claim(Claim("Ann", "cradle", "Hamlet on Sea")).verdict == "unknown"


def test_nothing_is_held_against_a_name_of_several_entities(graph: Graph) -> None:
    relate(graph, "Mercury owned_by Crew", types={"Mercury": "Service"})
    relate(graph, "Mercury owned_by Club", types={"Mercury": "Database"})
    relate(graph, "Shop owned_by Bob")
    assert [check(graph, f"Mercury owned_by {team}").verdict for team in ("Crew", "Bob")] == ["supported", "unknown"]


def test_only_the_most_confident_reasons_are_listed(graph: Graph) -> None:
    relate(graph, *(f"Shop owned_by Team{number}" for number in range(40)), confidence=0.5)
    relate(graph, "Shop owned_by Crew", confidence=0.7)
    found = check(graph, "Shop owned_by Team7")
    assert (len(found.supporting), len(found.contradicting), found.contradicting[0].triple.object) == (1, 10, "Crew")
    assert found.notes[-1] == "There may be more: only the 10 most confident reasons of a kind are listed."
