"""The parser that extractors use where they are given none."""

from functools import cache

from mcp_graphrag.english.parser.sentence_parse import GrammarParser
from mcp_graphrag.english.parser.trained_parser import WEIGHTS, TrainedParser


@cache
def default_parser() -> GrammarParser | None:
    """The parser of this package, one a process, as loading takes time; None where its weights are missing."""
    return TrainedParser() if WEIGHTS.is_file() else None
