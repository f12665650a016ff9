"""The English words of predicates: cue phrases between two mentions, column titles, and names that callers use."""

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any, Literal, NamedTuple, TypeAlias

from mcp_graphrag.english.word_lists import WORDS

Form: TypeAlias = Literal["verb", "participle", "passive", "noun", "owned", "phrase"]

RELATED_TO = "related_to"
_LINKS = (" of", " for", " to")  # behind a noun that is a property
_CUE_OPTIONS = ("subject", "object", "date", "place")


@dataclass(frozen=True)
class Cue:
    """A phrase that asserts a predicate between the mention in front of it and the one behind it.

    `words` are lower case. With `swap` the mention in front is the object. A "participle" is also a past tense: it
    asserts nothing behind a form of "to be". An "owned" noun does only behind "his" or "its". `subject` and `object`
    are types for mentions without one. `date` replaces the predicate where the object is a date, `place` where it is
    not. One that is not `exact` says more than the predicate.
    """

    words: tuple[str, ...]
    predicate: str
    swap: bool
    form: Form
    subject: str | None = None
    object: str | None = None
    date: str = "occurred_on"
    place: str | None = None
    exact: bool = True


class Phrase(NamedTuple):
    """Words for a predicate besides those of the shipped lexicon; with `swap` subject and object are exchanged.

    A verb in any form stands for all its forms. `subject` and `object` are types for mentions without one.
    """

    predicate: str
    words: str
    swap: bool = False
    subject: str | None = None
    object: str | None = None


@dataclass(frozen=True, eq=False)
class Lexicon:
    """All cues by their first word, longest first; column titles and aliases by name; the names of all predicates.

    `headers_by_type` is from a title and the type of the row to a predicate, `aliases` to a predicate and `swap`.
    `added_verbs` are those added to the shipped lexicon, in the third person. `broader` has for a predicate those that
    follow from it: what `mother` states, `parent` states too. `inverses` has for a predicate the one that says the same
    with subject and object exchanged. `events` are predicates of what happens once, which the past tense states too.
    """

    cues: Mapping[str, Sequence[Cue]]
    headers: Mapping[str, Cue]
    headers_by_type: Mapping[str, Mapping[str, str]]
    aliases: Mapping[str, tuple[str, bool]]
    predicates: frozenset[str]
    added_verbs: frozenset[str] = frozenset()
    broader: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    inverses: Mapping[str, str] = field(default_factory=dict[str, str])
    events: frozenset[str] = frozenset()

    def find(self, words: Sequence[str], at: int) -> Cue | None:
        """The longest cue that starts at `words[at]`."""
        for cue in self.cues.get(words[at], ()):
            if tuple(words[at : at + len(cue.words)]) == cue.words:
                return cue
        return None

    def header(self, title: str, row_type: str | None) -> Cue | None:
        """The cue of a column with that title, between the entity of its row (of `row_type`) and the cell."""
        key = title.casefold().strip().removeprefix("current ")
        by_type = self.headers_by_type.get(key)
        if by_type is not None:
            return Cue((key,), by_type.get(row_type or "", by_type["default"]), swap=False, form="phrase")
        return self.headers.get(key)


@cache
def load_lexicon() -> Lexicon:
    """The shipped lexicon."""
    tables = _tables()
    cues: dict[tuple[str, ...], Cue] = {}
    headers: dict[str, Cue] = {}
    aliases: dict[str, tuple[str, bool]] = {}
    predicate_tables = {name: table for name, table in tables.items() if not name.startswith("_")} | _own_properties()
    for name, table in predicate_tables.items():
        for noun in table.get("properties", ()):
            cue = _cue(noun if noun.endswith(_LINKS) else f"{noun} of", name, table, "noun", swap=True)
            cues.setdefault(cue.words, cue)
            if not noun.endswith(_LINKS):
                aliases.setdefault(predicate_name(noun.split()), (name, False))
        for swap, prefix in ((False, ""), (True, "swapped_")):
            for form, words, exact in _phrases(table, prefix):
                cue = _cue(words, name, table, form, swap=swap, exact=exact)
                cues.setdefault(cue.words, cue)
            for header in table.get(f"{prefix}headers", ()):
                headers.setdefault(header, _cue(header, name, table, "phrase", swap=swap))
            for alias in table.get(f"{prefix}aliases", ()):
                aliases.setdefault(alias, (name, swap))
    for name, table in predicate_tables.items():  # "and his wife Ann"; where the noun is no verb
        for noun in table.get("properties", ()):
            cue = _cue(noun, name, table, "owned", swap=False, exact=False)
            cues.setdefault(cue.words, cue)
    dates = {table["date"] for table in predicate_tables.values() if "date" in table}
    broader = {name: _listed(table["broader"]) for name, table in predicate_tables.items() if "broader" in table}
    pairs = [(name, table["inverse"]) for name, table in predicate_tables.items() if "inverse" in table]
    inverses = dict(pairs) | {inverse: name for name, inverse in pairs}
    return Lexicon(
        *(_by_first_word(cues.values()), headers, tables["_headers_by_type"], aliases),
        frozenset(predicate_tables).union(dates, inverses, *broader.values()),
        broader=broader,
        inverses=inverses,
        events=frozenset(name for name, table in predicate_tables.items() if table.get("event")) | dates,
    )


