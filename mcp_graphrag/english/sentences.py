"""Sentences of an English text, as pieces that rejoin to it or as spans."""

import re
from collections.abc import Callable, Iterator

MAX_SENTENCE_LENGTH = 2000

# Lower case, without the full stop, which ends no sentence here.
_ABBREVIATION_LIST = (
    "al approx apr assoc aug bros calif capt cf co col corp dec dept dr e.g ed eds esp est etc feb fig figs ft"
    " gen gov hon i.e inc jan jr jul jun lt ltd mar messrs mr mrs ms mt no nos nov oct pp prof rep rev sen sep"
    " sept sgt sr st thurs tues u.k u.s univ viz vol vols vs bzw evtl ggf inkl sog usw vgl zzgl pág núm tzn itd"
)
_ABBREVIATIONS = frozenset(_ABBREVIATION_LIST.split())
# Of these, the ones that may also end a sentence, which a word such as "The" behind them shows.
_MAY_END = frozenset({"al", "co", "corp", "etc", "inc", "jr", "ltd", "st"})
# Abbreviations in front of a number only; elsewhere they are words: "Art. 7", "the state of the art".
_BEFORE_NUMBER = frozenset({"art", "ch", "eq", "nr", "op", "p", "ref", "sec", "sect"})
# A small letter may follow a full stop; then the words on both sides decide.
_AFTER_STOP = r"""["'”’»)\]]{0,3}\s+(?=[^a-z\s,;.)]|[a-z][\w-]{0,40}[:_.(]\w)|(?<=\.)\s+(?=[a-z])"""
# What stands in parentheses between a full stop and the end of the line belongs to the sentence in front of it.
_REMARK = r"[ \t]+\([^()\n]{1,80}\)[ \t]*\n\s*"
# The look-behind keeps a long row of dots linear.
_END_IN_TEXT = re.compile(rf"(?<![.!?…])[.!?…]++(?:{_REMARK}|{_AFTER_STOP})|[。！？｡।॥؟։]+[」』）]*\s*|\n\s*\n")
_END_IN_LINES = re.compile(rf"[.!?;](?:{_AFTER_STOP})|\n")
_LAST_WORD = re.compile(r"[\w.]{1,12}\Z")
_LIST_NUMBER = re.compile(r"^[ \t#>]{0,8}\d{1,2}\.\s+\Z", re.MULTILINE)
_MIN_LAST_WORD = 5  # letters in front of a full stop that is behind no abbreviation, though a small letter follows
_OPENER = re.compile(
    r"(?:The|A(?!\.)|An|It|He|She|They|In|On|At|This|These|We|Its|His|Her|Their|After|Before|As|If|When|While|Since"
    r"|There|Both|Also|Originally|Initially|Formerly|Currently|Written|Maintained|Developed|Licensed|Released)\b"
)
MAX_AROUND = 60  # characters around a letter that may be an initial
IsInitial = Callable[[str, str], bool]


def split_sentences(text: str) -> Iterator[str]:
    """The sentences of a text, each with the space behind it; they rejoin to the text.

    A line break is a space here, and an empty line ends a sentence. The number of a list item belongs to the sentence
    behind it.
    """
    start = 0
    for end in _ends(text, _END_IN_TEXT):
        if end < len(text) and _LIST_NUMBER.search(text, max(start, end - 16), end) is None:
            yield text[start:end]
            start = end
    if start < len(text):
        yield text[start:]


def sentence_spans(text: str, is_initial: IsInitial | None = None) -> Iterator[tuple[int, int]]:
    """Spans of the sentences without the white space around them, at most `MAX_SENTENCE_LENGTH` characters each.

    A line break or a semicolon ends a sentence too. `is_initial` says of a letter with a full stop, by the text in
    front of it and behind it, whether it is that of a person; without it only a word such as "The" ends the sentence.
    """
    start = 0
    for end in _ends(text, _END_IN_LINES, is_initial):
        yield from _trim(text, start, end)
        start = end
    yield from _trim(text, start, len(text))


def _ends(text: str, pattern: re.Pattern[str], is_initial: IsInitial | None = None) -> Iterator[int]:
    start = 0
    for stop in pattern.finditer(text):
        breaks = stop[0].count("\n")
        is_last = text[stop.start()] != "." or breaks > 1 or (breaks > 0 and pattern is _END_IN_LINES)
        if is_last or not _continues(text, start, stop, is_initial):
            start = stop.end()
            yield start


def _continues(text: str, start: int, stop: re.Match[str], is_initial: IsInitial | None) -> bool:
    """Whether the full stop belongs to an abbreviation or an initial."""
    at = stop.start()
    found = _LAST_WORD.search(text, max(start, at - 12), at)
    if found is None:
        return False
    word = found[0]
    if len(word) == 1 and word.isupper():
        around = text[max(start, at - MAX_AROUND) : at - 1], text[stop.end() : stop.end() + MAX_AROUND]
        opens = word == "I" or _OPENER.match(around[1]) is not None
        return not opens and (is_initial is None or is_initial(*around))
    lower = word.casefold()
    if lower in _ABBREVIATIONS:
        return lower not in _MAY_END or _OPENER.match(text, stop.end()) is None
    if lower in _BEFORE_NUMBER:
        return text[stop.end()].isdigit()
    if text[stop.end() : stop.end() + 1].islower() and (len(word) < _MIN_LAST_WORD or word.endswith(".")):
        following = text[stop.end() :].split(maxsplit=1)[0]  # "us-east-2" and "parse_config()" open a sentence
        return following.rstrip(".,;:!?)").isalpha()
    return len(word) > 2 and word[1] == "." and word[0].isupper()


def _trim(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The span without white space at its ends, cut where it is too long."""
    piece = text[start:end]
    end = start + len(piece.rstrip())
    start += len(piece) - len(piece.lstrip())
    while end - start > MAX_SENTENCE_LENGTH:
        space = text.rfind(" ", start + 1, start + MAX_SENTENCE_LENGTH)
        cut = space if space > start else start + MAX_SENTENCE_LENGTH
        yield from _trim(text, start, cut)
        start = cut
        while start < end and text[start].isspace():
            start += 1
    if end > start:
        yield start, end


# In front of a line that goes on no other one: an item of a list, a row, a turn of a talk, a heading.
_OWN_LINE = re.compile(
    r"(?m)^(?=[ \t]*(?:[-*+•#>|]|\d{1,3}[.)]\s|\[?\d{1,2}:\d\d|[\w.'’-]{1,30}(?: [\w.'’-]{1,30})?:\s))"
)


def statement_spans(text: str) -> Iterator[tuple[int, int]]:
    """Spans of the sentences of a text, and of the lines in it that stand by themselves, without white space around."""
    at = 0
    for sentence in split_sentences(text):
        for piece in _OWN_LINE.split(sentence):
            yield from _trim(text, at, at + len(piece))
            at += len(piece)
