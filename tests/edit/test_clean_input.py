"""Names, texts, reasons and dates as callers write them, and as they are stored."""

from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_graphrag.clean_input import MAX_REASON, check_line, clean_line, clean_reason, clean_text, parse_time
from mcp_graphrag.errors import BadInput

CLEANERS: Sequence[Callable[[str], str]] = (
    lambda text: clean_line(text, "name"),
    lambda text: clean_text(text, "description"),
    clean_reason,
)


def test_times_are_read_as_utc() -> None:
    texts = ["2024", "2024-05", "2024-05-17", "2024-05-17T10:00:00+02:00"]
    assert [parse_time(text, "x").isoformat() for text in texts] == [
        "2024-01-01T00:00:00",
        "2024-05-01T00:00:00",
        "2024-05-17T00:00:00",
        "2024-05-17T08:00:00",
    ]
    with pytest.raises(BadInput, match="valid_from is 'soon'"):
        parse_time("soon", "valid_from")


@pytest.mark.parametrize("character", ["\0", "\x1b", "\x7f", "\x9b", "\ud800", "\u202e", "\u2066"])
def test_control_characters_and_bidi_marks_are_refused_in_every_line_and_reason(character: str) -> None:
    text = f"a{character}b"
    for check in (
        lambda: clean_line(text, "name"),
        lambda: check_line(text, "title", limit=100),
        lambda: clean_reason(text),
    ):
        with pytest.raises(BadInput, match="has control characters"):
            check()


def test_a_tab_separates_words_of_a_name_and_is_refused_where_the_text_is_stored_as_it_is() -> None:
    assert clean_line(" a\tb  c ", "name") == "a b c"
    with pytest.raises(BadInput, match="The title has control characters"):
        check_line("a\tb", "title", limit=100)


def test_a_text_of_several_lines_keeps_tabs_line_breaks_and_bidi_marks() -> None:
    assert clean_text(" a\tb\n\u202ec ", "description") == "a\tb\n\u202ec"
    with pytest.raises(BadInput, match="The description has control characters"):
        clean_text("a\x1b[0m", "description")


def test_a_reason_is_stored_on_one_line() -> None:
    assert clean_reason(" they signed\n\tin May ") == "they signed in May"
    assert clean_reason(" \n ") == ""


def test_each_kind_of_text_has_one_limit() -> None:
    assert len(clean_reason("x" * MAX_REASON)) == MAX_REASON == 2_000
    with pytest.raises(BadInput, match=r"The reason has 2001 characters; the most is 2000\. Shorten it\."):
        clean_reason("x" * 2_001)
    with pytest.raises(BadInput, match="The name has 501 characters; the most is 500"):
        clean_line("x" * 501, "name")
    with pytest.raises(BadInput, match="The description has 20001 characters"):
        clean_text("x" * 20_001, "description")


@given(st.text())
def test_what_was_cleaned_once_stays_the_same(text: str) -> None:
    for clean in CLEANERS:
        try:
            cleaned = clean(text)
        except BadInput:
            continue
        assert clean(cleaned) == cleaned
