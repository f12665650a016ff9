"""What a sentence does not say of the names in it: what it excludes, reports, tells as a story or says of others."""

import pytest

from tests.extract_helpers import extract, triples

MILL = ("Harbour Mill", "owned_by", "Team Heron")


@pytest.mark.parametrize(
    "text",
    [
        "The Harbour Mill is owned by Team Heron, not by Team Stork.",
        "The Harbour Mill is owned by Team Heron and no longer by Team Stork.",
        "The Harbour Mill is owned by Team Heron rather than by Team Stork.",
        "The Harbour Mill is owned by Team Heron instead of by Team Stork.",
        "The Harbour Mill is owned by Team Heron, not only by Team Stork.",
        "The Harbour Mill is owned by Team Heron, and formerly by Team Stork.",
    ],
)
def test_an_agent_that_is_excluded_is_left_out(text: str) -> None:
    assert triples(text) == [MILL]


def test_not_only_with_but_names_both() -> None:
    text = "The Harbour Mill is owned not only by Team Heron but also by Team Stork."
    assert triples(text) == [MILL, ("Harbour Mill", "owned_by", "Team Stork")]


def test_all_but_one_is_not_that_one() -> None:
    assert triples("The Harbour Mill is used by all but Team Stork.") == []


def test_a_noun_is_not_of_what_is_excluded() -> None:
    text = "Ann Lee is the founder of Acme Corp but not of Bolt Corp."
    assert triples(text) == [("Acme Corp", "founded_by", "Ann Lee")]


def test_unlike_another_says_nothing_against_the_clause() -> None:
    text = "The Lock Service depends on Redis, unlike the Quay Service."
    assert triples(text) == [("Lock Service", "depends_on", "Redis")]


def test_the_verb_behind_a_whose_clause_is_of_the_name_in_front() -> None:
    found = triples("Paul Brandt, whose wife Anna Brandt was an engineer, died in 1951.")
    assert found == [("Anna Brandt", "is_a", "engineer"), ("Paul Brandt", "died_on", "1951")]


def test_a_noun_behind_a_name_in_a_relative_clause_describes_nobody_for_certain() -> None:
    assert triples("Hugo Brandt, whose brother Otto Brandt, a poet, lived in Leeds, founded Brandt Works.") == []


def test_a_name_behind_a_comma_may_be_of_the_outer_noun() -> None:
    assert triples("The daughter of Karl Brandt's brother, Clara Brandt, founded Brandt Press.") == []


@pytest.mark.parametrize("month", ["April", "May", "June"])
def test_a_given_name_that_is_a_month_is_part_of_the_name(month: str) -> None:
    text = f"Hugo Brandt wrote Blue Sand. Red Sand was written by {month} Brandt."
    assert triples(text)[-1] == ("Red Sand", "authored_by", f"{month} Brandt")


def test_a_month_behind_in_is_no_given_name() -> None:
    assert ("Acme Corp", "acquired_by", "Bolt Corp") in triples("In May Bolt Corp acquired Acme Corp.")


def test_a_surname_with_a_title_in_front_of_a_full_name_may_be_of_another() -> None:
    text = "General Brandt led the Guard. His brother Hugo Brandt was a priest. The Fleet was led by Brandt."
    assert triples(text)[-1] == ("Fleet", "led_by", "Brandt")


@pytest.mark.parametrize(
    "text",
    [
        "The doors were made by Dorma, the windows by Velox.",
        "Her hull was built by Norsk Verft, her mast by Sparman.",
    ],
)
def test_the_subject_of_a_gapped_clause_describes_no_name(text: str) -> None:
    assert not [one for one in triples(text) if one[1] in {"created_by", "located_in"}]


def test_a_city_in_a_country_describes_the_name_in_front() -> None:
    assert ("Rome", "located_in", "Italy") in triples("Acme Corp is based in Rome, the largest city in Italy.")


@pytest.mark.parametrize(
    "verb", ["handed the Lock Service over", "transferred the Lock Service", "passed the Lock Service on"]
)
def test_who_hands_over_had_it_before(verb: str) -> None:
    found = extract(f"In May 2025 Team Heron {verb} to Team Stork.").triples
    assert [(one.subject, one.object, one.valid_from is not None, one.valid_to is not None) for one in found] == [
        ("Lock Service", "Team Heron", False, True),
        ("Lock Service", "Team Stork", True, False),
    ]


def test_who_takes_over_a_thing_replaces_nobody() -> None:
    found = triples("Team Stork took over the Lock Service from Team Heron in May 2025.")
    assert found == [("Lock Service", "owned_by", "Team Heron"), ("Lock Service", "owned_by", "Team Stork")]


