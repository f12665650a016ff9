"""Names known from the structure of a document, from other documents or from a graph, and where a text says them."""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from mcp_graphrag.english.spans import MASK
from mcp_graphrag.mentions.identifiers import Shape

KNOWN = "known"  # the kind of their shapes
MAX_WORDS = 6
# What is written in small letters too: "the checkout service".
_IN_ANY_CASE = frozenset(
    {"Service", "Microservice", "Component", "Deployable", "Database", "Team", "Library", "Framework", "Module", "Tool"}
)
_TOKEN = re.compile(rf"[^\s{MASK}()\[\]{{}},;:!?\"“”*]+")
_WORD = re.compile(r"\w(?:[\w.-]*\w)?")
_ENDS = "'’.`-–—/"
_HAS_MARK = re.compile(r"[a-z0-9][-_./@][a-zA-Z0-9]")


class Known(NamedTuple):
    """A name with its words in lower case; `exact` is False for one that is the same name in any case."""

    words: tuple[str, ...]
    name: str
    type: str | None
    exact: bool


class KnownNames:
    """Names by their first word in lower case; `types` has the type of every name that has one.

    `words` are the names of one plain word: they are found without being known, but may be ordinary words.
    """

    def __init__(self, names: Mapping[str, str | None]) -> None:
        self._by_first: dict[str, list[Known]] = {}
        self._first_words: set[str] = set()
        self.types: dict[str, str | None] = {}
        self.words: set[str] = set()
        for name, type_ in names.items():
            self._add(name, type_)
        for candidates in self._by_first.values():
            candidates.sort(key=lambda known: -len(known.words))

    def __bool__(self) -> bool:
        return bool(self._by_first or self.types or self.words)

    def _add(self, name: str, type_: str | None) -> None:
        words = name.casefold().split()
        if not words or len(words) > MAX_WORDS or len(name) < 3:
            return
        if type_ is not None:
            self.types[name] = type_
        marked = _HAS_MARK.search(name) is not None
        if len(words) == 1 and not marked:
            self.words.add(name)
            return
        any_case = type_ in _IN_ANY_CASE if len(words) > 1 else marked
        is_plain = len(words) > 1 and all(word[:1].isupper() and word.isalpha() for word in name.split())
        # A plain run of capitalised words is found without being known.
        if any_case or not is_plain:
            self._first_words.update(_WORD.findall(words[0])[:1])
            self._by_first.setdefault(words[0], []).append(Known(tuple(words), name, type_, not any_case))

    def find(self, text: str, start: int = 0, end: int | None = None) -> Iterator[tuple[Shape, Known]]:
        """Where a text says the names, in order, without overlaps."""
        stop = len(text) if end is None else end
        if not self._by_first or self._first_words.isdisjoint(_words_of(text[start:stop])):
            return  # sooner
        tokens = list(_TOKEN.finditer(text, start, stop))
        at = 0
        while at < len(tokens):
            candidates = self._candidates(tokens[at][0])
            found = (
                next((known for known in candidates if _is_at(text, tokens, at, known)), None) if candidates else None
            )
            if found is None:
                at += 1
                continue
            last = tokens[at + len(found.words) - 1]
            yield Shape(tokens[at].start() + _lead(tokens[at][0]), last.start() + len(_bare(last[0])), KNOWN), found
            at += len(found.words)

    def _candidates(self, token: str) -> Iterable[Known] | None:
        folded = token.casefold()
        return self._by_first.get(folded) or self._by_first.get(_bare(folded).lstrip("'‘`"))


@lru_cache(maxsize=16)  # a text is searched for several lists of names
def _words_of(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.lower()))


def _is_at(text: str, tokens: list[re.Match[str]], at: int, known: Known) -> bool:
    last = at + len(known.words) - 1
    if last >= len(tokens) or _is_inside(text, tokens[at], tokens[last], known):
        return False
    said = [tokens[index][0] for index in range(at, last + 1)]
    if any(text[tokens[index].end() : tokens[index + 1].start()] not in {" ", "\xa0"} for index in range(at, last)):
        return False
    said = [*said[:-1], _bare(said[-1])]
    said[0] = said[0].lstrip("'‘`")
    return said == known.name.split() if known.exact else tuple(map(str.casefold, said)) == known.words


def _is_inside(text: str, first: re.Match[str], last: re.Match[str], known: Known) -> bool:
    """Whether a capitalised name may go on before or behind it: "New York Times" for the known "New York"."""
    if not known.name[0].isupper():
        return False
    following = text[last.end() : last.end() + 2]
    return following[:1] == " " and following[1:].isupper() and last[0][-1].isalnum() and first[0][0].isupper()


def _lead(token: str) -> int:
    return len(token) - len(token.lstrip("'‘`"))


def _bare(token: str) -> str:
    """The token without a possessive and punctuation at its end."""
    bare = token.rstrip(_ENDS)
    return bare[:-2].rstrip(_ENDS) if bare.endswith(("'s", "’s")) else bare
