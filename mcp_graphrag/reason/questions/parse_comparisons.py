"""Questions that compare: "Which film was released earlier, A or B?", "Are A and B from the same country?"."""

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from mcp_graphrag.english.dates import whole_date
from mcp_graphrag.reason.questions.parse_terms import COPULAS, DETERMINERS, RELATIVES, TermParser
from mcp_graphrag.reason.questions.question_forms import Compare, Form, Same, Term
from mcp_graphrag.reason.questions.question_relations import PLACES, Hop, QuestionRelations
from mcp_graphrag.reason.questions.question_words import QuestionWords

LEAST = frozenset({"first", "earlier", "earliest", "sooner", "before"})
GREATEST = frozenset({"later", "latest", "last", "after"})
FEWEST = frozenset("less fewer lower smaller least fewest lowest smallest".split())  # noqa: SIM905
MOST = frozenset("more most greater larger higher bigger greatest largest highest biggest".split())  # noqa: SIM905
AGES = {"older": True, "oldest": True, "elder": True, "younger": False, "youngest": False}
SIGNS = frozenset({",", ":"})
HAVE = frozenset({"has", "have", "had", "with"})
AUXILIARIES = COPULAS | {"did", "do", "does", "been", "has", "have", "had"}
SHARE = frozenset(
    "share shares shared have has had with of the a an both come coming originate being".split()  # noqa: SIM905
)


class Measure(NamedTuple):
    """A relation to a value, and whether the least value is asked for."""

    hop: Hop
    least: bool


