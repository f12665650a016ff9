from collections.abc import Callable

import pytest
from cached_files import Setup
from claim_helpers import check, day, read, reason_texts, relate

from mcp_graphrag.errors import BadInput
from mcp_graphrag.graph import Graph
from mcp_graphrag.model import Candidate, Origin, When
from mcp_graphrag.reason.parse_claims import CheckedText
from mcp_graphrag.store.engine.transaction import now

SENTENCES: list[tuple[str, list[str], str]] = [
    ("The Mill Service depends on the River Database.", ["Mill Service -[depends_on]-> River Database"], "supported"),
    ("Harbour Team owns the Mill Service", ["Harbour Team -[owns]-> Mill Service"], "supported"),
    ("the mill service is owned by the sea team", ["mill service -[owned_by]-> sea team"], "contradicted"),
    (
        "Mill Service does not depend on River Database",
        ["not Mill Service -[depends_on]-> River Database"],
        "contradicted",
    ),
    ("Mill Service isn't owned by the Sea Team.", ["not Mill Service -[owned_by]-> Sea Team"], "supported"),
    ("The Mill Service is a component.", ["Mill Service -[is_a]-> Component"], "supported"),
    (
        "Mill Service depends on River Database. Sea Team owns the Mill Service.",
        ["Mill Service -[depends_on]-> River Database", "Sea Team -[owns]-> Mill Service"],
        "contradicted",
    ),
    (
        "Mill Service depends on River Database, and River Database depends on Mill Service.",
        ["Mill Service -[depends_on]-> River Database", "River Database -[depends_on]-> Mill Service"],
        "unknown",
    ),
    ("The Mill Service is owned by the Ghost Team.", ["Mill Service -[owned_by]-> Ghost Team"], "unknown"),
    ("The Mill Service is quite nice.", [], "unknown"),
    (
        "Mill Service isn't owned by the Sea Team and the River Database rains on Fridays.",
        ["not Mill Service -[owned_by]-> Sea Team"],
        "unknown",
    ),
    (
        "Mill Service babysits the River Database, which is owned by the Harbour Team.",
        ["River Database -[owned_by]-> Harbour Team"],
        "unknown",
    ),
]


@pytest.mark.parametrize(("text", "claims", "verdict"), SENTENCES)
def test_sentences_are_read_as_claims_with_verdicts(graph: Graph, text: str, claims: list[str], verdict: str) -> None:
    names = {"Mill Service": "Service", "River Database": "Database", "Harbour Team": "Team", "Sea Team": "Team"}
    said = [
        ("Mill Service", "depends_on", "River Database"),
        ("Mill Service", "owned_by", "Harbour Team"),
        ("Dock", "owned_by", "Sea Team"),
    ]
    candidates = [Candidate(a, p, b, subject_type=names.get(a), object_type=names.get(b)) for a, p, b in said]
    graph.add_triples(candidates, origin=Origin("test"))
    found = read(graph, text)
    assert ([claim.claim.in_words() for claim in found.claims], found.verdict) == (claims, verdict)


def test_a_claim_is_checked_at_the_date_in_its_sentence(graph: Graph) -> None:
    relate(graph, "Shop owned_by Crew", valid_to=day(2025, 3))
    relate(graph, "Shop owned_by Club", valid_from=day(2025, 3))
    found = read(graph, "Shop was owned by Crew until 1 March 2025.")
    assert [(claim.verdict, claim.claim.as_of is not None) for claim in found.claims] == [("supported", True)]


@pytest.fixture
def shop(after: Callable[[Setup], Graph]) -> Graph:
    return after(open_shop)


def open_shop(graph: Graph) -> None:
    """A shop that Crew had until March 2025 and Club has since, and what it and the till depend on."""
    relate(graph, "Shop depends_on Vault", "Till depends_on Shop", "Till depends_on Vault")
    relate(graph, "Shop owned_by Crew", valid_to=day(2025, 3))
    relate(graph, "Shop owned_by Club", valid_from=day(2025, 3))
    relate(graph, "Kiosk depends_on Till", valid_from=day(2019), valid_to=day(2023))
    relate(graph, "Amoxil activates PBP3")


def claimed(found: CheckedText) -> list[str]:
    """The claims that were read, in words."""
    return [claim.claim.in_words() for claim in found.claims]


HEDGES: dict[str, list[str]] = {
    "The Shop {} depend on the Vault.": ["may", "might", "can", "can't", "could", "should", "would", "will", "MUST"],
    "Shop {} depends on Vault.": ["only", "probably", "possibly", "allegedly"],
    "{} Shop depends on Vault.": ["If", "Only", "Perhaps", "Some say|say", "Nobody believes that|Nobody"],
    "{} that Shop depends on Vault.": ["I doubt|doubt", "Bob says|says that", "There is no evidence|There is no"],
    "Shop {} depend on Vault.": ["used to", "is said to|said to"],
    "Bob said the {}": ["Shop depends on Vault|said"],
    "Shop depends on Vault{}": ["?", " or Till| or", " is a myth|myth"],
    "{} Shop depend on Vault?": ["Does"],
    "Shop was owned by Crew in 2024 and by Club {}.": ["in 2026"],
    "Shop does not depend on Till, {} does Till depend on Kiosk": ["nor"],
}


