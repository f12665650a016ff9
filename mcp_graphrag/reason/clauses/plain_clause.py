"""Whether a clause is made only of what is understood: a closed grammar of what may stand around the words of a claim.

Each word becomes one letter, and a pattern says which letters may follow each other. A word or phrase that is not in it
may be a condition, a doubt, another time or a story, so that the clause states nothing: "in staging", ", some say".
"""

import re
from collections.abc import Iterator
from functools import cache

from mcp_graphrag.english.word_lists import WORDS
from mcp_graphrag.reason.clauses.clause_words import (
    AUXILIARIES,
    COUNTRY_OF,
    DETERMINERS,
    ESSENTIAL,
    FIELDS,
    HARMLESS,
    HEDGES,
    KINDS,
    NEGATIONS,
    NUMBERS,
    PARTICIPLES,
    PLACE_NAMES,
    PLACE_WORDS,
    ROLES,
    TIME_ADVERBS,
    UNREAD,
    Token,
    regions_in,
)
from mcp_graphrag.reason.clauses.parse_clause import Date, Tokens, read_date_at

_SINGLE = {
    ",": ",",
    "as": "a",
    "and": "&",
    "&": "&",
    "of": "o",
    "by": "b",
    "for": "f",
    "who": "W",
    "that": "H",
    "which": "H",
    **dict.fromkeys(("a", "an", "the"), "D"),
    **dict.fromkeys(("its", "his", "her", "their"), "d"),
    **dict.fromkeys(("is", "are", "was", "were", "has", "have", "had", "do", "does", "did", "been"), "A"),
    **dict.fromkeys(("to", "with"), "t"),
    **dict.fromkeys(("from", "near"), "k"),
    **dict.fromkeys(NEGATIONS, "n"),
    **dict.fromkeys(("starring", "featuring", "comprising", "beginning", "reigning"), "G"),
}
JOINERS = frozenset(
    {"de", "la", "le", "du", "des", "von", "van", "der", "den", "del", "di", "da", "dos", "al", "bin", "y"}
)
_PLACING = frozenset({"in", "on", "at"})
_NEAR = frozenset({"within", "along", "around"})
_SPAN_ENDS = frozenset({"and", "to", "until", "till", "through"})
_PARTS_OF_TIME = frozenset({"early", "late", "mid"})
_LY = WORDS.adverbs_not | {"daily", "weekly", "monthly", "yearly", "family"}
_STORIES = frozenset({"novel", "novels", "story", "stories", "legend", "legends", "myth", "tale", "tales"}) | {
    *("fiction", "fictional", "comic", "comics", "universe")
}
_TURNS = frozenset({"be", "but", "rather"})  # "which was to be built"
_ROLE_KINDS = frozenset({"lead", "leading", "main", "title", "supporting", "starring", "first", "directorial", "debut"})
_FIXED = (
    (("of", "the", "same", "name"), ""),
    (("based", "on"), "Po"),
    (("for", "being"), "f"),
    (("best", "known"), "K"),
    (("better", "known"), "K"),
)
MAX_PLACE_WORDS, MAX_ROLE_WORDS = 10, 8

