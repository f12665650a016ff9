"""The relations that the words of a question mean: "place of birth", "paternal grandfather", "where … born"."""

import re
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, TypeAlias

from mcp_graphrag.english.lemmas import singulars
from mcp_graphrag.english.lexicon import question_words
from mcp_graphrag.ontology.ontology import Ontology
from mcp_graphrag.reason.relation_words import RelationWords

ValueKind: TypeAlias = Literal["", "date", "other"]  # "other" is what is no date

_TABLES = question_words()
_SYNONYMS: Mapping[str, Sequence[str]] = {words: group for group in _TABLES["synonyms"] for words in group}
_ALSO: Mapping[str, str] = _TABLES["also"]
_NARROWER: Mapping[str, Sequence[str]] = _TABLES["narrower"]
_GENDERED, _NEUTRAL = frozenset(_TABLES["gendered"]), frozenset(_TABLES["neutral"])
KINSHIP: Mapping[str, Sequence[Sequence[str]]] = {
    spelled: [chain.split() for chain in chains]
    for name, chains in _TABLES["kinship"].items()
    for spelled in (name, name.replace("-", " "))
}
PLACES: Sequence[str] = _TABLES["places"]
_DATES: Mapping[str, Sequence[str]] = _TABLES["when"]
_PLACES: Mapping[str, Sequence[str]] = _TABLES["where"]
_FROM: Mapping[str, Sequence[str]] = _TABLES["from"]
_VERBS: Mapping[str, str] = {word: verb for verb, words in _TABLES["verbs"].items() for word in words}
_NOUN_VERBS: Mapping[str, Sequence[str]] = _TABLES["noun_verbs"]
_NOUN_OF = re.compile(r"(?:is|are|was|were) (?:the |an? )?(?P<noun>.+) of")

PLACE = "Location"


class Way(NamedTuple):
    """A predicate to follow, from subject to object if `forward`; `exact` unless it only follows by definition."""

    predicate: str
    forward: bool
    exact: bool = True


Step: TypeAlias = frozenset[Way]


@dataclass(frozen=True)
class Hop:
    """A relation that a question asks for: chains of steps, each of which gives values of it.

    `words` are those of the question. `kind` restricts the values to dates or what is none; `wanted` is the noun for
    them ("which city"), "" for any.
    """

    words: str
    chains: Sequence[Sequence[Step]]
    noun: bool = True
    kind: ValueKind = ""
    wanted: str = ""

    @property
    def predicates(self) -> list[str]:
        """The predicates that the words mean, each once."""
        return sorted({way.predicate for chain in self.chains for step in chain for way in step if way.exact})


