"""Phrases that are taught to the extractor, besides those that it knows."""

import pytest

from mcp_graphrag.extract import LiteExtractor, Normalised, Phrase, lexicon_with, load_lexicon, normalise_predicate
from mcp_graphrag.model import Chunk, Document

INHIBITS = (
    Phrase("inhibits", "inhibits", subject="Drug"),
    Phrase("inhibits", "block"),
    Phrase("heats", "warm", swap=True),
)


def said(text: str, *phrases: Phrase) -> list[str]:
    """The triples that an extractor taught these phrases finds."""
    found = LiteExtractor().taught(phrases).extract(Document("u:1", "One", text), [Chunk(0, 0, len(text), text)])
    return [f"{each.subject} {each.predicate} {each.object}" for each in found[0].triples]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Aspirin inhibits COX-2.", "Aspirin inhibits COX-2"),
        ("In mice, Aspirin blocked COX-2.", "Aspirin inhibits COX-2"),
        ("COX-2 is blocked by Aspirin.", "Aspirin inhibits COX-2"),
        ("COX-2 is warmed by Aspirin.", "COX-2 heats Aspirin"),
    ],
)
def test_a_taught_verb_is_read_in_all_its_forms(text: str, expected: str) -> None:
    assert said(text, *INHIBITS) == [expected]


def test_what_is_not_taught_is_read_as_before() -> None:
    text = "The Web Service depends on the Tide Database."
    assert said(text) == said(text, *INHIBITS) == ["Web Service depends_on Tide Database"]
    assert lexicon_with(()) is load_lexicon()


def test_taught_phrases_go_before_those_that_ship() -> None:
    assert normalise_predicate("blocks") == Normalised("blocks", swap=False, known=True)
    assert normalise_predicate("blocks", lexicon_with(INHIBITS)) == Normalised("inhibits", swap=False, known=True)
    assert normalise_predicate("warms", lexicon_with(INHIBITS)) == Normalised("heats", swap=True, known=True)
    assert not normalise_predicate("uses", lexicon_with(INHIBITS, alone=True)).known


def test_what_is_taught_is_part_of_the_version() -> None:
    plain, taught = LiteExtractor(), LiteExtractor().taught(INHIBITS)
    assert plain.version != taught.version == LiteExtractor().taught(INHIBITS).version


@pytest.mark.parametrize(
    "verb", ["inhibits", "complies with", "watches", "wrote", "switch off", "is paid by", "rival of"]
)
def test_any_form_of_a_verb_may_be_taught(verb: str) -> None:
    assert normalise_predicate(verb, lexicon_with((Phrase("p", verb),), alone=True)).predicate == "p"
