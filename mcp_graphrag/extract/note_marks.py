"""The marks that programs for notes add to Markdown: [[wiki links]], ==marks==, %%comments%%, footnotes[^1], #tags.

What shows of them is words: those of a mark, and of a link its page, or what stands behind its bar. A comment, a mark
of a footnote, tags behind a sentence and what is embedded from elsewhere are no part of the sentence around them.
"""

import re
from collections.abc import Sequence

from mcp_graphrag.english.spans import Span

# The name of a page, a section of it, and the words that are shown in their place; in a table the bar is escaped.
WIKI_LINK = re.compile(
    r"\[\[(?![\s-])([^\[\]|#\\\n]{0,200})(?:#([^\[\]|\\\n]{1,200}))?(?:\\?\|([^\[\]\n]{0,200}))?\]\](?!\()"
)
_MAY_BE_MARKED = re.compile(r"\[\[|==|%%|\[\^|\^\[|[ \t][#^][\w-]+[ \t]*$", re.MULTILINE)
_CODE = re.compile(r"`[^`\n]{1,300}`")
_MARKED = re.compile(r"(?<![=\w])==(?=[^\s=])[^=\n]{1,300}(?<=\S)==(?![=\w])")
_UNSEEN = re.compile(
    r"(?m)(?<![%\w])%%(?:[^%]|%(?!%)){1,2000}%%(?!%)|^\[\^[^\s\[\]]{1,40}\]:[ \t]*"
    r"|\[\^[^\s\[\]]{1,40}\]|\^\[[^\[\]\n]{1,300}\]"
    r"|(?<=[\].!?])(?:[ \t]{1,8}(?:#[\w/-]{0,40}[A-Za-z][\w/-]{0,40})){1,20}(?=[ \t^]|$)|[ \t]\^[\w-]{3,40}[ \t]*$"
)
# "- depends_on [[Page]] (context)", or with "::": see https://docs.basicmemory.com/concepts/knowledge-format.
_RELATION = re.compile(
    r"(?m)^([ \t]{0,8}[-*+] [A-Za-z][a-z]*(?:[_ -][a-z]+){0,3})(?:::)? "
    r"\[(?=\[[^\[\]\n]+\]\]( \([^()\n]*\))?[ \t]*(?:[#^]|$))"
)


def without_note_marks(text: str, code: Sequence[Span] = ()) -> tuple[str, set[int]]:
    """A text of the same length, its relations as labelled lines, and where it shows no words; in `code` all stays."""
    if _MAY_BE_MARKED.search(text) is None:
        return text, set()
    characters = list(text)
    for start, end in (*code, *(found.span() for found in _CODE.finditer(text))):
        characters[start:end] = " " * (end - start)
    prose, labels = "".join(characters), set[int]()
    spans = [found.span() for found in _UNSEEN.finditer(prose)]
    for start, end in (found.span() for found in _MARKED.finditer(prose)):
        spans += [(start, start + 2), (end - 2, end)]

    def labelled(found: re.Match[str]) -> str:
        if prose[found.start() : found.end()] != found[0]:
            return found[0]  # code
        labels.add(found.end() - 1)
        spans.append(found.span(2))
        return f"{found[1].replace('_', ' ')}: ".ljust(len(found[0]))

    text = _RELATION.sub(labelled, text)
    for link in WIKI_LINK.finditer(prose):
        start, end = link.span()
        words = next((link.span(group) for group in (3, 1, 2) if link[group]), (end, end))
        is_embedded = prose[start - 1 : start] == "!"
        spans += [(start - 1, end)] if is_embedded else [(start + (start in labels), words[0]), (words[1], end)]
    return text, {at for start, end in spans for at in range(start, end)}
