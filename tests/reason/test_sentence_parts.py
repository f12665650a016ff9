"""What is read and what is not read of a sentence, compared whole."""

import pytest
from claim_helpers import read, relate

from mcp_graphrag.graph import Graph

PARTS: list[tuple[str, list[str], list[str]]] = [  # sentence, claims with the first letter of the verdict, unread names
    ("Amber frobs Vault and Shop frobs Crew.", ["Amber > Vault s", "Shop > Crew u"], []),
    ("Amber does not frob Vault.", ["not Amber > Vault c"], []),
    ("Amber no longer frobs Crew", ["not Amber > Crew c"], []),
    ("Amber also frobs Vault (Crew)", ["Amber > Vault s"], ["Crew"]),
    ("Amber frobs Vault, Crew and Shop.", ["Amber > Vault s", "Amber > Crew s", "Amber > Shop u"], []),
    ("Amber frobs Vault as Crew.", ["Amber > Vault s"], ["Crew"]),
    ("Amber frobs Vault, Ghost and Zed Mill in May.", ["Amber > Vault s"], ["Ghost", "Zed Mill"]),
    ("Amber -[frobs]-> Vault.", ["Amber > Vault s"], []),
    ("Vault frobs Amber, but frobs Crew", ["Vault > Amber u"], ["Crew"]),
    ("Shop is not a Microservice.", ["not Shop -[is_a]-> Microservice c"], []),
    ("Shop isn't the Component!", ["not Shop -[is_a]-> Component c"], []),
    ("Amber is a Microservice", ["Amber -[is_a]-> Microservice u"], []),
]


@pytest.mark.parametrize(("text", "claims", "names"), PARTS)
def test_each_claim_of_a_sentence_is_read_with_its_verdict_and_the_other_names_are_noted(
    graph: Graph, text: str, claims: list[str], names: list[str]
) -> None:
    relate(graph, "Amber frobs Vault", "Amber frobs Crew", "Shop uses Crew")
    found = read(graph, text)
    said = [f"{one.claim.in_words().replace('-[frobs]->', '>')} {one.verdict[0]}" for one in found.claims]
    notes = [f"Not read: {', '.join(names)}"] if names else []
    assert (said, found.unread, found.more, found.notes) == (claims, [], 0, notes)


def test_sentences_without_a_claim_are_unread_and_stand_in_their_order(graph: Graph) -> None:
    relate(graph, "Amber frobs Vault", "Amber frobs Crew")
    found = read(graph, "Amber frobs Vault. Vault babysits. Never. Amber frobs Crew.")
    assert [one.verdict for one in found.claims] == ["supported", "supported"]
    assert (found.unread, found.more, found.notes) == (["Vault babysits.", "Never."], 0, [])
