"""What of a chunk is prose, and what is code, table or markup: a copy of the text in which only prose is legible.

The copy has the length of the chunk, so that offsets found in it are offsets of the chunk. Markup is replaced by
`GAP`, which counts as white space but joins no name; a line end inside a paragraph becomes a space, every other one
stays.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mcp_graphrag.extract.lexicon import Lexicon
from mcp_graphrag.model import Chunk, Document

GAP = "\x1f"
WRAPPED = 45

Span = tuple[int, int]


@dataclass(frozen=True)
class Page:
    """A chunk taken apart: `prose` is the masked copy, the others are spans of whole lines.

    `labels` are lines such as "**Owner:** Platform Team": the label, and the span of what follows it.
    """

    prose: str
    code: list[Span]
    tables: list[list[Span]]
    labels: list[tuple[str, Span, Span]]


_INTERESTING = re.compile(r"[\n*_#|\[<>~]|```")
_LABEL = re.compile(
    r"[ \t]{0,8}(?:[-*+][ \t]{1,4})?(?P<open>\*\*|__)?(?P<label>[A-Za-z][A-Za-z /-]{1,30})"
    r"(?:(?:\*\*|__)[ \t]?:|:(?:\*\*|__)|:)[ \t]{1,8}(?=\S)"
)
_BULLET = re.compile(r"[ \t>]*(?:#{1,6}[ \t]|[-*+][ \t]+(?:\[[ xX]\][ \t])?|\d{1,9}[.)][ \t]|>)[ \t]*")
_BLOCK_START = re.compile(r"[ \t]*(?:#|>|\||[-*+][ \t]|\d{1,9}[.)][ \t]|```|~~~|$)")
_INLINE = re.compile(
    r"(?P<code>`[^`\n]{1,200}`)"
    r"|(?P<image>!)?\[(?P<text>[^\[\]\n]{0,300})\]"
    r"(?P<target>\([^()\s]{0,400}(?: [^()\n]{0,100})?\)|\[[^\[\]\n]{0,100}\])"
    r"|(?P<tag></?[A-Za-z!][^<>\n]{0,300}>)"
    r"|(?P<stars>\*{1,3}|~~)"
    r"|(?<![\w_])(?P<under>_{1,3})(?=[^\s_])[^_\n]{1,200}(?<=\S)(?P<close>_{1,3})(?![\w_])"
)
_DUNDER = re.compile(r"__\w{1,60}__\Z")


def code_spans(document: Document) -> list[Span]:
    """Where the document's code blocks are, in order."""
    return sorted((block.start, block.end) for block in document.blocks if block.kind == "code")


def take_apart(chunk: Chunk, code: Sequence[Span], lexicon: Lexicon) -> Page:
    """The chunk's prose, code, tables and labelled lines; `code` are the spans of code in the document, in order."""
    text = chunk.text
    known = _within(chunk, code)
    if not known and _INTERESTING.search(text) is None:
        return Page(text, [], [], [])
    page = Page(text, [], [], [])
    masked: list[str] = []
    in_table = False
    lines = list(_lines(text, known))
    for index, (start, end, kind) in enumerate(lines):
        if kind == "prose":
            line = _mask_prose(text, start, end, page.labels, lexicon)
        else:
            line = GAP * (end - start)
            if kind == "code":
                _extend(page.code, start, end)
            elif in_table:
                page.tables[-1].append((start, end))
            else:
                page.tables.append([(start, end)])
        in_table = kind == "table"
        masked.append(line)
        if index + 1 < len(lines):
            begin = lines[index + 1][0]
            following = text[begin : begin + 40] if kind == "prose" else ""
            masked.append(" " if len(line) >= WRAPPED and _BLOCK_START.match(following) is None else "\n")
    return Page("".join(masked), page.code, page.tables, page.labels)


def _extend(spans: list[Span], start: int, end: int) -> None:
    """Add a line to the spans: to the last one where it goes on from there."""
    if spans and spans[-1][1] + 1 == start:
        spans[-1] = (spans[-1][0], end)
    elif not spans or spans[-1][1] < start:
        spans.append((start, end))


def _within(chunk: Chunk, code: Sequence[Span]) -> list[Span]:
    """The spans of code that overlap the chunk, counted from its start."""
    found: list[Span] = []
    for start, end in code[max(bisect_left(code, (chunk.start, 0)) - 1, 0) :]:
        if start >= chunk.end:
            break
        if end > chunk.start:
            found.append((max(start, chunk.start) - chunk.start, min(end, chunk.end) - chunk.start))
    return found


def _lines(text: str, known_code: Sequence[Span]) -> Iterator[tuple[int, int, str]]:
    """Start, end (without the line end) and kind of every line: prose, code or table."""
    lines = text.split("\n")
    start, fence, kind, block = 0, "", "prose", 0
    for index, line in enumerate(lines):
        while block < len(known_code) and known_code[block][1] <= start:
            block += 1
        stripped = line.strip()
        mark = stripped[:3]
        if block < len(known_code) and known_code[block][0] <= start:
            kind = "code"
        elif fence:
            kind = "code"
            fence = "" if mark == fence else fence
        elif mark in {"```", "~~~"} and "`" not in stripped[3:]:
            kind, fence = "code", mark
        elif "|" in stripped and (mark[0] == "|" or kind == "table" or is_rule("".join(lines[index + 1 : index + 2]))):
            kind = "table"
        else:
            kind = "prose"
        yield start, start + len(line), kind
        start += len(line) + 1


def is_rule(line: str) -> bool:
    """Whether the line is the one between a table's header and its body."""
    return "-" in line and "|" in line and set(line) <= set("|:- \t")


def _mask_prose(text: str, start: int, end: int, labels: list[tuple[str, Span, Span]], lexicon: Lexicon) -> str:
    line = text[start:end].replace("\r", " ")
    label = _LABEL.match(line)
    if label is not None and lexicon.header(label["label"], None) is not None:
        lead = label.end()
        labels.append((label["label"].strip(), (start, start + lead), (start + lead, end)))
    else:
        bullet = _BULLET.match(line)
        lead = bullet.end() if bullet is not None else 0
    body = line[lead:]
    if _INTERESTING.search(body) is not None:
        body = _INLINE.sub(_blank, body)
    return GAP * lead + body


def _blank(found: re.Match[str]) -> str:
    whole = found[0]
    if found["code"] is not None:
        return whole
    if found["text"] is not None:
        text = _INLINE.sub(_blank, found["text"]) if "*" in found["text"] else found["text"]
        before = 2 if found["image"] else 1
        return GAP * before + text + GAP * (len(whole) - before - len(text))
    if found["under"] is not None:
        if _DUNDER.match(whole):
            return whole
        left, right = len(found["under"]), len(found["close"])
        return GAP * left + whole[left : len(whole) - right] + GAP * right
    return GAP * len(whole)
