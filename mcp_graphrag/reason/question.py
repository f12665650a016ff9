"""What a question names: entities, types, predicates and amounts, and by which of its words."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from mcp_graphrag.embed import Embedder
from mcp_graphrag.errors import UnknownName
from mcp_graphrag.extract.lexicon import load_lexicon
from mcp_graphrag.extract.words import load_words
from mcp_graphrag.index.norms import normal_form
from mcp_graphrag.index.resident import bearers
from mcp_graphrag.index.terms import STOP_WORDS, text_terms
from mcp_graphrag.reason.amounts import AMOUNT, Range, read_range
from mcp_graphrag.resolve.ontology import Ontology
from mcp_graphrag.retrieve.entities import How, link_name
from mcp_graphrag.store import Reader, Store
from mcp_graphrag.store.entities import EntityHead, entity_heads, entity_types, type_key
from mcp_graphrag.store.triples import predicates as stored_predicates

MOST_WORDS = 200
LONGEST_NAME = 7  # words
MOST_GUESSES = 3
WHO = {"Person": 1.0, "Team": 0.9, "Organization": 0.9, "Role": 0.5}  # a role is not yet an answer: somebody holds it
ASKED_TYPES: Mapping[str, Mapping[str, float]] = {
    "who": WHO,
    "whom": WHO,
    "whose": WHO,
    "where": {"Location": 1.0},
    "when": {"Date": 1.0},
}
# Words of predicates that say nothing by themselves, and verbs that ask rather than tell.
SMALL = frozenset(text_terms("by of to in on at from for with as is has have related same not")) | STOP_WORDS
ASKING = frozenset(
    text_terms("may might must shall can please tell show list give find know say go get happen name let want")
)
WORD = re.compile(r"[^\s?!,;\"“”]+")


@dataclass(frozen=True)
class NamedEntity:
    """The entities that some words of the question name; more than one are homonyms. `at` is the first word's place."""

    words: str
    entities: Sequence[EntityHead]
    how: How
    at: int


@dataclass(frozen=True)
class NamedType:
    """A type that the question asks for or mentions.

    `asks` says that the word asks for one, as "who" does; `weight` is 1 for the likeliest of the types it may ask for.
    """

    words: str
    type: str
    weight: float = 1.0
    asks: bool = False


@dataclass(frozen=True)
class NamedPredicate:
    """Predicates that some words of the question may mean.

    Of each, whether the words before are its subject (True), those behind (False), or that cannot be told (None).
    """

    words: str
    predicates: Mapping[str, bool | None]
    at: int


@dataclass(frozen=True)
class QuestionRead:
    """A question as it was understood. `unknown` are words that look like a name which nothing has."""

    text: str
    entities: Sequence[NamedEntity] = ()
    types: Sequence[NamedType] = ()
    predicates: Sequence[NamedPredicate] = ()
    amount: Range | None = None
    unknown: Sequence[str] = ()


@dataclass
class _Words:
    """The words of a question, and which of them are spoken for."""

    words: list[str]
    taken: list[bool] = field(default_factory=list[bool])

    def __post_init__(self) -> None:
        self.lower = [word.casefold() for word in self.words]
        self.taken = [False] * len(self.words)

    def take(self, first: int, last: int) -> None:
        self.taken[first:last] = [True] * (last - first)

    def free(self, first: int, last: int) -> bool:
        return not any(self.taken[first:last])


def read_question(store: Store, tx: Reader, embedder: Embedder, ontology: Ontology, text: str) -> QuestionRead:
    """What the question names, as far as the graph and the ontology know it."""
    amount = read_range(text)
    words = _Words([word.strip("'’.:()*`") or word for word in WORD.findall(text)[:MOST_WORDS]])
    for at, word in enumerate(words.words):
        words.taken[at] = AMOUNT.fullmatch(word) is not None
    known = _known_types(tx, ontology)
    entities = list(_named_entities(store, tx, words, known))
    guessed, unknown = ([], []) if entities else _guessed(store, tx, embedder, words)
    types = list(_named_types(words, known))
    predicates = list(_named_predicates(tx, ontology, words))
    return QuestionRead(text, [*entities, *guessed], types, predicates, amount, unknown)


def _known_types(tx: Reader, ontology: Ontology) -> dict[str, str]:
    """Every type by its key."""
    stored = {type_key(name): name for name in entity_types(tx) if name}
    return {**{key: rule.name for key, rule in ontology.types.items()}, **stored}


def _named_entities(store: Store, tx: Reader, words: _Words, types: Mapping[str, str]) -> Iterator[NamedEntity]:
    """The longest runs of words that are a known name, from the left."""
    at = 0
    while at < len(words.words):
        found = None
        for last in range(min(at + LONGEST_NAME, len(words.words)), at, -1):
            if words.free(at, last) and _may_name(words, at, last, types):
                found = _bearers(store, tx, words, at, last)
            if found:
                words.take(at, last)
                yield found
                at = last - 1
                break
        at += 1


def _may_name(words: _Words, first: int, last: int, types: Mapping[str, str]) -> bool:
    """Whether a run of words may be a name: it neither begins nor ends with a small word, and is no mere noun."""
    if words.lower[first] in STOP_WORDS or words.lower[last - 1] in STOP_WORDS:
        return False
    if last - first > 1:
        return True
    word = words.lower[first]
    common = word in ASKED_TYPES or any(type_key(each) in types for each in _singulars(word))
    return words.words[first] != word or not (common or word in load_lexicon().cues)


