"""The words of a question, and the stored names among them."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from mcp_graphrag.english.lemmas import singulars
from mcp_graphrag.english.word_lists import WORDS
from mcp_graphrag.index.normalize import normal_form
from mcp_graphrag.index.tokenize import STOP_WORDS
from mcp_graphrag.lookup.find_entities import DEFINITIONS, TYPED, every_type, find_named, with_definition
from mcp_graphrag.snapshot import Snapshot
from mcp_graphrag.store.rows.entity_rows import EntityLabel, entity_labels, similar_entities, type_key

MAX_WORDS = 100
MAX_NAME_WORDS = 14
QUESTION_WORDS = frozenset({"who", "whom", "whose", "what", "which", "where", "when", "why", "how"})
# Nouns that say what a name is of, besides types; what is stored does not contradict them unless it has such a type.
KINDS = frozenset(
    """
    film movie song album book novel play series show band company firm city town country river school university
    college club team person man woman actor actress director singer writer author artist
    """.split()  # noqa: SIM905
)
CLASSES = frozenset({"struct", "interface", "trait", "enum"})  # what languages call what is stored as a class
_NO_PERSONS = frozenset({"Organization", "Team", "Location", "Date", "Service", "Database", "Document"})
_TOKEN = re.compile(r"[,:()\"“”]|[^\s?!,;:()\"“”]+")
_POSSESSIVE = re.compile(r"(?:['’][sS]|(?<=s)['’])$")


@dataclass(frozen=True)
class Word:
    """A word or a sign of a question; `text` and `end` are without a possessive ending."""

    text: str
    start: int
    end: int
    possessive: bool = False

    @property
    def lower(self) -> str:
        """The word in lower case."""
        return self.text.casefold()


@dataclass(frozen=True)
class NamedEntity:
    """The entities that some words of the question name exactly; several may share a name.

    `notes` say what of the words could not be checked. `objection` says why the words do not name them after all.
    """

    words: str
    entities: Sequence[EntityLabel]
    how: str = "exact"
    notes: tuple[str, ...] = ()
    objection: str = ""


@dataclass(frozen=True)
class FoundName:
    """A stored name in the words before `end`; `possessive` says that it ends in 's."""

    named: NamedEntity
    end: int
    possessive: bool