def _own_properties() -> dict[str, dict[str, Any]]:
    """The tables of nouns that are predicates of their own name."""
    return {
        predicate_name(noun.split()): {"properties": [noun]} | ({"broader": broader} if broader else {})
        for broader, nouns in _tables()["_properties"].items()
        for noun in nouns
    }


def _listed(given: str | Sequence[str]) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given)


@lru_cache(maxsize=16)
def lexicon_with(phrases: tuple[Phrase, ...], *, alone: bool = False) -> Lexicon:
    """The shipped lexicon with more phrases, which replace its own; with `alone` only the phrases."""
    if not phrases and not alone:
        return load_lexicon()
    shipped = Lexicon({}, {}, {}, {}, frozenset()) if alone else load_lexicon()
    added: dict[tuple[str, ...], Cue] = {}
    for phrase in phrases:
        for cue in _cues_of_phrase(phrase):
            added.setdefault(cue.words, cue)
    literal = {predicate_name(phrase.words.lower().split()): (phrase.predicate, phrase.swap) for phrase in phrases}
    kept = [cue for cues in shipped.cues.values() for cue in cues if cue.words not in added]
    replaced = {"_".join(words) for words in added}
    names = {phrase.predicate.replace("_", " "): phrase.predicate for phrase in phrases}
    headers = {words: Cue(tuple(words.split()), name, swap=False, form="phrase") for words, name in names.items()}
    return Lexicon(
        _by_first_word([*added.values(), *kept]),
        {**shipped.headers, **headers},
        shipped.headers_by_type,
        {alias: target for alias, target in shipped.aliases.items() if alias not in replaced} | literal,
        (shipped.predicates - replaced) | set(names.values()),
        frozenset(words[0] for words, cue in added.items() if cue.form == "verb" and words[0].endswith("s")),
        *(shipped.broader, shipped.inverses, shipped.events | set(names.values())),
    )


def _by_first_word(cues: Iterable[Cue]) -> dict[str, list[Cue]]:
    by_word: dict[str, list[Cue]] = {}
    for cue in sorted(cues, key=lambda cue: -len(cue.words)):
        by_word.setdefault(cue.words[0], []).append(cue)
    return by_word


@cache
def _tables() -> dict[str, dict[str, Any]]:
    return tomllib.loads(files("mcp_graphrag.english").joinpath("lexicon.toml").read_text("utf-8"))


@cache
def question_words() -> Mapping[str, Any]:
    """The words of questions, by what they are for: synonyms, kinship, times and places of verbs."""
    return _tables()["_questions"]


@cache
def pure_participles() -> frozenset[str]:
    """Participles that are no past tense: "written", "begun"."""
    irregular: Mapping[str, Sequence[str]] = _tables()["_irregular"]
    return frozenset(participle for past, participle in irregular.values() if participle != past)


@cache
def irregular_pasts() -> frozenset[str]:
    """Past tenses and participles of irregular verbs."""
    irregular: Mapping[str, Sequence[str]] = _tables()["_irregular"]
    return frozenset(form for forms in irregular.values() for form in forms)


@cache
def nouns_among_verbs() -> frozenset[str]:
    """Base forms of verbs of the lexicon that are nouns too: "lead", "cause"."""
    return frozenset(_tables()["_also_nouns"]["words"])


def predicate_name(words: Iterable[str]) -> str:
    """Words as the name of a predicate, in snake case."""
    return "_".join(words).replace("-", "_")


def _phrases(table: Mapping[str, Any], prefix: str) -> Iterator[tuple[Form, str, bool]]:
    """The phrases, nouns and inflected verbs of a predicate's table, with their form and whether they are exact."""
    for exact, kind in ((True, prefix), (False, f"{prefix}prose_")):
        for phrase in table.get(f"{kind}phrases", ()):
            yield "phrase", phrase, exact
        for noun in table.get(f"{kind}nouns", ()):
            yield "noun", noun, exact
        for verb in table.get(f"{kind}verbs", ()):
            for form, inflected in verb_forms(verb):
                yield form, inflected, exact


