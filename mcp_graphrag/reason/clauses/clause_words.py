"""The tokens of a sentence, and which of them exclude each other or mean the same."""

import re
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any
from unicodedata import normalize

from mcp_graphrag.english.word_lists import WORDS
from mcp_graphrag.index.tokenize import text_terms
from mcp_graphrag.reason.relation_words import COPULAS, EMPHATIC

HAVE = frozenset({"has", "have", "had"})
AUXILIARIES = COPULAS | HAVE | EMPHATIC
DETERMINERS = frozenset(
    {"a", "an", "the", "its", "his", "her", "their", "this", "these", "our", "my", "your", "'s", "both"}
)
PREPOSITIONS = WORDS.prepositions | {
    "than",
    "upon",
    "including",
    "like",
    "out",
    "off",
    "alongside",
    "along",
    "behind",
    "onto",
}
RELATIVES = WORDS.relatives | {"when", "whereas", "while", "because", "although", "though", "but", "despite", "except"}
PLACED = frozenset({"located", "based", "situated", "headquartered"})
NEGATIONS = frozenset({"not", "never"})
REFUSALS = frozenset({"failed", "refused", "unable", "declined", "refuses", "fails", "declines"})
ADVERBS = frozenset(
    {"also", "now", "currently", "later", "then", "subsequently", "eventually", "first", "still", "both"}
)
# The signs of an amount and those behind a name are a part of it: "-5", "$50", "50%", "C++", "C#".
_TOKEN = re.compile(
    r"(?:\w\.){2,}|(?:(?<!\S)[-−<>≤≥~±]|[$€£¥])\d+(?:[,.]\d+)*%?|\d+(?:[,.]\d+)*%|\d+(?:[,.]\d+)+"
    r"|[A-Za-z]\w*(?:\+\+?|[#*])(?!\w)|\w+(?:[-’'./]\w+)*|[,;:()\[\]–—?]",
    re.UNICODE,
)
_AMOUNT = re.compile(r"(\D?)(\d[\d,]*(?:\.\d+)?)(%?)")
# A place between signs and small words is not part of a longer name: "New Mexico", "Mexico Lane".
_PLACE_NAME = r"(?:(?<=, )|(?<= in )|(?<= of )|(?<= the )){}(?= ,| in | of )"
_YEAR = re.compile(r"1\d{3}|20\d\d")


@dataclass(frozen=True)
class Token:
    """One word, number or sign of a sentence."""

    text: str

    @property
    def lower(self) -> str:
        """The word in lower case."""
        return self.text.lower()

    @property
    def is_name(self) -> bool:
        """Whether it begins with a capital."""
        return self.text[:1].isupper()

    @property
    def is_sign(self) -> bool:
        """Whether it is punctuation."""
        return not any(sign.isalnum() or sign == "_" for sign in self.text[:2])

    @property
    def is_figure(self) -> bool:
        """Whether it is a number in figures, also an amount: "$50"."""
        return self.text[0].isdigit() or _AMOUNT.fullmatch(self.text) is not None

    @property
    def is_common(self) -> bool:
        """Whether it may be a common noun or a unit."""
        return not (self.is_name or self.is_breaking or self.is_year or self.lower in NUMBERS)

    @property
    def is_label(self) -> bool:
        """Whether a number behind it belongs to it: "Highway 9", "version 3"."""
        return self.is_name or self.lower in _LABELS

    @property
    def is_essential(self) -> bool:
        """Whether a phrase means another thing without it."""
        return not self.is_name and self.lower in ESSENTIAL

    @property
    def is_year(self) -> bool:
        """Whether it is a year from 1000 to 2099."""
        return _YEAR.fullmatch(self.text) is not None

    @property
    def is_participle(self) -> bool:
        """Whether it may be a participle of the past."""
        plain = self.lower.removeprefix("co-")
        return not self.is_name and (plain in FORMS or (plain.endswith("ed") and len(plain) > 4))

    @property
    def is_breaking(self) -> bool:
        """Whether no noun phrase goes on over it."""
        return self.lower in PREPOSITIONS | RELATIVES | AUXILIARIES or (self.is_sign and self.text != ",")


def tokens_of(text: str) -> list[Token]:
    """The tokens of a text; "isn't" is two."""
    text = re.sub(r"\bcannot\b", "can not", normalize("NFC", text).replace("’", "'"))
    text = re.sub(r"\b(can|won|\w+)n't\b", lambda found: f"{_FULL.get(found[1], found[1])} not", text)
    return [Token(found[0]) for found in _TOKEN.finditer(text)]


_FULL = {"ca": "can", "wo": "will", "sha": "shall"}


@lru_cache(maxsize=50_000)
def stem(lower: str) -> str:
    """What all forms of a word have in common."""
    return FORMS.get(lower) or " ".join(text_terms(lower)) or lower


def same_word(one: Token, other: Token) -> bool:
    """Whether two tokens are the same word, names exactly and others in any form."""
    if one.lower == other.lower or SAME.get(one.lower, 0) == SAME.get(other.lower, 1):
        return True
    if one.is_name or other.is_name or one.is_figure or other.is_figure:
        return False
    short, long = sorted((one.lower.removesuffix("s"), other.lower.removesuffix("s")), key=len)
    if long in {f"{short}er", f"{short}r"}:
        return False  # "football" and "footballer"
    return stem(one.lower) == stem(other.lower)


def number_of(token: Token) -> float | None:
    """The value of a number in figures or a word."""
    if token.lower in NUMBERS:
        return NUMBERS[token.lower]
    plain = token.text.replace(",", "")
    return float(plain) if re.fullmatch(r"\d+(?:\.\d+)?", plain) else None


