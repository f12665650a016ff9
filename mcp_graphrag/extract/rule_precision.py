"""The confidence of a triple that a rule has read: how often readers found that rule right.

The counts are of triples in samples from other people's documents, judged by readers who did not write the rules
(`tests/bench/confidence.py` counts them, and shows how well the counts of some samples foretell another).
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Literal, NamedTuple, TypeAlias

Rule: TypeAlias = Literal[
    "verb",  # a verb of the lexicon with its subject and object
    "open verb",  # any other verb with two names
    "phrase",  # a sentence that says one thing or two of a name, in its own words
    "phrase of kind",  # what a name "is", in the words of the sentence
    "kind",  # "A is a message broker", "A, a comedian"
    "noun",  # "B, the owner of A", "A's owner B", roles and titles
    "same",  # "A (B)", "A, also known as B"
    "date",  # the day of an event
    "place",  # the parts of an address
    "table",  # a cell of a table, with the title of its column
    "label",  # a labelled line: "Owner: B", and the terms of a reference page
    "line",  # other lines with a form of their own: authors, licences, sign-offs, states, tasks
    "member",  # the members that a page of reference lists
    "signature",  # the parameters and the result of a signature
    "default",  # the default of an option
    "release",  # the heading of a release in a changelog
    "changelog entry",  # what a release adds, removes or supports
]
PRIOR_WEIGHT = 10  # triples of average precision that are added to each count


class Judged(NamedTuple):
    """How many triples were right, and how many were judged."""

    right: int
    judged: int


@dataclass(frozen=True)
class Precision:
    """What readers judged, by rule, and by the certainty of the parse up to but not including a number."""

    by_rule: Mapping[Rule, Judged]
    by_certainty: Mapping[float, Judged]

    def confidence(self, rule: Rule, certainty: float | None = None) -> float:
        """How likely a triple of the rule is right, from 0 to 1.

        `certainty`, from 0 to 1, is that of the least certain arc that the triple is read from, None for what is read
        without a parse. The odds of the rule are multiplied by how the odds of triples of such certainty differ from
        those of all parsed ones, as if the two were independent (naive Bayes).
        """
        odds = _log_odds(self.by_rule[rule], _sum(self.by_rule.values()))
        if certainty is not None:
            parsed = _sum(self.by_certainty.values())
            judged = next(judged for limit, judged in self.by_certainty.items() if certainty < limit)
            odds += _log_odds(judged, parsed) - _log_odds(parsed, parsed)
        return round(1 / (1 + math.exp(-odds)), 2)


def _sum(counts: Iterable[Judged]) -> Judged:
    return Judged(*map(sum, zip(*counts, strict=True)))


def _log_odds(counted: Judged, prior: Judged) -> float:
    """The log odds of being right, drawn towards those of the prior where few were judged."""
    average = prior.right / prior.judged
    share = (counted.right + PRIOR_WEIGHT * average) / (counted.judged + PRIOR_WEIGHT)
    return math.log(share / (1 - share))


MEASURED = Precision(
    {
        "verb": Judged(271, 333),
        "open verb": Judged(70, 102),
        "phrase": Judged(368, 418),
        "phrase of kind": Judged(75, 91),
        "kind": Judged(116, 135),
        "noun": Judged(125, 151),
        "same": Judged(14, 16),
        "date": Judged(45, 48),
        "place": Judged(37, 40),
        "table": Judged(89, 96),
        "label": Judged(74, 80),
        "line": Judged(45, 46),
        "member": Judged(27, 28),
        "signature": Judged(30, 31),
        "default": Judged(37, 41),
        "release": Judged(109, 112),
        "changelog entry": Judged(6, 8),
    },
    {0.5: Judged(9, 19), 0.85: Judged(219, 278), math.inf: Judged(836, 977)},
)


@cache
def confidence_of(rule: Rule, certainty: float | None = None) -> float:
    """As `Precision.confidence`, by the measured counts."""
    return MEASURED.confidence(rule, certainty)
