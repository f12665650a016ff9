"""The person whose life a document tells under a shorter name: the page "Harold Moss" on Maurice Harold Moss."""

import re
from collections.abc import Sequence

from mcp_graphrag.mentions.nicknames import without_nickname

_MAX_OPENING = 1000  # characters of the text in which the fuller name stands
_WORD = r"[^\W\d_a-z][\w’'-]*\.?"
_OPENING = re.compile(
    rf"(?:\A|\n)[ *_]{{0,5}}(?P<name>{_WORD}"
    rf"(?:[ \xa0](?:{_WORD}|\"{_WORD}\"|“{_WORD}”|de|la|van|von|der|di|da|del)){{1,7}})"
    r"[*_]{0,3}[^.\n()]{0,60}\((?:[^()\n]{0,80}[;,] )?"
    r"(?:born|\d{1,2} [A-Z]|[A-Z][a-z]+ \d{1,2}, |c\. |1\d\d\d|20\d\d)"
)


def person_of_title(title: str, text: str) -> tuple[str, int, int] | None:
    """The fuller name that opens the text in front of the dates of a life, and its span, if the title is short for it.

    The words of the title, initials among them, are in the fuller name in the same order, and the last one ends both.
    """
    words = title.partition(" (")[0].split()
    if len(words) < 2:
        return None
    for opening in _OPENING.finditer(text, 0, _MAX_OPENING):
        said = [word.strip('"“”') for word in opening["name"].split()]
        if words != said and said[-1] == words[-1] and _follow(words, said):
            return without_nickname(" ".join(opening["name"].split())), *opening.span("name")
    return None


def _follow(words: Sequence[str], said: Sequence[str]) -> bool:
    """Whether words are among others in the same order; an initial is any word that begins so."""
    rest = iter(said)
    return all(any(word == one or (word[1:] == "." and one[:1] == word[0]) for one in rest) for word in words)