@pytest.mark.parametrize(
    ("text", "word"),
    [
        (frame.format(words.split("|")[0]), words.split("|")[-1].strip())
        for frame, hedges in HEDGES.items()
        for words in hedges
    ],
)
def test_a_hedged_sentence_is_not_read_and_the_note_has_the_hedge(shop: Graph, text: str, word: str) -> None:
    found = read(shop, text)
    assert (found.verdict, claimed(found)) == ("unknown", [])
    assert list(found.notes) == [f"Not read, because of '{word}' it is not a plain statement: {text}"]


def test_words_of_stored_names_and_months_are_not_hedges(shop: Graph) -> None:
    shop.add_triples([Candidate("If Only Shop", "depends_on", "Vault")], origin=Origin("test"))
    for text in ("If Only Shop depends on Vault.", "Shop depends on Vault in May 2024."):
        assert read(shop, text).verdict == "supported"


@pytest.mark.parametrize(
    ("text", "claims", "verdict"),
    [
        *(
            (f"{opening} that Shop depends on Vault.", ["not Shop -[depends_on]-> Vault"], "contradicted")
            for opening in ("It is false", "It is not true", "It's untrue", "It is not the case", "It isn't true")
        ),
        ("It is false that Shop does not depend on Vault.", ["Shop -[depends_on]-> Vault"], "supported"),
        ("It is true that Shop depends on Vault.", ["Shop -[depends_on]-> Vault"], "supported"),
        ("It is false that Shop is owned by Crew.", ["not Shop -[owned_by]-> Crew"], "supported"),
        ("Shop was never owned by Crew.", ["never Shop -[owned_by]-> Crew"], "contradicted"),
        ("Shop was never owned by Bob.", [], "unknown"),
        ("Shop never depended on Till.", ["never Shop -[depends_on]-> Till"], "unknown"),
        ("Shop is no longer owned by Crew.", ["not Shop -[owned_by]-> Crew"], "supported"),
        ("Shop no longer depends on Vault.", ["not Shop -[depends_on]-> Vault"], "contradicted"),
        (
            "Neither Shop nor Till depends on Vault.",
            ["not Shop -[depends_on]-> Vault", "not Till -[depends_on]-> Vault"],
            "contradicted",
        ),
    ],
)
def test_negated_sentences_are_read_as_negated_claims(shop: Graph, text: str, claims: list[str], verdict: str) -> None:
    found = read(shop, text)
    assert (claimed(found), found.verdict) == (claims, verdict)


@pytest.mark.parametrize(
    ("text", "claims", "verdict"),
    [
        ("Till relies on Shop, and Shop relies on Vault.", ["Till > Shop", "Shop > Vault"], "supported"),
        ("Till depends on Shop and Vault.", ["Till > Shop", "Till > Vault"], "supported"),
        ("Till depends on Shop, Kiosk and Vault.", ["Till > Shop", "Till > Kiosk", "Till > Vault"], "unknown"),
        ("Till and Shop depend on Vault.", ["Till > Vault", "Shop > Vault"], "supported"),
        ("Beside Kiosk, Shop depends on Vault.", ["Shop > Vault"], "unknown"),
        ("Till depends on Shop but not on Vault.", ["Till > Shop", "not Till > Vault"], "contradicted"),
        ("Till does not depend on Kiosk but on Vault.", ["not Till > Kiosk", "Till > Vault"], "unknown"),
        (
            "Amber Shop depends on Vault and the Ghost Cache.",
            ["Amber Shop > Vault", "Amber Shop > Ghost Cache"],
            "unknown",
        ),
    ],
)
def test_each_part_of_a_sentence_is_a_claim(shop: Graph, text: str, claims: list[str], verdict: str) -> None:
    shop.add_triples([Candidate("Amber Shop", "depends_on", "Vault")], origin=Origin("test"))
    found = read(shop, text)
    assert ([text_.replace("-[depends_on]->", ">") for text_ in claimed(found)], found.verdict) == (claims, verdict)


def test_unread_names_are_noted_and_keep_a_text_from_being_supported(shop: Graph) -> None:
    found = read(shop, "Shop depends on Vault, but the Club is charming.")
    assert ([claim.verdict for claim in found.claims], found.verdict) == (["supported"], "unknown")
    assert list(found.notes) == ["Not read: Club"]
    assert list(read(shop, "Till depends on Shop and the Ghost Cache.").notes) == ["Not read: Ghost Cache"]
    assert list(read(shop, "Amoxil activates PBP3 and PBP4.").notes) == ["Not read: PBP4"]
    assert read(shop, "Shop is owned by Crew, but the Vault is charming.").verdict == "contradicted"


