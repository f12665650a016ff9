"""What is struck out, quoted, labelled as unreal, corrected or called outdated is not asserted; what is near it is."""

from collections.abc import Sequence

import pytest
from reason_helpers import ingest_texts

from mcp_graphrag import TextInput
from mcp_graphrag.graph import Graph

SHOP = "Shop Service depends on Redis."
MAIL = "From: Ada Moss\nDate: 2026-08-21\nSubject: facts\n\n"
TREES = (
    *("Alder", "Aspen", "Beech", "Birch", "Cedar", "Cypress", "Ebony", "Elder", "Elm", "Fir", "Hawthorn", "Hazel"),
    *("Hemlock", "Hickory", "Holly", "Hornbeam", "Juniper", "Larch", "Laurel", "Linden", "Magnolia", "Mahogany"),
    *(
        "Maple",
        "Mulberry",
        "Myrtle",
        "Oak",
        "Olive",
        "Pine",
        "Plane",
        "Poplar",
        "Rowan",
        "Sequoia",
        "Spruce",
        "Sycamore",
    ),
    *("Teak", "Walnut", "Willow", "Yew"),
)


def verdicts(graph: Graph, texts: Sequence[str]) -> dict[str, str]:
    """The verdict on what each text says of the shop, when it says it of a service of its own."""
    told = list(zip(TREES, texts, strict=False))
    assert len(told) == len(texts)
    kinds = ("text/html" if text.startswith("<") else "text/markdown" for text in texts)
    ingest_texts(graph, [TextInput(text.replace("Shop", tree), "", media_type=next(kinds)) for tree, text in told])
    return {text: graph.check_claim(SHOP.replace("Shop", tree)).verdict for tree, text in told}


def test_what_is_struck_out_is_not_asserted(graph: Graph) -> None:
    texts = [
        f"<p>One service is new. <del>{SHOP}</del></p>",
        f"<ul><li><s>{SHOP}</s></ul>",
        f"<del><p>{SHOP}</p></del>",
        f"Kiosk Service uses Kafka. ~~{SHOP}~~",
        "Shop Service depends on ~~Redis~~ Kafka.",
        f"~~{SHOP}\nKiosk Service uses Kafka.~~",
    ]
    assert "supported" not in verdicts(graph, texts).values()


def test_what_stands_beside_struck_text_is_asserted(graph: Graph) -> None:
    texts = [
        f"<p>{SHOP} <del>Kiosk Service uses Kafka.</del></p>",
        "<p>Shop Service depends on <s>Kafka</s> Redis.</p>",
        f"{SHOP} ~~Kiosk Service uses Kafka.~~",
        "Shop Service depends on ~~Kafka~~ Redis.",
    ]
    assert verdicts(graph, texts) == dict.fromkeys(texts, "supported")


def test_a_document_that_is_called_outdated_asserts_nothing(graph: Graph) -> None:
    texts = [
        f"> **This page is obsolete.** See the new one.\n\n# Shop\n\n{SHOP}",
        f"<p><b>Deprecated.</b> This document is kept for historical reasons only.</p><h1>Shop</h1><p>{SHOP}</p>",
        f"# Shop\n\nThis guide is no longer maintained.\n\n## Parts\n\n{SHOP}",
        f"# Shop\n\nThis page describes the situation before the move.\n\n## Parts\n\n{SHOP}",
        f"# Shop (old)\n\n{SHOP}",
        f"# [Archived] Shop\n\n{SHOP}",
        f"# Shop\n\n## Parts (deprecated)\n\n{SHOP}",
        f"OUTDATED\n\n{SHOP}",
    ]
    assert verdicts(graph, texts) == dict.fromkeys(texts, "unknown")


def test_a_document_that_speaks_of_outdated_things_holds(graph: Graph) -> None:
    texts = [
        f"# Shop\n\n{SHOP} The old page is obsolete.",
        f"# Shop\n\nThis page replaces an outdated one.\n\n## Parts\n\n{SHOP}",
        f"# Shop\n\nThis report is archived at the library.\n\n{SHOP}",
        f"# Old Shop\n\n{SHOP}",
    ]
    assert verdicts(graph, texts) == dict.fromkeys(texts, "supported")


def test_what_a_mail_quotes_is_not_asserted(graph: Graph) -> None:
    texts = [
        f"{MAIL}Two things in your draft are wrong. Kiosk Service uses Kafka.\n\n> Hello\n> {SHOP}\n> Can you check?",
        f"{MAIL}Thanks!\n\n> {SHOP}",
        f"On Monday Ada Moss wrote:\n\n> {SHOP}\n\nI will look.",
    ]
    assert verdicts(graph, texts) == dict.fromkeys(texts, "unknown")


def test_what_a_mail_says_itself_and_notes_with_a_bar_are_asserted(graph: Graph) -> None:
    texts = [f"{MAIL}{SHOP}\n\n> Hello", f"# Guide\n\n> **Note:** {SHOP}"]
    assert verdicts(graph, texts) == dict.fromkeys(texts, "supported")


