"""How English says each predicate: cue phrases found between two mentions, heads of columns, raw verbs of callers."""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal, TypeAlias

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


@dataclass(frozen=True)
class Lexicon:
    """All cues by their first word, longest first; headers and aliases by name; the names of all predicates."""

    cues: Mapping[str, Sequence[Cue]]
    headers: Mapping[str, Cue]
    headers_by_type: Mapping[str, Mapping[str, str]]
    aliases: Mapping[str, tuple[str, bool]]
    predicates: frozenset[str]

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
    text = files("mcp_graphrag.extract").joinpath("lexicon.toml").read_text("utf-8")
    tables: dict[str, dict[str, Any]] = tomllib.loads(text)
    inflect = _Inflector(tables["_irregular"], frozenset(tables["_doubled"]["verbs"]))
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
    by_first: dict[str, list[Cue]] = {}
    for cue in sorted(found.values(), key=lambda cue: -len(cue.words)):
        by_first.setdefault(cue.words[0], []).append(cue)
    predicates = frozenset(names) | {table["date"] for table in names.values() if "date" in table}
    return Lexicon(by_first, headers, tables["_headers_by_type"], aliases, predicates)


def normalise_predicate(raw: str) -> Normalised:
    """The predicate that a raw verb or relation name means: "is owned by", "DEPENDS_ON", "dependsOn", "wrote"."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", raw[:200])
    words = re.findall(r"[\w'’]+(?:-[^\W_]+)?", spaced.replace("_", " ").casefold())
    plain = "_".join(words) or RELATED_TO
    lexicon = load_lexicon()
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
