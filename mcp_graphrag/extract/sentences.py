"""Sentences of a chunk's prose, as spans."""

import re
from collections.abc import Iterator

from mcp_graphrag.extract.words import load_words

_END = re.compile(r"[.!?;][\"'”’)\]]{0,3}[\s\x1f]+(?=[^a-z\s,;.)]|[a-z][\w-]{0,40}[:_.(]\w)|\n")
_LAST_WORD = re.compile(r"[\w.]{1,12}\Z")
MAX_SENTENCE = 2000


def split_sentences(prose: str) -> Iterator[tuple[int, int]]:
    """Spans of sentences without the white space around them, at most `MAX_SENTENCE` characters each."""
    start = 0
    for found in _END.finditer(prose):
        if found[0] != "\n" and _goes_on(prose, start, found):
            continue
        yield from _trimmed(prose, start, found.end())
        start = found.end()
    yield from _trimmed(prose, start, len(prose))


def _goes_on(prose: str, start: int, found: re.Match[str]) -> bool:
    """Whether the full stop belongs to an abbreviation or an initial."""
    at = found.start()
    if prose[at] != ".":
        return False
    word = _LAST_WORD.search(prose, max(start, at - 12), at)
    if word is None:
        return False
    last = word[0]
    if len(last) == 1:
        return last.isupper() and last != "I"
    if last.casefold() in load_words().abbreviations:
        return last.casefold() not in {"inc", "ltd", "co", "corp", "etc", "jr", "al", "st"} or not _starts_anew(
            prose, found.end()
        )
    return len(last) > 2 and last[1] == "." and last[0].isupper()


_OPENER = re.compile(r"(?:The|A|An|It|He|She|They|In|On|At|This|These|We|Its|His|Her|Their|After|Before|As)\b")


def _starts_anew(prose: str, at: int) -> bool:
    return _OPENER.match(prose, at) is not None


def _trimmed(prose: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The span without white space at its ends, cut where it is too long."""
    text = prose[start:end]
    left = len(text) - len(text.lstrip())
    end = start + len(text.rstrip())
    start += left
    while end - start > MAX_SENTENCE:
        cut = prose.rfind(" ", start + 1, start + MAX_SENTENCE)
        cut = cut if cut > start else start + MAX_SENTENCE
        yield from _trimmed(prose, start, cut)
        start = cut
        while start < end and prose[start].isspace():
            start += 1
    if end > start:
        yield start, end
