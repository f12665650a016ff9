"""Who wrote a document, and who reviewed it, by the words at its head."""

import pytest

from mcp_graphrag.extract import LiteExtractor
from mcp_graphrag.ingest.chunker import chunk_document
from mcp_graphrag.ingest.readers import read_text

TITLE = "Parking permits: what happened"
REST = "\n\n## Background\n\nPermits are issued by post.\n"
BOTH = [("authored_by", "Ann Lee"), ("reviewed_by", "Karoline Berg")]


def stated(text: str) -> list[tuple[str, str]]:
    """The predicates and objects of what a document says of itself."""
    document = read_text(text, uri="memory://report", title="", media_type="text/markdown")
    found = LiteExtractor().extract(document, chunk_document(document))
    triples = [triple for extraction in found for triple in extraction.triples]
    return [(one.predicate, one.object) for one in triples if one.subject == TITLE]


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        ("Written by Ann Lee.", [("authored_by", "Ann Lee")]),
        ("**Prepared by:** Ann Lee\n**Reviewed by:** Karoline Berg", BOTH),
        ("Borough of Graz. Written by Ann Lee, reviewed by Karoline Berg. Final.", BOTH),
        ("_Written by Dr Ann Lee (finance) and reviewed by Karoline Berg_", BOTH),
        ("Kept by Pernille Aas. Newest at the top.", [("maintained_by", "Pernille Aas")]),
        ("Written by: Ann Lee, water chemist", [("authored_by", "Ann Lee")]),
        ("Minutes taken by Ann Lee", [("authored_by", "Ann Lee")]),
        ("Graz depot – prepared by Ann Lee for the forum", [("authored_by", "Ann Lee")]),
    ],
)
def test_the_head_of_a_document_says_who_wrote_it(head: str, expected: list[tuple[str, str]]) -> None:
    assert stated(f"# {TITLE}\n\n{head}{REST}") == expected


@pytest.mark.parametrize(
    "head",
    [
        "The old form was written by Ann Lee.",
        "Prepared by Borough Council.",
        "Not written by Ann Lee.",
        "To be reviewed by Ann Lee.",
        "Written by Ann Lee's team.",
        "Graz is old. " * 60 + "\n\nWritten by Ann Lee.",
    ],
)
def test_other_words_name_no_author(head: str) -> None:
    assert stated(f"# {TITLE}\n\n{head}{REST}") == []


def test_a_document_without_a_title_has_no_author() -> None:
    assert stated("Written by Ann Lee.") == []