# D article, d possessive, w word, c word of the claim, N name, C name of the claim, L word for a place, # number, Y
# date, S span of time, K known, P participle that is known to assert, Q another one, G starring, A auxiliary, n not,
# v adverb, u adverb of another time, F former, o of, b by, f for, a as, i in without a known place, p in with one,
# R in a role or field, k from and near, t to and with, W who, H that and which, x what is not understood.
_WORD = "(?:[wcNCL#Y]|[PQK](?=[wcL]))"
_PHRASE = f"[Dd]?{_WORD}+"
_AND = "(?:,&|,|&)"
_LIST = f"{_PHRASE}(?:(?:,{_PHRASE})*,?&{_PHRASE})?"
_NAME = "[NC](?:[NC#]|Y(?=[NC]))*"
_NAMED = f"[Dd]?(?:[wcL]|[NC](?=[wcL]))*{_NAME}"
_NAMES = f"(?:[Dd]?[wcNC]+&)?{_NAMED}(?:(?:,{_NAMED})*,?&{_NAMED})?"
_PLACE = f"(?:D?[Lc]+o)*D?L*{_NAME}(?:,D?{_NAME})*(?:&{_NAME})*L?"
_BEHIND = f"(?:[ip]D?Y(?:&Y)?|p{_PLACE}|[kt]{_PLACE}|o{_LIST}|b(?:F[wc]+o)?{_NAMES}|fd[wc]+|f{_NAMES})"
# Directly behind a verb: the words of the claim; behind a participle that takes a place or a doer also other names.
_CLAIMED = "[Dd]?[cC#]+"
_COMPLEMENT = f"[ipktobfa]{_CLAIMED}(?:(?:,{_PHRASE})*,?&{_PHRASE})?"
_PLACED = f"[ipktobf](?:{_NAMES}|{_PLACE})"
_PARTICIPLE = f"P(?:&P)*(?:{_COMPLEMENT}|{_PLACED})?"
_TAIL = f"(?:,?{_BEHIND}|,?&?{_PARTICIPLE}|,?&?G{_LIST}|(?:,{_NAME})+)"
# What somebody is known for takes nothing of it back, whatever it is.
_KNOWN = "(?:,?Kf[^xnWHA]+)?"
_GROUP = "(?:A|v)*n?v*"
_KIND = f"{_LIST}{_TAIL}*(?:{_AND}D{_PHRASE}{_TAIL}*)*"
_DOES = f"[wcQP](?:&[wcQP])*(?:{_LIST}|{_COMPLEMENT})?{_TAIL}*"
_DONE = f"{_PARTICIPLE}{_TAIL}*"
_PLAIN = f"(?:{_DONE}|{_DOES}|{_KIND}|[ip]{_PLACE}{_TAIL}*)"
_DID = f"[wcQP](?:a[Dd]?[wc]+)?(?:{_LIST}|{_COMPLEMENT})?{_TAIL}*"
_RELATIVE = f"(?:,?W|H)[Avu]*(?:{_PLAIN}|{_DID})(?:S|i[NC][NC]+)*"
_BODY = f"{_GROUP}{_PLAIN}(?:{_RELATIVE})?(?:,?&v?{_GROUP}{_PLAIN})*"
_WHOLE = f"(?:{_BODY}){_KNOWN},?"
_ASIDE = f"v?(?:Y|{_KIND}|{_DONE}),?"
_OPENING = f"{_PARTICIPLE}{_TAIL}*(?:,G[ip]Y)?"
_TIMED = re.compile("[ip]Y")
# Behind a kind that is claimed alone: whatever else the thing did or had done to it does not change what it is. What
# may stand in front of a common noun without a name is still known: "in staging", "from a legend" end no such clause.
_IN = f"(?:p{_PLACE}|[ip](?:D?Y(?:&Y)?|D?{_NAME}(?:(?:,D?{_NAME})*,?&D?{_NAME})?[wc]?))"
_FREE = f"(?:,?(?:{_IN}|R|S|k{_PLACE}|t{_LIST}|o{_LIST}|b(?:F[wc]+o)?{_LIST}|f{_LIST}|a{_LIST}))"
_FREE_RELATIVE = f",?[WH][Avu]*[wcPQ](?:[wcPQ](?=[ipRSkt]))?(?:{_LIST})?{_FREE}*"
_FREE_VERB = f"(?:,?&?[vu]*P(?:&P)*{_FREE}*|,?&?G(?:{_LIST})?{_FREE}*|{_FREE_RELATIVE})"
_FREE_KIND = f"{_LIST}(?:{_FREE_VERB}|{_TAIL}|,?[ipkt][Dd]?[cC]+|k{_NAMED}w?(?:o{_LIST})?|,#o{_LIST})*"
_KIND_ONLY = f"{_GROUP}{_FREE_KIND}(?:{_AND}{_GROUP}D{_FREE_KIND})*{_KNOWN},?"
_NAMED_ASIDE = "[vu]*K[vu]*[abt]?[DdLwo]*[NC][NC&oDdwL]*,?"


@cache
def _form(pattern: str) -> re.Pattern[str]:
    """A pattern, compiled at its first use: all of them take a tenth of a second, which a start need not wait for."""
    return re.compile(pattern)


