"""A sentence as claims, read whole or not at all.

Every word is part of a name, of the words of a relation, or of a small grammar of English clauses: active and passive
verbs, "A's R is B", "the R of A is B", "B is the R of A", types, lists, clauses that are joined, and questions that
yes or no answers. A word that is none of these leaves the sentence unread, so that nothing is judged by half.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from mcp_graphrag.english.dates import dates_in
from mcp_graphrag.english.word_lists import WORDS
from mcp_graphrag.index.normalize import normal_form
from mcp_graphrag.lookup.find_entities import exact_name, is_meant, is_type, link_name
from mcp_graphrag.reason.claim_time import THEN, ClaimTime, time_around
from mcp_graphrag.reason.clause_verb import ARTICLES, ASKING, PAST, Verb, read_verb
from mcp_graphrag.reason.relation_words import COPULAS, Relation, RelationWords
from mcp_graphrag.snapshot import Snapshot

MAX_WORDS = 80  # of a sentence that is read
MAX_NAME_WORDS = 12
MAX_CLAUSES = 6
MAX_VERB_WORDS = 5

_WORD = re.compile(r"\S+")
_OPEN, _CLOSE = "(\"'“‘[", ".,;:!?)\"'”]"
_POSSESSIVE = re.compile(r"['’]s?\Z")
_SEPARATOR = re.compile(r"\s*(?:,\s*(?:and\s+)?|\s+and\s+|\s+as\s+well\s+as\s+|\s+nor\s+)(?:the\s+)?")
_JOINED = re.compile(r"\s*;\s*|,?\s+(?:and|but)\s+|,\s+")
_OPENING = re.compile(
    r"\s*(?:(?:is\s+it|it\s+(?:is|was)|it[’']s)\s+(?P<not>not\s+)?|it\s+(?P<isnt>isn[’']t|wasn[’']t)\s+)"
    r"(?:(?P<no>false|untrue|wrong|incorrect)|true|correct|the\s+case|so)\s+that\s+",
    re.IGNORECASE,
)
_TYPE = re.compile(
    r"\s+(?P<copula>\w+(?:n[’']t)?)\s+(?P<no>not\s+|no\s+longer\s+)?(?:an?|one\s+of\s+the)\s+(?P<type>.+?)\s*\Z"
)
_PHRASE = re.compile(r"(?:[a-z][\w'’-]* ){1,4}of(?: the)? |['’]s?(?: [a-z][\w'’-]*){1,4}")


@dataclass(frozen=True)
class Said:
    """A claim of a sentence, by the words of its names. `relations` are the readings of its words; [] for a type."""

    subject: str
    object: str
    relations: Sequence[Relation]
    negated: bool = False
    time: ClaimTime = THEN


@dataclass(frozen=True)
class _Name:
    """A name or date at a place. What is only written like a name has weight 0."""

    start: int
    end: int
    text: str
    weight: int


@dataclass(frozen=True)
class _Parsed:
    """Claims with what a joined clause may leave out, and the weight of the stored names that were read."""

    said: tuple[Said, ...]
    subjects: tuple[_Name, ...]
    objects: tuple[_Name, ...]
    verb: Verb
    weight: int


class SentenceParser:
    """Parses one sentence with the names of a snapshot.

    Without `phrases` it takes no stored name for a name that may be words of the sentence: "capital of France".
    """

    def __init__(self, snapshot: Snapshot, words: RelationWords, text: str, *, phrases: bool = True) -> None:
        self._snapshot, self._words, self._text, self._phrases = snapshot, words, text, phrases
        self._cache: dict[tuple[int, int], _Parsed | None] = {}
        self._starts: dict[int, list[_Name]] = {}
        for name in self._names:
            self._starts.setdefault(name.start, []).append(name)

    def claims(self) -> Sequence[Said]:
        """The claims of the sentence, [] if some words were not read."""
        start, end, negated = 0, len(self._text.rstrip(" .;!?")), False
        if opening := _OPENING.match(self._text):
            start = opening.end()
            negated = (bool(opening["not"]) != bool(opening["no"])) != bool(opening["isnt"])
        if len(self._text.split()) > MAX_WORDS:
            return []
        parsed = self._sentence(start, end, MAX_CLAUSES)
        if parsed is None or (negated and len(parsed.said) > 1):
            return []
        return [replace(said, negated=said.negated != negated) for said in parsed.said]

    def other_claims(self) -> Sequence[Said]:
        """The claims of the sentence without the stored names that may be words of it, [] if there are none."""
        if not any(_is_phrase(name, self._names) for name in self._names):
            return []
        return SentenceParser(self._snapshot, self._words, self._text, phrases=False).claims()

    def unread(self) -> Sequence[str]:
        """The words that are neither stored names nor a verb between two, in order; for a sentence that was not read.

        Function words beside them are left out.
        """
        found: list[str] = []
        last = 0
        end = len(self._text)
        for start, stop in [*self._stored_spans(), (end, end)]:
            gap = self._text[last:start]
            if not (last and start < end and read_verb(self._words, "", gap, "")):
                found += _content(self._behind_verb(gap) if last and start == end else gap)
            last = stop
        return found

    def _behind_verb(self, gap: str) -> str:
        """What stands behind the verb that words begin with: "the font server" of "depends on the font server"."""
        words = gap.split()
        lengths = range(min(len(words) - 1, MAX_VERB_WORDS), 0, -1)
        verb = next((at for at in lengths if read_verb(self._words, "", f" {' '.join(words[:at])} ", "")), 0)
        return " ".join(words[verb:]) if verb else gap

    def names(self) -> Sequence[str]:
        """The stored names of the sentence, the longest where they overlap, and what is written like one."""
        stored = [self._text[start:end] for start, end in self._stored_spans()]
        return list(dict.fromkeys([*stored, *self.unread_names()]))

    def unread_names(self) -> Sequence[str]:
        """Of the unread words those that are written like a name."""
        return [words for words in self.unread() if _is_like_name(words)]

    def _stored_spans(self) -> Sequence[tuple[int, int]]:
        """The spans of stored names, the longest where they overlap, from left to right."""
        taken = [False] * len(self._text)
        spans: list[tuple[int, int]] = []
        for name in sorted(self._names, key=lambda name: name.start - name.end):
            if name.weight and not any(taken[name.start : name.end]):
                taken[name.start : name.end] = [True] * (name.end - name.start)
                spans.append((name.start, name.end))
        return sorted(spans)

    def has_name_across(self, at: int) -> bool:
        """Whether a stored name begins before and ends behind a place."""
        return any(name.weight > 1 and name.start < at < name.end for name in self._names)

    @cached_property
    def _names(self) -> Sequence[_Name]:
        """The stored names, dates, and runs of words that are written like names, by place."""
        runs = list(_runs(self._text))
        forms = {text: normal_form(text) for _, _, text in runs}
        stored = self._snapshot.entities_named(sorted({form for form in forms.values() if form}))
        found = {(start, end): _Name(start, end, self._text[start:end], 1) for start, end in dates_in(self._text)}
        longest: dict[int, int] = {}  # what is only written like a name, by its start
        for start, end, text in runs:
            article, _, rest = text.partition(" ")
            if article.lower() in WORDS.articles and normal_form(rest) == forms[text]:
                continue
            if forms[text] in stored and self._is_meant(start, text, stored[forms[text]]):
                found[start, end] = _Name(start, end, text, 1 + len(forms[text]))
            elif (start, end) not in found and _is_like_name(text):
                longest[start] = max(end, longest.get(start, end))
        for start, end, name in self._with_types(runs, forms, stored):
            found.setdefault((start, end), _Name(start, end, name, 1 + len(name)))
        for start, end in longest.items():
            found[start, end] = _Name(start, end, self._text[start:end], 0)
        names = sorted(found.values(), key=lambda name: (name.start, -name.end))
        return names if self._phrases else [name for name in names if not _is_phrase(name, names)]

    def _is_meant(self, start: int, text: str, entities: Sequence[tuple[int, bool]]) -> bool:
        """Whether words that a stored name has are meant as it; the first one may have a capital of its own."""
        if text.islower() and WORDS.is_stop(text):
            return False
        ids = [entity_id for entity_id, _ in entities]
        is_opening = not self._text[:start].strip(_OPEN)
        return is_meant(self._snapshot, text, ids) or (
            is_opening and is_meant(self._snapshot, f"{text[0].lower()}{text[1:]}", ids)
        )

    def _with_types(
        self, runs: Sequence[tuple[int, int, str]], forms: Mapping[str, str], stored: Mapping[str, object]
    ) -> Iterator[tuple[int, int, str]]:
        """The spans of stored names beside their type, "Identity team", "service Gate", and the names with the type."""
        for start, end, text in runs:
            (name, _, type_), (before, _, rest) = text.rpartition(" "), text.partition(" ")
            if normal_form(name) not in stored:
                name, type_ = rest, before
            if not name or not type_.isalpha() or forms[text] in stored or normal_form(name) not in stored:
                continue
            if is_type(self._snapshot, type_):
                heads = link_name(self._snapshot, name).entities
                of_type = [head for head in heads if self._snapshot.ontology.is_a(head.type, type_)]
                if len(of_type) == 1:
                    yield start, end, exact_name(of_type[0], heads)

    def _sentence(self, start: int, end: int, depth: int) -> _Parsed | None:
        """The best reading of a part of the text as one clause or several joined ones."""
        key = (start, end)
        if key not in self._cache:
            self._cache[key] = None
            readings = list(self._readings(start, end, depth))
            self._cache[key] = max(readings, key=lambda parsed: parsed.weight, default=None)
        return self._cache[key]

    def _readings(self, start: int, end: int, depth: int) -> Iterator[_Parsed]:
        whole = list(self._clause(start, end))
        yield from whole
        for rest_start, rest_end, time in time_around(self._text, start, end):
            for parsed in self._clause(rest_start, rest_end):
                yield replace(parsed, said=tuple(_at(said, time) for said in parsed.said))
        if whole or depth == 0:
            return
        for found in _JOINED.finditer(self._text, start, end):
            left = self._sentence(start, found.start(), depth - 1)
            if left is not None:
                right = self._sentence(found.end(), end, depth - 1)
                yield from [_both(left, right)] if right is not None else ()
                for clause in self._clause(found.end(), end, left.subjects) if right is None else ():
                    yield _both(left, clause)

    def _clause(self, start: int, end: int, subjects: tuple[_Name, ...] = ()) -> Iterator[_Parsed]:
        """The readings of a part of the text as one clause; with `subjects` it has none of its own."""
        if subjects:
            openings: Iterable[tuple[tuple[_Name, ...], int, str]] = [(subjects, start, "")]
        else:
            openings = (
                (names, last, self._text[start : names[0].start])
                for first in self._names
                if start <= first.start < end
                for names, last in self._list_from(first, end)
            )
        for names, last, opening in openings:
            neither = opening.strip().lower() == "neither"
            prefix = "" if neither else opening
            weight = sum(name.weight for name in names)
            if (type_ := self._type(names, prefix, last, end)) is not None:
                yield _Parsed(type_.said, names, names, type_.verb, weight)
            for objects, behind in self._lists_to(end):
                if objects[0].start < last:
                    continue
                middle, suffix = self._text[last : objects[0].start], self._text[behind:end]
                verb = read_verb(self._words, prefix, middle, suffix)
                if verb is not None and (middle.strip() or prefix.strip()):
                    verb = replace(verb, negated=verb.negated != neither)
                    said = self._said(names, verb, objects)
                    yield _Parsed(said, names, objects, verb, weight + sum(name.weight for name in objects))

    def _said(self, subjects: Sequence[_Name], verb: Verb, objects: Sequence[_Name]) -> tuple[Said, ...]:
        return tuple(
            Said(subject.text, object_.text, verb.relations, verb.negated, verb.time)
            for subject in subjects
            for object_ in objects
        )

    def _list_from(self, first: _Name, end: int) -> Iterator[tuple[tuple[_Name, ...], int]]:
        """The lists of names that begin with a name, with their ends: "A", "A and B", "A, B and C"."""
        yield (first,), first.end
        separator = _SEPARATOR.match(self._text, first.end, end)
        if separator is not None:
            for name in self._starts.get(separator.end(), ()):
                for names, last in self._list_from(name, end):
                    if name.end <= end:
                        yield (first, *names), last

    def _lists_to(self, end: int) -> Iterator[tuple[tuple[_Name, ...], int]]:
        """The lists of names behind which at most a few words are left, with the ends of the names."""
        for first in self._names:
            for names, last in self._list_from(first, end):
                if last <= end and len(self._text[last:end].split()) <= 6:
                    yield names, last

    def _type(self, names: tuple[_Name, ...], prefix: str, last: int, end: int) -> _Parsed | None:
        """The claim that a name is of a type: "A is a Component", also as a question."""
        rest = self._text[last:end]
        if prefix.strip().lower() in COPULAS:
            rest = f" {prefix.strip().lower()}{rest}"
        elif ARTICLES.fullmatch(prefix) is None:
            return None
        found = _TYPE.match(rest)
        if found is None:
            return None
        copula, wanted = found["copula"].lower().replace("’", "'"), found["type"]
        if copula.removesuffix("n't") not in COPULAS:
            return None
        if not is_type(self._snapshot, wanted) and not self._snapshot.entities_named([normal_form(wanted)]):
            return None
        time = ClaimTime("past" if copula.removesuffix("n't") in PAST else "present")
        verb = Verb([], bool(found["no"]) != copula.endswith("n't"), time)
        type_ = self._snapshot.ontology.spelling(wanted)
        said = tuple(Said(name.text, type_, [], verb.negated, time) for name in names)
        return _Parsed(said, names, names, verb, len(wanted))


def _is_phrase(name: _Name, names: Iterable[_Name]) -> bool:
    """Whether a stored name may be words of the sentence: "capital of France", "Bert's father", or "of France"."""
    words = name.text.split()
    if name.weight > 1 and any(word.islower() and WORDS.is_stop(word) for word in (words[0], words[-1])):
        return True
    inner = [one for one in names if one.weight > 1 and name.start <= one.start and one.end <= name.end]
    around = [(name.text[: one.start - name.start], name.text[one.end - name.start :]) for one in inner]
    return any(not (before and behind) and _PHRASE.fullmatch(before or behind) for before, behind in around)


def _at(said: Said, time: ClaimTime) -> Said:
    """The claim with the time that its clause gives."""
    return replace(said, time=time) if said.time.duration in {"then", "present", "past", "ever"} else said


def _both(left: _Parsed, right: _Parsed) -> _Parsed:
    return _Parsed((*left.said, *right.said), left.subjects, right.objects, right.verb, left.weight + right.weight)


def _runs(text: str) -> Iterator[tuple[int, int, str]]:
    """The runs of words that may be a name, with their spans: without signs around them, and without a possessive."""
    words = [(found.start(), found.end()) for found in _WORD.finditer(text)]
    for at, (first, _) in enumerate(words):
        for _, last in words[at : at + MAX_NAME_WORDS]:
            start, end = _without_signs(text, first, last)
            for stop in (end, *(found.start() for found in _POSSESSIVE.finditer(text, start, end))):
                if start < stop:
                    yield start, stop, text[start:stop]


def _without_signs(text: str, start: int, end: int) -> tuple[int, int]:
    """A span without the signs around it; brackets and quotation marks stay where both are inside."""
    while end > start and text[end - 1] in _CLOSE and not _is_closed(text[start : end - 1], text[end - 1]):
        end -= 1
    while start < end and text[start] in _OPEN and not _is_closed(text[start + 1 : end], text[start]):
        start += 1
    return start, end


def _is_closed(inside: str, sign: str) -> bool:
    """Whether a text has the other one of a pair of signs."""
    return sign in '()"”“' and {"(": ")", ")": "(", "“": "”", "”": "“"}.get(sign, sign) in inside


def _is_like_name(text: str) -> bool:
    """Whether a run of words is written like a name: capitals or digits in all words but small ones inside."""
    words = text.split()
    marked = [word.strip(_OPEN)[:1].isupper() or any(map(str.isdigit, word)) for word in words]
    if text[-1:] in ".,;:!?" or WORDS.is_stop(words[0]) or not (marked[0] and marked[-1]):
        return False
    return all(
        mark or word in WORDS.joiners or word in WORDS.articles for mark, word in zip(marked, words, strict=True)
    )


def _content(text: str) -> list[str]:
    """The runs of words of a text, without function words at their ends."""
    runs: list[list[str]] = [[]]
    for word in text.split():
        bare = word.strip(_OPEN + _CLOSE)
        runs[-1] += [bare] if bare else []
        if word[-1:] in ",;:":
            runs.append([])
    found: list[str] = []
    for run in runs:
        first = next((at for at, word in enumerate(run) if word.lower() not in _FUNCTION_WORDS), len(run))
        last = next((at for at in range(len(run), first, -1) if run[at - 1].lower() not in _FUNCTION_WORDS), first)
        found += [" ".join(run[first:last])] if last > first else []
    return found


_FUNCTION_WORDS = ASKING | WORDS.articles | WORDS.prepositions | {"and", "it", "that", "true", "s", "'s", "’s"}
