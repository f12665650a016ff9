"""The part of a sentence that speaks about the subject of a claim, if the sentence is understood as a whole."""

import re
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from unicodedata import normalize

from mcp_graphrag.reason.clauses.clause_words import (
    AUXILIARIES,
    ESSENTIAL,
    HEDGES,
    NEGATIONS,
    PREPOSITIONS,
    UNREAD,
    Token,
    stem,
    tokens_of,
)
from mcp_graphrag.reason.clauses.parse_clause import (
    ClaimParts,
    Date,
    Tokens,
    bracketed,
    life_dates,
    read_date_at,
    read_verb_group,
    without_brackets,
)
from mcp_graphrag.reason.clauses.plain_clause import JOINERS, is_plain_aside, is_plain_clause, is_plain_opening

_MARKUP = re.compile(r"[*_`]+")
_SOUNDS = re.compile(r"\[[^\[\]]*(?:[^\x00-\x7f][^\[\]]*|\d+)\]")  # how a name is spoken, and the number of a note
_IN_OTHER_SCRIPT = re.compile(r"(?<=[a-z])(?: [^\W\d_\x00-\u024f]+)+(?=[\s,]*[(\[])")  # the name once more, in its own
_QUOTED = re.compile(r"[\"“]\s*([^\"“”]*?)\s*[\"”]")
_OPENING_QUOTE = re.compile(r"(?<!\w)['‘]")
_QUOTES = re.compile(r"[\"“”«»„‹›]|(?<!\w)['‘]|['’](?!\w)")
# What else may stand in a sentence: a cross, an arrow or a smiley may say that it is not so.
_SIGNS = re.compile(r"[\w\s.,;:()\[\]'’&/%$€£+–—-]*\.", re.UNICODE)
_NICKNAMED = re.compile(r"((?:[A-Z][\w.-]+ )+)[\"“] ?([A-Z]\w+) ?[\"”] (?=[A-Z])")
_SMALL = frozenset({"a", "an", "and", "at", "by", "for", "from", "in", "is", "of", "on", "or", "the", "to", "with"})
_BRACKET_WORDS = (
    "born died née nee also known called as of the in on and or population formerly previously stylized stylised"
    " abbreviated de des du la le von van del"
)
_IN_BRACKETS = frozenset(_BRACKET_WORDS.split())
_NAMING = frozenset({"stylized", "stylised", "abbreviated", "formerly", "previously", "or", "also", "simply", "once"})
_KNOWN = frozenset({"better", "best", "also", "commonly", "professionally", "known", "called", "as"})
MAX_TITLE_WORDS, MAX_FRONT, MAX_ASIDE = 10, 12, 25


@dataclass(frozen=True)
class ClauseAbout:
    """What a sentence says about a subject: the words behind its name, those beside it, and the date in front.

    `denied` is the name at its end of what it is not said of: "a song by Ann Poe, not Ida Poe".
    """

    rest: tuple[Token, ...]
    aside: tuple[Token, ...] = ()
    brackets: tuple[str, ...] = ()
    front: Date | None = None
    denied: tuple[Token, ...] = ()


@dataclass(frozen=True)
class SubjectForms:
    """How else than by its name a sentence may call the subject of a claim.

    `pronoun`: the sentences before are about it. `fuller`: the sentence opens a document with its name as the title, so
    it may introduce a person by a fuller name, "Neil Leslie Poe (born 1941)".
    """

    pronoun: bool = False
    fuller: bool = False


def clauses_about(claim: ClaimParts, sentence: str, today: Date, forms: SubjectForms) -> list[ClauseAbout]:
    """What a sentence that begins with the claim's subject says about it, nothing if a word of it is not understood.

    What is dated later than `today` is not yet so.
    """
    text = plain_text(_without_nickname(claim.subject, sentence), today)
    brackets = tuple(bracketed(text))
    tokens = tokens_of(without_brackets(text))
    lowers = {token.lower for token in tokens}
    if not text or not _has_place(claim, lowers):
        return []
    claimed = (*claim.rest, *claim.place)
    kind = _is_of_kind(claim, brackets)
    for start, front in _starts(tokens, today):
        end = _subject_end(claim.subject, tokens, start)
        if end is None and forms.pronoun and tokens[start : start + 1] and tokens[start].lower in _PRONOUNS:
            end = start + 1
        end = end or _by_other_name(claim.subject, tokens, start)
        if end is None and forms.fuller and not start and (any(life_dates(brackets)) or "character" in lowers):
            end = fuller_name_end(claim.subject, tokens)
        clause = None if end is None else _behind(tokens, end, brackets, front)
        if clause is None:
            continue
        clause = _without_contrast(clause)
        past = bool({"was", "were", "had", "did"} & set(read_verb_group(clause.rest, 0).auxiliaries))
        past = past or not clause.rest or clause.rest[0].is_participle
        if not is_plain_aside(clause.aside, claimed, today):
            return []
        born = (
            kind
            and claim.date is not None
            and len(claim.rest) == 1
            and clause.rest
            and clause.rest[0].lower in {"is", "was"}
        )
        if clause.rest and not born and not is_plain_clause(clause.rest, claimed, today, past=past, kind=kind):
            return []
        opening = [ClauseAbout((Token("was"), Token(tokens[0].lower), *tokens[1 : start - 1]))] if start else []
        return [*_parts(clause), *([] if front else opening)]
    return []