def is_plain_clause(rest: Tokens, claimed: Tokens, today: Date, *, past: bool, kind: bool = False) -> bool:
    """Whether the words behind a subject are understood. `past`: so is their verb, which may have a date.

    `kind`: only what the subject is, or when it was born and died, is claimed.
    """
    letters = _letters(rest, claimed, today)
    if not past and (timed := _TIMED.search(letters)) and not re.search("[PQGWH]", letters[1 : timed.start()]):
        return False  # what "joins in May" is not known to be
    if kind and rest[0].lower in AUXILIARIES:
        end = _kind_end(rest)
        if _form(_KIND_ONLY).fullmatch(letters) or (
            end and _form(_KIND_ONLY).fullmatch(_letters(rest[:end], claimed, today))
        ):
            return True
    where = next((at for at, token in enumerate(rest) if token.lower == "where" and rest[at - 1].text == ","), None)
    if where and not {token.lower for token in rest[where:]} & _STORIES:
        letters = _letters(rest[:where], claimed, today)  # what happens in a place leaves it where it is
    return _form(_WHOLE).fullmatch(letters) is not None


def _kind_end(rest: Tokens) -> int:
    """Where a clause ends that only tells more of a thing that is already said to be of a kind; 0 without one.

    What somebody did, "who joined after two seasons", leaves the kind as it is, unless it is denied, doubted or a
    story. Of what happens "where" it is nothing is that.
    """
    for at in range(2, len(rest)):
        lower = rest[at].lower
        participle = lower in PARTICIPLES and at + 1 < len(rest) and rest[at + 1].lower in WORDS.prepositions
        if lower not in {"who", "which", "that", "where", "whose"} and not participle:
            continue
        words = {token.lower for token in rest[at + 1 :]}
        doubtful = _STORIES if lower in {"where", "whose"} else _STORIES | HEDGES | ESSENTIAL | NEGATIONS | _TURNS
        return 0 if words & doubtful else at
    return 0


def is_plain_aside(words: Tokens, claimed: Tokens, today: Date) -> bool:
    """Whether what stands between commas behind a subject is understood."""
    letters = _letters([Token("and") if word.lower == "or" else word for word in words], claimed, today)
    return not words or any(_form(each).fullmatch(letters) for each in (_ASIDE, _NAMED_ASIDE))


def is_plain_opening(words: Tokens, today: Date) -> bool:
    """Whether a participle in front of the subject is understood: "Born in Oslo, "."""
    return _form(_OPENING).fullmatch(_letters([Token(words[0].lower), *words[1:]], (), today)) is not None


def _letters(words: Tokens, claimed: Tokens, today: Date) -> str:
    return "".join(_each_letter(words, {token.lower for token in claimed}, today))


def _each_letter(words: Tokens, claimed: set[str], today: Date) -> Iterator[str]:
    at = 0
    while at < len(words):
        letter, at = _phrase(words, at, today) or (_letter(words, at, claimed), at + 1)
        yield letter


def _phrase(words: Tokens, at: int, today: Date) -> tuple[str, int] | None:
    """The letter of a date, a span of time or another phrase that begins at a word, and where it ends."""
    lowers = [word.lower for word in words[at : at + MAX_ROLE_WORDS]]
    end = _past(words, at, today)
    if end:
        return "Y", end
    for phrase, letters in _FIXED:
        if tuple(lowers[: len(phrase)]) == phrase:
            return letters, at + len(phrase)
    if lowers[:3] == ["in", "and", "around"]:
        return "p" if _is_place(words, at + 3) else "i", at + 3
    ends = {"S": _span_end(words, at, today), "R": _role_end(words, at) if lowers[0] == "in" else None}
    later = read_date_at(words, at)
    return next(((letter, end) for letter, end in ends.items() if end), ("x", later[1]) if later else None)


def _span_end(words: Tokens, at: int, today: Date) -> int | None:
    """Where a span of time ends that is past: "from 2001 until May 2004", "since 1990", "over six seasons"."""
    lowers = [word.lower for word in words[at : at + 3]]
    begin = _past(words, at + 1, today) if lowers[0] in {"from", "between", "since"} else None
    if begin and lowers[0] == "since":
        return begin
    if begin and begin < len(words):
        begin += words[begin].text == ","
        joined = words[begin].lower if begin < len(words) else ""
        if [word.lower for word in words[begin + 2 : begin + 3]] == ["death"]:
            return begin + 3
        return _past(words, begin + 1, today) if joined in _SPAN_ENDS else None
    counted = len(lowers) > 2 and lowers[0] in {"for", "over"} and (lowers[1] in NUMBERS or lowers[1].isdigit())
    return at + 3 if counted and lowers[2].endswith("s") and not words[at + 2].is_name else None


