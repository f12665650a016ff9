"""The text of documents: behind a citation, by path and lines, by heading or definition, and what a document has."""

import re
from typing import Annotated

from pydantic import Field

from mcp_graphrag.errors import BadInput, GraphragError
from mcp_graphrag.lookup.find_source import Source
from mcp_graphrag.search.quoting import one_line
from mcp_graphrag.server.budget import MAX_VALUE, OVERHEAD, clipped, cost
from mcp_graphrag.server.context import Call
from mcp_graphrag.server.declaration import ARGUMENT, Tool
from mcp_graphrag.server.records import Answer, DocumentOut, Listing

_RANGES = re.compile(r"(?P<what>.+):(?P<lines>\d{1,9}(?:-\d{0,9})?(?:\s*,\s*\d{1,9}(?:-\d{0,9})?)+)", re.DOTALL)


class SourcePart(Answer):
    """A text with its first and last line."""

    path: str
    lines: list[int] = []
    text: str
    span: list[int] = []
    headings: list[str] = []
    document: DocumentOut | None = None

    def rows(self) -> list[str]:
        """Its place, and its lines with their numbers."""
        names = [self.document.title, *self.headings] if self.document else []
        title = one_line(" > ".join(dict.fromkeys(each for each in names if each != self.path)))
        place = f"{self.path}:{self.lines[0]}-{self.lines[1]}" if self.lines else self.path
        rows = self.text.removesuffix("\n").split("\n")
        if self.lines:
            width = len(str(self.lines[1]))
            rows = [f"{number:>{width}}  {row}".rstrip() for number, row in enumerate(rows, start=self.lines[0])]
        return [f"### {place}{f' ({title})' if title else ''}", *rows]


class SourceAnswer(SourcePart, Listing):
    """The first text, and the others that were asked for; of an outline each line has its number in front."""

    more: list[SourcePart] = []

    def _lines(self) -> list[str]:
        return [row for part in (self, *self.more) for row in part.rows()]


def get_source(
    call: Call,
    what: Annotated[
        list[str],
        Field(
            description="Citation, path (a.py:12-40,60-75), title, heading (Guide > Setup), definition (a.load).",
            min_length=1,
        ),
        ARGUMENT,
    ],
    outline: Annotated[bool, Field(description="Only headings, definitions, or a folder's documents.")] = False,
) -> SourceAnswer:
    """Read passages, sections, definitions or documents, with line numbers; of what is long the outline first."""
    parts, notes, hint, is_cut, tokens = list[SourcePart](), list[str](), "", False, call.tokens
    places = list(dict.fromkeys(place for each in what if each.strip() for place in _places(each)))
    if not places:
        raise BadInput("what is empty.", "Correct the arguments of get_source and call it again.")
    for number, place in enumerate(places):
        try:
            found = call.graph.source(place, outline=outline)
        except GraphragError as error:
            if len(places) == 1:
                raise
            notes.append(str(error))
            continue
        part, hint, is_cut = _part(found, tokens, outline=outline)
        parts.append(part)
        tokens -= cost(part)
        notes += ["The document was replaced or removed since."] if part.document and part.document.retired_at else []
        notes += [f"Last changed in {found.changed}"] if found.changed else []
        left = places[number + 1 :]
        if left and (is_cut or tokens < MAX_VALUE):
            hint, is_cut = " ".join(filter(None, (hint, f"Not shown: {', '.join(left)}."))), True
            break
    if not parts:
        raise BadInput(" ".join(notes), "None of the places was found.")
    return SourceAnswer.of(parts[0], more=parts[1:], truncated=is_cut, hint=hint, notes=notes)


def _places(what: str) -> list[str]:
    """Each of the ranges of lines behind a name, or the name."""
    given = _RANGES.fullmatch(what.strip())
    return [f"{given['what']}:{lines.strip()}" for lines in given["lines"].split(",")] if given else [what]


def _part(found: Source, tokens: int, *, outline: bool) -> tuple[SourcePart, str, bool]:
    """What fits of a text, how to go on, and whether it was cut."""
    document = DocumentOut.of(found.document) if found.document else None
    spent = OVERHEAD + 2 * cost(document) + 2 * cost([found.path, *found.headings])
    text, cut = clipped(found.text, max(tokens - spent, MAX_VALUE // 2))
    shown = len(text) - 2 if cut else len(text)
    whole = text.rfind("\n", 0, shown) + 1 if cut else 0  # characters of the whole lines that fit
    if whole:
        text, shown = text[:whole], whole
    last = found.first_line + text.count("\n", 0, max(shown - 1, 0))
    rest = f"{found.path}:{last + 1}-{found.last_line}"
    if document and (document.retired_at or not whole):
        rest = f"{document.uri}#chunk:{found.start + shown}-{found.end}"
    rest = "There is more: give a part of it." if outline else f"Read on with `get_source` {rest}"
    lines, span = ([], []) if outline else ([found.first_line, last], [found.start, found.start + shown])
    part = SourcePart.of(found, document=document, text=text, lines=lines, span=span)
    return part, rest if cut else "" if text else "It has no headings or definitions: give lines.", cut


GET_SOURCE = Tool(get_source, "Read a source", "source")
