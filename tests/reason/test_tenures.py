"""What somebody led, edited or was for a time is not asserted of today, nor for another time than the text says."""

from datetime import datetime

import pytest

from mcp_graphrag import TextInput
from mcp_graphrag.graph import Graph
from mcp_graphrag.model import When

DIRECTS, DIRECTED = "Anna Berg directs the Halle Museum.", "Anna Berg directed the Halle Museum."
CHAIRS, CHAIRED = "Anna Berg chairs the Halle Fund.", "Anna Berg chaired the Halle Fund."
EDITS, EDITED = "Anna Berg edits the Halle Review.", "Anna Berg edited the Halle Review."
IS_CHIEF = "Anna Berg is the chief executive of Roth Group."
LEADS, OWNED = "Anna Berg leads Halle Motors.", "Halle Motors is owned by Roth Group."
RETIRES = "Max Roth retires on 31 December {}. "


def verdict(graph: Graph, text: str, claim: str, at: str = "") -> str:
    graph.ingest_text(TextInput(text, title=""))
    return graph.check_claim(claim, When(as_of=datetime.fromisoformat(at)) if at else When()).verdict


@pytest.mark.parametrize(
    ("text", "claim", "at"),
    [
        ("From 1978 to 1991 Anna Berg directed the Halle Museum.", DIRECTS, ""),
        ("From 1978 to 1991 Anna Berg directed the Halle Museum.", DIRECTS, "1970-01-01"),
        ("From 1978 to 1991 Anna Berg directed the Halle Museum.", DIRECTED, "1970-01-01"),
        ("Anna Berg directed the Halle Museum.", DIRECTS, ""),
        ("Anna Berg edited the Halle Review.", EDITS, ""),
        ("Anna Berg produced the Radio Hour for ten years.", "Anna Berg produces the Radio Hour.", ""),
        ("From 2001 Anna Berg chaired the Halle Fund, until she was replaced by Max Roth in 2009.", CHAIRS, ""),
        ("From 2001 Anna Berg chaired the Halle Fund.", CHAIRS, ""),
        ("Anna Berg edited the Halle Review from 1980 until her death.", EDITS, ""),
        ("From 2001 Anna Berg worked for Siemens.", "Anna Berg works for Siemens.", ""),
        ("Anna Berg became chief executive of Roth Group in 2010. She was succeeded by Tim Roe in 2014.", IS_CHIEF, ""),
        ("Anna Berg became chief executive of Roth Group in 2010. Tim Roe followed her.", IS_CHIEF, ""),
        ("Anna Berg became chief executive of Roth Group in 2010 and resigned in 2014.", IS_CHIEF, ""),
        ("Anna Berg became chief executive of Roth Group in 2010 and held the post until 2014.", IS_CHIEF, ""),
        ("Anna Berg became chief executive of Roth Group in 2010.", IS_CHIEF, ""),
        ("Anna Berg became chief executive of Roth Group in 2010. She succeeded Max Roth.", IS_CHIEF, ""),
        ("Anna Berg leads Halle Motors from Monday.", LEADS, ""),
        ("Anna Berg became chief executive of Roth Group in 2010.", IS_CHIEF, "2005-01-01"),
        ("Anna Berg became director of the Halle Museum in 1978; Max Roth followed her in 1991.", DIRECTS, ""),
        (f"{RETIRES.format(2098)}From that day Anna Berg leads Halle Motors.", LEADS, ""),
        (f"{RETIRES.format(2020)}From that day Anna Berg leads Halle Motors.", LEADS, "2015-01-01"),
        ("Starting Monday, Anna Berg leads Halle Motors.", LEADS, ""),
        ("As of Monday, Anna Berg leads Halle Motors.", LEADS, ""),
        ("Until then Halle Motors is owned by Roth Group.", OWNED, ""),
        ("Tern Group buys it in 2021. Until then Halle Motors is owned by Roth Group.", OWNED, ""),
    ],
)
def test_what_was_at_another_time_is_not_supported(graph: Graph, text: str, claim: str, at: str) -> None:
    assert verdict(graph, text, claim, at) != "supported"