def _has_place(claim: ClaimParts, lowers: AbstractSet[str]) -> bool:
    """Whether a sentence has what tells the subject from others: its place, or the year of "Dreamer (2005 film)"."""
    words = {token.lower for token in claim.place if not token.is_sign}
    years = {token.lower for token in claim.place if token.is_year}
    return (years or words) <= lowers


_PRONOUNS = frozenset({"he", "she", "it", "they"})


def _without_contrast(clause: ClauseAbout) -> ClauseAbout:
    """A clause that ends with ", not X" without that."""
    at = len(clause.rest)
    while at and clause.rest[at - 1].is_name:
        at -= 1
    name = clause.rest[at:]
    if not name or [token.lower for token in clause.rest[at - 2 : at]] != [",", "not"]:
        return clause
    return replace(clause, rest=clause.rest[: at - 2], denied=name)


def _is_of_kind(claim: ClaimParts, brackets: Sequence[str]) -> bool:
    """Whether only what the subject is, or its dates of birth and death, is claimed."""
    verb = claim.rest[0]
    if claim.date and len(claim.rest) > 1 and claim.rest[-1].lower == "born":
        return claim.verb.passive  # "a singer born in 1950"
    if verb.is_participle or claim.date:
        return stem(verb.lower) in {"bear", "die"} and len(claim.rest) == 1 and any(life_dates(brackets))
    return claim.verb.passive and (verb.lower == "from" or verb.lower not in PREPOSITIONS)


def _without_nickname(subject: Tokens, sentence: str) -> str:
    """A sentence that opens with "Edward 'Ned' Poe", with the one of both names by which the subject is called."""
    found = _NICKNAMED.match(sentence)
    for first in found.groups()[:2] if found else ():
        name = f"{first} {sentence[found.end() :]}" if found else ""
        if _name_end(subject, tokens_of(name), 0):
            return name
    return sentence


def plain_text(sentence: str, today: Date) -> str:
    """A sentence without markup and the quotation marks of titles, "" where its signs do not show that it states."""
    text = _IN_OTHER_SCRIPT.sub("", _MARKUP.sub("", normalize("NFC", sentence)))
    text = _SOUNDS.sub(" ", text).strip()
    if not _OPENING_QUOTE.search(text):
        text = re.sub(r"(?<=s)['’](?= )", "", text)  # of a possessive
    if not all(_is_plain_bracket(each, today) for each in bracketed(text)):
        return ""
    outside = without_brackets(text)
    if not all(_is_title(found[1]) for found in _QUOTED.finditer(outside)):
        return ""
    if _QUOTES.search(_QUOTED.sub(r"\1", outside)) or not _SIGNS.fullmatch(_QUOTED.sub(r"\1", outside)):
        return ""
    return _QUOTED.sub(r"\1", text)


def _is_title(quoted: str) -> bool:
    """Whether words in quotation marks are a title: capitals in all words but small ones."""
    words = quoted.split()
    named = all(word[:1].isupper() or word[:1].isdigit() or word in _SMALL for word in words)
    return bool(words) and len(words) <= MAX_TITLE_WORDS and named and quoted[-1] not in ",."


def _is_plain_bracket(text: str, today: Date) -> bool:
    """Whether words in brackets are only names, numbers and dates, none of them in the future."""
    tokens = tokens_of(text)
    doubts = (UNREAD | HEDGES | ESSENTIAL) - {"may"}
    last = today.years[1] if today.years else 0
    if tokens and tokens[-1].lower in _IN_BRACKETS:
        return False
    lowers = [token.lower for token in tokens]
    if lowers and lowers[0] in _NAMING and len(lowers) <= MAX_TITLE_WORDS:
        return not (UNREAD | HEDGES | ESSENTIAL | AUXILIARIES | NEGATIONS) - _IN_BRACKETS - _NAMING & {*lowers}
    foreign = any(not token.is_sign and not token.text.isascii() for token in tokens)
    return all(
        token.lower in _IN_BRACKETS
        or (token.is_sign and token.text != "?")
        or (token.is_figure and not (token.is_year and int(token.text) > last))
        or not token.text.isascii()
        or ((token.is_name or foreign) and token.lower not in doubts and not token.lower.endswith("ed"))
        for token in tokens
    )


def _parts(clause: ClauseAbout) -> Iterator[ClauseAbout]:
    """The clause up to a second verb of its subject, "…, and is", and each clause from such a verb on."""
    begin = 0
    rest = clause.rest
    for at in range(1, len(rest) - 1):
        if rest[at].lower in {"who", "which", "that"}:
            break
        if rest[at].lower == "and" and rest[at + 1].lower in AUXILIARIES:
            yield replace(clause, rest=rest[begin:at])
            begin = at + 1
    yield replace(clause, rest=rest[begin:])


