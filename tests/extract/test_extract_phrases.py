"""Phrases added to those of the shipped lexicon."""

import pytest

from mcp_graphrag.english.lexicon import Phrase, lexicon_with, load_lexicon
from mcp_graphrag.english.raw_predicate import NormalizedPredicate, normalize_predicate
from mcp_graphrag.extract.lite_extractor import LiteExtractor
from mcp_graphrag.model import Chunk, Document

INHIBITS = (
    Phrase("inhibits", "inhibits", subject="Drug"),
    Phrase("inhibits", "block"),
    Phrase("heats", "warm", swap=True),
)


def triples_of(text: str, *phrases: Phrase) -> list[str]:
    """The triples of an extractor with these phrases."""
    found = LiteExtractor().with_phrases(phrases).extract(Document("u:1", "One", text), [Chunk(0, 0, len(text), text)])
    return [f"{triple.subject} {triple.predicate} {triple.object}" for triple in found[0].triples]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Aspirin inhibits COX-2.", "Aspirin inhibits COX-2"),
        ("In mice, Aspirin blocked COX-2.", "Aspirin inhibits COX-2"),
        ("COX-2 is blocked by Aspirin.", "Aspirin inhibits COX-2"),
        ("COX-2 is warmed by Aspirin.", "COX-2 heats Aspirin"),
    ],
)
def test_an_added_verb_is_read_in_all_its_forms(text: str, expected: str) -> None:
    assert triples_of(text, *INHIBITS) == [expected]


def test_added_phrases_leave_others_unchanged() -> None:
    text = "The Web Service depends on the Tide Database."
    assert triples_of(text) == triples_of(text, *INHIBITS) == ["Web Service depends_on Tide Database"]
    assert lexicon_with(()) is load_lexicon()


def test_added_phrases_take_precedence_over_the_shipped_lexicon() -> None:
    assert normalize_predicate("blocks") == NormalizedPredicate("blocks", swap=False, known=True)
    assert normalize_predicate("blocks", lexicon_with(INHIBITS)) == NormalizedPredicate(
        "inhibits", swap=False, known=True
    )
    assert normalize_predicate("warms", lexicon_with(INHIBITS)) == NormalizedPredicate("heats", swap=True, known=True)
    assert not normalize_predicate("uses", lexicon_with(INHIBITS, alone=True)).known


def test_added_phrases_are_part_of_the_version() -> None:
    plain, extended = LiteExtractor(), LiteExtractor().with_phrases(INHIBITS)
    assert plain.version != extended.version == LiteExtractor().with_phrases(INHIBITS).version


@pytest.mark.parametrize(
    "verb", ["inhibits", "complies with", "watches", "wrote", "switch off", "is paid by", "rival of"]
)
def test_a_verb_may_be_added_in_any_form(verb: str) -> None:
    assert normalize_predicate(verb, lexicon_with((Phrase("p", verb),), alone=True)).predicate == "p"
