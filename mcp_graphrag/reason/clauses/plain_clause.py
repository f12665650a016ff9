"""Whether a clause is made only of what is understood: a closed grammar of what may stand around the words of a claim.

Each word becomes one letter, and a pattern says which letters may follow each other. A word or phrase that is not in it
may be a condition, a doubt, another time or a story, so that the clause states nothing: "in staging", ", some say".
"""

import re
from collections.abc import Iterator

from mcp_graphrag.extract.english.word_lists import WORDS
from mcp_graphrag.reason.clauses.clause_words import (
    COUNTRY_OF,
    ESSENTIAL,
    HARMLESS,
    HEDGES,
    NEGATIONS,
    NUMBERS,
    PARTICIPLES,
    PLACE_WORDS,
    UNREAD,
    Token,
    regions_in,
)
from mcp_graphrag.reason.clauses.parse_clause import Date, Tokens, read_date_at

_SINGLE = {
    ",": ",",
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
    **dict.fromkeys(("to", "with", "from", "near"), "k"),
    **dict.fromkeys(NEGATIONS, "n"),
    **dict.fromkeys(("starring", "featuring"), "G"),
}
_JOINERS = frozenset({"de", "la", "le", "du", "des", "von", "van", "der", "den", "del", "di", "da", "dos", "al", "bin"})
_PLACING = frozenset({"in", "on", "at"})
_LY = WORDS.adverbs_not | {"daily", "weekly", "monthly", "yearly", "family"}
MAX_PLACE_WORDS = 10

# D article, d possessive, w word, c word of the claim, N name, C name of the claim, L word for a place, # number, Y
# date, K known, P participle that is known to assert, Q another one, G starring, A auxiliary, n not, v adverb, o of,
# b by, f for, i in without a known place, p in with one, k to, with and from, W who, H that and which, x what is not
# understood.
_WORD = "(?:[wcNCL#Y]|[PQK](?=[wcL]))"
_PHRASE = f"[Dd]?{_WORD}+"
_AND = "(?:,&|,|&)"
_LIST = f"{_PHRASE}(?:(?:,{_PHRASE})*,?&{_PHRASE})?"
_NAME = "[NC][NC#]*"
_NAMED = f"[Dd]?(?:[wcL]|[NC](?=[wcL]))*{_NAME}"
_NAMES = f"(?:[wc]+&)?{_NAMED}(?:(?:,{_NAMED})*,?&{_NAMED})?"
_PLACE = f"(?:D?[L]+o)*D?L*{_NAME}(?:,D?{_NAME})*(?:&{_NAME})*"
_BEHIND = f"(?:[ip]Y|p{_PLACE}|k{_PLACE}|o{_LIST}|b{_NAMES}|fd[wc]+|f{_NAMES})"
# Directly behind a verb: the words of the claim; behind a participle that takes a place or a doer also other names.
_CLAIMED = "[Dd]?[cC#]+"
_COMPLEMENT = f"[ipkobf]{_CLAIMED}(?:(?:,{_PHRASE})*,?&{_PHRASE})?"
_PLACED = f"[ipkobf](?:{_NAMES}|{_PLACE})"
_PARTICIPLE = f"P(?:&P)*(?:{_COMPLEMENT}|{_PLACED})?"
_TAIL = f"(?:,?{_BEHIND}|,?&?{_PARTICIPLE}|,?&?G{_LIST}|(?:,{_NAME})+)"
# What somebody is known for takes nothing of it back, whatever it is.
_KNOWN = "(?:,?Kf[^xnWHA]+)?"
_GROUP = "(?:A|v)*n?v*"
_KIND = f"{_LIST}{_TAIL}*(?:{_AND}D{_PHRASE}{_TAIL}*)*"
_DOES = f"[wcQP](?:&[wcQP])*(?:{_LIST}|{_COMPLEMENT})?{_TAIL}*"
_DONE = f"{_PARTICIPLE}{_TAIL}*"
_PLAIN = f"(?:{_DONE}|{_DOES}|{_KIND}|[ip]{_PLACE}{_TAIL}*)"
_RELATIVE = f"(?:,?W|H){_GROUP}{_PLAIN}"
_BODY = f"{_GROUP}{_PLAIN}(?:{_RELATIVE})?(?:,?&v?{_GROUP}{_PLAIN})*"
_WHOLE = re.compile(f"(?:{_BODY}){_KNOWN},?")
_ASIDE = re.compile(f"v?(?:Y|{_KIND}|{_DONE}),?")
_OPENING = re.compile(f"{_PARTICIPLE}{_TAIL}*")
_TIMED = re.compile("[ip]Y")


