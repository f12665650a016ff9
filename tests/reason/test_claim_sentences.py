"""Sentences read as claims, whole or not at all, with their verdicts."""

from collections.abc import Callable

import pytest
from cached_files import Setup
from claim_helpers import check, day, read, reason_texts, relate

from mcp_graphrag.edit.inputs import TextInput
from mcp_graphrag.errors import BadInput
from mcp_graphrag.graph import Graph
from mcp_graphrag.model import Candidate, Origin, When
from mcp_graphrag.reason.parse_claims import CheckedText
from mcp_graphrag.store.engine.transaction import now


@pytest.fixture
def shop(after: Callable[[Setup], Graph]) -> Graph:
    return after(open_shop)


def open_shop(graph: Graph) -> None:
    """A shop that Crew had until March 2025 and Club has since, and what it and the till depend on."""
    relate(graph, "Shop depends_on Vault", "Till depends_on Shop", "Till depends_on Vault")
    relate(graph, "Shop owned_by Crew", valid_to=day(2025, 3))
    relate(graph, "Shop owned_by Club", valid_from=day(2025, 3))
    relate(graph, "Kiosk depends_on Till", valid_from=day(2019), valid_to=day(2023))
    relate(graph, "Amber frobs Vault", "Amber frobs Crew", "error:timeout resolved_by Restart")
    relate(graph, "Bert godparent Carl", "Ruritania metropolis Strelsau", "Bert age 40")
    graph.add_triples([Candidate("Bert", "day of arrival", "14 May 1961")], origin=Origin("test"))
    rules = {"functional": True, "swapped_lexicon": ["is the arrival of"], "lexicon": ["arrived on", "arrived in"]}
    graph.add_ontology("days", {"predicates": {"day of arrival": rules}})


def claimed(found: CheckedText) -> list[str]:
    """The claims that were read, in words, with the first letter of their verdicts."""
    return [f"{claim.claim.in_words()} {claim.verdict[0]}" for claim in found.claims]


def short(found: CheckedText) -> list[str]:
    """The claims without their predicates."""
    names = ("depends_on", "owned_by", "frobs", "godparent", "metropolis", "day_of_arrival", "is_a")
    texts = claimed(found)
    for name in names:
        texts = [text.replace(f"-[{name}]->", ">") for text in texts]
    return texts


