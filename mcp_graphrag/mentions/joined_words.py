"""Words that are joined because a text lost what stood between them: "extractionYou are", "errorsTool use"."""

import re

from mcp_graphrag.english.spans import Span
from mcp_graphrag.english.word_lists import WORDS
from mcp_graphrag.mentions.gazetteer import GAZETTEER

MAX_LENGTH = 20
MIN_JOINTS = 2  # in a text that lost its line breaks
AROUND, MIN_AROUND = 60, 5  # characters on either side, and words in them
_LETTERS = re.compile(r"[^\W\d_]{2,}")
_JOINT = re.compile(r"(?<![/@`.\w])(?:[a-z]{2,}[.?!:)”][A-Z][a-z]+|[A-Za-z]*[a-z]{3}[A-Z][a-z]+)(?![\w`(./@-])")
# The capital inside every joint; most texts have none, which takes less time to see.
_HYPHEN_BEFORE = re.compile(r"(?<=\w- )")
_MARK_BEFORE, _MARK_BEHIND = re.compile(r"(?<=\w[/*])"), re.compile(r"[/*](?=\w)")
_INNER_CAPITAL = re.compile(r"[A-Z](?:(?<=[a-z][A-Z])|(?<=[a-z][.?!:)”][A-Z]))[a-z]")
_PARTS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_GOES_ON = re.compile(r" [a-z]")
_CAPITAL = re.compile(r"[a-z][A-Z]")


def lacks_spaces(text: str) -> bool:
    """Whether sentences or words of a text are joined in several places."""
    if _INNER_CAPITAL.search(text) is None:
        return False
    joints = 0.0
    for match in _JOINT.finditer(text):
        word = match[0]
        is_small = word.isalpha() and _has_small_word(word)
        # "afterThe number": a capital in front of small words is that of a sentence.
        is_sure = is_small and _GOES_ON.match(text, match.end()) is not None
        joints += 2 if is_sure else 1 if is_small or not word.isalpha() else 0.5 * _is_ordinary(word)
        if joints >= MIN_JOINTS:
            return True
    return False


def _has_small_word(word: str) -> bool:
    """Whether a part of a word is "The", "You" or the like, and the others are ordinary words."""
    parts = _PARTS.findall(word)
    return (
        len(parts) > 1 and any(map(WORDS.is_stop, parts[1:])) and sum(map(GAZETTEER.is_common, parts)) > len(parts) / 2
    )


def _is_ordinary(word: str) -> bool:
    return word[0].islower() and all(map(GAZETTEER.is_common, _PARTS.findall(word)))


def is_joined(word: str) -> bool:
    """Whether a word with a capital inside may consist of words of a text that lacks spaces."""
    if _CAPITAL.search(word) is None or word in WORDS.exact:
        return False
    parts = _PARTS.findall(word)
    return any(map(GAZETTEER.is_common, parts)) or len(word) > MAX_LENGTH


def is_shouted(prose: str, span: Span) -> bool:
    """Whether words in capitals are a shouted phrase and no name, "PACKAGE IS PROVIDED", or stand in one."""
    name = prose[slice(*span)]
    if not name.isupper():
        return False
    words = name.replace("-", " ").split()
    common = sum(len(word) > 1 and GAZETTEER.is_common(word) for word in words)
    # "LEFT-MOST SUBQUERY" has a word that is not common.
    is_phrase = len(words) >= MIN_JOINTS and (common == len(words) or (common > 1 and 2 * common >= len(words)))
    return is_phrase or _is_among_shouted(prose, span)


def _is_among_shouted(prose: str, span: Span) -> bool:
    """Whether the words around are in capitals too: "ANY INCIDENTAL, CONSEQUENTIAL, SPECIAL DAMAGES"."""
    start, end = span
    before = _LETTERS.findall(prose[max(start - AROUND, 0) : start])
    around = [*before[-3:], *_LETTERS.findall(prose[end : end + AROUND])[:3]]
    return len(around) >= MIN_AROUND and all(map(str.isupper, around))


def is_cut_by_mark(prose: str, span: Span) -> bool:
    """Whether a mark joins capitalised words to others of the same name: "co- Founder", "Small Office/Home Office"."""
    start, end = span
    if _HYPHEN_BEFORE.match(prose, start):
        return True
    is_one = " " not in prose[start:end]
    return not is_one and bool(_MARK_BEFORE.match(prose, start) or _MARK_BEHIND.match(prose, end))
