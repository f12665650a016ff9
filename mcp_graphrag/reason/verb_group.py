"""The words of a verb: what is left without negation and neutral adverbs, and the polarity and tense that they say."""

from collections.abc import Sequence
from dataclasses import dataclass

from mcp_graphrag.english.lexicon import verb_lemmas
from mcp_graphrag.reason.claim_time import ClaimTime
from mcp_graphrag.reason.relation_words import COPULAS, EMPHATIC

ASKING = COPULAS | EMPHATIC | {"has", "have", "had"}  # a question that yes or no answers begins with one of these
PAST = frozenset({"was", "were", "did", "had", "has", "have"})
NEUTRAL = frozenset({"also", "now", "currently", "presently", "indeed", "actually", "both"})
ONCE = frozenset({"once", "formerly", "previously"})


@dataclass(frozen=True)
class VerbGroup:
    """The words of a verb in lower case, and whether and for what time it is said."""

    words: Sequence[str]
    negated: bool
    time: ClaimTime


def read_group(words: Sequence[str]) -> VerbGroup | None:
    """The verb of some words in lower case; None if nothing is left or they deny twice.

    "no longer" and "once" are times, not negations: it held, and does not hold now.
    """
    left: list[str] = []
    negated = never = ended = once = False
    denials = 0
    at = 0
    while at < len(words):
        word = words[at]
        if word.endswith("n't") and word != "n't":
            left.append({"ca": "can", "wo": "will"}.get(word[:-3], word[:-3]))
            denials, negated = denials + 1, True
        elif word in {"not", "never", "n't"}:
            denials, negated, never = denials + 1, True, word == "never"
        elif word == "no" and words[at + 1 : at + 2] == ["longer"]:
            denials, ended, at = denials + 1, True, at + 1
        elif word in ONCE:
            once = True
        elif word == "used" and words[at + 1 : at + 2] == ["to"]:
            left.append("did")
            once, at = True, at + 1
        elif word not in NEUTRAL:
            left.append(word)
        at += 1
    if denials > 1 or not left or (once and denials):
        return None
    if never or ended or once:
        return VerbGroup(left, negated, ClaimTime("ever" if never else "ended" if ended else "once"))
    return VerbGroup(left, negated, ClaimTime("past" if _is_past(left) else "present"))


def _is_past(words: Sequence[str]) -> bool:
    """Whether a verb is in the past: by its auxiliary, or else by its form."""
    if words[0] in ASKING:
        return words[0] in PAST
    return words[0].endswith("ed") or words[0] not in verb_lemmas(words[0])
