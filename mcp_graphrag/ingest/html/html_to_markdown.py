"""The Markdown of a parsed HTML page, and what in it belongs together."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate

from selectolax.lexbor import LexborNode

from mcp_graphrag.ingest.decode import normalize_characters
from mcp_graphrag.ingest.html.html_nodes import TEXT, visible_nodes
from mcp_graphrag.ingest.html.html_table import SpanBudget, TableBuilder
from mcp_graphrag.ingest.html.main_content import MainContent
from mcp_graphrag.ingest.kept_together import Level, with_terms
from mcp_graphrag.ingest.read_markdown import read_markdown
from mcp_graphrag.ingest.reader import Reading

_BLOCK_TAG_LIST = (
    "address article aside blockquote body center dd details div dl dt fieldset figcaption figure footer form header"
    " hgroup hr html legend li main menu nav ol p pre section summary table caption tbody thead tfoot tr td th ul"
    " h1 h2 h3 h4 h5 h6"
)
_BLOCK_TAGS = frozenset(_BLOCK_TAG_LIST.split())
_HEADINGS = {f"h{level}": "#" * level + " " for level in range(1, 7)}
# A table for the layout of a page, not for data. A picture beside several rows is the sign of a note or a warning.
_LAYOUT_TABLE = f"table:has(table, pre, td[rowspan] > img:first-child, {', '.join(_HEADINGS)})"
_PARTS = frozenset({"dl", "figure", "details"})
_TERMS = frozenset({"dt", "figcaption", "summary"})  # what names them
_LINE_BREAK = "\x1e"
_MAX_DEPTH = 8
_PERMALINK_LABELS = frozenset({"", "#", "¶", "§", "🔗"})
_IGNORED_TARGETS = ("#", "javascript:", "data:")
_LANGUAGE = re.compile(r"\b(?:language|lang|highlight|brush:)-?\s?([\w+#]+)")
_STRUCK = frozenset({"del", "s", "strike"})
_INLINE = _STRUCK | {"a", "code"}
_STRUCK_LINE = re.compile(r"([\s>]*(?:(?:[-*+]|\d+[.)])\s+|#+\s+)?)([^\s|`].*?)(\s*)")
# Syntax that would start a Markdown block at the start of a line.
_BLOCK_START = re.compile(r"(?:#{1,6}|[-+*:])(?=\s|$)|>|<|`{3}|~{3}|[-=:|*_ ]+$")
_NUMBERED = re.compile(r"(\d{1,9})([.)])(?=\s|$)")


def read_content(main: MainContent) -> Reading:
    """A page's main content as Markdown: `#` headings, lists, pipe tables, fences, `[text](href)` links."""
    writer = _MarkdownWriter(frozenset(table.mem_id for table in main.root.css(_LAYOUT_TABLE)))
    for node, tag, entering in visible_nodes(main.root, main.left_out):
        if entering:
            writer.enter(node, tag)
        else:
            writer.leave(node, tag)
    writer.flush()
    parts = [normalize_characters(part) for part in writer.blocks]
    read = read_markdown("".join(parts))
    return replace(read, blocks=with_terms(read.blocks, writer.levels(parts)))


@dataclass
class _Part:
    """A definition, figure or answer at a depth, or what follows one: its place in `blocks` and those of its term."""

    depth: int
    start: int
    first: int = 0
    last: int = 0
    is_defined: bool = False


@dataclass
class _Prefix:
    """The prefix of the lines of a list item or quotation; `marker` replaces it on the first line, once."""

    text: str
    marker: str | None