class QuestionWords:
    """A question word by word, read with the names and types of a snapshot."""

    def __init__(self, snapshot: Snapshot, text: str) -> None:
        self.snapshot, self.text = snapshot, text
        self.words = [_word(found) for found in list(_TOKEN.finditer(text))[:MAX_WORDS]]
        while self.words and self.words[-1].text in {".", ",", ":"}:
            self.words.pop()

    def __len__(self) -> int:
        return len(self.words)

    def lower(self, at: int) -> str:
        """A word in lower case, "" behind the last one."""
        return self.words[at].lower if at < len(self.words) else ""

    def span(self, first: int, last: int) -> str:
        """The text of the words from `first` to before `last`."""
        return self.text[self.words[first].start : self.words[last - 1].end]

    @cached_property
    def types(self) -> Mapping[str, str]:
        """The types of the ontology and of stored entities by key."""
        return every_type(self.snapshot)

    def type_at(self, at: int) -> tuple[str, int] | None:
        """The type named at a position, in the singular or plural, and the position behind it."""
        for length in (2, 1):
            if at + length <= len(self.words):
                spelled = "".join(word.lower for word in self.words[at : at + length])
                type_ = type_named(self.types, spelled)
                if type_ and spelled not in STOP_WORDS:
                    return type_, at + length
        return None

    def kind_at(self, at: int) -> str | None:
        """The noun at a position that says what things are, and is no type: "company", in the singular."""
        return next((form for form in singulars(self.lower(at)) if form in KINDS or form in WORDS.last_word), None)

    @cached_property
    def names(self) -> Mapping[int, Sequence[FoundName]]:
        """The stored names by the position of their first word, the longest first."""
        runs: dict[tuple[int, int, bool], str] = {}
        for first in range(len(self.words)):
            for last in range(first + 1, min(first + MAX_NAME_WORDS, len(self.words)) + 1):
                if self._may_name(first, last):
                    possessive = self.words[last - 1].possessive
                    runs[first, last, possessive] = normal_form(self.span(first, last))
                    if possessive:  # the ending may be a part of the name, as in "Levi's"
                        end = self.words[last].start if last < len(self.words) else len(self.text)
                        whole = self.text[self.words[first].start : end].rstrip(" ?!.,;:")
                        runs[first, last, False] = normal_form(whole)
        stored = self.snapshot.entities_named(list(dict.fromkeys(runs.values())))
        labels = entity_labels(self.snapshot.tx, {one for found in stored.values() for one, _ in found})
        names: dict[int, list[FoundName]] = {}
        for (first, last, possessive), norm in runs.items():
            found = [(labels[one], alias) for one, alias in stored.get(norm, ()) if one in labels]
            word = self.words[first].text
            if last - first == 1 and not (word.isalpha() and word.islower()) and (not found or found[0][1]):
                found = self._defined(word) or found
            if found:
                own = _meant([label for label, alias in found if alias == found[0][1]], found)
                named = NamedEntity(self.span(first, last), own, "alias" if found[0][1] else "exact")
                names.setdefault(first, []).extend(self._qualified(first, FoundName(named, last, possessive)))
        return {first: sorted(found, key=lambda each: -each.end) for first, found in names.items()}

    def _defined(self, word: str) -> list[tuple[EntityLabel, bool]]:
        """The one definition in code that a word alone means, by its letters or as the end of a qualified name."""
        linked = find_named(self.snapshot, word)
        meant = [each for each in (linked.entities if linked else ()) if each.type in DEFINITIONS]
        return [(meant[0], False)] if len(meant) == 1 and linked and len(linked.entities) == 1 else []

    def longest_names(self) -> Iterator[FoundName]:
        """The stored names from left to right, the longest where they overlap."""
        behind = 0
        for first, (found, *_) in sorted(self.names.items()):
            if first >= behind:
                behind = found.end
                yield found

    def _may_name(self, first: int, last: int) -> bool:
        """Whether a run of words may be a name: it does not start or end with a sign or a lower-case stop word."""
        ends = (self.words[first], self.words[last - 1])
        if any(word.text in {",", ":", "(", '"', "“", "”"} for word in ends) or ends[0].text == ")":
            return False
        inside = [word.text for word in self.words[first:last]]
        if inside.count("(") != inside.count(")") or not {'"', "“", "”"}.isdisjoint(inside):
            return False
        if last - first > 1:
            return not any(word.text in STOP_WORDS or word.text in QUESTION_WORDS for word in ends)
        word = ends[0]
        if word.lower in STOP_WORDS:
            return False
        return word.text != word.lower or not type_named(self.types, word.lower)

    def _qualified(self, first: int, found: FoundName) -> list[FoundName]:
        """A name; before it, the name with a qualifier in brackets behind it, which no stored name has."""
        if self.lower(found.end) != "(" or found.possessive:
            return [found]
        close = next((at for at in range(found.end, len(self.words)) if self.words[at].text == ")"), None)
        if close is None:
            return [found]
        end, named = close + 1, found.named
        qualifier = self.span(found.end + 1, close) if close > found.end + 1 else ""
        of_type = [each for each in named.entities if each.type and type_key(each.type) == type_key(qualifier)]
        if of_type:
            return [FoundName(NamedEntity(named.words, of_type, named.how), end, possessive=False)]
        objection = self._objection(named, qualifier)
        notes = (f"'({qualifier})' could not be checked for {named.entities[0].name}.",)
        whole = NamedEntity(self.span(first, end), named.entities, named.how, notes, objection)
        return [FoundName(whole, end, self.words[close].possessive)]

    def _objection(self, named: NamedEntity, qualifier: str) -> str:
        """Why a bare name may not stand for the name with a qualifier, "" if it may."""
        name = named.entities[0].name
        if len(named.entities) > 1:
            return f"{len(named.entities)} entities are called {name}, and none '{name} ({qualifier})'."
        others = [other for other in self._same_bare_name(name) if other != name]
        if others:
            return f"'{name} ({qualifier})' is not stored, but {', '.join(others[:3])} is."
        wanted = next(filter(None, (type_named(self.types, word) for word in qualifier.split())), "")
        type_ = named.entities[0].type
        if type_ and wanted and not self.snapshot.ontology.is_a(type_, wanted):
            return f"{name} is stored as a {type_}, not as '{qualifier}'."
        return ""

    def _same_bare_name(self, name: str) -> list[str]:
        """The stored names that are this name with a qualifier."""
        found = similar_entities(self.snapshot.tx, normal_form(name), limit=50)
        labels = entity_labels(self.snapshot.tx, [one for one, _ in found])
        bare = normal_form(name)
        return [
            label.name
            for label in labels.values()
            if (parts := TYPED.fullmatch(label.name)) and normal_form(parts["name"]) == bare
        ]

    def described(self, at: int, found: FoundName) -> FoundName:
        """A name behind a noun that says what it is, "film X", checked against its type."""
        named, noun, wanted = found.named, singulars(self.lower(at)), type_named(self.types, self.lower(at))
        notes, objection = named.notes, named.objection
        typed = [each for each in named.entities if each.type]
        if wanted and typed:
            fitting = [each for each in typed if self.snapshot.ontology.is_a(each.type, wanted)]
            if not fitting:
                objection = f"{typed[0].name} is stored as a {typed[0].type}, not as a {wanted}."
        else:
            fitting = [each for each in typed if CLASSES.intersection(noun) and each.type == "Class"]
            if typed or self.lower(at) in WORDS.honorifics:
                first = [*fitting, *named.entities][0].name
                notes = (*notes, f"'{self.words[at].text}' could not be checked for {first}.")
        named = replace(named, entities=fitting or named.entities, notes=notes, objection=objection)
        return replace(found, named=named)

    def describes(self, at: int) -> bool:
        """Whether a word may stand in front of a name and say what it is."""
        word = self.lower(at)
        forms = singulars(word)
        is_noun = bool(type_named(self.types, word)) or any(form in KINDS or form in CLASSES for form in forms)
        return (is_noun or word in WORDS.honorifics) and word not in STOP_WORDS


