"""Questions read as a whole: every word is a part of what is asked, or the question is not read."""

import re
from collections.abc import Iterator
from dataclasses import replace

from mcp_graphrag.english.dates import Period, read_date
from mcp_graphrag.lookup.query_triples import predicates_of_names
from mcp_graphrag.reason.questions.parse_comparisons import ComparisonParser
from mcp_graphrag.reason.questions.parse_terms import COPULAS, HAVING, TermParser
from mcp_graphrag.reason.questions.question_forms import Form, Lookup, ParsedQuestion, Whether
from mcp_graphrag.reason.questions.question_relations import PLACES, Hop, QuestionRelations
from mcp_graphrag.reason.questions.question_words import QUESTION_WORDS, QuestionWords
from mcp_graphrag.reason.questions.unread_words import unread_words
from mcp_graphrag.snapshot import Snapshot

AUXILIARIES = frozenset({"do", "does", "did", "has", "have", "had"})
FILLERS = frozenset(
    "please tell me us show give name list find say can could you i want to know do".split()  # noqa: SIM905
)
WHENS = frozenset({"year", "date", "day", "month"})
_DATE = r"(?:in|on|during|as of)\s+(?:the year\s+)?(?P<date>[\w .,-]*?\b\d{4}(?:-\d\d-\d\d)?)"
_AT_END = re.compile(rf"\s+{_DATE}\s*[?.]*\s*\Z", re.IGNORECASE)
_AT_START = re.compile(rf"\s*{_DATE}\s*,?\s+(?=(?:who|what|which|where|did|does|was|is|were|are)\b)", re.IGNORECASE)

_FRONTED = re.compile(
    r"\s*(?P<preposition>in|on|at|for|by|to|from|with|under|into|through)\s+(?P<asked>which|what|whom)\s+"
    r"(?P<rest>(?:[\w-]+\s+){0,3}?(?:is|was|are|were|do|does|did|has|have|had)\s+.{1,300})",
    re.IGNORECASE | re.DOTALL,
)


def parse_question(snapshot: Snapshot, text: str) -> ParsedQuestion:
    """What a question asks for. Its `form` is None unless every word of it was read."""
    relations = QuestionRelations(predicates_of_names(snapshot), snapshot.ontology)
    text = _with_preposition_behind(text)
    whole = QuestionWords(snapshot, text)
    tries: list[tuple[QuestionWords, Period | None]] = [(whole, None)]
    dated = _without_date(text)
    if dated is not None:
        tries.append((QuestionWords(snapshot, dated[0]), dated[1]))
    for words, time in tries:
        form = next(_QuestionParser(words, relations, TermParser(words, relations)).forms(), None)
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
    """The readings of one question, the likeliest first."""

    def __init__(self, words: QuestionWords, relations: QuestionRelations, terms: TermParser) -> None:
        self.words, self.relations, self.terms = words, relations, terms
        self.end = len(words)

    def forms(self) -> Iterator[Form]:
        """What the question may ask for."""
        at = 0
        while self.words.lower(at) in FILLERS and self.words.lower(at + 1):
            at += 1
        comparisons = ComparisonParser(self.words, self.relations, self.terms)
        for first in dict.fromkeys((0, at)):
            if self.words.lower(first) in QUESTION_WORDS - {"why", "how"}:
                yield from comparisons.which(first)
                yield from self._questions(first)
        yield from comparisons.whether()
        if self.words.lower(0) in COPULAS | AUXILIARIES:
            yield from self._whether()
        if at:
            yield from (Lookup(term) for term, end in self.terms.terms(at) if end == self.end and term.hops)

    def _questions(self, first: int) -> Iterator[Form]:
        word, at = self.words.lower(first), first + 1
        if self.words.words[first].possessive:  # "who's"
            yield from (Lookup(term) for term, end in self.terms.terms(at) if end == self.end and term.hops)
        for length in range(4 if word in {"which", "what"} else 1):
            noun = self.terms.noun_at(at, length)
            if noun is not None and at + length < self.end:
                yield from self._asked(word, noun, at + length)

    def _asked(self, question_word: str, noun: str, at: int) -> Iterator[Form]:
        """The readings behind "who" or "which country"."""
        auxiliary = self.words.lower(at)
        if auxiliary in COPULAS | AUXILIARIES:
            yield from self._behind_auxiliary(question_word, noun, at)
        if noun:  # "which country X's wife is from"
            for term, end in self.terms.terms(at):
                if self.words.lower(end) in COPULAS and end + 1 < self.end:
                    hop = self._predicate(question_word, noun, self.words.lower(end), end + 1)
                    yield from [Lookup(term.then(hop))] if hop else []
        if question_word not in {"where", "when", "whose"}:
            for term, end in self.terms.verb_phrases(at):
                if end == self.end:
                    yield Lookup(replace(term, hops=(*term.hops[:-1], _wanting(term.hops[-1], noun))))

    def _behind_auxiliary(self, question_word: str, noun: str, at: int) -> Iterator[Form]:
        """The readings as "is the father of X", "nationality is X", "does X depend on"."""
        auxiliary = self.words.lower(at)
        for term, end in self.terms.terms(at + 1):
            hop: Hop | None = None
            if end < self.end:
                hop = self._predicate(question_word, noun, auxiliary, end)
            elif auxiliary in COPULAS and noun:
                hop = self.relations.noun(noun)
            elif auxiliary in COPULAS and term.hops:
                yield Lookup(term)
            elif auxiliary in COPULAS and question_word == "where":
                hop = self.relations.where("")
            if hop:
                yield Lookup(term.then(hop))

    def _predicate(self, question_word: str, noun: str, auxiliary: str, at: int) -> Hop | None:
        """What the last words of a question ask for about the name in front of them: "born", "depend on"."""
        words = [self.words.lower(position) for position in range(at, self.end)]
        if any(not word[0].isalnum() for word in words) or any(w.possessive for w in self.words.words[at : self.end]):
            return None
        rest = " ".join(words)
        bare = rest.removesuffix(" in").removesuffix(" on")
        hop: Hop | None = None
        if question_word == "where":
            hop = self.relations.where(rest)
        elif question_word == "when" or noun in WHENS:
            hop = self.relations.when(bare)
        elif noun in PLACES:
            hop = self.relations.where("" if rest == "in" else bare, noun)
        elif noun and rest in HAVING:
            hop = self.relations.noun(noun)
        if hop is None and question_word not in {"where", "when"}:
            hop = self.relations.verb(f"{auxiliary} {rest}", name_first=True)
            hop = hop and replace(_wanting(hop, noun), words=rest)
        return hop

    def _whether(self) -> Iterator[Form]:
        auxiliary = self.words.lower(0)
        for left, at in self.terms.terms(1):
            for right, end in self.terms.terms(at) if auxiliary in COPULAS else ():
                if end == self.end and (left.hops or right.hops):
                    yield Whether(left, right)
            for split in range(at + 1, min(at + 6, self.end)):
                words = " ".join(self.words.lower(position) for position in range(at, split))
                hop = self.relations.verb(f"{auxiliary} {words}", name_first=True)
                for right, end in self.terms.terms(split) if hop else ():
                    if end == self.end and hop:
                        yield Whether(left, right, hop)


def _wanting(hop: Hop, noun: str) -> Hop:
    return replace(hop, wanted=noun or hop.wanted)
