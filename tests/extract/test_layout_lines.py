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


@pytest.mark.parametrize(
    ("heading", "topic"),
    [
        ("Apache Module mod_rewrite", "mod_rewrite"),
        ("RewriteBase Directive", "RewriteBase"),
        ("AuthLDAPUrl Directive", "AuthLDAPUrl"),
        ("4.2. `order_lines` table", "order_lines"),
        ("A.3. mail_queue", "mail_queue"),
        ("Post-mortem INC-77: queue full", "INC-77"),
        ("`ledger-core`", "ledger-core"),
    ],
)
def test_the_topic_of_a_heading_is_its_identifier(heading: str, topic: str) -> None:
    assert _stated(f"# Manual\n\n## {heading}\n\nOwner: Ana Silva\n") == [(topic, "owned_by", "Ana Silva")]


def test_labels_are_about_the_line_that_they_stand_under() -> None:
    text = (
        "# Teams\n\nData Platform\n  Lead: Ana Silva\n  Members: Tom Brandt, Lena Vogel\n\nfx-api\nOwner: Ana Silva\n"
    )

    assert _stated(text) == [
        ("Data Platform", "led_by", "Ana Silva"),
        ("Tom Brandt", "member_of", "Data Platform"),
        ("Lena Vogel", "member_of", "Data Platform"),
        ("fx-api", "owned_by", "Ana Silva"),
    ]


def test_a_label_under_an_item_that_is_no_name_is_about_nothing() -> None:
    assert _stated("# ledger-core\n\n1. Open points\n   - Owner: Ana Silva\n") == []


def test_a_table_of_labels_and_values_is_about_its_heading() -> None:
    text = (
        "# Apache Module mod_rewrite\n\n| Description: | Rewrites requests |\n|---|---|\n| Status: | Base |\n"
        "| Source File: | mod_rewrite.c |\n| Module Identifier: | rewrite_module |\n"
    )

    assert _stated(text) == [
        ("mod_rewrite", "has_status", "Base"),
        ("mod_rewrite", "source_file", "mod_rewrite.c"),
        ("mod_rewrite", "module_identifier", "rewrite_module"),
    ]


def test_a_label_of_its_own_needs_one_certain_name_and_for_a_person_a_role() -> None:
    lines = "Incident lead: Ana Silva\nDocumentation: Tom Brandt\nSource: queue\nReason: disk full\nNote: mail_queue\n"

    assert _stated(f"# INC-77 Queue full\n\n{lines}") == [("INC-77", "incident_lead", "Ana Silva")]


def test_the_type_of_values_is_no_entity() -> None:
    assert _stated("# Options\n\n## `save-exact`\n\n* Default: false\n* Type: Boolean\n") == [
        ("save-exact", "has_default", "false")
    ]


@pytest.mark.parametrize("value", ["none", "none yet", "TBD", "n/a", "-", "To be decided", "not yet assigned", "N/A"])
def test_a_placeholder_is_no_end_of_a_triple(value: str) -> None:
    table = f"| Service | Owner |\n|---|---|\n| mail-api | {value} |\n"

    assert _stated(f"# mail-api\n\nOwner: {value}\n\n{table}") == []


def test_attendance_is_of_the_meeting_with_full_names() -> None:
    title = "# Platform weekly, 2 Sep 2025\n\n"
    text = f"{title}Present: Ana Silva (chair), Tom Brandt @tom\nAbsent: Lena\n\nLena Vogel left.\n"

    assert _stated(text)[:5] == [
        ("Platform weekly, 2 Sep 2025", "occurred_on", "2 Sep 2025"),
        ("Platform weekly, 2 Sep 2025", "attended_by", "Ana Silva"),
        ("Platform weekly, 2 Sep 2025", "chaired_by", "Ana Silva"),
        ("Platform weekly, 2 Sep 2025", "attended_by", "Tom Brandt"),
        ("Platform weekly, 2 Sep 2025", "missed_by", "Lena Vogel"),
    ]


def test_a_list_below_the_heading_present_is_attendance() -> None:
    text = "# Steering call, May\n\n## Present\n\n* Ana Silva @ana (TSC)\n* Tom Brandt\n\n## Minutes\n\n* Lena Vogel\n"

    assert [(triple.predicate, triple.object) for triple in _read(text)] == [
        ("attended_by", "Ana Silva"),
        ("attended_by", "Tom Brandt"),
    ]


def test_attendance_of_a_document_without_a_title_of_its_own_is_dropped() -> None:
    assert _stated("# Notes\n\nPresent: Ana Silva, Tom Brandt\n") == []


