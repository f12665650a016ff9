"""Verdicts at the limits: of periods, of confidence, of trust, and of how much is checked."""

from dataclasses import replace

import pytest
from claim_helpers import check, day, read, reason_texts, relate

from mcp_graphrag.errors import BadInput
from mcp_graphrag.graph import Graph
from mcp_graphrag.reason import parse_claims
from mcp_graphrag.reason.check_claim import Claim, Verdict, check_claim, overall
from mcp_graphrag.reason.claim_time import ClaimTime


def test_a_claim_is_put_in_one_line_with_its_denial_and_its_time() -> None:
    year, day_, month = (day(2024), day(2025)), (day(2024), day(2024).replace(day=2)), (day(2024, 12), day(2025))
    said = {
        "A -[uses]-> B": Claim("A", "uses", "B"),
        "not A -[uses]-> B": Claim("A", "uses", "B", negated=True),
        "never A -[uses]-> B": Claim("A", "uses", "B", negated=True, time=ClaimTime("ever")),
        "A -[uses]-> B, within 2024": Claim("A", "uses", "B", time=ClaimTime("within", year)),
        "A -[uses]-> B, since 2024-01-01": Claim("A", "uses", "B", time=ClaimTime("since", day_)),
        "A -[uses]-> B, until 2024-12": Claim("A", "uses", "B", time=ClaimTime("until", None, month)),
        "A -[uses]-> B, from 2024-01-01 to 2024": Claim("A", "uses", "B", time=ClaimTime("span", day_, year)),
        "A -[uses]-> B, within 2024-01-01 to 2024-11-30": Claim(
            "A", "uses", "B", time=ClaimTime("within", (day(2024), day(2024, 12)))
        ),
        "A -[uses]-> B, no longer": Claim("A", "uses", "B", time=ClaimTime("ended")),
    }
    assert [each.in_words() for each in said.values()] == list(said)


@pytest.mark.parametrize(
    ("verdicts", "whole"),
    [
        ([], "unknown"),
        (["supported"], "supported"),
        (["supported", "unknown"], "unknown"),
        (["supported", "unknown", "contradicted"], "contradicted"),
    ],
)
def test_a_text_is_supported_only_if_every_claim_is(verdicts: list[Verdict], whole: Verdict) -> None:
    assert overall(verdicts) == whole


def test_what_begins_within_a_period_supports_it_but_not_what_begins_at_its_end(graph: Graph) -> None:
    relate(graph, "Shop depends_on Vault", valid_from=day(2024, 12))
    relate(graph, "Shop depends_on Till", valid_from=day(2025))
    with graph.reading() as snapshot:
        year = Claim("Shop", "depends_on", "Vault", time=ClaimTime("within", (day(2024), day(2025))))
        found = [check_claim(snapshot, claim).verdict for claim in (year, replace(year, object="Till"))]
    assert found == ["supported", "unknown"]


def test_a_chain_is_trusted_like_its_least_trusted_link(graph: Graph) -> None:
    graph.add_ontology("care", {"predicates": {"depends_on": {"transitive": True, "opposites": ["ignores"]}}})
    relate(graph, "Shop depends_on Till", source="law")
    relate(graph, "Till depends_on Vault", source="gossip")
    relate(graph, "Shop ignores Vault", source="diary")
    asked = {
        ("law", "diary", "gossip"): "contradicted",
        ("law", "gossip", "diary"): "supported",
        ("gossip",): "unknown",  # neither the law nor the diary is listed: disputed
        ("diary",): "contradicted",
        ("law", "Gossip"): "supported",
    }
    found = {order: check(graph, "Shop depends_on Vault", precedence=order).verdict for order in asked}
    assert found == asked


def test_a_triple_is_trusted_like_its_most_trusted_source(graph: Graph) -> None:
    relate(graph, "Shop owned_by Crew", source="gossip")
    relate(graph, "Shop owned_by Crew", source="law")
    relate(graph, "Shop owned_by Club", source="diary")
    assert check(graph, "Shop owned_by Crew", precedence=["law", "diary", "gossip", "law"]).verdict == "supported"


def test_a_symmetric_predicate_supports_both_ways_and_a_chain_of_same_as_is_followed(graph: Graph) -> None:
    relate(graph, "Shop similar_to Till", "Till same_as Kiosk", "Booth same_as Kiosk", "Booth same_as Stall")
    assert reason_texts(check(graph, "Shop similar_to Till").supporting) == ["Shop similar_to Till: direct"]
    assert reason_texts(check(graph, "Till similar_to Shop").supporting) == [
        "Shop similar_to Till: similar_to is symmetric"
    ]
    assert reason_texts(check(graph, "Shop similar_to Stall").supporting) == [
        "Shop similar_to Till: direct, by same_as (Till)"
    ]


def test_the_inverse_of_a_functional_predicate_contradicts_too(graph: Graph) -> None:
    relate(graph, "Crew owns Shop", "Bob member_of Club")
    assert reason_texts(check(graph, "Shop owned_by Club").contradicting) == [
        "Crew owns Shop: functional: owned_by has one object at a time, here Crew"
    ]
    assert check(graph, "Shop owned_by Crew").contradicting == []


def test_the_types_of_both_ends_can_contradict(graph: Graph) -> None:
    disjoint = {"Person": {"disjoint_with": ["Component", "Team"]}}
    graph.add_ontology("people", {"types": disjoint})
    relate(graph, "Bob member_of Crew", "Shop depends_on Till")
    assert reason_texts(check(graph, "Shop owned_by Bob").contradicting) == [
        "Bob is_a Person: disjoint types: owned_by leads to a Team, which no Person is"
    ]
    assert check(graph, "Shop owned_by Crew").contradicting == []


def test_a_type_is_unknown_with_a_note_and_each_entity_of_a_name_is_checked(graph: Graph) -> None:
    relate(graph, "Ghost depends_on Till")
    relate(graph, "Mercury orbits Sun", types={"Mercury": "Planet"})
    relate(graph, "Mercury fills Till", types={"Mercury": "Element"})
    assert list(check(graph, "Ghost is_a Service").notes) == ["The type of Ghost is unknown."]
    found = check(graph, "Mercury is_a Element")
    assert (found.verdict, list(found.notes)) == (
        "supported",
        ["2 entities have the name Mercury; all were checked."],
    )
    assert reason_texts(found.supporting) == ["Mercury is_a Element: its type"]


@pytest.mark.parametrize(
    "text",
    [
        "Shop depends on Vault. Shop babysits Vault.",
        "Shop depends on Vault. Perhaps Shop depends on Vault.",
    ],
)
def test_one_part_that_is_not_read_keeps_a_text_from_being_supported(graph: Graph, text: str) -> None:
    relate(graph, "Shop depends_on Vault")
    found = read(graph, text)
    assert (found.claims[0].verdict, found.verdict) == ("supported", "unknown")


def test_claims_beyond_the_limit_are_counted_and_not_checked(graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    relate(graph, "Shop depends_on Vault", "Shop depends_on Till")
    text = "Shop depends on Vault and Till."
    found: list[tuple[int, int, str]] = []
    for most in (2, 1):
        monkeypatch.setattr(parse_claims, "MAX_CLAIMS", most)
        one = read(graph, text)
        found.append((len(one.claims), one.more, one.verdict))
    assert found == [(2, 0, "supported"), (1, 1, "unknown")]


def test_a_claim_without_a_predicate_is_refused(graph: Graph) -> None:
    relate(graph, "Shop depends_on Vault")
    with graph.reading() as snapshot, pytest.raises(BadInput, match="no predicate"):
        check_claim(snapshot, Claim("Shop", "-", "Vault"))
