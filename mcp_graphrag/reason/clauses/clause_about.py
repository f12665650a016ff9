"""The part of a sentence that speaks about the subject of a claim."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from mcp_graphrag.extract.english.word_lists import WORDS
from mcp_graphrag.reason.clauses.clause_words import AUXILIARIES, FORMS, HEDGES, NO_ASSERTION, Token, stem, tokens_of
from mcp_graphrag.reason.clauses.parse_clause import ClaimParts, Date, Tokens, bracketed, dates_in, without_brackets

_KNOWN_AS = re.compile(r"\b(?:known|called|nicknamed|abbreviated|stylized|stylised)(?: (?:as|to))?\Z")
_POLITY = frozenset({"state", "republic", "kingdom", "city", "commonwealth", "principality", "province"})
_QUOTES = "\"“”'‘’«» *_"
MAX_FRONT = 12
MAX_ASIDE = 25
MAX_MIDDLE_NAMES = 2


@dataclass(frozen=True)
class ClauseAbout:
    """What a sentence says about a subject: the words behind its name, those beside it, and the date in front."""

    rest: tuple[Token, ...]
    aside: tuple[Token, ...] = ()
    brackets: tuple[str, ...] = ()
    front: Date | None = None


def clauses_about(claim: ClaimParts, sentence: str, *, subject_before: bool) -> list[ClauseAbout]:
    """What a sentence that begins with the claim's subject says about it, nothing if it asserts nothing.

    `subject_before`: the sentences before are about it, so a pronoun is.
    """
    text = sentence.strip().lstrip(_QUOTES)
    if not re.search(r"[.!][\"”’'\s)\]*_]*\Z", text) or "?" in text:
        return []
    tokens = tokens_of(without_brackets(text))
    lowers = {token.lower for token in tokens}
    if lowers & NO_ASSERTION or _in_first_person(tokens) or not _place_is_named(claim, tokens):
        return []
    brackets = tuple(bracketed(text))
    for start in _starts(tokens):
        end = _subject_end(claim.subject, tokens, start)
        if (
            end is None
            and subject_before
            and start < len(tokens)
            and tokens[start].lower in {"he", "she", "it", "they"}
        ):
            end = start + 1
        end = end or _by_other_name(claim.subject, tokens, start)
        if end is None:
            continue
        front = tokens[: start - 1] if start else ()
        clauses = [_behind(tokens, end, brackets, front)]
        if (front and front[0].text.lower() in FORMS) or (front and front[0].lower.endswith("ed")):
            participle = Token(front[0].lower)
            clauses.append(ClauseAbout((Token("was"), participle, *front[1:])))
        return [part for clause in clauses if clause is not None for part in _parts(clause)]
    return []


def _parts(clause: ClauseAbout) -> Iterator[ClauseAbout]:
    """The clause up to a second verb of its subject, "…, and is", and each clause from such a verb on."""
    begin = 0
    rest = clause.rest
    for at in range(1, len(rest) - 1):
        if rest[at].lower in WORDS.relatives | {"because", ";", ":"}:
            break
        if rest[at].lower in {"and", "but"} and rest[at + 1].lower in AUXILIARIES:
            yield replace(clause, rest=rest[begin:at])
            begin = at + 1
    yield replace(clause, rest=rest[begin:])


def _in_first_person(tokens: Tokens) -> bool:
    """Whether "I" is the writer, not a numeral behind a name or the first word of a title."""
    beside = [(tokens[at - 1 : at], tokens[at + 1 : at + 2]) for at, token in enumerate(tokens) if token.text == "I"]
    return any(not (before and before[0].is_name) and not (behind and behind[0].is_name) for before, behind in beside)


def names_subject(claim: ClaimParts, sentence: str) -> bool:
    """Whether a sentence or title begins with the name of the claim's subject."""
    tokens = tokens_of(without_brackets(sentence.strip().lstrip(_QUOTES + "#")))
    return _subject_end(claim.subject, tokens, 0) is not None


def _place_is_named(claim: ClaimParts, tokens: Tokens) -> bool:
    """Whether the words that tell the subject from others of its name are in the sentence."""
    lowers = {token.lower for token in tokens}
    return all(token.lower in lowers or token.is_sign for token in claim.place)


def _starts(tokens: Tokens) -> Iterator[int]:
    """Where the subject may begin: first, or behind a phrase with a date or a participle in front."""
    yield 0
    dated = bool(tokens) and tokens[0].lower in {"in", "on", "during"}
    first = tokens[0].lower if tokens else ""
    if not (dated or first in {"following", "after"} or first in FORMS or first.endswith("ed")):
        return
    for at, token in enumerate(tokens[:MAX_FRONT]):
        if token.lower in AUXILIARIES | HEDGES or token.lower in WORDS.relatives:
            return
        if token.text == "," and (not dated or len(dates_in(tokens[:at])) == 1):
            yield at + 1


