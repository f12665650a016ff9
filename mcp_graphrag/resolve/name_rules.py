"""Acronyms and surnames: names of a document that stand for other names in it."""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import TypeAlias

from mcp_graphrag.index.normalize import normal_form

Named: TypeAlias = tuple[str, str | None]  # a name and, if it is known, its type

SMALL_WORDS = frozenset({"of", "the", "and", "for", "in", "on", "de", "la", "du", "der", "von", "&"})
ACRONYM = re.compile(r"[A-Z][A-Z0-9]{1,6}")
# A word after one of these is no surname: Peter is not the surname of Saint Peter.
TITLES = frozenset(
    {"saint", "st", "king", "queen", "prince", "princess", "emperor", "empress", "pope", "sultan", "tsar", "sheikh"}
    | {"child", "brother", "sister", "father", "mother"}
)


def initials(name: str) -> set[str]:
    """The possible acronyms of a name, with and without its small words: {"UOC", "UC"} for University of Crete."""
    words = [word for word in re.split(r"[\s\-/]+", name) if word[:1].isalnum() or word == "&"]
    if len(words) < 2:
        return set()
    strong = [word for word in words if word.lower() not in SMALL_WORDS]
    return {"".join(word[0] for word in chosen).upper() for chosen in (words, strong) if len(chosen) > 1}


def acronyms(names: Iterable[str]) -> dict[str, list[str]]:
    """The acronyms among the names of a document, each with its different long forms among them."""
    listed = list(dict.fromkeys(names))
    short = [name for name in listed if ACRONYM.fullmatch(name)]
    if not short:
        return {}
    long_forms: dict[str, dict[str, str]] = defaultdict(dict)
    for name in listed:
        for letters in initials(name):
            long_forms[letters].setdefault(normal_form(name), name)
    return {name: list(long_forms[name].values()) for name in short if name in long_forms}


def surnames(named: Sequence[Named]) -> dict[str, str]:
    """The surnames among the names of a document, each with the full name of the only person in it with that surname.

    A word that also ends the name of another entity, or that has another type itself, is no surname; nor is a word that
    follows a title alone.
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
