"""The title of a document as the name of what its text is about: "My Name Is Bill W. is a 1989 film"."""

import re
from collections.abc import Iterator

from mcp_graphrag.extract.english.identifiers import Shape
from mcp_graphrag.extract.english.word_lists import WORDS

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
