"""What lines state by their layout: topics of labels, people, tasks, releases, members and lists with a lead-in."""

import pytest
from extract_helpers import extract, triples

from mcp_graphrag.extract import LiteExtractor
from mcp_graphrag.ingest.chunker import chunk_document
from mcp_graphrag.ingest.readers import read_text
from mcp_graphrag.model import Candidate


def _read(text: str, *, title: str = "") -> list[Candidate]:
    """The triples of a document in Markdown, whose quotes are in it."""
    document = read_text(text, uri="memory://a", title=title, media_type="text/markdown", metadata={})
    chunks = chunk_document(document, target_tokens=200, max_tokens=400)
    found = [triple for extraction in LiteExtractor().extract(document, chunks) for triple in extraction.triples]
    assert all((triple.quote or "-") in text for triple in found)
    return found


def _stated(text: str) -> list[tuple[str, str, str]]:
    return [(triple.subject, triple.predicate, triple.object) for triple in _read(text)]


def test_labels_are_about_the_line_that_they_stand_under() -> None:
    text = "# Teams\n\nKafka migration\n  Lead: Ana Silva\n\nfx-api\nOwner: Ana Silva\n"

    assert _stated(text) == [("Kafka migration", "led_by", "Ana Silva"), ("fx-api", "owned_by", "Ana Silva")]


def test_a_label_under_an_item_that_is_no_name_is_about_nothing() -> None:
    assert _stated("# ledger-core\n\n1. Open points\n   - Owner: Ana Silva\n") == []


def test_the_type_of_values_is_no_entity() -> None:
    assert _stated("# Options\n\n## `save-exact`\n\n* Default: false\n* Type: Boolean\n") == [
        ("save-exact", "has_default", "false")
    ]


@pytest.mark.parametrize("value", ["none", "none yet", "TBD", "n/a", "-", "To be decided", "not yet assigned", "N/A"])
def test_a_placeholder_is_no_end_of_a_triple(value: str) -> None:
    table = f"| Service | Owner |\n|---|---|\n| mail-api | {value} |\n"

    assert _stated(f"# mail-api\n\nOwner: {value}\n\n{table}") == []


def test_a_list_below_the_heading_present_is_attendance() -> None:
    text = "# Steering call, May\n\n## Present\n\n* Ana Silva @ana (TSC)\n* Tom Brandt\n\n## Minutes\n\n* Lena Vogel\n"

    assert [(triple.predicate, triple.object) for triple in _read(text)] == [
        ("attended_by", "Ana Silva"),
        ("attended_by", "Tom Brandt"),
    ]


def test_attendance_of_a_document_without_a_title_of_its_own_is_dropped() -> None:
    assert _stated("# Notes\n\nPresent: Ana Silva, Tom Brandt\n") == []


def test_a_bullet_outside_a_list_of_actions_is_no_task() -> None:
    assert triples("Ideas:\n- Ana Silva to migrate `mail-api`\n") == []


def test_a_caption_names_the_owner_of_the_columns_below() -> None:
    text = (
        "# Tables\n\nTable 3. `order_lines` Columns\n\nColumn Type Description\n\n"
        "`line_id` `int4` Number of the line\n\n"
        "`item_ref` `oid` (references [`stock_items`](stock.html) . `oid` ) What was sold\n\n"
        "The end. `other` is none.\n"
    )

    assert _stated(text) == [
        ("order_lines", "has_column", "line_id"),
        ("order_lines", "has_column", "item_ref"),
        ("item_ref", "references", "stock_items"),
    ]


def test_a_first_name_in_front_of_a_turn_is_the_full_name() -> None:
    text = "Ana Silva and Tom Brandt talk.\n\nAna: I moved to Berlin in May.\nTom: good\nAna: yes\nTom: ok\n"

    assert ("Ana Silva", "moved_to", "Berlin") in triples(text)


def test_labels_that_come_back_are_no_speakers() -> None:
    text = "mail-api\nLanguage: Rust\nOwner: Ana Silva\n\nfx-api\nLanguage: Go\nOwner: Tom Brandt\n"

    assert {mention.name for mention in extract(text).mentions if mention.type == "Person"} == {
        "Ana Silva",
        "Tom Brandt",
    }


def test_what_is_still_open_is_no_status() -> None:
    assert _stated("# mail-api\n\n- **Status:** TBD\n- Priority: we do not know yet\n") == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# Overview\n\n- Uses Redis\n", []),
        ("# Alerts\n\n- Uses PagerDuty\n- Alertmanager pages it\n", []),
        ("# Overview\n\n- SSO depends on Redis\n- It runs on Windows\n", [("SSO", "depends_on", "Redis")]),
    ],
)
def test_items_without_a_subject_or_with_it_are_about_the_heading(
    text: str, expected: list[tuple[str, str, str]]
) -> None:
    assert sorted(_stated(text)) == sorted(expected)
