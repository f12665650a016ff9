"""What is struck out, quoted, labelled as unreal, corrected or called outdated is not asserted; what is near it is."""

import pytest

from mcp_graphrag import TextInput
from mcp_graphrag.graph import Graph

SHOP = "Shop Service depends on Redis."
MAIL = "From: Ada Moss\nDate: 2026-08-21\nSubject: facts\n\n"


def verdict(graph: Graph, text: str, claim: str = SHOP) -> str:
    graph.ingest_text(TextInput(text, title="", media_type="text/html" if text.startswith("<") else "text/markdown"))
    return graph.check_claim(claim).verdict


@pytest.mark.parametrize(
    "text",
    [
        f"<p>One service is new. <del>{SHOP}</del></p>",
        f"<ul><li><s>{SHOP}</s></ul>",
        f"<del><p>{SHOP}</p></del>",
        f"Kiosk Service uses Kafka. ~~{SHOP}~~",
        "Shop Service depends on ~~Redis~~ Kafka.",
        f"~~{SHOP}\nKiosk Service uses Kafka.~~",
    ],
)
def test_what_is_struck_out_is_not_asserted(graph: Graph, text: str) -> None:
    assert verdict(graph, text) != "supported"


@pytest.mark.parametrize(
    "text",
    [
        f"<p>{SHOP} <del>Kiosk Service uses Kafka.</del></p>",
        "<p>Shop Service depends on <s>Kafka</s> Redis.</p>",
        f"{SHOP} ~~Kiosk Service uses Kafka.~~",
        "Shop Service depends on ~~Kafka~~ Redis.",
    ],
)
def test_what_stands_beside_struck_text_is_asserted(graph: Graph, text: str) -> None:
    assert verdict(graph, text) == "supported"


@pytest.mark.parametrize(
    "text",
    [
        f"> **This page is obsolete.** See the new one.\n\n# Shop\n\n{SHOP}",
        f"<p><b>Deprecated.</b> This document is kept for historical reasons only.</p><h1>Shop</h1><p>{SHOP}</p>",
        f"# Shop\n\nThis guide is no longer maintained.\n\n## Parts\n\n{SHOP}",
        f"# Shop\n\nThis page describes the situation before the move.\n\n## Parts\n\n{SHOP}",
        f"# Shop (old)\n\n{SHOP}",
        f"# [Archived] Shop\n\n{SHOP}",
        f"# Shop\n\n## Parts (deprecated)\n\n{SHOP}",
        f"OUTDATED\n\n{SHOP}",
    ],
)
def test_a_document_that_is_called_outdated_asserts_nothing(graph: Graph, text: str) -> None:
    assert verdict(graph, text) == "unknown"


@pytest.mark.parametrize(
    "text",
    [
        f"# Shop\n\n{SHOP} The old page is obsolete.",
        f"# Shop\n\nThis page replaces an outdated one.\n\n## Parts\n\n{SHOP}",
        f"# Shop\n\nThis report is archived at the library.\n\n{SHOP}",
        f"# Old Shop\n\n{SHOP}",
    ],
)
def test_a_document_that_speaks_of_outdated_things_holds(graph: Graph, text: str) -> None:
    assert verdict(graph, text) == "supported"


@pytest.mark.parametrize(
    "text",
    [
        f"{MAIL}Two things in your draft are wrong. Kiosk Service uses Kafka.\n\n> Hello\n> {SHOP}\n> Can you check?",
        f"{MAIL}Thanks!\n\n> {SHOP}",
        f"On Monday Ada Moss wrote:\n\n> {SHOP}\n\nI will look.",
    ],
)
def test_what_a_mail_quotes_is_not_asserted(graph: Graph, text: str) -> None:
    assert verdict(graph, text) == "unknown"


@pytest.mark.parametrize("text", [f"{MAIL}{SHOP}\n\n> Hello", f"# Guide\n\n> **Note:** {SHOP}"])
def test_what_a_mail_says_itself_and_notes_with_a_bar_are_asserted(graph: Graph, text: str) -> None:
    assert verdict(graph, text) == "supported"
