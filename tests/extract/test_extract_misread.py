"""Sentences of documentation that a parser takes for something else, and names that their layout joins."""

import pytest

from tests.extract_helpers import names, triples, triples_of_document, types


@pytest.mark.parametrize(
    "text",
    [
        "On Debian/Ubuntu, you are advised to install these packages.",
        "The source defines macros called ALWAYS() and NEVER().",
        "There are also versions called `istartlane` and `iendlane`.",
        "To compile on Windows using MSVC, a command similar to the following will usually work.",
        "It takes objects that have an `output_lane` that is a `BoolLane`.",
        "The first part of `upload_to` is `strflane()` formatting.",
        "Assigning unsaved objects to a `LaneKey`, `GenericLaneKey`, and `OneLaneField` now raises a `LaneError`.",
        "When using a LaneTestCase, data that has been inserted using PostgreSQL will not be visible.",
        "Since `LaneCase` automatically wraps each test, calling `select_lane()` in a test will pass.",
        "For each category LANE_LIMIT_NAME there is a bound set at compile-time by a macro called LANE_MAX_NAME.",
        "The checksum VFS module is a loadable extension.",
        "It is acceptable to call lane_finalize on a virtual machine before lane_step has returned LANE_DONE.",
        "When PostgreSQL was first released, PostgreSQL included a `LaneField`.",
        "get_lane() now handles the case where lanes.host() returns LANE_PORT.",
        "Prior to version 3.8.0 (2013-08-26), PostgreSQL always used Redis.",
        "This chapter describes how to start Edwin, the MIT Scheme text editor.",
        "`Lanes` now lives in `harbour.contrib.lanes`.",
    ],
)
def test_what_is_easily_misread_states_nothing(text: str) -> None:
    assert triples(text) == []


def test_the_subject_of_a_second_clause_is_no_object_of_the_first() -> None:
    assert triples("MariaDB 10.3+ supports only the `no_lane` argument and MySQL 8.0.1+ supports `skip_lane`.") == [
        ("MariaDB 10.3", "supports", "no_lane"),
        ("MySQL 8.0.1", "supports", "skip_lane"),
    ]


def test_two_that_are_renamed_to_two_are_paired_in_order() -> None:
    assert triples("`lanes.get_one` and `lanes.get_all` are renamed to `lanes.one` and `lanes.all_of`.") == [
        ("lanes.get_one", "renamed_to", "lanes.one"),
        ("lanes.get_all", "renamed_to", "lanes.all_of"),
    ]


def test_a_role_between_a_person_and_a_company_is_not_that_of_the_company() -> None:
    stated = triples('"It is fast," said Michael Schroepfer, Vice President of Engineering, Mozilla.')

    assert ("Mozilla", "has_role", "Vice President of Engineering") not in stated


def test_an_http_header_does_not_use_http() -> None:
    assert triples("HSTS is an HTTP header that informs a browser.") == []


def test_an_aside_in_a_heading_is_no_parameter() -> None:
    assert triples("### `harbour.contrib.gis` (GeoHarbour)\n\nA project over a year in the making.\n") == []


def test_a_web_server_with_a_given_name_is_no_person() -> None:
    assert types("Daphne is a pure-Python web server for Linux.")["Daphne"] is None


def test_a_call_of_what_may_be_a_class_is_of_no_type() -> None:
    assert types("Call `LaneCase()` and `open_lane()`.") == {"LaneCase()": None, "open_lane()": "Function"}


def test_lines_that_repeat_others_without_their_breaks_name_nothing() -> None:
    text = """# Start

Intro to AstridExplore the capabilities of Astrid.QuickstartLearn how to call it.
Intro to AstridExplore the capabilities of Astrid.

Intro to Astrid
Explore the capabilities of Astrid.

Basic requests Vision Tool use
Basic requestsVisionTool use
"""

    assert set(names(text, title="Start")) == {"Astrid"}


@pytest.mark.parametrize(
    "text",
    [
        "The check is fields.W341 here.",
        "The plan is LEFT-MOST SUBQUERY here.",
        "The program has Column 0 1 here.",
        "The models of my_app are shown.",
    ],
)
def test_parts_of_identifiers_plans_and_examples_are_no_names(text: str) -> None:
    assert names(text) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Ann Lee is a London born New Zealand playwright , actor and director.", []),
        ("Ann Lee is a professor of Landscape Architecture.", []),
        ("Ann Lee is a professor of Oslo University.", [("Ann Lee", "affiliated_with", "Oslo University")]),
        ("Ann Lee was a student of Karl Moe.", [("Ann Lee", "studied_under", "Karl Moe")]),
        ("Ann Lee, professor of Modern History, left.", [("Ann Lee", "has_role", "professor")]),
    ],
)
def test_a_field_is_no_organization_and_a_place_no_kind(text: str, found: list[tuple[str, str, str]]) -> None:
    assert triples(text) == found


def test_a_line_of_columns_heads_no_labels() -> None:
    text = "Moss Works          Ann Lee\nCategory: Standards Track          May 2019\n\nMoss Streams\n"
    assert triples_of_document(text) == [("Moss Streams", "is_a", "Standards Track")]
    assert triples_of_document("# Moss\n\nOwner:   Ann Lee          May 2019\n") == [("Moss", "owned_by", "Ann Lee")]


@pytest.mark.parametrize(
    ("other", "named", "expected"),
    [
        ("Ann Lee joined the two million Norwegians.", "Ann Lee joined the Norwegians.", "joined"),
        ("Ann Lee was nominated for the Moss Award by an Actress.", "Ann Lee was nominated by Acme Corp.", "nominates"),
        ("The fifth Baronet married Ann Lee.", "Bob Stone married Ann Lee.", "spouse"),
        (
            "lane-cli, lane-api: The printing has been changed from lane-one to lane-two.",
            "lane-api moves from Lane Team to Moss Team.",
            "moved_to",
        ),
        (
            "Redis provides the ability to read files, by calling Kafka.",
            "Redis reads the file by calling Kafka.",
            "calls",
        ),
    ],
)
def test_one_of_many_and_somebody_elses_doing_are_not_related(other: str, named: str, expected: str) -> None:
    assert expected not in {predicate for _, predicate, _ in triples(other)}
    assert expected in {predicate for _, predicate, _ in triples(named)}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('Ann Lee used the name "Moss" for the tool.', []),
        ("`mossctl` enables `fernlib` to read old tables.", []),
        ("`mossctl` enables `fernlib`.", [("mossctl", "enables", "fernlib")]),
        ("On many systems, `mossctl` uses Redis.", []),
        ("`mossctl` improperly uses Redis.", []),
        ("`mossctl` is an unknown directive.", []),
        ("Ann Lee teaches at the University of Moss at Fern Hill.", []),
        ("`mossctl` is written in Python_.", [("mossctl", "written_in", "Python")]),
    ],
)
def test_what_is_said_of_a_name_of_some_or_of_an_error_is_not_said_of_the_thing(
    text: str, found: list[tuple[str, str, str]]
) -> None:
    assert triples(text) == found
