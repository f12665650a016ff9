"""The terms of a text: stems of words and of parts of identifiers, by the language of the text, no stop words.

What has a digit and a dot or hyphen inside is also a term as a whole: versions, numbers of sections, CVE-2015-7995.
"""

import re
import threading
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, cast

from Stemmer import Stemmer  # pyright: ignore[reportUnknownVariableType]

from mcp_graphrag.written_languages.language_of import ENGLISH, WORD, known_language, language_of

# camelCase, PascalCase, ALLCAPS and digits as parts of an identifier.
PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
# Scripts without spaces are indexed by pairs of characters, and Korean, whose words have their particles behind them.
UNSPACED = re.compile(r"[\u3005-\u3007\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff\u0e00-\u0e7f]+")
COMBINING = re.compile("[\u0300-\u036f]")
RUN = re.compile(rf"{WORD.pattern}(?:[.-]{WORD.pattern})*")
VERSION = re.compile(r"\Av(?=\d)")
MAX_LENGTH = 64
MAX_STEMMERS = 8  # whose stems a question is searched for, those of most documents
STOP_WORDS = known_language(ENGLISH).words
_stemmers = threading.local()


def term_frequencies(text: str, language: str = ENGLISH) -> Counter[str]:
    """How often each term occurs in a text of the language."""
    return Counter(text_terms(text, language))


def text_terms(text: str, language: str = ENGLISH) -> list[str]:
    """The terms of a text of the language in order, with repeats."""
    found: list[str] = []
    for run in RUN.findall(text):
        found.extend(word_terms(run, language))
    return found


def whole_terms(text: str) -> list[str]:
    """The terms of a text that are versions, numbers of sections or other identifiers as a whole, with repeats."""
    return [term for run in RUN.findall(text) for term in _whole(run)]


def is_whole(term: str) -> bool:
    """Whether a term is one of `whole_terms`."""
    return "." in term or "-" in term


def heading_term(term: str) -> str:
    """What stands in the postings for one of `whole_terms` of a title or heading."""
    return f"#{term}"


def question_terms(question: str, languages: Sequence[str], is_term: Callable[[str], bool]) -> list[str]:
    """The terms of a question to texts of several languages: those of a text of each, as far as some text has them.

    The stop words are those of its own language. Of a word that no text has, the terms of the first language are kept.
    """
    if set(languages) <= {ENGLISH}:
        return text_terms(question)
    languages = list(dict.fromkeys(one if known_language(one).stemmer else ENGLISH for one in languages))[:MAX_STEMMERS]
    own, found = known_language(language_of(question)).words, list[str]()
    for word in WORD.findall(question):
        if word.lower() not in own:
            terms = dict.fromkeys(term for one in languages for term in word_terms(word, one))
            found += [term for term in terms if is_term(term)] or word_terms(word, languages[0])
    return [*found, *whole_terms(question)]


@lru_cache(maxsize=200_000)
def word_terms(word: str, language: str = ENGLISH) -> tuple[str, ...]:
    """The terms of one word, its stem and, for an identifier, those of its parts; or of words joined by marks."""
    if is_whole(word):
        return (*(term for part in WORD.findall(word) for term in word_terms(part, language)), *_whole(word))
    if not word.isascii():
        return _foreign_terms(word, language)
    word = word.strip("_")
    lower = word.lower()
    if not word:
        return ()
    if len(word) > MAX_LENGTH:
        return (lower[:MAX_LENGTH],)
    stop = known_language(language).words or STOP_WORDS
    parts = PART.findall(word) if not (word.islower() or word.istitle()) or "_" in word else []
    terms = [] if lower in stop else [_stem(lower, language)]
    if len(parts) > 1:
        terms += [_stem(part.lower(), language) for part in parts if part.lower() not in stop]
    return tuple(terms)


def _whole(run: str) -> tuple[str, ...]:
    """A run with a digit and a mark inside, v1.2 as 1.2."""
    if not is_whole(run) or not any(map(str.isdigit, run)):
        return ()
    return (VERSION.sub("", run.casefold())[:MAX_LENGTH],)


def _foreign_terms(word: str, language: str) -> tuple[str, ...]:
    folded = _folded(word.casefold())[:MAX_LENGTH]
    if not UNSPACED.search(folded):
        stop = known_language(language).words or STOP_WORDS
        if not folded or folded in stop or word.lower() in stop:
            return ()
        if known_language(language).stemmer in {"", "english"}:
            return (_stem(folded, ENGLISH),)
        # Stemmers of other languages tell letters apart by their accents.
        accented = unicodedata.normalize("NFC", word.casefold())[:MAX_LENGTH]
        return (_folded(_stem(accented, language))[:MAX_LENGTH] or folded,)
    terms: list[str] = []
    for run in UNSPACED.findall(folded):
        terms += [run[at : at + 2] for at in range(max(len(run) - 1, 1))]
    return (*terms, *(term for rest in UNSPACED.split(folded) if rest for term in word_terms(rest, language)))


def _folded(word: str) -> str:
    """A word without its accents."""
    return unicodedata.normalize("NFC", COMBINING.sub("", unicodedata.normalize("NFKD", word)))


def _stem(word: str, language: str) -> str:
    """The stem of a word; those in Latin letters are stemmed as in English in texts of another script."""
    own = known_language(language)
    name = own.stemmer if own.stemmer and (own.is_latin or not word.isascii()) else "english"
    # A stemmer has state, so each thread has its own.
    stemmer: Any = getattr(_stemmers, name, None)
    if stemmer is None:
        # Without a cache: `word_terms` has one.
        stemmer = cast("Any", Stemmer(name, 0))
        setattr(_stemmers, name, stemmer)
    return str(stemmer.stemWord(word))
