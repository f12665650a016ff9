"""The parser that extractors use where they are given none."""

from functools import cache

from mcp_graphrag.extract.grammar.sentence_parse import GrammarParser
from mcp_graphrag.extract.grammar.spacy_parser import SpacyParser, spacy_model


@cache
def default_parser() -> GrammarParser | None:
    """spaCy where it is installed, else none; one instance for the process, as loading it takes seconds."""
    return SpacyParser() if spacy_model() else None
