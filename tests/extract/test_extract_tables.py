from extract_helpers import extract, triples

CATALOGUE = """| Service | Owner | Depends on | Cost center | SLA | Status | Notes |
|---|---|---|---|---|---|---|
| API Gateway | Platform Team | Auth Service, **Redis** | CC-4401 | 99.9% | active | - |
| `mail` | [Growth Team](teams.md) | | CC-4402 | n/a | The way in for all the mail of all the firm | |
"""
STATUS_OF = {"letter-press": "retired", "mail-drop": "planned", "card-vault": "live"}


def test_a_row_gives_triples_with_its_plain_values_as_metadata() -> None:
    plain = {"sla": "99.9%", "status": "active"}

    assert [(t.subject, t.predicate, t.object, t.surface, t.metadata) for t in extract(CATALOGUE).triples] == [
        ("API Gateway", "owned_by", "Platform Team", "Owner", plain),
        ("API Gateway", "depends_on", "Auth Service", "Depends on", plain),
        ("API Gateway", "depends_on", "Redis", "Depends on", plain),
        ("API Gateway", "belongs_to", "CC-4401", "Cost center", plain),
        ("mail", "owned_by", "Growth Team", "Owner", {}),
        ("mail", "belongs_to", "CC-4402", "Cost center", {}),
    ]


def test_a_row_is_the_quote_of_its_triples_and_column_titles_give_types() -> None:
    first = extract(CATALOGUE).triples[0]

    assert first.quote == CATALOGUE.splitlines()[2]
    assert (first.subject_type, first.object_type) == ("Service", "Team")
    assert {m.name: m.type for m in extract(CATALOGUE).mentions}["mail"] == "Service"


def test_a_chunk_that_starts_within_a_table_takes_the_header_from_its_context() -> None:
    found = triples("| Ann Lee | Bob Stone |\n", context="| Person | Reports to |\n|---|---|\n")

    assert found == [("Ann Lee", "reports_to", "Bob Stone")]


def test_the_column_team_means_membership_for_people_and_ownership_otherwise() -> None:
    assert triples("| Person | Team |\n|---|---|\n| Ann Lee | Data Team |\n") == [("Ann Lee", "member_of", "Data Team")]
    assert triples("| Service | Team |\n|---|---|\n| Mail | Data Team |\n") == [("Mail", "owned_by", "Data Team")]


def test_an_unknown_column_title_and_a_cell_in_doubt_give_no_triple() -> None:
    table = (
        "| Service | Mascot | Owner |\n|---|---|---|\n| Mail | Grey Owl | Team Otter? |\n| Pay | Fox | ~~Team Elk~~ |\n"
    )
    found = extract(table)

    assert found.triples == ()
    assert "Grey Owl" in {mention.name for mention in found.mentions}


def test_a_row_that_begins_with_a_date_gives_no_triple() -> None:
    assert triples("| Date | Owner |\n|---|---|\n| 2025-01-01 | Data Team |\n") == []


def test_labelled_lines_are_about_the_nearest_heading_that_names_an_entity() -> None:
    text = "- **Owner:** Identity Team\n- **Depends on:** User Database, Redis\nContact: Jane Smith\nNote: none of it\n"

    assert triples(text, headings=("Services", "1.2 Auth Service", "Overview")) == [
        ("Auth Service", "owned_by", "Identity Team"),
        ("Auth Service", "depends_on", "User Database"),
        ("Auth Service", "depends_on", "Redis"),
        ("Auth Service", "contact", "Jane Smith"),
    ]


def test_a_pipe_in_prose_is_no_table() -> None:
    assert triples("We run a | b in the shell of Ann Lee.") == []


def test_a_row_with_a_status_that_is_over_or_to_come_asserts_nothing() -> None:
    rows = [f"| {name} | {status} | order-ledger |\n" for name, status in STATUS_OF.items()]
    table = f"| Service | Status | Depends on |\n|---|---|---|\n{''.join(rows)}"

    assert triples(table) == [("card-vault", "depends_on", "order-ledger")]


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


def test_the_team_of_a_name_that_may_be_a_person_is_no_owner() -> None:
    header = "| Name | Team |\n|---|---|\n"

    assert triples(f"{header}| Orvane Lund | Red Team |") == []
    assert triples("| Service | Team |\n|---|---|\n| Mail | Red Team |") == [("Mail", "owned_by", "Red Team")]


def test_an_interim_holder_is_no_holder() -> None:
    assert triples("| Company | CEO (interim) |\n|---|---|\n| Vikco | Bob Vik |") == []
    assert triples("| Company | CEO |\n|---|---|\n| Vikco | Bob Vik (acting) |") == []


def test_a_column_of_current_owners_is_one_of_owners_and_planned_ones_are_not() -> None:
    table = "| System | Current owner | Planned owner |\n|---|---|---|\n| Ledger Core | Team Heron | Team Vela |\n"
    assert triples(table) == [("Ledger Core", "owned_by", "Team Heron")]


def test_dates_in_columns_of_births_deaths_and_foundations_are_those_dates() -> None:
    rows = "| Person | Born | Died |\n|---|---|---|\n| Eva Rand | 1911-02-03 | 1980 |\n| Uwe Rand | Oslo | Bergen |\n"
    found = triples(f"# Staff\n\n{rows}\n| Company | Founded | CEO |\n|---|---|---|\n| Acme Corp | 1950 | Ann Lee |\n")
    assert ("Eva Rand", "born_on", "1911-02-03") in found
    assert ("Eva Rand", "died_on", "1980") in found
    assert ("Uwe Rand", "born_in", "Oslo") in found
    assert ("Acme Corp", "founded_on", "1950") in found


def test_a_row_on_an_aspect_of_a_thing_that_the_table_does_not_name_states_nothing() -> None:
    rows = "|---|---|\n| Filtering | Redis |\n| Deployment | Gunicorn |\n"

    assert triples(f"| Component | Uses |\n{rows}")
    assert not triples(f"| Layer | Uses |\n{rows}")


def test_a_module_beside_a_standard_does_not_have_it() -> None:
    rows = "|---|---|\n| PKCS#12 | `moss.pkcs12` |\n| X.509 | `moss.x509` |\n"

    assert not triples(f"| Standard | Module |\n{rows}")
