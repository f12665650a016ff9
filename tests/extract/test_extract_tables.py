import pytest
from extract_helpers import extract, triples

CATALOGUE = """| Service | Owner | Depends on | Cost center | SLA | Status | Notes |
|---|---|---|---|---|---|---|
| API Gateway | Platform Team | Auth Service, **Redis** | CC-4401 | 99.9% | active | - |
| `mail` | [Growth Team](teams.md) | | CC-4402 | n/a | The way in for all the mail of all the firm | |
"""


def test_a_row_gives_triples_and_values() -> None:
    found = extract(CATALOGUE)

    assert [(t.subject, t.predicate, t.object, t.surface) for t in found.triples] == [
        ("API Gateway", "owned_by", "Platform Team", "Owner"),
        ("API Gateway", "depends_on", "Auth Service", "Depends on"),
        ("API Gateway", "depends_on", "Redis", "Depends on"),
        ("API Gateway", "belongs_to", "CC-4401", "Cost center"),
        ("mail", "owned_by", "Growth Team", "Owner"),
        ("mail", "belongs_to", "CC-4402", "Cost center"),
    ]
    assert [(one.subject, one.predicate, one.value, one.surface) for one in found.values] == [
        ("API Gateway", "sla", "99.9%", "SLA"),
        ("API Gateway", "status", "active", "Status"),
    ]


def test_a_row_is_the_quote_of_its_triples_and_column_titles_give_types() -> None:
    first = extract(CATALOGUE).triples[0]

    assert first.quote == CATALOGUE.splitlines()[2]
    assert (first.subject_type, first.object_type) == ("Service", "Team")
    assert {m.name: m.type for m in extract(CATALOGUE).mentions}["mail"] == "Service"


def test_a_chunk_that_starts_within_a_table_takes_the_header_from_its_context() -> None:
    found = triples("| Ann Lee | Bob Stone |\n", context="| Person | Reports to |\n|---|---|\n")

    assert found == [("Ann Lee", "reports_to", "Bob Stone")]


def test_a_cell_in_doubt_says_nothing() -> None:
    table = "| Service | Owner |\n|---|---|\n| Mail | Team Otter? |\n| Pay | ~~Team Elk~~ |\n"
    found = extract(table)

    assert (found.triples, found.values) == ((), ())


def test_labelled_lines_are_about_the_nearest_heading_that_names_an_entity() -> None:
    text = "- **Owner:** Identity Team\n- **Depends on:** User Database, Redis\nContact: Jane Smith\nNote: none of it\n"

    assert triples(text, headings=("Services", "1.2 Auth Service", "Overview")) == [
        ("Auth Service", "owned_by", "Identity Team"),
        ("Auth Service", "depends_on", "User Database"),
        ("Auth Service", "depends_on", "Redis"),
        ("Auth Service", "contact", "Jane Smith"),
    ]


def test_a_row_with_a_date_of_leaving_ends_then() -> None:
    rows = [
        "| Employee | Team | Left |",
        "|---|---|---|",
        "| Ann Holm | Red Team | 2024 |",
        "| Per Holm | Red Team | yes |",
    ]
    found = extract("\n".join(rows)).triples

    assert [(one.subject, one.predicate, one.valid_to and one.valid_to.year) for one in found] == [
        ("Ann Holm", "member_of", 2024)
    ]


def test_dates_in_columns_of_births_deaths_and_foundations_are_those_dates() -> None:
    rows = "| Person | Born | Died |\n|---|---|---|\n| Eva Rand | 1911-02-03 | 1980 |\n| Uwe Rand | Oslo | Bergen |\n"
    found = extract(f"# Staff\n\n{rows}\n| Company | Founded | CEO |\n|---|---|---|\n| Acme Corp | 1950 | Ann Lee |\n")
    assert {(one.subject, one.predicate, one.value) for one in found.values} == {
        ("Eva Rand", "born_on", "1911-02-03"),
        ("Eva Rand", "died_on", "1980"),
        ("Acme Corp", "founded_on", "1950"),
    }
    assert ("Uwe Rand", "born_in", "Oslo") in {(one.subject, one.predicate, one.object) for one in found.triples}


