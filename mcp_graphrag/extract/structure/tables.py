"""Triples of Markdown tables: the title of a column is the predicate, the subject is in the first column."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from itertools import pairwise

from mcp_graphrag.english.lexicon import Cue, Lexicon
from mcp_graphrag.english.spans import Span, strip_span
from mcp_graphrag.extract.draft_triple import OCCURRED_ON, DraftTriple
from mcp_graphrag.extract.periods import column_period, period_in
from mcp_graphrag.extract.structure.cells import (
    MAX_CELL_WORDS,
    entities_in,
    head_entity,
    is_plain_value,
    is_year,
    items_of,
    triples_of_title,
)
from mcp_graphrag.extract.structure.labels import is_sure_label
from mcp_graphrag.extract.structure.markup import cells_of, is_delimiter_row
from mcp_graphrag.extract.void_parts import is_void_value
from mcp_graphrag.mentions.find_mentions import DraftMention
from mcp_graphrag.mentions.no_names import is_placeholder
from mcp_graphrag.mentions.type_by_shape import type_of_header

_MARKS = str.maketrans("*_`[]~", "      ")
MIN_LABELS = 2  # rows of a table of labels and values
# Titles of the first column of such a table.
_OF_LABELS = frozenset({"field", "property", "attribute", "key", "item", "", "label", "name", "detail", "details"})
# Rows on the parts of one thing, which the table does not name.
_OF_ASPECTS = frozenset({"aspect", "capability", "concern", "layer", "purpose"})
# Titles of a first column of numbers, and of the one that names what has them.
_OF_NUMBERS = frozenset({"id", "#", "no", "no.", "nr", "nr.", "number", "row", "index", "uuid", "guid", ""})
_NAMING = frozenset({"name", "full name", "title", "display name"})
_OF_USE = frozenset({"valid", "validity", "active", "enabled", "in use", "in force", "live"})
_NOT_IN_USE = frozenset({"no", "n", "false", "never", "until", "till", "before"})
_OF_STATUS = frozenset({"status", "state", "lifecycle", "stage", "phase", "lifecycle stage", "current status"})
_OF_NOTES = frozenset({"note", "notes", "remark", "remarks", "comment", "comments"})
# A value that is no date says that the row does not hold.
_OF_ENDS = frozenset(
    {"left", "ended", "retired", "decommissioned", "discontinued", "terminated", "scrapped", "removed", "sold"}
)
_NOT_ENDED = frozenset({"no", "false", "never", "not yet", "present", "current", "active", "in service"})
_OF_NAMES = frozenset({"name", "full name", "who", ""})
_ONLY_OF_PERSONS = frozenset(
    {"reports to", "job title", "line manager", "hired", "joined", "date of birth", "birthday"}
)
_OF_TASKS = frozenset({"action", "action item", "actions", "task", "tasks", "to do", "todo", "follow-up", "next step"})
_QUALIFYING = frozenset(
    {"acting", "interim", "former", "formerly", "ex", "previous", "previously", "outgoing", "incoming", "vacant"}
)


def read_table(
    text: str, lines: Sequence[Span], context: str, lexicon: Lexicon, people: Mapping[str, str]
) -> Iterator["Row"]:
    """The rows of a table. The header is in `context` if the chunk starts inside the table."""
    has_header = len(lines) > 1 and is_delimiter_row(text[slice(*lines[1])].strip())
    if has_header:
        header = _titles(text, lines[0])
    else:
        first = next((line for line in context.splitlines() if "|" in line and not is_delimiter_row(line.strip())), "")
        header = _titles(first, (0, len(first)))
    if len(header) < 2 or header[0].casefold() in _OF_TASKS | _OF_ASPECTS or labels_in_table(text, lines, lexicon):
        return
    first = _head_column(header)
    expected, is_list_of_names = type_of_header(header[first]), header[first].casefold() in _OF_NAMES
    if is_list_of_names and not _ONLY_OF_PERSONS.isdisjoint(title.casefold() for title in header):
        expected = "Person"
    for line in lines[2:] if has_header else lines:
        cells = cells_of(text, line)
        if len(cells) <= first or is_delimiter_row(text[slice(*line)].strip()):
            continue
        head = head_entity(text, cells[first], expected, people)
        if head is not None:
            row = Row(line, text, lexicon, head, people)
            for at, (title, cell) in enumerate(zip(header, cells, strict=False)):
                # What "Team" says of a name without a type depends on whether that is a person.
                says = not (is_list_of_names and head.type is None and title.casefold() in lexicon.headers_by_type)
                if at != first and says:
                    row.read(title, cell)
            yield row


def _head_column(header: Sequence[str]) -> int:
    """The column that names what a row is about: the first, or where that only numbers the rows, the one of names."""
    titles = [title.casefold() for title in header]
    named = [at for at, title in enumerate(titles) if title in _NAMING]
    return named[0] if titles[0] in _OF_NUMBERS and len(named) == 1 else 0


def labels_in_table(text: str, lines: Sequence[Span], lexicon: Lexicon) -> list[tuple[str, Span, Span]]:
    """The rows of a table of two columns that are labels and values, as labels, their cells and those of the values."""
    rows = [(line, cells_of(text, line)) for line in lines if not is_delimiter_row(text[slice(*line)].strip())]
    if len(rows) < MIN_LABELS or any(len(cells) != 2 for _, cells in rows):
        return []
    labels = [(_titles(text, line)[0], cells[0], cells[1]) for line, cells in rows]
    first = labels[0][0]
    marked = [label for label, _, _ in labels if label.endswith(":")]
    if 2 * len(marked) <= len(labels):
        known = [label for label, _, _ in labels[1:] if lexicon.header(label, None) is not None or is_sure_label(label)]
        if first.casefold() not in _OF_LABELS or len(known) < MIN_LABELS:
            return []
        labels = labels[1:]
    return [(label.rstrip(": "), head, value) for label, head, value in labels]


def _titles(text: str, line: Span) -> list[str]:
    """The titles of the columns, as words where they are written as one: "depends On" for "dependsOn"."""
    cells = (text[slice(*cell)] for cell in cells_of(text, line))
    found = [" ".join(cell.split("](")[0].translate(_MARKS).split()) for cell in cells]
    return [title if " " in title else _as_words(title) for title in found]


def _as_words(title: str) -> str:
    joints = [at for at in range(1, len(title)) if title[at].isupper() and title[at - 1].islower()]
    return " ".join(title[start:end] for start, end in pairwise([0, *joints, len(title)]))


def _is_over(title: str, value: str) -> bool:
    """Whether a cell says that what the row says does not hold now, or not yet."""
    if title in _OF_STATUS or title in _OF_NOTES:
        return is_void_value(value)
    if title in _OF_USE:
        return is_void_value(value) or not _NOT_IN_USE.isdisjoint(value.casefold().split()[:1])
    return title in _OF_ENDS and column_period(title, value) is None and value.casefold() not in _NOT_ENDED


class Row:
    """A row with its mentions, its plain values by column and its triples.

    `head` is the entity in the first column.
    """

    def __init__(self, line: Span, text: str, lexicon: Lexicon, head: DraftMention, people: Mapping[str, str]) -> None:
        self.line = line
        self.head = head
        self.mentions = [head]
        self.values: dict[str, str] = {}
        self._text, self._lexicon, self._people = text, lexicon, people
        self._drafts: list[DraftTriple] = []
        self._holds = True
        self._valid_from: datetime | None = None
        self._valid_to: datetime | None = None

    def read(self, title: str, cell: Span) -> None:
        """Read one cell: the time of the row, a plain value, or entities that the head is related to."""
        value = self._text[slice(*cell)]
        if not title or not value.strip() or is_placeholder(value):
            return
        self._holds &= not _is_over(title.casefold(), value)
        if not _QUALIFYING.isdisjoint(value.casefold().replace("(", " ").replace(")", " ").replace(",", " ").split()):
            return  # "CEO (interim)", "Ann Lee, former"
        cue = self._lexicon.header(title, self.head.type)
        period = column_period(title, value)
        if period is not None:
            self._valid_from, self._valid_to = period[0] or self._valid_from, period[1] or self._valid_to
        elif is_plain_value(title, value, cue):
            self.values[title.casefold()] = value
        elif len(value.split()) <= MAX_CELL_WORDS or "," in value:
            for part in items_of(self._text, cell) if "(" in value else [cell]:  # each item has brackets of its own
                self._relate(title, part, self._text[slice(*part)], cue)

    def _relate(self, title: str, cell: Span, value: str, cue: Cue | None) -> None:
        period = period_in(self._text, cell)
        named = (cell[0], period.span[0]) if period is not None else cell
        others = list(entities_in(self._text, named, type_of_header(title), self._people))
        if is_year(value, cue):
            others = [DraftMention(*strip_span(self._text, cell), value.strip(), "Date", "date", 0.9)]
        self.mentions += others
        if self.head.kind != "date":
            for draft in triples_of_title(self._text, title, cue, self.head, others, period):
                of_date = cue.date if cue is not None and draft.object.kind == "date" else OCCURRED_ON
                predicate = draft.predicate if of_date == OCCURRED_ON else of_date
                self._drafts.append(draft._replace(predicate=predicate))

    def triples(self) -> list[DraftTriple]:
        """The triples of the row, with the time of other columns; none if its status says it is over."""
        return [
            draft._replace(valid_from=draft.valid_from or self._valid_from, valid_to=draft.valid_to or self._valid_to)
            for draft in (self._drafts if self._holds else ())
        ]
