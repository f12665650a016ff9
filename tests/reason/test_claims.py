import pytest
from claim_stories import check, day, relate, told

from mcp_graphrag.errors import UnknownName
from mcp_graphrag.model import Candidate, Origin, When
from mcp_graphrag.pipeline import Pipeline
from mcp_graphrag.pipeline.triples import assert_triples
from mcp_graphrag.reason.claims import Claim, check_claim
from mcp_graphrag.resolve.ontology import Ontology, PredicateRule, TypeRule, combined
from mcp_graphrag.resolve.vocabulary_files import default_ontology


def test_what_is_stored_supports_and_refutes_its_denial(pipeline: Pipeline) -> None:
    relate(pipeline, "Shop depends_on Till", quote="The shop needs the till.")
    found = check(pipeline, "shop DEPENDS-ON till")
    assert (found.verdict, told(found.supporting)) == ("supported", ["Shop depends_on Till: direct"])
    assert found.supporting[0].triple.evidence[0].quote == "The shop needs the till."
    denied = check(pipeline, "not Shop depends_on Till")
    assert (denied.verdict, told(denied.contradicting)) == ("contradicted", ["Shop depends_on Till: direct"])


def test_what_is_not_stored_is_unknown_and_so_is_its_denial(pipeline: Pipeline) -> None:
    relate(pipeline, "Shop depends_on Till")
    assert [check(pipeline, said).verdict for said in ("Till depends_on Shop", "not Till depends_on Shop")] == [
        "unknown"
    ] * 2


def test_an_inverse_and_a_chain_support(pipeline: Pipeline) -> None:
    relate(pipeline, "Shop owned_by Crew", "Shop depends_on Till", "Till depends_on Vault")
    assert told(check(pipeline, "Crew owns Shop").supporting) == ["Shop owned_by Crew: inverse of owned_by"]
    (chain,) = check(pipeline, "Shop depends_on Vault").supporting
    assert chain.why == "follows from 2 triples: Shop -[depends_on]-> Till; Till -[depends_on]-> Vault"
    assert [each.object for each in chain.triple.inferred_from] == ["Till", "Vault"]


def test_another_object_of_a_functional_predicate_contradicts_from_either_side(pipeline: Pipeline) -> None:
    relate(pipeline, "Shop owned_by Crew", "Bob member_of Club")
    why = "Shop owned_by Crew: functional: owned_by has one object at a time, here Crew"
    for said in ("Shop owned_by Club", "Club owns Shop"):
        found = check(pipeline, said)
        assert (found.verdict, told(found.contradicting)) == ("contradicted", [why])
    assert check(pipeline, "not Club owns Shop").verdict == "supported"
    assert check(pipeline, "Bob member_of Crew").verdict == "unknown"


def test_a_triple_supports_only_while_it_holds(pipeline: Pipeline) -> None:
    relate(pipeline, "Shop owned_by Crew", valid_to=day(2024, 3))
    relate(pipeline, "Shop owned_by Club", valid_from=day(2024, 3))
    today = check(pipeline, "Shop owned_by Crew")
    assert (today.verdict, told(today.elsewhen)) == ("contradicted", ["Shop owned_by Crew: held until 2024-03-01"])
    then = check(pipeline, "Shop owned_by Crew", When(as_of=day(2024, 2)))
    assert (then.verdict, then.contradicting) == ("supported", [])
    early = check(pipeline, "Crew owns Shop", When(as_of=day(2024, 4)))
    assert early.verdict == "contradicted"
    future = check(pipeline, "Shop owned_by Club", When(as_of=day(2023)))
    assert told(future.elsewhen) == ["Shop owned_by Club: holds from 2024-03-01"]


def test_what_is_said_without_dates_gives_way_to_the_same_said_with_dates(pipeline: Pipeline) -> None:
    relate(pipeline, "Shop owned_by Crew")
    relate(pipeline, "Shop owned_by Crew", valid_to=day(2024))
    found = check(pipeline, "Shop owned_by Crew")
    assert (found.verdict, told(found.elsewhen)) == ("unknown", ["Shop owned_by Crew: held until 2024-01-01"])


