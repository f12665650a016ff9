"""Names in lower case: software such as "checkout-api", and "libvirt" by what a document says of it or by its title."""

import re
from collections import Counter
from functools import cache

from mcp_graphrag.english.lexicon import irregular_pasts
from mcp_graphrag.english.word_lists import WORDS
from mcp_graphrag.mentions.gazetteer import GAZETTEER
from mcp_graphrag.mentions.identifiers import is_plain_variable

# Software by its name in lower case, as parts of names have it: "postgres-main".
SOFTWARE = {name.casefold(): type_ for name, type_ in WORDS.exact.items() if len(name) > 2 and name.isalpha()}
# Names of software that are words: "go-live", "express-lane".
_WORDS = frozenset(name for name in SOFTWARE if GAZETTEER.is_common(name)).union(
    ("git", "json", "yaml", "html", "xml", "csv", "http", "https", "rest", "css", "sql")
)
HYPHENATED = re.compile(r"(?<![\w./@:#=<$&-])[a-z][a-z0-9]{0,30}+(?:-[a-z0-9]{1,30}+){1,5}(?![\w/:=*-]|\.\w|\()")
_WORD = r"[a-z][a-z0-9_+]*(?:[.-][a-z0-9][a-z0-9_]*){0,5}"
_KINDS = (
    "package|project|library|utility|daemon|program|command|tool|toolkit|module|plugin|plug-in|extension|crate|gem"
    "|driver|framework|script|binary|executable|distribution|compiler|interpreter|editor"
)
_OF_KIND = re.compile(rf"\b[Tt]he (?P<name>{_WORD}) (?:{_KINDS})\b(?!-)")
# At the start of a sentence, where any other word has a capital.
_OPENING = re.compile(
    rf"(?:[.!?][ \n]|\n[ \t]*\n[ \t]*|\n[ \t]*[-*+•·][ \t]+)(?P<name>{_WORD})"
    r" (?:also |now |still |only |does |no longer )?(?P<verb>[a-z]+)\b"
)
_TITLE = re.compile(rf"`?(?P<name>{_WORD})`?(?=\Z|[ ]?[-–—:|(]| manual\b| \d)")
_AUXILIARIES = frozenset({"is", "was", "has", "does", "can", "will", "had", "did"})
_ENDINGS = ("er", "or", "ed", "able", "ing", "less", "ness", "ly")
MAX_CANDIDATES = 60
MIN_LENGTH, MAX_LENGTH = 3, 40


def hyphenated_names(text: str) -> frozenset[str]:
    """The hyphenated words of a text whose parts name software."""
    words = {match[0] for match in HYPHENATED.finditer(text)} if "-" in text else ()
    return frozenset(word for word in words if _is_software(word.split("-")))


def _is_software(parts: list[str]) -> bool:
    """Whether the parts name software: "checkout-api", "kafka-legacy"; but not "third-party-api", "self-service"."""
    if len(parts[0]) < 2 or parts[0] in WORDS.placeholders | WORDS.compound_parts or parts[-1].endswith(("ed", "ing")):
        return False
    if parts[-1] in WORDS.software_suffixes:
        return len(parts) > 2 or (parts[0] not in WORDS.software_suffixes and parts[0] not in WORDS.kind_prefixes)
    return parts[-1] not in WORDS.compound_parts and any(part in SOFTWARE and part not in _WORDS for part in parts)


def lower_names(title: str, text: str) -> frozenset[str]:
    """The names in lower case of a text with that title: what it calls "the x library", and what opens sentences."""
    kinds = Counter(said["name"] for said in _OF_KIND.finditer(text))
    opening = {said["name"] for said in _OPENING.finditer(f"\n\n{text}") if _is_verb(said["verb"])}
    candidates = sorted({name for name in kinds if text.count(name) > 1} | opening)
    own = titled_name(title)
    return frozenset([*filter(may_be_name, candidates[:MAX_CANDIDATES]), *([own] if own and own in text else [])])


def pattern_of(names: frozenset[str]) -> re.Pattern[str] | None:
    """What finds these names in a text, None if there are none."""
    listed = "|".join(sorted(map(re.escape, names), key=lambda name: (-len(name), name)))
    return re.compile(rf"(?<![\w./@:$#=<>&\\-])(?:{listed})(?![\w/:=*\\-]|\.\w|\()") if names else None


def titled_name(title: str) -> str | None:
    """The name in lower case that a title begins with."""
    said = _TITLE.match(title)
    return said["name"] if said is not None and may_be_name(said["name"]) else None


def may_be_name(word: str) -> bool:
    """Whether a word in lower case may be a name by its form: no ordinary word or compound."""
    if not MIN_LENGTH <= len(word) <= MAX_LENGTH or word in WORDS.placeholders or is_plain_variable(word):
        return False
    parts = word.replace(".", "-").split("-")
    if "-" in word:
        is_compound = parts[0].endswith("ed") or not WORDS.compound_parts.isdisjoint(parts)
        return not is_compound and not all(map(_is_ordinary, parts))
    return len(parts) > 1 or not _is_ordinary(word)


def _is_ordinary(word: str) -> bool:
    """Whether it is an ordinary word, one with an ending or prefix, or two of them joined: "unquoted", "filename"."""
    joined = (at for at in range(MIN_LENGTH, len(word) - MIN_LENGTH + 1) if GAZETTEER.is_common(word[:at]))
    if any(GAZETTEER.is_common(word[at:]) for at in joined) or word.endswith(_ENDINGS):
        return True
    word = word.rstrip("0123456789")
    forms = {word, *(word.removesuffix(ending) for ending in ("s", "es", "ed", "d"))}
    return WORDS.is_stop(word) or any(map(GAZETTEER.is_common, forms)) or WORDS.is_adverb(word)


def _is_verb(word: str) -> bool:
    if word in _AUXILIARIES or (word.endswith("ed") and _is_ordinary(word)) or word in irregular_pasts():
        return True
    return word.endswith("s") and not word.endswith("ss") and word in _third_persons()


@cache
def _third_persons() -> frozenset[str]:
    """The third person of verbs: of a word that has forms in -s, -ed and -ing."""
    words = GAZETTEER.common_words
    found: set[str] = set()
    for word in words:
        stem = word.removesuffix("e")
        past = {f"{stem}ed", f"{word}{word[-1]}ed", f"{word[:-1]}ied"}
        gerund = {f"{stem}ing", f"{word}{word[-1]}ing", f"{word}ing"}
        if not past.isdisjoint(words) and not gerund.isdisjoint(words):
            found.add(f"{word[:-1]}ies" if word.endswith("y") and word[-2] not in "aeiou" else f"{word}s")
            found.add(f"{word}es")
    return WORDS.third_persons.union(found & words)
