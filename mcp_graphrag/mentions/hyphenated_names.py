"""Names of software such as "checkout-api": hyphenated words in lower case that are no ordinary compound."""

import re
from collections.abc import Iterator

from mcp_graphrag.english.spans import MASK
from mcp_graphrag.english.word_lists import WORDS
from mcp_graphrag.mentions.gazetteer import GAZETTEER

# Software by its name in lower case, as parts of names have it: "postgres-main".
SOFTWARE = {name.casefold(): type_ for name, type_ in WORDS.exact.items() if len(name) > 2 and name.isalpha()}
HYPHENATED = re.compile(r"(?<![\w./@:#=<$&-])[a-z][a-z0-9]{0,30}+(?:-[a-z0-9]{1,30}+){1,5}(?![\w/:=*-]|\.\w|\()")
_AGENT = re.compile(r"[a-z]{3,}(?:er|or)\Z")
_BEFORE = re.compile(rf"(?:\A|[\s{MASK}(\"'“`*])([\w’'-]+)[ \xa0]\Z")
_AFTER = re.compile(r"(?:['’]s)?(?:[ \xa0]([\w’'-]+)|\s*([.,;:!?()\n]|\Z))")


def hyphenated_names(text: str) -> frozenset[str]:
    """The hyphenated words of a text that are names.

    The reasons are: the last part or a part that is software ("-api", "kafka-"); or a use without an article, which
    common nouns do not have, of one whose last part is an agent ("ledger-writer") or, in a text that has such names,
    whose parts are not all ordinary words.
    """
    if "-" not in text:
        return frozenset()
    found: set[str] = set()
    unsure: set[str] = set()
    for match in HYPHENATED.finditer(text):
        name = match[0]
        parts = name.split("-")
        if name in found or _is_no_name(parts):
            continue
        is_agent = _AGENT.match(parts[-1]) is not None
        if _is_software(parts):
            found.add(name)
        elif not WORDS.compound_parts.isdisjoint(parts):
            continue
        else:
            bare = is_bare(text, *match.span())
            acts = is_agent and _has_verb_behind(text, match.end())
            if bare and acts:
                found.add(name)
            elif acts or (bare and (is_agent or not all(map(GAZETTEER.is_common, parts)))):
                unsure.add(name)
    return frozenset(found | unsure) if found else frozenset()


def _is_no_name(parts: list[str]) -> bool:
    return len(parts[0]) < 2 or parts[0] in WORDS.placeholders or parts[-1].endswith(("ed", "ing"))


def _is_software(parts: list[str]) -> bool:
    """Whether the parts name software: "checkout-api", "kafka-legacy"; but not "third-party-api", "self-service"."""
    if parts[0] in WORDS.compound_parts:
        return False
    if parts[-1] in WORDS.software_suffixes:
        return len(parts) > 2 or (parts[0] not in WORDS.software_suffixes and parts[0] not in WORDS.kind_prefixes)
    return parts[-1] not in WORDS.compound_parts and any(part in SOFTWARE and part not in _WORDS for part in parts)


# Names of software that are words: "go-live", "express-lane".
_WORDS = frozenset(name for name in SOFTWARE if GAZETTEER.is_common(name)) | {
    "git",
    "json",
    "yaml",
    "html",
    "xml",
    "csv",
    "http",
    "https",
    "rest",
    "css",
    "sql",
}


def is_bare(text: str, start: int, end: int) -> bool:
    """Whether it is used as a noun without an article or another word that belongs to it."""
    before = _BEFORE.search(text, max(start - 24, 0), start)
    if before is None:
        lead = text[max(start - 3, 0) : start].rstrip(" ")
        if lead.strip(f"\t\n\"'“*(-{MASK}") and not lead.endswith((".", ",", ":", "]", ">")) and not lead[-1].isdigit():
            return False
    else:
        word = before[1].casefold()
        is_verb = word.endswith(("s", "ed", "ing")) and word not in WORDS.determiners | WORDS.possessives
        if word not in WORDS.prepositions and word not in WORDS.after_nouns and not is_verb:
            return False
        if word in WORDS.copulas or word in {"as", "this", "his", "its", "various", "previous", "famous"}:
            return False
    after = _AFTER.match(text, end)
    return after is not None and (after[2] is not None or _may_follow(after[1]))


def _may_follow(word: str) -> bool:
    """Whether the word may follow a noun: a verb, a preposition or a conjunction, and no noun that it modifies."""
    plain = word.casefold()
    closed = WORDS.auxiliaries | WORDS.prepositions | WORDS.adverbs | WORDS.after_nouns
    return plain in closed or plain.endswith("ed") or is_third_person(plain) or WORDS.is_adverb(plain)


def is_third_person(word: str) -> bool:
    """Whether a word is the third person of a verb: "wraps"."""
    return word.endswith("s") and not word.endswith("ss") and word in _VERBS


def _has_verb_behind(text: str, end: int) -> bool:
    after = _AFTER.match(text, end)
    if after is None or after[1] is None:
        return False
    return after[1] in WORDS.auxiliaries - {"to"} or after[1].endswith("ed") or after[1] in _VERBS


def _verbs() -> Iterator[str]:
    """The third person of verbs: of a word that has forms in -s, -ed and -ing."""
    words = GAZETTEER.common_words
    for word in words:
        stem = word.removesuffix("e")
        past = {f"{stem}ed", f"{word}{word[-1]}ed", f"{word[:-1]}ied"}
        gerund = {f"{stem}ing", f"{word}{word[-1]}ing", f"{word}ing"}
        if not past.isdisjoint(words) and not gerund.isdisjoint(words):
            yield f"{word[:-1]}ies" if word.endswith("y") and word[-2] not in "aeiou" else f"{word}s"
            yield f"{word}es"


_VERBS = (frozenset(_verbs()) & GAZETTEER.common_words) | WORDS.third_persons