def _bearers(store: Store, tx: Reader, words: _Words, first: int, last: int) -> NamedEntity | None:
    name = " ".join(words.words[first:last])
    for each in dict.fromkeys((name, name.removesuffix("'s").removesuffix("’s"))):
        exact = bearers(store, tx, normal_form(each))
        if exact:
            best = [entity_id for entity_id, by_alias in exact if by_alias == exact[0][1]]
            heads = entity_heads(tx, best)
            return NamedEntity(each, [heads[one] for one in best if one in heads], _how(by_alias=exact[0][1]), first)
    return None


def _how(*, by_alias: bool) -> How:
    return "alias" if by_alias else "exact"


def _named_types(words: _Words, known: Mapping[str, str]) -> Iterator[NamedType]:
    for at, word in enumerate(words.lower):
        if not words.free(at, at + 1):
            continue
        for type_, weight in ASKED_TYPES.get(word, {}).items():
            yield NamedType(words.words[at], type_, weight, asks=True)
        pair = word + words.lower[at + 1] if at + 1 < len(words.lower) and words.free(at, at + 2) else ""
        for spelled, length in ((pair, 2), (word, 1)):
            keys = [type_key(each) for each in _singulars(spelled) if type_key(each) in known]
            if keys and word not in STOP_WORDS:
                yield NamedType(" ".join(words.words[at : at + length]), known[keys[0]])
                break


def _singulars(word: str) -> Sequence[str]:
    """A word and what it may be the plural of."""
    forms = [word]
    if word == "people":
        forms.append("person")
    if word.endswith("ies"):
        forms.append(word[:-3] + "y")
    if word.endswith("es"):
        forms.append(word[:-2])
    if word.endswith("s"):
        forms.append(word[:-1])
    return [each.replace("centre", "center").replace("organisation", "organization") for each in forms]


def _named_predicates(tx: Reader, ontology: Ontology, words: _Words) -> Iterator[NamedPredicate]:
    known = dict.fromkeys([*stored_predicates(tx), *ontology.predicates])
    stems = {name: frozenset(text_terms(name.replace("_", " "))) - SMALL for name in known}
    phrases = _phrases(ontology)
    at = 0
    while at < len(words.words):
        length, found = _meant(words, at, phrases)
        if words.free(at, at + 1) and words.lower[at] not in STOP_WORDS:
            said = set(text_terms(words.lower[at])) - SMALL - ASKING
            found = {**{name: None for name in known if stems[name] & said}, **found}
        found = {name: way for name, way in found.items() if name in known}
        if found:
            yield NamedPredicate(" ".join(words.words[at : at + length]), _both_ways(ontology, found), at)
        at += length


def _meant(
    words: _Words, at: int, phrases: Mapping[tuple[str, ...], tuple[str, bool]]
) -> tuple[int, dict[str, bool | None]]:
    """How many words from a place on are a phrase of the lexicons, and what it means; one word and nothing if none."""
    cue = load_lexicon().find(words.lower, at)
    if cue is not None and words.free(at, at + len(cue.words)) and cue.predicate not in {"related_to", "is_a"}:
        passive = cue.form == "participle" and not load_words().copulas.isdisjoint(words.lower[max(at - 6, 0) : at])
        return len(cue.words), {cue.predicate: cue.swap if passive else not cue.swap}
    for length in range(min(5, len(words.lower) - at), 0, -1):
        said = phrases.get(tuple(words.lower[at : at + length]))
        if said and words.free(at, at + length):
            return length, {said[0]: said[1]}
    return 1, {}


def _phrases(ontology: Ontology) -> dict[tuple[str, ...], tuple[str, bool]]:
    """The raw verbs that the ontology maps, by their words."""
    found: dict[tuple[str, ...], tuple[str, bool]] = {}
    for name, rule in ontology.predicates.items():
        found.update({tuple(verb.casefold().split()): (name, True) for verb in rule.lexicon})
        found.update({tuple(verb.casefold().split()): (name, False) for verb in rule.swapped_lexicon})
    return found


def _both_ways(ontology: Ontology, found: Mapping[str, bool | None]) -> dict[str, bool | None]:
    """The predicates with their inverses, which are told the other way round."""
    both = dict(found)
    for name, way in found.items():
        for _, inverse in ontology.inverses(name):
            if both.get(inverse) is None:
                both[inverse] = None if way is None else not way
    return both


def _guessed(store: Store, tx: Reader, embedder: Embedder, words: _Words) -> tuple[list[NamedEntity], list[str]]:
    """The likeliest entities of runs of words that look like names, where the question has no known name."""
    found: list[NamedEntity] = []
    unknown: list[str] = []
    for first, last in list(_runs(words))[:MOST_GUESSES]:
        name = " ".join(words.words[first:last])
        try:
            linked = link_name(store, tx, name, embedder=embedder)
        except UnknownName:
            unknown.append(name)
        else:
            words.take(first, last)
            found.append(NamedEntity(name, linked.entities, linked.how, first))
    return found, unknown


def _runs(words: _Words) -> Iterator[tuple[int, int]]:
    """Runs of words that are neither small nor meant a predicate: several words, or one with a capital or a digit."""
    lexicon, first = load_lexicon(), None
    for at in range(len(words.words) + 1):
        ends = at == len(words.words) or words.taken[at] or words.lower[at] in STOP_WORDS | ASKED_TYPES.keys()
        ends = ends or (words.lower[at] in lexicon.cues and words.words[at] == words.lower[at])
        if not ends and first is None:
            first = at
        if ends and first is not None:
            run = " ".join(words.words[first:at])
            if at - first > 1 or (run != run.casefold() and first > 0) or any(each.isdigit() for each in run):
                yield first, at
            first = None