@pytest.mark.parametrize(
    ("text", "claim", "at"),
    [
        ("From 1978 to 1991 Anna Berg directed the Halle Museum.", DIRECTS, "1980-01-01"),
        ("From 1978 to 1991 Anna Berg directed the Halle Museum.", DIRECTED, ""),
        ("Anna Berg directed the Halle Museum.", DIRECTED, ""),
        ("Anna Berg directs the Halle Museum.", DIRECTS, ""),
        ("Since 1980 Anna Berg has directed the Halle Museum.", DIRECTS, ""),
        ("Night Train was directed by Anna Berg.", "The director of Night Train is Anna Berg.", ""),
        ("Anna Berg edited the Halle Review.", EDITED, ""),
        ("From 2001 Anna Berg chaired the Halle Fund.", CHAIRED, ""),
        ("From 2001 Anna Berg leads the Halle Fund.", "Anna Berg leads the Halle Fund.", ""),
        ("Anna Berg has worked for Siemens since 2001.", "Anna Berg works for Siemens.", ""),
        ("Anna Berg became chief executive of Roth Group in 2010.", IS_CHIEF, "2010-06-01"),
        (
            "Anna Berg became chief executive of Roth Group in 2010. She was succeeded by Tim Roe in 2014.",
            IS_CHIEF,
            "2012-01-01",
        ),
        ("Anna Berg became chief executive of Roth Group in 2010. She succeeded Max Roth.", IS_CHIEF, "2010-06-01"),
        ("Max Roth resigned and Anna Berg became chief executive of Roth Group, replacing him.", IS_CHIEF, ""),
        (f"{RETIRES.format(2020)}From that day Anna Berg leads Halle Motors.", LEADS, ""),
        ("Tern Group buys it in 2091. Until then Halle Motors is owned by Roth Group.", OWNED, ""),
        ("Since that day Anna Berg leads Halle Motors.", LEADS, ""),
        ("The meeting of Monday is short and Anna Berg leads Halle Motors.", LEADS, ""),
        ("Starting in 2020, Anna Berg leads Halle Motors.", LEADS, ""),
    ],
)
def test_what_was_so_then_is_supported(graph: Graph, text: str, claim: str, at: str) -> None:
    assert verdict(graph, text, claim, at) == "supported"


@pytest.mark.parametrize(
    ("text", "claim"),
    [
        ("Halle Motors is led by Anna Berg (acting).", LEADS),
        ("Halle Motors is led by Anna Berg for the time being.", LEADS),
        ("Halle Motors is led by interim chief Anna Berg.", LEADS),
        ("Halle Motors is led by Anna Berg, who is acting head.", LEADS),
        *((f"Anna Berg is the {word} chief executive of Roth Group.", IS_CHIEF) for word in ("interim", "caretaker")),
        *((f"Anna Berg is the {word} chief executive of Roth Group.", IS_CHIEF) for word in ("incoming", "European")),
        ("Anna Berg is finance director of Halle Motors.", "Anna Berg directs Halle Motors."),
        ("Anna Berg is the technical director of Halle Motors.", "Anna Berg is the director of Halle Motors."),
        ("Anna Berg is the marketing manager of Halle Motors.", "Anna Berg manages Halle Motors."),
    ],
)
def test_an_interim_or_partial_office_is_not_the_office(graph: Graph, text: str, claim: str) -> None:
    assert verdict(graph, text, claim) == "unknown"


@pytest.mark.parametrize(
    ("text", "claim"),
    [
        ("Halle Motors is led by Anna Berg (Leeds).", LEADS),
        ("Halle Motors is led by Anna Berg, who is head of research.", LEADS),
        ("Anna Berg is the new chief executive of Roth Group.", IS_CHIEF),
        ("Anna Berg is the owner and director of Halle Motors.", "Anna Berg is the director of Halle Motors."),
        ("Anna Berg is the museum director of the Halle Museum.", "Anna Berg directs the Halle Museum."),
        ("Anna Berg is the general manager of Halle Motors.", "Anna Berg is the general manager of Halle Motors."),
    ],
)
def test_an_office_is_read_with_plain_words_in_front(graph: Graph, text: str, claim: str) -> None:
    assert verdict(graph, text, claim) == "supported"
