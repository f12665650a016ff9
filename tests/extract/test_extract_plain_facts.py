"""Plain statements of memos, handbooks and service catalogues."""

import pytest
from extract_helpers import extract, triples

from mcp_graphrag.extract.english.unasserted.headings import is_of_past


@pytest.mark.parametrize(
    ("text", "triple"),
    [
        ("The Fern Portal is owned by the Web team.", ("Fern Portal", "owned_by", "Web")),
        ("The Fern team and the Moss team report to Ann Lee.", ("Moss", "reports_to", "Ann Lee")),
        ("The Fern team was dissolved on 30 June 2026.", ("Fern", "dissolved_on", "30 June 2026")),
        ("fern-old-03 was decommissioned in June 2026.", ("fern-old-03", "retired_on", "June 2026")),
        ("ADR-12 was accepted on 3 March 2024.", ("ADR-12", "accepted_on", "3 March 2024")),
        (
            "Ann Lee is the chief technology officer of Halden Freight.",
            ("Halden Freight", "chief_technology_officer", "Ann Lee"),
        ),
        ("Ann Lee is the finance director of Acme Ltd.", ("Acme Ltd", "finance_director", "Ann Lee")),
        ("Halden Freight has appointed Ann Lee as its chief executive.", ("Halden Freight", "ceo", "Ann Lee")),
        ("Ann Lee was appointed by Halden Freight as its chief executive.", ("Halden Freight", "ceo", "Ann Lee")),
        ("Ann Lee took over as head of Moss from Bo Stone in 2024.", ("Moss", "headed_by", "Ann Lee")),
        ("Halden Freight is based in Oslo. The company was founded in 1952.", ("Halden Freight", "founded_on", "1952")),
        (
            "The Fern Monitor depends on the Moss Gateway, so you would see it.",
            ("Fern Monitor", "depends_on", "Moss Gateway"),
        ),
        ("The Fern API is owned by the Moss team and it is written in Go.", ("Fern API", "written_in", "Go")),
        ("We moved the Fern Gateway from Kubernetes to Nomad in August 2026.", ("Fern Gateway", "moved_to", "Nomad")),
        ("fern-db-02 is a replica of fern-db-01.", ("fern-db-02", "replica_of", "fern-db-01")),
        ("The Merrow Canal is a canal in northern Varland.", ("Merrow Canal", "located_in", "Varland")),
    ],
)
def test_a_plain_statement_is_read(text: str, triple: tuple[str, str, str]) -> None:
    assert triple in triples(text)


@pytest.mark.parametrize(
    ("text", "predicate"),
    [
        ("The Fern team may report to Ann Lee.", "reports_to"),
        ("The Ledger Service reports to Prometheus.", "reports_to"),
        ("The Fern team will be dissolved on 30 June 2026.", "dissolved_on"),
        ("The Fern Exchange closed on 30 June 2026 at 100 points.", "closed_on"),
        ("ADR-12 was not accepted on 3 March 2024.", "accepted_on"),
        ("ADR-12 was scheduled on 3 March 2024.", "scheduled_on"),
        ("fern-lb-3 was set up in November 2024 by Ann Lee.", "founded_on"),
        ("fern-lb-3 was set up in November 2024 by Ann Lee.", "founded_by"),
        ("Ann Lee, Springer, New York, ISBN 978-0-387-75935-7.", "located_in"),
        ("Ann Lee is the deputy finance director of Acme Ltd.", "finance_director"),
        ("Ann Lee is the European chief executive of Acme Ltd.", "chief_executive"),
        ("Ann Lee appointed Bo Stone as her chief executive.", "ceo"),
        ("Halden Freight bought Moss Freight. The company was founded in 1952.", "founded_on"),
        ("If the Fern Monitor depends on the Moss Gateway, so you would see it.", "depends_on"),
        ("Fern bought Moss and it runs on Redis.", "runs_on"),
    ],
)
def test_what_only_looks_like_a_plain_statement_is_not(text: str, predicate: str) -> None:
    assert predicate not in {each.predicate for each in extract(text).triples if not each.metadata.get("past")}


def test_who_owned_it_before_a_date_is_kept_with_its_end() -> None:
    text = "The Fern API is owned by the Moss team. Until March 2026 it was owned by the Web team."
    (before,) = [each for each in extract(text).triples if each.object == "Web"]
    assert (before.subject, before.predicate) == ("Fern API", "owned_by")
    assert before.valid_to is not None
    assert (before.valid_to.year, before.valid_to.month) == (2026, 3)


def test_ownership_that_moves_is_that_of_both_in_their_time() -> None:
    found = extract("Ownership of the Fern Service moved from Payments to Platform in May 2024.").triples
    assert [(each.predicate, each.object) for each in found] == [("owned_by", "Payments"), ("owned_by", "Platform")]
    assert found[0].valid_to is not None
    assert found[0].valid_to == found[1].valid_from


@pytest.mark.parametrize(("heading", "past"), [("Fern Archive", False), ("Archive", True), ("Archived services", True)])
def test_a_thing_may_be_called_an_archive(heading: str, *, past: bool) -> None:
    assert is_of_past([heading]) == past


def test_a_kind_is_read_also_where_its_name_does_not_open_the_sentence() -> None:
    assert triples("In brief, MossMQ is a message broker.") == [("MossMQ", "is_a", "message broker")]
