"""What lines state by their layout: labels and what they are about, attendance, members and turns."""

import pytest
from extract_helpers import extract, stated, triples


def test_labels_are_about_the_line_that_they_stand_under() -> None:
    text = "# Teams\n\nKafka migration\n  Lead: Ana Silva\n\nfx-api\nOwner: Ana Silva\n"

    assert stated(text) == [("Kafka migration", "led_by", "Ana Silva"), ("fx-api", "owned_by", "Ana Silva")]


@pytest.mark.parametrize(
    "text",
    [
        "# ledger-core\n\n1. Open points\n   - Owner: Ana Silva\n",  # under an item that is no name
        "# Notes\n\nPresent: Ana Silva, Tom Brandt\n",  # a document without a title of its own
        "Present: Ana Silva, Tom Brandt\n\nWe talked about the budget.\n",  # nor by its first line
        "# mail-api\n\n- **Status:** TBD\n- Priority: we do not know yet\n",
        "# Overview\n\n- Uses Redis\n",
        "Ideas:\n- Ana Silva to migrate `mail-api`\n",
    ],
)
def test_lines_that_are_about_nothing_state_nothing(text: str) -> None:
    assert stated(text) == []


def test_the_type_of_values_is_no_entity() -> None:
    assert stated("# Options\n\n## `save-exact`\n\n* Default: false\n* Type: Boolean\n") == [
        ("save-exact", "has_default", "false")
    ]


@pytest.mark.parametrize("value", ["none", "none yet", "TBD", "n/a", "-", "To be decided", "not yet assigned", "N/A"])
def test_a_placeholder_is_no_end_of_a_triple(value: str) -> None:
    table = f"| Service | Owner |\n|---|---|\n| mail-api | {value} |\n"

    assert stated(f"# mail-api\n\nOwner: {value}\n\n{table}") == []


def test_a_list_below_the_heading_present_is_attendance() -> None:
    text = "# Steering call, May\n\n## Present\n\n* Ana Silva @ana (TSC)\n* Tom Brandt\n\n## Minutes\n\n* Lena Vogel\n"

    assert stated(text) == [
        ("Steering call, May", "attended_by", "Ana Silva"),
        ("Steering call, May", "attended_by", "Tom Brandt"),
    ]


def test_a_caption_names_the_owner_of_the_columns_below() -> None:
    text = (
        "# Tables\n\nTable 3. `order_lines` Columns\n\nColumn Type Description\n\n"
        "`line_id` `int4` Number of the line\n\n"
        "`item_ref` `oid` (references [`stock_items`](stock.html) . `oid` ) What was sold\n\n"
        "The end. `other` is none.\n"
    )

    assert stated(text) == [
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


@pytest.mark.parametrize(
    "text",
    [
        "# Code of conduct\n\n## Committee\n\nChair: Priya Nair\n",
        "# Governance and Risk\n\nChaired by: Priya Nair\n",
        "# Charter 2026\n\nChair: Priya Nair\n",
        "# Office plants\n\nAttendees:\n\n- Ada Lund\n",
    ],
)
def test_a_document_that_is_no_meeting_has_no_chair_and_no_attendees(text: str) -> None:
    assert stated(text) == []


def test_a_meeting_shows_by_its_noun_or_date_also_in_a_heading_and_a_body_has_a_chair() -> None:
    text = "# Board\n\n## Board, 3 May 2026\n\nChair: Priya Nair\n\n## Board, 4 June 2026\n\nChair: Tom Stone\n"

    assert stated("# Site meeting\n\nApologies: Ada Lund\n") == [("Site meeting", "missed_by", "Ada Lund")]
    assert stated("# Code\n\n## Audit Committee\n\nChair: Ada Lund\n") == [
        ("Audit Committee", "chaired_by", "Ada Lund")
    ]
    assert stated(text) == [
        ("Board, 3 May 2026", "chaired_by", "Priya Nair"),
        ("Board, 4 June 2026", "chaired_by", "Tom Stone"),
    ]
