"""The prose, code, tables and labelled lines of a chunk.

The prose is a copy of the chunk's text of the same length, so that its offsets are those of the chunk. Code, tables
and markup are replaced by `MASK`; a line break inside a paragraph becomes a space, all others stay.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from operator import attrgetter, itemgetter

from mcp_graphrag.english.dates import DATELINE
from mcp_graphrag.english.lexicon import Lexicon
from mcp_graphrag.english.spans import MASK, Span, strip_span
from mcp_graphrag.extract.structure.labels import is_property_label, is_sure_label
from mcp_graphrag.extract.structure.paragraphs import has_columns, run_together, split_columns
from mcp_graphrag.extract.structure.turns import Turn
from mcp_graphrag.model import Chunk, Document

MIN_WRAPPED_LENGTH = 45  # of a line of prose that goes on in the next one
MAX_WRAPPED_LENGTH = 120
_ENDS = frozenset(".!?:;")  # of a sentence, and what ends its line


@dataclass(frozen=True)
class ChunkLayout:
    """The parts of a chunk: `prose` is the masked copy, `code` and the lines of `tables` are spans of whole lines.

    `labels` are lines such as "**Owner:** Platform Team": the label, its span with markup, and the span of the value.
    `turns` are the speaker turns, whose names are not in the prose.
    """

    prose: str
    code: list[Span]
    tables: list[list[Span]]
    labels: list[tuple[str, Span, Span]]
    turns: list[Turn]


_MAY_BE_MARKUP = re.compile(r"[\n\t*_#|\[<>~]|```| {3}")
_LABEL = re.compile(
    r"[ \t]{0,8}(?:[-*+][ \t]{1,4})?(?P<open>\*\*|__)?(?P<label>[A-Za-z][A-Za-z /-]{1,30})"
    r"(?:(?:\*\*|__)[ \t]?:|:(?:\*\*|__)|:)[ \t]{1,8}(?=\S)"
)
_BULLET = re.compile(r"[ \t>]*(?:#{1,6}[ \t]|[-*+][ \t]+(?:\[[ xX]\][ \t])?|\d{1,9}[.)][ \t]|>)[ \t]*")
_BLOCK_START = re.compile(r"[ \t]*(?:#|>|\||[-*+][ \t]|\d{1,9}[.)][ \t]|```|~~~|$)")
_INLINE = re.compile(
    r"(?=[`!\[<*~_:{])(?:"  # passes over most characters at once
    r"(?<!`)`(?P<reference>[^`\n<>]{1,100}?)(?P<address> ?<[^<>`\n]{1,300}>)?`(?P<end>__?)(?!\w)"  # of reStructuredText
    r"|(?P<role>(?<![\w:]):[a-z][\w:+-]{1,20}:|\{[a-z][\w:+-]{1,20}\})?(?P<code>`[^`\n]{1,200}`)"
    r"|(?P<image>!)?\[(?P<text>(?:[^\[\]\n]|\[[^\[\]\n]{0,100}\]){0,300})\]"
    r"(?P<target>\((?:[^()\s]{0,400}(?: [^()\n]{0,100})?|<[^<>\n]{0,400}>)\)|\[[^\[\]\n]{0,100}\])"
    r"|(?P<tag></?(?![A-Z][\w.&'-]{0,40}(?: [A-Z&][\w.&'-]{0,40}){1,8}>)[A-Za-z!][^<>\n]{0,300}>)"
    r"|(?P<struck>~~(?=[^\s~])[^~\n]{1,1000}(?<=\S)~~)"
    r"|(?P<stars>\*{1,3}|~~)"
    r"|(?<=[^\W_])(?P<link>__?)(?=[\s.,;:)!?]|\Z)"  # behind a word, of reStructuredText
    r"|(?<![\w_])(?P<under>_{1,3})(?=[^\s_])[^_\n]{1,200}(?<=\S)(?P<close>_{1,3})(?![\w_]))"
)
_INNER_FENCE = re.compile(r"^[ \t>]+(?:(?:[-*+]|\d+\.)[ \t]+)?```[^`\n]*\n(?:.*\n)*?[ \t>]+```[ \t]*$", re.MULTILINE)
_PIPE = re.compile(r"(?<!\\)\|")
MAX_WORD = 60  # characters in front of the mark of a link


def code_spans(document: Document) -> list[Span]:
    """The spans of the document's code and data, in order: blocks, and code in lists and quotations."""
    spans = [(block.start, block.end) for block in document.blocks if block.kind in {"code", "data"}]
    spans += (fence.span() for fence in _INNER_FENCE.finditer(document.text) if "```" in document.text)
    return sorted(spans)


