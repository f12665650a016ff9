"""Whom or what a sentence or a line is about: datelines, adjectives of origin, names of things, couples, attendance."""

import pytest

from mcp_graphrag.english.datelines import DATELINE
from mcp_graphrag.ingest.dates_near_top import dates_near_top
from tests.extract_helpers import extract, triples, types

SAID = [("Halle Works", "acquired_by", "Roth Group")]


@pytest.mark.parametrize(
    "dateline",
    [
        "BREMEN - ",
        "BREMEN, 7 April 2025 – ",
        "Bremen, April 7, 2025 — ",
        "CARLISLE (PA) - ",
        "PORTLAND, Ore. (AP) — ",
        "PENRITH, 8 June. ",
    ],
)
def test_a_dateline_is_no_part_of_its_sentence(dateline: str) -> None:
    text = f"{dateline}Roth Group acquired Halle Works on Monday.\n\nIt was founded in 2014."
    assert [one for one in triples(text) if "founded" not in one[1]] == SAID
    assert not [one for one in triples(text) if one[0].casefold() in dateline.casefold()]


@pytest.mark.parametrize(
    "text",
    [
        "REDIS - A database by Roth Group.",
        "HULL – led by Ada Moss.",
        "TMI — The Harbour School of Leeds is a school for all.",
        "Ada (CTO) - Leads the whole Roth Group today.",
    ],
)
def test_words_in_capitals_in_front_of_no_sentence_are_no_dateline(text: str) -> None:
    assert DATELINE.match(text) is None


def test_a_dateline_dates_its_document() -> None:
    assert dates_near_top("Roth buys Halle\n\nHULL, 7 April 2025 – Roth has bought it.") == {"date": "7 April 2025"}


def test_the_company_behind_two_names_leaves_open_what_it_is() -> None:
    assert triples("Roth Group acquired Halle Works. The company makes vans. It was founded in 2014.") == SAID


@pytest.mark.parametrize("words", ["an Italian-born Swiss", "a Swiss-trained Swiss", "a Swiss"])
def test_an_adjective_of_origin_is_no_work(words: str) -> None:
    assert triples(f"Ada Moss was {words} composer.") == [
        ("Ada Moss", "nationality", "Swiss"),
        ("Ada Moss", "is_a", "composer"),
    ]


def test_a_school_of_a_nation_is_no_work() -> None:
    assert triples("Ada Moss was an American Futurist painter.") == [("Ada Moss", "is_a", "painter")]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Halle Motors is led by Ada Moss.", "Halle Motors"),
        ("Customer Care reports to Ada Moss.", "Customer Care"),
        ("Ada Moss sold the yacht Albertine.", "Albertine"),
        ("The ferries Freja Dahl and Saga Star were late. Freja Dahl belongs to Roth Group.", "Freja Dahl"),
        ("The Freja was late.", "Freja"),
        ("She edited the journal Flora Nova.", "Flora Nova"),
        ("It was Hartmann Optik, not Hartmann Logistik, who asked.", "Hartmann Logistik"),
    ],
)
def test_what_leads_reports_or_has_a_name_like_a_person_is_none(text: str, name: str) -> None:
    assert types(text).get(name) is None
    ends = [(one.subject, one.subject_type) for one in extract(text).triples]
    ends += [(one.object, one.object_type) for one in extract(text).triples]
    assert (name, "Person") not in ends


@pytest.mark.parametrize(
    "text",
    ["Ada Moss leads Team Heron.", "The film Ada Moss directed was long.", "Bob Stone reports to Ada Moss."],
)
def test_persons_stay_persons(text: str) -> None:
    assert types(text)["Ada Moss"] == "Person"


def test_her_husband_is_not_that_of_her_first_husband() -> None:
    text = "Ada Moss was a conductor. She married Hugo Claes; Claes died in 2003. Her second husband is Rolf Adler."
    assert "Rolf Adler" not in {end for one in triples(text) for end in one}


def test_his_wife_is_of_the_person_named_before() -> None:
    assert triples("Hugo Claes died in 2003. His wife is Ada Moss.")[1:] == [("Hugo Claes", "wife", "Ada Moss")]


@pytest.mark.parametrize("label", ["Absent", "Regrets", "Apologies"])
def test_a_label_behind_a_value_begins_another(label: str) -> None:
    found = triples(
        f"# Board meeting\n\nPresent: Ada Moss, Bob Stone. {label}: Rolf Adler.", headings=("Board meeting",)
    )
    assert [(predicate, object_) for _, predicate, object_ in found] == [
        ("attended_by", "Ada Moss"),
        ("attended_by", "Bob Stone"),
        ("missed_by", "Rolf Adler"),
    ]


@pytest.mark.parametrize("name", ["Routing", "Billing", "Identity"])
def test_a_team_may_have_the_name_of_what_it_does(name: str) -> None:
    assert triples(f"The Edge Gateway is owned by the {name} team.") == [("Edge Gateway", "owned_by", name)]


def test_a_verb_at_the_start_of_a_line_is_no_part_of_a_name() -> None:
    assert "Keyring Service" in types("Owns Keyring Service.")


@pytest.mark.parametrize("words", ["completed its acquisition", "has completed the takeover", "closed the purchase"])
def test_who_completes_an_acquisition_has_acquired(words: str) -> None:
    assert triples(f"Roth Group {words} of Halle Works.") == SAID


def test_what_moves_from_one_place_moves_to_another() -> None:
    assert triples("Roth Group moved its headquarters from Porto to Lisbon.")[1:] == [
        ("Roth Group", "moves_headquarters_to", "Lisbon")
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Our sales manager, Lorenz Berg, has seen the case.", [("Lorenz Berg", "has_role", "sales manager")]),
        ("They spoke to our sales manager Ann Lee.", [("Ann Lee", "has_role", "sales manager")]),
        ("Ann Lee, our sales manager, has seen the case.", [("Ann Lee", "has_role", "sales manager")]),
        ("Our former sales manager, Ann Lee, has seen the case.", []),
        ("Our best friend, Ann Lee, has seen the case.", []),
        ("Your sales manager, Ann Lee, has seen the case.", []),
        ("Ann Lee in Finance has seen the case.", [("Ann Lee", "affiliated_with", "Finance")]),
        ("Ann Lee from Human Resources has seen it.", [("Ann Lee", "affiliated_with", "Human Resources")]),
        ("Ann Lee in Graz has seen the case.", []),
        ("Reported to police at Gherla (officer: Sgt Ann Lee).", [("Sgt Ann Lee", "has_role", "officer")]),
    ],
)
def test_our_role_and_a_department_are_of_a_person(text: str, expected: list[tuple[str, str, str]]) -> None:
    assert triples(text) == expected
