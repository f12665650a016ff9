"""The confidence of a triple is how often readers found the rule right that has read it."""

from typing import get_args

import pytest

from mcp_graphrag.extract.rule_precision import MEASURED, PRIOR_WEIGHT, Judged, Precision, Rule, confidence_of
from tests.extract_helpers import extract


def test_every_rule_has_been_judged() -> None:
    assert set(MEASURED.by_rule) == set(get_args(Rule))
    for counted in (*MEASURED.by_rule.values(), *MEASURED.by_certainty.values()):
        assert 0 < counted.right <= counted.judged


def test_few_judgements_count_less_than_many() -> None:
    """Both rules were right half of the time, all triples together nine times out of ten."""
    every: dict[Rule, Judged] = {"table": Judged(1760, 1798), "verb": Judged(1, 2), "noun": Judged(100, 200)}
    precision = Precision(every, {1.0: Judged(9, 10)})
    few, many = precision.confidence("verb"), precision.confidence("noun")

    assert few == pytest.approx((1 + 0.93 * PRIOR_WEIGHT) / (2 + PRIOR_WEIGHT), abs=0.01)
    assert many == pytest.approx((100 + 0.93 * PRIOR_WEIGHT) / (200 + PRIOR_WEIGHT), abs=0.01)


def test_an_uncertain_parse_lowers_the_confidence() -> None:
    for rule in get_args(Rule):
        low, high = (confidence_of(rule, certainty) for certainty in (0.45, 0.99))
        assert 0 < low < high < 1


def test_a_cell_is_surer_than_a_verb_that_the_lexicon_does_not_have() -> None:
    table = "| Service | Owner |\n|---|---|\n| Checkout API | Team Heron |\n"
    (cell,) = extract(table).triples
    (verb,) = extract("Acme Corp audits Fern Corp.").triples
    (known,) = extract("Acme Corp acquired Fern Corp.").triples

    assert cell.confidence == confidence_of("table")
    assert verb.confidence < known.confidence < cell.confidence
