"""The Markdown links of a document, read by markdown-it-py, with their exact spans in its text."""

from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Any, NamedTuple

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from markdown_it.rules_inline.link import link as read_link
from markdown_it.token import Token

from mcp_graphrag.model import Document

MAX_BRACKETS = 50_000  # in a block whose links are read


class MarkdownLink(NamedTuple):
    """A link with its span in the document's text, its target as written, and the words that it shows."""

    start: int
    end: int
    target: str
    words: str


def markdown_links(document: Document) -> Iterator[MarkdownLink]:
    """The inline and reference links of a document in reading order, without those that show an image.

    Links in code are none. Each block with a link is parsed by itself, which costs less than the whole document; not
    one of more than MAX_BRACKETS, whose tokens would take hundreds of megabytes.
    """
    text = document.text
    has_definitions = "]: " in text
    if not has_definitions and "](" not in text:
        return
    spans = [(block.start, block.end, block.kind == "text") for block in document.blocks if block.kind != "code"]
    environment: dict[str, Any] = {}
    parsed: list[tuple[int, str, Sequence[Token]]] = []
    for start, end, is_text in spans if document.blocks else [(0, len(text), False)]:
        if text.find("[" if has_definitions else "](", start, end) >= 0 and text.count("[", start, end) <= MAX_BRACKETS:
            # As long as before; the parser makes one character of "\r\n", and miscounts lines that open with "\xa0".
            block = text[start:end].replace("\r\n", " \n").replace("\r", "\n").replace("\xa0", " ")
            is_paragraph = is_text and not has_definitions and (block[0].isalpha() or block[0] == "[")
            tokens = [_paragraph(block)] if is_paragraph else _PARSER.parse(block, environment)
            parsed.append((start, block, tokens))
    # Links are read when all definitions are known: most stand at the end.
    is_link = "[" if environment.get("references") else "]("
    for start, block, tokens in parsed:
        for link in _links_in_block(block, tokens, environment, is_link):
            yield link._replace(start=start + link.start, end=start + link.end)


def _paragraph(block: str) -> Token:
    """The inline token of a block that is a paragraph, as the parser would make it."""
    return Token("inline", "", 0, content=block.strip(), map=[0, block.count("\n") + 1])


def _links_in_block(
    block: str, tokens: Sequence[Token], environment: dict[str, Any], is_link: str
) -> Iterator[MarkdownLink]:
    line_starts = list(accumulate((len(line) + 1 for line in block.split("\n")), initial=0))
    previous_end = 0
    for token in tokens:
        if token.type != "inline" or token.map is None:
            continue
        lines = _line_offsets(block, line_starts, token, previous_end)
        previous_end = lines[-1][1] + len(token.content) - lines[-1][0]
        if is_link in token.content:
            children: list[Token] = []
            _PARSER.inline.parse(token.content, _PARSER, environment, children)
            for link in _links(children):
                yield link._replace(start=_offset(lines, link.start), end=_offset(lines, link.end - 1) + 1)


def _line_offsets(block: str, line_starts: Sequence[int], token: Token, earliest: int) -> list[tuple[int, int]]:
    """The offset in the content of an inline token, and in its block, of each line of the content.

    A line of the content is a line of the block without the markers of quotes, lists and headings; a table has several
    tokens in a line. Where it differs otherwise, by an escaped pipe in a table, its offset is that of the line.
    """
    first = token.map[0] if token.map is not None else 0
    offsets: list[tuple[int, int]] = []
    at = 0
    for number, line in enumerate(token.content.split("\n"), start=first):
        begin = max(line_starts[number], earliest)
        found = block.find(line, begin, line_starts[number + 1])
        offsets.append((at, found if found >= 0 else begin))
        at += len(line) + 1
    return offsets


def _offset(lines: Sequence[tuple[int, int]], at: int) -> int:
    """The offset in the block of an offset in the content."""
    line, start = next(pair for pair in reversed(lines) if pair[0] <= at)
    return start + at - line


def _links(tokens: Sequence[Token]) -> Iterator[MarkdownLink]:
    opening: Token | None = None
    words: list[str] = []
    for token in tokens:
        if token.type == "link_open" and "span" in token.meta:
            opening, words = token, []
        elif token.type == "image":
            opening = None
        elif token.type == "link_close" and opening is not None:
            start, end = opening.meta["span"]
            yield MarkdownLink(start, end, str(opening.attrs["href"]), "".join(words))
            opening = None
        elif opening is not None:
            words.append(token.content)


def _link_with_span(state: StateInline, silent: bool) -> bool:  # noqa: FBT001  the library's signature
    """Inline rule: a link whose opening token has its span in `meta`; the library's own has none."""
    start, count = state.pos, len(state.tokens)
    if not read_link(state, silent):
        return False
    if not silent:
        opening = next(token for token in state.tokens[count:] if token.type == "link_open")
        opening.meta["span"] = start, state.pos
    return True


class _LinkParser(MarkdownIt):
    """CommonMark and pipe tables, reduced to what decides where links are; targets stay as they are written."""

    def __init__(self) -> None:
        super().__init__("commonmark")
        self.enable("table").disable(["inline", "text_join", "emphasis", "entity", "newline"])
        self.inline.ruler.at("link", _link_with_span)

    def validateLink(self, url: str) -> bool:  # noqa: ARG002, N802  overrides
        return True

    def normalizeLink(self, url: str) -> str:  # noqa: N802  overrides
        return url


_PARSER = _LinkParser()