CLAUSES: dict[str, list[str]] = {
    "Shop depends on the Vault.": ["Shop > Vault s"],
    "Shop DEPENDS_ON Vault": ["Shop > Vault s"],
    "Shop -[depends_on]-> Vault": ["Shop > Vault s"],
    "Vault -[depends_on]-> Shop": ["Vault > Shop u"],
    "Club owns the Shop": ["Shop > Club s"],
    "The Shop is owned by the Crew.": ["Shop > Crew c"],
    "Shop does not depend on Vault": ["not Shop > Vault c"],
    "Shop doesn't depend on Vault.": ["not Shop > Vault c"],
    "Shop isn’t owned by Crew.": ["not Shop > Crew s"],
    "Shop also depends on Vault.": ["Shop > Vault s"],
    "Vault is depended on by Shop.": ["Shop > Vault s"],
    "error:timeout was resolved by Restart": [
        "error:timeout -[resolved_by]-> Restart, at any time so far s",
    ],
    "Bert's godparent is Carl.": ["Bert > Carl s"],
    "Carl is Bert’s godparent.": ["Bert > Carl s"],
    "The godparent of Bert is Carl": ["Bert > Carl s"],
    "Carl is the godparent of Bert.": ["Bert > Carl s"],
    "Bert is the godparent of Carl.": ["Carl > Bert u"],
    "Strelsau is the metropolis of Ruritania.": ["Ruritania > Strelsau s"],
    "Ruritania is the metropolis of Strelsau.": ["Strelsau > Ruritania u"],
    "Bert's godparent is not Carl.": ["not Bert > Carl c"],
    "Shop is a Microservice.": ["Shop > Microservice s"],
    "Shop is not a component": ["not Shop > Component c"],
    "It is false that Shop depends on Vault.": ["not Shop > Vault c"],
    "It isn't true that Shop depends on Vault.": ["not Shop > Vault c"],
    "It is not the case that Shop does not depend on Vault.": ["Shop > Vault s"],
    "It is true that Shop depends on Vault.": ["Shop > Vault s"],
}
QUESTIONS: dict[str, list[str]] = {
    "Does Shop depend on Vault?": ["Shop > Vault s"],
    "Is Shop owned by Club?": ["Shop > Club s"],
    "Is it true that Shop is owned by Club?": ["Shop > Club s"],
    "Is Carl the godparent of Bert?": ["Bert > Carl s"],
    "Is Carl Bert's godparent?": ["Bert > Carl s"],
    "Is Bert's godparent Carl?": ["Bert > Carl s"],
    "Is the godparent of Bert Carl?": ["Bert > Carl s"],
    "Is Shop a Component?": ["Shop > Component s"],
    "Did Bert arrive in 1961?": ["Bert > 1961, at any time so far s"],
}
LISTS: dict[str, list[str]] = {
    "Till depends on Shop, and Shop depends on Vault.": ["Till > Shop s", "Shop > Vault s"],
    "Till depends on Shop; Shop depends on Vault.": ["Till > Shop s", "Shop > Vault s"],
    "Till depends on Shop and Vault.": ["Till > Shop s", "Till > Vault s"],
    "Till depends on Shop, Amber, and the Vault.": ["Till > Shop s", "Till > Amber u", "Till > Vault s"],
    "Till and Shop depend on Vault.": ["Till > Vault s", "Shop > Vault s"],
    "Both Till and Shop depend on Vault.": ["Till > Vault s", "Shop > Vault s"],
    "Neither Shop nor Till depends on Vault.": ["not Shop > Vault c", "not Till > Vault c"],
    "Till depends on Shop and is owned by Club.": ["Till > Shop s", "Till > Club u"],
    "Amber frobs Vault and Shop frobs Crew.": ["Amber > Vault s", "Shop > Crew u"],
    "Till depends on Shop and the Ghost Cache.": ["Till > Shop s", "Till > Ghost Cache u"],
}


@pytest.mark.parametrize(("text", "claims"), (CLAUSES | QUESTIONS | LISTS).items())
def test_a_sentence_is_read_as_claims_with_verdicts(shop: Graph, text: str, claims: list[str]) -> None:
    found = read(shop, text)
    assert (short(found), list(found.unread)) == (claims, [])


TIMES: dict[str, str] = {
    "In January 2025 the Shop was owned by Crew.": "Shop > Crew, within 2025-01 s",
    "In January 2025, Shop was owned by Club.": "Shop > Club, within 2025-01 c",
    "On 5 May 2023 the Shop was owned by Crew.": "Shop > Crew, within 2023-05-05 s",
    "Shop was owned by Club in 2025.": "Shop > Club, within 2025 s",
    "Shop was owned by Amber in 2025.": "Shop > Amber, within 2025 c",
    "Shop was not owned by Club in 2025.": "not Shop > Club, within 2025 c",
    "Since 2020 Kiosk depends on Till.": "Kiosk > Till, since 2020 u",
    "Since 2020 Kiosk does not depend on Till.": "not Kiosk > Till, since 2020 c",
    "Since 2020, Shop is owned by Club.": "Shop > Club, since 2020 c",
    "Shop is owned by Club since March 2025.": "Shop > Club, since 2025-03 s",
    "Shop is owned by Club since April 2025.": "Shop > Club, since 2025-04 u",
    "Shop was owned by Crew until 1 March 2025.": "Shop > Crew, until 2025-03-01 s",
    "Shop was owned by Crew until 2023.": "Shop > Crew, until 2023 u",
    "Shop was owned by Club until 2023.": "Shop > Club, until 2023 c",
    "Kiosk depended on Till from 2019 to 2022.": "Kiosk > Till, from 2019 to 2022 s",
    "Kiosk depended on Till from 2020 to 2024.": "Kiosk > Till, from 2020 to 2024 u",
    "Kiosk depended on Till from 2019 to 2024.": "Kiosk > Till, from 2019 to 2024 u",
    "From 2021 to 2023 Shop was owned by Club.": "Shop > Club, from 2021 to 2023 c",
    "Kiosk depends on Till.": "Kiosk > Till u",
    "Kiosk depended on Till.": "Kiosk > Till, at any time so far s",
    "Kiosk once depended on Till.": "Kiosk > Till, once s",
    "Kiosk used to depend on Till.": "Kiosk > Till, once s",
    "Shop was once owned by Club.": "Shop > Club, once u",
    "Shop was formerly owned by Amber.": "Shop > Amber, once u",
    "Kiosk no longer depends on Till.": "Kiosk > Till, no longer s",
    "Shop no longer depends on Vault.": "Shop > Vault, no longer c",
    "Shop is no longer owned by Amber.": "Shop > Amber, no longer u",
    "Shop was owned by Amber.": "Shop > Amber, at any time so far u",
    "Shop was never owned by Crew.": "never Shop > Crew c",
    "Shop never depended on Amber.": "never Shop > Amber u",
}


