"""The normal form of a name, by which names are compared."""

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

ARTICLE = "the"
SECTION = " > "
MINUS_IN_BRACKETS = "(-)"  # as in (-)-limonene

# What case tells apart behind a number: mega from milli, byte from bit.
UNIT = re.compile(
    r"(M(?:(?<=\dM)|(?<=\d M))(?=(?i:wh?|hz|pa|v|j|b|bit|bps)\b)|B(?:(?<=\d[kmgtKMGT]B)|(?<=\d [kmgtKMGT]B))\b)"
)
PLAIN = re.compile(r"[a-z0-9]+(?: [a-z0-9]+)*")
QUOTED = re.compile(r"(?<![^\s(])([\"'])(.+?)\1(?![^\s),.;:!?])")
THOUSANDS = re.compile(r"(?<![\w.,])[1-9]\d{0,2}(?:,\d{3})+(?![\d,])")
INITIALS = re.compile(r"(?:[^\W\d_]\.)+")
# One word with a dot, colon, slash, "@" or underscore inside, or one of these but the colon before it.
IDENTIFIER = re.compile(r"\S*[^\W_][.:/\\_@]+[^\W_]\S*|[^\w\s]*[./\\_@]+[^\W_]\S*")
# What surrounds a word; ' and " behind a digit are signs of feet and inches.
HEAD = re.compile(r"^(?:[`,;'\"]|\.{2,}(?!/))+")
TAIL = re.compile(r"(?:\(\)|[.:?,;`]|(?<!\d)['\"])+$")
# ASCII letters and signs, and all that is not ASCII but the currencies: of it, `_spaced` sets symbols apart.
WORD_CHARACTER = r"[\w+\#<>=~^|\u0080-\u00a1\u00a6-\u209f\u20d0-\U0010ffff]"
# A word with the signs before and behind it: -5, --force, A-, 2010-2012, 1,2, A* (not *A*), 5', e4!; or a currency.
PIECE = re.compile(
    r"""
    \(-\)
    | (?:(?<!W)-+)? W+ (?:(?<=[\d^=<>~])[,-](?=\d) W+)* (?: -$ | \*+ | (?<=\d)[!'"](?!W) )?
    | -?[$%&\u00a2-\u00a5\u20a0-\u20cf]
    """.replace("W", WORD_CHARACTER),
    re.VERBOSE,
)

SPELLINGS = str.maketrans(
    {
        **dict.fromkeys("‐‑‒–−﹣－", "-"),
        **dict.fromkeys("´’‘′", "'"),
        **dict.fromkeys("\u00ad\u200b\u200d\u2060\ufe0e\ufe0f\ufeff™℠®©"),
        "″": '"',
        "♯": "#",
    }
)
SUPERSCRIPTS = re.compile("[⁰¹²³⁴-⁹⁺⁻]+")
FRACTION = re.compile("(?<=[0-9])(?=[¼-¾⅐-⅞])")
# Accents, but not what makes й another letter than и, nor what negates a mathematical sign.
ACCENT = re.compile("(?<=е)\u0308|(?<=[Ѐ-ӿ])[\u0300\u0301]|(?<![Ѐ-ӿ])[\u0300-\u0337\u0339-\u036f]")
KEPT_PUNCTUATION = "§¶‰†‡"


@lru_cache(maxsize=16_384)
def normal_form(name: str) -> str:
    """The form in which names are compared.

    Case, accents, a leading "the" and punctuation between words are ignored. Everything
    that tells numbers, versions and identifiers apart counts: signs, units, percent, "," and "-" between digits (but
    3,000 is 3000), and every character of a word with a dot, colon, slash, "@" or underscore, except "()" at the end.
    A name of punctuation only is its own normal form. The name of a section keeps the ">" between its parts.
    """
    folded = " ".join(_folded(name).split())
    if SECTION in folded:
        return SECTION.join(normal_form(part) for part in folded.split(SECTION))
    if PLAIN.fullmatch(folded):
        if not folded.startswith(ARTICLE):
            return folded
        words = folded.split()
    else:
        tokens = QUOTED.sub(r"\2", folded).split()
        words = [word for token in tokens for word in _words(token)]
        words += ["-"] if words and tokens[-1] == "-" else []
    while len(words) > 1 and words[0] == ARTICLE:
        words = words[1:]
    return " ".join(words or name.split())


def _words(token: str) -> Sequence[str]:
    """The words of a text without spaces; an identifier is one."""
    if INITIALS.fullmatch(token.strip("(),;")):
        return token.strip("(),;").replace(".", " ").split()
    token = THOUSANDS.sub(lambda number: number[0].replace(",", ""), _without_wrapping(token))
    if IDENTIFIER.fullmatch(token):
        return [token]
    return ["and" if piece == "&" else piece for piece in PIECE.findall(token)]


def _without_wrapping(token: str) -> str:
    before = None
    while token not in (before, MINUS_IN_BRACKETS):
        before, token = token, HEAD.sub("", TAIL.sub("", token))
        for opening, closing in ("()", "[]", "{}"):
            if token.startswith(opening) and (closing not in token or token.endswith(closing)):
                token = token.removeprefix(opening).removesuffix(closing)
            elif token.endswith(closing) and opening not in token:
                token = token.removesuffix(closing)
    return token


def _folded(name: str) -> str:
    if name.isascii():
        return _casefold(name)
    spelled = FRACTION.sub(" ", SUPERSCRIPTS.sub(lambda digits: "^" + digits[0], name.translate(SPELLINGS)))
    decomposed = unicodedata.normalize("NFKD", _casefold(spelled)).replace("⁄", "/").translate(SPELLINGS)
    recomposed = _casefold(unicodedata.normalize("NFC", ACCENT.sub("", decomposed)))
    return "".join(map(_spaced, recomposed))


def _casefold(name: str) -> str:
    if "M" not in name and "B" not in name:
        return name.casefold()
    return "".join(part if at % 2 else part.casefold() for at, part in enumerate(UNIT.split(name)))


def _spaced(character: str) -> str:
    """The character, between spaces if it is a symbol; a space for punctuation."""
    category = unicodedata.category(character)
    # `\w` lacks the vowel signs of Indic scripts and of Thai, without which different names would be equal.
    if character.isascii() or character.isalnum() or category[0] == "M" or category == "Sc":
        return character
    return f" {character} " if category[0] == "S" or character in KEPT_PUNCTUATION else " "