def _cues_of_phrase(phrase: Phrase) -> Iterator[Cue]:
    """The cue of a phrase, and for a verb those of all its forms."""
    words = phrase.words.lower().replace("_", " ").replace("’", "'").split()
    while len(words) > 1 and words[0] in WORDS.auxiliaries and words[1] not in WORDS.articles | WORDS.prepositions:
        words = words[1:]
    if not words:
        return
    text = " ".join(words)
    forms: list[tuple[Form, str]]
    if words[-1] == "by":
        forms = [("passive", text)]
    elif words[0] in WORDS.prepositions or words[0] in WORDS.auxiliaries:
        forms = [("phrase", text)]
    elif words[-1] == "of":
        forms = [("noun", text)]
    elif words[0].endswith("ed") and len(words[0]) > 4:
        forms = [("participle", text)]
    else:
        forms = [("verb", text), *verb_forms(" ".join([base_form(words[0]), *words[1:]]))]
    for form, inflected in forms:
        swap = phrase.swap != (form == "passive" and len(forms) > 1)
        yield Cue(tuple(inflected.split()), phrase.predicate, swap, form, subject=phrase.subject, object=phrase.object)


def _cue(phrase: str, predicate: str, table: Mapping[str, Any], form: Form, *, swap: bool, exact: bool = True) -> Cue:
    options: dict[str, Any] = {key: table[key] for key in _CUE_OPTIONS if key in table}
    if form == "passive":
        predicate, swap = (table["passive"], False) if "passive" in table else (predicate, not swap)
        if "passive" in table:  # a predicate with the ends of the other in reverse
            options |= {"subject": table.get("object"), "object": table.get("subject")}
    return Cue(tuple(phrase.split()), predicate, swap, form, exact=exact, **options)


def base_form(verb: str) -> str:
    """The base form of "inhibits", "complies", "watches" and "wrote"; of another word the word itself."""
    if (base := _irregular_bases().get(verb)) is not None:
        return base
    if verb.endswith("ies") and len(verb) > 4:
        return f"{verb[:-3]}y"
    if verb.endswith(("sses", "shes", "ches", "xes", "zzes", "oes")):
        return verb[:-2]
    return verb[:-1] if verb.endswith("s") and not verb.endswith(("ss", "us", "is")) and len(verb) > 3 else verb


@cache
def _irregular_bases() -> Mapping[str, str]:
    irregular: Mapping[str, Sequence[str]] = _tables()["_irregular"]
    return {form: base for base, forms in reversed(irregular.items()) for form in forms}


_PREFIX = re.compile(r"re|over|under|out|mis|un|fore")


def irregular_base(form: str) -> str | None:
    """The base form of the past tense or participle of an irregular verb: "wrote" gives write."""
    base = _irregular_bases().get(form)
    prefix = _PREFIX.match(form) if base is None else None
    inner = _irregular_bases().get(form[prefix.end() :]) if prefix is not None else None
    return base if prefix is None or inner is None else prefix[0] + inner  # "repaid"


def is_irregular(base: str) -> bool:
    """Whether the verb of that base form is irregular."""
    return base in _tables()["_irregular"]


def verb_lemmas(word: str) -> Sequence[str]:
    """What the base form of a verb may be, itself included: "directed" gives direct and directe; "found" only find."""
    base = base_form(word)
    irregular: Mapping[str, Sequence[str]] = _tables()["_irregular"]
    if base != word and word in irregular.get(base, ()):
        return [base]
    found = [base, word]
    if word.endswith("ied"):
        found.append(f"{word[:-3]}y")
    elif word.endswith("ed") and len(word) > 4:
        stem = word[:-2]
        found += [stem, word[:-1], *([stem[:-1]] if stem[-1] == stem[-2] else [])]
    return list(dict.fromkeys(found))


def verb_forms(verb: str) -> Iterator[tuple[Form, str]]:
    """All inflected forms of "depend on"; the passive has "by" behind the particle."""
    head, space, rest = verb.partition(" ")
    tail = space + rest
    stem = head + head[-1] if head in _tables()["_doubled"]["verbs"] else head
    ends_in_y = head.endswith("y") and head[-2] not in "aeiou"
    regular = f"{head[:-1]}ied" if ends_in_y else f"{stem.removesuffix('e')}ed"
    past, participle = _tables()["_irregular"].get(head, (regular, regular))
    if head.endswith(("s", "x", "z", "ch", "sh", "o")):
        third = f"{head}es"
    else:
        third = f"{head[:-1]}ies" if ends_in_y else f"{head}s"
    gerund = {"lie": "lying"}.get(head) or (stem if head.endswith("ee") else stem.removesuffix("e")) + "ing"
    for active in (head, third, gerund):
        yield "verb", active + tail
    yield "participle", past + tail
    yield "participle", participle + tail
    yield "passive", f"{participle}{tail} by"
