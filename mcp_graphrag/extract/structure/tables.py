"""Triples of Markdown tables: the title of a column is the predicate, the subject is in the first column."""

import re
from collections.abc import Iterator, Sequence
from datetime import datetime

from mcp_graphrag.english.lexicon import Cue, Lexicon
from mcp_graphrag.english.spans import Span, strip_span
from mcp_graphrag.english.word_lists import WORDS
from mcp_graphrag.extract.draft_triple import APPROVAL_THRESHOLD, OCCURRED_ON, DraftTriple
from mcp_graphrag.extract.periods import column_period, period_in
from mcp_graphrag.extract.structure.cells import (
    AMOUNT,
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
from mcp_graphrag.extract.structure.members import kind_of_members
from mcp_graphrag.extract.void_parts import is_void_value
from mcp_graphrag.mentions.find_mentions import DraftMention
from mcp_graphrag.mentions.person_names import People
from mcp_graphrag.mentions.placeholders import is_placeholder
from mcp_graphrag.mentions.type_by_shape import type_of_header

MIN_LABELS = 2  # rows of a table of labels and values
# Titles of the first column of such a table.
_OF_LABELS = frozenset({"field", "property", "attribute", "key", "item", "", "label", "name", "detail", "details"})
# Titles of a first column of numbers, and of the one that names what has them.
# Rows on the parts of one thing, which the table does not name.
_OF_ASPECTS = frozenset({"aspect", "capability", "concern", "layer", "purpose"})
_OF_NUMBERS = frozenset({"id", "#", "no", "no.", "nr", "nr.", "number", "row", "index", "uuid", "guid", ""})
_NAMING = frozenset({"name", "full name", "title", "display name"})
_OF_USE = frozenset({"valid", "validity", "active", "enabled", "in use", "in force", "live"})
_NOT_IN_USE = re.compile(r"\W*(?:no|n|false|never|until|till|before)\b", re.IGNORECASE)
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
# "CEO (interim)", "Ann Lee, former"
_QUALIFIED = re.compile(
    r"(?:\A\W*|[(\[,]\s*)(?:acting|interim|former\w*|ex\b|previous\w*|outgoing|incoming|vacant|no longer)",
    re.IGNORECASE,
)
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
# A column of languages may be of those that people speak.
_OF_LANGUAGES = frozenset({"language", "languages"})
_GOES_ON = re.compile(r" +(?:and|of|for|to|in|the|&)\b[^,;()]*\s[A-Z]")  # "Ledger and Concepts Guide"
_MARKUP = re.compile(r"(?<=\])\([^()\s]*\)|[*_`\[\]\s]+|~~")
_AMOUNT_LIMIT = re.compile(
    r"(?:(?:up to|over|above|below|under|from|to|and|more than|less than|at least|at most|[$€£]\s?\d[\d.,]*\s?[kKmM]?)"
    r"[\s,–-]*){1,8}",
    re.IGNORECASE,
)


_DEPENDENCIES = frozenset({"depends_on", "uses", "calls", "requires", "runs_on", "hosted_on"})
_LOWER = re.compile(r"[a-z][a-z0-9]{1,39}")
_NO_NAMES = frozenset(
    "none no yes nothing na tbd todo unknown all any various several optional required itself self many other others"  # noqa: SIM905
    " external internal manual manually default same see nobody empty pending false true null nil direct local".split()
)


def read_table(text: str, lines: Sequence[Span], context: str, lexicon: Lexicon, people: People) -> Iterator["Row"]:
    """The rows of a table. The header is in `context` if the chunk starts inside the table."""
    header, body = _header(text, lines, context)
    if len(header) < 2 or header[0].casefold() in _OF_TASKS | _OF_ASPECTS or labels_in_table(text, lines, lexicon):
        return
    first = _head_column(header)
    kind = kind_of_members(header[first])
    expected, is_list_of_names = type_of_header(header[first]), header[first].casefold() in _OF_NAMES
    if is_list_of_names and not _ONLY_OF_PERSONS.isdisjoint(title.casefold() for title in header):
        expected = "Person"
    has_teams = "team" in (title.casefold() for title in header)
    for line in body:
        cells = cells_of(text, line)
        if len(cells) <= first or is_delimiter_row(text[slice(*line)].strip()):
            continue
        head = head_entity(text, cells[first], expected, people)
        if head is not None and not _GOES_ON.match(text, head.end, cells[first][1]):
            row = Row(line, text, lexicon, head, people)
            row.kind, row.has_teams = kind, has_teams
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


def _header(text: str, lines: Sequence[Span], context: str) -> tuple[list[str], list[Span]]:
    body = list(lines)
    if len(body) > 1 and is_delimiter_row(text[slice(*body[1])].strip()):
        header = _titles(text, body[0])
        body = body[2:]
    else:
        first = next((line for line in context.splitlines() if "|" in line and not is_delimiter_row(line.strip())), "")
        header = _titles(first, (0, len(first)))
    return header, body


def _titles(text: str, line: Span) -> list[str]:
    """The titles of the columns, as words where they are written as one: "depends On" for "dependsOn"."""
    found = [_MARKUP.sub(" ", text[slice(*cell)]).strip() for cell in cells_of(text, line)]
    return [title if " " in title else _CAMEL.sub(" ", title) for title in found]


def _is_over(title: str, value: str) -> bool:
    """Whether a cell says that what the row says does not hold now, or not yet."""
    if title in _OF_STATUS:
        return is_void_value(value)
    if title in _OF_USE:
        return is_void_value(value) or _NOT_IN_USE.match(value) is not None
    if title in _OF_NOTES:
        return is_void_value(value)
    return title in _OF_ENDS and column_period(title, value) is None and value.casefold() not in _NOT_ENDED


class Row:
    """A row with its mentions, its plain values by column and its triples.

    `head` is the entity in the first column, `kind` what it is of the topic of the table: "column". `has_teams`:
    another column is of teams, so that an owner is a person.
    """

    def __init__(self, line: Span, text: str, lexicon: Lexicon, head: DraftMention, people: People) -> None:
        self.line = line
        self.head = head
        self.mentions = [head]
        self.kind: str | None = None
        self.has_teams = False
        self.values: dict[str, str] = {}
        self._text, self._lexicon, self._people = text, lexicon, people
        self._drafts: list[DraftTriple] = []
        self._holds = True
        self._valid_from: datetime | None = None
        self._valid_to: datetime | None = None
        self._amount_limit: str | None = None

    def read(self, title: str, cell: Span) -> None:
        """Read one cell: the time of the row, a plain value, or entities that the head is related to."""
        value = self._text[slice(*cell)]
        if not title or not value.strip() or is_placeholder(value):
            return
        self._holds &= not _is_over(title.casefold(), value)
        if _QUALIFIED.search(value):
            return
        cue = self._lexicon.header(title, self.head.type)
        period = column_period(title, value)
        if period is not None:
            self._valid_from, self._valid_to = period[0] or self._valid_from, period[1] or self._valid_to
        elif _AMOUNT_LIMIT.fullmatch(value):
            self._amount_limit = self.values[title.casefold()] = value
        elif is_plain_value(title, value, cue):
            self.values[title.casefold()] = value
        elif len(value.split()) <= MAX_CELL_WORDS or "," in value:
            self._relate(title, cell, value, cue)

    def _relate(self, title: str, cell: Span, value: str, cue: Cue | None) -> None:
        for part in items_of(self._text, cell) if "(" in value else [cell]:  # each item has brackets of its own
            self._relate_part(title, part, self._text[slice(*part)], cue)

    def _lower_names(self, cell: Span, known: Sequence[DraftMention]) -> Iterator[DraftMention]:
        """The words of a cell that are names where that of the row is such a word too: "keel; lantern"."""
        starts = {mention.start for mention in known}
        for part in items_of(self._text, cell):
            start, end = strip_span(self._text, part)
            word = self._text[start:end]
            if start not in starts and _LOWER.fullmatch(word) and word not in _NO_NAMES:
                yield DraftMention(start, end, word, None, "name", 0.8)

    def _relate_part(self, title: str, cell: Span, value: str, cue: Cue | None) -> None:
        period = period_in(self._text, cell)
        named = (cell[0], period.span[0]) if period is not None else cell
        is_owner = self.has_teams and title.casefold() in {"owner", "lead", "contact"}
        expected = "Person" if is_owner else type_of_header(title)
        others = list(entities_in(self._text, named, expected, self._people))
        if cue is not None and cue.predicate in _DEPENDENCIES and _LOWER.fullmatch(self.head.name):
            others += self._lower_names(named, others)
        if is_year(value, cue):
            others = [DraftMention(*strip_span(self._text, cell), value.strip(), "Date", "date", 0.9)]
        if title.casefold() in _OF_LANGUAGES and self.head.type == "Person":
            others = []
        elif title.casefold() in _OF_LANGUAGES:
            others = [other for other in others if WORDS.exact.get(other.name) == "Technology"]
        amount = AMOUNT.search(value)
        self.mentions += others
        if self.head.kind != "date":
            for draft in triples_of_title(self._text, title, cue, self.head, others, period):
                of_date = cue.date if cue is not None and draft.object.kind == "date" else OCCURRED_ON
                predicate = draft.predicate if of_date == OCCURRED_ON else of_date
                limit = amount[0].strip(" ()") if amount is not None else None
                self._drafts.append(draft._replace(predicate=predicate, amount=limit))

    def triples(self) -> list[DraftTriple]:
        """The triples of the row, with the time and the amount of other columns; none if its status says it is over."""
        return [
            draft._replace(
                valid_from=draft.valid_from or self._valid_from,
                valid_to=draft.valid_to or self._valid_to,
                amount=draft.amount or (self._amount_limit if draft.predicate == APPROVAL_THRESHOLD else None),
            )
            for draft in (self._drafts if self._holds else ())
        ]