@pytest.mark.parametrize(("text", "claim"), TIMES.items())
def test_tense_and_both_ends_of_a_time_count(shop: Graph, text: str, claim: str) -> None:
    assert short(read(shop, text)) == [claim]


DATES: dict[str, str] = {
    "Bert arrived on 14 May 1961.": "s",
    "Bert arrived on May 14, 1961.": "s",
    "Bert arrived in 1961.": "s",
    "Bert's day of arrival is May 1961.": "s",
    "Bert arrived in 1962.": "c",
    "Bert arrived on 15 May 1961.": "c",
    "Bert did not arrive in 1962.": "s",
    "14 May 1961 is the day of arrival of Bert.": "s",
}


@pytest.mark.parametrize(("text", "verdict"), DATES.items())
def test_dates_are_compared_as_dates_at_the_precision_said(shop: Graph, text: str, verdict: str) -> None:
    assert [claim.verdict[0] for claim in read(shop, text).claims] == [verdict]


def test_a_date_that_is_less_exact_than_the_claim_decides_nothing(graph: Graph) -> None:
    graph.add_ontology("days", {"predicates": {"arrival": {"functional": True}}})
    graph.add_triples([Candidate("Bert", "arrival", "1961")], origin=Origin("test"))
    said = ("Bert's arrival is 14 May 1961.", "Bert's arrival is 14 May 1962.")
    assert [read(graph, text).verdict for text in said] == ["unknown", "contradicted"]


UNREAD: dict[str, str] = {  # sentence: the words that were not read
    "The Shop is quite nice.": "quite nice",
    "Shop is a Scottish Microservice.": "Scottish Microservice",
    "Shop may depend on Vault.": "may depend",
    "Shop might not depend on Vault.": "might not depend",
    "Shop depends only on Vault.": "depends only",
    "Shop probably depends on Vault.": "probably depends",
    "Perhaps Shop depends on Vault.": "Perhaps",
    "Shop depends on Vault or Till.": "or",
    "Shop depends on nearly all of Vault.": "depends on nearly all",
    "Bob said the Shop depends on Vault.": "Bob said",
    "If Shop depends on Vault, Till does.": "If",
    "Shop depends on Vault, but is charming.": "but is charming",
    "Shop babysits Vault.": "babysits",
    "Shop was owned by Crew in 2024 and by Club from 2025.": "Not read, as",
    "Shop should have depended on Vault.": "should have depended",
    "Some say Shop depends on Vault.": "Some say",
    "Shop's godparent includes zero Vault.": "godparent includes zero",
    "Shop was planned to depend on Vault.": "planned to depend",
    "What depends on Vault?": "What depends",
    "The recommended way is rotating keys.": "recommended way is rotating keys",
}