def read_layout(chunk: Chunk, code: Sequence[Span], lexicon: Lexicon, turns: Sequence[Turn] = ()) -> ChunkLayout:
    """The parts of a chunk; `code` are the spans of the document's code blocks and `turns` its turns, in order."""
    text = chunk.text
    known_code = _code_in_chunk(chunk, code)
    layout = ChunkLayout(text, [], [], [], _turns_in_chunk(chunk, turns))
    is_plain = not known_code and _MAY_BE_MARKUP.search(text) is None and not layout.turns
    if is_plain and ": " not in text[:40] and DATELINE.match(text) is None:
        return layout
    starts = {text.rfind("\n", 0, turn.start) + 1: turn.words for turn in layout.turns if turn.start >= 0}
    masked: list[str] = []
    lost = run_together(text)
    lines = list(_lines(text, known_code))
    width = max((end - start for start, end, kind in lines if kind == "prose"), default=0)
    for kind, run in groupby(lines, key=itemgetter(2)):
        spans = [(start, end) for start, end, _ in run]
        if kind == "code":
            layout.code.append((spans[0][0], spans[-1][1]))
        elif kind == "table":
            layout.tables.append(spans)
        for start, end in spans:
            if kind != "prose" or start in lost:
                masked += MASK * (end - start), "\n"
            elif start in starts:
                masked += MASK * (starts[start] - start), _mask_prose(text, starts[start], end, [], lexicon), "\n"
            else:
                line, mark = _mask_prose(text, start, end, layout.labels, lexicon), _quote_mark(text[start:end])
                if mark and masked[-1:] == [" "]:
                    line = " " * len(mark) + line[len(mark) :]  # inside a sentence, which may be inside a name
                is_wrapped = end + 1 not in starts and _is_wrapped(text, start, end, width)
                masked += line, " " if is_wrapped else "\n"
    return replace(layout, prose="".join(masked[:-1]))


def _is_wrapped(text: str, start: int, end: int, width: int) -> bool:
    """Whether the sentence of a line goes on in the next one; `width` is that of the longest line of prose.

    It does if that starts with a small letter, or its first word had no room; or, behind a hard break too, with a name.
    """
    line = text[start:end]
    following = text[end + 1 : (text.find("\n", end + 1) + 1 or len(text) + 1) - 1]
    marks = _quote_mark(line), _quote_mark(following)
    if marks[0].count(">") == marks[1].count(">"):
        line, following = line[len(marks[0]) :], following[len(marks[1]) :]
    words, behind, is_broken = line.split(), following.split(), line.endswith("  ")
    if not words or not behind or line.endswith("\\") or words[-1].rstrip("*_)\"'”’")[-1:] in _ENDS:
        return False
    if has_columns(line) or has_columns(following) or _BLOCK_START.match(following) or _LABEL.match(following):
        return False
    # "depends on the Ledger / Service.": a name goes on, and the sentence ends, in the next line.
    is_sentence = any(map(str.islower, words)) or words[0] in {"The", "A", "An"}
    is_cut = is_sentence and words[-1].istitle() and behind[-1][-1] == "."
    if is_cut and (len(behind) == 1 or behind[0][-1] in ".," or (behind[1].islower() and not is_broken)):
        return True
    is_full = width <= MAX_WRAPPED_LENGTH and end - start + 1 + len(behind[0]) > width
    return not is_broken and (behind[0][0].islower() or (is_full and end - start >= MIN_WRAPPED_LENGTH))


def _quote_mark(line: str) -> str:
    """The marks of a quotation at the start of a line, with the white space around them; "" if there are none."""
    mark = line[: len(line) - len(line.lstrip(" \t>"))]
    return mark if ">" in mark else ""


def _turns_in_chunk(chunk: Chunk, turns: Sequence[Turn]) -> list[Turn]:
    """The turns with their offsets in the chunk; the first may have begun in front of it."""
    first, stop = (bisect_left(turns, at, key=attrgetter("start")) for at in (chunk.start, chunk.end))
    return [
        Turn(turn.name, turn.start - chunk.start, turn.end - chunk.start, turn.words - chunk.start)
        for turn in turns[max(first - 1, 0) : stop]
    ]


