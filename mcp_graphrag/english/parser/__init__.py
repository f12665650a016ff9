"""The grammar of English sentences: part-of-speech tags and dependency trees, by a model that ships with this package.

A caller cuts a sentence into tokens with `tokenize`, which takes the spans of the names that it knows, and hands many
sentences at once to a `TrainedParser`.
"""

from mcp_graphrag.english.parser.tokens import Parse, Token, tokenize
from mcp_graphrag.english.parser.trained_parser import TrainedParser, default_parser

__all__ = [
    "Parse",
    "Token",
    "TrainedParser",
    "default_parser",
    "tokenize",
]
