"""The relations that the words of a question mean: "place of birth", "paternal grandfather", "where … born"."""

import re
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, TypeAlias

from mcp_graphrag.ontology.ontology import Ontology
from mcp_graphrag.reason.relation_words import RelationWords

ValueKind: TypeAlias = Literal["", "date", "other"]  # "other" is what is no date

# What a noun means besides predicates of its own name, by definition. "^father" is whoever has this one as father.
SYNONYMS: Mapping[str, Sequence[str]] = {
    words: [other for other in group if other != words]
    for group in (
        ("nationality", "country of citizenship", "citizenship"),
        ("place of birth", "birthplace", "birth place"),
        ("place of death", "death place"),
        ("date of birth", "birth date", "birthdate", "birthday"),
        ("date of death", "death date"),
        ("release date", "publication date", "date of publication", "date of release"),
        ("award", "award received"),
    )
    for words in group
} | {"wife": ["spouse"], "husband": ["spouse"]}
NARROWER: Mapping[str, Sequence[str]] = {
    "parent": ("father", "mother", "^child", "^son", "^daughter"),
    "child": ("son", "daughter", "^parent", "^father", "^mother"),
    "sibling": ("brother", "sister", "^sibling", "^brother", "^sister"),
    "spouse": ("wife", "husband", "^wife", "^husband", "^spouse"),
    "wife": ("^husband", "^spouse"),
    "husband": ("^wife", "^spouse"),
}
# Of one sex, so that a predicate for both is not exact; the spouse of a wife or husband is.
GENDERED = frozenset({"father", "mother", "son", "daughter", "brother", "sister"})
NEUTRAL = frozenset({"child_of", "parent_of", "parent", "child", "sibling", "sibling_of", "relative"})
_IN_LAW = {
    "mother-in-law": [("spouse", "mother")],
    "father-in-law": [("spouse", "father")],
    "parent-in-law": [("spouse", "parent")],
    "child-in-law": [("child", "spouse")],
    "son-in-law": [("daughter", "husband")],
    "daughter-in-law": [("son", "wife")],
    "sibling-in-law": [("spouse", "sibling"), ("sibling", "spouse")],
}
KINSHIP: Mapping[str, Sequence[Sequence[str]]] = {
    "grandparent": [("parent", "parent")],
    "grandfather": [("parent", "father")],
    "grandmother": [("parent", "mother")],
    "paternal grandfather": [("father", "father")],
    "paternal grandmother": [("father", "mother")],
    "maternal grandfather": [("mother", "father")],
    "maternal grandmother": [("mother", "mother")],
    "great-grandfather": [("parent", "parent", "father")],
    "great-grandmother": [("parent", "parent", "mother")],
    "grandchild": [("child", "child")],
    "grandson": [("child", "son")],
    "granddaughter": [("child", "daughter")],
    "uncle": [("parent", "brother")],
    "aunt": [("parent", "sister")],
    "paternal uncle": [("father", "brother")],
    "paternal aunt": [("father", "sister")],
    "maternal uncle": [("mother", "brother")],
    "maternal aunt": [("mother", "sister")],
    "nephew": [("sibling", "son")],
    "niece": [("sibling", "daughter")],
    "cousin": [("parent", "sibling", "child")],
    **_IN_LAW,
    **{name.replace("-", " "): chains for name, chains in _IN_LAW.items()},
}
# What is often so, but does not follow.
LIKELY: Mapping[str, Sequence[Sequence[str]]] = {
    "father": [("mother", "spouse")],
    "mother": [("father", "spouse")],
    "child": [("spouse", "child")],
    **dict.fromkeys(("manager", "boss", "supervisor", "superior"), (("reports to",),)),
}
PLACES = ("country", "nationality", "city", "town", "village", "state", "region", "county", "province", "continent")
_DATES: Mapping[str, Sequence[str]] = {
    "born": ("date of birth",),
    "died": ("date of death",),
    "released": ("release date",),
    "published": ("publication date",),
    "founded": ("founding date", "foundation date", "date of foundation", "inception"),
    "created": ("creation date", "date of creation", "inception"),
    "opened": ("opening date", "date of opening"),
    "started": ("start date", "start time"),
    "ended": ("end date", "end time"),
}
_PLACES: Mapping[str, Sequence[str]] = {
    "born": ("place of birth",),
    "died": ("place of death",),
    "buried": ("place of burial", "burial place"),
    "founded": ("place of foundation", "location of formation"),
    "located": ("location",),
    "": ("location",),
    "from": ("place of origin",),
    "educated": ("educated at",),
}
_FROM = {
    "country": ("country of origin", "country of citizenship", "nationality", "country"),
    "nationality": ("nationality",),
}
_VERBS = {
    "die": "died", "dies": "died", "passed away": "died", "came out": "released", "come out": "released",
    "established": "founded", "formed": "founded", "started": "started", "start": "started", "begin": "started",
    "began": "started", "end": "ended", "open": "opened", "located in": "located", "situated": "located",
    "come from": "from", "came from": "from", "comes from": "from", "originate from": "from",
    "originated from": "from", "originates from": "from", "originate": "from",
}  # fmt: skip


