"""Different things with close names: what asserts takes none for the other."""

from collections.abc import Callable

import pytest

from mcp_graphrag.edit.edit_entities import EntityUpdate
from mcp_graphrag.edit.remove import Removal
from mcp_graphrag.errors import GraphragError, UnknownName
from mcp_graphrag.graph import Graph
from mcp_graphrag.lookup.query_triples import TripleQuery
from mcp_graphrag.model import Candidate
from mcp_graphrag.outcomes.outcome_names import Outcome
from mcp_graphrag.reason.check_claim import Claim
from mcp_graphrag.reason.find_paths import PathQuery
from mcp_graphrag.reason.parse_claims import CheckedText
from mcp_graphrag.reason.plan_question import Plan

PAIRS = [
    ("Grade A-", "Grade A"),
    ("Blood Group O+", "Blood Group O-"),
    ("-40 °C", "40 °C"),
    ("50% Discount", "50 Discount"),
    ("$100 Fee", "€100 Fee"),
    ("10 MW Plant", "10 mW Plant"),
    ("100 Mb Link", "100 MB Link"),
    ("Kernel 6.1-rc1", "Kernel 6.1-rc2"),
    ("Release 1.10", "Release 1.1"),
    ("Release 5.0", "Release 50"),
    ("HTTP/3", "HTTP 3.0"),
    ("10.0.0.1", "10.0.0.11"),
    ("db-01.prod", "db-01.stage"),
    ("invoice_2021.pdf", "invoice_2022.pdf"),
    ("ISO 9001:2008", "ISO 9001:2015"),
    ("ops@harbour.org", "dev@harbour.org"),
    ("https://harbour.org/a", "https://harbour.org/b"),
    ("src/main.py", "src/main.pyi"),
    ("getUser()", "getUsers()"),
    ("C", "C++"),
    ("F#", "F"),
    ("B♭ Minor", "B Minor"),
    ("Opus 27 No. 1", "Opus 27 No. 2"),
    ("Type I Error", "Type II Error"),
    ("Elizabeth I", "Elizabeth II"),
    ("14 May 1961", "1961"),
    ("July 15, 1873", "July 15, 1973"),
    ("2010-2012", "2010-2021"),
    ("21st Century", "20th Century"),
    ("Route 66", "Route 6"),
    ("+1 555 0100", "+1 555 0101"),
    ("BRK.A", "BRK.B"),
    ("Iron(II) Oxide", "Iron(III) Oxide"),
    ("(+)-Limonene", "(-)-Limonene"),
    ("H2O", "H2O2"),
    ("Arteritis", "Arthritis"),
    ("Paris", "Paris Hilton"),
    ("Cambridge", "Cambridge, Massachusetts"),
    ("Bank of America", "Bank of Americas"),
    ("Guinea", "Guinea-Bissau"),
    ("Left Bank", "Right Bank"),
    ("Primary Cluster", "Secondary Cluster"),
    ("Read Replica", "Write Replica"),
    ("Client Library", "Client Libraries Team"),
    ("Payment", "Payments"),
    ("Ann Lee", "Anne Lee"),
    ("John Smith Jr.", "John Smith Sr."),
    ("M. Curie", "P. Curie"),
    ("Bush", "George Bush"),
    ("The Doors", "The Door"),
    ("Frozen (2013 film)", "Frozen (2010 film)"),
    ("Figure 1a", "Figure 1b"),
    ("Section 3.1", "Section 31"),
    ("Team A", "Team B"),
    ("Tiffany & Co.", "Tiffany"),
    ("Sunset Limited", "Sunset"),
]


def test_the_pairs_are_of_different_names() -> None:
    names = [name for pair in PAIRS for name in pair]
    assert len(set(names)) == len(names)


@pytest.mark.slow
@pytest.mark.parametrize("stored_at", [0, 1])
def test_no_tool_that_asserts_takes_a_name_for_a_close_one(graph: Graph, stored_at: int) -> None:
    stored, asked = ([pair[at] for pair in PAIRS] for at in (stored_at, 1 - stored_at))
    graph.add_triples([Candidate(name, "uses", "Mains") for name in stored])
    graph.add_triples([Candidate("Kiosk", "depends_on", name) for name in stored])

    wrong = [
        f"{tool}: {name}"
        for at, name in enumerate(asked)
        for tool, ask in [*_reading(graph, name).items(), *_asking(graph, name, at)]
        if not _refuses(ask)
    ]

    assert wrong == []
    graph.add_triples([Candidate(name, "sells", "Tickets") for name in asked])
    sellers = graph.query_triples(TripleQuery(predicate="sells", limit=500)).triples
    assert {triple.subject for triple in sellers} == set(asked)


def _reading(graph: Graph, name: str) -> dict[str, Callable[[], object]]:
    """The calls that read the name in a sentence."""
    return {
        "sentence": lambda: graph.check_claim(f"{name} uses Mains."),
        "plan": lambda: graph.plan_question(f"What does {name} use?"),
    }


def _asking(graph: Graph, name: str, at: int) -> list[tuple[str, Callable[[], object]]]:
    """A claim and one of the other calls, in turn: they take the name as it stands, all in one way."""
    calls: dict[str, Callable[[], object]] = {
        "claim of object": lambda: graph.check_claim(Claim("Kiosk", "depends_on", name)),
        "impact": lambda: graph.trace_impact(name),
        "path": lambda: graph.find_paths(PathQuery(name, "Mains")),
        "triples": lambda: graph.query_triples(TripleQuery(subject=name)),
        "update": lambda: graph.update_entity(name, EntityUpdate(description="Changed.")),
        "remove": lambda: graph.remove(Removal(entity=name)),
        "remove triple": lambda: graph.remove(Removal(triple=(name, "uses", "Mains"))),
        "merge": lambda: graph.merge("Mains", name),
        "keep apart": lambda: graph.keep_apart("Mains", name),
        "history": lambda: graph.history(name),
    }
    claim = ("claim", lambda: graph.check_claim(Claim(name, "uses", "Mains")))
    return [claim, list(calls.items())[at % len(calls)]]


def _refuses(ask: Callable[[], object]) -> bool:
    try:
        found = ask()
    except UnknownName:
        return True
    except GraphragError:
        return False
    if isinstance(found, Plan):
        return not found.answer and not any(walk.answers for walk in found.walks)
    return isinstance(found, CheckedText) and found.verdict == "unknown"


def test_the_success_of_a_close_error_is_refused(graph: Graph) -> None:
    graph.record_outcome(Outcome(error="error:timeout-30", fix="retry", kind="fixed"))

    with pytest.raises(UnknownName, match="Nearest: error:timeout-30"):
        graph.record_outcome(Outcome(error="error:timeout-31", kind="success"))
