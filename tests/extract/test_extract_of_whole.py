"""What is said of a part of a thing is not said of the whole, and a kind keeps the words that say which."""

import pytest
from extract_helpers import extract

from mcp_graphrag.extract.unmarked_code import unmarked_code


def triples(text: str) -> set[tuple[str, str, str]]:
    return {(one.subject, one.predicate, one.object) for one in extract(text).triples}


def types(text: str) -> dict[str, str | None]:
    return {one.name: one.type for one in extract(text).mentions}


@pytest.mark.parametrize(
    "text",
    [
        "The Kingdom of Moss annexed southern Fernland in 1820.",
        "Quillbackend supports Fracscale on Windows only.",
        'The settlers renamed the town "New Moss" in 1820.',
        "Ledgero is a Node.js package manager.",
    ],
)
def test_a_part_or_another_thing_states_nothing_of_the_whole(text: str) -> None:
    assert {predicate for _, predicate, _ in triples(text)} <= {"is_a"}


def test_what_lies_in_a_part_of_a_place_lies_in_the_place() -> None:
    assert ("River Moss", "flows_through", "Bavaria") in triples("The River Moss flows through northern Bavaria.")


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Quill is a powerful HTTP client.", "HTTP client"),
        ("Quill is a Redis cluster.", "Redis cluster"),
        ("Quill is a Python library.", "library"),  # a kind that is a type
    ],
)
def test_a_kind_keeps_the_name_that_says_which(text: str, kind: str) -> None:
    assert ("Quill", "is_a", kind) in triples(text)


@pytest.mark.parametrize(
    ("text", "name", "type_"),
    [
        ("FISK is a member of the Nordic Ski Union.", "FISK", None),
        ("The BlueBox Package Manager uses SQLite.", "BlueBox Package Manager", None),
        ("Ledgero is an application model that uses SQLite.", "Ledgero", None),
        ("Ledgero is a dependency manager that uses SQLite.", "Ledgero", None),
        ("Ann Lee is a director of Georgia Sea Grant.", "Georgia Sea Grant", None),
    ],
)
def test_what_is_no_person_is_not_typed_as_one(text: str, name: str, type_: str | None) -> None:
    assert types(text)[name] == type_


@pytest.mark.parametrize(
    "name",
    [
        "Food and Fish Administration",
        "Ministry of Health and Welfare",
        "Royal Society for Testing and Materials",
        "Association for Computing Machinery",
        "National Committee for an Effective Congress",
    ],
)
def test_the_name_of_an_organization_is_whole(name: str) -> None:
    assert name in types(f"Acme Ltd works with the {name} on the rules.")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("The Ministry of Finance and Ann Lee met Bob Ray.", {"Ministry of Finance", "Ann Lee", "Bob Ray"}),
        ("The Department of Defense and NASA met Ann Lee.", {"Department of Defense", "NASA", "Ann Lee"}),
    ],
)
def test_two_names_stay_two(text: str, names: set[str]) -> None:
    assert names <= types(text).keys()


def test_prompts_and_what_mail_servers_write_are_code() -> None:
    text = (
        "Return-Path: <ann@moss.example>\nReceived: from a.moss.example\n\tby b.moss.example; Fri, 2 Aug 2002\n"
        "From: Ann Lee <ann@moss.example>\nSubject: Ledger\n\nLedger uses Redis.\n\n"
        ">>> np.busday_offset('2011-03-20', 0)\nnp.datetime64('2011-03-21')\n\n>>> I think so too\n"
    )
    code = sorted(text[start:end].split(maxsplit=1)[0] for start, end in unmarked_code(text))
    assert code == [">>>", "Received:", "Return-Path:"]


def test_what_a_document_is_about_is_not_where_it_is() -> None:
    assert not triples("Ann Lee presented ADR 14 (second region in Frankfurt).") & {
        ("ADR 14", "located_in", "Frankfurt")
    }


def test_plain_words_in_a_table_of_services_are_names() -> None:
    rows = "| moor | Ann Lee | keel; lantern |\n| keel | Ann Lee | none |\n"
    table = f"| service | owner | depends_on |\n|---|---|---|\n{rows}"
    assert {(a, c) for a, b, c in triples(table) if b == "depends_on"} == {("moor", "keel"), ("moor", "lantern")}


def test_an_owner_beside_a_column_of_teams_is_a_person() -> None:
    table = "| service | team | owner |\n|---|---|---|\n| moor | payments | Wen Li Tan |\n"
    assert types(table)["Wen Li Tan"] == "Person"


def test_a_year_that_a_name_shares_dates_nothing() -> None:
    (found,) = extract("Ann Lee competed at the 2006 and 2010 Winter Games.").triples
    assert (found.object, found.metadata.get("when")) == ("2010 Winter Games", None)


def test_after_an_event_of_a_year_may_be_in_that_year() -> None:
    (found,) = extract("After the war in 1947, Moss Ltd owned the Quay.").triples
    assert found.valid_from is not None
    assert found.valid_from.year == 1947
