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
