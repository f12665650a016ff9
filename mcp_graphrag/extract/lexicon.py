"""How English says each predicate: cue phrases found between two mentions, heads of columns, raw verbs of callers."""

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any, Literal, NamedTuple, TypeAlias

from mcp_graphrag.extract.words import load_words

Form: TypeAlias = Literal["verb", "participle", "passive", "noun", "phrase"]

RELATED_TO = "related_to"


@dataclass(frozen=True)
class Cue:
    """A phrase that asserts a predicate between what stands before it and what stands after it.

    `words` are lower case. With `swap` what stands before is the object. A "participle" is also a past tense: it
    asserts nothing where a form of "to be" precedes it. `date` and `place` replace the
    predicate where the object is a date, or is none.
    """

    words: tuple[str, ...]
    predicate: str
    swap: bool
    form: Form
    confidence: float = 0.6
    subject: str | None = None
    object: str | None = None
    date: str = "occurred_on"
    place: str | None = None
    carries: bool = False


@dataclass(frozen=True)
class Normalised:
    """A predicate for a raw verb. With `swap` subject and object change places.

    Where the lexicon does not know the verb, `known` is False and `predicate` is the verb's own snake_case form; the
    caller chooses between it and `related_to`.
    """

    predicate: str
    swap: bool
    known: bool


class Phrase(NamedTuple):
    """Words that say a predicate, besides those that ship; with `swap` subject and object change places.

    A verb in any form stands for all its forms. `subject` and `object` are the types at its ends, where certain.
    """

    predicate: str
    words: str
    swap: bool = False
    subject: str | None = None
    object: str | None = None


@dataclass(frozen=True, eq=False)
class Lexicon:
    """All cues by their first word, longest first; headers and aliases by name; the names of all predicates.

    `taught` are the verbs, in the third person, that were added to those that ship.
    """

    cues: Mapping[str, Sequence[Cue]]
    headers: Mapping[str, Cue]
    headers_by_type: Mapping[str, Mapping[str, str]]
    aliases: Mapping[str, tuple[str, bool]]
    predicates: frozenset[str]
    taught: frozenset[str] = frozenset()

    def find(self, words: Sequence[str], at: int) -> Cue | None:
        """The longest cue that starts at `words[at]`."""
        for cue in self.cues.get(words[at], ()):
            if tuple(words[at : at + len(cue.words)]) == cue.words:
                return cue
        return None

    def header(self, title: str, row_type: str | None) -> Cue | None:
        """What a column of that title asserts between a row of `row_type` and its cell."""
        key = title.casefold().strip()
        by_type = self.headers_by_type.get(key)
        if by_type is not None:
            return Cue((key,), by_type.get(row_type or "", by_type["default"]), swap=False, form="phrase")
        return self.headers.get(key)


@cache
def load_lexicon() -> Lexicon:
    """The lexicon that ships."""
    tables = _tables()
    inflect = _inflector()
    found: dict[tuple[str, ...], Cue] = {}
    headers: dict[str, Cue] = {}
    aliases: dict[str, tuple[str, bool]] = {}
    names = {name: table for name, table in tables.items() if not name.startswith("_")}
    for name, table in names.items():
        for cue in _cues_of(name, table, inflect):
            found.setdefault(cue.words, cue)
        for swap in (False, True):
            for header in table.get("swapped_headers" if swap else "headers", ()):
                headers.setdefault(header, _cue(header, name, table, "phrase", swap=swap))
            for alias in table.get("swapped_aliases" if swap else "aliases", ()):
                aliases.setdefault(alias, (name, swap))
    predicates = frozenset(names) | {table["date"] for table in names.values() if "date" in table}
    return Lexicon(_by_first_word(found.values()), headers, tables["_headers_by_type"], aliases, predicates)


