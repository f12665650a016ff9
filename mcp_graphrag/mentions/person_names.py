"""Names of persons by their form, and the one full name that a given name or surname stands for in a document."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from mcp_graphrag.english.word_lists import WORDS
from mcp_graphrag.mentions.gazetteer import GAZETTEER
from mcp_graphrag.mentions.identifiers import Shape

MAX_WORDS = 5
NICKNAMED = "nicknamed"  # the kind of the shapes of names with a nickname inside
_SUFFIXES = frozenset({"jr", "sr", "ii", "iii", "iv"})
_MONTHS_OF_PERSONS = frozenset({"April", "May", "June", "August"})
_COURTESY = frozenset({"mr", "mrs", "ms", "miss", "dr", "prof", "professor", "sir", "dame"})
# Nouns that a letter tells apart, besides those of kinds of things: "Plan B".
_LETTERED_LIST = (
    "appendix block building category class column compartment deck exhibit gate grade group hall house level line"
    " lot model option part phase plan plant platform point room schedule section sector series stage step terminal"
    " tier track type unit variant version vitamin wing zone"
)
_LETTERED = frozenset(_LETTERED_LIST.split())
_PARTICLE = r"(?:de|la|van|von|der|di|da)"
_RUN = re.compile(rf"(?<![\w-])[^\W\d_a-z]\w+(?: (?:[A-Z]\.|[^\W\d_a-z][\w’'-]+|{_PARTICLE})){{1,4}}(?<=\w)(?<!['’]s)")
_NAME = r"[^\W\d_a-z][\w’'-]*\w"
# 'Daniel Thomas "Dan" Moss' is also called Dan Moss.
_NICKNAMED = re.compile(
    rf"(?<![\w\"“.-])(?P<given>{_NAME}(?: (?:{_NAME}|[A-Z]\.)){{0,2}}) [\"“] ?{_NAME}(?: {_NAME}){{0,2}} ?[\"”] "
    rf"(?P<surname>(?:{_PARTICLE} ){{0,2}}{_NAME}(?: {_NAME})?)(?<!['’]s)"
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
    inner = [word for word in words[1:-1] if word not in WORDS.name_particles and not _is_initials(word)]
    last = words[-1]
    if inner and words[0] in WORDS.not_only_given_names and any(GAZETTEER.is_common(word) for word in inner):
        return False  # "Georgia Sea Grant"
    # Of an acronym, "Maria DB" is no person.
    is_acronym = len(last) < 2 or (last.isupper() and len(last) < 5)
    if len(inner) > 2 or not all(map(_is_name_word, (*inner, last))) or is_acronym:
        return False
    if GAZETTEER.is_common(last) or last.casefold() in WORDS.last_word or last.casefold() in WORDS.software_suffixes:
        return last in WORDS.surnames
    return not any(GAZETTEER.is_common(word) and word not in GAZETTEER.given_names for word in inner)


def _is_initials(word: str) -> bool:
    return word[-1] == "." and all(len(letter) == 1 and letter.isupper() for letter in word[:-1].split("."))


def _is_name_word(word: str) -> bool:
    """Whether it is one word with a capital, or several with hyphens or apostrophes between them: "O'Hara"."""
    parts = word.replace("’", "-").replace("'", "-").split("-")
    return word[0].isupper() and all(part.isalpha() for part in parts if part)


def is_initial(before: str, after: str) -> bool:
    """Whether a letter with a full stop is of a person's name, by the text in front of it and behind it.

    "Hosted on Cluster A. Token Broker runs there" has two sentences, "John F. Kennedy" and "by J. R. Moss" are names.
    """
    words, following = before.split(), after.split()
    if not following or not following[0][0].isupper() or not words:
        return True
    word = next((word for word in reversed(words) if not _is_initials(word)), words[0]).rstrip(".").strip('"“(')
    if word in GAZETTEER.given_names or word.casefold() in WORDS.honorifics:
        return True
    if not word[:1].isalpha() or WORDS.is_stop(following[0]):
        return False
    if word[0].islower():
        type_ = WORDS.last_word.get(word) or WORDS.kind_nouns.get(word, "Person")
        return word not in _LETTERED and type_ in {"Person", "Role"}
    return word in WORDS.surnames or not (GAZETTEER.is_common(word) or word in GAZETTEER.places or word in WORDS.exact)


def is_given_name(word: str) -> bool:
    """Whether a single word is a given name and nothing else that is as frequent."""
    is_other = GAZETTEER.is_common(word) or word in WORDS.exact or word in WORDS.not_only_given_names
    return word in GAZETTEER.given_names and not is_other


def people_in(text: str, known: Iterable[str], title: str) -> dict[str, str]:
    """The full names of the one person of a text, or of `known`, who has a given name or surname.

    What stands in front of a name is no part of it: "Ask Anna Kowalczyk". A surname that the text also gives to
    somebody with another first name or title stands for nobody, unless the title of the document is the full name; nor
    does a given name that another name stands behind too.
    """
    owners, others = defaultdict[str, set[str]](set), defaultdict[str, set[str]](set)
    behind = defaultdict[str, set[str]](set)
    names, titles = set(known), set[tuple[str, str]]()
    for run in _RUN.finditer(text):
        words = run[0].split(" ")
        for word, following in pairwise(words):
            behind[word].add(following)
        at = _first_of_person(text, run.start(), words)
        if at is not None and is_full_name(name := " ".join(words[at:])):
            names.add(name)
            titles.add((" ".join(words[:at]), words[-1]))
        else:
            others[words[-1]].add(words[-2])
    for name in names:
        words = [word for word in name.split() if word.rstrip(".").casefold() not in _SUFFIXES]
        for word in {words[0], words[-1]}:
            owners[word].add(name)
        behind[words[0]].difference_update(words)
    return {
        word: min(names, key=lambda name: (-len(name), name))
        for word, names in owners.items()
        if _may_stand(word)
        and _is_one(names)
        and not (behind[word] and any(name.startswith(f"{word} ") for name in names))
        and (title in names or not any(_is_other(one, text) and (one, word) not in titles for one in others[word]))
    }


def _first_of_person(text: str, start: int, words: Sequence[str]) -> int | None:
    """The position of the first given name in a run of capitalised words; None if an article is in front of it."""
    may_be_first = (word in (_MONTHS_OF_PERSONS if word in WORDS.months else GAZETTEER.given_names) for word in words)
    at = next((index for index, may_be in enumerate(may_be_first) if may_be), None)
    return None if at is None or has_article(text, start + len(" ".join([*words[:at], ""]))) else at


def has_article(text: str, start: int) -> bool:
    """Whether "the" stands directly in front: "the Lenn Brook" is a stream and no person."""
    return text[max(start - 5, 0) : start].replace("\xa0", " ").endswith((" the ", " The ")) or (
        start == 4 and text[:4] in {"the ", "The "}
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


def _may_stand(word: str) -> bool:
    """Whether the word alone can only be that person: not "Will", "Brown", "Paris" or an initial."""
    is_other = GAZETTEER.is_common(word) or word in GAZETTEER.places or word in WORDS.exact or word in WORDS.months
    return len(word) > 2 and "." not in word and not is_other


def find_nicknamed(prose: str) -> Iterator[Shape]:
    """The names of persons with a nickname in quotation marks inside."""
    if '"' in prose or "“" in prose:
        for found in _NICKNAMED.finditer(prose):
            if is_given_name(found["given"].split()[0]):
                yield Shape(*found.span(), NICKNAMED)


def without_nickname(name: str) -> str:
    """The given names and the surname."""
    found = _NICKNAMED.fullmatch(name)
    return f"{found['given']} {found['surname']}" if found is not None else name
