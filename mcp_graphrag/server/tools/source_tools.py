"""The text of documents: behind a citation, by path and lines, by heading or definition, and what a document has."""

from collections.abc import Iterator, Sequence
from typing import Annotated

from pydantic import Field

from mcp_graphrag.lookup.find_source import Entry, Outline, Source
from mcp_graphrag.search.quoting import one_line
from mcp_graphrag.server.budget import MAX_VALUE, OVERHEAD, clipped, cost
from mcp_graphrag.server.context import Call
from mcp_graphrag.server.declaration import ARGUMENT, Tool
from mcp_graphrag.server.records import DocumentOut, Listing

NO_OUTLINE = "It has no headings or definitions: give lines."


class SourceAnswer(Listing):
    """A text with its first and last line; of an outline each has its line in front."""

    path: str
    lines: list[int] = []
    text: str
    span: list[int] = []
    headings: list[str] = []
    document: DocumentOut | None = None

    def _lines(self) -> list[str]:
        names = [self.document.title, *self.headings] if self.document else []
        title = one_line(" > ".join(dict.fromkeys(each for each in names if each != self.path)))
        place = f"{self.path}:{self.lines[0]}-{self.lines[1]}" if self.lines else self.path
        head = f"### {place}{f' ({title})' if title else ''}"
        rows = self.text.removesuffix("\n").split("\n")
        return [head, *(numbered(rows, self.lines[0]) if self.lines else rows)]


def get_source(
    call: Call,
    what: Annotated[
        str,
        Field(
            description="Citation, path (a.py:12-40), title, heading (Guide > Setup), definition (a.load).",
            min_length=1,
        ),
        ARGUMENT,
    ],
    lines: Annotated[str, Field(description="12, 12-40, 12-.")] = "",
    outline: Annotated[bool, Field(description="Only headings, definitions, or a folder's documents.")] = False,
) -> SourceAnswer:
    """Read a passage, section, definition or document, with line numbers; of what is long the outline first."""
    if outline:
        return _outlined(call, call.graph.outline(what))
    found = call.graph.source(what, lines)
    document = DocumentOut.of(found.document)
    spent = OVERHEAD + 2 * cost(document) + 2 * cost([found.path, *found.headings])
    text, cut = clipped(found.text, max(call.tokens - spent, MAX_VALUE // 2))
    shown = len(text) - 2 if cut else len(text)
    if cut and (whole := text.rfind("\n", 0, shown) + 1):
        text, shown = text[:whole], whole
    rows = found.text.count("\n", 0, max(shown - 1, 0))
    return SourceAnswer.of(
        found,
        document=document,
        text=text,
        lines=[found.first_line, found.first_line + rows],
        span=[found.start, found.start + shown],
        truncated=cut,
        hint=f"Read on with `get_source` {_rest(found, shown, found.first_line + rows)}" if cut else "",
        notes=["The document was replaced or removed since."] if found.document.retired_at else [],
    )


def _rest(found: Source, shown: int, last: int) -> str:
    """How the rest is asked for: by lines where whole ones were shown of what is in force."""
    if found.text[shown - 1] == "\n" and not found.document.retired_at:
        return f"{found.path}:{last + 1}-{found.last_line}"
    return f"{found.document.uri}#chunk:{found.start + shown}-{found.end}"


def numbered(rows: Sequence[str], first: int) -> Iterator[str]:
    """Lines of a text, each behind its number."""
    width = len(str(first + len(rows)))
    return (f"{number:>{width}}  {row}".rstrip() for number, row in enumerate(rows, start=first))


def _outlined(call: Call, found: Outline) -> SourceAnswer:
    width = len(str(found.entries[-1].line)) if found.entries else 0
    listed = "\n".join(_entry(each, width) for each in found.entries)
    text, cut = clipped(listed, call.tokens - OVERHEAD - MAX_VALUE // 2)
    text = text[: text.rfind("\n") + 1] or text if cut else text
    return SourceAnswer(
        path=found.path,
        text=text,
        document=DocumentOut.of(found.document) if found.document else None,
        truncated=cut,
        hint="There is more: give a folder or file in it." if cut else "" if found.entries else NO_OUTLINE,
    )


def _entry(entry: Entry, width: int) -> str:
    return entry.text if entry.line is None else f"{entry.line:>{width}}  {'  ' * entry.level}{entry.text}"


GET_SOURCE = Tool(get_source, "Read a source", "source")
