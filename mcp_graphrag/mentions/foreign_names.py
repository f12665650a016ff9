"""Proper names in texts of other languages than English, by their script and their capitals, by no word of English.

In most languages a word with a capital inside a sentence is a name. In German every noun has one. Chinese and Japanese
have none, and there a word in Latin letters is marked.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from mcp_graphrag.english.spans import Span
from mcp_graphrag.english.word_lists import WORDS
from mcp_graphrag.mentions.gazetteer import GAZETTEER
from mcp_graphrag.mentions.person_names import is_full_name
from mcp_graphrag.written_languages.language_of import ENGLISH, UNKNOWN, WORD, known_language

NOUNS_IN_CAPITALS = frozenset({"de", UNKNOWN})
MAX_NAME_TOKENS = 4  # of a person or place in a language of nouns in capitals
MAX_ACRONYM = 6  # letters; longer words in capitals are shouted
_TOKEN = re.compile(r"[^\W\d_](?:[\w&.+#-]*[\w+#])?")
_GAP = re.compile(r"[ \xa0](?:(?:d[aeiou]|de[lnr]|la|von|van|zu|dos|das)[ \xa0]){0,2}")
# Behind a small letter, so inside a sentence.
_INSIDE = re.compile(r"(?<=[^\W\d_])(?:[,;)]?[ \xa0]|['’])(?=([^\W\d_][\w&.+#-]*[\w+#]))")
_OPENS = frozenset(':«»„“”‚‘"¿¡(—–•…|')
# In front of another name: "Banque de France" is neither "Banque" nor, for certain, both words.
_OF = re.compile(r"[ \xa0](?:d[aeiou]s?|de[lnr]|della?|von|van)(?:[ \xa0](?:l[aeo]s?[ \xa0]|l['’])?|['’])|[ \xa0]d['’]")
_MARKED = re.compile(
    r"『([^』。\n]{2,30})』|《([^》。\n]{2,30})》"
    r"|(?<=[\u30a1-\u30fc\u4e00-\u9fff])「([^」\u3041-\u3096。、\n]{2,20})」"  # behind what it is a name of
    r"|([\u30a1-\u30fa\u30fc・]{2,30}(?=さん|氏|社)|[\u4e00-\u9fff]{2,5}(?=氏)|[\u30a1-\u30fa\u30fc・]{2,30}(?:大学|財団|銀行))"
)
_ROMAN = frozenset("IVXLCDM")
_NO_NAMES = frozenset({"GmbH", "MwSt"})


@dataclass(frozen=True)
class ForeignUsage:
    """The words of a text in another language than English, as spelled, and those with a capital inside a sentence."""

    language: str
    words: frozenset[str]
    inside: frozenset[str]

    @property
    def has_capitals(self) -> bool:
        """Whether its script has them."""
        return self.language == UNKNOWN or known_language(self.language).has_capitals

    def is_word(self, word: str) -> bool:
        """Whether a word with a capital is an ordinary one: it is small elsewhere, or says nothing."""
        lower = word.lower()
        is_small = lower in self.words or (word.isupper() and word.title() in self.words)
        return _is_plain(word) or word in _NO_NAMES or is_small or lower in known_language(self.language).words


def read_foreign_usage(text: str, language: str) -> ForeignUsage | None:
    """How a text uses its words, None for one in English."""
    if language == ENGLISH:
        return None
    behind_small = (found[1] for found in _INSIDE.finditer(text) if text[found.start() - 1].islower())
    inside = frozenset(word for word in behind_small if word[0].isupper())
    return ForeignUsage(language, frozenset(WORD.findall(text)), inside)


def find_foreign_names(prose: str, opening: int, span: Span, usage: ForeignUsage) -> Iterator[tuple[int, int, bool]]:
    """Start and end of each name in a part of a sentence that starts at `opening`, and whether it has several words."""
    if not usage.has_capitals:
        for found in _MARKED.finditer(prose, *span):
            yield *found.span(found.lastindex or 0), False
    for run in _runs(prose, span):
        if not usage.has_capitals:
            names = [run] if _is_marked_by_script(prose, run, usage) else []
        elif usage.language in NOUNS_IN_CAPITALS:
            names = list(_by_form(prose, run, usage))
        else:
            names = list(_by_capitals(prose, opening, run, usage))
        yield from ((name[0][0], name[-1][1], len(name) > 1) for name in names)


def _runs(prose: str, span: Span) -> Iterator[list[Span]]:
    """The words with a capital that stand beside each other; particles are only in the names of persons."""
    run: list[Span] = []
    for token in _TOKEN.finditer(prose, *span):
        start, end = token.span()
        before = prose[max(start - 2, 0) : start]
        is_elided = before[-1:] in {"'", "’"} and (len(before) < 2 or before[0].isupper())  # "L'Oréal"
        if not token[0][0].isupper() or is_elided or before[-1:].isdigit() or before[-1:] in {"-", "_", "/", "@", "."}:
            continue
        gap = _GAP.fullmatch(prose, run[-1][1], start) if run else None
        if run and (gap is None or (len(gap[0]) > 1 and prose[slice(*run[-1])] not in GAZETTEER.given_names)):
            yield run
            run = []
        if prose[end : end + 1] not in {"-", "_", "/"}:
            run.append((start, end))
    if run:
        yield run


def _is_marked_by_script(prose: str, run: list[Span], usage: ForeignUsage) -> bool:
    words = [prose[slice(*token)] for token in run]
    if not all(map(str.isascii, words)) or all(map(GAZETTEER.is_common, words)):
        return False
    return len(words) > 1 or not (_is_plain(words[0]) or (words[0].isupper() and words[0].title() in usage.words))


def _is_plain(word: str) -> bool:
    """Whether it is a letter, a number or an acronym that names nothing."""
    return len(word) < 2 or word.removesuffix("s") in WORDS.plain_acronyms or _ROMAN.issuperset(word)


def _by_form(prose: str, run: list[Span], usage: ForeignUsage) -> Iterator[list[Span]]:
    """Persons and places that are known, and words with capitals or digits inside."""
    at = 0
    while at < len(run):
        for stop in range(min(len(run), at + MAX_NAME_TOKENS), at, -1):
            name = prose[run[at][0] : run[stop - 1][1]]
            if is_full_name(name) or name in GAZETTEER.places or (stop == at + 1 and _has_form(name, usage)):
                yield run[at:stop]
                at = stop - 1
                break
        at += 1


def _has_form(word: str, usage: ForeignUsage) -> bool:
    """Whether each part of a word has the form of a name: "PostgreSQL", "K8s", but not "API-Schlüssel"."""
    parts = word.split("-")
    inner = all(part[1:] != part[1:].lower() or any(map(str.isdigit, part)) for part in parts)
    is_shouted = word.isupper() and len(word) > MAX_ACRONYM
    return inner and not is_shouted and not word.endswith("Innen") and not any(map(usage.is_word, parts))


def _by_capitals(prose: str, opening: int, run: list[Span], usage: ForeignUsage) -> Iterator[list[Span]]:
    """The run, without a first word that has its capital from the sentence."""
    before = prose[max(opening, run[0][0] - 12) : run[0][0]]
    first = prose[slice(*run[0])]
    opens = not any(map(str.isalpha, before)) or before.rstrip()[-1:] in _OPENS
    if opens and (first not in usage.inside or usage.is_word(first)):
        run = run[1:]
    words = [prose[slice(*token)] for token in run]
    if not run or all(map(usage.is_word, words)) or any(word.isupper() and len(word) > MAX_ACRONYM for word in words):
        return
    of = _OF.match(prose, run[-1][1]) if len(run) == 1 else None
    if of is None or not prose[of.end() : of.end() + 1].isupper():
        yield run