def _subject_end(subject: Tokens, tokens: Tokens, start: int) -> int | None:
    """Where the name of the subject ends that begins at a token."""
    while start < len(tokens) and tokens[start].lower in {"the", "a", "an"}:
        start += 1
    if start >= len(tokens):
        return None
    end = _name_end(subject, tokens, start)
    if end is None and len(subject) > 1 and all(token.is_name for token in subject):
        for first in (start + 1, start + 2):  # "Maurice Harold Macmillan" for "Harold Macmillan"
            if end is None and first < len(tokens) and all(_is_first_name(token) for token in tokens[start:first]):
                end = _name_end(subject, tokens, first)
    if end is None and tokens[start].lower in _POLITY | {"free"}:
        of = next((at for at, token in enumerate(tokens[start : start + 4], start) if token.lower == "of"), None)
        if of is not None and tokens[of - 1].lower in _POLITY and len(subject) == 1:
            end = _name_end(subject, tokens, of + 1)
    if end is None or end >= len(tokens):
        return None
    following = tokens[end]
    if following.text in {"'s", "'"} or following.lower in {"and", "or", "&"}:
        return None
    return None if following.is_name and following.text.isascii() else end


def _is_first_name(token: Token) -> bool:
    return token.is_name and token.lower not in WORDS.stop and "'" not in token.text


def _name_end(subject: Tokens, tokens: Tokens, start: int) -> int | None:
    at = start
    for index, token in enumerate(subject):
        if at >= len(tokens):
            return None
        if token.lower == tokens[at].lower or (not token.is_name and stem(token.lower) == stem(tokens[at].lower)):
            at += 1
            continue
        letters = token.text.replace(".", "")
        if "." in token.text and letters.isupper() and _initials(tokens[at : at + len(letters)]) == letters:
            at += len(letters)
            continue
        last = index and index == len(subject) - 1 and token.is_name and subject[0].is_name
        between = range(at + 1, min(at + 1 + MAX_MIDDLE_NAMES, len(tokens)))
        found = next((place for place in between if tokens[place].lower == token.lower), None) if last else None
        if found is None or not all(each.is_name for each in tokens[at:found]):
            return None
        at = found + 1
    return at


def _initials(tokens: Tokens) -> str:
    return "".join(token.text[0] for token in tokens)


def _by_other_name(subject: Tokens, tokens: Tokens, start: int) -> int | None:
    """Where the subject ends that is introduced by another name, "Shane Lindstrom, known as Murda Beatz, is"."""
    if start >= len(tokens) or not tokens[start].is_name:
        return None
    for at in range(start + 1, min(len(tokens), start + MAX_ASIDE)):
        if tokens[at].lower in AUXILIARIES:
            return None
        before = " ".join(token.lower for token in tokens[max(at - 3, 0) : at])
        if _KNOWN_AS.search(before) and (end := _name_end(subject, tokens, at)) is not None:
            return end if end < len(tokens) and (tokens[end].text == "," or tokens[end].lower in AUXILIARIES) else None
    return None


def _behind(tokens: Tokens, end: int, brackets: Sequence[str], front: Tokens) -> ClauseAbout | None:
    dates = dates_in(front)
    date = dates[0] if len(dates) == 1 and front[0].lower in {"in", "on", "during"} else None
    return _without_aside(tokens, end, brackets, date)


def _without_aside(tokens: Tokens, end: int, brackets: Sequence[str], front: Date | None) -> ClauseAbout | None:
    """The clause behind a subject, with what stands between commas in front of its verb as an aside."""
    while end < len(tokens) and not tokens[end].text.isascii():
        end += 1
    aside: list[Token] = []
    if end < len(tokens) and tokens[end].text in {",", "–", "—"}:
        stop = end
        while stop < min(len(tokens), end + MAX_ASIDE) and not (
            tokens[stop].lower in AUXILIARIES and tokens[stop - 1].is_sign
        ):
            stop += 1
        if stop >= min(len(tokens), end + MAX_ASIDE):
            return ClauseAbout((), tuple(tokens[end + 1 :]), tuple(brackets), front)
        aside = list(tokens[end + 1 : stop])
        if aside and aside[0].lower in WORDS.relatives | {"and", "or"}:
            return None
        end = stop
    return ClauseAbout(tuple(tokens[end:]), tuple(aside), tuple(brackets), front)