@lru_cache(maxsize=16)
def lexicon_with(phrases: tuple[Phrase, ...], *, alone: bool = False) -> Lexicon:
    """The lexicon that ships with more phrases, which go before its own; with `alone` only they."""
    if not phrases and not alone:
        return load_lexicon()
    shipped = Lexicon({}, {}, {}, {}, frozenset()) if alone else load_lexicon()
    found: dict[tuple[str, ...], Cue] = {}
    for phrase in phrases:
        for cue in _cues_of_phrase(phrase, _inflector()):
            found.setdefault(cue.words, cue)
    said = {"_".join(words) for words in found}
    taught = dict(found)
    for cues in shipped.cues.values():
        for cue in cues:
            found.setdefault(cue.words, cue)
    named = {each.predicate.replace("_", " "): each.predicate for each in phrases}
    headers = {words: Cue(tuple(words.split()), name, swap=False, form="phrase") for words, name in named.items()}
    return Lexicon(
        _by_first_word(found.values()),
        {**shipped.headers, **headers},
        shipped.headers_by_type,
        {alias: meant for alias, meant in shipped.aliases.items() if alias not in said},
        (shipped.predicates - said) | set(named.values()),
        frozenset(words[0] for words, cue in taught.items() if cue.form == "verb" and words[0].endswith("s")),
    )


def _by_first_word(cues: Iterable[Cue]) -> dict[str, list[Cue]]:
    found: dict[str, list[Cue]] = {}
    for cue in sorted(cues, key=lambda cue: -len(cue.words)):
        found.setdefault(cue.words[0], []).append(cue)
    return found


@cache
def _tables() -> dict[str, dict[str, Any]]:
    return tomllib.loads(files("mcp_graphrag.extract").joinpath("lexicon.toml").read_text("utf-8"))


@cache
def _inflector() -> "_Inflector":
    tables = _tables()
    return _Inflector(tables["_irregular"], frozenset(tables["_doubled"]["verbs"]))


def normalise_predicate(raw: str, lexicon: Lexicon | None = None) -> Normalised:
    """The predicate that a raw verb or relation name means: "is owned by", "DEPENDS_ON", "dependsOn", "wrote".

    Without a lexicon, the one that ships is asked.
    """
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", raw[:200])
    words = re.findall(r"[\w'’]+(?:-[^\W_]+)?", spaced.replace("_", " ").casefold())
    plain = "_".join(words) or RELATED_TO
    lexicon = lexicon or load_lexicon()
    if not words:
        return Normalised(plain, swap=False, known=False)
    for variant in _variants(words):
        name = "_".join(variant)
        if name in lexicon.predicates:
            return Normalised(name, swap=False, known=True)
        if name in lexicon.aliases:
            predicate, swap = lexicon.aliases[name]
            return Normalised(predicate, swap=swap, known=True)
        cue = lexicon.find(variant, 0)
        if cue is not None and len(cue.words) == len(variant):
            return Normalised(cue.predicate, swap=cue.swap, known=True)
    return Normalised(plain, swap=False, known=False)


def _variants(words: list[str]) -> Iterator[list[str]]:
    """The words, then without auxiliaries and adverbs in front and between, then without articles at either end."""
    yield words
    known = load_words()
    bare = list(words)
    while bare and bare[0] in known.auxiliaries:
        bare = bare[1:]
    bare = [word for word in bare if not known.is_adverb(word)]
    while bare and bare[-1] in known.articles:
        bare = bare[:-1]
    while bare and bare[0] in known.articles:
        bare = bare[1:]
    if bare and bare != words:
        yield bare


def _cues_of(name: str, table: Mapping[str, Any], inflect: "_Inflector") -> Iterator[Cue]:
    for swap in (False, True):
        prefix = "swapped_" if swap else ""
        for phrase in table.get(f"{prefix}phrases", ()):
            yield _cue(phrase, name, table, "phrase", swap=swap)
        for noun in table.get(f"{prefix}nouns", ()):
            yield _cue(noun, name, table, "noun", swap=swap)
        for verb in table.get(f"{prefix}verbs", ()):
            forms = inflect.forms(verb)
            for form in forms.active:
                yield _cue(form, name, table, "verb", swap=swap)
            for form in forms.past:
                yield _cue(form, name, table, "participle", swap=swap)
            passive, turned = (table["passive"], False) if "passive" in table else (name, not swap)
            for form in forms.passive:
                yield _cue(form, passive, table, "passive", swap=turned)


