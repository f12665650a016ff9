"""The grammar of English sentences: part-of-speech tags and dependency trees, by a model that ships with this package.

A caller cuts a sentence into tokens with `tokenize`, which takes the spans of the names that it knows, and hands many
sentences at once to a `GrammarParser`.
"""

from mcp_graphrag.english.parser.sentence_parse import GrammarParser, Parse, Token
from mcp_graphrag.english.parser.tokenizer import tokenize
from mcp_graphrag.english.parser.trained_parser import TrainedParser, default_parser

__all__ = [
    "GrammarParser",
    "Parse",
    "Token",
    "TrainedParser",
    "default_parser",
    "tokenize",
]
