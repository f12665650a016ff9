"""The words around two names as one verb: "A verbs B", "A's R is B", "the R of A is B", "B is A's R", and questions."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from mcp_graphrag.english.lexicon import verb_lemmas
from mcp_graphrag.reason.claim_time import THEN, ClaimTime
from mcp_graphrag.reason.relation_words import COPULAS, EMPHATIC, Relation, RelationWords

ASKING = COPULAS | EMPHATIC | {"has", "have", "had"}  # a question that yes or no answers begins with one of these
PAST = frozenset({"was", "were", "did", "had", "has", "have"})
NEUTRAL = frozenset({"also", "now", "currently", "presently", "indeed", "actually", "both"})
ONCE = frozenset({"once", "formerly", "previously"})
_BASES = frozenset("need feed embed exceed succeed proceed speed breed bleed heed seed shed shred".split())  # noqa: SIM905
ARTICLES = re.compile(r"\s*(?:(?:both|the|a|an)\s+)*", re.IGNORECASE)
_ARTICLE = re.compile(r"\s+the\s*\Z", re.IGNORECASE)  # of the second name
_OF = re.compile(
    r"\s*(?P<asked>is|are|was|were)?\s*\b(?:the|a|an)\s+(?P<noun>[^,;]+?)\s+of\s+(?:the\s+)?", re.IGNORECASE
)
_OWNER = re.compile(r"['’]s?\s+(?P<noun>[^,;]+?)\s*")
_OWNED = re.compile(r"['’]s?\s+(?P<words>.+)", re.DOTALL)
_ARROW = re.compile(r"\s*-\[\s*(?P<predicate>[^\]]+?)\s*\]->\s*")
_BY_NOUN = re.compile(r"\s+by\s+(?P<noun>\w+)\s*")


@dataclass(frozen=True)
class VerbGroup:
    """The words of a verb in lower case, and whether and for what time it is said."""

    words: Sequence[str]
    negated: bool
    time: ClaimTime


@dataclass(frozen=True)
class Verb:
    """What is said of two names: relations of the first to the second, whether denied, and for what time."""

    relations: Sequence[Relation]
    negated: bool = False
    time: ClaimTime = THEN


def read_verb(words: RelationWords, prefix: str, middle: str, suffix: str) -> Verb | None:
    """What the words before, between and behind two names say; None if some of them are not read."""
    middle = _ARTICLE.sub(" ", middle)
    if arrow := _ARROW.fullmatch(middle):
        relations = words.verb(arrow["predicate"])
        return Verb(relations) if relations and not f"{prefix}{suffix}".strip() else None
    if of := _OF.fullmatch(prefix):
        copula = read_group([*([of["asked"].lower()] if of["asked"] else []), *_plain(middle)])
        return _of_property(words, of["noun"], copula) if not suffix.strip(" ,") else None
    asked = [word for word in _plain(prefix) if word not in {"both", "the", "a", "an"}]
    if " ".join(asked) not in ASKING:
        if ARTICLES.fullmatch(prefix) is None:
            return None
        asked = []
    if owned := _OWNED.fullmatch(middle):
        group = read_group([*asked, *_plain(owned["words"])])
        return _of_owner(words, group) if group and not suffix.strip(" ,") else None
    group = read_group([*asked, *_plain(middle)])
    if owner := _OWNER.fullmatch(suffix):
        return _turned(_of_property(words, owner["noun"], group))
    return _of_verb(words, group, suffix) if group else None


def _of_verb(words: RelationWords, group: VerbGroup, suffix: str) -> Verb | None:
    """The verb of "A verbs B", and of "A comes from B by birth", if the noun is in the name of the predicate."""
    relations = words.verb(" ".join(group.words))
    if by := _BY_NOUN.fullmatch(suffix):
        relations = [each for each in relations if by["noun"].lower() in each.predicate.split("_")]
    elif suffix.strip(" ,"):
        return None
    return Verb(relations, group.negated, group.time) if relations else None


def _of_property(words: RelationWords, noun: str, copula: VerbGroup | None) -> Verb | None:
    """The verb of "the R of A is B" by its noun and copula."""
    if copula is None or len(copula.words) != 1 or copula.words[0] not in COPULAS:
        return None
    relations = words.noun(noun)
    return Verb(relations, copula.negated, copula.time) if relations else None


def _of_owner(words: RelationWords, group: VerbGroup) -> Verb | None:
    """The verb of "A's R is B" by the words behind the possessive, and of "is A's R B"."""
    at = next((at for at in (-1, 0) if group.words[at] in COPULAS), None)
    if at is None or len(group.words) < 2:
        return None
    noun = group.words[:-1] if at else group.words[1:]
    time = group.time
    if time.duration in {"present", "past"}:
        time = ClaimTime("past" if group.words[at] in PAST else "present")
    return _of_property(words, " ".join(noun), replace(group, words=[group.words[at]], time=time))


def _turned(verb: Verb | None) -> Verb | None:
    """The verb with the property on the other name: "B is A's R"."""
    if verb is None:
        return None
    return replace(verb, relations=[Relation(predicate, not swap) for predicate, swap in verb.relations])


def _plain(text: str) -> list[str]:
    return text.casefold().replace("’", "'").replace(",", " ").split()


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
    return words[0] not in _BASES and (words[0].endswith("ed") or words[0] not in verb_lemmas(words[0]))
