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


@pytest.mark.parametrize(
    ("label", "id_"), [("See also", "LANE-212"), ("Duplicate of", "LANE-212"), ("Incident", "one of many")]
)
def test_the_id_of_something_else_is_not_what_the_rows_are_about(label: str, id_: str) -> None:
    assert all(subject != "LANE-212" for subject, _, _ in stated(TABLE.format(label=label, id=id_)))


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
