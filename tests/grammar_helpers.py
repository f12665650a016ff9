"""Sentences with their known names in brackets, and the arcs of a parse as text."""

import re

from mcp_graphrag.english.parser import Parse, Token, tokenize


def marked(sentence: str) -> list[Token]:
    """The tokens of a sentence in which [brackets] stand around each known name."""
    text, names = "", list[tuple[int, int]]()
    for piece in re.split(r"(\[[^\]]*\])", sentence):
        start = len(text)
        text += piece.strip("[]")
        if piece.startswith("["):
            names.append((start, len(text)))
    return tokenize(text, names=names)


def arcs(parse: Parse, *labels: str) -> set[str]:
    """`label(head, dependent)` of the arcs with these labels, or of all."""
    words = [token.text for token in parse.tokens]
    return {
        f"{label}({words[head]}, {word})"
        for label, head, word in zip(parse.labels, parse.heads, words, strict=True)
        if not labels or label in labels
    }
