"""Whom "it", "she" and "the service" mean at the start of a sentence, where that is safe to say."""

import re
from collections.abc import Sequence

from mcp_graphrag.extract.markup import Span
from mcp_graphrag.extract.mentions import Found
from mcp_graphrag.extract.words import Words, load_words

ALIAS = "alias"
OWNER = "owner"

_OPENING = re.compile(
    r"(?:[\"'“*\x1f]{0,3})(?:(?:In|On|After|During|At|From|By|Since|Then|Later|Also|As)\b[^,.;]{0,70}, )?"
    r"(?P<word>(?:He|She|It|They|he|she|it|they|His|Her|Its|Their|his|her|its|their)\b"
    r"|(?:The|This|the|this) (?P<noun>[a-z]{3,30})\b)"
)
_DESCRIBED = re.compile(
    r"\s?(?:\([^()]{0,120}\)\s?)?(?:,[^,.;]{0,60},\s)?(?:is|was|are|were) (?:an?|the|one of the) "
    r"(?P<what>[^.,;:()]{3,90})"
)
_PHRASE_END = re.compile(
    r" (?:in|of|by|on|at|for|from|that|which|who|with|and|to|located|based|written|directed|released) "
)
_SUBJECT_LEAD = re.compile(r"[\s\"'“(*\x1f]*(?:(?:The|A|An|Our|This|the|a|an|our|this)\s)?\Z")
_HE = re.compile(r"\b(?:he|she)\b")
_OWNERS = {"his": "he", "her": "she", "its": "it", "their": "they"}


class Discourse:
    """What the sentences so far were about. One for each chunk."""

    def __init__(self) -> None:
        self._person: Found | None = None
        self._thing: Found | None = None
        self._nouns: dict[str, Found] = {}

    def resolve(self, prose: str, span: Span, mentions: Sequence[Found]) -> list[Found]:
        """The sentence's mentions, from a pronoun on where one opens it: it stands for its antecedent."""
        opened = self._opened(prose, span, mentions)
        return self._with_persons(prose, span, opened)

    def _with_persons(self, prose: str, span: Span, mentions: list[Found]) -> list[Found]:
        """The mentions with every further "he" and "she" of the sentence among them."""
        found: list[Found] = []
        for pronoun in _HE.finditer(prose, *span):
            before = [mention for mention in mentions if mention.start < pronoun.start()]
            if before and before[-1].start == pronoun.start():
                continue
            lead = before[0] if before and _SUBJECT_LEAD.match(prose[span[0] : before[0].start]) else None
            is_person = lead is not None and lead.kind in {"name", ALIAS} and lead.type in {None, "Person"}
            antecedent = lead if is_person else self._person
            if antecedent is not None:
                found.append(antecedent._replace(start=pronoun.start(), end=pronoun.end(), kind=ALIAS, sure=0.5))
        if not found:
            return mentions
        taken = {mention.start for mention in mentions}
        return sorted([*mentions, *(alias for alias in found if alias.start not in taken)])

    def _opened(self, prose: str, span: Span, mentions: Sequence[Found]) -> list[Found]:
        opening = _OPENING.match(prose, *span)
        if opening is None:
            return list(mentions)
        start, end = opening.span("word")
        if any(mention.start < end and start < mention.end for mention in mentions):
            return list(mentions)
        word = opening["word"].lower()
        antecedent = self._antecedent(_OWNERS.get(word, word), opening["noun"], load_words())
        if antecedent is None:
            return list(mentions)
        kind = OWNER if word in _OWNERS else ALIAS
        alias = antecedent._replace(start=start, end=end, kind=kind, sure=0.5)
        return [alias, *(mention for mention in mentions if mention.start >= end)]

    def _antecedent(self, word: str, noun: str | None, words: Words) -> Found | None:
        if noun is not None:
            return self._nouns.get(noun)
        if word in words.he:
            return self._person
        if word in words.it:
            return self._thing
        found = self._thing
        return found if found is not None and found.type in {"Team", "Organization"} else None

    def remember(self, prose: str, span: Span, mentions: Sequence[Found]) -> None:
        """Take note of the sentence's subject, and of what it is said to be."""
        if not mentions:
            return
        subject = mentions[0]
        if subject.kind == ALIAS:
            return
        leads = _SUBJECT_LEAD.match(prose[span[0] : subject.start]) is not None
        if not leads or subject.kind in {"date", "role", OWNER, "url", "email"}:
            if subject.kind not in {"date", OWNER}:
                self._thing = None
            return
        described = self._describe(prose, subject, span[1])
        several = len(mentions) > 1 and prose[subject.end : mentions[1].start].split() == ["and"]
        self._thing = None if several or subject.type == "Person" else subject
        known = self._person is not None and self._person.type == "Person" and described
        may_be_person = subject.type is None and subject.kind == "name" and not several
        if subject.type == "Person" or (may_be_person and not known):
            self._person = subject
        last = subject.name.split()[-1].lower()
        if subject.name != last and subject.kind == "name":
            self._nouns.setdefault(last, subject)

    def _describe(self, prose: str, subject: Found, end: int) -> bool:
        """Note what it is said to be: after "Nimbus is a small scheduler", "the scheduler" means Nimbus."""
        found = _DESCRIBED.match(prose, subject.end, end)
        if found is None:
            return False
        what = _PHRASE_END.split(f"{found['what']} ", maxsplit=1)[0].split()
        if what and what[-1].isalpha() and what[-1].islower():
            self._nouns[what[-1]] = subject
        return True
