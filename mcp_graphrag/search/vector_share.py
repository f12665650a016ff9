"""The share of vectors in a hybrid score, by a logistic model that `training/fusion/train.py` fits.

It has one weight for each of three things that any collection and question have: how long the chunks are, as the vector
of a long one says little of each part; how much of them the model has read, as its vectors are worth more than static
ones; and the share of the question's terms, by weight, that the best chunk has. What else was tried is in the README
beside the script.
"""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from math import exp, log

LEAST, MOST = 0.1, 0.9  # neither words nor vectors are left out
SHORTEST, LONGEST = 13.4, 104.0  # mean lengths of the chunks of a set, in terms; what lies beyond counts as the nearest
MOST_COVERED = 1.2  # coverage; a short chunk that repeats the terms has more than 1


def vector_share(values: Mapping[str, float]) -> float:
    """The share of vectors in (0, 1), that of words being the rest, by `features`."""
    learned = _learned()
    fitted = sum(learned[name]["weight"] * (value - learned[name]["mean"]) for name, value in values.items())
    return LEAST + (MOST - LEAST) / (1 + exp(-(learned["share"]["bias"] + fitted)))


def features(*, chunk_length: float, read: float, coverage: float) -> dict[str, float]:
    """What the model weighs, by name.

    `chunk_length` is the mean of all chunks in terms; `read` is the share of the chunks that the model has read, 0
    without one; `coverage` is the highest keyword score over that of a chunk with every term of the question.
    """
    length = log(min(max(chunk_length, SHORTEST), LONGEST))
    return {"chunk_length": length, "read": read, "coverage": min(coverage, MOST_COVERED)}


@cache
def _learned() -> dict[str, dict[str, float]]:
    return tomllib.loads(files("mcp_graphrag.search").joinpath("vector_share.toml").read_text("utf-8"))
