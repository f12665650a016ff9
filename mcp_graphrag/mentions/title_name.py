"""Titles as the names of works: that of a document, and those that a text introduces: "The Wall is an album by"."""

import re
from collections.abc import Iterator, Sequence

from mcp_graphrag.english.word_lists import WORDS
from mcp_graphrag.mentions.identifiers import Shape

TITLE = "title"  # the kind of their shapes
_MAX_WORDS, _MAX_OPENING = 12, 1000  # words of a title, characters of the text in which it is introduced
_MARKS = "\"'“”‘’.,:;!?–—-&"
_MAX_SMALL = 3  # letters of a word that titles have in small letters too: "vs"
_LINE_START = re.compile(r"(?:\A|\n)[^\w\n]{0,8}(?:The |An? )?\Z")
_INTRODUCES = re.compile(
    r"[\"”*_]{0,4}\s?(?:\([^()\n]{0,200}\)\s?)?"
    r"(?:(?:is|was|are|were)\b|, (?:an?|the|also|or|formerly|originally|better|released|published)\b)"
)
_GOES_ON = re.compile(r"\w|[ \xa0-][A-Z0-9]")
_OF_VERB = re.compile(r"(?:ed|ing|[wv]en|sung|shot|set)\Z")
_IS_KIND = r"(?: ?\([^()\n]{0,120}\))? (?:is|was|are|were) (?:also )?(?:an?|the) ((?:[\w’'-]+(?: |(?=[.,;]))){1,12})"
_WITH_ARTICLE = re.compile(
    r"(?:\A|\n|[.!?] )[*_]{0,4}((?:The|An?)(?: (?:(?:of|the|and|in|on|to|for|a) )?[A-Z\d][\w’'-]*){1,6})[*_]{0,4}"
    + _IS_KIND
)
_IN_QUOTES = re.compile(r"(?:\A|\n|[.!?] )[*_]{0,4}[\"“] ?([A-Z\d][^\"“”\n]{1,60}?) ?[\"”][*_]{0,4}" + _IS_KIND)


def title_name(title: str, text: str) -> str:
    """The title without brackets if the text introduces it as a name that is not found by its form, else ""."""
    name = " ".join(title.partition(" (")[0].split())
    words = [word for word in (part.strip(_MARKS) for part in name.split()) if word]
    if not 2 <= len(words) <= _MAX_WORDS or _has_form_of_name(name):
        return ""
    in_small_letters = [
        word for word in words if word[0].islower() and len(word) > _MAX_SMALL and not WORDS.is_stop(word)
    ]
    if name[0].islower() or (in_small_letters and any(map(WORDS.is_stop, words))):
        return ""  # "How to restart the cache", but "Le cap perdu"
    is_said = any(
        _LINE_START.search(text, max(at - 16, 0), at) and _INTRODUCES.match(text, at + len(name))
        for at in _places(name, text[:_MAX_OPENING])
    )
    return name if is_said else ""


def introduced_titles(title: str, text: str) -> Iterator[str]:
    """The titles in quotation marks or with their article of works that a text introduces: "A Separation is a film".

    That of the document may be without its article: "Lund Daily News" of "The Lund Daily News is a newspaper".
    """
    own = title.partition(" (")[0]
    for found in (*_WITH_ARTICLE.finditer(text), *_IN_QUOTES.finditer(text)):
        if found[1].partition(" ")[2] != own and _is_work(found[2].casefold().split()):
            yield found[1]


def _is_work(words: Sequence[str]) -> bool:
    """Whether words say that something is a work: "2011 film directed by", and not "film director"."""
    kind = next((at for at, word in enumerate(words) if word in WORDS.works), None)
    if kind is None:
        return False
    behind = words[kind + 1] if kind + 1 < len(words) else "by"
    return behind != "of" and (WORDS.is_stop(behind) or _OF_VERB.search(behind) is not None)


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
    if " " not in name:
        return []
    return [
        Shape(at, at + len(name), TITLE)
        for at in _places(name, prose)
        if _GOES_ON.match(prose, at + len(name)) is None and not (at and prose[at - 1].isalnum())
    ]