def test_a_document_has_a_date_and_a_service_has_none() -> None:
    assert _stated("# 12. Use NATS for internal events\n\nDate: 2024-11-05\n") == [
        ("12. Use NATS for internal events", "document_date", "2024-11-05")
    ]
    assert _stated("# mail-api\n\nDate: 2024-11-05\n") == []


def test_a_line_says_who_a_person_is() -> None:
    text = (
        "- Ana Silva: platform lead\n- **Tom Brandt** — network engineer, Edge team\n- Lena Vogel (former CTO)\n"
        "- Omar Haddad: on holiday\n- Grace Lee (VP of Engineering)\n"
    )

    assert triples(text) == [
        ("Ana Silva", "has_role", "platform lead"),
        ("Tom Brandt", "has_role", "network engineer"),
        ("Tom Brandt", "member_of", "Edge team"),
        ("Grace Lee", "has_role", "VP of Engineering"),
    ]


def test_action_items_have_an_assignee_and_a_due_date() -> None:
    text = (
        "Ana Silva and Tom Brandt were there.\n\nActions:\n- Ana to migrate `mail-api` by 3 May 2025\n"
        "- Tom → fix OPS-12, due 4 May 2025\n- [x] Ana: stop `old-api`\n- Tom: ask Sales about `mail-api`\n"
        "- maybe drop `old-api`\n"
    )

    found = extract(text).triples

    assert [(one.subject, one.predicate, one.object, one.metadata) for one in found] == [
        ("Ana Silva", "has_task_on", "mail-api", {"task": "migrate `mail-api` by 3 May 2025", "due": "3 May 2025"}),
        (
            "OPS-12",
            "assigned_to",
            "Tom Brandt",
            {"task": "fix OPS-12, due 4 May 2025", "due": "4 May 2025"},
        ),
        ("Ana Silva", "worked_on", "old-api", {"task": "stop `old-api`"}),
    ]


def test_a_bullet_outside_a_list_of_actions_is_no_task() -> None:
    assert triples("Ideas:\n- Ana Silva to migrate `mail-api`\n") == []


def test_a_table_of_actions_gives_tasks() -> None:
    table = (
        "| Action | Owner | Due |\n|---|---|---|\n| Alert on `mail-api` | Ana Silva | 2025-05-03 |\n"
        "| Stop `old-api` (done) | Ana Silva | |\n"
    )
    (found,) = extract(table).triples

    assert (found.subject, found.predicate, found.object) == ("Ana Silva", "has_task_on", "mail-api")
    assert found.metadata["due"] == "2025-05-03"


def test_releases_have_a_date_if_their_project_is_named() -> None:
    linked = "## [1.2.0](https://github.com/acme/mailer/compare/v1.1.0...v1.2.0) (2024-05-03)\n\n* faster\n"
    debian = (
        "mailer (1.2-1) unstable; urgency=low\n\n  * New.\n\n -- Ana Silva <a@b.org>  Thu, 22 Apr 2021 20:37:45 +0200\n"
    )

    assert triples(linked) == [
        ("mailer", "has_version", "mailer 1.2.0"),
        ("mailer 1.2.0", "released_on", "2024-05-03"),
    ]
    assert triples("What's New in Mailer 1.2.0\n(since 1.1)\nReleased on 2024-05-03\n") == [
        ("Mailer", "has_version", "Mailer 1.2.0"),
        ("Mailer 1.2.0", "released_on", "2024-05-03"),
    ]
    assert triples(debian) == [
        ("mailer", "has_version", "mailer 1.2-1"),
        ("mailer 1.2-1", "released_by", "Ana Silva"),
        ("mailer 1.2-1", "released_on", "22 Apr 2021"),
    ]
    assert triples("## [1.2.0] - 2024-05-03\n\n* faster\n") == []


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


def test_a_table_of_columns_is_about_the_identifier_of_its_heading() -> None:
    table = "| Column | Description |\n|---|---|\n| `line_id` | the number |\n"

    assert _stated(f"# Tables\n\n## `order_lines`\n\n{table}") == [("order_lines", "has_column", "line_id")]
    assert _stated(f"# Tables\n\n## Overview of columns\n\n{table}") == []


def test_a_list_of_names_completes_the_line_in_front_of_it() -> None:
    text = "The Data Team owns:\n\n- `mail-api`\n- `fx-api`\n\nThe Data Team liked:\n\n- the idea of it\n"
    found = extract(text).triples

    assert [(one.subject, one.predicate, one.object) for one in found] == [
        ("Data Team", "owns", "mail-api"),
        ("Data Team", "owns", "fx-api"),
    ]
    assert all(one.object in (one.quote or "") for one in found)


