"""Items that are a label without a colon: "- Depends on `auth-api` and Redis", "- Owned by the Data Team"."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from mcp_graphrag.english.lexicon import Lexicon
from mcp_graphrag.english.spans import Span

MAX_CUE_WORDS = 3
_ITEM = re.compile(r"^(?P<indent>[ \t]*)(?:[-*+•]|\d{1,2}[.)])[ \t]+(?P<said>[^\n]{2,400})$", re.MULTILINE)
_PREPOSITIONS = frozenset({"on", "by", "in", "to", "with", "from"})
_VERBS = frozenset({"uses", "calls", "requires", "needs", "owns", "replaces", "extends", "implements", "imports"})
_WORD = re.compile(r"[A-Za-z]+")
_NAME = r"(?:`[^`\n]{2,60}`|(?:[A-Z][\w.&-]*|[a-z0-9]+(?:[-_./][a-zA-Z0-9]+)+)(?: (?:[A-Z][\w.&-]*|\d[\w.]*)){0,3})"
_KIND = r"(?: (?:team|squad|service|database|cluster))?"
_NAMES = re.compile(rf"(?:the )?(?P<names>{_NAME}{_KIND}(?:(?:, and |, | and )(?:the )?{_NAME}){{0,6}})[.;]?[ \t]*")
_EACH = re.compile(rf"{_NAME}{_KIND}")


class BareLabel(NamedTuple):
    """A label, its span, the spans of the names behind it, and where the first item of its list begins."""

    label: str
    span: Span
    names: Sequence[Span]
    list_start: int


def list_start(text: str, offset: int) -> int:
    """Where the first item of the list around a place begins: the lines above it with a bullet and the same indent."""
    start = text.rfind("\n", 0, offset) + 1
    item = _ITEM.match(text, start)
    first = offset
    while item is not None and start > 0:
        above = text.rfind("\n", 0, start - 1) + 1
        before = _ITEM.match(text, above)
        if before is None or len(before["indent"]) < len(item["indent"]):
            break
        start = above
        first = before.start("said") if before["indent"] == item["indent"] else first
    return first


def bare_labels(text: str, lexicon: Lexicon) -> Iterator[BareLabel]:
    """The items of lists that are words of a known label and names, and nothing else."""
    starts: dict[str, int] = {}  # of the lists that are open, by their indent
    end = -1
    for item in _ITEM.finditer(text):
        if item.start() != end + 1:
            starts = {}
        end, indent = item.end(), item["indent"]
        starts = {other: start for other, start in starts.items() if len(other) <= len(indent)}
        first = starts.setdefault(indent, item.start("said"))
        found = _label_of(text, item.span("said"), lexicon)
        if found is not None:
            label, names = found
            start = item.start("said")
            spans = [name.span() for name in _EACH.finditer(text, *names)]
            yield BareLabel(label, (start, start + len(label)), spans, first)


def _label_of(text: str, item: Span, lexicon: Lexicon) -> tuple[str, Span] | None:
    start, end = item
    words = list(_WORD.finditer(text, start, min(end, start + 40)))[:MAX_CUE_WORDS]
    for word in reversed(words):
        label = text[start : word.end()].casefold()
        if not (word[0] in _PREPOSITIONS or word[0].casefold() in _VERBS) or lexicon.header(label, None) is None:
            continue
        names = _NAMES.fullmatch(text, word.end() + 1, end)
        return (label, names.span("names")) if names is not None else None
    return None