class QuestionRelations:
    """Reads the relations of questions."""

    def __init__(self, stored: Container[str], ontology: Ontology) -> None:
        self._words, self._ontology = RelationWords(stored, ontology), ontology

    def noun(self, words: str) -> Hop | None:
        """What "the <words> of A" and "A's <words>" ask for, None if the words mean no known relation."""
        words = words.casefold()
        for noun in singulars(words):
            found = self._chains([(noun,), *KINSHIP.get(noun, ())])
            if found:
                return Hop(words, found)
        return None

    def verb(self, words: str, *, name_first: bool) -> Hop | None:
        """What "A <words> what" asks for, or, unless `name_first`, "what <words> A"."""
        named = _NOUN_OF.fullmatch(words.casefold())
        hop = self.noun(named["noun"]) if named else None
        if hop and not name_first:  # "who is the father of A" asks for A's father
            return replace(hop, words=words.casefold(), noun=False)
        if hop:
            turned = [[_turned(step) for step in reversed(chain)] for chain in hop.chains]
            return Hop(words.casefold(), turned, noun=False)
        if named:
            return None
        found = frozenset(Way(name, swap != name_first) for name, swap in self._words.verb(words))
        return Hop(words.casefold(), [[found]], noun=False) if found else None

    def when(self, verb: str) -> Hop | None:
        """The date at which A is, was or did what a verb says: "born", "come out"."""
        verb = _VERBS.get(verb, verb)
        phrases = [f"was {verb} on", f"was {verb} in", f"{verb} on", f"{verb} in"]
        return self._either(verb, [*_DATES.get(verb, ()), f"{verb} on"], phrases, "date")

    def age(self) -> Hop | None:
        """The date from which something counts its age: of birth, or of what was founded."""
        return self._either(
            "born or founded", [*_DATES["born"], *_DATES["founded"]], ["was born on", "was founded on"], "date"
        )

    def where(self, verb: str, wanted: str = "") -> Hop | None:
        """The place, or the `wanted` kind of one ("country"), where A is, was or did what a verb says."""
        verb = _VERBS.get(verb, verb)
        if verb == "from" and wanted:
            return self._either(f"{verb} {wanted}", _FROM.get(wanted, (f"{wanted} of origin",)), (), "other")
        nouns = [f"{wanted} of {noun}" for noun in ("birth", "death") if wanted and verb == _VERBS[noun]]
        if wanted == "country" and verb in {"", "located"}:
            nouns.append("country")
        own = self._either(verb, nouns, (), "other") if nouns else None
        if own:
            return own
        verbs = [f"was {verb} {word}" for word in ("in", "at", "near")] if verb else ["is in"]
        verbs += [f"{verb} in", f"{verb} at"] if verb else []
        if verb == "from":
            verbs = ["is from", "comes from"]
        found = self._either(verb, _PLACES.get(verb, ()), [*verbs, f"is {verb} in"], "other")
        return replace(found, wanted=wanted) if found else None

    def may_be_place(self, hop: Hop) -> bool:
        """Whether a noun leads to places, as far as the ontology says what it leads to."""
        ways = {way for chain in hop.chains for way in chain[-1]}
        signatures = [(each, way) for way in ways for each in self._ontology.rule(way.predicate).signatures]
        types = [each.range if way.forward else each.domain for each, way in signatures]
        return hop.noun and all(type_ is None or self._ontology.is_a(type_, PLACE) for type_ in types)

    def _either(self, words: str, nouns: Sequence[str], verbs: Sequence[str], kind: ValueKind) -> Hop | None:
        """The values of any of the nouns and verbs, A being their subject."""
        steps = [self._noun_step(noun) for noun in nouns]
        found = frozenset(Way(name, not swap) for verb in verbs for name, swap in self._words.verb(verb))
        joined = frozenset[Way]().union(*(step for step in steps if step), found)
        return Hop(words or "where", [[joined]], noun=False, kind=kind) if joined else None

    def _chains(self, chains: Iterable[Sequence[str]]) -> list[list[Step]]:
        found = ([self._noun_step(noun) for noun in chain] for chain in chains)
        return [[step for step in steps if step] for steps in found if all(steps)]

    def _noun_step(self, noun: str) -> Step | None:
        """The predicates that a noun means, and those from which it follows by definition."""
        same = [*_SYNONYMS.get(noun, [noun]), *([_ALSO[noun]] if noun in _ALSO else [])]
        found = {way for each in same for way in self._noun_ways(each)}
        for verb in _NOUN_VERBS.get(noun, ()):
            found |= {Way(name, not swap) for name, swap in self._words.verb(verb)}
        known = {(way.predicate, way.forward) for way in found}
        for narrower in _NARROWER.get(noun, ()):
            ways = self._noun_ways(narrower.removeprefix("^"))
            turned = narrower.startswith("^")
            found |= {
                Way(way.predicate, way.forward != turned, exact=False)
                for way in ways
                if (way.predicate, way.forward != turned) not in known
            }
        return frozenset(found) or None

    def _noun_ways(self, noun: str) -> set[Way]:
        inexact = _NEUTRAL if noun in _GENDERED else frozenset[str]()
        return {Way(name, not swap) for name, swap in self._words.noun(noun) if name not in inexact}


def _turned(step: Step) -> Step:
    return frozenset(way._replace(forward=not way.forward) for way in step)
