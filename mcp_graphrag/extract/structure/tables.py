"""Facts of tables: a column is a predicate, and its cells are names, which are triples, or values of the row's name."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from mcp_graphrag.english.dates import Period as Dates
from mcp_graphrag.english.dates import whole_date
from mcp_graphrag.english.lexicon import RELATED_TO, Cue, Lexicon, predicate_name
from mcp_graphrag.english.spans import Span
from mcp_graphrag.english.word_lists import WORDS
from mcp_graphrag.extract.draft_triple import OCCURRED_ON, DraftTriple
from mcp_graphrag.extract.periods import EVENTS, period_in
from mcp_graphrag.extract.rule_precision import confidence_of
from mcp_graphrag.extract.structure.cells import (
    bare_span,
    entities_in,
    items_of,
    kind_of_cell,
    name_of_row,
    names_something,
    triples_of_title,
)
from mcp_graphrag.extract.structure.labels import is_property_label, is_sure_label
from mcp_graphrag.extract.structure.markup import cells_of, is_delimiter_row
from mcp_graphrag.extract.structure.table_columns import (
    ENDED,
    WHOLE_ROW,
    Column,
    Columns,
    header_of,
    read_columns,
    titles_of,
)
from mcp_graphrag.extract.void_parts import is_void_value
from mcp_graphrag.mentions.find_mentions import DraftMention
from mcp_graphrag.mentions.no_names import is_balanced, is_placeholder
from mcp_graphrag.mentions.type_by_shape import type_of_header
from mcp_graphrag.model import CandidateValue, Chunk, Document

MIN_LABELS = 2  # rows of a table of labels and values
# Titles of the first column of such a table.
_OF_LABELS = frozenset({"field", "property", "attribute", "key", "item", "", "label", "name", "detail", "details"})
_OF_PROPERTIES, _VALUES = frozenset({"property", "attribute", "field"}), frozenset({"value", "values"})
_OF_USE = frozenset({"valid", "validity", "active", "enabled", "in use", "in force", "live"})
_NOT_IN_USE = frozenset({"no", "n", "false", "never", "until", "till", "before"})
_OF_STATUS = frozenset({"status", "state", "lifecycle", "stage", "phase", "lifecycle stage", "current status"})
_STATING = _OF_STATUS | _OF_USE | ENDED  # of a row that is over, what they say holds
_OF_NOTES = frozenset({"note", "notes", "remark", "remarks", "comment", "comments"})
_NOT_ENDED = frozenset({"no", "false", "never", "not yet", "present", "current", "active", "in service"})
_QUALIFYING = frozenset(
    {"acting", "interim", "former", "formerly", "ex", "previous", "previously", "outgoing", "incoming", "vacant"}
)
_LINE = re.compile(r"[^\n]+")
_BRACKETS = str.maketrans("(),", "   ")


class Row(NamedTuple):
    """What a row says: its line, the names in it, and its facts."""

    line: Span
    mentions: Sequence[DraftMention]
    triples: Sequence[DraftTriple]
    values: Sequence[CandidateValue]


class Tables:
    """The tables of a document. What their columns are is decided once, by all of a table, for every chunk of it."""

    def __init__(self, document: Document, lexicon: Lexicon, people: Mapping[str, str]) -> None:
        self.lexicon, self.people = lexicon, people
        self._document = document
        self._blocks = [block for block in document.blocks if block.kind == "table"]
        self._starts = [block.start for block in self._blocks]
        self._tables: dict[int, Columns] = {}

    def read(self, chunk: Chunk, lines: Sequence[Span]) -> Iterator[Row]:
        """The rows on these lines of a chunk that say something; a part of a row that was cut says nothing."""
        if labels_in_table(chunk.text, lines, self.lexicon):
            return
        columns, text = self._columns_of(chunk, lines), self._document.text
        if columns.naming is None:
            return
        for line in lines:
            start, end = chunk.start + line[0], chunk.start + line[1]
            is_whole = text[start - 1 : start] in {"", "\n"} and text[end : end + 1] in {"", "\n"}
            if (
                is_whole
                and start >= columns.start
                and (row := _Reader(chunk.text, self, columns).read(line)) is not None
            ):
                yield row

    def receipts(self) -> Iterator[str]:
        """A line for each table that has been read: its columns, as what, and which not and why."""
        for columns in self._tables.values():
            if columns.titles:
                yield f"table {columns.heading}: ".replace(" :", ":") + columns.receipt()

    def _columns_of(self, chunk: Chunk, lines: Sequence[Span]) -> Columns:
        """The columns of the table of a chunk, by all of its lines where the document has it as a block."""
        first = chunk.start + lines[0][0]
        at = bisect_right(self._starts, first) - 1
        block = self._blocks[at] if at >= 0 and first < self._blocks[at].end else None
        key = block.start if block is not None else -1 - len(self._tables)
        if key not in self._tables:
            path, text, start, context = chunk.headings, chunk.text, chunk.start, chunk.context
            if block is not None:
                path, text, start, context = block.headings, self._document.text, 0, ""
                lines = [line.span() for line in _LINE.finditer(text, block.start, block.end) if line[0].strip()]
            titles, rows = header_of(text, lines, context if lines[0][0] == 0 else "")
            columns = read_columns(text, titles, rows, self.lexicon) if len(titles) > 1 else Columns((), 0)
            columns.heading, columns.start = path[-1] if path else "", start + rows[0][0] if rows else 0
            self._tables[key] = columns
        return self._tables[key]


def labels_in_table(text: str, lines: Sequence[Span], lexicon: Lexicon) -> list[tuple[str, Span, Span]]:
    """The rows of a table of two columns that are labels and values, as labels, their cells and those of the values."""
    rows = [line for line in lines if not is_delimiter_row(text[slice(*line)].strip())]
    if len(rows) < MIN_LABELS or not all(len(cells_of(text, line)) == 2 for line in rows):
        return []
    labels = [(titles_of(text, line)[0], *cells_of(text, line)) for line in rows]
    first = labels[0][0]
    marked = [label for label, _, _ in labels if label.endswith(":")]
    if 2 * len(marked) <= len(labels):
        is_of_values = first.casefold() in _OF_PROPERTIES and titles_of(text, rows[0])[1].casefold() in _VALUES
        known = [
            label
            for label, _, _ in labels[1:]
            if lexicon.header(label, None) is not None
            or is_sure_label(label)
            or (is_of_values and is_property_label(label))
        ]
        if first.casefold() not in _OF_LABELS or len(known) < MIN_LABELS:
            return []
        labels = labels[1:]
    return [(label.rstrip(": "), head, value) for label, head, value in labels]


def _is_over(column: Column, value: str) -> bool:
    """Whether a cell says that what the row says does not hold now, or not yet."""
    if column.key in _OF_STATUS or column.key in _OF_NOTES:
        return is_void_value(value)
    if column.key in _OF_USE:
        return is_void_value(value) or not _NOT_IN_USE.isdisjoint(value.casefold().split()[:1])
    is_told = column.key in ENDED and not any(map(str.isdigit, value))  # not when, nor of how many
    return is_told and value.casefold() not in _NOT_ENDED


class _Reader:
    """A row while it is read."""

    def __init__(self, text: str, tables: Tables, columns: Columns) -> None:
        self._text, self._columns, self._lexicon, self._people = text, columns, tables.lexicon, tables.people
        self._mentions: list[DraftMention] = []
        self._triples: list[tuple[Column, DraftTriple]] = []
        self._values: list[CandidateValue] = []
        self._periods: list[tuple[int, bool, Dates]] = []
        self._found: list[tuple[Column, str]] = []  # what each column says, for the receipt

    def read(self, line: Span) -> Row | None:
        """What the row on a line says, None if nothing names it."""
        cells, naming, surname = cells_of(self._text, line), self._columns.naming or 0, self._columns.surname
        if len(cells) <= max(naming, surname or 0):
            return None
        head = name_of_row(self._text, cells[naming], self._columns.expected, self._people)
        key = self._columns.key_of(self._text, cells)
        if head is None:
            return None
        if surname is not None:
            head = head._replace(name=key, type="Person")
        is_one = self._columns.names[key] == 1  # else a number may be of another row
        is_over = False
        for column in self._columns.read:
            value = self._text[slice(*cells[column.at])] if column.at < len(cells) else ""
            if value and not is_placeholder(value):
                is_over |= _is_over(column, value)
                self._read_cell(head, column, cells[column.at], is_one=is_one)
        self._columns.over += is_over
        for column, what in self._found if not is_over else ():
            column.found[what] += 1
        states = [one for one in self._values if (one.surface or "").casefold() in _STATING]
        triples, values = ([], states) if is_over else (self._dated(), self._values)
        says = bool(triples or values) or names_something(head)
        return Row(line, [head, *self._mentions] if says else self._mentions, triples, values)

    def _read_cell(self, head: DraftMention, column: Column, cell: Span, *, is_one: bool) -> None:
        value = self._text[slice(*cell)]
        kind = kind_of_cell(value)
        dates = whole_date(value) if kind == "value" else None
        if column.dates is not None and dates is not None:
            self._periods.append((*column.dates, dates))
        words = value.casefold().translate(_BRACKETS).split()
        if not _QUALIFYING.isdisjoint(words):
            return  # "CEO (interim)", "Ann Lee, former"
        # What "Team" says of a name without a type depends on whether that is a person.
        cue = self._lexicon.header(column.title, head.type) if column.by_type and head.type else column.cue
        cue = None if cue is not None and cue.predicate == RELATED_TO else cue
        is_date = cue is not None and (cue.date != OCCURRED_ON or cue.predicate in self._lexicon.events)
        may_name = {
            "value": cue is not None and not is_date,  # an identifier with many digits
            "text": column.is_of_names and ("," in value or ";" in value),  # a long list
        }.get(kind, column.is_of_names or value in self._columns.names)
        is_level = WORDS.cell_values.issuperset(value.casefold().replace("-", " ").split())  # "High", "Low-Medium"
        is_level &= cue is None or cue.predicate != "is_a"
        if may_name and not is_level and self._relate(head, column, cue, cell):
            return
        if kind != "text" and is_one:
            self._keep(head, column, cue if dates is not None and is_date else None, cell)

    def _relate(self, head: DraftMention, column: Column, cue: Cue | None, cell: Span) -> bool:
        """Read the names of a cell; whether there are any that the row is related to."""
        before = len(self._triples)
        is_bracketed = "(" in self._text[slice(*cell)]
        for part in items_of(self._text, cell) if is_bracketed else [cell]:  # each item has brackets of its own
            period = period_in(self._text, part)
            named = (part[0], period.span[0]) if period is not None else part
            found = entities_in(self._text, named, type_of_header(column.title), self._people)
            others = [one for one in found if one.kind != "date"]
            self._mentions += others
            said = cue or Cue((column.key,), column.predicate.predicate, swap=column.predicate.swap, form="phrase")
            drafts = triples_of_title(self._text, column.title, said, head, others, period)
            self._triples += ((column, one) for one in drafts)
        self._found += ((column, one.predicate) for _, one in self._triples[before:])
        return len(self._triples) > before

    def _keep(self, head: DraftMention, column: Column, cue: Cue | None, cell: Span) -> None:
        """Keep what a cell says as a value of the row's name; a date under what the lexicon has for the heading."""
        start, end = bare_span(self._text, cell)
        value = self._text[start:end]
        if not value or not is_balanced(head.name) or "~~" in value or value.endswith("?"):
            return
        raw = column.predicate
        predicate = predicate_name(column.key.split()) if raw.swap else raw.predicate
        if cue is not None:
            predicate = cue.predicate if cue.date == OCCURRED_ON else cue.date
        self._values.append(
            CandidateValue(head.name, predicate, value, start, end, head.type, column.title, confidence_of("table"))
        )
        self._found.append((column, f"values of {predicate}"))

    def _dated(self) -> list[DraftTriple]:
        """The triples, each with the time that a column gives it; what happens once has none."""
        found: list[DraftTriple] = []
        for column, draft in self._triples:
            valid: list[datetime | None] = [draft.valid_from, draft.valid_to]
            for at, is_start, dates in self._periods:
                if at in {WHOLE_ROW, column.at} and draft.predicate not in EVENTS:
                    valid[not is_start] = valid[not is_start] or dates[0]
            found.append(draft._replace(valid_from=valid[0], valid_to=valid[1]))
        return found