def type_named(types: Mapping[str, str], noun: str) -> str:
    """The type that a noun names, in the singular or plural; "" if it names none."""
    return next((types[key] for form in singulars(noun.casefold()) if (key := type_key(form)) in types), "")


def excludes(noun: str, type_: str) -> bool:
    """Whether what has a type is surely not what a noun says that is no type: a person is no company."""
    is_of_person = WORDS.is_of_person(noun)
    is_kind = noun in KINDS or WORDS.last_word.get(noun, "Role") not in {"Role", "Person"}
    if type_ == "Person":
        return is_kind and not is_of_person
    return is_of_person and type_ in _NO_PERSONS


def with_article(word: str) -> str:
    """A noun in the singular with its article, of the singular or plural that a question has: "a team" of "teams"."""
    single = word if word.endswith(("us", "is")) else [*singulars(word), word][1]
    return f"{'an' if single[:1].lower() in 'aeiou' else 'a'} {single}"


def _word(found: re.Match[str]) -> Word:
    """A word without the signs around it; the dot of an abbreviation is a part of it."""
    text = found[0].rstrip("*`") if "." in found[0][:-1] else found[0].rstrip(".*`")
    start = found.start() + len(text) - len(text.lstrip("'’*`"))
    ending = _POSSESSIVE.search(text)
    possessive = ending is not None and len(text) > 2
    end = found.start() + (ending.start() if ending and possessive else len(text.rstrip("'’") or found[0]))
    if start >= end:
        return Word(found[0], found.start(), found.end())
    return Word(found.string[start:end], start, end, possessive)


def _meant(own: Sequence[EntityLabel], named: Sequence[tuple[EntityLabel, bool]]) -> Sequence[EntityLabel]:
    """The entities with a name as their own, or the one definition in code that untyped ones of prose are."""
    definitions = [each for each in with_definition(own, named) if each not in own]
    if len(definitions) != 1:
        return own
    return [*(each for each in own if each.type), *definitions]
