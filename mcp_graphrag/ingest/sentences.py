"""Where a text may be cut: behind sentences, else lines, else words, else anywhere."""

import re
from collections.abc import Iterator

from mcp_graphrag.ingest.tokens import estimate_tokens

# The look-behind keeps a long row of dots linear.
_STOP = re.compile(r"""(?<![.!?…])[.!?…]++["'”’»)\]]*\s+|[。！？]+[」』）]*\s*|\n\s*\n""")
_LAST_WORD = re.compile(r"[\w.]*\Z")
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_WORD = re.compile(r"\s*\S+\s*")
_ABBREVIATIONS_LIST = (
    "al approx art capt cf ch co col corp dept dr ed eds e.g eq esp est etc fig figs gen gov hon i.e inc jr lt ltd mr"
    " mrs ms mt no nos nr op p pp prof ref rep rev sec sect sen sgt sr st u.k u.s viz vol vols vs"
)
_ABBREVIATIONS = frozenset(_ABBREVIATIONS_LIST.split())


def split_sentences(text: str) -> Iterator[str]:
    """The sentences of a text, each with the space behind it; they rejoin to the text.

    No sentence ends behind an abbreviation or an initial, or before a small letter.
    """
    start = 0
    for stop in _STOP.finditer(text):
        if stop.end() < len(text) and _is_end(text, stop):
            yield text[start : stop.end()]
            start = stop.end()
    if start < len(text):
        yield text[start:]


def split_lines(text: str) -> Iterator[str]:
    """The lines of a text, each with its line end."""
    return (found[0] for found in _LINE.finditer(text))


def cut(text: str, most: int) -> Iterator[str]:
    """Lines of the text of at most `most` tokens each, else words, else bare stretches; they rejoin to the text."""
    for line in split_lines(text):
        if estimate_tokens(line) <= most:
            yield line
        else:
            yield from _cut_words(line, most)


def _cut_words(line: str, most: int) -> Iterator[str]:
    if not line.strip():
        yield line
        return
    for word in _WORD.findall(line):
        # A character is at most one token, so a stretch of `most` characters has at most `most`.
        if len(word) <= most or estimate_tokens(word) <= most:
            yield word
        else:
            yield from (word[start : start + most] for start in range(0, len(word), most))


def _is_end(text: str, stop: re.Match[str]) -> bool:
    if text[stop.start()] != ".":
        return True
    if text[stop.end()].islower():
        return False
    before = _LAST_WORD.search(text, max(0, stop.start() - 12), stop.start())
    word = before[0] if before else ""
    initial = len(word) == 1 and word.isalpha() and word != "I"
    number = len(word) <= 2 and word.isdigit()
    return not initial and not number and word.lower() not in _ABBREVIATIONS
