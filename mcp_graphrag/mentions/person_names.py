"""Names of persons by their form, and the one full name that a given name or surname stands for in a document."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from mcp_graphrag.english.spans import Span
from mcp_graphrag.english.word_lists import WORDS
from mcp_graphrag.mentions.gazetteer import GAZETTEER
from mcp_graphrag.mentions.shared_surnames import holder_of_surname, subject_of_life

MAX_WORDS = 5
_INITIAL = re.compile(r"(?:[A-Z]\.){1,3}\Z")
_NAME_WORD = re.compile(r"(?:[^\W\d_a-z][^\W\d_]*[’'-]?)+\Z")
_SUFFIXES = frozenset({"jr", "sr", "ii", "iii", "iv"})
_MONTHS_OF_PERSONS = frozenset({"April", "May", "June", "August"})
_MONTH_STARTS = tuple(f"{month} " for month in _MONTHS_OF_PERSONS)
_ARTICLE = re.compile(r"\b[Tt]he[ \xa0]\Z")
_POSSESSIVE = re.compile(r"['’]s\Z")
_FINITE_BEHIND = re.compile(r"[,('’]| \(| (?:and|who|is|was|has|had|led|ran|wrote|won|made|[a-z]{2,20}(?:s|ed))\b")
_COURTESY = frozenset({"mr", "mrs", "ms", "miss", "dr", "prof", "professor", "sir", "dame"})
# In front of a month; behind a participle "by" is in front of a person: "written by June Olsen".
_IN = re.compile(
    r"(?:\b(?i:in|since|until|of|from|during|before|after|last|next|this|early|late|mid|each|every|one)"
    r"|(?<!ed)(?<!en)(?<!wn)(?<!ne)(?<!ng)(?<!un)(?<!lt)(?<!ht)(?<!de)(?<!ld)(?<!ut)(?<!it) by|\bBy)[ \xa0]\Z"
)
# Around a letter with a full stop: the word in front of it and of other initials; the words of a name behind them.
_WORD_BEFORE = re.compile(r"(?P<word>[\w’'-]+)\.?[ \xa0\n](?:[A-Z]\.[ \xa0]?)*\Z")
_NAME_BEHIND = re.compile(r"(?:[A-Z]\.[ \xa0]?)*(?P<name>[^\W\d_a-z][\w’'-]*(?:[ \xa0][^\W\d_a-z][\w’'-]*)*)")
# Nouns that a letter tells apart, besides those of kinds of things: "Plan B".
_LETTERED_LIST = (
    "appendix block building category class column compartment deck exhibit gate grade group hall house level line"
    " lot model option part phase plan plant platform point room schedule section sector series stage step terminal"
    " tier track type unit variant version vitamin wing zone"
)
_LETTERED = frozenset(_LETTERED_LIST.split())
# Behind a name: a relative clause of a person, or what it is ("is our staff engineer", ", the painter,").
_DESCRIBED = re.compile(
    r",? who\b|(?: (?:is|was)|,) (?:the|our|an?) (?:[a-z-]+ ){0,2}?(?P<role>[A-Za-z-]{3,20})"
    r"(?=[,.;)]| (?:of|at|for|in|and)\b)"
)

# In front of a name: nouns that say what a person is and are of no thing, as "driver" and "publisher" are.
_INTRODUCED = re.compile(
    r"\b(?:[Tt]he|an?|[Hh]is|[Hh]er) (?:[a-z-]{3,20} ){0,2}"
    r"(?:(?!list|exist|guardian)[a-z]{3,16}(?:ist|ian|woman)|architect|actress|actor|novelist|poet|painter|philosopher"
    r"|engineer|composer|singer|farmer|pastor|priest|bishop|teacher|lawyer|sculptor|professor|surgeon) \Z"
)
_RUN = re.compile(
    r"(?<![\w-])[^\W\d_a-z]\w+(?: (?:[A-Z]\.|[^\W\d_a-z][\w’'-]+|de|la|van|von|der|di|da)){1,4}(?<=\w)(?<!['’]s)"
)


def is_full_name(name: str) -> bool:
    """Whether it is a given name with one to three other names: "Anna B. Kowalczyk", but not "Anna Street"."""
    words = name.split()
    while words and words[-1].rstrip(".").casefold() in _SUFFIXES:
        words.pop()
    if not 2 <= len(words) <= MAX_WORDS or name in GAZETTEER.places:
        return False
    if words[0] not in GAZETTEER.given_names and words[0] not in _MONTHS_OF_PERSONS:
        return False
    inner = [word for word in words[1:-1] if word not in WORDS.name_particles and _INITIAL.match(word) is None]
    last = words[-1]
    if inner and words[0] in WORDS.not_only_given_names and any(GAZETTEER.is_common(word) for word in inner):
        return False  # "Georgia Sea Grant"
    if len(inner) > 2 or not all(_NAME_WORD.match(word) for word in (*inner, last)) or _is_shouted(last):
        return False
    if GAZETTEER.is_common(last) or last.casefold() in WORDS.last_word or last.casefold() in WORDS.software_suffixes:
        return last in WORDS.surnames
    return not any(GAZETTEER.is_common(word) and word not in GAZETTEER.given_names for word in inner)


def _is_shouted(word: str) -> bool:
    """Whether it is an acronym: "Maria DB" is no person."""
    return len(word) < 2 or (word.isupper() and len(word) < 5)


def is_initial(before: str, after: str) -> bool:
    """Whether a letter with a full stop is of a person's name, by the text in front of it and behind it.

    "Hosted on Cluster A. Token Broker runs there" has two sentences, "John F. Kennedy" and "by J. R. Moss" are names.
    """
    behind = _NAME_BEHIND.match(after)
    found = _WORD_BEFORE.search(before)
    if behind is None or found is None:
        return behind is not None or not after[:1].isupper()
    word, following = found["word"], behind["name"].split()
    if word in GAZETTEER.given_names or word.casefold() in WORDS.honorifics:
        return True
    if word[0].isdigit() or WORDS.is_stop(following[0]):
        return False
    if word[0].islower():
        type_ = WORDS.last_word.get(word) or WORDS.kind_nouns.get(word, "Person")
        return word not in _LETTERED and type_ in {"Person", "Role"}
    if GAZETTEER.is_common(word) or word in GAZETTEER.places or word in WORDS.exact or word == following[0]:
        return word in WORDS.surnames
    is_surname = not GAZETTEER.is_common(following[0]) or following[0] in WORDS.surnames
    return is_surname and following[-1].casefold() not in WORDS.last_word


def is_given_name(word: str) -> bool:
    """Whether a single word is a given name and nothing else that is as frequent."""
    is_other = GAZETTEER.is_common(word) or word in WORDS.exact or word in WORDS.not_only_given_names
    return word in GAZETTEER.given_names and not is_other


@dataclass(frozen=True)
class People:
    """The persons of a document; `full_names` is from a given name or surname that only one of them has."""

    full_names: Mapping[str, str]

    def full_name(self, name: str) -> str | None:
        """The full name of the one person whose given name or surname this is."""
        return self.full_names.get(name)


def people_in(text: str, known: Iterable[str], title: str) -> People:
    """The people with full names in a text, without what stands in front of them ("Ask Anna Kowalczyk"), and `known`.

    A surname that the text also gives to somebody with another first name or title stands for nobody, unless the title
    of the document is the full name.
    """
    owners: dict[str, set[str]] = {}
    names, others, titles = set(known), dict[str, set[str]](), set[tuple[str, str]]()
    for run in _RUN.finditer(text):
        words = run[0].split(" ")
        at = _first_of_person(text, run.start(), words)
        if at is not None and is_full_name(name := " ".join(words[at:])):
            names.add(name)
            titles.add((" ".join(words[:at]), words[-1]))
        elif _is_described(text, run.end(), words) or _is_introduced(text, run.start(), words):
            names.add(run[0])
        else:
            others.setdefault(words[-1], set()).add(words[-2])
    for name in names:
        words = [word for word in name.split() if word.rstrip(".").casefold() not in _SUFFIXES]
        for word in {words[0], words[-1]}:
            owners.setdefault(word, set()).add(name)
    found: dict[str, str] = {}
    for word, names in owners.items():
        is_sure = not any(_is_other(one, text) and (one, word) not in titles for one in others.get(word, ()))
        if not _may_stand(word) or not (is_sure or title in names):
            continue
        if _is_one(names):
            found[word] = _longest(names)
        elif is_sure and (one := _of_shared_surname(text, word, names, title)) is not None:
            found[word] = one
    return People(found)


def _of_shared_surname(text: str, surname: str, names: set[str], title: str) -> str | None:
    """The full name of the only one of several persons whom a text calls by their surname alone."""
    forms: dict[str, list[str]] = {}
    for name in sorted(names):
        forms.setdefault(name.split()[0], []).append(name)
    if any(surname in others[0].split()[0] for others in forms.values()):
        return None  # the given name of one of them
    life = subject_of_life(text)
    subject = next((first for first, each in forms.items() if title in each or life in each), None)
    holder = holder_of_surname(text, surname, forms, subject)
    return _longest(set(forms[holder])) if holder else None


def _is_described(text: str, end: int, words: Sequence[str]) -> bool:
    """Whether what stands behind two words says that they are a person: "Lin Zhao, who", "Lin Zhao is the CTO".

    The words may have no other meaning; the first may be a given name that is not known.
    """
    behind = _DESCRIBED.match(text, end)
    return (
        _is_plain(words)
        and behind is not None
        and (behind["role"] is None or WORDS.is_of_person(behind["role"].lower()))
    )


def _is_introduced(text: str, start: int, words: Sequence[str]) -> bool:
    """Whether the noun in front of two words says that they are a person: "the novelist Tunde Holm"."""
    return _is_plain(words) and _INTRODUCED.search(text, max(start - 40, 0), start) is not None


def _is_plain(words: Sequence[str]) -> bool:
    """Whether two words have no other meaning than a name."""
    return len(words) == 2 and not any(
        GAZETTEER.is_common(word) or word in WORDS.exact or word.casefold() in WORDS.last_word for word in words
    )


def _first_of_person(text: str, start: int, words: Sequence[str]) -> int | None:
    """The position of the first given name in a run of capitalised words; None if an article is in front of it."""
    at = next((index for index, word in enumerate(words) if _may_be_first(text, start, index, word)), None)
    if at is None or has_article(text, start + len(" ".join([*words[:at], ""]))):
        return None
    return at


def has_article(text: str, start: int) -> bool:
    """Whether "the" stands directly in front: "the Lenn Brook" is a stream and no person."""
    return _ARTICLE.search(text, max(start - 5, 0), start) is not None


def _may_be_first(text: str, start: int, index: int, word: str) -> bool:
    """Whether a word of a run of capitalised ones is a given name, and not a month in front of a name."""
    if word not in WORDS.months:
        return word in GAZETTEER.given_names
    return word in _MONTHS_OF_PERSONS and not (index == 0 and is_month(text, start))


def is_month(text: str, start: int) -> bool:
    """Whether the name of a month stands for the month, by what is in front of it: "since June Acme owns it"."""
    return _IN.search(text, max(start - 30, 0), start) is not None


def is_person_of_month(prose: str, span: Span, *, opens: bool) -> bool:
    """Whether words are a full name whose first word is a month's: "May Lask", but not "May Acme use it?".

    `opens`: they open a sentence.
    """
    start, end = span
    if not prose.startswith(_MONTH_STARTS, start, end) or is_month(prose, start):
        return False
    return is_full_name(_POSSESSIVE.sub("", prose[start:end])) and (
        not opens or _FINITE_BEHIND.match(prose, end) is not None
    )


def _is_other(word: str, text: str) -> bool:
    """Whether a word in front of a surname is another first name, or a title that the text does not explain."""
    title = word.casefold()
    if title in WORDS.honorifics or title in WORDS.persons:
        return title not in _COURTESY and title not in text
    is_known = GAZETTEER.is_common(word) or word in GAZETTEER.nationalities or WORDS.is_stop(word)
    return not is_known and word.isalpha() and title not in WORDS.last_word and not word.isupper()


def _is_one(names: set[str]) -> bool:
    """Whether the names are forms of one: "Anna Kowalczyk" and "Anna B. Kowalczyk"."""
    return len({(name.split()[0], name.split()[-1]) for name in names}) == 1


def _longest(names: set[str]) -> str:
    return min(names, key=lambda name: (-len(name), name))


def _may_stand(word: str) -> bool:
    """Whether the word alone can only be that person: not "Will", "Brown", "Paris" or an initial."""
    is_other = GAZETTEER.is_common(word) or word in GAZETTEER.places or word in WORDS.exact
    is_other |= word in WORDS.months
    return len(word) > 2 and "." not in word and not is_other


def is_behind_person(prose: str, tokens: Sequence[Span]) -> bool:
    """Whether the last word stands behind a person and is no part of the name: a weekday or a number.

    "Ann Lee Monday announced", "Ann Lee 7" in a list of marks.
    """
    last = prose[slice(*tokens[-1])]
    is_other = (last in WORDS.weekdays or last.isdigit()) and len(tokens) > 2
    return is_other and is_full_name(prose[tokens[-3][0] : tokens[-2][1]])
