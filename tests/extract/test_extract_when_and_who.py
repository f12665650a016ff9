"""Whom a noun behind a place is of, what a date to come leaves open, and what another sentence takes back."""

import pytest
from extract_helpers import extract, triples, types

from mcp_graphrag import TextInput
from mcp_graphrag.graph import Graph

USES = ("Oak Service", "uses", "Redis")


def times(text: str, predicate: str) -> list[tuple[str | None, str | None]]:
    found = [one for one in extract(text).triples if one.predicate == predicate]
    days = ([moment and moment.date().isoformat() for moment in (one.valid_from, one.valid_to)] for one in found)
    return [(first, last) for first, last in days]


def test_a_noun_for_a_person_behind_a_place_is_of_the_subject() -> None:
    found = triples("Ann Lee was born in Goslar, the daughter of the printer Konrad Lee.")
    assert ("Konrad Lee", "daughter", "Ann Lee") in found
    assert not any("Goslar" in one and "daughter" in one for one in found)


def test_a_name_cut_from_a_title_states_nothing() -> None:
    assert triples("Her best known work, The Dyke at Dusk, is owned by the Museum Blankert.") == []
    found = triples("Her best known work, the Dyke, is owned by the Museum Blankert.")
    assert found == [("Dyke", "owned_by", "Museum Blankert")]


def test_what_goes_somewhere_does_not_travel() -> None:
    assert triples("Telemetry goes to Lantern.") == []


def test_where_a_thing_was_built_is_not_where_it_is() -> None:
    assert triples("The yacht Osprey had been built in Oslo.") == [("Osprey", "constructed_in", "Oslo")]


def test_a_participle_behind_a_role_is_of_its_holder() -> None:
    assert ("Fatima Lee", "replaces", "Joel Moss") in triples("The maintainer is now Fatima Lee, replacing Joel Moss.")


def test_by_behind_the_aside_of_another_is_no_agent() -> None:
    text = "Edmund Lee was succeeded by Doris Moss, not, as the Western Sentinel announced, by Harold Holm."
    assert not any("Western Sentinel" in one for one in triples(text))


def test_software_with_the_form_of_a_persons_name_is_no_person() -> None:
    assert types("The Beacon calls Vega Cache.").get("Vega Cache") != "Person"
    assert types("Beacon depends on Vega Linde.").get("Vega Linde") != "Person"
    assert types("Beacon was founded by Vega Linde.").get("Vega Linde") == "Person"


@pytest.mark.parametrize("when", ["From January", "As of Monday", "Starting next week", "Effective 3 May"])
def test_what_begins_on_a_day_without_a_year_is_not_stored(when: str) -> None:
    assert triples(f"{when}, Ann Lee reports to Bob Moss.") == []


def test_what_began_with_a_year_or_since_is_stored() -> None:
    assert triples("Ann Lee has reported to Bob Moss since January.") == [("Ann Lee", "reports_to", "Bob Moss")]
    assert times("From 3 May 2020, Ann Lee reports to Bob Moss.", "reports_to") == [("2020-05-03", None)]


def test_an_event_planned_for_a_date_holds_from_then() -> None:
    assert times("Oak DB is replaced by Elm DB as of 1 January 2090.", "replaces") == [("2090-01-01", None)]
    assert times("Oak DB was replaced by Elm DB.", "replaces") == [(None, None)]


def test_a_succession_has_the_date_of_the_sentence_in_front() -> None:
    text = "Ann Lee becomes head of Acme Corp on 1 December 2090. She succeeds Eve Moss."
    assert times(text, "successor") == [("2090-12-01", None)]


def test_a_date_in_brackets_in_front_of_the_next_holder_ends_the_first() -> None:
    text = "# Staff\n\n- Head of Engineering: Oskar Lind (from 1 January 2027: Paula Reyes)\n"
    assert times(text, "has_role") == [(None, "2027-01-01")]


@pytest.mark.parametrize(
    "text",
    [
        "Oak Service uses Redis, provided the budget is approved in December.",
        "Oak Service uses Redis. Greta doubted it; to be checked.",
        "Oak Service uses Redis (to be confirmed).",
        "To discuss next time: Oak Service uses Redis.",
        "Experimental, off by default: Oak Service uses Redis.",
        "Reverted: Oak Service uses Redis.",
    ],
)
def test_what_is_conditional_doubted_or_off_is_not_stored(text: str) -> None:
    assert USES not in triples(text)


