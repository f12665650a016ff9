"""A claim, or a sentence about the subject of a claim, as verb group, noun phrases, dates and complements."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from mcp_graphrag.english.word_lists import WORDS
from mcp_graphrag.reason.clauses.clause_words import (
    ADVERBS,
    AUXILIARIES,
    BEHIND_NOUN,
    DETERMINERS,
    HAVE,
    HEDGES,
    NEGATIONS,
    PREPOSITIONS,
    REFUSALS,
    Token,
    tokens_of,
)
from mcp_graphrag.reason.relation_words import COPULAS

Tokens = Sequence[Token]
_ONLY = frozenset({"only", "solely", "exclusively", "just", "merely"})
_BRACKETS = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
_MONTHS = {name.lower(): at for at, name in enumerate(WORDS.months, start=1)}
_DAY = re.compile(r"([12]?\d|3[01])(?:st|nd|rd|th)?")
_DECADE = re.compile(r"(1\d\d0|20\d0)'?s")
_ANYTHING_BUT = {("anything", "but"), ("something", "other"), ("anything", "other")}  # "… than"
_INEXACT = frozenset({"early", "late", "mid", "around", "about", "circa", "c", "before", "after", "until", "since"})
_NUMERAL = re.compile(r"[IVX]+")
WORDS_DAYS = frozenset(day.lower() for day in WORDS.weekdays)
MAX_DATE_WORDS = 7


@dataclass(frozen=True)
class Date:
    """A date, of which parts may be unknown: first and last year, month and day, 0 where it is not given."""

    years: tuple[int, int] | None
    month: int = 0
    day: int = 0
    decade: bool = False

    def agrees(self, stated: "Date") -> bool | None:
        """Whether a stated date is within this one, None where it does not say."""
        parts: list[bool | None] = []
        if self.years:
            apart = stated.years is not None and (stated.years[0] > self.years[1] or stated.years[1] < self.years[0])
            parts.append(
                False if apart else None if stated.years is None or (stated.decade and not self.decade) else True
            )
        for own, other in ((self.month, stated.month), (self.day, stated.day)):
            if own:
                parts.append(None if not other else own == other)
        if False in parts:
            return False
        return None if None in parts or not parts else True


@dataclass(frozen=True)
class VerbGroup:
    """Auxiliaries and adverbs in front of a verb. `refused`: the doer did not do it, "failed to"."""

    auxiliaries: tuple[str, ...]
    negated: bool
    refused: bool
    adverbs: tuple[str, ...]
    end: int

    @property
    def passive(self) -> bool:
        """Whether a participle behind it is passive."""
        return bool(self.auxiliaries) and self.auxiliaries[-1] in COPULAS

    @property
    def past(self) -> bool:
        """Whether it is about the past."""
        return bool({"was", "were", "had", "did"} & set(self.auxiliaries))


@dataclass(frozen=True)
class ClaimParts:
    """A claim: its subject, verb group, the words behind, and the date and `only` that are taken out of these."""

    subject: tuple[Token, ...]
    verb: VerbGroup
    rest: tuple[Token, ...]
    date: Date | None
    only: bool
    apposition: tuple[Token, ...] = ()  # "the record label" of "Coral Tapes the record label"
    place: tuple[Token, ...] = ()  # of "Prescott, Arizona", and the words in brackets of "Dreamer (2005 film)"

    @property
    def negated(self) -> bool:
        """Whether the claim denies."""
        return self.verb.negated


def read_verb_group(tokens: Tokens, start: int) -> VerbGroup:
    """The verb group that begins at a token, empty where a plain verb stands there."""
    auxiliaries: list[str] = []
    adverbs: list[str] = []
    negated = refused = False
    at = start
    while at < len(tokens):
        lower = tokens[at].lower
        if lower in AUXILIARIES:
            auxiliaries.append(lower)
        elif lower in NEGATIONS:
            negated = not negated
        elif lower in REFUSALS and at + 1 < len(tokens) and tokens[at + 1].lower in {"to", "ever"}:
            refused, negated = True, not negated
            at += 1 + (tokens[at + 1].lower == "ever")
        elif (lower, tokens[at + 1].lower if at + 1 < len(tokens) else "") in _ANYTHING_BUT:
            negated = not negated
            at += 1 + (tokens[at + 1].lower == "other")
        elif lower == "yet" and at + 1 < len(tokens) and tokens[at + 1].lower == "to":
            refused, negated = True, not negated
            at += 1
        elif not tokens[at].is_name and (WORDS.is_adverb(lower) or lower in ADVERBS) and lower not in {"only", "just"}:
            adverbs.append(lower)
        else:
            break
        at += 1
    return VerbGroup(tuple(auxiliaries), negated, refused, tuple(adverbs), at)


def parse_claim(sentence: str) -> ClaimParts | None:
    """The parts of a plain claim, None for a question, a hedged claim and one without a clear subject."""
    brackets = [token for found in _BRACKETS.findall(sentence) for token in tokens_of(found[1:-1])]
    tokens = _date_behind(tokens_of(without_brackets(sentence)))
    only = any(token.lower in _ONLY for token in tokens)
    tokens = [token for token in tokens if token.lower not in _ONLY]
    at = next((at for at in range(1, len(tokens)) if _begins_verb(tokens, at)), None)
    at = _name_end(tokens) if at is None else at
    named = _apposition_at(tokens[:at])
    apposition = [Token("a"), *tokens[named + 1 : at]] if named else []
    tokens = [*tokens[:named], *tokens[at:]] if named else tokens
    at = named or at
    subject, place = _subject(tokens[:at])
    verb = read_verb_group(tokens, at)
    rest = tokens[verb.end :]
    found = take_date(rest)
    date, rest = found or (None, rest)
    lowers = {token.lower for token in [*rest] if not (token.is_name and token.lower == "may")}
    allowed = {*verb.adverbs, *([*REFUSALS, "yet"] if verb.refused else [])}
    if not subject or not rest or (lowers & HEDGES) - allowed or {"?", ";", ":"} & lowers:
        return None
    cut_off = rest[-1].lower in PREPOSITIONS | DETERMINERS | {"and", ","}
    if cut_off or not _is_name(subject) or not (verb.auxiliaries or _is_verb(rest[0])):
        return None
    bare = subject[1:] if subject[0].lower in {"the", "a", "an"} else subject
    return ClaimParts(tuple(bare), verb, tuple(rest), date, only, tuple(apposition), (*place, *brackets))


def _apposition_at(subject: Tokens) -> int:
    """Where "the record label" begins in "Coral Tapes the record label", 0 without one."""
    at = next((at for at, token in enumerate(subject) if at and token.text in {"the", "a", "an"}), 0)
    named = all(token.is_name for token in subject[:at])
    return at if named and subject[at + 1 :] and not subject[-1].is_name else 0


def _date_behind(tokens: list[Token]) -> list[Token]:
    """The words of a claim with the date in front of it, "In 1990, ", at its end."""
    read = read_date_at(tokens, 1) if tokens and tokens[0].text in {"In", "On"} else None
    end = read[1] if read else 0
    if not end or end >= len(tokens) or not (tokens[end].text == "," or tokens[end].is_name):
        return tokens
    return [*tokens[end + (tokens[end].text == ",") :], Token(tokens[0].lower), *tokens[1:end]]


def _name_end(tokens: Tokens) -> int:
    """Where a name at the beginning ends; a number or version behind it is part of it."""
    at = 1
    while at < len(tokens) and (
        tokens[at].is_name
        or tokens[at].text[0].isdigit()
        or (tokens[at].lower in {"of", "the", "and"} and at + 1 < len(tokens) and tokens[at + 1].is_name)
    ):
        at += 1
    return at


def _is_name(subject: Tokens) -> bool:
    """Whether a subject names something by itself, and is no pronoun or other small word."""
    if any(token.lower in {*WORDS.pronouns, "this", "that", "there"} - {"i"} for token in subject):
        return False
    return any(token.is_name for token in subject[1:]) or not WORDS.is_stop(subject[0].lower)


def _is_verb(token: Token) -> bool:
    """Whether a word without auxiliaries may be a verb behind a name in the singular."""
    return not token.is_name and (token.is_participle or token.lower.endswith("s") or token.lower in REFUSALS)


def _begins_verb(tokens: Tokens, at: int) -> bool:
    token = tokens[at]
    refusal = token.lower in REFUSALS and at + 1 < len(tokens) and tokens[at + 1].lower == "to"
    return not token.is_name and (token.lower in AUXILIARIES or refusal)


def _subject(tokens: Tokens) -> tuple[Tokens, Tokens]:
    commas = [at for at, token in enumerate(tokens) if token.text == ","]
    if not commas:
        of = next((at for at, token in enumerate(tokens) if token.lower == "of" and at > 1), None)
        if of and _NUMERAL.fullmatch(tokens[of - 1].text) and all(token.is_name for token in tokens[of + 1 :]):
            return tokens[:of], tokens[of + 1 :]  # "Francis I of France"
        return tokens, ()
    behind = tokens[commas[0] + 1 :]
    if len(commas) == 1 and behind and all(token.is_name for token in behind):
        return tokens[: commas[0]], behind
    return (), ()


def without_brackets(text: str) -> str:
    """A text without what is in brackets."""
    before = ""
    while before != text:
        before, text = text, _BRACKETS.sub(" ", text)
    return re.sub(r"[()\[\]]", " ", text)


def bracketed(text: str) -> list[str]:
    """What stands in brackets, the innermost first."""
    found: list[str] = []
    before = ""
    while before != text:
        found += [each[1:-1] for each in _BRACKETS.findall(text)]
        before, text = text, _BRACKETS.sub(" ", text)
    return found


def take_date(tokens: Tokens) -> tuple[Date, Tokens] | None:
    """The one date behind "in", "on" or "during", or all before or after a year, and the tokens without it."""
    for at, token in enumerate(tokens):
        year = int(tokens[at + 1].text) if at + 1 < len(tokens) and tokens[at + 1].is_year else 0
        if token.lower in {"before", "after"} and year and at + 2 == len(tokens):
            return Date((0, year - 1) if token.lower == "before" else (year + 1, 9999)), tokens[:at]
        if token.lower in {"in", "on", "during"}:
            start = at + 1
            while start < len(tokens) and tokens[start].lower in {"the", "month", "year", "of", *WORDS_DAYS}:
                start += 1
            read = read_date_at(tokens, start)
            if read:
                return read[0], [*tokens[:at], *tokens[read[1] :]]
    return None


def read_date_at(tokens: Tokens, start: int) -> tuple[Date, int] | None:
    """The date that begins at a token, and where it ends."""
    years: tuple[int, int] | None = None
    month = day = 0
    at = start
    while at < min(len(tokens), start + MAX_DATE_WORDS):
        token = tokens[at]
        if token.is_year and not years:
            years = (int(token.text), int(token.text))
        elif token.lower in _MONTHS and token.is_name and not month:
            month = _MONTHS[token.lower]
        elif (found := _DAY.fullmatch(token.lower)) and not day and (month or _next_is_month(tokens, at)):
            day = int(found[1])
        elif at == start and (decade := _DECADE.fullmatch(token.lower)):
            return Date((int(decade[1]), int(decade[1]) + 9), decade=True), at + 1
        elif not (token.lower in {",", "of"} and at > start and at + 1 < len(tokens) and _is_date(tokens[at + 1])):
            break
        at += 1
    if not (years or month):
        return None
    return Date(years, month, day), at


def _next_is_month(tokens: Tokens, at: int) -> bool:
    return any(token.lower in _MONTHS for token in tokens[at + 1 : at + 3])


def _is_date(token: Token) -> bool:
    return token.is_year or token.lower in _MONTHS


def dates_in(tokens: Tokens) -> list[Date]:
    """The exact dates in words, in order."""
    found: list[Date] = []
    at = 0
    while at < len(tokens):
        read = read_date_at(tokens, at)
        if read is None:
            at += 1
            continue
        before = {token.lower for token in tokens[max(at - 3, 0) : at]}
        if not before & _INEXACT:
            found.append(read[0])
        at = read[1]
    return found


def life_dates(brackets: Sequence[str]) -> tuple[Date | None, Date | None]:
    """The dates of birth and death that stand in brackets behind a name."""
    for text in brackets:
        tokens = tokens_of(text)
        lowers = [token.lower for token in tokens]
        if "born" in lowers:
            dates = dates_in(tokens[lowers.index("born") :])
            return (dates[0] if dates else None), None
        dash = next((at for at, token in enumerate(tokens) if token.text in {"–", "—"}), None)
        if dash is not None:
            ends = dates_in(tokens[:dash]), dates_in(tokens[dash:])
            if len(ends[1]) == 1 and len(ends[0]) <= 1 and ends[1][0].years:
                return (ends[0][0] if ends[0] else None), ends[1][0]
    return None, None


@dataclass(frozen=True)
class NounPhrase:
    """The members of a list of noun phrases, "singer, actor and model", and where it ends."""

    members: Sequence[Tokens]
    end: int


_OF_A_KIND = frozenset({"kind", "type", "form", "genre", "species", "breed", "sort"})


def read_noun_phrase(tokens: Tokens, start: int) -> NounPhrase:
    """The list of noun phrases that begins at a token, without prepositional phrases, clauses and participles."""
    members: list[tuple[Token, ...]] = []
    current: list[Token] = []
    at = start
    while at < len(tokens):
        token, following = tokens[at], tokens[at + 1] if at + 1 < len(tokens) else None
        lower = token.lower
        if lower == "of" and current and current[-1].lower in _OF_A_KIND:
            current = []
        elif token.text == "," or lower == "and":
            if current:
                members.append(tuple(current))
            current = []
            if following is None or _ends_list(tokens, at + 1):
                break
        elif token.is_breaking or (current and _is_reduced_clause(tokens, at)):
            break
        elif lower not in DETERMINERS:
            current.append(token)
        at += 1
    if current:
        members.append(tuple(current))
    return NounPhrase(tuple(members), at)


def _ends_list(tokens: Tokens, at: int) -> bool:
    token = tokens[at]
    if token.lower in {"and", "best", "better"}:
        return at + 1 >= len(tokens) or _ends_list(tokens, at + 1)
    return token.is_breaking or token.is_participle or token.is_year or token.lower.endswith("ing") or token.text == ","


def _is_reduced_clause(tokens: Tokens, at: int) -> bool:
    """Whether a participle stands here with what belongs to it: "directed by", "starring X"."""
    token, following = tokens[at], tokens[at + 1] if at + 1 < len(tokens) else None
    if following is None or token.is_name:
        return False
    if token.is_participle or token.lower in BEHIND_NOUN:
        return following.lower in PREPOSITIONS or following.lower in {"and", ","}
    return token.lower.endswith("ing") and (following.is_name or following.lower in DETERMINERS | PREPOSITIONS)


def is_have(group: VerbGroup) -> bool:
    """Whether the group is a form of "have" alone, which is then the verb."""
    return bool(group.auxiliaries) and set(group.auxiliaries) <= HAVE
