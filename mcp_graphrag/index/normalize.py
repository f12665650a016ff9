"""The normal form of a name, by which names are compared."""

import re
import unicodedata
from functools import lru_cache

ARTICLE = "the"
COMPANY_FORMS = frozenset({"inc", "ltd", "llc", "corp", "corporation", "gmbh", "plc", "co", "ag", "sa", "limited"})
# '+' and '#' distinguish C, C++ and C#; everything else but letters, digits and combining marks separates words.
SEPARATORS = re.compile(r"[^\w+#]+|_+")
IDENTIFIER = re.compile(r"[!-~]*[a-z0-9][.:/_]+[a-z0-9][!-~]*|[./][a-z0-9][!-~]*")
SECTION = " > "
CALL = re.compile(r"(?:\(\))+$")
COMBINING = re.compile("[\u0300-\u036f]")


@lru_cache(maxsize=16_384)
def normal_form(name: str) -> str:
    """The form in which names are compared.

    Accents, case, punctuation, a leading "the" and a company form at the end are ignored; Jr, Sr and numerals are not.
    In an identifier (one word with a dot, colon, slash or underscore) every character counts, except "()" at the end.
    A name of punctuation only is its own normal form. The name of a section keeps the ">" between its parts.
    """
    folded = name.strip().casefold()
    if SECTION in folded:
        return SECTION.join(normal_form(part) for part in folded.split(SECTION))
    if IDENTIFIER.fullmatch(folded):
        return CALL.sub("", folded)
    words = SEPARATORS.sub(" ", folded).split() if folded.isascii() else _foreign_words(folded)
    while len(words) > 1 and words[0] == ARTICLE:
        words = words[1:]
    while len(words) > 1 and words[-1] in COMPANY_FORMS:
        words = words[:-1]
    return " ".join(words or name.split())


def _foreign_words(folded: str) -> list[str]:
    decomposed = COMBINING.sub("", unicodedata.normalize("NFKD", folded))
    recomposed = unicodedata.normalize("NFC", decomposed).casefold()
    # `\w` lacks the vowel signs of Indic scripts and of Thai, without which different names would be equal.
    return "".join(
        char if char.isalnum() or char in "+#" or unicodedata.category(char)[0] == "M" else " " for char in recomposed
    ).split()
