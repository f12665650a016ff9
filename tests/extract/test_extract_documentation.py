"""Titles, comments, asides and expressions of documentation, which state nothing and name nothing."""

import pytest

from tests.extract_helpers import extract, triples


@pytest.mark.parametrize(
    "text",
    [
        "Orbit 1.0.1 is a recommended upgrade for any site currently using or targeting Orbit 1.0.",
        "Login using PostgreSQL",
        "Fixed a crash after `load_orbit()` returned an object ([#26153](https://tracker.example/26153)).",
        "When using `load_orbit()`, PostgreSQL opens a cursor.",
        "Orbit 1.0 renamed `old_lanes` to plain `new_lanes`.",
        "`orbit.contrib.lanes`, for example, becomes an `app_label` of lanes.",
        "If PostgreSQL is built with `LANE_DEBUG`, an alternative allocation wrapper is used.",
        "The lanes have offices in Norway, Spain.",
        "/* Free `idx_str` using lane_free() if true */",
        "A PostgreSQL database is a file format in widespread use.",
    ],
)
def test_what_may_be_about_something_else_states_nothing(text: str) -> None:
    assert triples(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "See [[source]](../_modules/lanes/core.html#lanes) for more.",
        "Values such as `len(lanes)`, `self.lanes`, `.sql`, `args`, `id` and `__init__` are left out.",
        "> ```\n> # proc DB TABLE1 TABLE2\n> ```\n",
        "The flag is “Stealing” here.",
        "It says so in [lanes/changes.html#version_1_2](lanes/changes.html#version_1_2) too.",
    ],
)
def test_what_is_no_name_is_no_mention(text: str) -> None:
    assert [mention.name for mention in extract(text).mentions] == []


def test_a_call_is_named_without_its_arguments() -> None:
    text = "The snap_cmp(p1, p2) interface and `lanes.filter(name='x')` compare."

    assert [mention.name for mention in extract(text).mentions] == ["snap_cmp()", "lanes.filter()"]


def test_a_macro_of_the_command_line_is_named_without_its_flag() -> None:
    assert [mention.name for mention in extract("Compile with -DLANES_OMIT_WAL please.").mentions] == ["LANES_OMIT_WAL"]
