"""Names in prose that are no capitalised words, names that are known, full names, and types."""

from collections import Counter

import pytest
from extract_helpers import extract, names, triples, types

from mcp_graphrag.english.sentences import sentence_spans
from mcp_graphrag.extract.lite_extractor import LiteExtractor
from mcp_graphrag.mentions.find_mentions import DraftMention, find_mentions, shapes_of
from mcp_graphrag.mentions.proper_names import read_word_usage
from mcp_graphrag.mentions.type_by_shape import type_of_name
from mcp_graphrag.model import Chunk, Document


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("checkout-api depends on identity-gateway.", ["checkout-api", "identity-gateway"]),
        ("A well-known, top-level re-read of the day-to-day self-service.", []),
        ("It is a third-party-api with a web-server and a go-live in real-time.", []),
        ("He was a song-writer and co-founder of a non-profit.", []),
    ],
)
def test_hyphenated_words_are_names_only_for_a_reason(text: str, expected: list[str]) -> None:
    assert [name for name in names(text) if name in expected or not expected] == expected


def test_names_of_tables_labels_and_code_are_found_in_prose() -> None:
    table = "| Service | Team |\n|---|---|\n| order-intake | Checkout |\n\nCheckout runs order-intake.\n"
    code = "We call `fx-rates` twice. Then fx-rates is down.\n"
    label = "Services: stock-keeping, mail-out\n\nThe stock-keeping is slow.\n"

    assert types(table)["Checkout"] == "Team"
    assert names(table).count("order-intake") == names(table).count("Checkout") == 2
    assert names(code) == ["fx-rates", "fx-rates"]
    assert names(label) == ["stock-keeping", "mail-out", "stock-keeping"]


def test_names_that_are_given_are_found_in_any_case() -> None:
    text = "The billing engine calls the day-end run."
    extractor = LiteExtractor().with_names({"Billing Engine": "Service", "day-end": None})

    (found,) = extractor.extract(Document("memory://a", "A", text), [Chunk(0, 0, len(text), text)])

    # The types are those of the graph, which has them: a document that takes them over would keep them for good.
    assert [(mention.name, mention.type) for mention in found.mentions] == [("Billing Engine", None), ("day-end", None)]


def test_a_given_name_or_surname_is_the_one_full_name_of_the_document() -> None:
    text = "Anna Kowalczyk met Tom Brandt and Tom Fischer. Then Anna called Brandt, and Tom left."

    assert names(text)[3:] == ["Anna Kowalczyk", "Tom Brandt", "Tom"]


@pytest.mark.parametrize(
    "text",
    [
        "Anna Kowalczyk Luis Ferreira",
        "Present: Anna Kowalczyk and Luis Ferreira\nAbsent: none of the others",
        "- we have asked for the details of it by Anna Kowalczyk\nLuis Ferreira",
    ],
)
def test_persons_beside_each_other_are_two_names(text: str) -> None:
    assert names(text) == ["Anna Kowalczyk", "Luis Ferreira"]


def test_a_name_of_a_place_or_a_word_is_no_person() -> None:
    text = "We went to Victoria, Paris Street, Virginia Beach and the Diana Project."

    assert "Person" not in types(text).values()


def test_spans_are_those_of_the_text_where_the_name_is_the_full_one() -> None:
    text = "Anna Kowalczyk left. We miss Anna."

    last = extract(text).mentions[-1]

    assert (last.name, text[last.start : last.end]) == ("Anna Kowalczyk", "Anna")


def test_two_equally_frequent_types_of_a_name_are_none() -> None:
    assert types("We saw Risk, a company, and the Risk team.") == {"Risk": None}
    assert types("We saw Risk, a company, the Risk team and the Risk team.") == {"Risk": "Team"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We met on Friday in December with the German team of Acme.", ["Acme"]),
        ("`id` Identifies the row that Kafka reads.", ["Kafka"]),
        ("Flush the remaining 1716 bytes to Kafka.", ["Kafka"]),
        ("It was founded in 1602 and moved to Oslo (1643).", ["1602", "Oslo", "1643"]),
        ("Dates such as 31st March, are kept by Kafka.", ["Kafka"]),
        ("THIS PACKAGE IS PROVIDED by Acme.", ["Acme"]),
        ("He is the editor-in-Chief and lives in Oslo.", ["Oslo"]),
        ("Evaluating the Performance of Kafka is hard.", ["Performance of Kafka"]),
    ],
)
def test_what_is_no_name_gives_no_entity(text: str, expected: list[str]) -> None:
    assert names(text) == expected


def test_words_of_a_text_that_lost_its_line_breaks_are_no_names() -> None:
    text = (
        "The limit will be reset.retry-afterThe number of seconds.Example quote extractionYou are a helper. "
        "Role Content User As our adviser, ask Anthropic. Troubleshooting errorsTool use."
    )

    assert names(text) == ["Anthropic"]
    assert "timeToFirstByte" in names("It reports `timeToFirstByte` and the version of Kafka.")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Part of Acme Corp moved to Cork.", ["Acme Corp", "Cork"]),
        ("Membership of Acme Corp is free.", ["Acme Corp"]),
        ("Bank of Spain lends money.", ["Bank of Spain"]),
        ("He met Alexander the Great.", ["Alexander the Great"]),
        ("He met Anna the Magnificent Harbour Company.", ["Anna", "Magnificent Harbour Company"]),
        ("COMMON FUND The United States joined it.", ["United States"]),
    ],
)
def test_a_run_of_capitalised_words_is_parted_into_its_names(text: str, expected: list[str]) -> None:
    assert names(text) == expected


def test_a_name_with_a_version_of_two_parts_is_a_technology() -> None:
    assert [type_of_name(f"Quillon {number}", "", "") for number in ("2.1", "2", "11")] == ["Technology", None, None]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The 26th Infantry Division met the 3rd German team.", ["26th Infantry Division"]),
        ("Karl Voss won the 1951 UK general election.", ["1951 UK general election"]),
        (
            "It was led by President of the United States Bill Clinton.",
            ["President of the United States", "Bill Clinton"],
        ),
        ("We met Ann Lee in I Love Lucy.", ["Ann Lee", "I Love Lucy"]),
    ],
)
def test_names_are_whole(text: str, expected: list[str]) -> None:
    found = [mention.name for mention in _all_mentions(text)]
    assert [name for name in expected if name in found] == expected


def _all_mentions(text: str) -> list[DraftMention]:
    """The mentions of the text as one sentence, roles included."""
    usage = read_word_usage(Document("memory://notes", "Notes", text))
    found: list[DraftMention] = []
    for start, end in sentence_spans(text):
        shapes = [shape for shape in shapes_of(text, usage) if start <= shape.start < end]
        found += find_mentions(text, (start, end), shapes, usage, Counter())
    return found


def test_a_given_name_with_two_surnames_in_a_text_stands_for_neither() -> None:
    text = "Maya Chen leads the Harbour Team. {} leads the Lamp Team. Maya works for Acme Robotics."

    assert ("Maya Chen", "works_for", "Acme Robotics") in triples(text.format("Bo Nash"))
    assert ("Maya", "works_for", "Acme Robotics") in triples(text.format("Maya Field"))