@dataclass
class _MarkdownWriter:
    """Writes Markdown: finished blocks in `blocks`, the parts of the current block in `inline`.

    `prefixes` are those of the enclosing list items and quotations, of which the outermost `_MAX_DEPTH` are written.
    `spans` holds for each open link, code or struck text the number of flushes before it and its start in `inline`;
    `struck` holds the number of blocks in front of each open struck text. `parts` are the definitions, figures and
    answers in order, each with what follows it; `open_parts` are those around.
    """

    layout_tables: frozenset[int]
    blocks: list[str] = field(default_factory=list[str])
    inline: list[str] = field(default_factory=list[str])
    prefixes: list[_Prefix] = field(default_factory=list[_Prefix])
    item_numbers: list[int | None] = field(default_factory=list[int | None])
    spans: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    struck: list[int] = field(default_factory=list[int])
    open_parts: list[_Part] = field(default_factory=list[_Part])
    parts: list[_Part] = field(default_factory=list[_Part])
    flushes: int = 0
    in_list: bool = False
    table: TableBuilder | None = None
    spanned: SpanBudget = field(default_factory=SpanBudget)
    pre_depth: int = 0

    def enter(self, node: LexborNode, tag: str) -> None:
        """Add the text of a text node, or start the block, link, code or table of an element."""
        if tag == TEXT:
            self.inline.append(node.text_content or "")
        elif tag == "br":
            self.inline.append("\n" if self.pre_depth else _LINE_BREAK)
        elif tag == "img":
            self.inline.append(node.attributes.get("alt") or "")
        elif tag in _INLINE:
            self.spans.append((self.flushes, len(self.inline)))
            if tag in _STRUCK:
                self.struck.append(len(self.blocks))
        elif self.pre_depth:
            self.pre_depth += tag == "pre"
        elif self.table is not None:
            self.inline.append(" ")
            self.table.enter(node, self.inline)
        elif tag in _BLOCK_TAGS:
            self.flush()
            self._open(node, tag)

    def leave(self, node: LexborNode, tag: str) -> None:
        """End the block, link, code or table of an element."""
        if tag in _INLINE:
            if tag in _STRUCK:
                self._strike_blocks(self.struck.pop())
            self._end_span(node, tag)
        elif self.table is not None and tag == "table":
            self._end_table(self.table)
        elif self.table is not None:
            self.table.leave(node, self.inline)
            self.inline.append(" ")
        elif tag == "pre":
            self._end_code_block(node)
        elif tag in _BLOCK_TAGS and not self.pre_depth:
            # The title of a note in a definition is no section.
            is_inside = self.prefixes or any(part.is_defined and part.last for part in self.open_parts)
            self.flush("" if is_inside else _HEADINGS.get(tag, ""))
            self._close(tag)

    def flush(self, prefix: str = "") -> None:
        """End the current paragraph."""
        lines = [" ".join(line.split()) for line in "".join(self.inline).split(_LINE_BREAK)]
        self.inline.clear()
        self.flushes += 1
        lines = [line for line in lines if line]
        if prefix and lines:
            self._emit([prefix + " ".join(lines)])
        else:
            # Two spaces in front of a line break are a hard one in Markdown.
            self._emit([_escape(line) + "  " for line in lines[:-1]] + [_escape(line) for line in lines[-1:]])

    def _open(self, node: LexborNode, tag: str) -> None:
        if tag in {"ul", "ol", "menu"}:
            self.item_numbers.append(1 if tag == "ol" else None)
        elif tag == "li":
            number = self.item_numbers[-1] if self.item_numbers else None
            marker = "- " if number is None else f"{number}. "
            if number is not None:
                self.item_numbers[-1] = number + 1
            self.prefixes.append(_Prefix(" " * len(marker), marker))
        elif tag == "blockquote":
            self.prefixes.append(_Prefix("> ", None))
        elif tag == "pre":
            self.pre_depth += 1
        elif tag == "table" and node.mem_id not in self.layout_tables:
            self.table = TableBuilder(budget=self.spanned)
        else:
            self._open_part(tag)

    def _close(self, tag: str) -> None:
        if tag in {"ul", "ol", "menu"}:
            self.item_numbers.pop()
        elif tag in {"li", "blockquote"}:
            self.prefixes.pop()
        elif tag in _PARTS:
            self._new_part(self.open_parts.pop().depth)
        elif tag in _TERMS and self.open_parts:
            self.open_parts[-1].last = len(self.blocks)

    def _open_part(self, tag: str) -> None:
        part = self.open_parts[-1] if self.open_parts else None
        if tag in _PARTS:
            self.open_parts.append(self._new_part(len(self.open_parts)))
        elif part is not None and tag in _TERMS:
            if tag == "dt" and part.is_defined:
                self.open_parts[-1] = part = self._new_part(part.depth)
            part.first = part.first if part.last else len(self.blocks)
        elif part is not None and tag == "dd":
            part.is_defined = True

    def _new_part(self, depth: int) -> _Part:
        self.parts.append(_Part(depth, len(self.blocks)))
        return self.parts[-1]

    def levels(self, blocks: Sequence[str]) -> Iterator[Level]:
        """The definitions, figures and answers in the text that these blocks make."""
        ends = [0, *accumulate(map(len, blocks))]
        # Behind each block is the distance to the next.
        starts = [0, *ends[2:], ends[-1]]
        for part in self.parts:
            term = (starts[part.first], ends[part.last]) if part.first < part.last else None
            yield Level(part.depth, starts[part.start], term)

    def _end_table(self, table: TableBuilder) -> None:
        self.table = None
        self.inline.clear()
        self.flushes += 1
        for block in table.blocks():
            self._emit(block if len(block) > 1 else [_escape(block[0])])

    def _end_code_block(self, node: LexborNode) -> None:
        self.pre_depth -= 1
        if self.pre_depth:
            return
        code = "".join(self.inline).replace(_LINE_BREAK, "\n").removeprefix("\n").rstrip()
        self.inline.clear()
        self.flushes += 1
        if not code.strip():
            return
        inner = node.css_first("code[class]")
        classes = " ".join((element.attributes.get("class") or "") for element in (node, inner) if element is not None)
        language = _LANGUAGE.search(classes)
        runs = [len(run) for run in re.findall(r"`{3,}", code)]
        ticks = "`" * (max(runs, default=2) + 1)
        self._emit([f"{ticks}{language[1] if language else ''}", *code.split("\n"), ticks])

    def _end_span(self, node: LexborNode, tag: str) -> None:
        flushes, start = self.spans.pop()
        if self.pre_depth or flushes != self.flushes or len(self.spans) >= _MAX_DEPTH:
            return
        label = " ".join("".join(self.inline[start:]).replace(_LINE_BREAK, " ").split())
        if tag == "code":
            markdown = f"`{label}`" if label and "`" not in label else label
            last = next((at for at in range(start - 1, -1, -1) if self.inline[at]), None)
            before = self.inline[last] if last is not None else ""
            if last is not None and markdown[:1] == before[-1:] == "`" and not self.inline[start][:1].isspace():
                # Parts of one name: "`module.`" and "`function`".
                self.inline[last], markdown = before[:-1], markdown[1:]
        elif tag in _STRUCK:
            markdown = f"~~{label}~~" if label else ""
        else:
            markdown = _link(label, (node.attributes.get("href") or "").strip())
        leading = start < len(self.inline) and self.inline[start][:1].isspace()
        trailing = bool(self.inline[start:]) and self.inline[-1][-1:].isspace()
        self.inline[start:] = [" " if leading else "", markdown, " " if trailing else ""]

    def _strike_blocks(self, first: int) -> None:
        """Strike out the lines of the blocks from `first` on, which stand in struck text; code and tables stay."""
        for at in range(first, len(self.blocks)):
            lines = [_STRUCK_LINE.fullmatch(line) or line for line in self.blocks[at].split("\n")]
            struck = [line if isinstance(line, str) else line.expand(r"\1~~\2~~\3") for line in lines]
            self.blocks[at] = "\n".join(struck)

    def _emit(self, lines: list[str]) -> None:
        if not lines:
            return
        prefixes = self.prefixes[:_MAX_DEPTH]
        first = "".join(prefix.marker or prefix.text for prefix in prefixes)
        others = "".join(prefix.text for prefix in prefixes)
        is_tight = self.in_list and any(prefix.marker for prefix in prefixes)
        if self.blocks:
            self.blocks.append("\n" if is_tight else "\n\n")
        for prefix in prefixes:
            prefix.marker = None
        self.blocks.append("\n".join((others if index else first) + line for index, line in enumerate(lines)))
        self.in_list = bool(self.prefixes)


def _link(label: str, href: str) -> str:
    if href.startswith("#") and label in _PERMALINK_LABELS:
        return ""
    if not label or not href or href.lower().startswith(_IGNORED_TARGETS):
        return label
    target = f"<{href}>" if re.search(r"[\s()<>]", href) else href
    return f"[{label}]({target})"


def _escape(line: str) -> str:
    if _BLOCK_START.match(line):
        return "\\" + line
    return _NUMBERED.sub(r"\1\\\2", line, count=1) if _NUMBERED.match(line) else line