@pytest.mark.parametrize(
    ("titles", "rows", "expected"),
    [
        ("Person | Team", "Ann Lee | Data Team", [("Ann Lee", "member_of", "Data Team")]),
        ("Service | Team", "Mail | Data Team", [("Mail", "owned_by", "Data Team")]),
        ("Name | Team", "Orvane Lund | Red Team", []),  # a person, perhaps
        ("Date | Owner", "2025-01-01 | Data Team", []),
        (
            "Service | Status | Depends on",
            "letter-press | retired | ledger-a\nmail-drop | planned | ledger-a\ncard-vault | live | ledger-a",
            [("card-vault", "depends_on", "ledger-a")],
        ),
        ("Company | CEO (interim)", "Vikco | Bob Vik", []),
        ("Company | CEO", "Vikco | Bob Vik (acting)", []),
        (
            "System | Current owner | Planned owner",
            "Ledger Core | Team Heron | Team Vela",
            [("Ledger Core", "owned_by", "Team Heron")],
        ),
        ("Component | Uses", "Filtering | Redis", [("Filtering", "uses", "Redis")]),
        ("Layer | Uses", "Filtering | Redis", []),  # of a thing that the table does not name
        ("Standard | Module", "X.509 | `moss.x509`", []),
        ("Package | Tool", "`moss-utils` | Fern Copy", []),
        ("Package | Tools", "`moss-utils` | Fern Copy", []),
        ("Name | Type", "Mossview | GTK\nOrders | Service", [("Orders", "is_a", "Service")]),
        (
            "Module | Region",
            "EBICS | AT, CH, DE\nPayMoss | intl\nCore Team | Graz",
            [("Core Team", "located_in", "Graz")],
        ),
        ("Service | Language", "billing-api | Go", [("billing-api", "written_in", "Go")]),
        ("Setting name | Replace with", "`LANE_WIDTH` | `lane_width`", [("lane_width", "replaces", "LANE_WIDTH")]),
        ("Old name | New name", "`LANE_WIDTH` | `lane_width`", [("LANE_WIDTH", "renamed_to", "lane_width")]),
        ("Setting name | Compare with", "`LANE_WIDTH` | `lane_width`", []),
    ],
)
def test_what_a_column_says_of_the_first_one(titles: str, rows: str, expected: list[tuple[str, str, str]]) -> None:
    lines = [titles, "|".join(["---"] * len(titles.split("|"))), *rows.split("\n")]

    assert triples("".join(f"| {line} |\n" for line in lines)) == expected


def test_a_pipe_in_prose_is_no_table() -> None:
    assert triples("We run a | b in the shell of Ann Lee.") == []


def test_the_rows_of_a_table_of_labels_are_about_the_heading() -> None:
    table = "| Field | Value |\n|---|---|\n| See also | LANE-212 |\n| Incident commander | Mary Lee |\n"
    table += "| Affected services | sorter-api, label-printer |\n"

    assert triples(table, headings=("INC-12: parcels sorted twice",)) == [
        ("INC-12", "affects", "sorter-api"),
        ("INC-12", "affects", "label-printer"),
    ]


def test_a_cell_with_links_has_no_markup_in_its_names() -> None:
    table = (
        "| Name | Uses | Database |\n|---|---|---|\n"
        "| Orders | [V:15, I:233](http://moss.example/x?y=z) | [Fern DB](<https://moss.example/Fern_(db)>) |\n"
    )
    found = extract(table)
    assert ("Orders", "uses", "Fern DB") in {(one.subject, one.predicate, one.object) for one in found.triples}
    assert not [mention.name for mention in found.mentions if "](" in mention.name or ":" in mention.name]


def test_a_comma_in_front_of_a_legal_form_parts_no_names() -> None:
    table = "| Service | Depends on |\n|---|---|\n| Mail Service | {} |\n"

    assert [name for *_, name in triples(table.format("Vault, Inc."))] == ["Vault, Inc"]
    assert [name for *_, name in triples(table.format("Redis, Orca, LLC, Kafka"))] == ["Redis", "Orca, LLC", "Kafka"]