def exclude_each_other(one: Token, other: Token) -> bool:
    """Whether one thing cannot be both in the same place of a phrase."""
    amounts = _AMOUNT.fullmatch(one.text), _AMOUNT.fullmatch(other.text)
    if amounts[0] and amounts[1] and amounts[0].group(1, 3) == amounts[1].group(1, 3) != ("", ""):
        return amounts[0][2] != amounts[1][2]  # of one currency, or both percent
    values = number_of(one), number_of(other)
    if None not in values:
        return values[0] != values[1]
    if one.lower == other.lower:
        return False
    groups = OTHERS.get(one.lower, frozenset()) & OTHERS.get(other.lower, frozenset())
    if groups:
        return True
    home, abroad = COUNTRY_OF.get(one.lower), COUNTRY_OF.get(other.lower)
    return home is not None and abroad is not None and home != abroad


def kinds_of(words: Sequence[Token], *, anywhere: bool = False) -> frozenset[int]:
    """The kinds of thing that a noun phrase names; none where its last word names none, unless `anywhere`."""
    if not words or (_kind(words[-1]) is None and not anywhere):
        return frozenset()
    return frozenset(kind for word in words if (kind := _kind(word)) is not None)


def _kind(word: Token) -> int | None:
    lower = word.lower
    return KINDS.get(lower, KINDS.get(lower.removesuffix("s")))


def is_kind_of(one: Token, other: Token) -> bool:
    """Whether what one noun names is always what the other names: "singer" and "musician"."""
    return one.lower.removesuffix("s") in BROADER.get(other.lower.removesuffix("s"), frozenset())


def nationalities(words: Sequence[Token]) -> frozenset[str]:
    """The countries from which something is, by its adjectives; none where they may say something else."""
    if any(
        word.lower in _NOT_NATIONAL
        or any(part in COUNTRY_OF for part in word.lower.split("-")[1:])
        or ("-" in word.text and word.lower.split("-")[0] in COUNTRY_OF)
        for word in words
    ):
        return frozenset()
    return frozenset(COUNTRY_OF[word.lower] for word in words if word.lower in COUNTRY_OF)


def adjective_of(words: Sequence[Token]) -> str:
    """The adjective of the country that words name and nothing else, "" for other words."""
    name = " ".join(word.lower for word in words if word.lower != "the")
    return ADJECTIVES.get(_WHOLE.get(name, ""), "")


def regions_in(words: Sequence[Token]) -> list[frozenset[str]]:
    """The countries, the states of one country and the counties that words name."""
    text = f" , {' '.join(word.lower for word in words)} ,"

    def named(names: Iterable[str]) -> list[str]:
        return [name for name in names if re.search(_PLACE_NAME.format(re.escape(name)), text)]

    states = frozenset(named(STATES))
    countries = {_WHOLE[name] for name in named(_WHOLE)}
    if states:
        countries.add("united states")
    counties = frozenset(found[0] for found in re.finditer(_PLACE_NAME.format(r"(?:[\w'-]+ ){1,2}county"), text))
    return [frozenset(countries), states, counties]


def _load() -> dict[str, Any]:
    return tomllib.loads(files("mcp_graphrag.reason.clauses").joinpath("clause_words.toml").read_text("utf-8"))


def _words(key: str) -> frozenset[str]:
    return frozenset(_RAW[key].split())


_RAW = _load()
HEDGES = _words("hedges")
ESSENTIAL = HEDGES | _words("essential")
UNREAD, HARMLESS, PARTICIPLES = _words("unread"), _words("harmless"), _words("participles")
PLACE_WORDS, PLACE_NOUNS, PLACE_NAMES = _words("place_words"), _words("place_nouns"), _words("place_names")
RELEASED, BEHIND_NOUN, ORDINALS = _words("released"), _words("behind_noun"), _words("ordinals")
KINDS = {word: at for at, line in enumerate(_RAW["kinds"]) for word in line.split()}
BROADER = {word: frozenset(words.split()) for word, words in (line.split(": ") for line in _RAW["broader"])}
BROADER["person"] = frozenset(word for word, kind in KINDS.items() if kind == KINDS["person"])
FORMS = {form: line.split()[0] for line in _RAW["irregular"] for form in line.split()}
SAME = {word: at + 2 for at, line in enumerate(_RAW["same"]) for word in line.split()}
NUMBERS = {word: float(at) for at, word in enumerate(_RAW["numbers"].split())}
OTHERS: dict[str, frozenset[int]] = {}
for _at, _line in enumerate(_RAW["others"]):
    for _word in _line.split():
        OTHERS[_word] = OTHERS.get(_word, frozenset()) | {_at}
ONCE = frozenset(stem(word) for word in _RAW["once"].split())
LASTING = frozenset(stem(word) for word in _RAW["lasting"].split())
COUNTRIES = frozenset(name.lower() for name in _RAW["countries"])
_LABELS = _words("labels")
_NOT_NATIONAL = _words("not_national")
GENRES, TIME_ADVERBS = _words("genres"), _words("time_adverbs")
ROLES, FIELDS = _words("roles"), _words("fields")
STATES: frozenset[str] = frozenset(name.lower() for name in _RAW["states"])
_WHOLE: dict[str, str] = {name: name for name in COUNTRIES} | {
    part.lower(): name.lower() for part, name in _RAW["parts"].items()
}
COUNTRY_OF = {word.lower(): name.lower() for name, words in _RAW["countries"].items() for word in words.split()} | {
    name: name for name in COUNTRIES if " " not in name
}
ADJECTIVES = {name: word for word, name in reversed(COUNTRY_OF.items()) if word != name}
