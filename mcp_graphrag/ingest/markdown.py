"""Markdown: CommonMark blocks and pipe tables, each with the path of headings above it."""

import re
from collections.abc import Iterator, Mapping, Sequence

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.token import Token

from mcp_graphrag.ingest.frontmatter import read_front_matter
from mcp_graphrag.ingest.reading import Reading
from mcp_graphrag.model import Block, BlockKind

_LONGEST_TITLE = 200
_MARKUP = re.compile(r"[\\`*_\[<&!]")
_CELL_END = re.compile(r"(?<!\\)\|")
_DELIMITER = re.compile(r"\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?")
_KINDS: Mapping[str, BlockKind] = {
    "bullet_list_open": "list",
    "ordered_list_open": "list",
    "table": "table",
    "fence": "code",
    "code_block": "code",
}


def read_markdown(text: str) -> Reading:
    """The blocks of a Markdown text, front matter as metadata and its title, else the first level-1 heading's."""
    front, body = read_front_matter(text)
    blocks = list(_blocks(text, body))
    lead = blocks[0].start if blocks else len(text)
    if body:
        blocks.insert(0, Block("code", 0, lead))
    named = front.get("title")
    first = next((block.headings[-1] for block in blocks if block.level == 1), "")
    return Reading(text, blocks, named if isinstance(named, str) else first, front)


def _blocks(text: str, body: int) -> Iterator[Block]:
    """Blocks from `body` to the end of the text. Each reaches to the start of the next."""
    lines = _line_starts(text, body)
    tokens = _BLOCKS.parse(text[body:])
    # A block without lines of its own, such as the close of a list, has no map.
    tops = [(at, token.map[0]) for at, token in enumerate(tokens) if token.level == 0 and token.map]
    path = list[tuple[int, str]]()
    for order, (at, line) in enumerate(tops):
        start = lines[line] if order else body
        end = lines[tops[order + 1][1]] if order + 1 < len(tops) else len(text)
        title = _title(tokens[at + 1].content) if tokens[at].type == "heading_open" else ""
        level = int(tokens[at].tag[1]) if title else 0
        if title:
            path = [above for above in path if above[0] < level] + [(level, title)]
        kind = "heading" if title else _KINDS.get(tokens[at].type, "text")
        yield Block(kind, start, end, tuple(title for _, title in path), level)


def _line_starts(text: str, body: int) -> Sequence[int]:
    starts = [body]
    while (found := text.find("\n", starts[-1])) >= 0:
        starts.append(found + 1)
    return starts


def _title(content: str) -> str:
    """A heading's words without their markup."""
    content = content[:_LONGEST_TITLE]
    if _MARKUP.search(content):
        content = "".join(_words(_INLINE.parseInline(content)[0].children or ()))
    return " ".join(content.split())


def _words(tokens: Sequence[Token]) -> Iterator[str]:
    for token in tokens:
        if token.type in {"softbreak", "hardbreak"}:
            yield " "
        elif token.type != "html_inline":
            yield token.content


def _table(state: StateBlock, start: int, end: int, silent: bool) -> bool:  # noqa: FBT001  the library's signature
    """Block rule: a pipe table as one token; the library's own makes eight for each cell."""
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
