"""A parsed page as Markdown text."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from selectolax.lexbor import LexborNode

from mcp_graphrag.ingest.grid import Grid

_DROPPED_TAGS = (
    "script style nav footer aside template noscript head title svg iframe object select button canvas audio video"
    " datalist -comment !doctype"
)
_DROPPED = frozenset(_DROPPED_TAGS.split())
_BLOCKS_TAGS = (
    "address article blockquote body center dd details div dl dt fieldset figcaption figure form header hgroup hr html"
    " legend li main menu ol p pre section summary table caption tbody thead tfoot tr td th ul"
    " h1 h2 h3 h4 h5 h6"
)
_BLOCKS = frozenset(_BLOCKS_TAGS.split())
_HEADINGS = {f"h{level}": "#" * level + " " for level in range(1, 7)}
_NO_DISPLAY = re.compile(r"display\s*:\s*none", re.IGNORECASE)
_BREAK = "\x1e"
_DEEPEST = 8
_PERMALINKS = frozenset({"", "#", "¶", "§", "🔗"})
_DEAD_LINKS = ("#", "javascript:", "data:")
_LANGUAGE = re.compile(r"\b(?:language|lang|highlight|brush:)-?\s?([\w+#]+)")
# What would start a Markdown block at the start of a line.
_BLOCK_START = re.compile(r"(?:#{1,6}|[-+*])(?=\s|$)|>|<|`{3}|~{3}|[-=:|*_ ]+$")
_NUMBERED = re.compile(r"(\d{1,9})([.)])(?=\s|$)")


def render(root: LexborNode) -> str:
    """The visible text below a node: `#` headings, `-` and `1.` lists, pipe tables, fences, `[text](href)` links."""
    writer = _Writer(_layout_tables(root))
    for node, entering in _visible(root):
        if entering:
            writer.enter(node)
        else:
            writer.leave(node)
    writer.flush()
    return "".join(writer.out)


def _visible(root: LexborNode) -> Iterator[tuple[LexborNode, bool]]:
    """Each node below the root on the way in (True) and out (False), hidden ones left out. No recursion."""
    node, depth = root, 0
    while True:
        child = None
        if not _is_hidden(node):
            yield node, True
            child = node.child
            if child is None:
                yield node, False
        if child is not None:
            node, depth = child, depth + 1
            continue
        while depth and node.next is None:
            above = node.parent
            if above is None:
                return
            node, depth = above, depth - 1
            yield node, False
        following = node.next if depth else None
        if following is None:
            return
        node = following


def _is_hidden(node: LexborNode) -> bool:
    if node.tag in _DROPPED:
        return True
    if not node.is_element_node:
        return False
    attributes = node.attributes
    if not attributes:
        return False
    style = attributes.get("style")
    return (
        "hidden" in attributes
        or attributes.get("aria-hidden") == "true"
        or (style is not None and _NO_DISPLAY.search(style) is not None)
    )


def _layout_tables(root: LexborNode) -> frozenset[int]:
    """The tables that arrange a page rather than hold rows: those around tables, headings or code."""
    layout = set[int]()
    tables = list[int]()
    for node, entering in _visible(root):
        tag = node.tag
        if entering and tables and (tag in {"table", "pre"} or tag in _HEADINGS):
            layout.add(tables[-1])
        if tag == "table":
            if entering:
                tables.append(node.mem_id)
            else:
                tables.pop()
    return frozenset(layout)


@dataclass
class _Margin:
    """What stands left of the lines of a list item or quotation; `marker` once, on its first line."""

    rest: str
    marker: str | None


@dataclass
class _Writer:
    """Markdown in the making: blocks in `out`, the running block in `words`.

    `margins` holds at most `_DEEPEST` lists and quotations around it, `deeper` counts those further in. `spans` says of
    each open link or code where in `words` it starts, and after how many flushes.
    """

    layout: frozenset[int]
    out: list[str] = field(default_factory=list[str])
    words: list[str] = field(default_factory=list[str])
    margins: list[_Margin] = field(default_factory=list[_Margin])
    numbers: list[int | None] = field(default_factory=list[int | None])
    spans: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    deeper: int = 0
    flushes: int = 0
    in_list: bool = False
    grid: Grid | None = None
    fences: int = 0

    def enter(self, node: LexborNode) -> None:
        """Take the text of a text node; start what an element starts."""
        tag = node.tag or ""
        if tag == "-text":
            self.words.append(node.text_content or "")
        elif tag == "br":
            self.words.append("\n" if self.fences else _BREAK)
        elif tag == "img":
            self.words.append(node.attributes.get("alt") or "")
        elif tag in {"a", "code"}:
            self.spans.append((self.flushes, len(self.words)))
        elif self.fences:
            self.fences += tag == "pre"
        elif self.grid is not None:
            self.words.append(" ")
            self.grid.enter(node, self.words)
        elif tag in _BLOCKS:
            self.flush()
            self._open(node, tag)

    def leave(self, node: LexborNode) -> None:
        """End what an element ends."""
        tag = node.tag or ""
        if tag in {"a", "code"}:
            self._end_span(node, tag)
        elif self.grid is not None:
            self._leave_cell(node, tag)
        elif tag == "pre":
            self._end_fence(node)
        elif tag in _BLOCKS and not self.fences:
            self.flush("" if self.margins else _HEADINGS.get(tag, ""))
            self._close(tag)

    def flush(self, prefix: str = "") -> None:
        """End the running paragraph."""
        lines = [" ".join(line.split()) for line in "".join(self.words).split(_BREAK)]
        self.words.clear()
        self.flushes += 1
        lines = [line for line in lines if line]
        if prefix:
            lines = [" ".join(lines)] if lines else []
        self._emit([prefix + line if prefix else _escaped(line) for line in lines])

    def _open(self, node: LexborNode, tag: str) -> None:
        if tag in {"ul", "ol", "menu"}:
            self.numbers.append(1 if tag == "ol" else None)
        elif tag == "li":
            number = self.numbers[-1] if self.numbers else None
            marker = "- " if number is None else f"{number}. "
            if number is not None:
                self.numbers[-1] = number + 1
            self._indent(" " * len(marker), marker)
        elif tag == "blockquote":
            self._indent("> ", None)
        elif tag == "pre":
            self.fences += 1
        elif tag == "table" and node.mem_id not in self.layout:
            self.grid = Grid()

    def _close(self, tag: str) -> None:
        if tag in {"ul", "ol", "menu"}:
            self.numbers.pop()
        elif tag in {"li", "blockquote"} and self.deeper:
            self.deeper -= 1
        elif tag in {"li", "blockquote"}:
            self.margins.pop()

    def _indent(self, rest: str, marker: str | None) -> None:
        if len(self.margins) < _DEEPEST:
            self.margins.append(_Margin(rest, marker))
        else:
            self.deeper += 1

    def _leave_cell(self, node: LexborNode, tag: str) -> None:
        if self.grid is None:
            return
        if tag != "table":
            self.grid.leave(node, self.words)
            self.words.append(" ")
            return
        grid, self.grid = self.grid, None
        self.words.clear()
        self.flushes += 1
        for block in grid.blocks():
            self._emit(block if len(block) > 1 else [_escaped(block[0])])

    def _end_fence(self, node: LexborNode) -> None:
        self.fences -= 1
        if self.fences:
            return
        code = "".join(self.words).replace(_BREAK, "\n").removeprefix("\n").rstrip()
        self.words.clear()
        self.flushes += 1
        if not code.strip():
            return
        inner = node.css_first("code[class]")
        classes = " ".join((at.attributes.get("class") or "") for at in (node, inner) if at is not None)
        language = _LANGUAGE.search(classes)
        runs = [len(run) for run in re.findall(r"`{3,}", code)]
        ticks = "`" * (max(runs, default=2) + 1)
        self._emit([f"{ticks}{language[1] if language else ''}", *code.split("\n"), ticks])

    def _end_span(self, node: LexborNode, tag: str) -> None:
        flushes, at = self.spans.pop()
        if self.fences or flushes != self.flushes or len(self.spans) >= _DEEPEST:
            return
        label = " ".join("".join(self.words[at:]).replace(_BREAK, " ").split())
        if tag == "code":
            written = f"`{label}`" if label and "`" not in label else label
        else:
            written = _link(label, (node.attributes.get("href") or "").strip())
        spaced = at < len(self.words) and self.words[at][:1].isspace()
        trailing = bool(self.words[at:]) and self.words[-1][-1:].isspace()
        self.words[at:] = [" " if spaced else "", written, " " if trailing else ""]

    def _emit(self, lines: list[str]) -> None:
        if not lines:
            return
        first = "".join(margin.marker or margin.rest for margin in self.margins)
        rest = "".join(margin.rest for margin in self.margins)
        marked = any(margin.marker for margin in self.margins)
        tight = marked and self.in_list
        if self.out:
            self.out.append("\n" if tight else "\n\n")
        for margin in self.margins:
            margin.marker = None
        self.out.append("\n".join((first if at == 0 else rest) + line for at, line in enumerate(lines)))
        self.in_list = bool(self.margins)


def _link(label: str, href: str) -> str:
    if href.startswith("#") and label in _PERMALINKS:
        return ""
    if not label or not href or href.lower().startswith(_DEAD_LINKS):
        return label
    target = f"<{href}>" if re.search(r"[\s()<>]", href) else href
    return f"[{label}]({target})"


def _escaped(line: str) -> str:
    if _BLOCK_START.match(line):
        return "\\" + line
    return _NUMBERED.sub(r"\1\\\2", line, count=1) if _NUMBERED.match(line) else line