@pytest.mark.parametrize(
    "text",
    [
        "Oak Service uses Redis, provided by Acme Corp.",
        "Oak Service uses Redis. Greta doubted Bob.",
        "Note: Oak Service uses Redis.",
    ],
)
def test_words_that_only_look_so_take_nothing_back(text: str) -> None:
    assert USES in triples(text)


@pytest.mark.parametrize(
    "heading", ["Old setup (before June 2026)", "Old setup", "Deprecated components", "Setup (until 2024)"]
)
def test_headings_for_what_was_before_state_nothing(heading: str) -> None:
    assert triples("Oak Service uses Redis.", headings=("Notes", heading)) == []
    assert triples("Oak Service uses Redis.", headings=("Notes", "Old Street office")) == [USES]


def test_two_persons_of_one_name_are_not_joined() -> None:
    text = (
        "The chemist Rolf Aune (1920-1999) was born in Bergen and died in Oslo. "
        "The footballer Rolf Aune (1988-2020) was born in Oslo."
    )
    assert not [one for one in triples(text) if "Rolf Aune" in one]
    assert ("Rolf Aune", "born_in", "Bergen") in triples(text.partition(". ")[0] + ".")


def test_a_marriage_ends_with_the_death_that_a_clause_mentions() -> None:
    text = "Marta Holm married Josef Lind in 1946. After Josef's death in 1960 Marta moved to Oslo."
    assert times(text, "spouse") == [("1946-01-01", "1961-01-01")]


def test_a_marriage_that_would_end_before_it_began_is_not_stored() -> None:
    text = (
        "Edmund Lee married first Anne Holm, who died in 1830, and secondly, in 1833 in Truro, Anne's cousin Mary Holm."
    )
    assert not [one for one in triples(text) if "spouse" in one]


def test_the_date_of_a_report_is_not_that_of_the_incident() -> None:
    text = "# Incident review INC-77: double charges\n\nDate: 2026-09-29\nDate of incident: 2026-09-24\n"
    assert not any(predicate == "occurred_on" and day == "2026-09-29" for _, predicate, day in triples(text))


def test_it_behind_a_report_that_is_corrected_is_what_the_report_named(graph: Graph) -> None:
    graph.ingest_text(TextInput("Meridian Mills was founded in 2009.", uri="u:first"))
    text = (
        "Correction: Our article of 10 November said that Meridian Mills was founded in 2009. It was founded in 2007."
    )
    graph.ingest_text(TextInput(text, uri="u:second"))
    assert triples(text) == [("Meridian Mills", "founded_on", "2007")]
    assert graph.check_claim("Meridian Mills was founded in 2007.").verdict != "contradicted"


@pytest.mark.parametrize(
    "text",
    [
        "The mail-api will move from Team Heron to Team Stork in the first quarter of 2090.",
        "The mail-api is moving from Team Heron to Team Stork next spring.",
        "The Crew Planner has replaced the Roster Tool, except in Oslo.",
        "The Crew Planner has replaced the Roster Tool in two of five regions.",
        "Karin Holm leaves the company at the end of the year and is succeeded by Eve Moss.",
        "The Fare Engine is being rewritten by Ann Lee.",
        "Oak Service starts using Redis in January.",
        "Ann Lee is the on-call lead for the Oak Service.",
    ],
)
def test_what_is_planned_partial_or_under_way_is_not_stored_as_done(text: str) -> None:
    assert triples(text) == []


def test_a_succession_with_a_date_of_its_own_holds_from_then() -> None:
    assert times("Ann Lee is succeeded by Eve Moss in June 2090.", "successor") == [("2090-06-01", None)]


def test_she_behind_a_work_with_the_form_of_a_name_is_not_the_work() -> None:
    text = (
        "Ann Holm was a Norwegian biologist. She wrote a guide. "
        "The Tidal Year was followed by Green Shores and the Handbook of Limpets, which she wrote with Eve Moss."
    )
    assert not any("authored_by" in one for one in triples(text))


def test_brackets_in_a_cell_are_of_the_item_in_front() -> None:
    table = "| Service | Depends on |\n|---|---|\n| `mail-api` | `auth-api`, `log-api` (until 2090), `push-api` |\n"
    found = {one.object: one.valid_to and one.valid_to.year for one in extract(table).triples}
    assert found == {"auth-api": None, "log-api": 2090, "push-api": None}
