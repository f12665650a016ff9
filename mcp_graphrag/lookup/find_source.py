"""The text that a citation, a path with lines, a title, a heading or the name of a definition in code refers to."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from mcp_graphrag.errors import AmbiguousName, BadInput, UnknownName
from mcp_graphrag.index.tokenize import text_terms
from mcp_graphrag.ingest.readers import blocks_of_stored
from mcp_graphrag.lookup.document_paths import DocumentPaths, document_paths
from mcp_graphrag.lookup.find_entities import DEFINITIONS, MAX_NAME_LENGTH, link_name
from mcp_graphrag.model import Block, StoredChunk, StoredDocument
from mcp_graphrag.snapshot import Snapshot
from mcp_graphrag.source_code import is_code, language_of, parse_source
from mcp_graphrag.source_code.sql import sql_definitions
from mcp_graphrag.store.rows.citations import resolve_citation
from mcp_graphrag.store.rows.document_rows import chunks_by_id, documents_by_id, similar_documents
from mcp_graphrag.store.rows.document_rows import text_of_document as text_of
from mcp_graphrag.store.rows.mention_rows import definition_places

LINES = re.compile(r"(?P<first>\d{1,9})(?P<range>-(?P<last>\d{1,9})?)?")
_WITH_LINES = re.compile(rf"(?P<what>.+):(?P<lines>{LINES.pattern})", re.DOTALL)
_COMMIT = re.compile(r"^[0-9a-f]{12} .*", re.MULTILINE)
_SECTION = " > "
_ATTRIBUTE = (
    r"^[ \t]+(?:(?:public|private|protected|static|final|readonly|declare|pub)[ \t]+)*(?P<of_self>(?:self|this)\.)?"
    r"{name}(?:[ \t]*[:=?!](?!=){typed})"
)
_TYPED = r"|[ \t]+[\w*\[]"  # "Timeout time.Duration"
MAX_SHOWN = 8  # places that a name may mean
MAX_READ = 50  # documents that are read for a heading
MAX_ENTRY = 120  # characters of a line of an outline
HOW = "Give a citation, a path, a title, a heading, or the name of a definition in code."


@dataclass(frozen=True)
class Source:
    """A span of a document, at `path` or its uri, with its first and last line in the document, from 1.

    An outline has only a text. That of a folder has no document. `chunks` are those that a citation or uri refers to.
    `changed` is the last commit that changed the definition around the span, or else the file, where it is known.
    """

    document: StoredDocument | None
    path: str
    text: str
    start: int = 0
    end: int = 0
    first_line: int = 0
    last_line: int = 0
    headings: Sequence[str] = ()
    chunks: Sequence[StoredChunk] = ()
    changed: str = ""


class _Span(NamedTuple):
    document: StoredDocument
    start: int
    end: int
    headings: tuple[str, ...] = ()
    chunks: tuple[StoredChunk, ...] = ()


def find_source(snapshot: Snapshot, what: str, lines: str = "", *, outline: bool = False) -> Source:
    """The text that a name refers to, or these lines of its document: "12", "12-40", "12-" to the end.

    `what` may itself end with ":" and lines. With `outline` the headings of a text or definitions of source code, each
    behind its line, and of a folder the documents. Retired text is found by its citation or uri. Raises UnknownName
    with the nearest names, and BadInput that lists the places where there are several, or for lines that there are not.
    """
    finder = _Finder(snapshot, document_paths(snapshot))
    if outline and (folder := finder.folder(what)):
        listed = (f"{path} ({finder.paths.by_path[path].length:,} characters)" for path in folder)
        return Source(None, what.strip(), "\n".join(listed))
    what, lines, spans = finder.spans(what, lines)
    document, start, end, headings, chunks = finder.single(what, spans)
    text, path = text_of(snapshot.tx, document.id), finder.paths.path(document.uri)
    if lines:
        start, end, headings = *_lines_of(text, lines), ()
    if outline:
        return Source(document, path, "\n".join(_outline(text, document.media_type, start, end)))
    first, last = _line_at(text, start), _line_at(text, max(end - 1, start))
    history = finder.paths.histories.get(document.uri)
    changed = (
        _last_change(text_of(snapshot.tx, history.id), _around(text, document.media_type, start, end))
        if history
        else ""
    )
    return Source(document, path, text[start:end], start, end, first, last, headings, chunks, changed)


def _around(text: str, media_type: str, start: int, end: int) -> str:
    """The path of the innermost definition around a span, "" for none."""
    language = language_of(media_type)
    definitions = parse_source(text, language).definitions if language else ()
    around = [each for each in definitions if _line_around(text, each.start)[0] <= start and end <= each.end + 1]
    return min(around, key=lambda each: each.end - each.start).path if around else ""


def _last_change(history: str, definition: str) -> str:
    """The line of the newest commit of a definition, or of the file for "", in the document of the file's history."""
    at = history.find(f"\n\n{definition} (") if definition else 0
    found = _COMMIT.search(history, at, history.find("\n\n", at + 2) % (len(history) + 1)) if at >= 0 else None
    return found[0] if found else ""


