"""The words of a chunk that a client has quoted: found though layout and typography differ, or else the nearest."""

import difflib
import re
from collections.abc import Iterator
from functools import lru_cache

from mcp_graphrag.english.sentences import statement_spans

MAX_ELIDED = 800  # characters of a chunk that a quote with "…" stands for
MIN_SIMILAR = 0.6  # of the nearest sentence to a quote, and of a name to the words of a chunk
MIN_SIMILAR_NAME = 0.8
ELLIPSIS = re.compile(r"\s*\[?(?:…|\.{3,})\]?\s*")
_QUOTATION = re.compile(r"^[ \t]*>[ ]?", re.MULTILINE)  # before a line of a chunk as answers show it
_SAME = str.maketrans("‘’‚‛“”„‟«»‐‑‒–—―−\u00a0", '\'\'\'\'""""""------- ')
_MARKUP = frozenset("*_`\\")
_BREAK = re.compile(r"[()\[\]|\n\"]|[.,;:!?]\s")  # inside no name
_WORDS = re.compile(r"\w[\w'’.&+#-]*\w|\w")


def find_quote(quote: str, text: str) -> tuple[int, int] | None:
    """Where a text has the words of a quote; None where it has not.

    White space, quotation marks, dashes, case and marks of emphasis may differ. An ellipsis stands for words between,
    as few as there are, of at most MAX_ELIDED characters.
    """
    plain, places = _plain(text)
    # An ellipsis at an end stands for nothing; whatever else a quote has, the text must have.
    parts = [_plain(part)[0].strip() for part in ELLIPSIS.split(_QUOTATION.sub("", quote))]
    wanted = [part for part in parts if part]
    spans = [span for start in _all(wanted[0], plain) if (span := _span(wanted, plain, start))] if wanted else []
    if not spans:
        return None
    start, end = min(spans, key=lambda span: span[1] - span[0])
    return places[start], places[end - 1] + 1


@lru_cache(maxsize=64)  # a chunk has several quotes
def _plain(text: str) -> tuple[str, list[int]]:
    """A text without layout, typography and emphasis, and the place of each of its characters in the text."""
    kept: list[str] = []
    places: list[int] = []
    for place, character in enumerate(text.translate(_SAME)):
        if character in _MARKUP:
            continue
        plain = " " if character.isspace() else character.lower()
        if len(plain) == 1 and not (plain == " " and kept and kept[-1] == " "):
            kept.append(plain)
            places.append(place)
    return "".join(kept), places


def _all(part: str, text: str) -> Iterator[int]:
    """The places where a part begins that is whole words of a text."""
    head = r"(?<!\w)" if part[0].isalnum() else ""
    tail = r"(?!\w)" if part[-1].isalnum() else ""
    return (found.start() for found in re.finditer(head + re.escape(part) + tail, text))


def _span(parts: list[str], text: str, start: int) -> tuple[int, int] | None:
    end = start + len(parts[0])
    for part in parts[1:]:
        found = next(_all(part, text[end : start + MAX_ELIDED]), None)
        if found is None:
            return None
        end += found + len(part)
    return start, end


def nearest_sentence(quote: str, text: str) -> str:
    """The sentence of a text that is most like a quote, "" where none is."""
    wanted = _WORDS.findall(quote.lower())
    best, most = "", MIN_SIMILAR
    for start, end in statement_spans(text):
        matcher = difflib.SequenceMatcher(None, _WORDS.findall(text[start:end].lower()), wanted, autojunk=False)
        if matcher.quick_ratio() > most and matcher.ratio() > most:
            best, most = text[start:end], matcher.ratio()
    return best


def nearest_name(name: str, text: str) -> str:
    """The words of a text that are most like a name, "" where none are."""
    words = list(_WORDS.finditer(text))
    forms: dict[str, str] = {}
    for length in range(1, len(name.split()) + 2):
        for first, last in zip(words, words[length - 1 :], strict=False):
            form = text[first.start() : last.end()]
            if not _BREAK.search(form):
                forms.setdefault(form.casefold(), form)
    near = difflib.get_close_matches(name.casefold(), forms, n=1, cutoff=MIN_SIMILAR_NAME)
    return forms[near[0]] if near else ""
