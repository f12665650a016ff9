"""The text of documents: behind a citation, by path and lines, by heading or definition, and what a document has."""

from typing import Annotated

from pydantic import Field

from mcp_graphrag.search.quoting import one_line
from mcp_graphrag.server.budget import MAX_VALUE, OVERHEAD, clipped, cost
from mcp_graphrag.server.context import Call
from mcp_graphrag.server.declaration import ARGUMENT, Tool
from mcp_graphrag.server.records import DocumentOut, Listing


class SourceAnswer(Listing):
    """A text with its first and last line; of an outline each line has its number in front."""

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
        rows = self.text.removesuffix("\n").split("\n")
        if self.lines:
            width = len(str(self.lines[1]))
            rows = [f"{number:>{width}}  {row}".rstrip() for number, row in enumerate(rows, start=self.lines[0])]
        return [f"### {place}{f' ({title})' if title else ''}", *rows]


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
    found = call.graph.source(what, lines, outline=outline)
    document = DocumentOut.of(found.document) if found.document else None
    spent = OVERHEAD + 2 * cost(document) + 2 * cost([found.path, *found.headings])
    text, cut = clipped(found.text, max(call.tokens - spent, MAX_VALUE // 2))
    shown = len(text) - 2 if cut else len(text)
    whole = text.rfind("\n", 0, shown) + 1 if cut else 0  # characters of the whole lines that fit
    if whole:
        text, shown = text[:whole], whole
    last = found.first_line + text.count("\n", 0, max(shown - 1, 0))
    rest = f"{found.path}:{last + 1}-{found.last_line}"
    if document and (document.retired_at or not whole):
        rest = f"{document.uri}#chunk:{found.start + shown}-{found.end}"
    rest = "There is more: give a part of it." if outline else f"Read on with `get_source` {rest}"
    return SourceAnswer.of(
        found,
        document=document,
        text=text,
        lines=[] if outline else [found.first_line, last],
        span=[] if outline else [found.start, found.start + shown],
        truncated=cut,
        hint=rest if cut else "" if text else "It has no headings or definitions: give lines.",
        notes=[
            *(["The document was replaced or removed since."] if document and document.retired_at else []),
            *([f"Last changed in {found.changed}"] if found.changed else []),
        ],
    )


GET_SOURCE = Tool(get_source, "Read a source", "source")