def _code_in_chunk(chunk: Chunk, code: Sequence[Span]) -> list[Span]:
    """The spans of code that overlap the chunk, cut to it and counted from its start."""
    first, stop = max(bisect_left(code, (chunk.start, 0)) - 1, 0), bisect_left(code, (chunk.end, 0))
    return [
        (max(start, chunk.start) - chunk.start, min(end, chunk.end) - chunk.start)
        for start, end in code[first:stop]
        if end > chunk.start
    ]


def _lines(text: str, known_code: Sequence[Span]) -> Iterator[tuple[int, int, str]]:
    """Start, end (without the line break) and kind of every line: prose, code or table."""
    lines = text.split("\n")
    start, fence, kind, block = 0, "", "prose", 0
    for index, line in enumerate(lines):
        while block < len(known_code) and known_code[block][1] <= start:
            block += 1
        stripped = line.strip()
        mark = stripped.lstrip("> ")[:3]  # a quotation may contain code
        if block < len(known_code) and known_code[block][0] <= start:
            kind = "code"
        elif fence:
            kind = "code"
            fence = "" if mark == fence else fence
        elif mark in {"```", "~~~"} and "`" not in stripped.lstrip("> ")[3:]:
            kind, fence = "code", mark
        elif "|" in stripped and (
            mark[0] == "|" or kind == "table" or is_delimiter_row("".join(lines[index + 1 : index + 2]))
        ):
            kind = "table"
        else:
            kind = "prose"
        yield start, start + len(line), kind
        start += len(line) + 1


def cells_of(text: str, line: Span) -> list[Span]:
    """The spans of the cells of a row, without the white space around them."""
    start, end = strip_span(text, line)
    if start < end and text[start] == "|":
        start += 1
    if end > start and text[end - 1] == "|" and text[end - 2] != "\\":
        end -= 1
    pipes = [pipe.start() for pipe in _PIPE.finditer(text, start, end)]
    starts = [start, *(pipe + 1 for pipe in pipes)]
    return [strip_span(text, cell) for cell in zip(starts, [*pipes, end], strict=True)]


def is_delimiter_row(line: str) -> bool:
    """Whether the line separates the header of a table from its body."""
    return "-" in line and "|" in line and set(line) <= set("|:- \t")


def _mask_prose(text: str, start: int, end: int, labels: list[tuple[str, Span, Span]], lexicon: Lexicon) -> str:
    line = text[start:end]
    label, bullet = _LABEL.match(line), _BULLET.match(line)
    lead = bullet.end() if bullet is not None else 0
    dateline = DATELINE.match(line, lead)
    lead = dateline.end() if dateline is not None else lead
    if label is not None:
        is_known = lexicon.header(label["label"], None) is not None or is_sure_label(label["label"].strip())
        if is_known or is_property_label(label["label"]):
            labels.append((label["label"].strip(), (start, start + label.end()), (start + label.end(), end)))
        lead = label.end() if is_known else lead
    body = line[lead:]
    if _MAY_BE_MARKUP.search(body) is not None:
        body = _INLINE.sub(_mask_inline, body)
    return split_columns(MASK * lead + body)


def _mask_inline(markup: re.Match[str]) -> str:
    """The words of inline markup, masked around them; code and names such as `__init__` stay, struck text does not."""
    whole = markup[0]
    if markup["reference"] is not None:
        return MASK + markup["reference"] + MASK * (len(whole) - 1 - len(markup["reference"]))
    if markup["code"] is not None:
        return whole if markup["role"] is None else MASK * len(markup["role"]) + markup["code"]
    if markup["text"] is not None:
        if markup["text"] in markup["target"] and "." in markup["text"] and " " not in markup["text"]:
            return MASK * len(whole)  # a link by its address alone
        text = _INLINE.sub(_mask_inline, markup["text"]) if "*" in markup["text"] else markup["text"]
        before = 2 if markup["image"] else 1
        return MASK * before + text + MASK * (len(whole) - before - len(text))
    if markup["link"] is not None:
        word = markup.string[max(markup.start() - MAX_WORD, 0) : markup.start()].rpartition(" ")[2]
        stays = "_" in word  # of an identifier
    else:
        stays = markup["under"] is not None
    if markup["under"] is not None and not (whole.startswith("__") and whole.strip("_").isidentifier()):
        left, right = len(markup["under"]), len(markup["close"])
        return MASK * left + whole[left : len(whole) - right] + MASK * right
    return whole if stays else MASK * len(whole)
