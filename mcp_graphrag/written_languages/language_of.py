"""The language of a text, by the words and letters that it cannot be written without."""

import re
import tomllib
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib.resources import files

from mcp_graphrag.model import Document
from mcp_graphrag.source_code import is_code

ENGLISH = "en"
UNKNOWN = ""
SAMPLE = 20_000  # characters of a text that are looked at
MARGIN = 2.0  # words that a text has more of another language than of English: a few stand in names and titles
MIN_SHARE = 0.02  # of the words of a text, below which it only resembles a language
PER_LETTER = 0.2  # the evidence of a letter of a script that only one language has
PER_MARK = 0.25  # and of a letter that only one language of its script has
MIN_KANA = 0.1  # of the letters of a Japanese text; the others are those of Chinese

# Combining marks, which `\w` lacks: decomposed accents, vowel signs of Indic scripts and of Thai.
MARKS = "".join(
    chr(point)
    for point in (*range(0x300, 0x1E00), *range(0xA800, 0xAC00))
    if unicodedata.category(chr(point))[0] == "M"
)
WORD = re.compile(rf"[\w{MARKS}]+")
_CODE = re.compile(r"^[ \t]*```.*?(?:^[ \t]*```|\Z)|`[^`\n]+`|\w+://\S+", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Language:
    """A language by its name in English, with its commonest `words` in lower case; `stemmer` is Snowball's name."""

    name: str
    words: frozenset[str] = frozenset()
    stemmer: str = ""
    letters: str = ""
    script: str = ""

    @cached_property
    def is_latin(self) -> bool:
        """Whether it is written in Latin letters."""
        return any(word.isascii() for word in self.words)

    @cached_property
    def has_capitals(self) -> bool:
        """Whether its script has them; that of a language without words is taken to have none."""
        return any(word != word.upper() for word in self.words)


_LISTED = tomllib.loads(files("mcp_graphrag.written_languages").joinpath("languages.toml").read_text("utf-8"))
_LANGUAGES = {
    code: Language(words=frozenset(listed.pop("words", "").split()), **listed) for code, listed in _LISTED.items()
}
_USED_BY: defaultdict[str, list[str]] = defaultdict(list)
for _code, _language in _LANGUAGES.items():
    for _word in _language.words:
        _USED_BY[_word].append(_code)
_SCRIPTS = re.compile("|".join(f"(?P<{code}>[{one.script}]+)" for code, one in _LANGUAGES.items() if one.script))
_MARKED = re.compile("|".join(f"(?P<{code}>[{one.letters}])" for code, one in _LANGUAGES.items() if one.letters))


def language_of(text: str) -> str:
    """The code of the language that a text is in, "" where it is none of those in `languages.toml`.

    A text that tells too little is in English, if its letters are those of English.
    """
    return _language_of(text[:SAMPLE])


def language_of_document(document: Document) -> str:
    """The language of a document; source code is in English, whatever its comments are in."""
    return ENGLISH if is_code(document.media_type) else language_of(document.text)


def known_language(code: str) -> Language:
    """A language by its code, the unknown one for a code that is not in `languages.toml`."""
    return _LANGUAGES.get(code) or _LANGUAGES[UNKNOWN]


@lru_cache(maxsize=256)
def _language_of(sample: str) -> str:
    prose = _CODE.sub(" ", sample).lower()
    words = Counter(WORD.findall(prose))
    evidence = _evidence(prose, words)
    english = evidence.pop(ENGLISH, 0.0)
    other = max(evidence, key=evidence.__getitem__, default=UNKNOWN)
    most = evidence.get(other, 0.0)
    # And not by one word that is said again and again.
    if most > english + MARGIN and _evidence(prose, dict.fromkeys(words, 1))[other] >= MARGIN:
        return other if most > MIN_SHARE * len(words) else UNKNOWN
    has_latin = len(prose.encode(errors="ignore")) <= 1.5 * len(prose)  # the letters of other scripts have two bytes
    return ENGLISH if english or has_latin else UNKNOWN


def _evidence(prose: str, counts: Mapping[str, int]) -> defaultdict[str, float]:
    """How much the words of a text, counted, tell each language; those of several tell less, repetitions little."""
    found = defaultdict[str, float](float)
    for word in counts.keys() & _USED_BY.keys():
        if len(word) > 1 or not word.isascii():  # single letters number things in every language
            for code in _USED_BY[word]:
                found[code] += (counts[word] / len(_USED_BY[word])) ** 0.5
    if prose.isascii():
        return found
    for mark in _MARKED.finditer(prose):
        if found[str(mark.lastgroup)] > 0:  # names have such letters too
            found[str(mark.lastgroup)] += PER_MARK
    for run in _SCRIPTS.finditer(prose):
        found[str(run.lastgroup)] += PER_LETTER * len(run[0])
    if found["ja"] > MIN_KANA * found["zh"]:
        found["ja"] += found.pop("zh")
    return found
