from datetime import datetime

import pytest
from extract_helpers import extract

from mcp_graphrag.english.dates import read_date

Dated = tuple[str, str, str | None, str | None]


def dated(text: str, *, headings: tuple[str, ...] = ()) -> list[Dated]:
    """Predicate, object and period of the triples."""
    found = extract(text, headings=headings).triples
    return [(triple.predicate, triple.object, day(triple.valid_from), day(triple.valid_to)) for triple in found]


def day(moment: datetime | None) -> str | None:
    return None if moment is None else str(moment.date())


NOW_IDENTITY = ("owned_by", "Identity Team", "2025-03-01", None)
THEN_PLATFORM = ("owned_by", "Platform Team", None, "2025-03-01")
SPOUSE = ("spouse", "Marco Bellini")
LED = ("leads", "Platform Team", "2019-01-01", "2023-01-01")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The Auth Service has been owned by the Identity Team since 1 March 2025.", NOW_IDENTITY),
        ("Since March 1, 2025, the Auth Service is owned by the Identity Team.", NOW_IDENTITY),
        ("The Auth Service is owned by the Identity Team as of March 2025.", NOW_IDENTITY),
        ("The Auth Service was owned by the Platform Team until 1 March 2025.", THEN_PLATFORM),
        ("Until 1 March 2025 the Auth Service was owned by the Platform Team.", THEN_PLATFORM),
        ("The Auth Service was owned by the Platform Team (until 1st March 2025).", THEN_PLATFORM),
        ("The Auth Service was owned by the Platform Team before March 2025.", THEN_PLATFORM),
        ("Ann Lee led the Platform Team from 2019 to 2023.", LED),
        ("From 2019 until 2023, Ann Lee led the Platform Team.", LED),
        ("Ann Lee led the Platform Team between 2019 and 2023.", LED),
        (
            "Ann Lee led the Platform Team from 2019 through 2023.",
            ("leads", "Platform Team", "2019-01-01", "2024-01-01"),
        ),
        ("Bob Stone reports to Ann Lee directly since 2020.", ("reports_to", "Ann Lee", "2020-01-01", None)),
        ("Redis depends on Kafka after 1 March 2025.", ("depends_on", "Kafka", "2025-03-02", None)),
        (
            "Before that, the Billing Service used Redis from 2018 to 2020.",
            ("uses", "Redis", "2018-01-01", "2020-01-01"),
        ),
        (
            "The Billing Service is owned by Storage through October 2026.",
            ("owned_by", "Storage", None, "2026-11-01"),
        ),
        (
            "The Billing Service is owned by Storage until the end of 2027.",
            ("owned_by", "Storage", None, "2028-01-01"),
        ),
        ("The Oslo Museum was directed by Karl Moe until 1999.", ("directed_by", "Karl Moe", None, "1999-01-01")),
        ("Lucia Ferri was married to Marco Bellini until his death in 1990.", (*SPOUSE, None, "1991-01-01")),
        (
            "Lucia Ferri was married to Marco Bellini from 1964 until his death in 1990.",
            (*SPOUSE, "1964-01-01", "1991-01-01"),
        ),
        ("Lucia Ferri married Marco Bellini. Her parents divorced in 1961.", (*SPOUSE, None, None)),
    ],
)
def test_since_and_until_give_a_triple_its_period(text: str, expected: Dated) -> None:
    assert dated(text) == [expected]


def test_a_period_applies_to_the_whole_list_in_front_of_it() -> None:
    assert dated("The Auth Service depends on Redis and Kafka since 2020 and calls MySQL.") == [
        ("depends_on", "Redis", "2020-01-01", None),
        ("depends_on", "Kafka", "2020-01-01", None),
        ("calls", "MySQL", None, None),
    ]


@pytest.mark.parametrize(
    ("text", "when"),
    [
        ("Bob Stone joined Initech in 2019.", {"when": "2019"}),
        ("The Auth Service is owned by the Identity Team since last autumn.", {}),
        ("The Auth Service is owned by the Identity Team since Monday.", {}),
        ("Redis caused INC-2041 after 2020.", {}),
        ("Karl Voss was a painter. In 1990, he joined Blue Barn.", {"when": "1990", "pronoun": "he"}),
    ],
)
def test_events_and_words_that_are_no_date_give_no_period(text: str, when: dict[str, str]) -> None:
    periods = [(triple.valid_from, triple.valid_to, triple.metadata) for triple in extract(text).triples[-1:]]
    assert periods == [(None, None, when)]


def test_the_words_of_a_period_are_kept_as_metadata() -> None:
    (triple,) = extract("The Auth Service was owned by the Platform Team until 1 March 2025.").triples

    assert triple.metadata == {"when": "until 1 March 2025"}


def test_columns_cells_and_labels_give_periods() -> None:
    rows = "| Service | Owner | Owner since | Until |\n|---|---|---|---|\n"
    rows += "| Mail Service | Data Team | 1 May 2020 | 2024 |\n"
    cell = "| Service | Owner |\n|---|---|\n| Mail Service | Data Team (since May 2020) |\n"

    assert dated(rows) == [("owned_by", "Data Team", "2020-05-01", "2024-01-01")]
    assert dated(cell) == [("owned_by", "Data Team", "2020-05-01", None)]
    assert dated("- **Owner:** Data Team (since May 2020)\n", headings=("Mail Service",)) == [
        ("owned_by", "Data Team", "2020-05-01", None)
    ]


@pytest.mark.parametrize(
    ("words", "start", "end"),
    [
        ("1 March 2025", "2025-03-01", "2025-03-02"),
        ("March 1st, 2025", "2025-03-01", "2025-03-02"),
        ("31 Dec. 2024", "2024-12-31", "2025-01-01"),
        ("2025-03-01", "2025-03-01", "2025-03-02"),
        ("December 2024", "2024-12-01", "2025-01-01"),
        ("2024", "2024-01-01", "2025-01-01"),
        ("24.06.2025", "2025-06-24", "2025-06-25"),
        ("1.13.2024", None, None),
        ("14 May", None, None),
        ("the 1990s", None, None),
        ("31 February 2024", None, None),
        ("Monday", None, None),
        # No day is behind these.
        *((words, None, None) for words in ("9999-12-31", "31 December 9999", "December 9999", "9999")),
    ],
)
def test_a_date_is_read_as_start_and_end(words: str, start: str | None, end: str | None) -> None:
    moments = read_date(words) or (None, None)

    assert (day(moments[0]), day(moments[1])) == (start, end)


def test_a_period_behind_a_semicolon_does_not_date_what_is_in_front_of_it() -> None:
    text = "Marovia is a country. Its capital is Castel Talvar; until 1871 the capital was Brenza."

    assert dated(text) == [("capital", "Castel Talvar", None, None)]


@pytest.mark.parametrize(
    "text",
    [
        "Lucia Ferri was once married to Marco Bellini.",
        "The Mail Service was owned by the Platform Team until the merger.",
        "Until the merger, the Mail Service was owned by the Platform Team.",
    ],
)
def test_what_ended_at_no_known_date_is_not_asserted(text: str) -> None:
    assert dated(text) == []
