from datetime import datetime

import pytest
from extract_stories import read

from mcp_graphrag.extract import LiteExtractor
from mcp_graphrag.extract.periods import read_date
from mcp_graphrag.model import Chunk, Document

Dated = tuple[str, str, str | None, str | None]


def dated(text: str, *, headings: tuple[str, ...] = ()) -> list[Dated]:
    """Predicate and object of what is found, and from when and until when it holds."""
    found = read(text, headings=headings).triples
    return [(each.predicate, each.object, day(each.valid_from), day(each.valid_to)) for each in found]


def day(moment: datetime | None) -> str | None:
    return None if moment is None else str(moment.date())


NOW_IDENTITY = ("owned_by", "Identity Team", "2025-03-01", None)
THEN_PLATFORM = ("owned_by", "Platform Team", None, "2025-03-01")
LED = ("leads", "Platform Team", "2019-01-01", "2023-01-01")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The Auth Service has been owned by the Identity Team since 1 March 2025.", NOW_IDENTITY),
        ("Since March 1, 2025, the Auth Service is owned by the Identity Team.", NOW_IDENTITY),
        ("The Auth Service has, since 2025-03-01, been owned by the Identity Team.", NOW_IDENTITY),
        ("The Auth Service is owned by the Identity Team as of March 2025.", NOW_IDENTITY),
        ("Effective 1 March 2025, the Auth Service is owned by the Identity Team.", NOW_IDENTITY),
        ("The Auth Service was owned by the Platform Team until 1 March 2025.", THEN_PLATFORM),
        ("Until 1 March 2025 the Auth Service was owned by the Platform Team.", THEN_PLATFORM),
        ("The Auth Service was owned by the Platform Team (until 1st March 2025).", THEN_PLATFORM),
        ("The Auth Service was owned by the Platform Team before March 2025.", THEN_PLATFORM),
        ("Ann Lee led the Platform Team from 2019 to 2023.", LED),
        ("From 2019 until 2023, Ann Lee led the Platform Team.", LED),
        ("Ann Lee led the Platform Team between 2019 and 2023.", LED),
        ("Bob Stone reports to Ann Lee directly since 2020.", ("reports_to", "Ann Lee", "2020-01-01", None)),
        ("Redis depends on Kafka after 1 March 2025.", ("depends_on", "Kafka", "2025-03-02", None)),
    ],
)
def test_since_and_until_say_when_it_holds(text: str, expected: Dated) -> None:
    assert dated(text) == [expected]


@pytest.mark.parametrize(
    "text",
    [
        "The Auth Service was owned by the Platform Team until 1 March 2025, and since then by the Identity Team.",
        "The Auth Service was owned by the Platform Team until 1 March 2025 and by the Identity Team since.",
        "The Auth Service moves from the Platform Team to the Identity Team on 1 March 2025.",
        "The Auth Service is handed over from the Platform Team to the Identity Team with effect from 1 March 2025.",
        "On 1 March 2025 the Auth Service passed from the Platform Team to the Identity Team.",
        "Ownership of the Auth Service passes from the Platform Team to the Identity Team in March 2025.",
    ],
)
def test_what_passes_from_one_to_another_has_two_times_that_do_not_overlap(text: str) -> None:
    assert sorted(dated(text)) == [NOW_IDENTITY, THEN_PLATFORM]
    assert {each.subject for each in read(text).triples} == {"Auth Service"}


def test_a_person_who_moves_is_a_member_of_one_team_and_then_of_the_other() -> None:
    assert dated("Ann Lee moved from the Platform Team to the Identity Team in May 2024.") == [
        ("member_of", "Platform Team", None, "2024-05-01"),
        ("member_of", "Identity Team", "2024-05-01", None),
    ]


def test_a_period_dates_the_list_that_it_follows() -> None:
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
    ],
)
def test_occurrences_and_what_is_no_date_give_no_time(text: str, when: dict[str, str]) -> None:
    assert [(each.valid_from, each.valid_to, each.metadata) for each in read(text).triples[:1]] == [(None, None, when)]


def test_the_words_are_kept_beside_the_time() -> None:
    (found,) = read("The Auth Service was owned by the Platform Team until 1 March 2025.").triples

    assert found.metadata == {"when": "until 1 March 2025"}


def test_tables_and_labels_date_what_they_say() -> None:
    rows = "| Service | Owner | Since | Until |\n|---|---|---|---|\n| Mail Service | Data Team | 1 May 2020 | 2024 |\n"
    cell = "| Service | Owner |\n|---|---|\n| Mail Service | Data Team (since May 2020) |\n"

    assert dated(rows) == [("owned_by", "Data Team", "2020-05-01", "2024-01-01")]
    assert dated(cell) == [("owned_by", "Data Team", "2020-05-01", None)]
    assert dated("- **Owner:** Data Team (since May 2020)\n", headings=("Mail Service",)) == [
        ("owned_by", "Data Team", "2020-05-01", None)
    ]


def test_what_a_document_dates_once_it_dates_everywhere() -> None:
    text = (
        "The Auth Service is owned by the Data Team. So it is. "
        "The Auth Service has been owned by the Data Team since 2020. The Mail Service is owned by the Data Team."
    )
    chunks = [Chunk(0, 0, 54, text[:54]), Chunk(1, 54, len(text), text[54:])]

    found = LiteExtractor().extract(Document("memory://a", "A", text), chunks)

    assert [(each.subject, day(each.valid_from)) for one in found for each in one.triples] == [
        ("Auth Service", "2020-01-01"),
        ("Auth Service", "2020-01-01"),
        ("Mail Service", None),
    ]


@pytest.mark.parametrize(
    ("words", "first", "after"),
    [
        ("1 March 2025", "2025-03-01", "2025-03-02"),
        ("March 1st, 2025", "2025-03-01", "2025-03-02"),
        ("31 Dec. 2024", "2024-12-31", "2025-01-01"),
        ("2025-03-01", "2025-03-01", "2025-03-02"),
        ("December 2024", "2024-12-01", "2025-01-01"),
        ("2024", "2024-01-01", "2025-01-01"),
        ("14 May", None, None),
        ("the 1990s", None, None),
        ("31 February 2024", None, None),
        ("Monday", None, None),
    ],
)
def test_a_date_has_a_first_moment_and_a_next_one(words: str, first: str | None, after: str | None) -> None:
    found = read_date(words)

    assert (None, None) if found is None else (day(found[0]), day(found[1])) == (first, after)
    assert (found is None) == (first is None)
