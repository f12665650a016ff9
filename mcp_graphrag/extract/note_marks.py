"""The marks that programs for notes add to Markdown: [[wiki links]], ==marks==, %%comments%% and marks of footnotes.

What a reader sees of them is words: those of a mark, and of a link its page, or what stands behind its bar. A comment,
the mark of a footnote and what is embedded from elsewhere are no part of the sentence around them.
"""

import re
from collections.abc import Sequence

from mcp_graphrag.english.spans import Span

# The name of a page, a section of it, and the words that are shown in their place; in a table the bar is escaped.
WIKI_LINK = re.compile(
    r"\[\[(?![\s-])([^\[\]|#\\\n]{0,200})(?:#([^\[\]|\\\n]{1,200}))?(?:\\?\|([^\[\]\n]{0,200}))?\]\](?!\()"
)
_MAY_BE_MARKED = re.compile(r"\[\[|==|%%|\[\^")
_CODE = re.compile(r"`[^`\n]{1,300}`")
_MARKED = re.compile(r"(?<![=\w])==(?=[^\s=])[^=\n]{1,300}(?<=\S)==(?![=\w])")
_UNSEEN = re.compile(
    r"(?<![%\w])%%(?:[^%]|%(?!%)){1,2000}%%(?!%)|(?<![^\n])\[\^[^\s\[\]]{1,40}\]:[ \t]*|\[\^[^\s\[\]]{1,40}\]"
)
# "- depends_on [[Page]] (context)": https://github.com/basicmachines-co/basic-memory, README, "Relations".
_RELATION = re.compile(
    r"^([ \t]{0,8}[-*+] [a-z]+(?:[_ -][a-z]+){0,3}) \[(?=\[[^\[\]\n]+\]\]( \([^()\n]*\))?[ \t]*$)", re.MULTILINE
)


def without_note_marks(text: str, code: Sequence[Span] = ()) -> tuple[str, list[Span]]:
    """A text of the same length in which relations are labelled lines, and its spans that show no words, in order.

    There are no marks in the spans of `code`, which are in order too.
    """
    if _MAY_BE_MARKED.search(text) is None:
        return text, []
    prose = _CODE.sub(_blank, _without(text, code))
    spans, labels = [found.span() for found in _UNSEEN.finditer(prose)], set[int]()
    for found in _MARKED.finditer(prose):
        spans += [(found.start(), found.start() + 2), (found.end() - 2, found.end())]

    def labelled(found: re.Match[str]) -> str:
        if prose[found.start() : found.end()] != found[0]:
            return found[0]  # code
        labels.add(found.end() - 1)
        spans.append(found.span(2) if found[2] else (0, 0))
        return found[1].replace("_", " ") + ": "

    text = _RELATION.sub(labelled, text)
    for link in WIKI_LINK.finditer(prose):
        start, end = link.span()
        words = next((link.span(group) for group in (3, 1, 2) if link[group]), (end, end))
        if prose[start - 1 : start] == "!":
            spans.append((start - 1, end))
        else:
            spans += [(start + (start in labels), words[0]), (words[1], end)]
    return text, merged(spans)


def _without(text: str, code: Sequence[Span]) -> str:
    """The text with spaces in place of the spans."""
    at, parts = 0, list[str]()
    for start, end in code:
        if start >= at:
            parts += text[at:start], " " * (end - start)
            at = end
    return "".join([*parts, text[at:]])


def _blank(found: re.Match[str]) -> str:
    return " " * len(found[0])


def merged(spans: list[Span]) -> list[Span]:
    """The spans in order, those that overlap as one."""
    merged = list[Span]()
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        elif start < end:
            merged.append((start, end))
    return merged
