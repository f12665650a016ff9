"""What records of decisions and meetings, and tables of old and new names, say by their layout."""

import pytest

from mcp_graphrag.extract import LiteExtractor
from mcp_graphrag.ingest.chunker import chunk_document
from mcp_graphrag.ingest.readers import read_text


def stated(text: str) -> list[tuple[str, str, str]]:
    """The triples of a Markdown text."""
    document = read_text(text, uri="memory://record", title="", media_type="text/markdown")
    found = LiteExtractor().extract(document, chunk_document(document))
    return [(one.subject, one.predicate, one.object) for extraction in found for one in extraction.triples]


@pytest.mark.parametrize(
    "line",
    [
        'Considered option: "Lane Queue"',
        'Chosen option: "Lane Queue" (to be confirmed)',
        'Chosen option: "Lane Queue"?',
        'Chosen option: "to wait until all of the other teams have had a look at it"',
        "Chosen option: none",
    ],
)
def test_an_option_that_is_not_chosen_states_nothing(line: str) -> None:
    assert stated(f"# 12. Transport of parcels\n\n{line}\n") == []


@pytest.mark.parametrize(
    "title",
    [
        "Weekly, 23 May 2026",
        "Lane council, plan of 2026-05-23",
        "Outage of 2026-05-23, meeting",
        "Lane meetings 2026-05-23 and 2026-05-30",
    ],
)
def test_other_days_in_titles_are_not_those_of_a_meeting(title: str) -> None:
    assert all(predicate != "occurred_on" for _, predicate, _ in stated(f"# {title}\n\n## Present\n\n- Mary Lee\n"))


def test_a_table_gives_new_names() -> None:
    rows = "| --- | --- |\n| `LANE_WIDTH` | `lane_width` |\n"

    assert stated(f"# Lanes\n\n| Setting name | Replace with |\n{rows}") == [("lane_width", "replaces", "LANE_WIDTH")]
    assert stated(f"# Lanes\n\n| Old name | New name |\n{rows}") == [("LANE_WIDTH", "renamed_to", "lane_width")]
    assert stated(f"# Lanes\n\n| Setting name | Compare with |\n{rows}") == []
