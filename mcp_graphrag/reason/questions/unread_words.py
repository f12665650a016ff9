"""What of a question was not read: names that nothing stored has, and words without a meaning here."""

import re
from collections.abc import Iterator

from mcp_graphrag.english.word_lists import WORDS
from mcp_graphrag.reason.amounts import AMOUNT
from mcp_graphrag.reason.questions.parse_comparisons import AGES, FEWEST, GREATEST, LEAST, MOST, SHARE
from mcp_graphrag.reason.questions.parse_terms import HAVING, SMALL
from mcp_graphrag.reason.questions.question_relations import QuestionRelations
from mcp_graphrag.reason.questions.question_words import KINDS, QuestionWords, Word

ASKING = frozenset(
    "may might must shall please tell show list give find know say name let want same share and or".split()  # noqa: SIM905
)
READ = SMALL | HAVING | ASKING | KINDS | AGES.keys() | FEWEST | GREATEST | LEAST | MOST | SHARE
MAX_RELATION_WORDS = 4
_CODE = re.compile(r"\w[._/:]\w|_")  # of a name in code or of a file, which no predicate or type is called by
JOINERS = frozenset({"of", "the", "de", "von", ","})


def unread_words(words: QuestionWords, relations: QuestionRelations) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """(names that nothing stored has, other words that mean nothing known)."""
    named = [False] * len(words)
    for first in range(len(words)):
        found = words.names.get(first)
        if found and not named[first]:
            named[first : found[0].end] = [True] * (found[0].end - first)
    read = [is_name or _is_read(words, at) for at, is_name in enumerate(named)]
    for first in range(len(words)):
        for last in range(min(first + MAX_RELATION_WORDS, len(words)), first, -1):
            run = " ".join(word.lower for word in words.words[first:last])
            known = relations.noun(run) or relations.verb(run, name_first=True) or relations.when(run)
            if known or relations.where(run):
                read[first:last] = [True] * (last - first)
                break
    unknown: list[str] = []
    unread: list[str] = []
    close = 0
    for first, last in _runs(read):
        if last <= close:
            continue
        if any(_is_of_name(word) for word in words.words[first:last]):
            grown = _grown(words, named, first, last)
            close = grown[1]
            unknown.append(words.span(*grown))
        else:
            close = last
            unread.append(words.span(first, last))
    return tuple(dict.fromkeys(unknown)), tuple(dict.fromkeys(unread))


def _is_of_name(word: Word) -> bool:
    """Whether a word is written like a part of a name."""
    return word.text != word.lower or word.text[0].isdigit() or _CODE.search(word.text) is not None


def _is_read(words: QuestionWords, at: int) -> bool:
    word = words.words[at]
    small = word.lower in READ or WORDS.is_adverb(word.lower) or not word.text[0].isalnum()
    return small or words.type_at(at) is not None or AMOUNT.fullmatch(word.text) is not None


def _runs(read: list[bool]) -> Iterator[tuple[int, int]]:
    """The runs of words that were not read."""
    first = None
    for at, known in enumerate([*read, True]):
        if not known and first is None:
            first = at
        if known and first is not None:
            yield first, at
            first = None


def _grown(words: QuestionWords, named: list[bool], first: int, last: int) -> tuple[int, int]:
    """A run with the names and capitalised words beside it, also behind "of": "Sigrid" grows to "Sigrid of Sweden"."""

    def belongs(at: int) -> bool:
        return 0 < at < len(words) and (named[at] or words.words[at].text != words.words[at].lower)

    while True:
        if belongs(first - 1) and not words.words[first - 1].possessive:
            first -= 1
        elif first > 2 and words.words[first - 1].text in {"Of", "of", ","} and belongs(first - 2):
            first -= 2
        elif words.words[last - 1].possessive:
            return first, last
        elif belongs(last):
            last += 1
        elif words.lower(last) in JOINERS and last + 1 < len(words) and belongs(last + 1):
            last += 2
        elif words.lower(last) == "(":
            behind = (at + 1 for at in range(last, len(words)) if words.words[at].text == ")")
            last = next(behind, len(words))
        else:
            return first, last
