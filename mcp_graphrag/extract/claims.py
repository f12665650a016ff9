"""Claims: triples under way, between two mentions of a sentence."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from mcp_graphrag.extract.lexicon import Cue
from mcp_graphrag.extract.mentions import Found

_DEMONYM = re.compile(r"[A-Z]\w+(?:an|ish|ese|ic|ch)\Z")
_MONEY = re.compile(r"(?:[$€£]|USD |EUR )\d{1,12}(?:[.,]\d{1,3}){0,5}(?: ?(?:k|K|m|M|million|thousand|billion))?")
OCCURRED_ON = "occurred_on"


class Claim(NamedTuple):
    """A triple under way: two mentions, the predicate, the words that say so, and what the clause adds to it."""

    subject: Found
    predicate: str
    object: Found
    surface: str
    confidence: float
    when: str | None = None
    amount: str | None = None


def typed(mention: Found, expected: str | None) -> Found:
    """The mention, with the expected type where it has none."""
    return mention._replace(type=expected) if mention.type is None and expected else mention


def is_demonym(name: str) -> bool:
    """Whether the name has the form of "Norwegian" or "Turkish"."""
    return _DEMONYM.match(name) is not None


def claims_of(subject: Found, cue: Cue, object_: Found, confidence: float) -> Iterator[Claim]:
    """What a cue asserts of two mentions: nothing of a thing and itself, or of a date as subject."""
    if subject.name == object_.name or subject.kind == "date":
        return
    surface = " ".join(cue.words)
    if object_.kind == "date":
        expected = cue.object if cue.swap else cue.subject
        if cue.date == OCCURRED_ON and ((subject.type or expected) == "Person" or cue.predicate == "same_as"):
            return
        yield Claim(subject, cue.date, object_, surface, 0.4 if cue.predicate == "is_a" else confidence)
        return
    predicate = cue.place or cue.predicate
    if predicate == "has_role" and object_.type != "Role":
        predicate = "affiliated_with"
    if predicate == "is_a" and is_demonym(object_.name):
        predicate = "nationality"
    first, second = (object_, subject) if cue.swap else (subject, object_)
    yield Claim(typed(first, cue.subject), predicate, typed(second, cue.object), surface, confidence)


def amount_in(sentence: str) -> str | None:
    """The first amount of money that the sentence names."""
    found = _MONEY.search(sentence)
    return found[0] if found is not None else None