def test_a_team_that_hands_over_is_not_handed_over() -> None:
    assert triples("Team Heron hands over to Team Stork on 1 May 2025.") == []


def test_training_at_a_place_is_not_teaching_there() -> None:
    assert triples("Ann Lee is a runner. She trained at Harbour Stadium with Bob Stone.") == [
        ("Ann Lee", "is_a", "runner")
    ]


@pytest.mark.parametrize("event", ["Congress of Leeds", "Harbour Concert", "Leeds Summit"])
def test_who_attends_an_event_is_not_educated_there(event: str) -> None:
    assert triples(f"The {event} was attended by Ann Lee.") == []


def test_who_attends_a_school_is_educated_there() -> None:
    assert triples("Ann Lee attended Harbour College.") == [("Ann Lee", "educated_at", "Harbour College")]


def test_what_is_going_to_be_done_is_not_done() -> None:
    assert triples("The Lock Service is going to use Kafka.") == []


@pytest.mark.parametrize(
    "report",
    [
        ", the newspaper Daily Harbour wrote on Monday",
        ", the paper Harbour Post reported last week",
        ", two people familiar with the matter said",
        ", people close to the deal told the Harbour Post",
        ", as Bolt Corp likes to claim",
        ", as reported by the Harbour Post",
    ],
)
def test_what_is_reported_behind_a_sentence_is_not_asserted(report: str) -> None:
    assert triples(f"Acme Corp was acquired by Bolt Corp{report}.") == []


def test_what_others_say_of_an_excluded_name_is_no_report_of_the_sentence() -> None:
    text = "Ann Lee is buried in Leeds, not in Oslo as the old catalogue says."
    assert triples(text) == [("Ann Lee", "buried_in", "Leeds")]


def test_what_others_say_between_commas_is_not_asserted() -> None:
    assert triples("Acme Corp, critics say, is owned by Bolt Corp.") == []


def test_a_sentence_that_only_opens_with_a_date_is_no_report() -> None:
    assert ("Red Sand", "authored_by", "Ann Lee") in triples("In 1990, Ann Lee wrote Red Sand.")


@pytest.mark.parametrize(
    "couple",
    [
        "Ann Lee, who was then married to Bob Stone,",
        "Ann Lee, then the wife of Bob Stone,",
        "Bob Stone's then wife Ann Lee",
    ],
)
def test_who_was_married_then_is_not_married_now(couple: str) -> None:
    predicates = {predicate for _, predicate, _ in triples(f"{couple} founded Lantern Films.")}
    assert predicates <= {"founded_by"}


def test_who_owned_a_thing_then_does_not_own_it_now() -> None:
    assert triples("The Lock Service, then owned by Team Heron, failed.") == []


def test_what_happened_then_is_kept() -> None:
    assert triples("Acme Corp was then acquired by Bolt Corp.") == [("Acme Corp", "acquired_by", "Bolt Corp")]


def test_a_name_that_ends_in_as_does_not_open_a_period() -> None:
    found = extract("Ann Lee was director of the Harbour Institute of Warm Seas from 1996 to 2009.").triples
    assert [(one.valid_from and one.valid_from.year, one.valid_to and one.valid_to.year) for one in found] == [
        (1996, 2009)
    ]


def test_a_period_behind_and_is_of_the_next_name_alone() -> None:
    found = extract("The Lock Service is owned by Team Heron and, since 2025, by Team Stork.").triples
    assert [(one.object, one.valid_from and one.valid_from.year) for one in found] == [
        ("Team Heron", None),
        ("Team Stork", 2025),
    ]


def test_a_story_goes_on_behind_its_first_sentence() -> None:
    story = "In the novel, the painter Clara Brandt marries Otto Lind. Hugo Brandt is the father of Clara Brandt."
    assert triples(story) == []
    assert triples(f"{story}\n\nAnn Lee is the author of Red Sand.") == [("Red Sand", "authored_by", "Ann Lee")]


def test_a_sentence_about_the_work_itself_is_no_part_of_its_story() -> None:
    text = "In the novel, the painter Clara Brandt marries Otto Lind. Red Sand was published by Acme Corp."
    assert triples(text) == [("Red Sand", "published_by", "Acme Corp")]


@pytest.mark.parametrize(
    "text",
    [
        "On Windows the Ember Service depends on WSL.",
        "On Ubuntu, the Ember Service uses Redis.",
        "Tomorrow the Ember Service depends on Redis.",
    ],
)
def test_what_holds_on_a_platform_or_tomorrow_is_not_asserted(text: str) -> None:
    assert triples(text) == []