def _outline(text: str, media_type: str, start: int, end: int) -> list[str]:
    """A line for each definition or heading that begins in a span."""
    if is_code(media_type):
        places = [(at, level) for at, level, _, _ in _defined_in(text, media_type)]
    else:
        places = [(at, len(block.headings) - 1) for at, block in _headings(text, media_type)]
    places = [(at, level) for at, level in places if start <= at < end]
    width = len(str(_line_at(text, places[-1][0]))) if places else 0
    return [
        f"{_line_at(text, at):>{width}}  {'  ' * level}{text[slice(*_line_around(text, at))].strip()[:MAX_ENTRY]}"
        for at, level in places
    ]


def _defined_in(text: str, media_type: str) -> list[tuple[int, int, int, int]]:
    """The definitions of a file of code: the start of the name, how deep it is nested, and the span."""
    if language := language_of(media_type):
        found = parse_source(text, language).definitions
        return [(each.name_start, each.path.count("."), each.start, each.end) for each in found]
    return sql_definitions(text)


def _headings(text: str, media_type: str) -> list[tuple[int, Block]]:
    """The headings of a text, each with the place where its words begin, behind blank lines."""
    blocks = [block for block in blocks_of_stored(text, media_type) if block.kind == "heading"]
    return [(block.end - len(text[block.start : block.end].lstrip()), block) for block in blocks]


