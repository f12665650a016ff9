"""Amounts in text, as ranges."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_graphrag.reason.amounts import Range, range_of, read_range


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("over $50K", "over 50,000"),
        ("Over $2,500, up to $50,000", "over 2,500, up to 50,000"),
        ("at most 1.5 million dollars", "up to 1,500,000"),
        ("$500", "500"),
        ("50 000 EUR", "50,000"),
        ("over $5, above $7", "over 7"),
        ("under $9, at most $8", "up to 8"),
        ("$6 or $7", "6"),
        ("over $1 bn", "over 1,000,000,000"),
        ("over 2 billion euros", "over 2,000,000,000"),
        ("over 3k", "over 3,000"),
        ("over $4 thousand", "over 4,000"),
        ("below £5m", "up to 5,000,000"),
    ],
)
def test_a_text_with_amounts_is_a_range(text: str, words: str) -> None:
    assert str(read_range(text)) == words


@pytest.mark.parametrize("text", ["", "three gates", "over $50, up to $20", "over $50, up to $50", "in 2024"])
def test_a_text_without_amounts_or_with_an_empty_range_is_none(text: str) -> None:
    assert read_range(text) is None


def test_the_lower_bound_is_exclusive_and_the_upper_inclusive() -> None:
    single = read_range("$50,000")
    assert single is not None
    assert [single.meets(other) for other in (Range(50_000), Range(0, 50_000), Range(49_999, math.inf))] == [
        False,
        True,
        True,
    ]


def test_an_amount_in_the_metadata_is_the_lower_bound_unless_a_quote_has_bounds() -> None:
    assert range_of({"amount": 500}, ["The board decides."]) == Range(500)
    assert range_of({"amount": 500}, ["The board decides up to $900."]) == Range(0, 900, "usd")
    assert range_of({"amount": "5k"}, []) == Range(5_000)
    assert range_of({"note": "$500"}, []) is None
    assert range_of({"limit": True}, []) is None


def test_bounds_in_the_metadata_come_before_those_of_a_quote_and_no_amount_is_read_from_other_quotes() -> None:
    assert range_of({"Price": "over $70"}, ["The board decides up to $900."]) == Range(70, currency="usd")
    assert range_of({}, ["The gate has cost $900."]) is None


BOUND = st.integers(0, 6)


@given(BOUND, BOUND, BOUND, BOUND)
def test_ranges_meet_where_an_amount_is_in_both(low: int, high: int, other_low: int, other_high: int) -> None:
    both = set(range(low + 1, high + 1)) & set(range(other_low + 1, other_high + 1))
    assert Range(low, high).meets(Range(other_low, other_high)) == bool(both)
