"""Acronyms, surnames and company names without their legal form: names that stand for others of their document."""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import TypeAlias

from mcp_graphrag.index.normalize import normal_form

Named: TypeAlias = tuple[str, str | None]  # a name and, if it is known, its type

CODE_TYPES = frozenset({"Class", "Function", "Method", "Module"})
DEFINED = CODE_TYPES - {"Module"}  # of which names that differ in case only are two: run() and Run() in Go
_APART = CODE_TYPES | {"Library"}
SMALL_WORDS = frozenset({"of", "the", "and", "for", "in", "on", "de", "la", "du", "der", "von", "&"})
ACRONYM = re.compile(r"[A-Z][A-Z0-9]{1,6}")
# A word after one of these is no surname: Peter is not the surname of Saint Peter.
TITLES = frozenset(
    {"saint", "st", "king", "queen", "prince", "princess", "emperor", "empress", "pope", "sultan", "tsar", "sheikh"}
    | {"child", "brother", "sister", "father", "mother"}
)


# The legal forms of companies, each with its shortest spelling. The latter are other words as well: the Texas AG;
# Adelaide, SA; the Siemens PLC; Denver, CO.
LEGAL_FORMS = {
    **dict.fromkeys(("inc", "incorporated"), "inc"),
    **dict.fromkeys(("corp", "corporation"), "corp"),
    **{form: form for form in ("ltd", "llc", "llp", "gmbh", "kg", "oyj", "pty", "kk", "srl", "spa", "bv")},
}
AMBIGUOUS_FORMS = {
    **dict.fromkeys(("co", "company"), "co"),
    "limited": "ltd",
    **{form: form for form in ("ag", "plc", "sa", "nv", "ab", "oy", "se", "lp", "as")},
}


_IDENTIFIER = re.compile(r"(?=.*[_.:(]|.+[a-z][A-Z]|[A-Z]{2,}[a-z])[A-Za-z_$][\w$]*(?:(?:\.|::)\w+)*(?:\(\))?")


def spelling(name: str) -> str:
    """What tells names of one normal form apart: constants from variables, functions from words.

    LOGIN_URL is not login_url, and json() is not JSON; "" for all other names.
    """
    base = name.removesuffix("()")
    if "_" in base.strip("_") and base.replace("_", "").isalnum():
        return "constant" if base.isupper() else "variable"
    return "function" if base != name and base.isalpha() and base[1:].islower() else ""


def is_other_code(one: Named, other: Named) -> bool:
    """Whether two names are of code of different types: the module "retry" is not the class Retry."""
    return one[1] in _APART and other[1] in _APART and one[1] != other[1]


def is_identifier(name: str) -> bool:
    """Whether a name is one of code by its form: "retry_request", "HTTPAdapter", "Session.get", "close()"."""
    return _IDENTIFIER.fullmatch(name) is not None


def legal_form(name: str, *, surely: bool = False) -> tuple[str, str]:
    """The normal form of a company's name without its legal form, and that form, "" if it has none.

    With `surely` only forms that are no other words.
    """
    words = normal_form(name).split()
    forms = LEGAL_FORMS if surely else {**LEGAL_FORMS, **AMBIGUOUS_FORMS}
    found: list[str] = []
    while len(words) > 1 and words[-1] in forms:
        found.insert(0, forms[words.pop()])
    if found and len(words) > 1 and words[-1] in AMBIGUOUS_FORMS:  # "Acme Co., Ltd."
        found.insert(0, AMBIGUOUS_FORMS[words.pop()])
    while len(words) > 1 and words[-1] in {"and", "&"}:
        words.pop()
    return " ".join(words), " ".join(found)


def short_company_names(names: Iterable[str]) -> dict[str, str]:
    """The names of a document that also stand in it with one legal form, each with the longer name.

    Beside two forms, as in Corvane Ltd and Corvane Inc, the name alone may be that of either.
    """
    bare: dict[str, list[str]] = defaultdict(list)
    long: dict[str, dict[str, str]] = defaultdict(dict)
    for name in dict.fromkeys(names):
        base, form = legal_form(name, surely=True)
        if form:
            long[base].setdefault(form, name)
        else:
            bare[base].append(name)
    return {name: next(iter(of.values())) for base, of in long.items() if len(of) == 1 for name in bare[base]}


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
