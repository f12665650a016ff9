"""The noun phrases of a question: names, "the director of film X", "X's wife", "services that depend on X"."""

from collections.abc import Iterator
from dataclasses import replace

from mcp_graphrag.english.word_lists import WORDS
from mcp_graphrag.index.tokenize import STOP_WORDS
from mcp_graphrag.reason.questions.question_forms import Term
from mcp_graphrag.reason.questions.question_relations import Hop, QuestionRelations
from mcp_graphrag.reason.questions.question_words import QUESTION_WORDS, QuestionWords

MAX_RELATION_WORDS = 6
DETERMINERS = frozenset({"the", "a", "an", "any", "all", "every", "each"})
RELATIVES = frozenset({"that", "which", "who", "whom"})
# "the award that X earned" is X's award.
HAVING = frozenset("has have had earned earn received receive got get won win".split())  # noqa: SIM905
QUOTES = frozenset({'"', "“", "”"})
COPULAS = frozenset({"is", "are", "was", "were"})
SMALL = STOP_WORDS | QUESTION_WORDS | WORDS.prepositions | WORDS.copulas


class TermParser:
    """Reads noun phrases. Each reading comes with the position behind it; possessive, if it ends in 's."""

    def __init__(self, words: QuestionWords, relations: QuestionRelations) -> None:
        self.words, self.relations = words, relations

    def terms(self, at: int) -> Iterator[tuple[Term, int]]:
        """The noun phrases that start at a position and do not end in 's."""
        return ((term, end) for term, end, possessive in self._phrases(at) if not possessive)

    def _phrases(self, at: int) -> Iterator[tuple[Term, int, bool]]:
        for term, end, possessive in self._bases(at):
            yield from self._possessed(term, end, possessive=possessive)

    def _possessed(self, term: Term, at: int, *, possessive: bool) -> Iterator[tuple[Term, int, bool]]:
        """The phrase, and what its possessives lead to, the longest first."""
        if possessive:
            for hop, end, again in self.nouns(at):
                yield from self._possessed(term.then(hop), end, possessive=again)
        yield term, at, possessive

    def _bases(self, at: int) -> Iterator[tuple[Term, int, bool]]:
        yield from self._names(at)
        if self.words.lower(at) in DETERMINERS:
            yield from self._names(at + 1)
            at += 1
        for hop, end, possessive in self.nouns(at):
            if possessive:
                continue
            following = self.words.lower(end)
            if following == "of":
                for term, last, again in self._phrases(end + 1):
                    yield term.then(hop), last, again
            if following in RELATIVES:
                for term, last in self.terms(end + 1):
                    if self.words.lower(last) in HAVING:
                        yield term.then(hop), last + 1, False
        yield from self._sets(at)

    def _names(self, at: int) -> Iterator[tuple[Term, int, bool]]:
        """Stored names, also in quotes or behind a noun that describes them."""
        quoted = self.words.lower(at) in QUOTES
        for found in self.words.names.get(at + quoted, ()):
            if not quoted:
                yield Term(found.named), found.end, found.possessive
            elif self.words.lower(found.end) in QUOTES:
                yield Term(found.named), found.end + 1, found.possessive
        if self.words.describes(at):
            behind = at + 1
            quoted = self.words.lower(behind) in QUOTES
            for found in self.words.names.get(behind + quoted, ()):
                if quoted and self.words.lower(found.end) not in QUOTES:
                    continue
                named = self.words.described(at, found)
                yield Term(named.named), named.end + quoted, named.possessive

    def _sets(self, at: int) -> Iterator[tuple[Term, int, bool]]:
        """Described things, "services that depend on X", and all things of a type."""
        found = self.words.type_at(at)
        kind = self.words.kind_at(at) if found is None and self.words.lower(at + 1) in RELATIVES else None
        if found is None and kind is None:
            return
        type_, end = found or (kind or "", at + 1)
        start = end + (self.words.lower(end) in RELATIVES)
        for term, last in self.verb_phrases(start):
            yield wanting(term, type_), last, False
        for term, last in self.terms(start):  # "the database that X depends on"
            for hop, close in self.verbs(last, name_first=True):
                yield wanting(term.then(hop), type_), close, False
        if found is not None:
            yield Term(type_), end, False

    def verb_phrases(self, at: int) -> Iterator[tuple[Term, int]]:
        """What a verb with its object says about its subject: "depend on X", "was directed by X"."""
        for hop, end in self.verbs(at, name_first=False):
            for term, last in self.terms(end):
                yield term.then(hop), last

    def nouns(self, at: int) -> Iterator[tuple[Hop, int, bool]]:
        """The nouns for relations that start at a position, the longest first."""
        for length in range(MAX_RELATION_WORDS, 0, -1):
            if self._is_run(at, at + length):
                hop = self.relations.noun(self._text(at, at + length))
                if hop:
                    yield hop, at + length, self.words.words[at + length - 1].possessive

    def verbs(self, at: int, *, name_first: bool) -> Iterator[tuple[Hop, int]]:
        """The verbs that start at a position, the longest first."""
        for length in range(MAX_RELATION_WORDS, 0, -1):
            if self._is_run(at, at + length):
                words = self._text(at, at + length)
                hop = self.relations.verb(words, name_first=name_first)
                if hop is None and words.partition(" ")[0] not in COPULAS and words.endswith(" by"):
                    hop = self.relations.verb(f"is {words}", name_first=name_first)
                if hop:
                    yield hop, at + length

    def noun_at(self, at: int, length: int) -> str | None:
        """So many words behind "which" as a noun: "film", "country of origin"; None if they are no noun."""
        words = [self.words.lower(at + position) for position in range(length)]
        if not all(words) or any(
            word in SMALL and not (word == "of" and 0 < n < length - 1) for n, word in enumerate(words)
        ):
            return None
        return " ".join(words)

    def _is_run(self, first: int, last: int) -> bool:
        """Whether positions hold words only, with no possessive before the last."""
        if last > len(self.words):
            return False
        run = self.words.words[first:last]
        return all(word.text[0].isalnum() for word in run) and not any(word.possessive for word in run[:-1])

    def _text(self, first: int, last: int) -> str:
        return " ".join(word.lower for word in self.words.words[first:last])


def wanting(term: Term, type_: str) -> Term:
    """The term with a type that its last values must have."""
    return replace(term, hops=(*term.hops[:-1], replace(term.hops[-1], wanted=type_)))
