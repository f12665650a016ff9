"""The grammar of English sentences: part-of-speech tags and dependency trees, by this package's own model or by spaCy.

A caller cuts a sentence into tokens with `tokenize`, which takes the spans of the names that it knows, and hands many
sentences at once to a `GrammarParser`.
"""

from mcp_graphrag.extract.grammar.default_parser import default_parser
from mcp_graphrag.extract.grammar.sentence_parse import GrammarParser, Parse, Token
from mcp_graphrag.extract.grammar.spacy_parser import SpacyParser, spacy_model
from mcp_graphrag.extract.grammar.tokenizer import tokenize
from mcp_graphrag.extract.grammar.trained_parser import TrainedParser

__all__ = [
    "GrammarParser",
    "Parse",
    "SpacyParser",
    "Token",
    "TrainedParser",
    "default_parser",
    "spacy_model",
    "tokenize",
]
