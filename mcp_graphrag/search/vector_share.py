"""The share of vectors in a hybrid score, by a logistic model that `training/fusion/train.py` fits.

It has one weight for each of three things that any collection and question have: how long the chunks are, as the vector
of a long one says little of each part; how much of them the model has read, as its vectors are worth more than static
ones; and the share of the question's terms, by weight, that the best chunk has. What else was tried is in the README
beside the script.
"""

import tomllib
from functools import cache
from importlib.resources import files
from math import exp, log

LEAST, MOST = 0.1, 0.9  # neither words nor vectors are left out
SHORTEST, LONGEST = 13.4, 104.0  # mean lengths of the chunks of a set, in terms; what lies beyond counts as the nearest


def vector_share(*, chunk_length: float, read: float, coverage: float) -> float:
    """The share of vectors in (0, 1), that of words being the rest.

    `chunk_length` is the mean of all chunks in terms; `read` is the share of the chunks that the model has read, 0
    without one; `coverage` is the highest keyword score over that of a chunk with every term of the question.
    """
    found = {
        "chunk_length": log(min(max(chunk_length, SHORTEST), LONGEST)),
        "read": read,
        "coverage": min(coverage, 1.2),
    }
    learned = _learned()
    fitted = sum(learned[name]["weight"] * (value - learned[name]["mean"]) for name, value in found.items())
    return LEAST + (MOST - LEAST) / (1 + exp(-(learned["share"]["bias"] + fitted)))


@cache
def _learned() -> dict[str, dict[str, float]]:
    return tomllib.loads(files("mcp_graphrag.search").joinpath("vector_share.toml").read_text("utf-8"))
