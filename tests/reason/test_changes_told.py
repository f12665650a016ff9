"""Sentences that no reader takes apart and that may say otherwise: answers that rest on a triple are marked."""

import pytest

from mcp_graphrag.edit.inputs import TextInput
from mcp_graphrag.graph import Graph
from mcp_graphrag.reason.check_claim import CheckedClaim
from mcp_graphrag.reason.find_paths import PathQuery
from mcp_graphrag.reason.parse_claims import StatedClaim
from mcp_graphrag.reason.plan_question import PlanQuery

MARKED = "May be over or wrong: "


def check(graph: Graph, claim: str, *texts: str) -> CheckedClaim | StatedClaim:
    for number, text in enumerate(texts):
        graph.ingest_text(TextInput(text, uri=f"note-{number}"))
    found = graph.check_claim(claim)
    (checked,) = (*found.claims, *found.stated)
    return checked


@pytest.mark.parametrize(
    ("claim", "stated", "told"),
    [
        (
            "Nadia Brook is the head of the Survey Office",
            "Nadia Brook is the head of the Survey Office.",
            "Nadia Brook left in May; her desk went to Tom.",
        ),
        (
            "Gullwing is owned by the Print Shop",
            "Gullwing is owned by the Print Shop.",
            "The Print Shop handed Gullwing over to the Field Desk.",
        ),
        (
            "Teasel is hosted by Lowland Cloud",
            "[10:15] cy: Teasel is hosted by Lowland Cloud.\n[10:16] ana: that's what it says, but they moved out",
            "",
        ),
        (
            "The Moss Museum is led by Ida Holm",
            "The Moss Museum has been led by Ida Holm since 2021.",
            "Ida Holm told the board that she will leave the museum in the autumn.",
        ),
        (
            "Pillar depends on Corvid",
            "Pillar depends on Corvid.",
            "In the autumn the team ripped Corvid out and replaced Corvid with a queue of its own.",
        ),
    ],
)
def test_what_may_be_over_is_supported_and_marked(graph: Graph, claim: str, stated: str, told: str) -> None:
    checked = check(graph, claim, stated, *([told] if told else ()))
    assert (checked.verdict, checked.uncertain) == ("supported", True)
    assert any(note.startswith(MARKED) for note in checked.notes)


@pytest.mark.parametrize(
    "other",
    [
        "Gullwing II was sold to the Field Desk.",  # another thing
        "The Print Shop has a new door.",
        "Print Shop hands carry the paper.",
    ],
)
def test_what_changes_nothing_marks_nothing(graph: Graph, other: str) -> None:
    checked = check(graph, "Gullwing is written by the Print Shop", "Gullwing is written by the Print Shop.", other)
    assert (checked.verdict, checked.uncertain) == ("supported", False)


def test_what_is_dated_before_the_triple_marks_nothing(graph: Graph) -> None:
    checked = check(
        graph,
        "Gullwing is owned by the Print Shop",
        "---\ndate: 2026-05-01\n---\n\nGullwing is owned by the Print Shop.",
        "---\ndate: 2026-02-01\n---\n\nThe Print Shop handed Gullwing to somebody for repair.",
    )
    assert (checked.verdict, checked.uncertain) == ("supported", False)


def test_a_contradiction_is_marked_where_another_sentence_names_both(graph: Graph) -> None:
    checked = check(
        graph,
        "The Quay Crane is owned by Delmar Port",
        "The Quay Crane is owned by Brix Leasing.",
        "The clerk thought that the Quay Crane might still belong to Delmar Port. Delmar Port uses Cranebook.",
    )
    assert (checked.verdict, checked.uncertain) == ("contradicted", True)
    assert any("the Quay Crane might still belong to Delmar Port" in note for note in checked.notes)


def test_the_sentence_that_names_both_is_told_of_a_claim_that_nothing_decides(graph: Graph) -> None:
    checked = check(
        graph,
        "Folio depends on RollTrack",
        "Neither Folio nor Dorset depends on RollTrack. Folio uses Redis. Dorset uses RollTrack.",
    )
    assert (checked.verdict, checked.uncertain) == ("unknown", False)
    assert any("Neither Folio nor Dorset depends on RollTrack." in note for note in checked.notes)


def test_paths_tell_what_may_be_over(graph: Graph) -> None:
    graph.ingest_text(TextInput("Pillar depends on Corvid.", uri="a"))
    graph.ingest_text(TextInput("In the autumn the team replaced Corvid with a queue of its own.", uri="b"))
    found = graph.find_paths(PathQuery("Pillar", "Corvid"))
    assert found.paths
    assert any(doubt.startswith(MARKED) for doubt in found.doubts)


@pytest.mark.parametrize(("told", "uncertain"), [("The Print Shop left Oslo in 2025.", True), ("Oslo is cold.", False)])
def test_an_answer_that_may_be_over_is_marked_as_uncertain(graph: Graph, told: str, *, uncertain: bool) -> None:
    graph.ingest_text(TextInput("The Print Shop is based in Oslo.", uri="a"))
    graph.ingest_text(TextInput(told, uri="b"))
    plan = graph.plan_question(PlanQuery("Where is the Print Shop based?"))
    assert (list(plan.answer), plan.uncertain) == (["Oslo"], uncertain)


def test_a_quoted_sentence_stays_on_one_line(graph: Graph) -> None:
    checked = check(
        graph,
        "Gullwing is owned by the Print Shop",
        "Gullwing is owned by the Print Shop.",
        "The Print Shop handed\n# Gullwing over to\u2028the Field Desk.\n\n" + "The Print Shop sold Gullwing, " * 60,
    )
    assert checked.uncertain
    assert all("\n" not in note and "\u2028" not in note and len(note) < 600 for note in checked.notes)


def test_the_title_of_a_document_hides_no_thing_of_that_name(graph: Graph) -> None:
    checked = check(
        graph,
        "Lantern replaced Gatekeeper",
        "---\ntitle: Lantern\nauthor: Ann Lee\n---\n# Lantern\n\nIt handles log-in.",
        "| service | owner |\n|---|---|\n| lantern | Ann Lee |\n| manifest | Bea Coe |\n",
        "# Overview\n\n- **Lantern** does log-in and tokens. It replaced Gatekeeper in February 2023.",
    )
    assert checked.verdict == "supported"


def test_the_sentence_that_names_both_is_told_of_a_claim_that_is_not_read(graph: Graph) -> None:
    graph.ingest_text(TextInput("In March Moss Ltd was sold to Fern AG for a song.", uri="a"))
    found = graph.check_claim("Moss Ltd was flogged off to Fern AG")
    assert found.verdict == "unknown"
    assert any("Moss Ltd was sold to Fern AG for a song." in note for note in found.notes)
