"""The parser that extractors use where they are given none."""

from functools import cache

from mcp_graphrag.extract.grammar.sentence_parse import GrammarParser
from mcp_graphrag.extract.grammar.spacy_parser import SpacyParser, spacy_model
from mcp_graphrag.extract.grammar.trained_parser import WEIGHTS, TrainedParser


@cache
def default_parser() -> GrammarParser | None:
    """The parser of spaCy where that is installed, else that of this package; one a process, as loading takes time."""
    if spacy_model():
        return SpacyParser()
    return TrainedParser() if WEIGHTS.is_file() else None
