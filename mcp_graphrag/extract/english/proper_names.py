"""Proper names in prose: runs of capitalised words, joined by words such as "of", that are not just sentence starts."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from mcp_graphrag.extract.english.word_lists import WORDS
from mcp_graphrag.extract.spans import Span
from mcp_graphrag.model import Document

_UPPER = "A-ZÀ-ÖØ-ÞĀĂĄĆĈĊČĎĐĒĔĖĘĚĜĞĠĢĤĦĨĪĬĮİĲĴĶĹĻĽĿŁŃŅŇŊŌŎŐŒŔŖŘŚŜŞŠŢŤŦŨŪŬŮŰŲŴŶŸŹŻŽΑ-ΩА-Я"
_WORD = (
    rf"(?:(?:[{_UPPER}]\.){{2,6}}|(?:Mr|Mrs|Ms|Dr|Prof|St|Mt|Ft|Jr|Sr)\.|[{_UPPER}]\.(?=[ \xa0])"
    rf"|[{_UPPER}]\w*(?:['’&](?!s\b)\w+|-(?:[{_UPPER}\d]\w*|[a-z]{{1,4}}\b)|\.[a-z]\w*|/[{_UPPER}]{{1,4}}\b)*(?:\+\+|\#(?!\w))?)"
)
CAPITALISED = re.compile(rf"(?<=[a-z0-9,;'’)] ){_WORD}")
_LOWER = re.compile(r"(?<![\w.])[a-z][a-z'’-]+")
_HEADINGS = re.compile(r"^[ \t]{0,3}#.*$", re.MULTILINE)
_FENCES = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
_MAX_PERSON_WORDS = 3
_ROMAN = re.compile(r"[IVX]+")
_PART = re.compile(r"[^ \xa0]+")
_POSSESSIVE = re.compile(r"['’]s?\Z")
# Behind a name: "v2", "v1.2-rc.1", "r3", "version 2.0", and "beta" behind a number.
_VERSION_BEHIND = re.compile(
    r"[ \xa0](?:v|r|(?:version|release|revision|ver\.|rev\.)[ \xa0]v?)\d{1,5}(?:\.\d{1,6}){0,3}"
    r"(?:-(?:alpha|beta|rc|pre|dev|\d)(?:[\w.]{0,19}\w)?)?(?![\w/%-]|\.\w)"
)
_STAGE_BEHIND = re.compile(r"(?<=\d)[ \xa0-](?:alpha|beta|rc)(?:[.-]?\d{1,3})?(?![\w-])")
_NEXT_WORD = re.compile(r" ([a-z]{2,40})\b")
_AUXILIARY_BEHIND = re.compile(r" (?:\([^()]{1,80}\) )?(?:is|was|has|had|does|will|can) ")


@dataclass(frozen=True)
class WordUsage:
    """The words that a document writes capitalised within sentences, and those that it writes in lower case.

    In front of one of `verbs` a capitalised word is a name even at the start of a sentence.
    """

    capitalised: frozenset[str]
    lower: frozenset[str]
    verbs: frozenset[str] = frozenset()

    def is_name(self, word: str) -> bool:
        """Whether a capitalised word at the start of a sentence is a name, by its other uses or by its form."""
        if word in self.capitalised or word in WORDS.exact:
            return True
        return word[1:] != word[1:].lower() or any(map(str.isdigit, word))


def read_word_usage(document: Document, verbs: frozenset[str] = frozenset()) -> WordUsage:
    """The usage of words in the whole document; `verbs` as in `WordUsage`."""
    text = _HEADINGS.sub("", _FENCES.sub(" ", document.text))
    capitalised = set(CAPITALISED.findall(text))
    title = document.title.partition("(")[0].split()
    if len(title) <= 3:
        capitalised.update(word for word in title if word[:1].isupper())
    return WordUsage(frozenset(capitalised), frozenset(_LOWER.findall(text)), verbs)


@cache
def _run() -> re.Pattern[str]:
    joiners = "|".join(sorted((re.escape(joiner) for joiner in WORDS.joiners), key=len, reverse=True))
    gap = r"[ \xa0]{1,3}"
    return re.compile(
        rf"(?<!\w){_WORD}(?:{gap}(?:(?:{joiners}){gap}(?={_WORD}))?(?:{_WORD}|[IVX]+\b|\d+(?:\.\d+)*\b(?![%,]\d))"
        r"|,? (?:Inc|Ltd|LLC|Jr|Sr|Corp|GmbH)\b)*"
    )


def find_names(prose: str, opening: int, span: Span, usage: WordUsage) -> Iterator[tuple[int, int, bool]]:
    """Start and end of the names in a part of a sentence, and whether their run of words has more than one.

    The sentence starts at `opening`.
    """
    for run in _run().finditer(prose, *span):
        first = _opens(prose, opening, run.start())
        if first and run[0].lower() not in usage.lower and _is_subject(prose, run.end(), usage):
            first = False
        yield from _names_of_run(prose, run.span(), usage, first=first)


def _is_subject(prose: str, end: int, usage: WordUsage) -> bool:
    """Whether a verb follows, so that a word at the start of a sentence is a name."""
    if _AUXILIARY_BEHIND.match(prose, end):
        return True
    following = _NEXT_WORD.match(prose, end) if usage.verbs else None
    return following is not None and following[1] in usage.verbs


def _opens(prose: str, start: int, at: int) -> bool:
    """Whether it is the first word of its sentence, or of what a colon or quotation mark introduces."""
    before = prose[max(start, at - 3) : at].rstrip()
    return not before.strip("\"'“‘([*-–—\x1f") or before[-1] in ':"“'


def _names_of_run(prose: str, span: Span, usage: WordUsage, *, first: bool) -> Iterator[tuple[int, int, bool]]:
    tokens = [part.span() for part in _PART.finditer(prose, *span)]
    alone = len(tokens) == 1
    if first and _is_imperative(prose, tokens, usage):
        tokens.pop(0)
        first = False
    while tokens and _is_leading(prose[slice(*tokens[0])], usage, first=first, alone=len(tokens) == 1):
        tokens.pop(0)
        first = first and not tokens
    while tokens and prose[tokens[0][0]].islower():
        tokens.pop(0)
    while tokens and (prose[tokens[-1][0]].islower() or prose[slice(*tokens[-1])] == "&"):
        tokens.pop()
    if not tokens:
        return
    for left, right in (part for piece in _split_of(prose, tokens) for part in _split_roles(prose, piece)):
        end = _name_end(prose, left, right)
        name = prose[left:end]
        # A word such as "Service" is no name by itself.
        is_common = WORDS.is_stop(name) or WORDS.last_word.get(name.casefold(), "Role") != "Role"
        if len(name) >= 2 and (" " in name or not is_common):
            yield left, end, not alone


def _is_imperative(prose: str, tokens: Sequence[Span], usage: WordUsage) -> bool:
    """Whether a run at the start of a sentence starts with a verb: "Ask Ann Lee", but not "Notify Service"."""
    words = [prose[slice(*token)] for token in tokens]
    if len(words) < 2 or words[0].casefold() not in WORDS.imperatives or words[0] in usage.capitalised:
        return False
    is_name = len(words) > 2 or words[1].casefold() not in WORDS.last_word
    return is_name and words[1][:1].isupper() and not WORDS.is_stop(words[1])


def _split_of(prose: str, tokens: list[Span]) -> Iterator[list[Span]]:
    """The two names of "Ann Lee of the Beavers"; all tokens of "Faculty of the Arts", which is one."""
    words = [prose[slice(*token)] for token in tokens]
    for at in range(2, len(words) - 2):
        head = words[at - 1].casefold()
        plain = all(word.isalpha() and word[0].isupper() for word in words[:at]) and at <= _MAX_PERSON_WORDS
        is_noun = head in WORDS.before_of_the or head in WORDS.last_word or _ROMAN.fullmatch(words[at - 1])
        if words[at : at + 2] == ["of", "the"] and plain and not is_noun and words[at + 2] != "Year":
            yield tokens[:at]
            yield tokens[at + 2 :]
            return
    yield tokens


def _is_leading(word: str, usage: WordUsage, *, first: bool, alone: bool) -> bool:
    """Whether the first word of a run is not part of the name."""
    plain = word.rstrip(".,'’").casefold()
    if WORDS.is_stop(plain):
        return not (word.isupper() and len(word) > 1 and word in usage.capitalised)
    if plain == "new":
        return alone
    if not first:
        return False
    if alone:
        return not usage.is_name(word)
    return word.casefold() in usage.lower and word not in usage.capitalised


def _split_roles(prose: str, tokens: list[Span]) -> Iterator[Span]:
    """The names of a run: "Acme CTO Ann Lee" has three, and a title in front of a person is no part of the name."""
    begin = 0
    body = prose[slice(*tokens[-1])].casefold() in WORDS.last_word
    for index, token in enumerate(tokens):
        word = prose[slice(*token)]
        following = prose[tokens[index + 1][0]] if index + 1 < len(tokens) else ""
        is_role = word in WORDS.role_acronyms and not following.islower()
        if is_role or (following.isupper() and not body and word.rstrip(".").casefold() in WORDS.honorifics):
            if index > begin:
                yield tokens[begin][0], tokens[index - 1][1]
            if is_role:
                yield token
            begin = index + 1
    if begin < len(tokens):
        yield tokens[begin][0], tokens[-1][1]


def _name_end(prose: str, left: int, right: int) -> int:
    """The end of the name without a possessive and punctuation, with the version behind it."""
    name = _POSSESSIVE.sub("", prose[left:right])
    if not (len(name) > 2 and name[-1] == "." and name[-3] in ". "):
        name = name.rstrip(".-/&,")
    end = left + len(name)
    for behind in (_VERSION_BEHIND, _STAGE_BEHIND):
        if (found := behind.match(prose, end)) is not None:
            end = found.end()
    return end