def _role_end(words: Tokens, at: int) -> int | None:
    """Where a phrase ends that tells of a role or field: "in the lead roles", "in theatre, television and film"."""
    lowers = [word.lower for word in words[at : at + MAX_ROLE_WORDS]]
    length = next((n for n, word in enumerate(lowers) if word in ROLES), 0)
    if length and set(lowers[1:length]) <= DETERMINERS | FIELDS | _ROLE_KINDS:
        return at + length + 1
    length = next((n for n, word in enumerate(lowers) if n and word not in FIELDS | {",", "and"}), len(lowers))
    while lowers[length - 1] in {",", "and"}:
        length -= 1
    return at + length if length > 1 else None


def _past(words: Tokens, at: int, today: Date) -> int | None:
    """Where a date ends that is not in the future: "May 2001", "early 2001", "1977 – 1983"."""
    at += at < len(words) and words[at].lower in _PARTS_OF_TIME
    read = read_date_at(words, at)
    if read is None or _is_later(read[0], today):
        return None
    end = read[1]
    following = words[end : end + 1]
    return (_past(words, end + 1, today) if following and following[0].text in "–—" else None) or end


def _is_later(date: Date, today: Date) -> bool:
    if not date.years or not today.years:
        return False
    return (date.years[1], date.month, date.day) > (today.years[1], today.month, today.day)


def _letter(words: Tokens, at: int, claimed: set[str]) -> str:
    token = words[at]
    lower = token.lower
    place = lower in _PLACING | _NEAR and _is_place(words, at + 1)
    joins = lower in JOINERS and at + 1 < len(words) and words[at + 1].is_name
    letter = _SINGLE.get(lower) or ("L" if lower in PLACE_WORDS else "w")
    if joins or (token.is_name and not _is_lone_hedge(words, at)):
        letter = "C" if lower in claimed else "N"
    elif lower in _PLACING or (lower in _NEAR and (place or any(word.is_name for word in words[at + 1 : at + 3]))):
        letter = "p" if place else "i"
    elif lower not in _SINGLE:
        kinds = (
            ("#", token.is_figure or lower in NUMBERS),
            ("v", lower in HARMLESS),
            ("u", lower in TIME_ADVERBS),
            ("x", token.is_sign or (lower.endswith("ly") and lower not in _LY)),
            ("F", lower == "former"),
            ("x", lower in _DOUBTFUL and lower not in claimed and not _is_kind(words, at)),
            ("K", lower in {"known", "abbreviated", "nicknamed"}),
            ("P", lower.removeprefix("co-") in PARTICIPLES),
            ("Q", token.is_participle),
            ("k", lower in claimed and lower in WORDS.prepositions),
            ("c", lower in claimed),
        )
        letter = next((kind for kind, holds in kinds if holds), letter)
    return letter


_DOUBTFUL = UNREAD | HEDGES | ESSENTIAL


def _is_kind(words: Tokens, at: int) -> bool:
    """Whether a word is a kind and ends its noun phrase, "an American model", where it qualifies nothing."""
    return words[at].lower in KINDS and (at + 1 == len(words) or words[at + 1].lower in {",", "and", "who", "from"})


def _is_lone_hedge(words: Tokens, at: int) -> bool:
    """Whether a word with a capital is no part of a name: "Planned", "NOT"."""
    beside = [*words[max(at - 1, 0) : at], *words[at + 1 : at + 2]]
    return words[at].lower in HEDGES | ESSENTIAL | NEGATIONS and not any(each.is_name for each in beside)


def _is_place(words: Tokens, at: int) -> bool:
    """Whether a phrase is in a known region, or calls itself a place: "in Graz, Austria", "in the town of Ayr"."""
    end = at
    while end < min(len(words), at + MAX_PLACE_WORDS) and (
        words[end].is_name or words[end].text == "," or words[end].lower in PLACE_WORDS
    ):
        end += 1
    run = [Token("in"), *words[at:end]]
    known = any(token.lower in COUNTRY_OF or token.lower in (PLACE_NAMES if token.is_name else _NOUNS) for token in run)
    return known or any(regions_in(run))


_NOUNS = PLACE_WORDS - {"the", "of", "in", "and", "part", "heart", "middle", "center", "centre"}