DATED: list[tuple[str, str, str]] = [
    ("In January 2025 the Shop was owned by Crew.", "Shop > Crew, between 2025-01-01 and 2025-01-31", "supported"),
    ("In January 2025, Shop was owned by Club.", "Shop > Club, between 2025-01-01 and 2025-01-31", "contradicted"),
    ("On 5 May 2023 the Shop was owned by Crew.", "Shop > Crew, at 2023-05-05", "supported"),
    ("Shop was owned by Crew in 2024.", "Shop > Crew, between 2024-01-01 and 2024-12-31", "supported"),
    ("Shop was owned by Club in 2025.", "Shop > Club, between 2025-01-01 and 2025-12-31", "supported"),
    ("Shop was not owned by Club in 2025.", "not Shop > Club, between 2025-01-01 and 2025-12-31", "contradicted"),
    ("Since 2020 Kiosk depends on Till.", "Kiosk > Till, since 2020-01-01", "unknown"),
    ("Since 2020, Shop is owned by Crew.", "Shop > Crew, since 2020-01-01", "contradicted"),
    ("Since 2020, Shop is owned by Club.", "Shop > Club, since 2020-01-01", "contradicted"),
    ("Shop is owned by Club since April 2025.", "Shop > Club, since 2025-04-01", "supported"),
]


@pytest.mark.parametrize(("text", "claim", "verdict"), DATED)
def test_a_date_belongs_to_the_claim_and_is_not_a_claim(shop: Graph, text: str, claim: str, verdict: str) -> None:
    found = read(shop, text)
    said = [text_.replace("-[owned_by]->", ">").replace("-[depends_on]->", ">") for text_ in claimed(found)]
    assert (said, found.verdict) == ([claim], verdict)


def test_ended_triples_are_listed_with_dates_and_undated_ones_are_noted(shop: Graph) -> None:
    (ended,) = read(shop, "Since 2020 Kiosk depends on Till.").claims
    assert reason_texts(ended.other_times) == ["Kiosk depends_on Till: held until 2023-01-01"]
    (undated,) = read(shop, "In 2024 Shop depended on Vault.").claims
    assert (undated.verdict, list(undated.notes)) == ("supported", ["The stored triples for it have no dates."])
    (denied,) = read(shop, "Since 2020 Kiosk does not depend on Till.").claims
    assert denied.verdict == "contradicted"


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("Shop depends_on Vault", "supported"),
        ("Shop -[depends_on]-> Vault", "supported"),
        ("Vault -[depends_on]-> Shop", "unknown"),
        ("Amoxil activates PBP3.", "supported"),
        ("Amoxil does not activate PBP3", "contradicted"),
        ("error:timeout was resolved by raise the pool size", "supported"),
    ],
)
def test_a_predicate_between_two_names_is_read_in_any_notation(shop: Graph, text: str, verdict: str) -> None:
    shop.add_triples([Candidate("error:timeout", "resolved_by", "raise the pool size")], origin=Origin("test"))
    found = read(shop, text)
    assert (len(found.claims), found.verdict) == (1, verdict)


@pytest.mark.parametrize(
    "text",
    [
        "Amoxil frobnicates PBP3.",
        "Shop babysits Vault.",
        "The Shop recommended rotating the signing keys every 90 days.",
    ],
)
def test_a_sentence_with_an_unknown_predicate_is_unread(shop: Graph, text: str) -> None:
    found = read(shop, text)
    assert (found.verdict, claimed(found), list(found.unread)) == ("unknown", [], [text])


@pytest.mark.parametrize("text", ["", "  ", "What time is it?", "x" * 5000])
def test_a_text_without_a_stored_name_is_refused(graph: Graph, text: str) -> None:
    relate(graph, "Shop owned_by Crew")
    with pytest.raises(BadInput):
        read(graph, text)


def test_a_claim_is_checked_against_what_was_known_at_a_time(graph: Graph) -> None:
    relate(graph, "Shop depends_on Till", "Vault depends_on Shop")
    between = now()
    relate(graph, "Till depends_on Vault")
    verdicts = [check(graph, "Shop depends_on Vault", When(known_at=known)).verdict for known in (None, between)]
    assert verdicts == ["supported", "unknown"]


def test_a_stored_name_of_a_month_is_not_reported_as_unread(graph: Graph) -> None:
    relate(graph, "January part_of Winter")
    relate(graph, "Shop owned_by Crew", valid_from=day(2024), valid_to=day(2026))
    found = read(graph, "In January 2025 the Shop was owned by Crew.")
    assert (found.verdict, list(found.notes)) == ("supported", [])