class ComparisonParser:
    """Reads comparisons of one question."""

    def __init__(self, words: QuestionWords, relations: QuestionRelations, terms: TermParser) -> None:
        self.words, self.relations, self.terms = words, relations, terms
        self.end = len(words)

    def which(self, first: int) -> Iterator[Form]:
        """The readings as "which film … earlier, A or B"."""
        for start in range(first + 2, self.end - 2):
            if "or" not in {self.words.lower(position) for position in range(start, self.end)}:
                return
            head = start
            while self.words.lower(head - 1) in SIGNS | {"between"}:
                head -= 1
            for operands in self._operands(start):
                for through, measure in self._head(first, head):
                    yield Compare(operands, *measure, through)

    def _operands(self, at: int) -> Iterator[tuple[Term, ...]]:
        """Two terms or more up to the end, the last behind "or"."""
        for term, end in self.terms.terms(at):
            following = end + (self.words.lower(end) in SIGNS)
            if self.words.lower(following) == "or":
                for last, close in self.terms.terms(following + 1):
                    if close == self.end:
                        yield term, last
            elif following > end:
                yield from ((term, *others) for others in self._operands(following))

    def _head(self, first: int, last: int) -> Iterator[tuple[tuple[Hop, ...], Measure]]:
        """(relations to follow first, measure) of the words in front of the operands."""
        question_word, at = self.words.lower(first), first + 1
        if question_word == "whose":
            yield from self._measured_relation(at, last)
        for length in range(4 if question_word in {"which", "what"} else 1):
            start = at + length
            if self.terms.noun_at(at, length) is None:
                continue
            if self.words.lower(start) == "whose":
                yield from self._measured_relation(start + 1, last)
            if self.words.lower(start) in HAVE:
                start += 1
                yield from self._measured_relation(start + (self.words.lower(start) in DETERMINERS), last)
            measure = self._measure(at + length, last)
            if measure:
                yield (), measure

    def _measured_relation(self, at: int, last: int) -> Iterator[tuple[tuple[Hop, ...], Measure]]:
        for hop, end, possessive in self.terms.nouns(at):
            start = end + (self.words.lower(end) in RELATIVES)
            measure = None if possessive or start >= last else self._measure(start, last)
            if measure:
                yield (hop,), measure

    def _measure(self, first: int, last: int) -> Measure | None:
        """The measure in words such as "was born first", "is older", "has more inhabitants"."""
        words = [self.words.lower(position) for position in range(first, last)]
        while words and words[0] in AUXILIARIES | DETERMINERS:
            words = words[1:]
        if not words:
            return None
        if words[-2:] in (["more", "recently"], ["most", "recently"]):
            words = [*words[:-2], "later"]
        if len(words) == 1 and words[0] in AGES:
            hop = self.relations.age()
            return Measure(hop, AGES[words[0]]) if hop else None
        if words[0] in MOST | FEWEST and len(words) > 1:
            hop = self.relations.noun(" ".join(words[1:]))
            return Measure(hop, words[0] in FEWEST) if hop else None
        if words[0] in LEAST | GREATEST and len(words) > 1:
            hop = self.relations.noun(" ".join(words[1:]))
            return Measure(replace(hop, kind="date"), words[0] in LEAST) if hop else None
        if words[-1] in LEAST | GREATEST and len(words) > 1:
            hop = self.relations.when(" ".join(words[:-1]))
            return Measure(hop, words[-1] in LEAST) if hop else None
        return None

    def whether(self) -> Iterator[Form]:
        """The readings as "are A and B from the same country" and "is A older than B"."""
        if self.words.lower(0) not in AUXILIARIES:
            return
        start = 1 + (self.words.lower(1) == "both")
        if self.words.describes(start) and self.words.lower(start + 1) == ":":
            start += 2
        for left, right, at in self._pairs(start):
            yield from self._same(left, right, at)
        for left, at in self.terms.terms(1):
            for split in range(at + 1, self.end - 1):
                if self.words.lower(split) in {"than", "before", "after"}:
                    measure = self._measure(at, split + (self.words.lower(split) != "than"))
                    date = self.words.span(split + 1, self.end)
                    if measure and measure.hop.kind == "date" and whole_date(date):
                        yield Compare((left,), *measure, whether=True, date=date)
                    for right, end in self.terms.terms(split + 1) if measure else ():
                        if end == self.end and measure:
                            yield Compare((left, right), *measure, whether=True)

    def _pairs(self, at: int) -> Iterator[tuple[Term, Term, int]]:
        """Two terms joined by "and", also as in "the directors of A and B"."""
        noun = at + (self.words.lower(at) in DETERMINERS)
        for hop, end, possessive in self.terms.nouns(noun):
            if self.words.lower(end) == "of" and not possessive and self.words.lower(end - 1).endswith("s"):
                behind = end + 1 + (self.words.lower(end + 1) == "both")
                for left, right, last in self._pairs(behind):
                    yield left.then(hop), right.then(hop), last
        for left, end in self.terms.terms(at):
            following = end + (self.words.lower(end) == ",")
            if self.words.lower(following) == "and":
                yield from ((left, right, last) for right, last in self.terms.terms(following + 1))

    def _same(self, left: Term, right: Term, at: int) -> Iterator[Form]:
        while self.words.lower(at) in {",", "both", "all"}:
            at += 1
        middle = next((each for each in range(at, self.end - 1) if self.words.lower(each) == "same"), None)
        if middle is None:
            return
        wanted = " ".join(self.words.lower(position) for position in range(middle + 1, self.end))
        if self.words.lower(at) in HAVE:
            start = at + 1 + (self.words.lower(at + 1) in DETERMINERS)
            for hop, end, possessive in self.terms.nouns(start):
                if not possessive and end <= middle:
                    behind = end + (self.words.lower(end) in RELATIVES)
                    for value, years in self._shared(behind, middle, wanted):
                        yield Same((left.then(hop).then(value), right.then(hop).then(value)), years)
        for value, years in self._shared(at, middle, wanted):
            yield Same((left.then(value), right.then(value)), years)
        if self.terms.noun_at(middle + 1, self.end - middle - 1) is not None and self.words.lower(middle - 1) == "the":
            said = " ".join([self.words.lower(0), *(self.words.lower(each) for each in range(at, middle - 1))])
            hop = self.relations.verb(said, name_first=True)
            if hop:  # "do A and B work for the same company", "are A and B members of the same team"
                value = replace(hop, wanted="" if wanted in {"thing", "one"} else wanted)
                yield Same((left.then(value), right.then(value)), certain=True)

    def _shared(self, first: int, middle: int, wanted: str) -> Iterator[tuple[Hop, bool]]:
        """(relation, whether only years count) of the words around "same"."""
        words = [self.words.lower(position) for position in range(first, middle)]
        words = [word for word in words if word not in SHARE]
        if not words:
            hop = self.relations.noun(wanted)
        elif words[-1] not in {"in", "on", "from", "at"}:
            return
        else:
            verb = words[:-1] if words[-1] != "from" else ["from"]
            verb = [word for word in verb if word not in AUXILIARIES]
            if words[-1] == "from" and len(words) > 1:
                return
            hop = (
                self.relations.when(" ".join(verb))
                if wanted in {"year", "day", "date"}
                else self.relations.where(" ".join(verb), wanted if wanted in PLACES else "")
            )
        if hop:
            yield hop, wanted == "year"
