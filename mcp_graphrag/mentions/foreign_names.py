"""Proper names in texts of other languages than English, by their script and their capitals, by no word of English.

In most languages a word with a capital inside a sentence is a name. In German every noun has one. Chinese and Japanese
have none, and there a word in Latin letters is marked.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from mcp_graphrag.english.spans import MASK, Span
from mcp_graphrag.english.word_lists import WORDS
from mcp_graphrag.mentions.gazetteer import GAZETTEER
from mcp_graphrag.mentions.person_names import is_full_name
from mcp_graphrag.written_languages.language_of import ENGLISH, UNKNOWN, WORD, known_language

NOUNS_IN_CAPITALS = frozenset({"de", UNKNOWN})
MAX_NAME_TOKENS = 4  # of a person or place in a language of nouns in capitals
MAX_ACRONYM = 5  # letters; longer words in capitals are shouted
# A word that is cut from nothing: not "Oréal" of "L'Oréal", or "Ein" of "Ein- und Ausgabe".
_TOKEN = re.compile(r"(?<![\w@./-])(?<![A-ZÀ-Þ]['’])[^\W\d_](?:[\w&.+#-]*[\w+#])?(?![\w/-])")
_LATIN = re.compile(_TOKEN.pattern, re.ASCII)
_PARTICLE = re.compile(r"[ \xa0](?:(?:d[aeiou]|de[lnr]|la|von|van|zu|dos|das)[ \xa0]){1,2}")
# Behind a small letter, so inside a sentence.
_INSIDE = re.compile(r"(?<=[^\W\d_])(?:[,;)]?[ \xa0]|['’])(?=([^\W\d_][\w&.+#-]*[\w+#]))")
_OPENS = frozenset(':«»„“”‚‘"¿¡(—–-•…|')
# In front of another name: "Banque de France" is neither "Banque" nor, for certain, both words.
_OF = re.compile(r"[ \xa0](?:d[aeiou]s?|de[lnr]|della?|von|van)(?:[ \xa0](?:l[aeo]s?[ \xa0]|l['’])?|['’])|[ \xa0]d['’]")
_MARKED = re.compile(
    r"『([^』。\n]{2,30})』|《([^》。\n]{2,30})》"
    r"|(?<=[\u30a1-\u30fc\u4e00-\u9fff])「([^」\u3041-\u3096。、\n]{2,20})」"  # behind what it is a name of
    r"|([\u30a1-\u30fa\u30fc・]{2,30}(?=さん|氏|社)|[\u4e00-\u9fff]{2,5}(?=氏)|[\u30a1-\u30fa\u30fc・]{2,30}(?:大学|財団|銀行))"
)


@dataclass(frozen=True)
class ForeignUsage:
    """The words of a text in another language than English, as spelled, and those with a capital inside a sentence."""

    language: str
    has_capitals: bool  # in its script
    words: frozenset[str]
    inside: frozenset[str]

    def is_word(self, word: str) -> bool:
        """Whether a word with a capital is an ordinary one: shouted, small elsewhere, a number, or a stop word."""
        lower = word.lower()
        is_shouted = word.isupper() and (len(word) > MAX_ACRONYM or word.title() in self.words)
        is_plain = len(word) < 2 or word.removesuffix("s") in WORDS.plain_acronyms or set(word) <= set("IVXLCDM")
        return (
            is_plain
            or is_shouted
            or lower in known_language(self.language).words
            or (self.has_capitals and lower in self.words)
        )


def read_foreign_usage(text: str, language: str) -> ForeignUsage | None:
    """How a text uses its words, None for one in English."""
    if language == ENGLISH:
        return None
    behind_small = (found[1] for found in _INSIDE.finditer(text) if text[found.start() - 1].islower())
    inside = frozenset(word for word in behind_small if word[0].isupper())
    return ForeignUsage(language, known_language(language).has_capitals, frozenset(WORD.findall(text)), inside)


def find_foreign_names(prose: str, opening: int, span: Span, usage: ForeignUsage) -> Iterator[tuple[int, int, bool]]:
    """Start and end of each name in a part of a sentence that starts at `opening`, and whether it has several words."""
    for run in _runs((_TOKEN if usage.has_capitals else _LATIN).finditer(prose, *span), prose):
        if len(run) > 1 and prose[run[0][0] : run[-1][1]].isupper() and any(end - at > 4 for at, end in run):
            continue  # shouted
        if usage.language in NOUNS_IN_CAPITALS:
            names = list(_by_form(prose, run, usage))
        else:
            name = _behind_opening(prose, opening, run, usage) if usage.has_capitals else run
            names = [name] if _is_name(prose, name, usage) else []
        yield from ((name[0][0], name[-1][1], len(name) > 1) for name in names)
    for found in _MARKED.finditer(prose, *span) if not usage.has_capitals else ():
        yield *found.span(found.lastindex or 0), False


def _runs(tokens: Iterable[re.Match[str]], prose: str) -> Iterator[list[Span]]:
    """The words with a capital that stand beside each other; particles are only in the names of persons."""
    run: list[Span] = []
    for token in tokens:
        if token[0][0].isupper():
            gap = prose[run[-1][1] : token.start()] if run else ""
            is_person = run and prose[slice(*run[-1])] in GAZETTEER.given_names and _PARTICLE.fullmatch(gap)
            is_initial = gap == ". " and run[-1][1] - run[-1][0] == 1
            if run and gap not in {" ", "\xa0"} and not is_initial and (not is_person or token[0].isupper()):
                yield run
                run = []
            run.append(token.span())
    if run:
        yield run


def _is_name(prose: str, run: list[Span], usage: ForeignUsage) -> bool:
    """Whether capitals inside a sentence, or Latin letters in a script without them, are of a name."""
    words = [prose[slice(*token)] for token in run]
    if all(map(usage.is_word, words)):
        return False
    if not usage.has_capitals:
        return not all(map(GAZETTEER.is_common, words))
    of = _OF.match(prose, run[-1][1]) if len(run) == 1 else None
    return of is None or not prose[of.end() : of.end() + 1].isupper()


def _behind_opening(prose: str, opening: int, run: list[Span], usage: ForeignUsage) -> list[Span]:
    """The run without a first word that has its capital from the sentence."""
    before = prose[max(opening, run[0][0] - 12) : run[0][0]]
    opens = not any(map(str.isalpha, before)) or before.rstrip()[-1:] in _OPENS
    opens |= before[-1:] == MASK and len(run) == 1  # the first word of a link or of emphasis
    first = prose[slice(*run[0])]
    return run[1:] if opens and (first not in usage.inside or usage.is_word(first)) else run


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
    has_inner = all(part[1:] != part[1:].lower() or any(map(str.isdigit, part)) for part in parts)
    return has_inner and not word.endswith("Innen") and not any(map(usage.is_word, parts))
