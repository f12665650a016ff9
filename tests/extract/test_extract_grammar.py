"""What the grammar of a sentence does not state gives no triple, however near the names are to each other."""

import pytest
from extract_helpers import triples


@pytest.mark.parametrize(
    "text",
    [
        # The subject or object is a longer noun phrase, not the name in it.
        "The son of John Hale was born in Leeds.",
        "A friend of John Hale founded Orbis Foods.",
        "A subsidiary of Orbis Foods was acquired by Tern Bank.",
        "Part of Orbis Foods was sold to Tern Bank.",
        "The predecessor of Orbis Foods was founded by John Hale in 1880.",
        "The head of Orbis Foods owns Tern Bank.",
        "The tests of the Ledger Service use Kafka.",
        "Logs from the Billing Service are stored in Kafka.",
        "The failure of Redis was caused by Kafka.",
        "A third of Acme Corp is owned by Globex Inc.",
        "Contrary to legend, Bitter Tea was written by John Hale's wife.",
        "The first half of Night Talk was directed by Anna Pike.",
        "Ana Petrova reports to Marcus Webb's successor.",
        "The service that replaced the Auth Service depends on Redis.",
        "The company that John Hale founded acquired Tern Bank.",
        # Other nouns than those of the predicate.
        "Anna Pike is the deputy chairman of Tern Bank.",
        "Anna Pike is the foster mother of Karl Voss.",
        "Ana Petrova is a candidate for the lead of the Core Team.",
        # Which of two nouns the clause is about is open.
        "Anna Pike knows a school in Leeds founded by Karl Voss.",
        "Anna Pike works for a bank in Leeds owned by Karl Voss.",
        # Lists that say less, or something else.
        "Bitter Tea was written by Anna Pike or Karl Voss.",
        "Orbis Foods owns everything except Tern Bank.",
        "It was Anna Pike, not John Hale, who founded Orbis Foods.",
        # Not so, not yet, or only in another world.
        "Zenit nearly acquired Hale Works.",
        "Tern Bank is half owned by Orbis Foods.",
        "In the novel, Anna Pike founded Tern Bank.",
        "From next year, the Ledger Service depends on Kafka.",
        "After the migration, the Auth Service depends on Redis.",
        "In the target architecture, the Auth Service uses Redis.",
        "Make sure the Portal Service depends on Redis.",
        "Anna Pike founded Tern Bank, some say.",
        "True or false: Orbis Foods owns Tern Bank.",
        # No sentence.
        "GitHub prompting tutorial, Sheets and Docs.",
    ],
)
def test_what_the_grammar_does_not_state_gives_no_triple(text: str) -> None:
    assert triples(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("John Hale, whose father was born in Leeds, lives in Bonn.", [("John Hale", "lives_in", "Bonn")]),
        ("The River Merrow rises on Cold Fell and flows through Vale.", [("River Merrow", "flows_through", "Vale")]),
        ("Anna Pike was born three days before Karl Voss died in Bonn.", [("Karl Voss", "died_in", "Bonn")]),
        ("Arthur Blake was born in Dover, and Leonard Blake in Calais.", [("Arthur Blake", "born_in", "Dover")]),
        ("The current CTO is Robert Nyberg.", [("Robert Nyberg", "has_role", "CTO")]),
    ],
)
def test_a_clause_is_about_its_own_subject(text: str, expected: list[tuple[str, str, str]]) -> None:
    assert triples(text) == expected


def test_he_is_the_nearest_subject_that_may_be_a_person() -> None:
    found = triples("Alex Moreau joined the Messaging Team. Alex Kim is tall; he leads the Discovery Team.")

    assert ("Alex Moreau", "leads", "Discovery Team") not in found


def test_the_noun_and_not_the_name_behind_of_is_what_the_sentence_is_about() -> None:
    assert triples("The wife of Arvid Holm was the translator Edith Sorn.") == [("Arvid Holm", "wife", "Edith Sorn")]
    assert triples("The wife of Arvid Holm joined Acme.") == []
