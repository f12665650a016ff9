"""The entities, types, predicates and amounts that a question names, and the words that name them."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from mcp_graphrag.errors import UnknownName
from mcp_graphrag.extract.english.lexicon import load_lexicon
from mcp_graphrag.extract.english.word_lists import WORDS
from mcp_graphrag.index.normalize import normal_form
from mcp_graphrag.index.tokenize import STOP_WORDS, text_terms
from mcp_graphrag.lookup.find_entities import How, every_type, link_name, longest_runs
from mcp_graphrag.ontology.ontology import Ontology
from mcp_graphrag.reason.amounts import AMOUNT, Range, read_range
from mcp_graphrag.snapshot import Snapshot
from mcp_graphrag.store import Reader
from mcp_graphrag.store.rows.entity_rows import EntityLabel, entity_labels, type_key
from mcp_graphrag.store.rows.triple_rows import predicates as stored_predicates

MAX_WORDS = 200
MAX_GUESSES = 3
# A role is a step to the person who holds it.
WHO_TYPES = {"Person": 1.0, "Team": 0.9, "Organization": 0.9, "Role": 0.5}
QUESTION_WORD_TYPES: Mapping[str, Mapping[str, float]] = {
    "who": WHO_TYPES,
    "whom": WHO_TYPES,
    "whose": WHO_TYPES,
    "where": {"Location": 1.0},
    "when": {"Date": 1.0},
}
# Words of predicates without a meaning of their own, and verbs of asking.
SMALL_WORDS = frozenset(text_terms("by of to in on at from for with as is has have related same not")) | STOP_WORDS
ASKING_WORDS = frozenset(
    text_terms("may might must shall can please tell show list give find know say go get happen name let want")
)
WORD = re.compile(r"[^\s?!,;\"“”]+")


@dataclass(frozen=True)
class NamedEntity:
    """The entities that some words of the question name; several may share a name. `at` is the first word."""

    words: str
    entities: Sequence[EntityLabel]
    how: How
    at: int


@dataclass(frozen=True)
class NamedType:
    """A type that the question asks for or mentions.

    `asks` says that the word asks for it, as "who" does; `weight` is 1 for the most likely of the types.
    """

    words: str
    type: str
    weight: float = 1.0
    asks: bool = False


@dataclass(frozen=True)
class NamedPredicate:
    """Predicates that some words of the question may mean.

    The value says whether the subject is before the words (True), after them (False), or unknown (None).
    """

    words: str
    predicates: Mapping[str, bool | None]
    at: int


@dataclass(frozen=True)
class ParsedQuestion:
    """A parsed question. `unknown` are words that look like a name, but are not a stored one."""

    text: str
    entities: Sequence[NamedEntity] = ()
    types: Sequence[NamedType] = ()
    predicates: Sequence[NamedPredicate] = ()
    amount: Range | None = None
    unknown: Sequence[str] = ()


class _Words:
    """The words of a question, and which of them have been read: at first, amounts."""

    def __init__(self, words: list[str]) -> None:
        self.words = words
        self.lower = [word.casefold() for word in words]
        self.taken = [AMOUNT.fullmatch(word) is not None for word in words]

    def take(self, first: int, last: int) -> None:
        self.taken[first:last] = [True] * (last - first)

    def free(self, first: int, last: int) -> bool:
        return not any(self.taken[first:last])


def parse_question(snapshot: Snapshot, text: str) -> ParsedQuestion:
    """What a question names, as far as the graph and the ontology know it."""
    amount = read_range(text)
    words = _Words([word.strip("'’.:()*`") or word for word in WORD.findall(text)[:MAX_WORDS]])
    known = every_type(snapshot)
    entities = list(_named_entities(snapshot, words, known))
    guessed, unknown = ([], []) if entities else _approximate_entities(snapshot, words)
    types = list(_named_types(words, known))
    predicates = list(_named_predicates(snapshot.tx, snapshot.ontology, words))
    return ParsedQuestion(text, [*entities, *guessed], types, predicates, amount, unknown)


def _named_entities(snapshot: Snapshot, words: _Words, types: Mapping[str, str]) -> Iterator[NamedEntity]:
    """The longest runs of words that are a stored name, from the left."""

    def name_at(first: int, last: int) -> NamedEntity | None:
        free = words.free(first, last) and _may_name(words, first, last, types)
        return _entities_named(snapshot, words, first, last) if free else None

    for found in longest_runs(len(words.words), name_at):
        words.take(found.at, found.at + len(found.words.split(" ")))
        yield found


def _may_name(words: _Words, first: int, last: int, types: Mapping[str, str]) -> bool:
    """Whether a run of words may be a name: no stop word at its ends, and not just a common noun."""
    if words.lower[first] in STOP_WORDS or words.lower[last - 1] in STOP_WORDS:
        return False
    if last - first > 1:
        return True
    word = words.lower[first]
    common = word in QUESTION_WORD_TYPES or any(type_key(form) in types for form in _singulars(word))
    return words.words[first] != word or not (common or word in load_lexicon().cues)


def _entities_named(snapshot: Snapshot, words: _Words, first: int, last: int) -> NamedEntity | None:
    name = " ".join(words.words[first:last])
    for form in dict.fromkeys((name, name.removesuffix("'s").removesuffix("’s"))):
        norm = normal_form(form)
        exact = snapshot.entities_named([norm]).get(norm)
        if exact:
            best = [entity_id for entity_id, by_alias in exact if by_alias == exact[0][1]]
            heads = entity_labels(snapshot.tx, best)
            how: How = "alias" if exact[0][1] else "exact"
            return NamedEntity(form, [heads[one] for one in best if one in heads], how, first)
    return None


def _named_types(words: _Words, known: Mapping[str, str]) -> Iterator[NamedType]:
    for at, word in enumerate(words.lower):
        if not words.free(at, at + 1):
            continue
        for type_, weight in QUESTION_WORD_TYPES.get(word, {}).items():
            yield NamedType(words.words[at], type_, weight, asks=True)
        pair = word + words.lower[at + 1] if at + 1 < len(words.lower) and words.free(at, at + 2) else ""
        for spelled, length in ((pair, 2), (word, 1)):
            keys = [type_key(form) for form in _singulars(spelled) if type_key(form) in known]
            if keys and word not in STOP_WORDS:
                yield NamedType(" ".join(words.words[at : at + length]), known[keys[0]])
                break


def _singulars(word: str) -> Sequence[str]:
    """A word and its possible singulars."""
    forms = [word]
    if word == "people":
        forms.append("person")
    if word.endswith("ies"):
        forms.append(word[:-3] + "y")
    if word.endswith("es"):
        forms.append(word[:-2])
    if word.endswith("s"):
        forms.append(word[:-1])
    return [form.replace("centre", "center").replace("organisation", "organization") for form in forms]


def _named_predicates(tx: Reader, ontology: Ontology, words: _Words) -> Iterator[NamedPredicate]:
    known = dict.fromkeys([*stored_predicates(tx), *ontology.predicates])
    stems = {name: frozenset(text_terms(name.replace("_", " "))) - SMALL_WORDS for name in known}
    phrases = _phrases(ontology)
    at = 0
    while at < len(words.words):
        length, found = _phrase_at(words, at, phrases)
        if words.free(at, at + 1) and words.lower[at] not in STOP_WORDS:
            terms = set(text_terms(words.lower[at])) - SMALL_WORDS - ASKING_WORDS
            found = {**{name: None for name in known if stems[name] & terms}, **found}
        found = {name: forward for name, forward in found.items() if name in known}
        if found:
            yield NamedPredicate(" ".join(words.words[at : at + length]), _with_inverses(ontology, found), at)
        at += length


def _phrase_at(
    words: _Words, at: int, phrases: Mapping[tuple[str, ...], tuple[str, bool]]
) -> tuple[int, dict[str, bool | None]]:
    """(number of words, predicates) of the phrase at a position; (1, {}) if there is none."""
    cue = load_lexicon().find(words.lower, at)
    if cue is not None and words.free(at, at + len(cue.words)) and cue.predicate not in {"related_to", "is_a"}:
        passive = cue.form == "participle" and not WORDS.copulas.isdisjoint(words.lower[max(at - 6, 0) : at])
        return len(cue.words), {cue.predicate: cue.swap if passive else not cue.swap}
    for length in range(min(5, len(words.lower) - at), 0, -1):
        phrase = phrases.get(tuple(words.lower[at : at + length]))
        if phrase and words.free(at, at + length):
            return length, {phrase[0]: phrase[1]}
    return 1, {}


def _phrases(ontology: Ontology) -> dict[tuple[str, ...], tuple[str, bool]]:
    """The raw verbs of the ontology by their words, with predicate and direction."""
    return {
        tuple(verb.casefold().split()): (name, forward)
        for name, rule in ontology.predicates.items()
        for forward, verbs in ((True, rule.lexicon), (False, rule.swapped_lexicon))
        for verb in verbs
    }


def _with_inverses(ontology: Ontology, found: Mapping[str, bool | None]) -> dict[str, bool | None]:
    """The predicates with their inverses, which have the opposite direction."""
    both = dict(found)
    for name, forward in found.items():
        for _, inverse in ontology.inverses(name):
            if both.get(inverse) is None:
                both[inverse] = None if forward is None else not forward
    return both


def _approximate_entities(snapshot: Snapshot, words: _Words) -> tuple[list[NamedEntity], list[str]]:
    """(entities, unknown names) for words that look like names, in a question without stored names."""
    found: list[NamedEntity] = []
    unknown: list[str] = []
    for first, last in list(_name_candidates(words))[:MAX_GUESSES]:
        name = " ".join(words.words[first:last])
        try:
            linked = link_name(snapshot, name)
        except UnknownName:
            unknown.append(name)
        else:
            words.take(first, last)
            found.append(NamedEntity(name, linked.entities, linked.how, first))
    return found, unknown


def _name_candidates(words: _Words) -> Iterator[tuple[int, int]]:
    """Runs of words, without stop words and verbs, that may be a name: several words, or a capital or a digit."""
    lexicon, first = load_lexicon(), None
    for at in range(len(words.words) + 1):
        ends = at == len(words.words) or words.taken[at] or words.lower[at] in STOP_WORDS | QUESTION_WORD_TYPES.keys()
        ends = ends or (words.lower[at] in lexicon.cues and words.words[at] == words.lower[at])
        if not ends and first is None:
            first = at
        if ends and first is not None:
            run = " ".join(words.words[first:at])
            if at - first > 1 or (run != run.casefold() and first > 0) or any(character.isdigit() for character in run):
                yield first, at
            first = None
