"""Labels about what has an id of its own in the same section, and labels that give a person with a role."""

import pytest

from mcp_graphrag.extract import LiteExtractor
from mcp_graphrag.ingest.chunker import chunk_document
from mcp_graphrag.ingest.readers import read_text


def stated(text: str) -> list[tuple[str, str, str]]:
    """The triples of a Markdown text."""
    document = read_text(text, uri="memory://report", title="", media_type="text/markdown")
    found = LiteExtractor().extract(document, chunk_document(document))
    return [(one.subject, one.predicate, one.object) for extraction in found for one in extraction.triples]


TABLE = """# Incident report: parcels sorted twice

| Field | Value |
|---|---|
| {label} | {id} |
| Severity | 1 |
| Incident commander | Mary Lee |
| Affected services | sorter-api, label-printer |
"""


@pytest.mark.parametrize("label", ["Incident", "Incident ID", "Ticket", "ID"])
def test_the_rows_beside_an_id_are_about_it(label: str) -> None:
    found = stated(TABLE.format(label=label, id="LANE-212"))

    assert {subject for subject, _, _ in found} == {"LANE-212"}
    assert {("has_severity", "1"), ("incident_commander", "Mary Lee")} <= {one[1:] for one in found}


def test_an_incident_affects_its_services() -> None:
    found = stated(TABLE.format(label="Incident ID", id="LANE-212"))

    assert ("LANE-212", "affects", "sorter-api") in found
    assert ("LANE-212", "affects", "label-printer") in found


@pytest.mark.parametrize(
    ("label", "id_"), [("See also", "LANE-212"), ("Duplicate of", "LANE-212"), ("Incident", "one of many")]
)
def test_the_id_of_something_else_is_not_what_the_rows_are_about(label: str, id_: str) -> None:
    assert all(subject != "LANE-212" for subject, _, _ in stated(TABLE.format(label=label, id=id_)))


def test_the_labels_of_another_section_are_not_about_the_id() -> None:
    text = "# Review\n\n- **Incident ID:** LANE-212\n- **Severity:** SEV-2\n\n## mail-api\n\n- Owner: Platform Team\n"

    assert stated(text) == [("LANE-212", "has_severity", "SEV-2"), ("mail-api", "owned_by", "Platform Team")]


@pytest.mark.parametrize("label", ["**From:**", "Prepared by:", "Sponsor:", "- Project lead:"])
def test_a_label_may_give_a_person_with_a_role(label: str) -> None:
    assert ("Mary Lee", "has_role", "Chief Technology Officer") in stated(
        f"{label} Mary Lee, Chief Technology Officer\n"
    )


@pytest.mark.parametrize(
    "line",
    [
        "Note: Mary Lee, Chief Technology Officer",
        "From: Mary Lee, former Chief Technology Officer",
        "To: Mary Lee, Bob Stone",
    ],
)
def test_other_labels_and_past_roles_give_none(line: str) -> None:
    assert all(predicate != "has_role" for _, predicate, _ in stated(f"{line}\n"))
