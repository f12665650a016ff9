"""Whether a statement is only in the past tense, and so may be over: one rule for every tool that asks what holds.

What is said in the past tense, of what is no event, is not asserted of today, also where it says from when. The age of
a document ends nothing.
"""

import re
from collections.abc import Iterable
from datetime import datetime
from functools import lru_cache
from typing import NamedTuple

from mcp_graphrag.english.lexicon import irregular_pasts, load_lexicon
from mcp_graphrag.english.word_lists import WORDS
from mcp_graphrag.model import Candidate
from mcp_graphrag.ontology.ontology import SAME_AS

PAST_TENSE = "said in the past tense"  # why a triple is not asserted
_PAST = frozenset({"was", "were", "did", "had"})
_PERFECT = frozenset({"has", "have"})
# What does not change, beside events: what a thing is, where it lies, and how works hang together.
_LASTING = frozenset(
    """
    is_a equivalent_to similar_to related_to references mentions quotes links_to is_from nationality
    borders next_to north_of south_of east_of west_of northeast_of northwest_of southeast_of southwest_of close_to
    flows_into flows_through located_near sequel prequel remake spin_off cover translation adapted_from derived_from
    descended_from husband widow born_near root_cause learned_from nominated_for inducted_into
    """.split()  # noqa: SIM905
)
# Of a work these are events, of an organization, a periodical or a programme they last: "edited the Halle Review".
_TENURES = frozenset({"directed_by", "edited_by", "produced_by", "published_by", "chaired_by"})
_FOR_YEARS = re.compile(r"\bfor\s+(?:[\w-]+\s+){1,3}(?:years|decades|seasons|months)\b")
# A beginning that the past tense leaves open; "since" says that it goes on.
_FROM = re.compile(r"(?:from|as (?:of|from)|starting|beginning|after)\b", re.IGNORECASE)
# In the names of predicates that say what is not so, or no longer.
_DENIALS = re.compile(
    r"(?:\A|_)(?:not|never|cannot|(?:do|does|did|is|are|was|were|has|have|can|wo)nt|no_longer|formerly|previously|once"
    r"|former|ex|was|were|had|used_to)(?:_|\Z)"
)
_IS_BY = re.compile(r"\b(?:is|are)\W+(?:\w+\W+){1,6}by\b", re.IGNORECASE)
_AUXILIARY = re.compile(r"\b(?:was|were|had been)\W", re.IGNORECASE)


class Statement(NamedTuple):
    """What a piece of evidence says: its predicate, the words in the text behind it, its quote, and its dates.

    `when` are the words for its time, `type` is that of its subject.
    """

    predicate: str
    surface: str | None = None
    quote: str | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    when: str = ""
    type: str | None = None

    @classmethod
    def of(cls, triple: Candidate, predicate: str, surface: str | None) -> "Statement":
        """What a proposed triple says with the predicate and surface that are stored of it."""
        when = str(triple.metadata.get("when") or "") if triple.metadata else ""
        dates = triple.valid_from, triple.valid_to
        return cls(predicate, surface, triple.quote, *dates, when, triple.subject_type)


def is_over(statement: Statement) -> bool:
    """Whether what a statement says may be over: it is in the past tense, of a state without an end."""
    if statement.valid_to or statement.predicate == SAME_AS:
        return False
    is_event = statement.predicate in load_lexicon().events
    if is_event and not _is_office(statement) and not _is_tenure(statement):
        return False
    return (not statement.valid_from or _FROM.match(statement.when) is not None) and _is_past(statement)


def may_change(predicate: str) -> bool:
    """Whether a predicate of the lexicon is of a state that may end: who owns a thing, not where somebody was born."""
    lexicon = load_lexicon()
    return predicate in lexicon.predicates and predicate not in lexicon.events | _LASTING


def denials(predicates: Iterable[str]) -> list[str]:
    """Those of the predicates whose names say what is not so, or no longer: does_not_use, formerly_owned_by."""
    known = load_lexicon().predicates
    return [name for name in predicates if name not in known and _DENIALS.search(name)]


def _is_office(statement: Statement) -> bool:
    """Whether a noun states what a verb would say of an event: "was the director of" beside "directed"."""
    words = (statement.surface or "").casefold().split()
    return len(words) > 1 and words[-1] in {"of", "for"}


def _is_tenure(statement: Statement) -> bool:
    """Whether somebody did for a time what of a work is done once: "directed the Halle Museum", "edited A from 1980".

    An article outside the name, and a duration, say that it is no work.
    """
    words = (statement.surface or "").split()
    if statement.predicate not in _TENURES or not words:
        return False
    if statement.valid_from or statement.predicate == "chaired_by":
        return True
    quote = statement.quote or ""
    is_named = re.search(rf"\b{re.escape(words[0])}\s+the\s+[A-Z]", quote) is not None
    is_group = statement.type in {"Organization", "Team"}
    return len(words) == 1 and (is_group or is_named or _FOR_YEARS.search(quote) is not None)


def _is_past(statement: Statement) -> bool:
    """Whether words are in the past tense: "lived in", or "owned by" behind "was" in the quote."""
    words = tuple((statement.surface or "").casefold().split())
    quote = statement.quote or ""
    is_past = (words and _is_past_form(words, statement.predicate)) or (
        _AUXILIARY.search(quote) is not None
        and _behind_auxiliary(words or tuple(statement.predicate.split("_"))).search(quote) is not None
    )
    if not is_past or not words or _IS_BY.search(quote) is None:
        return bool(is_past)
    is_by = rf"\b(?:is|are)\W+(?:\w+\W+){{0,2}}{re.escape(words[0])}\W+by\b"
    return re.search(is_by, quote, re.IGNORECASE) is None  # "is updated by"


@lru_cache(maxsize=4096)
def _behind_auxiliary(words: tuple[str, ...]) -> re.Pattern[str]:
    phrase = r"\W+".join(map(re.escape, words))
    return re.compile(rf"\b(?:was|were|had been)\W+(?:\w+\W+){{0,2}}{phrase}", re.IGNORECASE)


@lru_cache(maxsize=4096)
def _is_past_form(words: tuple[str, ...], predicate: str) -> bool:
    if _is_past_of(words[0], predicate):
        return True
    if words[0] in _PAST or (words[0] in _PERFECT and len(words) > 1 and _is_participle(words[1])):
        return True
    cue = load_lexicon().find(words, 0)
    if cue is None or cue.form != "participle":
        return False
    rest = words[len(cue.words) :]
    return not rest or rest[0] not in WORDS.prepositions  # "needed for" is a passive


def _is_past_of(word: str, predicate: str) -> bool:
    """Whether a word is the past tense of a verb that is a predicate by itself: "sold" of "sells"."""
    first = predicate.partition("_")[0]
    own = predicate not in load_lexicon().predicates and first.endswith("s") and first != word
    return own and _is_participle(word)


def _is_participle(word: str) -> bool:
    return word == "been" or word.endswith("ed") or word in irregular_pasts()
