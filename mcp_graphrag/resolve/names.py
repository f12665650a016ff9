"""Normal forms of names, and which names of one document stand for another of its names."""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Sequence

ARTICLE = "the"
COMPANY_FORMS = frozenset({"inc", "ltd", "llc", "corp", "corporation", "gmbh", "plc", "co", "ag", "sa", "limited"})
SMALL_WORDS = frozenset({"of", "the", "and", "for", "in", "on", "de", "la", "du", "der", "von", "&"})
ACRONYM = re.compile(r"[A-Z][A-Z0-9]{1,6}")
# Before one name these make no first name of it: Peter is not the surname of Saint Peter.
TITLES = frozenset(
    {"saint", "st", "king", "queen", "prince", "princess", "emperor", "empress", "pope", "sultan", "tsar", "sheikh"}
    | {"child", "brother", "sister", "father", "mother"}
)
# '+' and '#' tell C, C++ and C# apart; everything else that is no letter, digit or sign on a letter separates words.
SEPARATORS = re.compile(r"[^\w+#]+|_+")
IDENTIFIER = re.compile(r"[!-~]*[a-z0-9][.:/_]+[a-z0-9][!-~]*|[./][a-z0-9][!-~]*")
SECTION = " > "
CALL = re.compile(r"(?:\(\))+$")
COMBINING = re.compile("[\u0300-\u036f]")


def normal_form(name: str) -> str:
    """The form in which names are compared.

    Accents, case, punctuation, a leading "the" and a closing company form do not count; Jr, Sr and numerals do.
    In an identifier (one word with a dot, colon, slash or underscore in it) every sign counts, but closing brackets.
    A name of nothing but punctuation is its own normal form. A section's name keeps the ">" between its parts.
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
    # `\w` lacks the vowel signs of Indic scripts and of Thai, without which different names would be one.
    return "".join(
        each if each.isalnum() or each in "+#" or unicodedata.category(each)[0] == "M" else " " for each in recomposed
    ).split()


def initials(name: str) -> set[str]:
    """What an acronym of the name could be, with and without its small words: {"UOC", "UC"} for University of Crete."""
    words = [word for word in re.split(r"[\s\-/]+", name) if word[:1].isalnum() or word == "&"]
    if len(words) < 2:
        return set()
    strong = [word for word in words if word.lower() not in SMALL_WORDS]
    return {"".join(word[0] for word in chosen).upper() for chosen in (words, strong) if len(chosen) > 1}


def acronyms(names: Iterable[str]) -> dict[str, list[str]]:
    """Each acronym among a document's names that has long forms among them, with those that are different names."""
    listed = list(dict.fromkeys(names))
    long_forms: dict[str, dict[str, str]] = defaultdict(dict)
    for name in listed:
        for letters in initials(name):
            long_forms[letters].setdefault(normal_form(name), name)
    return {name: list(long_forms[name].values()) for name in listed if name in long_forms and ACRONYM.fullmatch(name)}


def surnames(named: Sequence[tuple[str, str | None]]) -> dict[str, str]:
    """Each single word among a document's (name, type) pairs that is the last word of exactly one person's full name.

    A word that also ends the name of something else, or that is itself typed as something else, stands for nobody. What
    follows a title alone is no surname.
    """
    full: dict[str, set[str]] = defaultdict(set)
    others: set[str] = set()
    for name, type_ in named:
        words = normal_form(name).split()
        if len(words) > 1 and not (len(words) == 2 and words[0] in TITLES):
            if type_ == "Person":
                full[words[-1]].add(name)
            else:
                others.add(words[-1])
    found: dict[str, str] = {}
    for name, type_ in named:
        form = normal_form(name)
        alone = len(name.split()) == 1
        if alone and type_ in (None, "Person") and form not in others and len(full.get(form, ())) == 1:
            found[name] = next(iter(full[form]))
    return found