def _line_at(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1


def _line_around(text: str, at: int) -> tuple[int, int]:
    end = text.find("\n", at)
    return text.rfind("\n", 0, at) + 1, len(text) if end < 0 else end


def _lines_of(text: str, lines: str) -> tuple[int, int]:
    """The span of lines, without the last line end."""
    given, count = LINES.fullmatch(lines.strip()), _line_at(text, max(len(text) - 1, 0))
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

    def folder(self, what: str) -> Sequence[str]:
        """The paths of the documents below a folder, none where a document has that path."""
        return [] if self.paths.at(what) else self.paths.below(what)

    def spans(self, what: str, lines: str) -> tuple[str, str, Sequence[_Span]]:
        """What is named without lines at its end, the lines, and the places that have the name."""
        found = self._named(what.strip())
        if not found and (given := _WITH_LINES.fullmatch(what.strip())) and (found := self._named(given["what"])):
            return given["what"], lines or given["lines"], found
        return what.strip(), lines, found

    def single(self, what: str, spans: Sequence[_Span]) -> _Span:
        """The only one of the places that have a name."""
        if not spans:
            if folder := self.folder(what):
                raise BadInput(f"{what} is a folder of {len(folder)} documents.", "Give outline=true to list them.")
            near = [self.paths.path(each) for each in similar_documents(self.snapshot.tx, what)]
            raise UnknownName("document, heading or definition", what, near, HOW)
        if len(spans) > 1:
            shown = ", ".join(map(self._written, spans[:MAX_SHOWN]))
            more = f" and {len(spans) - MAX_SHOWN} more" if len(spans) > MAX_SHOWN else ""
            raise BadInput(f"'{what[:80]}' names {len(spans)} places: {shown}{more}.", "Give one of these.")
        return spans[0]

    def _written(self, span: _Span) -> str:
        """How a place is written so that it is meant alone."""
        path = self.paths.path(span.document.uri)
        if span.headings:
            return _SECTION.join([path, span.headings[-1]])
        return f"{path}:{_line_at(text_of(self.snapshot.tx, span.document.id), span.start)}" if span.start else path

    def _named(self, what: str) -> Sequence[_Span]:
        kinds: Sequence[Callable[[str], Sequence[_Span]]]
        kinds = (self._cited, self._documents, self._definitions, self._attributes, self._sections)
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
        title, documents = what.casefold(), self.paths.by_path.values()
        found = self.paths.at(what) or [each for each in documents if each.title.casefold() == title]
        return [_Span(each, 0, each.length) for each in found]

    def _sections(self, what: str) -> Sequence[_Span]:
        """The sections that "document > heading" names, else those with a heading in any document."""
        document, mark, heading = what.partition(_SECTION)
        if mark and (within := self._documents(document)):
            return [section for each in within for section in self._with_heading(each.document, heading)]
        terms = text_terms(what[:MAX_NAME_LENGTH])
        ids: list[int] = self.snapshot.keywords.chunks_with(terms).tolist() if terms else []
        documents = {each.document.id: each.document for each in chunks_by_id(self.snapshot.tx, ids).values()}
        texts = [each for each in documents.values() if not is_code(each.media_type)][:MAX_READ]
        return [section for each in texts for section in self._with_heading(each, what)]

    def _with_heading(self, document: StoredDocument, heading: str) -> Iterator[_Span]:
        text, wanted = text_of(self.snapshot.tx, document.id), tuple(map(_form, heading.split(_SECTION)))
        headings = _headings(text, document.media_type)
        for number, (start, block) in enumerate(headings):
            if tuple(map(_form, block.headings))[-len(wanted) :] == wanted:
                after = (other.start for _, other in headings[number + 1 :] if other.level <= block.level)
                section = text[start : next(after, len(text))].rstrip()
                yield _Span(document, start, start + len(section), block.headings)

    def _definitions(self, what: str) -> Sequence[_Span]:
        """The definitions of code that a name or the end of a qualified name refers to."""
        if _WITH_LINES.fullmatch(what):
            return ()
        try:
            named = link_name(self.snapshot, what).entities if len(what) <= MAX_NAME_LENGTH else ()
        except AmbiguousName:
            if not self._sections(what):
                raise
            return ()
        except UnknownName:
            return ()
        places = definition_places(self.snapshot.tx, [each.id for each in named if each.type in DEFINITIONS])
        documents = documents_by_id(self.snapshot.tx, {document_id for document_id, _ in places})
        return [self._defined(documents[document_id], start) for document_id, start in places]

    def _attributes(self, what: str) -> Sequence[_Span]:
        """The lines that say first what an attribute of a class is: "Channel.timeout"."""
        class_, _, name = what.rpartition(".")
        if not class_ or not name.isidentifier():
            return ()
        found: list[_Span] = []
        for span in self._definitions(class_):
            text = text_of(self.snapshot.tx, span.document.id)
            language = language_of(span.document.media_type)
            typed = _TYPED if language is not None and language.family == "go" else ""
            said = re.compile(_ATTRIBUTE.format(name=name, typed=typed), re.MULTILINE)
            lines = text[span.start : span.end].splitlines()[1:]
            own = min((len(line) - len(line.lstrip()) for line in lines if line.strip(" \t})")), default=0)
            for each in said.finditer(text, span.start, span.end):  # not the local variables of methods
                if each["of_self"] or len(each[0]) - len(each[0].lstrip()) == own:
                    found.append(_Span(span.document, *_line_around(text, each.end() - 1)))
                    break
        return found

    def _defined(self, document: StoredDocument, at: int) -> _Span:
        """The definition whose name is at a place, of the whole file for its start."""
        text = text_of(self.snapshot.tx, document.id)
        spans = [(start, end - 1) for name, _, start, end in _defined_in(text, document.media_type) if name == at]
        start, last = spans[0] if spans else (at, at or max(len(text) - 1, 0))
        return _Span(document, _line_around(text, start)[0], _line_around(text, last)[1])


def _form(heading: str) -> str:
    return " ".join(heading.split()).casefold()
