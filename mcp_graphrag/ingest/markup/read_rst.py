"""reStructuredText to blocks: sections, paragraphs, and literal blocks as code."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from email.parser import HeaderParser
from itertools import takewhile

from mcp_graphrag.ingest.kept_together import with_hanging
from mcp_graphrag.ingest.markup.marked_sections import Mark, line_starts, read_sections
from mcp_graphrag.ingest.reader import Reading

_ADORNMENT = re.compile(r"([!-/:-@\[-`{-~])\1*[ \t]*")
_DIRECTIVE = re.compile(r"\.\.[ \t]+(?:(?P<name>[\w:-]+)::.*|.*)|\.\.[ \t]*")
_FIELD = re.compile(r":([A-Za-z][\w -]{0,30}):[ \t]+(\S.*)")
_HEADER_LINE = re.compile(r"[A-Za-z][\w-]*:[ \t]+\S|[ \t]+\S")
_PROSE_LIST = (
    "note warning tip important hint caution danger attention error admonition seealso versionadded versionchanged"
    " deprecated topic sidebar epigraph rubric centered"
)
_PROSE = frozenset(_PROSE_LIST.split())  # directives whose text is prose
_MAX_FIELD_LINE = 30
_MAX_TITLE = 200


def read_rst(text: str) -> Reading:
    """The blocks of a reStructuredText document; the fields near its top are metadata, one called title its title."""
    lines = text.split("\n")
    fields = [_FIELD.fullmatch(line.rstrip()) for line in lines[:_MAX_FIELD_LINE]]
    found = {field[1].strip().casefold(): field[2].strip() for field in fields if field is not None} | _header(text)
    reading = read_sections(text, list(_marks(lines)), found)
    title = found.get("title", "")[:_MAX_TITLE] or reading.title
    return replace(reading, blocks=with_hanging(text, reading.blocks), title=title)


def _header(text: str) -> dict[str, str]:
    """The fields of the header in the form of RFC 2822 that a text may begin with, as proposals for Python do."""
    lines = [*takewhile(str.strip, text.split("\n", _MAX_FIELD_LINE))]
    if len(lines) < 2 or lines[0][0].isspace() or not all(map(_HEADER_LINE.match, lines)):
        return {}
    fields = HeaderParser().parsestr("\n".join(lines)).items()
    return {name.casefold(): " ".join(str(value).split()) for name, value in fields}


def _marks(lines: Sequence[str]) -> Iterator[Mark]:
    starts = line_starts(lines)
    styles: list[tuple[str, bool]] = []  # in the order in which they come: that of the levels
    at, blank, literal = 0, True, False
    while at < len(lines):
        line = lines[at]
        heading = _heading(lines, at) if blank else None
        if not line.strip():
            blank = True
            at += 1
        elif heading is not None:
            title, style, height = heading
            if style not in styles:
                styles.append(style)
            yield Mark(starts[at], "heading", title, styles.index(style) + 1)
            at, blank, literal = at + height, True, False
        elif blank and ((literal and line[0] in " \t") or _is_code(line)):
            yield Mark(starts[at], "code")
            at, blank, literal = _end_of_indented(lines, at + 1), True, False
        else:
            if blank:
                yield Mark(starts[at], "text")
            directive = line.lstrip().startswith("..")
            blank, literal = False, line.rstrip().endswith("::") and not directive
            at += 1


def _heading(lines: Sequence[str], at: int) -> tuple[str, tuple[str, bool], int] | None:
    """The title at a line, its style (character, whether it is overlined too) and its lines; None if there is none."""
    first, *rest = (line.rstrip() for line in [*lines[at : at + 3], "", ""][:3])
    if _ADORNMENT.fullmatch(first) and len(first) > 2:
        title, under = rest
        if title.strip() and under == first and len(title) <= max(len(first), 4):
            return title.strip()[:_MAX_TITLE], (first[0], True), 3
        return None
    under = rest[0]
    is_title = bool(first) and first[0] not in " \t" and _ADORNMENT.fullmatch(under) is not None
    # A shorter line may be part of a table or a typing error; Docutils warns and takes it from four on.
    long_enough = len(under) >= min(len(first), 4)
    return (first[:_MAX_TITLE], (under[0], False), 2) if is_title and long_enough and len(under) > 1 else None


def _is_code(line: str) -> bool:
    """Whether a line begins a directive or comment whose text is no prose."""
    directive = _DIRECTIVE.fullmatch(line.rstrip())
    if directive is None:
        return False
    name = directive["name"]
    return name is None or name not in _PROSE


def _end_of_indented(lines: Sequence[str], at: int) -> int:
    """The line behind an indented block and the blank lines that follow."""
    while at < len(lines) and (not lines[at].strip() or lines[at][0] in " \t"):
        at += 1
    return at