def test_what_a_label_a_remark_or_the_next_words_take_back_is_not_asserted(graph: Graph) -> None:
    texts = [
        f"TODO: {SHOP}",
        f"FIXME: {SHOP}",
        f"- [x] TODO: {SHOP}",
        f"**TODO:** {SHOP}",
        f"Wish: {SHOP}",
        f"Hypothesis: {SHOP}",
        f"Assumption: {SHOP}",
        f"Risk: {SHOP}",
        f"Risk 2: {SHOP}",
        f"Open question: {SHOP}",
        f"Acceptance criteria: {SHOP}",
        f"True or false? {SHOP}",
        f"Scenario: {SHOP}",
        f"Expected: {SHOP} Actual: Shop Service depends on Kafka.",
        f"Then: {SHOP} Now: Shop Service depends on Kafka.",
        f"Fake news: {SHOP}",
        f"April Fools! {SHOP}",
        f"Motion 3: {SHOP}",
        f"Motion 1: {SHOP} Rejected (1 to 2).",
        f"{SHOP} Rejected (1 to 2).",
        f"Resolution 7: {SHOP} Postponed.",
        f"Proposal by Ada Moss: {SHOP}",
        f"For its tests, {SHOP}",
        f"For local testing, {SHOP}",
        f"{SHOP} Oops, I meant Kafka.",
        f"{SHOP} EDIT: it's Kafka, sorry.",
        f"Correction: {SHOP} It should read Kafka.",
        f"{SHOP} This should read Kafka.",
        f"By mistake, {SHOP}",
        "Shop Service depends on Redis (no, Kafka).",
        "Shop Service depends on Redis (rumour).",
        "Shop Service depends on Redis (to be confirmed).",
        "Shop Service depends on Redis (I think).",
        f"{SHOP} Kiosk Service uses Kafka. Both wrong, I'm afraid.",
        f"{SHOP} Both of these are false.",
        f"Kiosk Service uses Kafka. {SHOP} Neither is true.",
    ]
    assert verdicts(graph, texts) == dict.fromkeys(texts, "unknown")


def test_other_labels_and_following_words_take_nothing_back(graph: Graph) -> None:
    texts = [
        f"Decision: {SHOP}",
        f"Note: {SHOP}",
        f"Context: {SHOP}",
        f"Actual: {SHOP}",
        f"TODO: Kiosk Service uses Kafka. Result: {SHOP}",
        f"{SHOP} It should be noted.",
        f"{SHOP} It should read the file first.",
        f"{SHOP} Both are old.",
        f"{SHOP} Both services are wrong for this.",
        f"Resolution: {SHOP}",
        f"Then: {SHOP}",
        f"{SHOP} Edit: the picture is new.",
        f"For testing Kiosk Service is used. {SHOP}",
        f"For years, {SHOP}",
        f"{SHOP} The motion was rejected.",
        "Shop Service depends on Redis (a database).",
        f"{SHOP} I mean it.",
        f"{SHOP} It should be True.",
        f"{SHOP} To read more, see below.",
        f"It returns true or false. {SHOP}",
        f"{SHOP} No changes are needed.",
        f"Is it true? {SHOP}",
        f"{SHOP} Sorry is the hardest word.",
        f"Kiosk Service uses Kafka. Oops, I meant RabbitMQ. {SHOP}",
        f"{SHOP} Rejected orders go elsewhere.",
    ]
    assert verdicts(graph, texts) == dict.fromkeys(texts, "supported")


NOVEL = (
    "The Salt Road is a novel by Ada Moss. It tells the story of Hugo Lask. Hugo Lask works for Reed Company."
    " Reed Company is owned by Rolf Zeller. Ada Moss was born in Vienna.\n\nRolf Brandt is married to Lara Brandt."
)


@pytest.mark.parametrize("claim", ["Hugo Lask works for Reed Company.", "Reed Company is owned by Rolf Zeller."])
def test_what_happens_in_a_story_that_is_told_is_not_asserted(graph: Graph, claim: str) -> None:
    graph.ingest_text(TextInput(NOVEL, title=""))
    assert graph.check_claim(claim).verdict == "unknown"


@pytest.mark.parametrize("claim", ["Ada Moss was born in Vienna.", "Rolf Brandt is married to Lara Brandt."])
def test_what_is_said_of_others_beside_a_story_is_asserted(graph: Graph, claim: str) -> None:
    graph.ingest_text(TextInput(NOVEL, title=""))
    assert graph.check_claim(claim).verdict == "supported"


def test_an_unread_claim_names_what_is_not_stored_and_not_the_verb(graph: Graph) -> None:
    graph.ingest_text(TextInput(SHOP, title=""))
    notes = graph.check_claim("Shop Service depends on the font server.").notes
    assert notes == ["Not read because of 'font server': Shop Service depends on the font server."]
