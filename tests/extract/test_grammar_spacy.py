import pytest
from grammar_helpers import arcs, marked

from mcp_graphrag.extract.grammar import SpacyParser, spacy_model

pytestmark = [
    pytest.mark.skipif(spacy_model() is None, reason="the extra [nlp] is not installed"),
]


@pytest.fixture(scope="module")
def parser() -> SpacyParser:
    return SpacyParser()


def test_a_name_is_one_noun_with_its_place_in_the_tree(parser: SpacyParser) -> None:
    [parse] = parser.parse([marked("[checkout-api] was built by [Ada Lovelace] and doesn't call [order_store].")])
    assert arcs(parse, "nsubjpass", "agent", "pobj", "neg", "dobj", "conj") == {
        "nsubjpass(built, checkout-api)",
        "agent(built, by)",
        "pobj(by, Ada Lovelace)",
        "conj(built, call)",
        "neg(call, n't)",
        "dobj(call, order_store)",
    }
    assert [parse.tags[0], parse.fine_tags[2], parse.labels[parse.root]] == ["PROPN", "VBN", "ROOT"]
    assert all(0 < certainty <= 1 for certainty in parse.certainty)


def test_a_sentence_is_parsed_alike_alone_and_among_others(parser: SpacyParser) -> None:
    first = marked("The bridge connects [Norrholm] with the mainland. It is old.")
    parses = parser.parse([[], first, marked("They left.")])
    assert parses[0].heads == ()
    assert parser.parse([first]) == parses[1:2]
    assert parses[1].labels.count("ROOT") == 1
