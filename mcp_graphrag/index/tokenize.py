"""The terms of a text, the same for chunks and queries: stems of words and of parts of identifiers, no stop words."""

import re
import threading
import unicodedata
from collections import Counter
from functools import lru_cache
from typing import Any, cast

from Stemmer import Stemmer  # pyright: ignore[reportUnknownVariableType]

# Combining marks, which `\w` lacks: decomposed accents, vowel signs of Indic scripts and of Thai.
MARKS = "".join(
    chr(point)
    for point in (*range(0x300, 0x1E00), *range(0xA800, 0xAC00))
    if unicodedata.category(chr(point))[0] == "M"
)
WORD = re.compile(rf"[\w{MARKS}]+")
# camelCase, PascalCase, ALLCAPS and digits as parts of an identifier.
PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
# Scripts without spaces are indexed by pairs of characters.
UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\u0e00-\u0e7f]+")
COMBINING = re.compile("[\u0300-\u036f]")
MAX_LENGTH = 64
STOP_WORDS = frozenset(
    """
    a about above after again against all am an and any are as at be because been before being below between
    both but by can cannot could did do does doing down during each few for from further had has have having he
    her here hers herself him himself his how i if in into is it its itself just me more most my myself no nor
    not now of off on once only or other our ours ourselves out over own same she should so some such than that
    the their theirs them themselves then there these they this those through to too under until up very was we
    were what when where which while who whom why will with would you your yours yourself yourselves s t d ll m
    re ve
    """.split()  # noqa: SIM905  (a list of two hundred quoted words reads worse)
)
_stemmers = threading.local()


def term_frequencies(text: str) -> Counter[str]:
    """How often each term occurs in the text."""
    return Counter(text_terms(text))


def text_terms(text: str) -> list[str]:
    """The terms of a text in order, with repeats."""
    found: list[str] = []
    for word in WORD.findall(text):
        found.extend(word_terms(word))
    return found


@lru_cache(maxsize=200_000)
def word_terms(word: str) -> tuple[str, ...]:
    """The terms of one run of word characters: its stem and, for an identifier, the stems of its parts."""
    if not word.isascii():
        return _foreign_terms(word)
    word = word.strip("_")
    lower = word.lower()
    if not word:
        return ()
    if len(word) > MAX_LENGTH:
        return (lower[:MAX_LENGTH],)
    parts = PART.findall(word) if not (word.islower() or word.istitle()) or "_" in word else []
    terms = [] if lower in STOP_WORDS else [_stem(lower)]
    if len(parts) > 1:
        terms += [_stem(part.lower()) for part in parts if part.lower() not in STOP_WORDS]
    return tuple(terms)


def _foreign_terms(word: str) -> tuple[str, ...]:
    folded = COMBINING.sub("", unicodedata.normalize("NFKD", word.casefold()))
    folded = unicodedata.normalize("NFC", folded)[:MAX_LENGTH]
    if not UNSPACED.search(folded):
        return (_stem(folded),) if folded and folded not in STOP_WORDS else ()
    terms: list[str] = []
    for run in UNSPACED.findall(folded):
        terms += [run[at : at + 2] for at in range(max(len(run) - 1, 1))]
    return (*terms, *(term for rest in UNSPACED.split(folded) if rest for term in word_terms(rest)))


def _stem(word: str) -> str:
    # A stemmer has state, so each thread has its own.
    stemmer: Any = getattr(_stemmers, "english", None)
    if stemmer is None:
        # Without a cache: `word_terms` has one.
        stemmer = _stemmers.english = cast("Any", Stemmer("english", 0))
    return str(stemmer.stemWord(word))