def names_subject(claim: ClaimParts, sentence: str) -> bool:
    """Whether a sentence or title begins with the name of the claim's subject."""
    tokens = tokens_of(without_brackets(_MARKUP.sub("", sentence.strip().lstrip('#"“ '))))
    return _subject_end(claim.subject, tokens, 0) is not None


def _starts(tokens: Tokens, today: Date) -> Iterator[tuple[int, Date | None]]:
    """Where the subject may begin, with the date in front: first, or behind "In 1990," or "Born in Oslo,"."""
    yield 0, None
    first = tokens[0].lower if tokens else ""
    if first in {"in", "on"}:
        read = read_date_at(tokens, 1)
        if read and tokens[read[1] : read[1] + 1] and tokens[read[1]].text == "," and _is_past(read[0], today):
            yield read[1] + 1, read[0]
    elif Token(first).is_participle:
        commas = [at for at, token in enumerate(tokens[:MAX_FRONT]) if token.text == ","]
        yield from ((at + 1, None) for at in commas if is_plain_opening(tokens[:at], today))


def _is_past(date: Date, today: Date) -> bool:
    return bool(date.years and today.years) and (date.years or (0, 0))[1] <= (today.years or (0, 0))[1]


def _subject_end(subject: Tokens, tokens: Tokens, start: int) -> int | None:
    """Where the name of the subject ends that begins at a token."""
    if start < len(tokens) and tokens[start].lower in {"the", "a", "an"}:
        start += 1
    end = _name_end(subject, tokens, start)
    if end is None or end >= len(tokens):
        return None
    following = tokens[end]
    return None if following.is_name or following.is_figure or following.text[0] in "'&" else end


def _name_end(subject: Tokens, tokens: Tokens, start: int) -> int | None:
    end = start + len(subject)
    names = [token.lower for token in subject]
    if names == [token.lower for token in tokens[start:end]]:
        return end
    # "Ayr Rovers F.C." and "Ayr Rovers Football Club"
    *first, last = subject
    letters = last.text.replace(".", "")
    whole = tokens[end - 1 : end - 1 + len(letters)]
    is_abbreviation = bool(first) and letters.isupper() and len(letters) > 1 and all(each.is_name for each in whole)
    same = names[:-1] == [token.lower for token in tokens[start : end - 1]]
    return end - 1 + len(letters) if same and is_abbreviation and letters == "".join(t.text[0] for t in whole) else None


def _by_other_name(subject: Tokens, tokens: Tokens, start: int) -> int | None:
    """Where the subject ends that is introduced by another name, "Paul Finn, known as Xander Finn, is"."""
    at = start
    while at < len(tokens) and (tokens[at].is_name or (at > start and tokens[at].lower in JOINERS)):
        at += 1
    if at == start or at >= len(tokens) or tokens[at].text != ",":
        return None
    begin = at = at + 1
    while at < len(tokens) and tokens[at].lower in _KNOWN:
        at += 1
    end = _name_end(subject, tokens, at) if at - begin > 1 else None
    return end if end is not None and tokens[end : end + 1] and tokens[end].text == "," else None


def fuller_name_end(subject: Tokens, tokens: Tokens) -> int | None:
    """Where a name of a person ends that begins the words and has all of the subject's in order, the same one last."""
    if len(subject) < 2 or not all(token.is_name for token in subject):
        return None
    end = 0
    while end < len(tokens) and (tokens[end].is_name or (end and tokens[end].lower in JOINERS)):
        end += 1
    names = [token.lower for token in tokens[:end]]
    last = subject[-1].lower
    if last not in names:
        return None
    behind = names.index(last) + 1
    rest = iter(names[:behind])
    is_last = behind == end or names[behind] in {*_GENERATIONS, "y"}  # of a mother in Spanish: "Bolívar y Palacios"
    is_last = is_last or all(token.text.isupper() for token in tokens[behind:end])  # honours: "Ann Poe OBE"
    if [token.lower for token in tokens[end : end + 2]] == ["and", "bar"]:  # an honour received twice
        end += 2
    return end if is_last and all(token.lower in rest for token in subject) else None


_GENERATIONS = frozenset({"jr", "sr", "jr.", "sr.", "ii", "iii", "iv"})


def _behind(tokens: Tokens, end: int, brackets: Sequence[str], front: Date | None) -> ClauseAbout | None:
    """The clause behind a subject, with what stands between commas in front of its verb as an aside."""
    aside: Tokens = ()
    if end < len(tokens) and tokens[end].text == ",":
        stop = next(
            (
                at
                for at in range(end + 1, min(len(tokens), end + MAX_ASIDE))
                if tokens[at].lower in AUXILIARIES and tokens[at - 1].text == ","
            ),
            None,
        ) or next((at + 1 for at in range(end + 1, len(tokens)) if tokens[at].text == ","), None)
        if stop is None or stop >= len(tokens):
            return None
        aside = tokens[end + 1 : stop - 1]
        end = stop
    return ClauseAbout(tuple(tokens[end:]), tuple(aside), tuple(brackets), front)
