"""Titles as the names of works and persons: that of a document, and those that a text introduces."""

import re
from collections.abc import Iterator, Sequence

from mcp_graphrag.english.word_lists import WORDS
from mcp_graphrag.mentions.identifiers import Shape
from mcp_graphrag.mentions.person_names import without_nickname

TITLE = "title"  # the kind of their shapes
_MAX_WORDS, _MAX_OPENING = 12, 1000  # words of a title, characters of the text in which it is introduced
_MARKS = "\"'“”‘’.,:;!?–—-&"
_MAX_SMALL = 3  # letters of a word that titles have in small letters too: "vs"
_INTRODUCES = re.compile(
    r"[\"”*_]{0,4}\s?(?:\([^()\n]{0,200}\)\s?)?"
    r"(?:(?:is|was|are|were)\b|, (?:an?|the|also|or|formerly|originally|better|released|published)\b)"
)
_IS_KIND = r"(?: ?\([^()\n]{0,120}\))? (?:is|was|are|were) (?:also )?(?:an?|the) ((?:[\w’'-]+(?: |(?=[.,;]))){1,12})"
_WORK = re.compile(
    r"(?:\A|\n|[.!?] )[*_]{0,4}(?:((?:The|An?)(?: (?:(?:of|the|and|in|on|to|for|a) )?[A-Z\d][\w’'-]*){1,6})"
    rf"|[\"“] ?([A-Z\d][^\"“”\n]{{1,60}}?) ?[\"”])[*_]{{0,4}}{_IS_KIND}"
)
_WORD = r"[^\W\d_a-z][\w’'-]*\.?"
# In front of the dates of a life: the page "Harold Moss" on Maurice Harold Moss.
_LIFE = re.compile(
    rf"(?:\A|\n)[ *_]{{0,5}}(?P<name>{_WORD}"
    rf"(?:[ \xa0](?:{_WORD}|\"{_WORD}\"|“{_WORD}”|de|la|van|von|der|di|da|del)){{1,7}})"
    r"[*_]{0,3}[^.\n()]{0,60}\((?:[^()\n]{0,80}[;,] )?"
    r"(?:born|\d{1,2} [A-Z]|[A-Z][a-z]+ \d{1,2}, |c\. |1\d\d\d|20\d\d)"
)


def title_name(title: str, text: str) -> str:
    """The title without brackets if the text introduces it as a name that is not found by its form, else ""."""
    name = " ".join(title.partition(" (")[0].split())
    words = [word for word in (part.strip(_MARKS) for part in name.split()) if word]
    if not 2 <= len(words) <= _MAX_WORDS or _has_form_of_name(name):
        return ""
    small = [word for word in words if word[0].islower() and len(word) > _MAX_SMALL and not WORDS.is_stop(word)]
    if name[0].islower() or (small and any(map(WORDS.is_stop, words))):
        return ""  # "How to restart the cache", but "Le cap perdu"
    opening = text[:_MAX_OPENING]
    opens_line = (at for at in _places(name, opening) if not opening[:at].rpartition("\n")[2].strip("*_\"'“# TheAn"))
    return name if any(_INTRODUCES.match(text, at + len(name)) for at in opens_line) else ""


def introduced_titles(title: str, text: str) -> Iterator[str]:
    """The titles in quotation marks or with their article of works that a text introduces: "A Separation is a film".

    That of the document may be without its article: "Lund Daily News" of "The Lund Daily News is a newspaper".
    """
    own = title.partition(" (")[0]
    for found in _WORK.finditer(text):
        name = found[1] or found[2]
        if name.partition(" ")[2] != own and _is_work(found[3].casefold().split()):
            yield name


def _is_work(words: Sequence[str]) -> bool:
    """Whether words say that something is a work: "2011 film directed by", and not "film director"."""
    kind = next((at for at, word in enumerate(words) if word in WORDS.works), None)
    if kind is None:
        return False
    behind = words[kind + 1] if kind + 1 < len(words) else "by"
    return behind != "of" and (WORDS.is_stop(behind) or behind.endswith(("ed", "ing", "wen", "ven", "sung", "shot")))


def person_of_title(title: str, text: str) -> tuple[str, int, int] | None:
    """The fuller name that opens the text in front of the dates of a life, and its span, if the title is short for it.

    The words of the title, initials among them, are in the fuller name in the same order, and the last one ends both.
    """
    words = title.partition(" (")[0].split()
    if len(words) < 2:
        return None
    for opening in _LIFE.finditer(text, 0, _MAX_OPENING):
        said = [word.strip('"“”') for word in opening["name"].split()]
        if words != said and said[-1] == words[-1] and _follow(words, said):
            return without_nickname(" ".join(opening["name"].split())), *opening.span("name")
    return None


def _follow(words: Sequence[str], said: Sequence[str]) -> bool:
    """Whether words are among others in the same order; an initial is any word that begins so."""
    rest = iter(said)
    return all(any(word == one or (word[1:] == "." and one[:1] == word[0]) for one in rest) for word in words)


def _places(name: str, text: str) -> Iterator[int]:
    at = text.find(name)
    while at >= 0:
        yield at
        at = text.find(name, at + len(name))


def _has_form_of_name(name: str) -> bool:
    """Whether a title is a plain run of capitalised words, which is found without being known."""
    words = name.split()
    return all(word.isalpha() and word[0].isupper() for word in words) and not WORDS.is_stop(words[0].lower())


def find_title(name: str, prose: str) -> list[Shape]:
    """Where a text says the title, and not a longer name that it is part of."""
    return [
        Shape(at, at + len(name), TITLE)
        for at in (_places(name, prose) if " " in name else ())
        if not (at and prose[at - 1].isalnum()) and not _goes_on(prose[at + len(name) : at + len(name) + 2])
    ]


def _goes_on(behind: str) -> bool:
    return behind[:1].isalnum() or (behind[:1] in {" ", "-", "\xa0"} and (behind[1:].isupper() or behind[1:].isdigit()))
