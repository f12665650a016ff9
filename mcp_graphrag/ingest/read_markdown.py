"""Markdown to blocks: those of CommonMark, pipe tables and definitions, each with its heading path."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.token import Token

from mcp_graphrag.ingest.frontmatter import read_front_matter
from mcp_graphrag.ingest.kept_together import with_hanging
from mcp_graphrag.ingest.read_plain_text import read_plain_text
from mcp_graphrag.ingest.reader import Reading
from mcp_graphrag.model import Block, BlockKind

_MAX_TITLE_LENGTH = 200
_MAX_LINES = 500_000  # 200 bytes each
_MAX_TOKENS = 200_000  # 500 bytes each
_TOO_MANY = f"is read as plain text: it has more than {_MAX_LINES:,} lines or {_MAX_TOKENS:,} blocks and headings."
_LINE_END = re.compile("\n")
_MARKUP = re.compile(r"[\\`*_\[<&!]")
_CELL_END = re.compile(r"(?<!\\)\|")
_DELIMITER = re.compile(r"\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?")
_IN_DEFINITION = re.compile(r"(?: {4}|\t)(?! {4}|\t| *[`~]{3})")
_KINDS: Mapping[str, BlockKind] = {
    "bullet_list_open": "list",
    "ordered_list_open": "list",
    "table": "table",
    "fence": "code",
    "code_block": "code",
}


def read_markdown(text: str) -> Reading:
    """The blocks of a Markdown text, with its front matter as metadata.

    The title is that of the front matter, else the first heading of level 1. A text whose lines or blocks would take
    hundreds of megabytes is read as plain text, which the note says.
    """
    front, body = read_front_matter(text)
    given = front.get("title")
    title = given if isinstance(given, str) else ""
    try:
        blocks = list(_blocks(text, body))
    except TooManyParts:
        return Reading(text, read_plain_text(text).blocks, title, front, note=_TOO_MANY)
    if "\n:" in text:
        blocks = _with_definitions(text, blocks)
    if body:
        blocks.insert(0, Block("code", 0, blocks[0].start if blocks else len(text)))
    first_heading = next((block.headings[-1] for block in blocks if block.level == 1), "")
    return Reading(text, blocks, title if isinstance(given, str) else first_heading, front)


def _blocks(text: str, body: int) -> Iterator[Block]:
    """The blocks from offset `body` to the end of the text; each extends to the start of the next."""
    if text.count("\n") > _MAX_LINES:
        raise TooManyParts
    line_starts = [body, *(line_end.end() for line_end in _LINE_END.finditer(text, body))]
    tokens = _TopLevel()
    _BLOCKS.block.parse(text[body:], _BLOCKS, {}, tokens)
    top_level = [(index, token.map[0]) for index, token in enumerate(tokens) if token.level == 0 and token.map]
    path = list[tuple[int, str]]()
    for order, (index, line) in enumerate(top_level):
        start = line_starts[line] if order else body
        end = line_starts[top_level[order + 1][1]] if order + 1 < len(top_level) else len(text)
        title = _heading_text(tokens[index + 1].content) if tokens[index].type == "heading_open" else ""
        level = int(tokens[index].tag[1]) if title else 0
        if title:
            path = [parent for parent in path if parent[0] < level] + [(level, title)]
        kind = "heading" if title else _KINDS.get(tokens[index].type, "text")
        yield Block(kind, start, end, tuple(title for _, title in path), level)


def _with_definitions(text: str, blocks: Sequence[Block]) -> list[Block]:
    """The blocks with the definitions behind ": ", whose further paragraphs, by indentation, are no code."""
    return [
        replace(block, kind="text") if block.terms and _IN_DEFINITION.match(text, block.start) else block
        for block in with_hanging(text, blocks, marked=True)
    ]


class TooManyParts(Exception):
    """A text has more lines or blocks than are kept in memory."""


class _TopLevel(list[Token]):
    """Of the parser's tokens those that begin a block of the document, and the titles of headings; others are dropped.

    Raises TooManyParts.
    """

    def append(self, token: Token, /) -> None:
        is_title = token.level == 1 and token.type == "inline" and bool(self) and self[-1].type == "heading_open"
        if is_title or (token.level == 0 and token.nesting >= 0):
            if len(self) == _MAX_TOKENS:
                raise TooManyParts
            super().append(token)


def _heading_text(content: str) -> str:
    """The text of a heading without its markup."""
    content = content[:_MAX_TITLE_LENGTH]
    if _MARKUP.search(content):
        content = "".join(_inline_texts(_INLINE.parseInline(content)[0].children or ()))
    return " ".join(content.split())


def _inline_texts(tokens: Sequence[Token]) -> Iterator[str]:
    for token in tokens:
        if token.type in {"softbreak", "hardbreak"}:
            yield " "
        elif token.type != "html_inline":
            yield token.content


def _table(state: StateBlock, start: int, end: int, silent: bool) -> bool:  # noqa: FBT001  the library's signature
    """Block rule: a pipe table as one token; the rule of the library makes eight for each cell."""
    if start + 2 > end or state.is_code_block(start) or state.sCount[start + 1] < state.blkIndent:
        return False
    header, delimiter = _line(state, start), _line(state, start + 1)
    if "|" not in header or "-" not in delimiter or not _DELIMITER.fullmatch(delimiter):
        return False
    if _columns(header) != _columns(delimiter):
        return False
    if silent:
        return True
    token = state.push("table", "", 0)
    line = start + 2
    while line < end and not _ends_table(state, line, end):
        line += 1
    token.map = [start, line]
    state.line = line
    return True


def _line(state: StateBlock, line: int) -> str:
    return state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]].strip()


def _columns(row: str) -> int:
    return len(_CELL_END.findall(row.removeprefix("|").removesuffix("|"))) + 1


def _ends_table(state: StateBlock, line: int, end: int) -> bool:
    if state.sCount[line] < state.blkIndent or state.isEmpty(line) or state.is_code_block(line):
        return True
    return any(rule(state, line, end, True) for rule in state.md.block.ruler.getRules("blockquote"))  # noqa: FBT003  as above


def _block_parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark").enable("table").disable(["inline", "text_join", "reference"])
    parser.block.ruler.at("table", _table, {"alt": ["paragraph", "reference"]})
    return parser


_BLOCKS = _block_parser()
_INLINE = MarkdownIt("commonmark")
