"""Chats, minutes and notes: speakers, labels and the headings that they are about."""

import pytest
from extract_helpers import extract, names, stated, triples

from mcp_graphrag.extract.structure.turns import find_turns


@pytest.mark.parametrize(
    ("text", "speakers"),
    [
        ("Ana: hello there\nTom: hi\nAna: so?\n", ["Ana", "Tom", "Ana"]),
        ("[10:31] bob> the disk is full\n[10:32] eve> ok\n", ["bob", "eve"]),
        ("**Ana**: hello\n\n**Tom**: hi\n", ["Ana", "Tom"]),
        ("[10:02] Tom Brandt: it is full\n", ["Tom Brandt"]),
        ("WolfgangSchulz: hello\nLiHua: hi\nWolfgangSchulz: so\nLiHua: yes\n", ["Wolfgang Schulz", "Li Hua"] * 2),
        ("Decision: we stay\nOwner: Ana\nDue: Friday\nNote: none\n", []),
        ("We met Ana. Result: nothing.\nA line.\nAna: a remark\nMore text.\nAnd more.\nAnd more.\n", []),
    ],
)
def test_speakers_of_turns(text: str, speakers: list[str]) -> None:
    assert [turn.name for turn in find_turns(text)] == speakers


def test_what_a_speaker_says_of_themselves_is_about_the_speaker() -> None:
    text = "Ana Silva: I moved to Berlin in May.\nTom Brandt: I will take over Billing.\n"

    assert triples(text) == [("Ana Silva", "moved_to", "Berlin")]
    assert names(text) == ["Ana Silva", "Berlin", "Tom Brandt"]


def test_a_label_is_about_the_nearest_heading_if_that_names_an_entity() -> None:
    minutes = "# Weekly, 2 Sep 2025\n\nOwner: Tom Brandt\n\n## Open questions\n\nOwner: Ana Silva\n"
    service = "# Notes\n\n## Billing Service\n\nOwner: Platform Team\n\n## Kafka migration\n\nOwner: Ana Silva\n"

    assert stated(minutes) == []
    assert stated(service) == [
        ("Billing Service", "owned_by", "Platform Team"),
        ("Kafka migration", "owned_by", "Ana Silva"),
    ]


def test_an_incident_has_a_date_and_affects_services() -> None:
    text = "# INC-2231: errors after a change\n\nDate: 14 July 2025\nServices: mail-api\nOwner: Data Team\nDue: 3 May\n"

    assert stated(text) == [
        ("INC-2231", "occurred_on", "14 July 2025"),
        ("INC-2231", "affects", "mail-api"),
        ("INC-2231", "owned_by", "Data Team"),
    ]


def test_due_dates_are_metadata_of_what_the_labels_say() -> None:
    (found,) = extract("Due: 3 May 2025\nOwner: Data Team\n", title="Mail Service").triples

    assert (found.subject, found.predicate, found.object) == ("Mail Service", "owned_by", "Data Team")
    assert found.metadata == {"due": "3 May 2025"}


def test_the_word_in_front_of_a_note_is_no_part_of_its_sentence() -> None:
    assert triples("- Decision: the Mail Service uses Redis.") == [("Mail Service", "uses", "Redis")]
    assert triples("- Action: Ana Silva to move the Mail Service to Redis by 12 Sep.") == []


def test_who_is_not_known_to_speak_says_nothing_of_the_speaker_before() -> None:
    chat = "Ann Poe: I moved to Berlin in May, as you know.\nBob Moss: Fine, thanks.\n{}: I moved to Bonn in June.\n"
    assert [one[:1] for one in triples(chat.format("Carl Voss"))] == [("Ann Poe",), ("Carl Voss",)]
    assert [one[:1] for one in triples(chat.format("Thyme"))] == [("Ann Poe",)]
