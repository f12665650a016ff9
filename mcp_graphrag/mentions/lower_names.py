"""Names in lower case, such as "libvirt" or "r.stats", by what a document says of them or by its title."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice

from mcp_graphrag.english.lexicon import irregular_pasts
from mcp_graphrag.english.word_lists import WORDS
from mcp_graphrag.mentions.gazetteer import GAZETTEER
from mcp_graphrag.mentions.hyphenated_names import is_bare, is_third_person
from mcp_graphrag.mentions.identifiers import is_plain_variable

_WORD = r"[a-z][a-z0-9_+]*(?:[.-][a-z0-9][a-z0-9_]*){0,5}"
_EDGE, _END = r"(?<![\w./@:$#=<>&\\-])", r"(?![\w/:=*\\-]|\.\w|\()"
LOWER = re.compile(rf"{_EDGE}{_WORD}{_END}")
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
# What a thing needs or gives way to, without an article.
_NEEDED = re.compile(
    rf"\b(?:depends? on|rel(?:y|ies) on|requires?|superseded by|replaced by|provided by|shipped with) (?P<name>{_WORD})"
    r"(?=[.,;)]|\s+(?:and|or|instead|since|at|to|for)\b)"
)
_NAME_SECTION = re.compile(
    rf"^[#*_ \t]*NAME[*_ \t]*\n\s*[*_`]{{0,3}}(?P<name>{_WORD})[*_`]{{0,3}}[ \t]+(?:-{{1,2}}|—|–) ", re.MULTILINE
)
_TITLE = re.compile(rf"`?(?P<name>{_WORD})`?(?=\Z|[ ]?[-–—:|(]| manual\b| \d)")
_DOTTED_LETTER = re.compile(r"[a-z]\.[a-z]\w+(?:\.\w+)*\Z")
_LETTER_NAME = re.compile(rf"{_EDGE}[a-z]\.[a-z]\w{{2,}}(?:\.[a-z]\w*)*{_END}")
_AUXILIARIES = frozenset({"is", "was", "has", "does", "can", "will", "had", "did"})
_FILE = re.compile(r"\.(?:md|txt|rst|html?|pdf|py|js|ts|json|ya?ml|toml|ini|cfg|csv|log|xml|sh|sql|docx?|conf)\Z")
_ARTICLE = re.compile(
    r"\b(?:a|an|any|each|every|another|no|some|this|that|these|those|your|my|its|their|our|the|per|which|one|multiple)\s+\Z",
    re.IGNORECASE,
)
_LISTS, _LISTED, _ASSIGNED, _ENDED = map(re.compile, (r"[(,]\s*\**\Z", r"\s*[,)]", r" ?=(?!=)", _END))
_BEHIND_NOUN = re.compile(
    r"[.,;:)?!]|\s*\Z|\s+(?:of|in|on|at|for|from|with|by|to|into|is|was|are|were|has|have|can|may|must|will|should|does"
    r"|and|or|that|which|when|if|as|where|so|but|because|without|within|than|cannot|could|would)\b"
)
_PREFIX = re.compile(
    r"\A(?:un|multi|non|re|pre|sub|over|inter|mis|dis|anti|semi|super|hyper|meta|micro|auto|co)(?=[a-z]{3})"
)
_AGENT = re.compile(r"[a-z]{3,}(?:er|or|ed|able|ing|less|ness|ly)")
MAX_CANDIDATES = 60
MIN_LENGTH, MAX_LENGTH = 3, 40


def lower_names(title: str, text: str) -> frozenset[str]:
    """The names in lower case of a text with that title; none that it uses as a common noun too."""
    titled = set(_of_title(title, text))
    kinds: Counter[str] = Counter()
    for said in _OF_KIND.finditer(text):
        kinds[said["name"]] += 1
        if len(kinds) > MAX_CANDIDATES:
            break
    opening: set[str] = set()
    for said in _OPENING.finditer(f"\n\n{text}"):
        if _is_verb(said["verb"]):
            opening.add(said["name"])
        if len(opening) > MAX_CANDIDATES:
            break
    opening.update(said["name"] for said in islice(_NEEDED.finditer(text), MAX_CANDIDATES))
    candidates = titled | {name for name in {*kinds, *opening} if may_be_name(name)}
    if not candidates:
        return frozenset()
    bare, common = _uses(candidates, text)
    said_so = {name for name, times in kinds.items() if times > 1 or name in bare} | opening
    found = (candidates & said_so - common) | {name for name in titled if name in text}
    if any(map(_DOTTED_LETTER.match, titled)):
        found.update(said[0] for said in _LETTER_NAME.finditer(text) if _FILE.search(said[0]) is None)
    return frozenset(found)


def _uses(names: set[str], text: str) -> tuple[set[str], set[str]]:
    """The names that a text has without an article, and those that it uses as common nouns or as arguments.

    Common nouns have an article and no noun behind them, or a plural: "a mutex", "mutexes"; arguments stand in calls or
    are assigned: "f(path, fullname)", "fullname=None".
    """
    bare: set[str] = set()
    common: set[str] = set()
    for said in re.finditer(rf"{_EDGE}(?P<name>{_listed(names)})(?P<ending>e?s)?(?!\w)", text, re.IGNORECASE):
        name, end = said["name"].lower(), said.end()
        if name in common:
            continue
        has_article = _ARTICLE.search(text, max(said.start() - 12, 0), said.start()) is not None
        is_argument = _LISTS.search(text, max(said.start() - 4, 0), said.start()) and _LISTED.match(text, end)
        if (
            said["ending"]
            or (has_article and _BEHIND_NOUN.match(text, end))
            or is_argument
            or _ASSIGNED.match(text, end)
        ):
            common.add(name)
        elif name not in bare and _ENDED.match(text, end) and is_bare(text, said.start(), end):
            bare.add(name)
    return bare, common


def _listed(names: Iterable[str]) -> str:
    return "|".join(sorted(map(re.escape, names), key=lambda name: (-len(name), name)))


def pattern_of(names: frozenset[str]) -> re.Pattern[str] | None:
    """What finds these names in a text, None if there are none."""
    if not names:
        return None
    return re.compile(rf"{_EDGE}(?:{_listed(names)}){_END}")


def titled_name(title: str, text: str) -> str | None:
    """The name in lower case that a document with that title is about; of "foo: bar" bar, of "foo: a guide" none."""
    _, colon, rest = title.partition(": ")
    return next(_of_title(rest if colon else title, text), None)


def _of_title(title: str, text: str) -> Iterator[str]:
    said = _TITLE.match(title)
    section = _NAME_SECTION.search(text)
    for found in (said, section):
        if found is not None and may_be_name(found["name"]):
            yield found["name"]


def may_be_name(word: str) -> bool:
    """Whether a word in lower case may be a name by its form: no ordinary word or compound, and no file."""
    if (
        not MIN_LENGTH <= len(word) <= MAX_LENGTH
        or _FILE.search(word)
        or word in WORDS.placeholders
        or is_plain_variable(word)
    ):
        return False
    parts = re.split(r"[.-]", word)
    if "-" in word:
        is_compound = parts[0].endswith("ed") or not WORDS.compound_parts.isdisjoint(parts)
        return not is_compound and not all(map(_is_ordinary, parts))
    return len(parts) > 1 or not _is_ordinary(word)


def _is_ordinary(word: str) -> bool:
    """Whether it is an ordinary word, one with an ending or prefix, or two of them joined: "unquoted", "filename"."""
    joined = (at for at in range(MIN_LENGTH, len(word) - MIN_LENGTH + 1) if GAZETTEER.is_common(word[:at]))
    if _PREFIX.sub("", word) != word and _is_ordinary(_PREFIX.sub("", word)):
        return True
    if any(GAZETTEER.is_common(word[at:]) for at in joined) or _AGENT.fullmatch(word):
        return True
    word = word.rstrip("0123456789")
    plain = (word, word.removesuffix("s"), word.removesuffix("es"), word.removesuffix("ed"), word.removesuffix("d"))
    gerund = (word.removesuffix("ing"), f"{word.removesuffix('ing')}e") if word.endswith("ing") else ()
    return WORDS.is_stop(word) or any(map(GAZETTEER.is_common, (*plain, *gerund))) or WORDS.is_adverb(word)


def _is_verb(word: str) -> bool:
    is_past = (word.endswith("ed") and _is_ordinary(word)) or word in irregular_pasts()
    return word in _AUXILIARIES or is_third_person(word) or is_past