@pytest.mark.parametrize(("text", "words"), UNREAD.items())
def test_a_sentence_of_which_a_word_is_not_read_is_unknown_and_the_note_has_the_word(
    shop: Graph, text: str, words: str
) -> None:
    found = read(shop, text)
    assert (found.verdict, claimed(found), list(found.unread)) == ("unknown", [], [text])
    assert words in found.notes[0]


def test_one_unread_sentence_keeps_a_text_from_being_supported(shop: Graph) -> None:
    found = read(shop, "Shop depends on Vault. Vault babysits. Till depends on Shop.")
    assert (found.verdict, [claim.verdict for claim in found.claims]) == ("unknown", ["supported"] * 2)
    assert (list(found.unread), list(found.notes)) == (
        ["Vault babysits."],
        ["Not read because of 'babysits': Vault babysits."],
    )
    assert read(shop, "Shop is owned by Crew. Vault babysits.").verdict == "contradicted"


def test_words_of_stored_names_are_no_words_of_the_sentence(shop: Graph) -> None:
    names = ["If Only Shop", "May", "Vault and Sons", "Who", "C. D. Mill"]
    shop.add_triples([Candidate(name, "depends_on", "Vault") for name in names], origin=Origin("test"))
    for name in names:
        found = read(shop, f"{name} depends on Vault.")
        assert (name, found.verdict, [one.claim.subject for one in found.claims]) == (name, "supported", [name])


def test_more_names_in_the_graph_leave_a_claim_readable(shop: Graph) -> None:
    before = read(shop, "Is Bert's godparent Carl?")
    more = ["godparent", "Bert's", "Carl?", "Is", "depends", "on Vault", "the"]
    shop.add_triples([Candidate(name, "depends_on", "Strelsau") for name in more], origin=Origin("test"))
    assert short(read(shop, "Is Bert's godparent Carl?")) == short(before)
    assert short(read(shop, "Shop depends on the Vault.")) == ["Shop > Vault s"]


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ("Strelsau is the metropolis of Ruritania.", "metropolis of Ruritania"),
        ("The metropolis of Ruritania is Strelsau.", "metropolis of Ruritania"),
        ("Is Strelsau the metropolis of Ruritania?", "the metropolis of Ruritania"),
        ("Carl is Bert's godparent.", "Bert's godparent"),
        ("Strelsau is the metropolis of Ruritania.", "of Ruritania"),
        ("Strelsau is the metropolis of Ruritania.", "Strelsau is"),
    ],
)
def test_a_stored_name_of_words_of_the_sentence_leaves_it_readable(shop: Graph, text: str, phrase: str) -> None:
    before = read(shop, text)
    shop.add_triples([Candidate(phrase, "shown in", "Quiz 4")], origin=Origin("test"))
    assert (before.verdict, short(read(shop, text))) == ("supported", short(before))
    assert read(shop, f"{phrase[0].upper()}{phrase[1:]} is shown in Quiz 4.").verdict == "supported"


def test_a_title_of_such_words_stays_a_name(shop: Graph) -> None:
    shop.add_triples([Candidate("Godparent of Bert", "is_a", "novel")], origin=Origin("test"))
    assert read(shop, "Godparent of Bert is a novel.").verdict == "supported"
    assert read(shop, "Carl is the Godparent of Bert.").verdict == "unknown"


def test_an_unknown_name_is_unknown_with_the_nearest_names(shop: Graph) -> None:
    for text in ("Kioskk depends on Till.", "Does Till depend on Kioskk?"):
        found = read(shop, text)
        notes = [note for claim in found.claims for note in claim.notes]
        assert found.verdict == "unknown"
        assert notes
        assert notes[0].startswith("No entity named 'Kioskk'. Nearest: Kiosk")
    (claim,) = read(shop, "Shop was owned by the Ghost Team.").claims
    assert (claim.verdict, claim.notes[0][:27]) == ("unknown", "No entity named 'Ghost Team")


