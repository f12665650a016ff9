"""What one document states and another sentence denies or calls a wrong report, and conflicts that are none."""

import pytest

from mcp_graphrag.edit.inputs import TextInput
from mcp_graphrag.graph import Graph
from mcp_graphrag.reason.find_paths import PathQuery

BELL = "Her best known work, The Drowned Bell, stands in Lisbon."


def ingest(graph: Graph, *texts: str) -> None:
    for number, text in enumerate(texts):
        graph.ingest_text(TextInput(text, uri=f"note-{number}"))


@pytest.mark.parametrize(
    ("stated", "report", "claim"),
    [
        (
            BELL,
            "Our obituary wrongly said that The Drowned Bell stands in Lisbon.",
            "The Drowned Bell stands in Lisbon",
        ),
        (
            "Harrow Press is owned by Ida Brandt.",
            "It was wrongly reported that Harrow Press is owned by Ida Brandt.",
            "Harrow Press is owned by Ida Brandt",
        ),
    ],
)
def test_what_another_document_calls_wrongly_reported_is_not_supported(
    graph: Graph, stated: str, report: str, claim: str
) -> None:
    ingest(graph, stated)
    before = graph.check_claim(claim).verdict
    ingest(graph, stated, report)
    after = graph.check_claim(claim)

    assert (before, after.verdict) == ("supported", "unknown")
    assert any(report in note for each in after.claims for note in each.notes)


def test_a_question_is_not_answered_with_what_is_called_wrongly_reported(graph: Graph) -> None:
    ingest(graph, BELL, "Our obituary wrongly said that The Drowned Bell stands in Lisbon.")

    plan = graph.plan_question("Where does The Drowned Bell stand?")

    assert list(plan.answer) == []
    assert any("wrongly said" in missing for missing in plan.missing)


def test_a_wrong_report_of_something_else_takes_nothing_back(graph: Graph) -> None:
    ingest(graph, BELL, "Our obituary wrongly said that The Drowned Bell was founded by Ida Brandt.")

    assert graph.check_claim("The Drowned Bell stands in Lisbon").verdict == "supported"


def test_the_owner_of_another_kind_excludes_nothing(graph: Graph) -> None:
    ingest(graph, "Speaking of Basel, Quentin Ashe owns Harrow Press.")

    verdicts = [graph.check_claim(f"{owner} owns Harrow Press").verdict for owner in ("Basel", "Quentin Ashe")]

    assert verdicts == ["unknown", "supported"]


def test_a_line_that_says_when_and_by_whom_a_page_was_updated_dates_it(graph: Graph) -> None:
    ingest(graph, "# Shipping\n\n*Updated 1 June 2022 by Ida Brandt*\n\nThe Cargo Service uses Kafka.\n")

    impact = graph.trace_impact("Kafka")

    assert (impact.total, [triple.subject for triple in impact.lapsed]) == (0, ["Cargo Service"])


DEPENDS = "The Figo Service depends on the Gum Service."


@pytest.mark.parametrize(
    ("stated", "denial"),
    [
        (DEPENDS, "The Figo Service no longer depends on the Gum Service."),
        (DEPENDS, "Since 1 October 2026 the Figo Service does not depend on the Gum Service."),
        (DEPENDS, "The Figo Service doesn't depend on the Gum Service any more."),
        ("The Cake Service is hosted in Kiel.", "The Cake Service is not hosted in Kiel."),
        (
            "The chief executive of Oscar Foods is Odd Gran.",
            "Odd Gran is no longer the chief executive of Oscar Foods.",
        ),
        ("The Delta queue runs on RabbitMQ.", "The Delta queue does not run on RabbitMQ."),
    ],
)
def test_what_another_sentence_denies_is_disputed(graph: Graph, stated: str, denial: str) -> None:
    ingest(graph, stated, denial)
    checked = graph.check_claim(stated)
    assert checked.verdict == "unknown"
    assert any(one.disputed for one in (*checked.claims, *checked.stated))


@pytest.mark.parametrize(
    "other",
    [
        "The Figo Service does not depend on the Gum Service in staging.",
        "If the Figo Service did not depend on the Gum Service, it would be faster.",
        "Does the Figo Service not depend on the Gum Service?",
        "The Figo Service depends on the Gum Service, not on the Jade Service.",
        "The Figo Service does not only depend on the Gum Service.",
        "The Gum Service does not depend on the Figo Service.",
    ],
)
def test_what_denies_something_else_disputes_nothing(graph: Graph, other: str) -> None:
    ingest(graph, DEPENDS, other)
    assert graph.check_claim(DEPENDS).verdict == "supported"


def test_an_earlier_document_denies_nothing_of_a_later_one(graph: Graph) -> None:
    denial = "---\ndate: 2026-03-01\n---\nThe Figo Service does not depend on the Gum Service."
    graph.ingest_text(TextInput(denial, uri="earlier"))
    graph.ingest_text(TextInput(f"---\ndate: 2026-10-01\n---\n{DEPENDS}", uri="later"))
    assert graph.check_claim(DEPENDS).verdict == "supported"


