"""Nothing is asserted under a heading that names a case, another world, a doubt or, in the present tense, a time."""

import pytest

from mcp_graphrag import TextInput
from mcp_graphrag.graph import Graph

SAID = "# Pumps\n\n## {}\n\nThe Valve Agent depends on Redis.\n"


def verdict(graph: Graph, text: str, claim: str) -> str:
    graph.ingest_text(TextInput(text, title="Pumps", media_type="text/markdown"))
    return graph.check_claim(claim).verdict


@pytest.mark.parametrize(
    "heading",
    [
        "If the Drum Hub fails",
        "3. Unless the Drum Hub answers",
        "In case of fire",
        "When the Drum Hub is down",
        "Without the Drum Hub",
        "In the test environment",
        "During an outage of the Drum Hub",
        "Until 2024",
        "After the merger",
        "Rumours",
        "Assumptions",
        "April Fools",
        "Unreleased",
        "Removed",
        "Retired in August",
        "What we believed",
        "Disaster recovery site",
    ],
)
def test_nothing_is_asserted_under_a_heading_that_limits_it(graph: Graph, heading: str) -> None:
    text = SAID.format(heading)
    assert verdict(graph, text, "The Valve Agent depends on Redis") == "unknown"
    assert graph.plan_question("What does the Valve Agent depend on?").answer == []
    assert graph.trace_impact("Redis").total == 0


@pytest.mark.parametrize(
    "heading",
    ["When to use it", "Before you begin", "Before installing", "In the production environment", "Since 2021"],
)
def test_other_headings_do_not_limit(graph: Graph, heading: str) -> None:
    assert verdict(graph, SAID.format(heading), "The Valve Agent depends on Redis") == "supported"


def test_what_was_done_in_a_time_stays(graph: Graph) -> None:
    text = "# Ada Moss\n\n## During the war\n\nAda Moss founded Blue Barn in 1942.\n"
    assert verdict(graph, text, "Ada Moss founded Blue Barn") == "supported"


def test_a_title_may_be_a_name(graph: Graph) -> None:
    text = "# Blue Rumours\n\nBlue Rumours is a film. Blue Rumours was directed by Ada Moss.\n"
    assert verdict(graph, text, "Blue Rumours was directed by Ada Moss") == "supported"


@pytest.mark.parametrize(
    ("title", "verdict_"),
    [
        ("Forbidden dependencies", "unknown"),
        ("Errors in the last edition", "unknown"),
        ("Candidates for chief executive", "unknown"),
        ("Dependencies of agents", "supported"),
        ("Drill Handbook", "supported"),
        ("Rumours", "supported"),
    ],
)
def test_a_title_in_lower_case_limits_its_document(graph: Graph, title: str, verdict_: str) -> None:
    text = f"# {title}\n\n| Service | Depends on |\n|---|---|\n| Valve Agent | Till Service |\n"
    assert verdict(graph, text, "The Valve Agent depends on the Till Service") == verdict_


LED_IN = (
    "# Agents\n\n{}\n\nMuch was written down.\n\nThe Valve Agent depends on Redis. The Valve Agent mails the shop.\n"
)
BEHIND = f"{LED_IN}\n## Others\n\nThe Pump Agent depends on Redis.\n\n# More\n\nThe Drum Hub depends on Redis.\n"


@pytest.mark.parametrize(
    "lead",
    [
        "The agents below no longer exist.",
        "The following agents were switched off in 2024.",
        "All agents in this section have been retired.",
        "In this drill we imagine a fictitious company.",
        "Last night I had a strange dream.",
        "True or false? Mark the false ones.",
        "Which of these statements are wrong?",
    ],
)
def test_a_sentence_may_limit_all_that_follows_in_its_section(graph: Graph, lead: str) -> None:
    assert verdict(graph, BEHIND.format(lead), "The Valve Agent depends on Redis") == "unknown"
    assert graph.check_claim("The Valve Agent mails the shop.").verdict == "unknown"
    assert graph.check_claim("The Pump Agent depends on Redis.").verdict == "unknown"
    assert graph.check_claim("The Drum Hub depends on Redis.").verdict == "supported"


@pytest.mark.parametrize(
    "lead", ["The agents below exist since 2024.", "The following agents are in use.", "We imagined a company in 2001."]
)
def test_other_sentences_do_not(graph: Graph, lead: str) -> None:
    assert verdict(graph, BEHIND.format(lead), "The Valve Agent depends on Redis") == "supported"
    assert graph.check_claim("The Valve Agent mails the shop.").verdict == "supported"
