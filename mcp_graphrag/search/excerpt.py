"""The part of a chunk that answers a question best: consecutive sentences, or lines of source code."""

from collections.abc import Mapping
from math import fsum

from mcp_graphrag.english.sentences import statement_spans
from mcp_graphrag.index.tokenize import text_terms
from mcp_graphrag.ingest.token_estimate import estimate_tokens
from mcp_graphrag.written_languages.language_of import ENGLISH

SLACK = 1.3  # a text that is longer than the limit by less than this factor is shown whole


def excerpt_span(
    text: str, weights: Mapping[str, float], *, tokens: int, lines: bool, language: str = ENGLISH
) -> tuple[int, int]:
    """The span of at most so many tokens that has the most of the weighted terms, the first of equals.

    It is the whole text where that is little longer, and else ends and begins with sentences, or `lines`.
    """
    if estimate_tokens(text) <= tokens * SLACK:
        return 0, len(text)
    units = _lines(text) if lines else [each for each in statement_spans(text) if text[slice(*each)].strip()]
    terms = [frozenset(text_terms(text[start:end], language)) & weights.keys() for start, end in units]
    costs = [estimate_tokens(text[start:end]) for start, end in units]
    best, span = -1.0, (0, len(text))
    for first, (start, _) in enumerate(units):
        said, spent = set[str](), 0
        for at in range(first, len(units)):
            spent += costs[at]
            if spent > tokens and at > first:
                break
            said |= terms[at]
            score = fsum(weights[term] for term in said)  # in any order the same
            # Of equals the longer one, for what follows the answer is worth more than what the limit leaves unused.
            if score > best or (score == best and span[0] == start):
                best, span = score, (start, units[at][1])
    return span


def _lines(text: str) -> list[tuple[int, int]]:
    found, start = list[tuple[int, int]](), 0
    for line in text.splitlines(keepends=True):
        found.append((start, start + len(line)))
        start += len(line)
    return found
