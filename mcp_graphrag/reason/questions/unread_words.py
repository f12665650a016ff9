"""What of a question was not read: names that nothing stored has, and words without a meaning here."""

import re
from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter

from mcp_graphrag.english.word_lists import WORDS
from mcp_graphrag.reason.questions.parse_terms import HAVING, SMALL
from mcp_graphrag.reason.questions.question_relations import QuestionRelations
from mcp_graphrag.reason.questions.question_words import KINDS, QuestionWords, Word

LEAST = frozenset({"first", "earlier", "earliest", "sooner", "before"})
GREATEST = frozenset({"later", "latest", "last", "after"})
FEWEST = frozenset("less fewer lower smaller least fewest lowest smallest".split())  # noqa: SIM905
MOST = frozenset("more most greater larger higher bigger greatest largest highest biggest".split())  # noqa: SIM905
AGES = {"older": True, "oldest": True, "elder": True, "younger": False, "youngest": False}
SHARE = frozenset(
    "share shares shared have has had with of the a an both come coming originate being".split()  # noqa: SIM905
)
ASKING = frozenset(
    "may might must shall please tell show list give find know say name let want same share and or".split()  # noqa: SIM905
)
READ = SMALL | HAVING | ASKING | KINDS | AGES.keys() | FEWEST | GREATEST | LEAST | MOST | SHARE
MAX_RELATION_WORDS = 4
_CODE = re.compile(r"\w[._/:]\w|_")  # of a name in code or of a file, which no predicate or type is called by
JOINERS = frozenset({"of", "the", "de", "von", ","})


def unread_words(words: QuestionWords, relations: QuestionRelations) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """(names that nothing stored has, other words that mean nothing known)."""
    read = [_is_read(words, at) for at in range(len(words))]
    for first, found in words.names.items():
        read[first : found[0].end] = [True] * (found[0].end - first)
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
        if last > close and any(_is_of_name(word) for word in words.words[first:last]):
            first, close = _grown(words, first, last)  # noqa: PLW2901
            unknown.append(words.span(first, close))
        elif last > close:
            unread.append(words.span(first, last))
    return tuple(dict.fromkeys(unknown)), tuple(dict.fromkeys(unread))


def _is_of_name(word: Word) -> bool:
    """Whether a word is written like a part of a name."""
    return word.text != word.lower or word.text[0].isdigit() or _CODE.search(word.text) is not None


def _is_read(words: QuestionWords, at: int) -> bool:
    word = words.words[at]
    small = word.lower in READ or WORDS.is_adverb(word.lower) or not word.text[0].isalnum()
    return small or words.type_at(at) is not None


def _runs(read: list[bool]) -> Iterator[tuple[int, int]]:
    """The runs of words that were not read."""
    for known, run in groupby(enumerate(read), key=itemgetter(1)):
        at = [position for position, _ in run]
        if not known:
            yield at[0], at[-1] + 1


def _grown(words: QuestionWords, first: int, last: int) -> tuple[int, int]:
    """A run with the capitalised words beside it, also behind "of": "Sigrid" grows to "Sigrid of Sweden"."""

    def belongs(at: int) -> bool:
        return 0 < at < len(words) and words.words[at].text != words.words[at].lower

    while belongs(first - 1) and not words.words[first - 1].possessive:
        first -= 1
    while not words.words[last - 1].possessive:
        if belongs(last):
            last += 1
        elif words.lower(last) in JOINERS and belongs(last + 1):
            last += 2
        else:
            break
    return first, last
