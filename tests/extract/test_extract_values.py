"""Dates, titles, links and code that are no names of anything."""

import pytest
from extract_helpers import names


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Copyright 2018, 2019, 2020 Ann Lee, Bob Moss", "2019"),
        ("Mossmail 27.2 (2021-03-25) mossmail-27.2", "2021-03-25"),
        ("The keyword `try` is free in the 2018 edition of Rust, which Moss uses.", "2018"),
        ("Call `Open3::open3($in, $out)` of the Moss library.", "Open3::open3($in, $out)"),
        ("Thanks to Bob Ray, Alban Crequy, David Strauss, Eric Cook and Clinton\nMontague for it.", "Clinton"),
        ("Fri, 2 Aug 2002, Ann Lee wrote this.", "Fri"),
        ("Listing 8-2 creates a vector of Moss.", "Listing"),
        ("Listing 8-2 creates a vector of Moss.", "Listing 8-2"),
    ],
)
def test_a_value_is_not_a_name(text: str, value: str) -> None:
    assert value not in names(text)


def test_the_dates_of_a_sentence_are_names() -> None:
    assert "2 May 2018" in names("Ann Lee moved to Oslo on 2 May 2018, and Bob Moss left.")


@pytest.mark.parametrize(
    "text",
    [
        "Ann Lee reads Custom Scripts in Oslo.",
        "See [Custom Scripts](https://scripts.example/) by Ann Lee.",
        "Ann Lee moved from Fern Moss and Custom Scripts to Oslo.",
        "Custom Scripts is read in Oslo.",
        "- Custom Scripts\n\nAnn Lee reads Custom Scripts.",
    ],
)
def test_ordinary_words_are_a_name_where_a_sentence_has_them(text: str) -> None:
    assert "Custom Scripts" in names(text)


PATCH = """\
Ann Lee wrote this patch.

diff --git a/lib/moss.c b/lib/moss.c
index 8a3f8ee..197ab01 100644
--- a/lib/moss.c
+++ b/lib/moss.c
@@ -102,6 +102,9 @@ moss_open (void)
 \tstruct moss *one;

-\tmoss_close (one);
+\tmoss_leave (one);

Bob Moss read it.
"""


def test_a_labelled_date_is_a_name() -> None:
    assert "2020-06-25" in names("Invoice 12\nCreated: 2020-06-25\n")