def test_ended_triples_are_listed_with_dates_and_undated_ones_are_noted(shop: Graph) -> None:
    (ended,) = read(shop, "Since 2020 Kiosk depends on Till.").claims
    assert reason_texts(ended.other_times) == ["Kiosk depends_on Till: held until 2023-01-01"]
    for text in ("In 2024 Shop depended on Vault.", "Shop depends on Vault since 2020."):
        (undated,) = read(shop, text).claims
        assert (undated.verdict, list(undated.notes)) == ("unknown", ["It is stored without dates."])
        assert reason_texts(undated.other_times) == ["Shop depends_on Vault: direct"]


def test_the_date_of_an_event_counts_and_the_past_tense_of_a_state_is_not_the_present(graph: Graph) -> None:
    prize = Candidate("Salt Road", "won", "Golden Lantern", metadata={"when": "1959"})
    graph.add_triples([prize], origin=Origin("test"))
    text = "Mill Song was directed by Ada Brook. Paul Reiter lived in Graz. "
    text += "Mill Team is located in Graz. Old Team was located in Linz."
    graph.ingest_text(TextInput(text, uri="note:1"))
    verdicts = {
        "Salt Road won Golden Lantern in 1959.": "supported",
        "Salt Road won Golden Lantern in 1970.": "unknown",
        "Salt Road won Golden Lantern.": "supported",
        "Mill Song is directed by Ada Brook.": "supported",
        "Paul Reiter lived in Graz.": "supported",
        "Paul Reiter lives in Graz.": "unknown",
        "Mill Team is located in Graz.": "supported",
        "Old Team was located in Linz.": "supported",
        "Old Team is located in Linz.": "unknown",
    }
    assert {text: read(graph, text).verdict for text in verdicts} == verdicts


def test_claims_about_a_name_of_several_are_supported_of_one_of_them(graph: Graph) -> None:
    relate(graph, "Mercury orbits Sun", types={"Mercury": "Planet"})
    relate(graph, "Mercury fills Till", types={"Mercury": "Element"})
    assert read(graph, "Mercury orbits Sun.").verdict == "supported"
    found = read(graph, "Mercury orbits Sun and fills Till.")
    assert (found.verdict, [claim.verdict for claim in found.claims]) == ("unknown", ["unknown"] * 2)
    assert "of no single one" in found.claims[0].notes[-1]


@pytest.mark.parametrize("text", ["", "  ", "x" * 5000])
def test_an_empty_or_very_long_text_is_refused(graph: Graph, text: str) -> None:
    relate(graph, "Shop owned_by Crew")
    with pytest.raises(BadInput):
        read(graph, text)


def test_a_claim_is_checked_against_what_was_known_at_a_time(graph: Graph) -> None:
    relate(graph, "Shop depends_on Till", "Vault depends_on Shop")
    between = now()
    relate(graph, "Till depends_on Vault")
    verdicts = [check(graph, "Shop depends_on Vault", When(known_at=known)).verdict for known in (None, between)]
    assert verdicts == ["supported", "unknown"]


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        ("Olaf is the parent of Ingrid.", "supported"),
        ("Ingrid is the child of Olaf.", "supported"),
        ("Olaf is the father of Ingrid.", "unknown"),  # or her mother
        ("Ana Lee is the current ceo of Orbis.", "supported"),
        ("Ana Lee leads the Identity team.", "supported"),
        ("Ana Lee leads the Identity service.", "unknown"),
    ],
)
def test_what_stored_triples_state_is_read_in_other_words(graph: Graph, claim: str, verdict: str) -> None:
    given = [("Olaf", "daughter", "Ingrid"), ("Orbis", "ceo", "Ana Lee")]
    graph.add_triples([Candidate(*each) for each in given])
    graph.add_triples([Candidate("Ana Lee", "leads", "Identity", "Person", "Team")])
    assert graph.check_claim(claim).verdict == verdict
