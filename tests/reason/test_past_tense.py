"""What is only said in the past tense is asserted by no tool, and told by each; age alone ends nothing."""

from datetime import timedelta

import pytest

from mcp_graphrag import TextInput
from mcp_graphrag.edit.remove import Removal
from mcp_graphrag.english.dates import document_date
from mcp_graphrag.graph import Graph
from mcp_graphrag.ingest.readers import read_text
from mcp_graphrag.lookup.query_triples import TripleQuery
from mcp_graphrag.model import Candidate, When
from mcp_graphrag.reason.find_paths import PathQuery
from mcp_graphrag.reason.plan_question import Plan
from mcp_graphrag.store.engine.transaction import now
from mcp_graphrag.store.rows.triple_rows import predicates

LONG_AGO = now() - timedelta(days=700)
LATELY = now() - timedelta(days=30)
PAST = "The Berth Service was owned by Storage. The Berth Service depended on MySQL."
DATED = "---\ndate: {}\n---\n\nThe Berth Service depends on MySQL. The Berth Service is owned by Storage.\n"


def told(text: str, tmp: Graph) -> None:
    tmp.ingest_text(TextInput(text, title="Note", media_type="text/markdown"))


def possible(plan: Plan) -> list[str]:
    return [one.entity.name for walk in plan.possible for one in walk.answers]


def test_what_may_be_over_is_asserted_by_no_tool(graph: Graph) -> None:
    told(PAST, graph)

    owner = graph.plan_question("Who owns the Berth Service?")
    impact = graph.trace_impact("MySQL")
    (path,) = graph.find_paths(PathQuery("Berth Service", "Storage")).paths

    assert graph.check_claim("The Berth Service is owned by Storage.").verdict == "unknown"
    assert graph.check_claim("The Berth Service depends on MySQL.").verdict == "unknown"
    assert (owner.answer, possible(owner)) == ([], ["Storage"])
    assert "said in the past tense" in " ".join(owner.missing)
    assert (impact.total, [triple.subject for triple in impact.over]) == (0, ["Berth Service"])
    assert path.is_over
    assert not graph.find_paths(PathQuery("Berth Service", "Storage"), When(as_of=now())).paths
    assert not graph.query_triples(TripleQuery(predicate="owned_by", infer=False), When(as_of=now())).triples


def test_a_document_of_late_and_a_second_source_assert(graph: Graph) -> None:
    told(PAST, graph)
    told(DATED.format(f"{LATELY:%Y-%m-%d}"), graph)

    assert graph.check_claim("The Berth Service is owned by Storage.").verdict == "supported"
    assert graph.plan_question("Who owns the Berth Service?").answer == ["Storage"]
    assert graph.trace_impact("MySQL").total == 1


def test_what_an_old_document_says_of_its_present_is_asserted_with_its_date(graph: Graph) -> None:
    told(DATED.format(f"{LONG_AGO:%Y-%m-%d}"), graph)

    checked = graph.check_claim("The Berth Service is owned by Storage.")

    assert checked.verdict == "supported"
    assert {(f"{one.date:%Y-%m-%d}", one.dated_by) for one in checked.passages} == {(f"{LONG_AGO:%Y-%m-%d}", "text")}
    assert graph.trace_impact("MySQL").total == 1


def test_the_confirming_evidence_goes_with_its_document(graph: Graph) -> None:
    graph.ingest_text(TextInput(PAST, title="Old", uri="old.txt"))
    graph.ingest_text(TextInput("The Berth Service is owned by Storage.", title="New", uri="new.txt"))
    assert graph.plan_question("Who owns the Berth Service?").answer == ["Storage"]
    graph.remove(Removal(document="new.txt"))
    assert graph.plan_question("Who owns the Berth Service?").answer == []


@pytest.mark.parametrize("predicate", ["does_not_depend_on", "formerly_owned_by", "was owned by", "no longer uses"])
def test_denials_and_pasts_of_callers_are_no_connection_unless_asked_for(graph: Graph, predicate: str) -> None:
    graph.add_triples([Candidate("Shop", predicate, "Till")])
    with graph.reading() as snapshot:
        (stored,) = predicates(snapshot.tx)

    found = graph.find_paths(PathQuery("Shop", "Till"))

    assert (found.paths, found.denied) == ([], [stored])
    assert graph.find_paths(PathQuery("Shop", "Till", predicates=[stored])).paths


@pytest.mark.parametrize(
    ("head", "day"),
    [
        ("---\ndate: 2024-01-14\n---\n", "2024-01-14"),
        ("---\ndate: 2024-01-14\nupdated: 2024-03-01T10:00:00Z\n---\n", "2024-03-01"),
        ("---\nlast_reviewed: 3 May 2024\n---\n", "2024-05-03"),
        ("+++\ntitle = 'A'\ndate = 2024-01-14\n+++\n", "2024-01-14"),
        ("# Runbook\n\nDate: 2024-01-14\n", "2024-01-14"),
        ("# Runbook\n\n**Last updated:** January 14, 2024\n", "2024-01-14"),
        ("| Date | 2024-01-14 |\n", "2024-01-14"),
        ("# Runbook\n\nThe date: see 2024-01-14.\n", None),
        ("# Runbook\n\nDate: to be set\n", None),
    ],
)
def test_the_date_of_a_document_is_read_from_its_front_matter_or_its_top(head: str, day: str | None) -> None:
    document = read_text(f"{head}\nThe Shop uses the Till.\n", uri="a.md", media_type="text/markdown")
    date = document_date(document.metadata)
    assert (f"{date:%Y-%m-%d}" if date else None) == day