class Way(NamedTuple):
    """A predicate to follow, from subject to object if `forward`; `exact` unless it only follows by definition."""

    predicate: str
    forward: bool
    exact: bool = True


Step: TypeAlias = frozenset[Way]


@dataclass(frozen=True)
class Hop:
    """A relation that a question asks for: chains of steps, each of which gives values of it; none if it is unknown.

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
        self._words = RelationWords(stored, ontology)

    def noun(self, words: str) -> Hop | None:
        """What "the <words> of A" and "A's <words>" ask for, None if the words mean no known relation."""
        words = words.casefold()
        for noun in _singulars(words):
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

    def likely(self, words: str) -> Hop | None:
        """What is often, but not certainly, what a noun asks for."""
        found = self._chains([chain for noun in _singulars(words) for chain in LIKELY.get(noun, ())])
        return Hop(words, found) if found else None

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
        nouns = [f"{wanted} of {noun}" for noun in ("birth", "death") if wanted and verb == _BY_NOUN[noun]]
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

    def _either(self, words: str, nouns: Sequence[str], verbs: Sequence[str], kind: ValueKind) -> Hop | None:
        """The values of any of the nouns and verbs, A being their subject."""
        steps = [self._noun_step(noun) for noun in nouns]
        found = frozenset(Way(name, not swap) for verb in verbs for name, swap in self._words.verb(verb))
        joined = frozenset[Way]().union(*(step for step in steps if step), found)
        return Hop(words, [[joined]], noun=False, kind=kind) if joined else None

    def _chains(self, chains: Iterable[Sequence[str]]) -> list[list[Step]]:
        found = ([self._noun_step(noun) for noun in chain] for chain in chains)
        return [[step for step in steps if step] for steps in found if all(steps)]

    def _noun_step(self, noun: str) -> Step | None:
        """The predicates that a noun means, and those from which it follows by definition."""
        same = [noun, *SYNONYMS.get(noun, ())]
        found = {way for each in same for way in self._noun_ways(each)}
        for verb in _NOUN_VERBS.get(noun, ()):
            found |= {Way(name, not swap) for name, swap in self._words.verb(verb)}
        known = {(way.predicate, way.forward) for way in found}
        for narrower in NARROWER.get(noun, ()):
            ways = self._noun_ways(narrower.removeprefix("^"))
            turned = narrower.startswith("^")
            found |= {
                Way(way.predicate, way.forward != turned, exact=False)
                for way in ways
                if (way.predicate, way.forward != turned) not in known
            }
        return frozenset(found) or None

    def _noun_ways(self, noun: str) -> set[Way]:
        inexact = NEUTRAL if noun in GENDERED else frozenset[str]()
        return {Way(name, not swap) for name, swap in self._words.noun(noun) if name not in inexact}


def _turned(step: Step) -> Step:
    return frozenset(way._replace(forward=not way.forward) for way in step)


_NOUN_OF = re.compile(r"(?:is|are|was|were) (?:the |an? )?(?P<noun>.+) of")
_BY_NOUN = {"birth": "born", "death": "died"}
_NOUN_VERBS = {
    "date of birth": ("was born on",),
    "date of death": ("died on",),
    "place of birth": ("was born in",),
    "place of death": ("died in",),
    "publication date": ("was published on",),
    "release date": ("was released on",),
    "award": ("won",),
    "employer": ("works for",),
    "nationality": ("is a citizen of",),
}


def _singulars(words: str) -> list[str]:
    """A noun and its possible singular: "directors", "places of birth"."""
    found = [words]
    head, of, rest = words.partition(" of ")
    for plural, single in (("children", "child"), ("wives", "wife")):
        if head == plural:
            found.append(f"{single}{of}{rest}")
    if head.endswith("s") and not head.endswith("ss"):
        found.append(f"{head[:-1]}{of}{rest}")
    return found
