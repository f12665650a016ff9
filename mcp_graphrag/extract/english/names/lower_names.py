"""Names in lower case, such as "libvirt" or "r.stats", by what a document says of them or by its title."""

import re
from collections.abc import Iterator

from mcp_graphrag.extract.english.gazetteer import GAZETTEER
from mcp_graphrag.extract.english.identifiers import is_plain_variable
from mcp_graphrag.extract.english.names.hyphenated_names import is_bare, is_third_person
from mcp_graphrag.extract.english.word_lists import WORDS

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
    rf"(?:[.!?][ \n]|\n[ \t]*\n[ \t]*)(?P<name>{_WORD})"
    r" (?:also |now |still |only |does )?(?P<verb>[a-z]+)\b"
)
_NAME_SECTION = re.compile(
    rf"^[#*_ \t]*NAME[*_ \t]*\n\s*[*_`]{{0,3}}(?P<name>{_WORD})[*_`]{{0,3}}[ \t]+(?:-{{1,2}}|—|–) ", re.MULTILINE
)
_TITLE = re.compile(rf"`?(?P<name>{_WORD})`?(?=\Z|[ ]?[-–—:|(]| manual\b| \d)")
_DOTTED_LETTER = re.compile(r"[a-z]\.[a-z]\w+(?:\.\w+)*\Z")
_LETTER_NAME = re.compile(rf"{_EDGE}[a-z]\.[a-z]\w{{2,}}(?:\.[a-z]\w*)*{_END}")
_AUXILIARIES = frozenset({"is", "was", "has", "does", "can", "will", "had", "did"})
_FILE = re.compile(r"\.(?:md|txt|rst|html?|pdf|py|js|ts|json|ya?ml|toml|ini|cfg|csv|log|xml|sh|sql|docx?|conf)\Z")
_BEFORE_NOUN = (
    r"a|an|any|each|every|another|no|some|this|that|these|those|your|my|its|their|our|the|per|which|one|multiple"
)
_BEHIND_NOUN = (
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
    found: set[str] = {name for name in titled if _occurs(name, text)}
    seen: dict[str, int] = {}
    for said in _OF_KIND.finditer(text):
        seen[said["name"]] = seen.get(said["name"], 0) + 1
        if len(seen) > MAX_CANDIDATES:
            break
    found |= {name for name, times in seen.items() if may_be_name(name) and (times > 1 or _has_bare_use(name, text))}
    for said in _OPENING.finditer(f"\n\n{text}"):
        if len(found) > MAX_CANDIDATES:
            break
        if said["name"] not in found and may_be_name(said["name"]) and _is_verb(said["verb"]):
            found.add(said["name"])
    found = {name for name in found if name in titled or not (_is_common_noun(name, text) or _is_argument(name, text))}
    if any(map(_DOTTED_LETTER.match, titled)):
        found.update(said[0] for said in _LETTER_NAME.finditer(text) if _FILE.search(said[0]) is None)
    return frozenset(found)


def pattern_of(names: frozenset[str]) -> re.Pattern[str] | None:
    """What finds these names in a text, None if there are none."""
    if not names:
        return None
    listed = "|".join(sorted(map(re.escape, names), key=lambda name: (-len(name), name)))
    return re.compile(rf"{_EDGE}(?:{listed}){_END}")


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
    return word in _AUXILIARIES or is_third_person(word)


def _occurs(name: str, text: str) -> bool:
    return re.search(rf"{_EDGE}{re.escape(name)}{_END}", text) is not None


def _has_bare_use(name: str, text: str) -> bool:
    return any(is_bare(text, *said.span()) for said in re.finditer(rf"{_EDGE}{re.escape(name)}{_END}", text))


def _is_common_noun(name: str, text: str) -> bool:
    """Whether a text has a word with an article and no noun behind it, or in the plural: "a mutex", "mutexes"."""
    word = re.escape(name)
    if re.search(rf"\b(?:{_BEFORE_NOUN})\s+{word}(?:{_BEHIND_NOUN})", text, re.IGNORECASE):
        return True
    return re.search(rf"{_EDGE}{word}e?s\b", text, re.IGNORECASE) is not None


def _is_argument(name: str, text: str) -> bool:
    """Whether a text has a word in a list of arguments or assigns it: "f(path, fullname)", "fullname=None"."""
    word = re.escape(name)
    return re.search(rf"[(,]\s*\**{word}\s*[,)]|(?<![\w.-]){word} ?=(?!=)", text) is not None