def test_plans_paths_and_impact_tell_what_is_denied(graph: Graph) -> None:
    denial = "The Figo Service no longer depends on the Gum Service."
    ingest(graph, DEPENDS, denial)
    plan = graph.plan_question("What does the Figo Service depend on?")
    assert not plan.answer
    assert any(denial in missing for missing in plan.missing)
    assert denial in graph.trace_impact("Gum Service").doubts[0]
    assert denial in graph.find_paths(PathQuery("Figo Service", "Gum Service")).doubts[0]


@pytest.mark.parametrize(
    ("said", "event", "claim"),
    [
        ("Corn Hall is owned by Brell Ltd.", "Brell Ltd sold Corn Hall to Otto Krebs in July 2026.", ""),
        ("Magpie is owned by the Copy Room.", "The Copy Room transferred Magpie to the Media Unit.", ""),
        ("The Parish Archive is located in Oslo.", "The Parish Archive moved from Oslo to Bergen in June 2026.", ""),
        ("The Mail Room runs on Oxbow.", "The Mail Room was moved from Oxbow to Willow in June 2026.", ""),
        ("The head of the Parish Archive is Ann Rees.", "Ann Rees left the Parish Archive in May 2026.", ""),
        ("Scanbot depends on Heron.", "Scanbot no longer\ndepends on Heron.", ""),
        ("Lamp Store is owned by Anna Krebs.", "Lamp Store is not\nowned by Anna Krebs.", ""),
        ("Corn Hall is owned by Brell Ltd.", "Brell Ltd sold Corn Hall to Otto Krebs.", "Otto Krebs owns Corn Hall."),
    ],
)
def test_a_later_document_ends_what_an_earlier_one_says(graph: Graph, said: str, event: str, claim: str) -> None:
    graph.ingest_text(TextInput(said, uri="memo:1", metadata={"date": "2026-01-10"}))
    assert graph.check_claim(said).verdict == "supported"
    graph.ingest_text(TextInput(event, uri="memo:2", metadata={"date": "2026-09-02"}))
    assert graph.check_claim(claim or said).verdict == "unknown"


@pytest.mark.parametrize(
    ("said", "event"),
    [
        ("Corn Hall is owned by Brell Ltd.", "Corn Hall was acquired by Brell Ltd in July 2026."),
        ("Corn Hall is owned by Brell Ltd.", "Brell Ltd sold Moss Hall to Otto Krebs in July 2026."),
        ("The Parish Archive is located in Oslo.", "The Parish Archive moved from Bergen to Oslo in June 2026."),
        ("The head of the Parish Archive is Ann Rees.", "Ann Rees left the Moss Club in May 2026."),
    ],
)
def test_other_events_end_nothing(graph: Graph, said: str, event: str) -> None:
    graph.ingest_text(TextInput(said, uri="memo:1", metadata={"date": "2026-01-10"}))
    graph.ingest_text(TextInput(event, uri="memo:2", metadata={"date": "2026-09-02"}))
    assert graph.check_claim(said).verdict == "supported"


def test_an_event_of_before_ends_nothing(graph: Graph) -> None:
    graph.ingest_text(TextInput("Corn Hall is owned by Brell Ltd.", uri="memo:1", metadata={"date": "2026-09-02"}))
    sold = "Brell Ltd sold Corn Hall to Otto Krebs."
    graph.ingest_text(TextInput(sold, uri="memo:2", metadata={"date": "2026-01-10"}))
    assert graph.check_claim("Corn Hall is owned by Brell Ltd.").verdict == "supported"


def test_a_denial_in_a_talk_is_of_its_own_line(graph: Graph) -> None:
    graph.ingest_text(TextInput("Kiosk depends on Birch.", uri="memo:1"))
    talk = "sam: Prism depends on Alder.\njo: not any more\nsam: Kiosk depends on Birch.\n"
    graph.ingest_text(TextInput(talk, uri="memo:2"))
    assert graph.check_claim("Kiosk depends on Birch.").verdict == "supported"


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("The Till uses the Vault; it does not use the Ledger.", "supported"),
        ("The Till uses the Vault. The Kiosk is not the same as the Till, a service that uses the Vault.", "supported"),
        ("The Till uses the Vault. The Kiosk is not to be confused with the Till, which uses the Vault.", "supported"),
        ("The Till used the Vault, but it does not use the Vault any more.", "unknown"),
    ],
)
def test_a_negation_of_another_thing_denies_nothing_of_what_its_sentence_states(
    graph: Graph, text: str, verdict: str
) -> None:
    ingest(graph, "The Till uses the Vault.", text)

    assert graph.check_claim("The Till uses the Vault").verdict == verdict
