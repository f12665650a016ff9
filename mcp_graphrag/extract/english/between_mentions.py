"""The relation of two neighbouring mentions by the words between them: a list, a place, a predicate, none."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal, TypeAlias

from mcp_graphrag.extract.english.lexicon import OWN_OBJECT, RELATED_TO, Cue, Lexicon
from mcp_graphrag.extract.english.word_lists import WORDS

Link: TypeAlias = Literal[
    "list",
    "comma",
    "repeated",
    "preposition",
    "cue",
    "possessive",
    "apposition",
    "phrase",
    "noun",
    "verb",
    "boundary",
    "none",
]

MAX_TOKENS = 16
MAX_GAP_LENGTH = 160
_TOKEN = re.compile(r"[^\W_][\w]*(?:['’-][\w]+)*|['’]s?\b|[,;:()]|[–—-]")
_REPEATING = frozenset({"and", "or", ",", "also", "then"})
_LIST_WORDS = frozenset({"and", "or", "&", ",", "as", "well", "both", "the", "also", "then"})
_VERB = re.compile(r"[a-z]{2,}(?:ed|es|[^su]s)\Z")
_CONNECTORS = frozenset({",", "and", ")", "(", "then"})
_OPENING = frozenset({",", "and", "which", "that", "who"})
_OF_NOUNS = frozenset({"the", "a", "an", "its", "his", "her", "their", "of"})
# In "the city of Springfield" the word in front of "of" says of which type the name is.
_KINDS = frozenset({"Location", "Organization"})
_MAX_OWN_OBJECT = 5
_NOT_IN_OBJECT = (WORDS.prepositions - {"of"}) | WORDS.auxiliaries | WORDS.relatives | {","}


@dataclass(frozen=True)
class Gap:
    """How two neighbouring mentions are connected.

    `before` are the words in front of the cue. `loose` is True where these are more than "which", "is" or "the", so
    that the cue may not be about the mention. `verb` are the words that connect the mentions without a cue.
    """

    link: Link
    cue: Cue | None = None
    before: Sequence[str] = ()
    loose: bool = False
    negated: bool = False
    verb: str = ""


@lru_cache(maxsize=8192)
def read_gap(text: str, lexicon: Lexicon) -> Gap:
    """The connection that the text between two mentions makes."""
    tokens = [token.replace("’", "'").lower() for token in _TOKEN.findall(text[:MAX_GAP_LENGTH])]
    if len(text) > MAX_GAP_LENGTH or len(tokens) > MAX_TOKENS:
        return Gap("boundary")
    if _is_list(tokens, text):
        return Gap("comma" if tokens == [","] else "list", before=tokens)
    repeated = _repeated_preposition(tokens)
    if repeated:
        return Gap("repeated", before=tokens, verb=repeated)
    tokens = [token for token in tokens if not WORDS.is_adverb(token)]
    if tokens and tokens[0] in {"'s", "'"}:
        return _possessive(tokens[1:], lexicon)
    if tokens and _ends_clause(tokens):
        return Gap("boundary")
    return _asserted(tokens, lexicon)


def _is_list(tokens: list[str], text: str) -> bool:
    if not tokens:
        return text.strip() in {"&", "/"}
    joined = tokens[0] == "," or "and" in tokens or "or" in tokens or "&" in text
    return joined and len(tokens) <= 5 and _LIST_WORDS.issuperset(tokens)


def _repeated_preposition(tokens: list[str]) -> str:
    """The preposition of "and on the" or ", to", which may repeat that of the item in front of it; else nothing."""
    words = [word for word in tokens if word not in WORDS.determiners]
    preposition = words.pop() if len(words) > 1 else ""
    return preposition if preposition in WORDS.prepositions - {"as"} and _REPEATING.issuperset(words) else ""


def _possessive(tokens: list[str], lexicon: Lexicon) -> Gap:
    """The connection by a noun behind a possessive: in "Acme's founder, Ann Lee" the second mention is the founder."""
    if not tokens:
        return Gap("apposition", verb="'s")
    described = _described_owner(tokens, lexicon)
    if described is not None:
        return described
    words = [token for token in tokens if token not in {",", "(", "the", "former", "first"}]
    for size in range(min(len(words), 2), 0, -1):
        for noun in (" ".join(words[-size:]) + " of", " ".join(words[-size:])):
            parts = noun.split()
            cue = lexicon.find(parts, 0) if parts else None
            if cue is not None and cue.form == "noun" and len(cue.words) == len(parts):
                return Gap("possessive", cue)
    if 1 <= len(words) <= 4 and all(word.isalpha() and word not in WORDS.stop for word in words):
        return Gap("apposition", verb=f"'s {' '.join(words)}")
    return Gap("none")


def _described_owner(tokens: list[str], lexicon: Lexicon) -> Gap | None:
    """The connection by the noun in "his wife was the translator Ann": what is behind the verb describes Ann.

    None where there is no form of "to be" and no noun phrase behind a comma.
    """
    at = next((index for index, word in enumerate(tokens) if word in WORDS.copulas), None)
    if at is None:
        at = tokens.index(",") if "," in tokens else len(tokens)
        if tokens[at + 1 : at + 2] not in (["a"], ["an"], ["the"]):
            return None
    noun, description = [word for word in tokens[:at] if word not in {"former", "first"}], tokens[at + 1 :]
    cue = lexicon.find([*noun, "of"], 0) or lexicon.find(noun, 0) if noun else None
    if cue is None or cue.form != "noun" or len(cue.words) - (cue.words[-1] == "of") != len(noun):
        return Gap("none")
    holds = tokens[at] in {",", "is", "are"} or (tokens[at] in {"was", "were"} and cue.predicate in lexicon.events)
    words = [word for word in description if word not in WORDS.articles]
    if not holds or not all(word.isalpha() and word not in WORDS.stop and not _VERB.match(word) for word in words):
        return Gap("none")
    return Gap("possessive", cue)


def _ends_clause(tokens: list[str]) -> bool:
    """Whether a clause ends between the mentions; "because of" does not end it."""
    return any(
        word in WORDS.pronouns
        or (word in WORDS.boundaries and tokens[index : index + 2] != ["because", "of"])
        or (word == ")" and index > 0)
        for index, word in enumerate(tokens)
    )


def _asserted(tokens: list[str], lexicon: Lexicon) -> Gap:
    """The connection by a cue, if there is one."""
    at, cue = _find_split_cue(tokens, lexicon)
    size = len(tokens)
    if cue is None:
        at, cue = _find_cue(tokens, lexicon)
        if cue is None:
            return _without_cue(tokens)
        size = len(cue.words)
    before, after = tokens[:at], tokens[at + size :]
    if "," in after or len(after) > 8 or not WORDS.relatives.isdisjoint(after):
        return Gap("boundary")
    if _is_negated(before) or after[:1] == ["no"] or "without" in after:
        return Gap("cue", cue, before, negated=True)
    if cue.predicate == "is_a":
        cue = _with_description(cue, after) if len(after) > 1 else cue
    elif cue.predicate != "located_in" and _has_own_object(cue, after):
        if not _may_qualify(cue, after):
            return Gap("none")
        form = "verb" if cue.form == "participle" else cue.form  # "founded the dynasty in 1402" is active
        cue = replace(cue, confidence=0.4, carries=False, form=form)
    content = [word for word in before if word not in WORDS.auxiliaries | WORDS.relatives | _CONNECTORS]
    loose = bool(content) and before[0] not in WORDS.copulas | WORDS.relatives | {",", "("}
    if loose and not WORDS.determiners.isdisjoint(content[1:]):
        return Gap("none")  # a noun in front of the cue is its subject: "said the outage was caused by"
    return Gap("cue", cue, before, loose=loose)


def _has_own_object(cue: Cue, after: Sequence[str]) -> bool:
    """Whether the words behind a cue end in a preposition, so that the cue is not about the mention behind them.

    "Caused an outage in" has an object of its own, "wrote for" has none.
    """
    is_verb = cue.form in {"verb", "participle"} and cue.words[-1] not in WORDS.prepositions
    return not WORDS.prepositions.isdisjoint(after if is_verb else after[1:])


def _may_qualify(cue: Cue, after: Sequence[str]) -> bool:
    """Whether the words behind a cue only describe the mention: "the city of", "a village in" behind "born in"."""
    *words, last = (word for word in after if word not in WORDS.determiners)
    if not WORDS.prepositions.isdisjoint(words):
        return False
    kind = words[-1] if words else ""
    return (last == "of" and WORDS.last_word.get(kind) in _KINDS) or (cue.object == "Location" and last in {"of", "in"})


def _is_negated(tokens: Sequence[str]) -> bool:
    return any(word in WORDS.negations or word.endswith("n't") for word in tokens)


def _with_description(cue: Cue, after: Sequence[str]) -> Cue:
    """The cue "is a" with the words behind it: "is a small town in" is a location, "is an album by" a creator."""
    last = next((word for word in reversed(after) if word in WORDS.prepositions), "")
    predicates = {"": cue.predicate, "in": "located_in", "at": "located_in", "near": "located_in", "by": "created_by"}
    predicate = predicates.get(last, RELATED_TO)
    return replace(cue, words=(*cue.words, *after), predicate=predicate, carries=predicate == "located_in")


def _find_split_cue(tokens: list[str], lexicon: Lexicon) -> tuple[int, Cue | None]:
    """The position and the cue of a verb with an object of its own: "publishes all events to"."""
    end = len(tokens)
    while end and tokens[end - 1] in WORDS.determiners:
        end -= 1
    for at in range(end - 2):
        own = tokens[at + 1 : end - 1]
        for cue in lexicon.cues.get(tokens[at], ()):
            if (
                cue.words[1:] == (OWN_OBJECT, tokens[end - 1])
                and len(own) <= _MAX_OWN_OBJECT
                and _NOT_IN_OBJECT.isdisjoint(own)
                and not _is_negated(own)
                and not _is_not_verb(cue, tokens[at - 1] if at else "", None)
            ):
                return at, cue
    return 0, None


def _find_cue(tokens: list[str], lexicon: Lexicon) -> tuple[int, Cue | None]:
    """The position of the deciding cue, and the cue: the last one, except for a verb whose subject is the object."""
    at, best = 0, None
    index = 0
    while index < len(tokens):
        cue = lexicon.find(tokens, index) if tokens[index] in lexicon.cues else None
        previous = tokens[index - 1] if index else ""
        near = tokens[max(index - 3, 0) : index]
        owner = None if "," in near else next((word for word in near if word in WORDS.possessives), None)
        if cue is None or _is_not_verb(cue, previous, owner):
            index += 1
            continue
        weak = best is not None and (cue.predicate == "is_a" or (cue.form == "verb" and previous not in {"to", "and"}))
        if best is None or best.predicate == "is_a" or not weak:
            at, best = (index, cue) if best is None or cue.predicate != "is_a" else (at, best)
        index += len(cue.words)
    return at, best


def _is_not_verb(cue: Cue, previous: str, owner: str | None) -> bool:
    """Whether a verb form is no verb here: "the call", a past tense behind "was"; or a noun has no owner."""
    if cue.form == "participle":
        return previous in WORDS.copulas
    if cue.form == "owned":
        return owner is None
    noun = cue.words[0].endswith("ing") and previous.isalpha() and previous not in WORDS.stop | WORDS.auxiliaries
    return cue.form == "verb" and (previous in _OF_NOUNS or noun)


def _without_cue(tokens: list[str]) -> Gap:
    bare = [word for word in tokens if word not in WORDS.determiners and word != "("]
    if not bare:
        return Gap("none")
    before, phrase = tokens[:1], " ".join(bare)
    named = bare[1:] if bare[0] == "," else bare
    if tokens[0] in {",", "("} and tokens[1:2] and tokens[1] in WORDS.articles and _is_noun_phrase(named):
        return Gap("apposition", before=before, verb=" ".join(named))
    if _is_qualifier(bare):
        # "married Isolde, and their son Philip …": the son is no object, and may be the subject of what follows.
        opening = tokens[1] if tokens[0] == "," else tokens[0]
        opens_phrase = opening in WORDS.determiners | {"and", "or"}
        return Gap("boundary") if opens_phrase else Gap("noun", before=before, verb=phrase)
    if len(bare) <= 2 and all(word in WORDS.prepositions or word in {",", "late", "early"} for word in bare):
        return Gap("preposition", before=before, verb=bare[-1])
    verb = None if _is_negated(tokens) else _unknown_verb(bare)
    if verb is not None:
        return Gap("verb", before=before, verb=verb)
    return Gap("phrase", before=before, verb=phrase) if _is_noun_phrase(bare) else Gap("none")


def _is_noun_phrase(tokens: Sequence[str]) -> bool:
    """Whether the words are nouns and a preposition in front of the next mention: "song from", "small company in"."""
    return (
        2 <= len(tokens) <= 6
        and tokens[-1] in {"of", "from", "in", "at", "by", "for"}
        and all(word.isalpha() and (word not in WORDS.stop or word in WORDS.prepositions) for word in tokens)
    )


def _is_qualifier(tokens: Sequence[str]) -> bool:
    """Whether the words are nouns between a name and what it qualifies: "rapper and singer", "engineer"."""
    nouns = [word for word in tokens if word not in {"and", ","}]
    return (
        1 <= len(nouns) <= 4
        and tokens[-1] not in {"and", ","}
        and all(word.replace("-", "").isalpha() and word not in WORDS.stop and not _VERB.match(word) for word in nouns)
    )


def _unknown_verb(tokens: Sequence[str]) -> str | None:
    """The verb of a short gap, recognised by its ending, with its preposition: "emits", "was organised by"."""
    start = 0
    while start < len(tokens) and (tokens[start] in WORDS.auxiliaries or tokens[start] in _OPENING):
        start += 1
    if start == len(tokens):
        return None
    verb, rest = tokens[start], tokens[start + 1 :]
    if len(rest) > 5 or "," in rest or rest[-1:] in (["and"], ["or"]) or verb in WORDS.stop or not _VERB.match(verb):
        return None
    if verb.endswith("s") and rest[:1] == ["of"]:
        return None
    particle = rest[0] if rest and rest[0] in WORDS.prepositions else ""
    by = "by" if rest and rest[-1] == "by" and particle != "by" else ""
    return " ".join(part for part in (verb, particle, by) if part)
