"""Names of persons by their form, and the one full name that a given name or surname stands for in a document."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from mcp_graphrag.extract.english.gazetteer import GAZETTEER
from mcp_graphrag.extract.english.word_lists import WORDS
from mcp_graphrag.extract.spans import Span

MAX_WORDS = 5
_MAX_TITLE = 20  # characters
_INITIAL = re.compile(r"(?:[A-Z]\.){1,3}\Z")
_NAME_WORD = re.compile(r"(?:[^\W\d_a-z][^\W\d_]*[’'-]?)+\Z")
_SUFFIXES = frozenset({"jr", "sr", "ii", "iii", "iv"})


_RUN = re.compile(
    r"(?<![\w-])[^\W\d_a-z]\w+(?: (?:[A-Z]\.|[^\W\d_a-z][\w’'-]+|de|la|van|von|der|di|da)){1,4}(?<=\w)(?<!['’]s)"
)


def full_names_in(text: str) -> set[str]:
    """The full names of persons in a text, with what stands in front of them removed: "Ask Anna Kowalczyk"."""
    found: set[str] = set()
    for run in _RUN.finditer(text):
        words = run[0].split(" ")
        at = next((index for index, word in enumerate(words) if word in GAZETTEER.given_names), None)
        if at is not None and is_full_name(name := " ".join(words[at:])):
            found.add(name)
    return found


def is_full_name(name: str) -> bool:
    """Whether it is a given name with one to three other names: "Anna B. Kowalczyk", but not "Anna Street"."""
    words = name.split()
    while words and words[-1].rstrip(".").casefold() in _SUFFIXES:
        words.pop()
    if not 2 <= len(words) <= MAX_WORDS or words[0] not in GAZETTEER.given_names or name in GAZETTEER.places:
        return False
    inner = [word for word in words[1:-1] if word not in WORDS.name_particles and _INITIAL.match(word) is None]
    last = words[-1]
    if len(inner) > 2 or not all(_NAME_WORD.match(word) for word in (*inner, last)) or _is_shouted(last):
        return False
    if GAZETTEER.is_common(last) or last.casefold() in WORDS.last_word:
        return last in WORDS.surnames
    return not any(GAZETTEER.is_common(word) and word not in GAZETTEER.given_names for word in inner)


def _is_shouted(word: str) -> bool:
    """Whether it is an acronym: "Maria DB" is no person."""
    return len(word) < 2 or (word.isupper() and len(word) < 5)


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


def people_of(names: Iterable[str], text: str) -> People:
    """The people with these full names in a text. A surname that a title introduces before may be of somebody else."""
    owners: dict[str, set[str]] = {}
    for name in set(names):
        words = [word for word in name.split() if word.rstrip(".").casefold() not in _SUFFIXES]
        for word in {words[0], words[-1]}:
            owners.setdefault(word, set()).add(name)
    return People(
        {
            word: _longest(names)
            for word, names in owners.items()
            if _is_one(names) and _may_stand(word) and not _is_titled_before(word, names, text)
        }
    )


def _is_titled_before(surname: str, names: set[str], text: str) -> bool:
    """Whether a surname stands behind a title in front of the full names: "General Lee … his brother Hugh Lee"."""
    at = text.find(f" {surname}", 0, min((where for name in names if (where := text.find(name)) >= 0), default=0))
    title = text[max(at - _MAX_TITLE, 0) : at].rpartition(" ")[2].rstrip(".").rpartition("\n")[2]
    return title[:1].isupper() and (title.casefold() in WORDS.honorifics or title.casefold() in WORDS.persons)


def _is_one(names: set[str]) -> bool:
    """Whether the names are forms of one: "Anna Kowalczyk" and "Anna B. Kowalczyk"."""
    return len({(name.split()[0], name.split()[-1]) for name in names}) == 1


def _longest(names: set[str]) -> str:
    return min(names, key=lambda name: (-len(name), name))


def _may_stand(word: str) -> bool:
    """Whether the word alone can only be that person: not "Will", "Brown", "Paris" or an initial."""
    is_other = GAZETTEER.is_common(word) or word in GAZETTEER.places or word in WORDS.exact
    return len(word) > 2 and "." not in word and not is_other


def is_weekday_of_person(prose: str, tokens: Sequence[Span]) -> bool:
    """Whether a weekday stands behind a person, who did something on it: "Ann Lee Monday announced"."""
    is_weekday = prose[slice(*tokens[-1])] in WORDS.weekdays and len(tokens) > 2
    return is_weekday and is_full_name(prose[tokens[-3][0] : tokens[-2][1]])
