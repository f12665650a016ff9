"""Whom a surname alone stands for in a text that gives it to several: the subject of a biography, or the first so far.

An author who writes of two with one surname gives the others in full, or by their given names.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from mcp_graphrag.english.word_lists import WORDS

# What stands behind the name that opens a biography: "Ida Holm (1889–1961)", "Ida Holm is", "Ida Holm, the painter,".
_LIFE = r"[*_]{0,3}(?: \((?:born|b\.|\d|c\.)|,? (?:is|was) (?:an?|the)\b|, [^,.\n]{3,60}, (?:is|was)\b)"
_OPENING = re.compile(rf"(?:\s|^#.*$|[*_])*(?P<name>[^\W\d_a-z][\w’'.-]*(?: [\w’'.-]+){{1,4}}?){_LIFE}", re.MULTILINE)
_BEFORE = re.compile(r"(?P<word>[^\W\d_][\w’'-]*)(?P<stop>\.?)[ \xa0]\Z")
_PARAGRAPH = re.compile(r"\n\s*\n")
MAX_BEFORE = 40  # characters in which the word in front of a surname stands


class _Said(NamedTuple):
    """A place where a text has a full name or the surname alone, which has no holder."""

    start: int
    holder: str | None


def subject_of_life(text: str) -> str | None:
    """The name that opens a biography."""
    opening = _OPENING.match(text)
    return opening["name"] if opening is not None else None


def holder_of_surname(text: str, surname: str, forms: Mapping[str, Sequence[str]], subject: str | None) -> str | None:
    """The key of the one holder that every mention of a surname alone is of, None if one may be of another.

    `forms` has the full names of each holder. A mention is of the only holder whom the text has named so far, or of
    `subject`, the holder that the text is about, if its paragraph has named no other one in front of it. A headline
    calls somebody what the text does. None is of anybody where the surname is a part of another name, "Holm Paper".
    """
    if re.search(rf"(?<![\w-]){re.escape(surname)}(?:-| (?:& )?)[A-Z]", text) is not None:
        return None
    said = list(_mentions(text, surname, forms))
    first = next((index for index, one in enumerate(said) if one.holder is not None), len(said))
    holders = {_holder(text, said, index, subject) for index in range(first, len(said)) if said[index].holder is None}
    return holders.pop() if len(holders) == 1 else None


def _holder(text: str, said: Sequence[_Said], index: int, subject: str | None) -> str | None:
    at = said[index].start
    before = [one for one in said[:index] if one.holder is not None]
    named = {one.holder for one in before}
    if len(named) == 1:
        return named.pop()
    breaks = [found.end() for found in _PARAGRAPH.finditer(text, 0, at)]
    start = breaks[-1] if breaks else 0
    return subject if {one.holder for one in before if one.start >= start} <= {subject} else None


def _mentions(text: str, surname: str, forms: Mapping[str, Sequence[str]]) -> Iterable[_Said]:
    """The full names and the surname alone, in text order; one with a title or another first name is of nobody."""
    holders = {name: holder for holder, names in forms.items() for name in names}
    names = "|".join(sorted(map(re.escape, holders), key=len, reverse=True))
    for found in re.finditer(rf"(?<![\w-])(?:(?P<full>{names})|{re.escape(surname)})(?![\w-])", text):
        if found["full"] is not None:
            yield _Said(found.start(), holders[found["full"]])
            continue
        before = _BEFORE.search(text, max(found.start() - MAX_BEFORE, 0), found.start())
        yield _Said(found.start(), "" if before is not None and _is_of_name(before) else None)


def _is_of_name(before: re.Match[str]) -> bool:
    """Whether the word in front of a surname is a title or another first name, and not the end of a sentence."""
    word = before["word"]
    if before["stop"] and len(word) > 1 and word.casefold() not in WORDS.honorifics:
        return False
    return word[0].isupper() and not WORDS.is_stop(word)