def test_both_sides_are_told_and_disputed_until_one_is_clearly_surer_or_trusted_more(pipeline: Pipeline) -> None:
    relate(pipeline, "Shop owned_by Crew", confidence=0.8, source="catalogue")
    relate(pipeline, "Shop owned_by Club", confidence=0.6, source="audit")
    found = check(pipeline, "Shop owned_by Crew")
    assert (found.verdict, found.disputed, len(found.supporting), len(found.contradicting)) == ("unknown", True, 1, 1)
    trusted = [check(pipeline, "Shop owned_by Crew", precedence=[name]) for name in ("Catalogue", "audit")]
    assert [(each.verdict, each.disputed) for each in trusted] == [("supported", False), ("contradicted", False)]
    relate(pipeline, "Till owned_by Crew", confidence=0.9)
    relate(pipeline, "Till owned_by Club", confidence=0.5)
    assert [check(pipeline, f"Till owned_by {team}").verdict for team in ("Crew", "Club")] == [
        "supported",
        "contradicted",
    ]


def test_a_type_is_supported_by_the_hierarchy_and_contradicted_by_what_is_disjoint(pipeline: Pipeline) -> None:
    relate(pipeline, "Shop depends_on Till", "Bob member_of Crew")
    rules = {"person": TypeRule("Person", disjoint_with=("Deployable",))}
    ontology = combined([default_ontology(), Ontology(rules)])
    found = check(pipeline, "Shop is_a component", ontology=ontology)
    assert (found.verdict, told(found.supporting)) == (
        "supported",
        ["Shop is_a Microservice: every Microservice is a Component"],
    )
    against = check(pipeline, "Shop is Person", ontology=ontology)
    assert (against.verdict, told(against.contradicting)[0]) == (
        "contradicted",
        "Shop is_a Microservice: disjoint types: no Microservice is a Person",
    )
    assert check(pipeline, "Shop is_a Database", ontology=ontology).verdict == "unknown"
    misfit = check(pipeline, "Bob owned_by Crew", ontology=ontology)
    assert told(misfit.contradicting) == [
        "Bob is_a Person: disjoint types: owned_by leads from a Component, which no Person is"
    ]


def test_a_declared_opposite_contradicts_in_both_directions(pipeline: Pipeline) -> None:
    rule = {"trusts": PredicateRule("trusts", opposites=("distrusts",))}
    ontology = combined([default_ontology(), Ontology(predicates=rule)])
    relate(pipeline, "Bob distrusts Crew", "Bob trusts Club")
    found = check(pipeline, "Bob trusts Crew", ontology=ontology)
    assert (found.verdict, told(found.contradicting)) == (
        "contradicted",
        ["Bob distrusts Crew: distrusts is the opposite of trusts"],
    )
    assert check(pipeline, "Bob distrusts Club", ontology=ontology).verdict == "contradicted"


def test_what_is_the_same_is_taken_for_one_and_told(pipeline: Pipeline) -> None:
    relate(pipeline, "Shop depends_on Vault", "Vault same_as Safe")
    (reason,) = check(pipeline, "Shop depends_on Safe").supporting
    assert reason.why == "direct, of what is the same (Vault)"


@pytest.mark.parametrize(
    ("said", "fact"),
    [("Shopp owned_by Nobody", "Nobody"), ("Ghost owned_by Crew", "Ghost"), ("Shop befriends Crew", "befriends")],
)
def test_a_name_that_nothing_has_is_named(pipeline: Pipeline, said: str, fact: str) -> None:
    relate(pipeline, "Shop owned_by Crew")
    with pytest.raises(UnknownName) as caught:
        check(pipeline, said)
    assert caught.value.name == fact


def test_a_misspelt_name_is_taken_for_the_nearest_and_a_note_says_so(pipeline: Pipeline) -> None:
    relate(pipeline, "Warehouse owned_by Crew")
    found = check(pipeline, "Warehose owned_by Crew")
    assert (found.verdict, list(found.notes)) == ("supported", ["'Warehose' was taken for Warehouse."])


def test_a_name_that_only_means_something_alike_is_another_thing(pipeline: Pipeline) -> None:
    assert_triples(pipeline, [Candidate("Billing Service", "owned_by", "Crew")], Origin("test"))
    with pytest.raises(UnknownName):
        check_claim(pipeline.store, pipeline.embedder, Claim("Service Billing", "owned_by", "Crew"))


def test_of_very_many_reasons_the_surest_are_told(pipeline: Pipeline) -> None:
    relate(pipeline, *(f"Shop owned_by Team{number}" for number in range(40)), confidence=0.5)
    relate(pipeline, "Shop owned_by Crew", confidence=0.7)
    found = check(pipeline, "Shop owned_by Team7")
    assert (len(found.supporting), len(found.contradicting), found.contradicting[0].triple.object) == (1, 10, "Crew")
    assert list(found.notes) == ["There may be more: the surest 10 reasons of a kind are told."]