def test_the_time_in_front_of_an_entry_is_no_part_of_its_sentence() -> None:
    assert triples("# Timeline\n\n09:41 Lena Vogel deploys `envoy-edge`.\n") == [
        ("Lena Vogel", "deploys", "envoy-edge")
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


def test_what_a_heading_calls_a_directive_is_no_class() -> None:
    text = "# Manual\n\n## RewriteBase Directive\n\nModule: mod_rewrite\n\nThe `RewriteBase` directive sets it.\n"
    (found,) = _read(text)

    assert (found.subject, found.subject_type, found.object) == ("RewriteBase", None, "mod_rewrite")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "# 12. Use Kafka\n\n## Status\n\nAccepted\n\n## Context\n\nText.\n",
            ("12. Use Kafka", "has_status", "Accepted"),
        ),
        ("# INC-7: late mails\n\nSeverity: SEV2\n", ("INC-7", "has_severity", "SEV2")),
        ("# ADR 7: Move to Lisbon\n\nDeciders: Ana Silva\n", ("ADR 7: Move to Lisbon", "decided_by", "Ana Silva")),
    ],
)
def test_a_label_says_how_something_stands(text: str, expected: tuple[str, str, str]) -> None:
    assert expected in _stated(text)


def test_what_is_still_open_is_no_status() -> None:
    assert _stated("# mail-api\n\n- **Status:** TBD\n- Priority: we do not know yet\n") == []


def test_a_signature_says_where_its_person_works() -> None:
    mail = "Subject: Offices\n\nHi all,\n\nthe office closes.\n\n"

    assert _stated(f"{mail}Ana Silva\nPeople Operations\n") == [("Ana Silva", "affiliated_with", "People Operations")]
    assert _stated(f"{mail}Best regards,\nAna Silva\nHead of Finance\n") == [
        ("Ana Silva", "has_role", "Head of Finance")
    ]
    assert _stated("# People\n\nText.\n\nAna Silva\nPeople Operations\n") == []


def test_the_clause_of_a_lead_in_holds_of_all_items() -> None:
    text = "We have two stores that we run in Elasticache:\n\n- mail-redis\n- log-redis\n"

    assert _stated(text) == [("mail-redis", "runs_in", "Elasticache"), ("log-redis", "runs_in", "Elasticache")]


def test_entries_of_a_changelog_have_a_release_and_who_made_them() -> None:
    text = (
        "What's New in Tern 3.2.0\nReleased on 2024-10-02\n\ngh-120: Fix it on macOS.\nPatch by Ana Silva and\n"
        "Tom Brandt.\n\nRead on.\n\n- Bump mail-api from 1.2.0 to 1.3.0\n"
    )

    assert set(_stated(text)) == {
        ("Tern", "has_version", "Tern 3.2.0"),
        ("Tern 3.2.0", "released_on", "2024-10-02"),
        ("gh-120", "patched_by", "Ana Silva"),
        ("gh-120", "patched_by", "Tom Brandt"),
        ("gh-120", "included_in", "Tern 3.2.0"),
        ("Tern 3.2.0", "updates", "mail-api"),
    }


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "# mail-api\n\n- Depends on `auth-api` and fx-api\n- Owned by the Data team\n- Uses a lot of memory\n",
            [
                ("mail-api", "depends_on", "auth-api"),
                ("mail-api", "depends_on", "fx-api"),
                ("mail-api", "owned_by", "Data team"),
            ],
        ),
        ("Services:\n\n- `mail-api`\n  - depends on `auth-api`\n", [("mail-api", "depends_on", "auth-api")]),
        ("# Overview\n\n- Uses Redis\n", []),
        ("# Alerts\n\n- Uses PagerDuty\n- Alertmanager pages it\n", []),
        (
            "# ADFS\n\n- Kafka migration\n- SSO depends on it\n- It runs on Windows\n",
            [("SSO", "depends_on", "ADFS"), ("ADFS", "runs_on", "Windows")],
        ),
        ("# Overview\n\n- SSO depends on Redis\n- It runs on Windows\n", [("SSO", "depends_on", "Redis")]),
    ],
)
def test_items_without_a_subject_or_with_it_are_about_the_heading(
    text: str, expected: list[tuple[str, str, str]]
) -> None:
    assert sorted(_stated(text)) == sorted(expected)