def _cues_of_phrase(phrase: Phrase, inflect: "_Inflector") -> Iterator[Cue]:
    """A phrase as given, and where it is a verb all its forms."""
    words = phrase.words.lower().replace("_", " ").replace("’", "'").split()
    known = load_words()
    while len(words) > 1 and words[0] in known.auxiliaries and words[1] not in known.articles | known.prepositions:
        words = words[1:]
    if not words:
        return

    def cue(said: str, form: Form, *, swap: bool) -> Cue:
        words = tuple(said.split())
        return Cue(words, phrase.predicate, swap, form, subject=phrase.subject, object=phrase.object)

    said = " ".join(words)
    if words[-1] == "by" or words[0] in known.prepositions or words[0] in known.auxiliaries:
        yield cue(said, "passive" if words[-1] == "by" else "phrase", swap=phrase.swap)
    elif words[-1] == "of":
        yield cue(said, "noun", swap=phrase.swap)
    elif words[0].endswith("ed") and len(words[0]) > 4:
        yield cue(said, "participle", swap=phrase.swap)
    else:
        forms = inflect.forms(" ".join([inflect.base(words[0]), *words[1:]]))
        for each in (said, *forms.active):
            yield cue(each, "verb", swap=phrase.swap)
        for each in forms.past:
            yield cue(each, "participle", swap=phrase.swap)
        for each in forms.passive:
            yield cue(each, "passive", swap=not phrase.swap)


def _cue(phrase: str, predicate: str, table: Mapping[str, Any], form: Form, *, swap: bool) -> Cue:
    return Cue(
        words=tuple(phrase.split()),
        predicate=predicate,
        swap=swap,
        form=form,
        confidence=table.get("confidence", 0.8 if form == "noun" else 0.6),
        subject=table.get("subject"),
        object=table.get("object"),
        date=table.get("date", "occurred_on"),
        place=table.get("place"),
        carries=table.get("carries", False),
    )


@dataclass(frozen=True)
class _Forms:
    active: tuple[str, ...]
    past: tuple[str, ...]
    passive: tuple[str, ...]


@dataclass(frozen=True)
class _Inflector:
    irregular: Mapping[str, Sequence[str]]
    doubled: frozenset[str]

    def base(self, verb: str) -> str:
        """The base form of "inhibits", "complies", "watches" and "wrote"; of what looks like none, the word itself."""
        for base, past in self.irregular.items():
            if verb in past:
                return base
        if verb.endswith("ies") and len(verb) > 4:
            return f"{verb[:-3]}y"
        if verb.endswith(("sses", "shes", "ches", "xes", "zzes", "oes")):
            return verb[:-2]
        return verb[:-1] if verb.endswith("s") and not verb.endswith(("ss", "us", "is")) and len(verb) > 3 else verb

    def forms(self, verb: str) -> _Forms:
        """All forms of "depend on": the particle stays behind the verb, "by" goes behind both."""
        head, _, rest = verb.partition(" ")
        tail = f" {rest}" if rest else ""
        stem = head + head[-1] if head in self.doubled else head
        ending_y = head.endswith("y") and head[-2] not in "aeiou"
        regular = f"{head[:-1]}ied" if ending_y else f"{stem.removesuffix('e')}ed"
        past, participle = self.irregular.get(head, (regular, regular))
        if head.endswith(("s", "x", "z", "ch", "sh", "o")):
            third = f"{head}es"
        else:
            third = f"{head[:-1]}ies" if ending_y else f"{head}s"
        gerund = {"lie": "lying"}.get(head) or (stem if head.endswith("ee") else stem.removesuffix("e")) + "ing"
        return _Forms(
            active=(head + tail, third + tail, gerund + tail),
            past=tuple(dict.fromkeys((past + tail, participle + tail))),
            passive=(f"{participle}{tail} by",),
        )
