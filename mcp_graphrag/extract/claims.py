"""Claims: triples under way, between two mentions of a sentence."""

import re
from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple

from mcp_graphrag.extract.lexicon import RELATED_TO, Cue
from mcp_graphrag.extract.mentions import Found

_DEMONYM = re.compile(r"[A-Z]\w+(?:an|ish|ese|ic|ch)\Z")
_MONEY = re.compile(r"(?:[$€£]|USD |EUR )\d{1,12}(?:[.,]\d{1,3}){0,5}(?: ?(?:k|K|m|M|million|thousand|billion))?")
# What these verbs say of software they do not say of people and states: "declares Severity 1", "imports oil".
_OF_CODE = frozenset({"defined_in", "imports", "raises", "returns"})
_CODE_KINDS = frozenset({"code", "path", "call", "scoped", "dotted", "snake", "camel"})
_SOFTWARE = frozenset({"Module", "Class", "Function", "Method", "Library", "Framework", "Technology", "Error"})
_NO_PLACES = frozenset({"Class", "Function", "Method", "Error", "Role", "Date"})
OCCURRED_ON = "occurred_on"
APPROVAL_THRESHOLD = "approval_threshold"
SAME_AS = "same_as"


class Claim(NamedTuple):
    """A triple under way: two mentions, the predicate, the words that say so, and what the clause adds to it.

    It holds from `valid_from` (inclusive) to `valid_to` (exclusive), where the clause says so.
    """

    subject: Found
    predicate: str
    object: Found
    surface: str
    confidence: float
    when: str | None = None
    amount: str | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None


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
        if cue.swap and cue.form == "verb":
            return  # "Finance publishes it in January" dates what is published
        expected = cue.object if cue.swap else cue.subject
        if cue.date == OCCURRED_ON and ((subject.type or expected) == "Person" or cue.predicate == SAME_AS):
            return
        yield Claim(subject, cue.date, object_, surface, 0.4 if cue.predicate == "is_a" else confidence)
        return
    first, second = (object_, subject) if cue.swap else (subject, object_)
    predicate = _predicate(cue.place or cue.predicate, first, second)
    if predicate == RELATED_TO != cue.predicate:
        first, second = subject, object_
    yield Claim(typed(first, cue.subject), predicate, typed(second, cue.object), surface, confidence)


def _predicate(said: str, subject: Found, object_: Found) -> str:
    """The predicate that a cue means between things of these kinds."""
    a_role = object_.type == "Role"
    if said == "has_role" and not a_role:
        return "affiliated_with"
    if said == "is_a" and (a_role or is_demonym(object_.name)):
        return "has_role" if a_role else "nationality"
    if said == "approved_by" and a_role and subject.type == "Cost Center":
        return APPROVAL_THRESHOLD
    no_place = said == "located_in" and object_.type in _NO_PLACES
    no_code = said in _OF_CODE and not (_is_software(subject) or _is_software(object_))
    return RELATED_TO if no_place or no_code else said


def _is_software(mention: Found) -> bool:
    return mention.kind in _CODE_KINDS or mention.type in _SOFTWARE


def amount_in(sentence: str) -> str | None:
    """The first amount of money that the sentence names."""
    found = _MONEY.search(sentence)
    return found[0] if found is not None else None
