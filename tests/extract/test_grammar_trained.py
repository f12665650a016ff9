import re

import numpy as np
import pytest

from mcp_graphrag.english.parser import Parse, Token, TrainedParser, tokenize
from mcp_graphrag.english.parser.trained_parser import WEIGHTS

CORE = ("nsubj", "nsubjpass", "dobj", "agent", "neg", "relcl", "appos", "conj", "attr", "prep", "pobj", "xcomp")


def marked(sentence: str) -> list[Token]:
    """The tokens of a sentence in which [brackets] stand around each known name."""
    text, names = "", list[tuple[int, int]]()
    for piece in re.split(r"(\[[^\]]*\])", sentence):
        start = len(text)
        text += piece.strip("[]")
        if piece.startswith("["):
            names.append((start, len(text)))
    return tokenize(text, names=names)


def arcs(parse: Parse, *labels: str) -> set[str]:
    """`label(head, dependent)` of the arcs with these labels, or of all."""
    words = [token.text for token in parse.tokens]
    return {
        f"{label}({words[head]}, {word})"
        for label, head, word in zip(parse.labels, parse.heads, words, strict=True)
        if not labels or label in labels
    }


@pytest.fixture(scope="module")
def parser() -> TrainedParser:
    return TrainedParser()


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        (
            "[Harlow & Sons] was acquired by [Meridian Foods].",
            "nsubjpass(acquired, Harlow & Sons) agent(acquired, by) pobj(by, Meridian Foods)",
        ),
        (
            "[invoice-worker] doesn't call [mail-relay] directly.",
            "nsubj(call, invoice-worker) neg(call, n't) dobj(call, mail-relay)",
        ),
        (
            "[checkout-api] depends on [identity-gateway].",
            "nsubj(depends, checkout-api) prep(depends, on) pobj(on, identity-gateway)",
        ),
        (
            "The team owns [ledger-service], which replaced the old monolith.",
            (
                "nsubj(owns, team) dobj(owns, ledger-service) relcl(ledger-service, replaced) nsubj(replaced, which)"
                " dobj(replaced, monolith)"
            ),
        ),
        (
            "[Luis] and [Anna] wrote the document.",
            "nsubj(wrote, Luis) conj(Luis, Anna) dobj(wrote, document)",
        ),
        (
            "[Helena Cruz], our head of security, approved the exception.",
            (
                "appos(Helena Cruz, head) prep(head, of) pobj(of, security) nsubj(approved, Helena Cruz)"
                " dobj(approved, exception)"
            ),
        ),
        (
            "[Daniel Okafor] is a footballer who plays for [Enyimba].",
            (
                "nsubj(is, Daniel Okafor) attr(is, footballer) relcl(footballer, plays) nsubj(plays, who)"
                " prep(plays, for) pobj(for, Enyimba)"
            ),
        ),
    ],
)
def test_who_does_what_is_found(parser: TrainedParser, sentence: str, expected: str) -> None:
    [parse] = parser.parse([marked(sentence)])
    assert arcs(parse, *CORE) == {f"{arc})" for arc in expected.removesuffix(")").split(") ")}


def test_tags_tell_verbs_from_nouns_and_participles(parser: TrainedParser) -> None:
    [parse] = parser.parse([marked("The service written by [Anna] reports errors, and the reports were sent.")])
    words = [token.text for token in parse.tokens]
    told = list(zip(words, parse.tags, parse.fine_tags, strict=True))
    assert ("written", "VERB", "VBN") in told
    assert ("Anna", "PROPN", "NNP") in told
    assert ("reports", "VERB", "VBZ") in told
    assert ("reports", "NOUN", "NNS") in told


def test_tokens_are_given_back_with_their_offsets(parser: TrainedParser) -> None:
    tokens = marked("[Kelso] lies on the [River Tweed].")
    [parse] = parser.parse([tokens])
    assert parse.tokens == tuple(tokens)
    assert [len(column) for column in (parse.tags, parse.fine_tags, parse.heads, parse.labels, parse.certainty)] == [
        len(tokens)
    ] * 5
    assert parse.labels[parse.root] == "ROOT"
    assert all(0 <= certainty <= 1 for certainty in parse.certainty)


def test_a_sentence_is_parsed_alike_alone_and_among_others(parser: TrainedParser) -> None:
    sentences = [
        marked("[redis-cache] stores sessions for [web-frontend] but is not required by [batch-runner]."),
        [],
        marked("Yes."),
        marked("The castle had been owned by the family until the king seized it."),
    ] * 3
    together = parser.parse(sentences)
    alone = [TrainedParser().parse([sentence])[0] for sentence in sentences]
    assert [(p.tags, p.heads, p.labels) for p in together] == [(p.tags, p.heads, p.labels) for p in alone]
    for one, other in zip(together, alone, strict=True):
        np.testing.assert_allclose(one.certainty, other.certainty, atol=2e-3)


def test_any_tokens_are_parsed(parser: TrainedParser) -> None:
    odd = marked("\U0001f600 ﷽ ... [] ''' 漢字 \ud800 " + "and so on " * 300)
    [parse] = parser.parse([odd])
    assert len(parse.heads) == len(odd)


def test_the_weights_stay_small() -> None:
    assert WEIGHTS.stat().st_size < 3_000_000
