"""Questions read as a whole by a table of forms: every word is a part of what is asked, or the question is not read."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from mcp_graphrag.english.dates import DATE, Period, read_date, whole_date
from mcp_graphrag.lookup.query_triples import predicates_of_names
from mcp_graphrag.reason.questions.parse_terms import COPULAS, DETERMINERS, HAVING, RELATIVES, TermParser, wanting
from mcp_graphrag.reason.questions.question_forms import Compare, Form, Lookup, ParsedQuestion, Same, Term
from mcp_graphrag.reason.questions.question_relations import PLACES, Hop, QuestionRelations
from mcp_graphrag.reason.questions.question_words import QUESTION_WORDS, NamedEntity, QuestionWords
from mcp_graphrag.reason.questions.unread_words import AGES, FEWEST, GREATEST, LEAST, MOST, SHARE, unread_words
from mcp_graphrag.snapshot import Snapshot

_DO = frozenset({"do", "does", "did", "has", "have", "had"})
# The words that a class of the table of forms stands for.
_CLASSES: Mapping[str, frozenset[str]] = {
    "BE": COPULAS,
    "AUX": COPULAS | _DO | {"been"},
    "ASK": QUESTION_WORDS - {"why", "how"},
    "WHO": frozenset({"who", "whom", "what", "which"}),
    "DET": DETERMINERS,
    "THAT": RELATIVES,
    "HAVE": frozenset({"has", "have", "had", "with"}),
    "OF": frozenset({"has", "have", "had", "with", "whose"}),
    "SIGN": frozenset({",", ":", "between"}),
    "ALL": frozenset({",", "both", "all"}),
    "FILLER": frozenset("please tell me us show give name list find say can could you i want to know".split()),  # noqa: SIM905
}
_WHENS = frozenset({"year", "date", "day", "month"})
_DATE = rf"(?:in|on|during|as of)\s+(?:the\s+(?:year\s+)?)?(?P<date>{DATE})"
_AT_END = re.compile(rf"\s+{_DATE}\s*[?.]*\s*\Z", re.IGNORECASE)
_AT_START = re.compile(rf"\A\s*{_DATE}\s*,?\s+(?=(?:who|what|which|where|did|does|was|is|were|are)\b)", re.IGNORECASE)
_FRONTED = re.compile(
    r"\s*(?P<preposition>in|on|at|for|by|to|from|with|under|into|through)\s+(?P<asked>which|what|whom)\s+"
    r"(?P<rest>(?:[\w-]+\s+){0,3}?(?:is|was|are|were|do|does|did|has|have|had)\s+.{1,300})",
    re.IGNORECASE | re.DOTALL,
)


class Measure(NamedTuple):
    """A relation to a value, and whether the least value is asked for."""

    hop: Hop
    least: bool


class Shared(NamedTuple):
    """A relation whose values are compared, dates by their year if `years`."""

    hop: Hop
    years: bool = False


def parse_question(snapshot: Snapshot, text: str) -> ParsedQuestion:
    """What a question asks for. Its `form` is None unless every word of it was read."""
    relations = QuestionRelations(predicates_of_names(snapshot), snapshot.ontology)
    text = _with_preposition_behind(text)
    tries: list[tuple[QuestionWords, Period | None]] = [(QuestionWords(snapshot, text), None)]
    if (dated := _without_date(text)) is not None:
        tries.append((QuestionWords(snapshot, dated[0]), dated[1]))
    for words, time in tries:
        form = next(_QuestionParser(words, relations).forms(), None)
        if form is not None:
            return ParsedQuestion(text, form, time)
    words, time = tries[-1]
    unknown, unread = unread_words(words, relations)
    stored = tuple(found.named for found in words.longest_names())
    return ParsedQuestion(text, None, time, unknown, unread, stored)


def _with_preposition_behind(text: str) -> str:
    """A question with the preposition that it opens with behind its verb: "which city was A born in?"."""
    found = _FRONTED.fullmatch(text)
    if found is None:
        return text
    asked = "Who" if found["asked"].lower() == "whom" else found["asked"].capitalize()
    return f"{asked} {found['rest'].rstrip(' ?.')} {found['preposition'].lower()}?"


def _without_date(text: str) -> tuple[str, Period] | None:
    """A question without the date at its end or start, and the period of that; None without such a date."""
    for pattern in (_AT_END, _AT_START):
        found = pattern.search(text)
        period = read_date(found["date"].strip(" ,")) if found else None
        if found and period:
            return f"{text[: found.start()]}{text[found.end() :]}", period
    return None


class _QuestionParser:
    """The readings of one question by the table of forms.

    A reader gives what it reads at a position, with the position behind it. The public methods say what forms ask for,
    given what their parts were read as.
    """

    def __init__(self, words: QuestionWords, relations: QuestionRelations) -> None:
        self.words, self.relations, self.terms = words, relations, TermParser(words, relations)
        self.end = len(words)
        self.readers: Mapping[str, Callable[[int], Iterator[tuple[Any, int]]]] = {
            "noun": lambda at: ((hop, end) for hop, end, possessive in self.terms.nouns(at) if not possessive),
            "term": self.terms.terms,
            "said": self.terms.verb_phrases,
            "kind": self._kinds,
            "label": lambda at: iter([("", at + 2)] if words.describes(at) and words.lower(at + 1) == ":" else ()),
            "possessive": lambda at: iter(
                [(words.lower(at), at + 1)] if at < self.end and words.words[at].possessive else ()
            ),
            "rest": self._rest,
            "date": self._date,
            "measure": lambda at: self._measures(at, ""),
            "compared": lambda at: self._measures(at, "than before after"),
            "operands": self._operands,
            "pair": self._pairs,
            "shared": self._shared,
        }

    def forms(self) -> Iterator[Form]:
        """What the question may ask for."""
        for form, asked_for in _FORMS:
            for found in self._match(form.split(), 0):
                if (asked := asked_for(self, **found)) is not None:
                    yield asked

    def _match(self, parts: Sequence[str], at: int) -> Iterator[dict[str, Any]]:
        """What the parts of a form in <> are read as, by name, from a position to the end of the question."""
        if not parts:
            yield from [{}] if at == self.end else ()
            return
        part, *rest = parts
        if part[0] == "<":
            yield from self._match(rest, at) if part[-1] == "?" else ()
            name, _, reader = part.strip("<>?").partition(":")
            for value, end in self._read(reader or name, at):
                yield from ({**({name: value} if name else {}), **found} for found in self._match(rest, end))
        elif (behind := self._behind(part, at)) > at or part[-1] in "?*":
            yield from self._match(rest, behind)

    def _read(self, reader: str, at: int) -> Iterator[tuple[Any, int]]:
        if reader in self.readers:
            yield from self.readers[reader](at)
        elif self.words.lower(at) in _CLASSES[reader]:
            yield self.words.lower(at), at + 1

    def _behind(self, part: str, at: int) -> int:
        """The position behind the word or words of a part, the same if there is none."""
        name = part.rstrip("?*")
        meant = _CLASSES.get(name) or {name}
        while at < self.end and self.words.lower(at) in meant:
            at += 1
            if part[-1] != "*":
                break
        return at

    def compare(self, operands: tuple[Term, ...], measure: Measure, noun: Hop | None = None) -> Form:
        """Which operand has the least or greatest value, or leads by a noun to what has it."""
        return Compare(operands, *measure, (noun,) if noun else ())

    def lookup(self, term: Term, kind: str = "") -> Form | None:
        """What a phrase leads to, of a kind."""
        return Lookup(wanting(term, kind) if kind else term) if term.hops else None

    def copula(self, ask: str, term: Term, kind: str = "") -> Form | None:
        """What "which <kind> is A", "who is the father of A", "who is the chief engineer", "where is A" ask for.

        When asks for a date, and where for the place of what a relation leads to, unless that is a place itself.
        """
        if not kind and term.hops:
            *before, last = term.hops
            if ask == "when":
                return Lookup(replace(term, hops=(*before, replace(last, kind="date"))))
            if ask != "where" or self.relations.may_be_place(last):
                return Lookup(term)
        hop = self.relations.noun(kind) if kind else self.relations.where("") if ask == "where" else None
        start = term.start
        if (
            ask == "who"
            and isinstance(start, NamedEntity)
            and all(each.type in {"", "Role"} for each in start.entities)
        ):
            hop = self.relations.verb("has_role", name_first=False)
        return Lookup(term.then(hop)) if hop else None

    def predicate(self, ask: str, auxiliary: str, term: Term, rest: str, kind: str = "") -> Form | None:
        """What the last words of a question ask for about the name in front of them: "born", "depend on"."""
        bare = rest.removesuffix(" in").removesuffix(" on")
        hop: Hop | None = None
        if ask == "where":
            hop = self.relations.where(rest)
        elif ask == "when" or kind in _WHENS:
            hop = self.relations.when(bare)
        elif kind in PLACES:
            hop = self.relations.where("" if rest == "in" else bare, kind)
        elif kind and rest in HAVING:
            hop = self.relations.noun(kind)
        if hop is None and ask not in {"where", "when"}:
            hop = self.relations.verb(f"{auxiliary} {rest}", name_first=True)
            hop = hop and replace(hop, wanted=kind or hop.wanted, words=rest)
        return Lookup(term.then(hop)) if hop else None

    def same(self, pair: tuple[Term, Term], shared: Shared, noun: Hop | None = None) -> Form:
        """Whether two things, or what a noun leads to from them, have something in common."""
        left, right = (each.then(noun) if noun else each for each in pair)
        return Same((left.then(shared.hop), right.then(shared.hop)), shared.years)

    def is_before(self, term: Term, measure: Measure, date: str) -> Form | None:
        """Whether a date is before or after another."""
        is_date = measure.hop.kind == "date"
        return Compare((term,), *measure, whether=True, date=date) if is_date else None

    def is_more(self, term: Term, measure: Measure, other: Term) -> Form:
        """Whether the value of one thing is less or greater than that of another."""
        return Compare((term, other), *measure, whether=True)

    def _kinds(self, at: int) -> Iterator[tuple[str, int]]:
        """The noun behind "which" or "what": "film", "country of origin"."""
        for length in range(1, 4 if self.words.lower(at - 1) in {"which", "what"} else 1):
            noun = self.terms.noun_at(at, length)
            if noun is not None:
                yield noun, at + length

    def _rest(self, at: int) -> Iterator[tuple[str, int]]:
        """All words up to the end, if they are plain ones."""
        words = self.words.words[at:]
        if words and all(word.text[0].isalnum() and not word.possessive for word in words):
            yield self._said(at, self.end), self.end

    def _date(self, at: int) -> Iterator[tuple[str, int]]:
        said = self.words.span(at, self.end) if at < self.end else ""
        yield from [(said, self.end)] if said and whole_date(said) else ()

    def _said(self, first: int, last: int) -> str:
        return " ".join(self.words.lower(position) for position in range(first, last))

    def _operands(self, at: int) -> Iterator[tuple[tuple[Term, ...], int]]:
        """Two terms or more, the last behind "or"."""
        for term, end in self.terms.terms(at):
            following = end + (self.words.lower(end) in _CLASSES["SIGN"])
            if self.words.lower(following) == "or":
                yield from (((term, last), close) for last, close in self.terms.terms(following + 1))
            elif following > end:
                yield from (((term, *others), close) for others, close in self._operands(following))

    def _pairs(self, at: int) -> Iterator[tuple[tuple[Term, Term], int]]:
        """Two terms joined by "and", also as in "the directors of A and B"."""
        noun = at + (self.words.lower(at) in DETERMINERS)
        for hop, end, possessive in self.terms.nouns(noun):
            if self.words.lower(end) == "of" and not possessive and self.words.lower(end - 1).endswith("s"):
                behind = end + 1 + (self.words.lower(end + 1) == "both")
                for (left, right), last in self._pairs(behind):
                    yield (left.then(hop), right.then(hop)), last
        for left, end in self.terms.terms(at):
            following = end + (self.words.lower(end) == ",")
            if self.words.lower(following) == "and":
                yield from (((left, right), last) for right, last in self.terms.terms(following + 1))

    def _measures(self, at: int, behind: str) -> Iterator[tuple[Measure, int]]:
        """The measures in words such as "was born first", "is older"; with one of some words `behind` them."""
        for end in range(at + 1, self.end):
            word = self.words.lower(end)
            if not behind and (measure := self._measure(at, end)):
                yield measure, end
            elif word in behind.split() and (measure := self._measure(at, end + (word != "than"))):
                yield measure, end + 1

    def _measure(self, first: int, last: int) -> Measure | None:
        words = self._said(first, last).split()
        while words and words[0] in _CLASSES["AUX"] | DETERMINERS | {"with"}:
            words = words[1:]
        if words[-2:] in (["more", "recently"], ["most", "recently"]):
            words = [*words[:-2], "later"]
        if len(words) < 2:
            hop = self.relations.age() if words and words[0] in AGES else None
            return Measure(hop, AGES[words[0]]) if hop else None
        hop = self.relations.noun(" ".join(words[1:])) if words[0] in MOST | FEWEST | LEAST | GREATEST else None
        if words[0] in MOST | FEWEST:
            return Measure(hop, words[0] in FEWEST) if hop else None
        if words[0] in LEAST | GREATEST:
            return Measure(replace(hop, kind="date"), words[0] in LEAST) if hop else None
        hop = self.relations.when(" ".join(words[:-1])) if words[-1] in LEAST | GREATEST else None
        return Measure(hop, words[-1] in LEAST) if hop else None

    def _shared(self, at: int) -> Iterator[tuple[Shared, int]]:
        """What two things are asked to have in common in words such as "share the same nationality", to the end."""
        middle = next((each for each in range(at, self.end - 1) if self.words.lower(each) == "same"), None)
        if middle is None:
            return
        wanted = self._said(middle + 1, self.end)
        words = [word for word in self._said(at, middle).split() if word not in SHARE]
        verb = " ".join(word for word in words[:-1] if word not in _CLASSES["AUX"])
        hop: Hop | None = None
        if not words:
            hop = self.relations.noun(wanted)
        elif words == ["from"]:
            hop = self._where_or_when("from", wanted)
        elif words[-1] in {"in", "on", "at"}:
            hop = self._where_or_when(verb, wanted)
        if hop:
            yield Shared(hop, years=wanted == "year"), self.end
        if self.terms.noun_at(middle + 1, self.end - middle - 1) is not None and self.words.lower(middle - 1) == "the":
            hop = self.relations.verb(f"{self.words.lower(0)} {self._said(at, middle - 1)}", name_first=True)
            if hop:  # "do A and B work for the same company", "are A and B members of the same team"
                hop = replace(hop, wanted="" if wanted in {"thing", "one"} else wanted)
                yield Shared(hop), self.end

    def _where_or_when(self, verb: str, wanted: str) -> Hop | None:
        if wanted in {"year", "day", "date"}:
            return self.relations.when(verb)
        return self.relations.where(verb, wanted if wanted in PLACES else "")


# The forms of questions, the likeliest first, with what they ask for. <x> is what the reader x finds, <x:y> what the
# reader or class y does, <:y> the same without a use. A word in capitals is of a class; what has a ? may be missing,
# what has a * be repeated or missing.
_FORMS: Sequence[tuple[str, Callable[..., Form | None]]] = (
    # whose director was born first, A or B; which film has the director who died earlier: A or B
    ("FILLER* whose <noun> THAT? <measure> SIGN* <operands>", _QuestionParser.compare),
    ("FILLER* ASK <:kind>? OF DET? <noun> THAT? <measure> SIGN* <operands>", _QuestionParser.compare),
    # which film was released first, A or B; who is older, A or B
    ("FILLER* ASK <:kind>? <measure> SIGN* <operands>", _QuestionParser.compare),
    # who's the owner of A
    ("FILLER* <ask:possessive> <term>", _QuestionParser.copula),
    # who is the father of A; which nationality is A; where is A
    ("FILLER* <ask:ASK> <kind>? BE <term>", _QuestionParser.copula),
    # where was A born; what does A depend on; which country A's wife is from
    ("FILLER* <ask:ASK> <kind>? <auxiliary:AUX> <term> <rest>", _QuestionParser.predicate),
    ("FILLER* <ask:ASK> <kind> <term> <auxiliary:BE> <rest>", _QuestionParser.predicate),
    # which teams own services that depend on A
    ("FILLER* WHO <kind>? <term:said>", _QuestionParser.lookup),
    # do A and B have directors from the same country; are A and B members of the same team
    ("AUX both? <:label>? <pair> ALL* HAVE DET? <noun> THAT? <shared>", _QuestionParser.same),
    ("AUX both? <:label>? <pair> ALL* <shared>", _QuestionParser.same),
    # was A released before 1990; is A older than B
    ("AUX <term> <measure:compared> <date>", _QuestionParser.is_before),
    ("AUX <term> <measure:compared> <other:term>", _QuestionParser.is_more),
    # tell me the owner of A
    ("FILLER* <term>", _QuestionParser.lookup),
)
