"""What a raw verb, noun or relation name says: a predicate of the lexicon, turned or not, or itself.

A verb is a predicate only in a form that says exactly that: "used to depend on" and "may depend on" stay themselves.
A noun is a property: "Bert father Carl" says that Bert's father is Carl, and "Carl father of Bert" says the same.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from mcp_graphrag.english.lexicon import (
    RELATED_TO,
    Cue,
    Lexicon,
    irregular_pasts,
    load_lexicon,
    nouns_among_verbs,
    predicate_name,
    pure_participles,
)
from mcp_graphrag.english.word_lists import WORDS

_COPULAS = frozenset({"is", "are", "was", "were", "be", "been", "being"})
_HAVE = frozenset({"has", "have", "had"})
_PAST = frozenset({"was", "were", "had", "did"})
_AUXILIARIES = _COPULAS | _HAVE | {"does", "do", "did"}
_LINKS = WORDS.prepositions | {"of"}
# Plurals that say which noun it is, as no verb does: "sales manager of".
_PLURALS_IN_FRONT = frozenset(
    {"sales", "sports", "operations", "news", "systems", "communications", "arts", "accounts", "affairs", "process"}
    | {"business", "class", "press", "series", "campus", "status", "politics", "economics", "graphics", "religious"}
)
_VERB_ENDINGS = ("ed", "ing", "ly")


@dataclass(frozen=True)
class NormalizedPredicate:
    """The predicate of a raw verb. With `swap` subject and object are exchanged.

    If the lexicon does not have the verb, `known` is False and `predicate` is the verb in snake_case; the caller may
    use `related_to` instead.
    """

    predicate: str
    swap: bool
    known: bool


def normalize_predicate(raw: str, lexicon: Lexicon | None = None, known: Collection[str] = ()) -> NormalizedPredicate:
    """The predicate of a raw verb or relation name: "is owned by", "DEPENDS_ON", "dependsOn", "wrote", "father of".

    The lexicon is the shipped one by default. Predicates that are `known` stay themselves.
    """
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", raw[:200])
    words = re.findall(r"[\w'’]+(?:-[^\W_]+)?", spaced.replace("_", " ").casefold())
    lexicon = lexicon or load_lexicon()
    if not lexicon.predicates.issuperset(known):
        lexicon = replace(lexicon, predicates=lexicon.predicates.union(known))
    plain = [word for word in words if word not in WORDS.plain_adverbs]
    auxiliaries, bare = _split(plain)
    found = _exact(words, (), lexicon) or _exact(bare, auxiliaries, lexicon) or _of_noun(bare, auxiliaries, lexicon)
    if found is None:
        return NormalizedPredicate(predicate_name(words) or RELATED_TO, swap=False, known=False)
    return NormalizedPredicate(*found, known=True)


def is_property(predicate: str) -> bool:
    """Whether the words of a stored predicate are a noun, which "noun of" turns: "father", but not "depends on"."""
    words = predicate.split()
    return normalize_predicate(f"{predicate} of") == NormalizedPredicate(predicate_name(words), swap=True, known=True)


def _split(words: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    """The auxiliaries in front, and the words behind them without articles at either end."""
    at = 0
    while at < len(words) and words[at] in _AUXILIARIES:
        at += 1
    first, end = at, len(words)
    while first < end and words[first] in WORDS.articles:
        first += 1
    while end > first and words[end - 1] in WORDS.articles:
        end -= 1
    return words[:at], words[first:end]


def _exact(words: Sequence[str], auxiliaries: Sequence[str], lexicon: Lexicon) -> tuple[str, bool] | None:
    """The predicate and whether it is turned, where the words say exactly that behind these auxiliaries."""
    if not words:
        return None
    name = predicate_name(words)
    if name in lexicon.predicates:
        found = name, False
    elif name in lexicon.aliases:
        found = lexicon.aliases[name]
        if (found[0], not found[1]) == _of_verb(words, lexicon):
            return None  # "cause" is a noun of the one and a verb of the other
    else:
        cue = lexicon.find(words, 0)
        if cue is None or len(cue.words) != len(words) or not cue.exact or not _fits(cue, auxiliaries, lexicon):
            return None
        return cue.predicate, cue.swap
    # "is owned by", but not "is father", which may be meant either way round.
    is_noun = words[-1] not in _LINKS
    if is_noun and not _COPULAS.isdisjoint(auxiliaries):
        return None
    has_noun = is_noun and set(auxiliaries) <= {"has", "have"}  # "has owner"
    return found if has_noun or _holds(found[0], auxiliaries, lexicon) else None


def _of_verb(words: Sequence[str], lexicon: Lexicon) -> tuple[str, bool] | None:
    """The predicate of words that are a verb, and whether it is turned."""
    cue = lexicon.find(words, 0)
    return (
        (cue.predicate, cue.swap) if cue is not None and cue.form == "verb" and len(cue.words) == len(words) else None
    )


def _fits(cue: Cue, auxiliaries: Sequence[str], lexicon: Lexicon) -> bool:
    """Whether a verb in this form says that the predicate holds: in the present, or in the past of an event."""
    is_event = cue.predicate in lexicon.events
    first = cue.words[0]
    if cue.form == "participle":
        if not _COPULAS.isdisjoint(auxiliaries) or (first in pure_participles() and _HAVE.isdisjoint(auxiliaries)):
            return False
        return is_event
    if cue.form == "verb":
        if not _COPULAS.isdisjoint(auxiliaries) and not first.endswith("ing"):
            return False
        if len(cue.words) == 1 and first in nouns_among_verbs() and _PAST.union(_AUXILIARIES).isdisjoint(auxiliaries):
            return False
    return _holds(cue.predicate, auxiliaries, lexicon)


def _holds(predicate: str, auxiliaries: Sequence[str], lexicon: Lexicon) -> bool:
    """Whether a predicate holds now, by the tense: "was owned by" and "has owned" may be over, "was born in" is not."""
    return predicate in lexicon.events or (_PAST | _HAVE).isdisjoint(auxiliaries)


def _of_noun(words: Sequence[str], auxiliaries: Sequence[str], lexicon: Lexicon) -> tuple[str, bool] | None:
    """The property that "noun of" states, turned: "is the father of" is `father`, of the object."""
    *noun, last = words or ("",)
    if last != "of" or not noun or not _is_noun(noun):
        return None
    name = predicate_name(noun)
    property_, swap = (name, False) if name in lexicon.predicates else lexicon.aliases.get(name, (name, False))
    if swap or _HAVE.intersection(auxiliaries) or not _holds(property_, auxiliaries, lexicon):
        return None
    return property_, True


def _is_noun(words: Sequence[str]) -> bool:
    """Whether words in front of "of" are a noun in the singular, and not a verb, a participle or an adjective."""
    head = words[-1]
    # A plural looks like a verb: "members of", "consists of".
    is_plural = head.endswith("s") and not head.endswith(("ss", "us", "is"))
    if is_plural or head in WORDS.before_of or head in irregular_pasts():
        return False
    if len(words) > 1 and words[0].endswith("s") and words[0] not in _PLURALS_IN_FRONT:
        return False  # "holds the lead of"
    closed = WORDS.auxiliaries | WORDS.negations | WORDS.prepositions | WORDS.pronouns | WORDS.determiners
    if any(word in closed or WORDS.is_adverb(word) or "'" in word or "’" in word for word in words):
        return False
    return not head.endswith(_VERB_ENDINGS) or head in WORDS.nouns_like_verbs
