"""The numbers and dates that texts of cells are."""

from datetime import datetime

import pytest

from mcp_graphrag.english.values import are_equal, read_value


@pytest.mark.parametrize(
    ("text", "number", "unit"),
    [
        ("5432", 5432, ""),
        ("-20 °C", -20, "°C"),
        ("\N{MINUS SIGN}4.5", -4.5, ""),
        ("1,250.00", 1250, ""),
        ("1 250\N{NO-BREAK SPACE}000", None, ""),
        ("1\N{NO-BREAK SPACE}250\N{NO-BREAK SPACE}000 m²", 1_250_000, "m²"),
        ("12,5", 12.5, ""),
        ("$1,000", 1000, "$"),
        ("30 €", 30, "€"),
        ("99.9%", 99.9, "%"),
        ("2021", 2021, ""),
        ("1e5", 100_000, ""),
        ("0.5", 0.5, ""),
        ("007", None, ""),
        ("1.2.3", None, ""),
        ("10:30", None, ""),
        ("3 of 5", None, ""),
        ("Tier 1", None, ""),
        ("", None, ""),
        ("9" * 41, None, ""),
    ],
)
def test_a_number_is_read_with_its_unit(text: str, number: float | None, unit: str) -> None:
    assert read_value(text) == (number, unit, None)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2024-05-06", (2024, 5, 6)),
        ("6 May 2024", (2024, 5, 6)),
        ("May 2024", (2024, 5, 1)),
        ("2024-05-06 10:30", (2024, 5, 6, 10, 30)),
        ("2024-05-06T10:30:00+02:00", (2024, 5, 6, 8, 30)),
        ("2024-02-31", None),
        ("2024-13-40 10:30", None),
        ("Monday", None),
    ],
)
def test_a_date_is_read_as_its_first_moment_in_utc(text: str, moment: tuple[int, int, int] | None) -> None:
    assert read_value(text).moment == (moment and datetime(*moment))  # noqa: DTZ001


@pytest.mark.parametrize(
    ("text", "other", "equal"),
    [
        ("5,432", "5432", True),
        ("20 °C", "20.0 °C", True),
        ("6 May 2024", "2024-05-06", True),
        ("in  Use", "in use", True),
        ("500 ms", "500 MS", False),
        ("5 MW", "5 mW", False),
        ("May 2024", "2024-05-01", False),
        ("007", "7", False),
        ("80", "eighty", False),
    ],
)
def test_two_texts_say_one_value_as_numbers_of_one_unit_dates_or_words(text: str, other: str, *, equal: bool) -> None:
    assert are_equal(text, other) is equal
