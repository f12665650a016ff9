"""The text that a citation, a path with lines, a title, a heading or the name of a definition in code refers to."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from mcp_graphrag.errors import AmbiguousName, BadInput, UnknownName
from mcp_graphrag.index.tokenize import text_terms
from mcp_graphrag.ingest.readers import blocks_of_stored
from mcp_graphrag.lookup.document_paths import DocumentPaths, document_paths
from mcp_graphrag.lookup.find_entities import DEFINITIONS, MAX_NAME_LENGTH, link_name
from mcp_graphrag.model import Block, StoredChunk, StoredDocument
from mcp_graphrag.snapshot import Snapshot
from mcp_graphrag.source_code import Definition, Language, language_of, parse_source
from mcp_graphrag.source_code.source_file import MODULE
from mcp_graphrag.store.rows.citations import resolve_citation
from mcp_graphrag.store.rows.document_rows import (
    DocumentName,
    chunks_by_id,
    documents_by_id,
    similar_documents,
    text_of_document,
)
from mcp_graphrag.store.rows.mention_rows import definition_places

LINES = re.compile(r"(?P<first>\d{1,9})(?P<range>-(?P<last>\d{1,9})?)?")
_WITH_LINES = re.compile(rf"(?P<what>.+):(?P<lines>{LINES.pattern})", re.DOTALL)
_SECTION = " > "
MAX_SHOWN = 8  # places that a name may mean
MAX_READ = 50  # documents that are read for a heading
MAX_ENTRY = 120  # characters of a line of an outline
HOW = "Give a citation, a path, a title, a heading, or the name of a definition in code."


@dataclass(frozen=True)
class Source:
    """A span of a document, its lines from 1 as they are numbered there, and the headings that it is below.

    `path` is that of the document, or its uri. `lines` is how many the document has. `chunks` are those that a citation
    or a uri refers to.
    """

    document: StoredDocument
    path: str
    start: int
    end: int
    text: str
    first_line: int
    last_line: int
    lines: int
    headings: Sequence[str] = ()
    chunks: Sequence[StoredChunk] = ()


class Entry(NamedTuple):
    """A line of an outline: its line in the document, None for a document of a folder, and its level from 0."""

    line: int | None
    level: int
    text: str


@dataclass(frozen=True)
class Outline:
    """The headings of a text, the definitions of a source file, or the documents below a folder."""

    path: str
    entries: Sequence[Entry]
    document: StoredDocument | None = None


class _Span(NamedTuple):
    """A part of a document, by characters."""

    document: StoredDocument
    start: int
    end: int
    headings: tuple[str, ...] = ()
    chunks: tuple[StoredChunk, ...] = ()


def find_source(snapshot: Snapshot, what: str, lines: str = "") -> Source:
    """The text that a name refers to, or these lines of its document: "12", "12-40", "12-" to the end.

    `what` may itself end with ":" and lines. Retired text is found by its citation only. Raises UnknownName with the
    nearest names, and BadInput that lists the places where there are several, or for lines that there are not.
    """
    finder = _Finder(snapshot, document_paths(snapshot))
    what, lines, spans = finder.spans(what, lines)
    span = finder.single(what, spans)
    text = finder.text(span.document)
    start, end, headings = span.start, span.end, span.headings
    if lines:
        start, end = _lines_of(text, lines)
        headings = ()
    first = text.count("\n", 0, start) + 1
    last = first + text.count("\n", start, max(end - 1, start))
    path, count = finder.paths.path(span.document.uri), text.count("\n", 0, max(len(text) - 1, 0)) + 1
    return Source(span.document, path, start, end, text[start:end], first, last, count, headings, span.chunks)


def find_outline(snapshot: Snapshot, what: str) -> Outline:
    """What a document or a folder consists of. Raises UnknownName, and BadInput for a name of several documents."""
    finder = _Finder(snapshot, document_paths(snapshot))
    if folder := finder.folder(what):
        entries = [Entry(None, 0, f"{path} ({each.length:,} characters)") for path, each in sorted(folder.items())]
        return Outline(what.strip(), entries)
    document, start, end, *_ = finder.single(what, finder.spans(what, "")[2])
    text, language = finder.text(document), language_of(document.media_type)
    found = _definitions(text, language) if language else _headings(text, document.media_type)
    within = [_entry(text, at, level) for at, level in found if start <= at < end]
    return Outline(finder.paths.path(document.uri), within, document)


def _definitions(text: str, language: Language) -> Iterator[tuple[int, int]]:
    """The place and level of each definition."""
    levels: dict[int, int] = {MODULE: -1}
    for index, each in enumerate(parse_source(text, language).definitions):
        levels[index] = levels.get(each.parent, -1) + 1
        yield each.name_start, levels[index]


def _headings(text: str, media_type: str) -> Iterator[tuple[int, int]]:
    """The place and level of each heading."""
    for block in blocks_of_stored(text, media_type):
        if block.kind == "heading":
            yield _place_of(text, block), len(block.headings) - 1


def _entry(text: str, at: int, level: int) -> Entry:
    start, end = _line_around(text, at)
    return Entry(text.count("\n", 0, at) + 1, level, text[start:end].strip()[:MAX_ENTRY])


def _place_of(text: str, block: Block) -> int:
    """Where the words of a heading begin, behind blank lines."""
    return block.start + len(text[block.start : block.end]) - len(text[block.start : block.end].lstrip())


def _line_around(text: str, at: int) -> tuple[int, int]:
    end = text.find("\n", at)
    return text.rfind("\n", 0, at) + 1, len(text) if end < 0 else end


def _lines_of(text: str, lines: str) -> tuple[int, int]:
    """The span of lines, without the last line end."""
    given = LINES.fullmatch(lines.strip())
    count = text.count("\n", 0, max(len(text) - 1, 0)) + 1
    if given is None:
        raise BadInput(f"lines is '{lines[:40]}'.", "Write it as 12, 12-40, or 12- for all from line 12 on.")
    first = int(given["first"])
    last = int(given["last"]) if given["last"] else count if given["range"] else first
    if not 1 <= first <= min(last, count):
        raise BadInput(f"There are no lines {lines}: the document has {count}.", "The first line is 1.")
    starts = [0, *(found.end() for found in re.finditer("\n", text))]
    return starts[first - 1], starts[last] - 1 if last < min(count, len(starts) - 1) else len(text)


@dataclass(frozen=True)
class _Finder:
    snapshot: Snapshot
    paths: DocumentPaths

    def text(self, document: StoredDocument) -> str:
        return text_of_document(self.snapshot.tx, document.id)

    def folder(self, what: str) -> Mapping[str, DocumentName]:
        """The documents below a folder by path, none where a document has that path."""
        return {} if self.paths.at(what) else self.paths.below(what)

    def spans(self, what: str, lines: str) -> tuple[str, str, Sequence[_Span]]:
        """What is named without lines at its end, the lines, and the places that have the name."""
        what = what.strip()
        found = self._named(what)
        if not found and (given := _WITH_LINES.fullmatch(what)) and (found := self._named(given["what"])):
            return given["what"], lines or given["lines"], found
        return what, lines, found

    def single(self, what: str, spans: Sequence[_Span]) -> _Span:
        """The only one of the places that have a name."""
        if len(spans) == 1:
            return spans[0]
        if not spans:
            if folder := self.folder(what):
                raise BadInput(f"{what} is a folder of {len(folder)} documents.", "Give outline=true to list them.")
            near = [self.paths.path(each) for each in similar_documents(self.snapshot.tx, what)]
            raise UnknownName("document, heading or definition", what, near, HOW)
        shown = ", ".join(map(self._written, spans[:MAX_SHOWN]))
        more = f" and {len(spans) - MAX_SHOWN} more" if len(spans) > MAX_SHOWN else ""
        raise BadInput(f"'{what[:80]}' names {len(spans)} places: {shown}{more}.", "Give one of these.")

    def _written(self, span: _Span) -> str:
        """How a place is written so that it is meant alone."""
        path = self.paths.path(span.document.uri)
        if span.headings:
            return _SECTION.join([path, span.headings[-1]])
        return f"{path}:{self.text(span.document).count(chr(10), 0, span.start) + 1}" if span.start else path

    def _named(self, what: str) -> Sequence[_Span]:
        kinds: Sequence[Callable[[str], Sequence[_Span]]] = (
            self._cited,
            self._documents,
            self._sections_of_document,
            self._definitions,
            self._sections,
        )
        return next((found for kind in kinds if (found := kind(what))), ())

    def _cited(self, what: str) -> Sequence[_Span]:
        try:
            found = resolve_citation(self.snapshot.tx, what)
        except UnknownName:
            if "#chunk:" in what:
                raise
            return ()
        headings = found.chunks[0].headings if found.chunks else ()
        return [_Span(found.document, found.start, found.end, headings, found.chunks)]

    def _documents(self, what: str) -> Sequence[_Span]:
        """The documents with a path or else a title."""
        title = what.casefold()
        found = self.paths.at(what).values() or [each for each in self.paths.names if each.title.casefold() == title]
        documents = documents_by_id(self.snapshot.tx, [each.id for each in found])
        return [_Span(documents[each.id], 0, each.length) for each in found]

    def _sections_of_document(self, what: str) -> Sequence[_Span]:
        """The sections that "document > heading" names."""
        document, mark, heading = what.partition(_SECTION)
        within = self._documents(document) if mark else ()
        return [section for each in within for section in self._with_heading(each.document, heading)]

    def _sections(self, what: str) -> Sequence[_Span]:
        """The sections with a heading, of any document."""
        terms = text_terms(what[:MAX_NAME_LENGTH])
        ids: list[int] = self.snapshot.keywords.chunks_with(terms).tolist() if terms else []
        documents = {each.document.id: each.document for each in chunks_by_id(self.snapshot.tx, ids).values()}
        read = [each for each in documents.values() if language_of(each.media_type) is None][:MAX_READ]
        return [section for each in read for section in self._with_heading(each, what)]

    def _with_heading(self, document: StoredDocument, heading: str) -> Iterator[_Span]:
        text, wanted = self.text(document), tuple(_form(part) for part in heading.split(_SECTION))
        blocks = [block for block in blocks_of_stored(text, document.media_type) if block.kind == "heading"]
        for at, block in enumerate(blocks):
            if tuple(map(_form, block.headings))[-len(wanted) :] == wanted:
                after = (other.start for other in blocks[at + 1 :] if other.level <= block.level)
                end = next(after, len(text))
                start = _place_of(text, block)
                yield _Span(document, start, start + len(text[start:end].rstrip()), block.headings)

    def _definitions(self, what: str) -> Sequence[_Span]:
        """The definitions of code that a name or the end of a qualified name refers to."""
        if len(what) > MAX_NAME_LENGTH:
            return ()
        try:
            named = link_name(self.snapshot, what).entities
        except AmbiguousName:
            if not self._sections(what):
                raise
            return ()
        except UnknownName:
            return ()
        ids = [each.id for each in named if each.type in DEFINITIONS]
        places = definition_places(self.snapshot.tx, ids)
        documents = documents_by_id(self.snapshot.tx, {each.document_id for each in places})
        return [self._defined(documents[each.document_id], each.start) for each in places]

    def _defined(self, document: StoredDocument, at: int) -> _Span:
        """The definition whose name is at a place, of the whole file for its start."""
        text, language = self.text(document), language_of(document.media_type)
        found: Sequence[Definition] = parse_source(text, language).definitions if language else ()
        own = next((each for each in found if each.name_start == at), None)
        if own is None:
            return _Span(document, 0, len(text)) if not at else _Span(document, *_line_around(text, at))
        return _Span(document, text.rfind("\n", 0, own.start) + 1, _line_around(text, max(own.end - 1, own.start))[1])


def _form(heading: str) -> str:
    return " ".join(heading.split()).casefold()