def is_plain_clause(rest: Tokens, claimed: Tokens, today: Date, *, past: bool) -> bool:
    """Whether the words behind a subject are understood. `past`: so is their verb, which may have a date."""
    letters = _letters(rest, claimed, today)
    if not past and (timed := _TIMED.search(letters)) and not re.search("[PQGWH]", letters[1 : timed.start()]):
        return False  # what "joins in May" is not known to be
    return _WHOLE.fullmatch(letters) is not None


def is_plain_aside(words: Tokens, claimed: Tokens, today: Date) -> bool:
    """Whether what stands between commas behind a subject is understood."""
    return not words or _ASIDE.fullmatch(_letters(words, claimed, today)) is not None


def is_plain_opening(words: Tokens, today: Date) -> bool:
    """Whether a participle in front of the subject is understood: "Born in Oslo, "."""
    return _OPENING.fullmatch(_letters([Token(words[0].lower), *words[1:]], (), today)) is not None


def _letters(words: Tokens, claimed: Tokens, today: Date) -> str:
    return "".join(_each_letter(words, {token.lower for token in claimed}, today))


def _each_letter(words: Tokens, claimed: set[str], today: Date) -> Iterator[str]:
    at = 0
    while at < len(words):
        read = read_date_at(words, at)
        if read:
            yield "x" if _is_later(read[0], today) else "Y"
            at = read[1]
            continue
        yield _letter(words, at, claimed)
        at += 1


def _is_later(date: Date, today: Date) -> bool:
    if not date.years or not today.years:
        return False
    return (date.years[1], date.month, date.day) > (today.years[1], today.month, today.day)


def _letter(words: Tokens, at: int, claimed: set[str]) -> str:
    token = words[at]
    lower = token.lower
    joins = lower in _JOINERS and at + 1 < len(words) and words[at + 1].is_name
    letter = _SINGLE.get(lower) or ("L" if lower in PLACE_WORDS else "w")
    if joins or (token.is_name and not _is_lone_hedge(words, at)):
        letter = "C" if lower in claimed else "N"
    elif lower in _PLACING:
        letter = "p" if _is_place(words, at + 1) else "i"
    elif lower not in _SINGLE:
        kinds = (
            ("#", token.text[0].isdigit() or lower in NUMBERS),
            ("v", lower in HARMLESS),
            ("x", token.is_sign or (lower.endswith("ly") and lower not in _LY)),
            ("x", lower in _DOUBTFUL and lower not in claimed),
            ("K", lower == "known"),
            ("P", lower.removeprefix("co-") in PARTICIPLES),
            ("Q", token.is_participle),
            ("k", lower in claimed and lower in WORDS.prepositions),
            ("c", lower in claimed),
        )
        letter = next((kind for kind, holds in kinds if holds), letter)
    return letter


_DOUBTFUL = UNREAD | HEDGES | ESSENTIAL


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
    known = any(token.lower in COUNTRY_OF or (not token.is_name and token.lower in _NOUNS) for token in run)
    return known or any(regions_in(run))


_NOUNS = PLACE_WORDS - {"the", "of", "in", "and", "part", "heart", "middle", "center", "centre"}
