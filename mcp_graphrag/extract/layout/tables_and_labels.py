"""Triples of Markdown tables and labelled lines: the title of a column or the label is the predicate.

The subject is in the first column; "Owner: Platform Team" below a heading is about the entity of the heading.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from mcp_graphrag.extract.english.dates import EVENTS, Period, column_period, period_in
from mcp_graphrag.extract.english.draft_triple import APPROVAL_THRESHOLD, OCCURRED_ON, DraftTriple, with_type
from mcp_graphrag.extract.english.find_mentions import MAX_NAME_LENGTH, DraftMention
from mcp_graphrag.extract.english.gazetteer import GAZETTEER
from mcp_graphrag.extract.english.identifiers import find_shapes
from mcp_graphrag.extract.english.lexicon import RELATED_TO, Cue, Lexicon
from mcp_graphrag.extract.english.proper_names import WordUsage
from mcp_graphrag.extract.english.type_by_shape import type_of_header, type_of_name, type_of_shape
from mcp_graphrag.extract.english.word_lists import WORDS
from mcp_graphrag.extract.layout.markup import is_delimiter_row
from mcp_graphrag.extract.spans import Span, strip_span
from mcp_graphrag.model import Chunk, Document

MAX_CELL_WORDS = 8
MAX_NAME_WORDS = 5
_EMPTY = frozenset({"", "-", "–", "—", "n/a", "none", "tbd", "tbc", "unknown", "vacant", "null", "?", "…", "..."})
_VALUE = re.compile(
    r"[<>≤≥~+\-$€£]{0,3}\s?\d[\d.,:/]*\s?(?:%|[a-zA-Z]{1,8}(?:/[a-z]{1,6})?)?\Z|(?:yes|no|true|false|[✓✗✔✘xX])\Z",
    re.IGNORECASE,
)
_PIPE = re.compile(r"(?<!\\)\|")
_MARKUP = re.compile(r"[*_`\[\]\s]+|\([^()\s]*\)|~~")
_HEADING_NUMBER = re.compile(r"[\d.]{1,12}[.)]?\s+")
_EMPHASIS = re.compile(r"[*_`#]+")
_SEPARATOR = re.compile(r",|;|<br ?/?>| and (?=[A-Z`\[*])")
_AMOUNT = re.compile(r"\s*\(?(?:[$€£]\s?\d[\d.,]*\s?[kKmM]?)\)?\s*")
_AMOUNT_LIMIT = re.compile(
    r"(?:(?:up to|over|above|below|under|from|to|and|more than|less than|at least|at most|[$€£]\s?\d[\d.,]*\s?[kKmM]?)"
    r"[\s,–-]*){1,8}",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\s*[\d.]{1,6}")
_SCALE = frozenset(["critical", "high", "medium", "low", "severe", "major", "minor", "moderate", "urgent", "normal"])
_DATES = frozenset({OCCURRED_ON, "due_on", "started_on", "ended_on", "created_on"})
_EVENTS = frozenset({"Incident"})
_OF_HOLDERS = frozenset({"owns", "manages", "leads"})
MAX_DATE_LENGTH = 60
_LINK = re.compile(r"!?\[([^\[\]]{0,200})\]\([^()]{0,400}\)")


def read_table(text: str, lines: Sequence[Span], context: str, lexicon: Lexicon) -> Iterator["Row"]:
    """The rows of a table. The header is in `context` if the chunk starts inside the table."""
    body = list(lines)
    if len(body) > 1 and is_delimiter_row(text[slice(*body[1])].strip()):
        header = _titles(text, body[0])
        body = body[2:]
    else:
        first = next((line for line in context.splitlines() if "|" in line and not is_delimiter_row(line.strip())), "")
        header = _titles(first, (0, len(first)))
    if len(header) < 2:
        return
    for line in body:
        if not is_delimiter_row(text[slice(*line)].strip()):
            cells = _cells(text, line)
            head = next(entities_in(text, cells[0], type_of_header(header[0])), None)
            if head is not None:
                row = Row(line, text, lexicon, head)
                for title, cell in zip(header[1:], cells[1:], strict=False):
                    row.read(title, cell)
                yield row


def _titles(text: str, line: Span) -> list[str]:
    return [_MARKUP.sub(" ", text[slice(*cell)]).strip() for cell in _cells(text, line)]


def _cells(text: str, line: Span) -> list[Span]:
    """The spans of the cells of a row, without the white space around them."""
    start, end = strip_span(text, line)
    if start < end and text[start] == "|":
        start += 1
    if end > start and text[end - 1] == "|" and text[end - 2] != "\\":
        end -= 1
    pipes = [start + pipe.start() for pipe in _PIPE.finditer(text[start:end])]
    starts = [start, *(pipe + 1 for pipe in pipes)]
    return [strip_span(text, cell) for cell in zip(starts, [*pipes, end], strict=True)]


class Row:
    """A row with its mentions, its plain values by column and its triples; `head` is the entity in the first column."""

    def __init__(self, line: Span, text: str, lexicon: Lexicon, head: DraftMention) -> None:
        self.line = line
        self.mentions = [head]
        self.values: dict[str, str] = {}
        self._text, self._lexicon, self._head = text, lexicon, head
        self._drafts: list[DraftTriple] = []
        self._valid_from: datetime | None = None
        self._valid_to: datetime | None = None
        self._amount_limit: str | None = None

    def read(self, title: str, cell: Span) -> None:
        """Read one cell: the time of the row, a plain value, or entities that the head is related to."""
        value = self._text[slice(*cell)]
        if not title or value.casefold() in _EMPTY:
            return
        cue = self._lexicon.header(title, self._head.type)
        period = column_period(title, value)
        if period is not None:
            self._valid_from, self._valid_to = period[0] or self._valid_from, period[1] or self._valid_to
        elif _AMOUNT_LIMIT.fullmatch(value):
            self._amount_limit = self.values[title.casefold()] = value
        elif _is_plain_value(title, value, cue):
            self.values[title.casefold()] = value
        elif len(value.split()) <= MAX_CELL_WORDS or "," in value:
            self._relate(title, cell, value, cue)

    def _relate(self, title: str, cell: Span, value: str, cue: Cue | None) -> None:
        period = period_in(self._text, cell)
        named = (cell[0], period.span[0]) if period is not None else cell
        others = list(entities_in(self._text, named, type_of_header(title)))
        amount = _AMOUNT.search(value)
        self.mentions += others
        if self._head.kind != "date":
            for draft in triples_of_title(self._text, title, cue, self._head, others, period):
                self._drafts.append(draft._replace(amount=amount[0].strip(" ()") if amount is not None else None))

    def triples(self) -> list[DraftTriple]:
        """The triples of the row, with the time and the amount of other columns."""
        return [
            draft._replace(
                valid_from=draft.valid_from or self._valid_from,
                valid_to=draft.valid_to or self._valid_to,
                amount=draft.amount or (self._amount_limit if draft.predicate == APPROVAL_THRESHOLD else None),
            )
            for draft in self._drafts
        ]


def _is_plain_value(title: str, value: str, cue: Cue | None) -> bool:
    """Whether a cell is a value such as "99.9%", "high", "active" or "Tier 1", and not the name of an entity."""
    if _VALUE.match(value) and (cue is None or cue.date != "occurred_on" or not re.search(r"\d{4}", value)):
        return True
    numbered = value.casefold().startswith(title.casefold()) and _NUMBER.fullmatch(value, len(title)) is not None
    may_be_name = any(map(str.isupper, value)) or "`" in value or "_" in value
    return cue is None and (numbered or value.casefold() in _SCALE or not may_be_name)


def triples_of_title(
    text: str, title: str, cue: Cue | None, head: DraftMention, others: Sequence[DraftMention], period: Period | None
) -> Iterator[DraftTriple]:
    """The triples that the title of a column or a label asserts; none if the lexicon does not have it."""
    if cue is None or cue.predicate == RELATED_TO:
        return
    for other in others:
        if other.name != head.name:
            subject, object_ = (other, head) if cue.swap else (head, other)
            first, second = with_type(subject, cue.subject), with_type(object_, cue.object)
            draft = DraftTriple(first, cue.predicate, second, title, 0.8)
            yield draft if period is None else period.apply_to(draft, text)


def entities_in(text: str, cell: Span, expected: str | None) -> Iterator[DraftMention]:
    """The entities in a cell or the value of a label, separated by commas; `expected` is their type if unknown."""
    start, stop = cell
    for separator in _SEPARATOR.finditer(text, start, stop):
        yield from _entity(text, start, separator.start(), expected)
        start = separator.end()
    yield from _entity(text, start, stop, expected)


def _entity(text: str, start: int, end: int, expected: str | None) -> Iterator[DraftMention]:
    """The entity of a span, without markup and an amount, if it may be a name."""
    link = _LINK.search(text, start, end)
    if link is not None:
        start, end = link.span(1)
    amount = _AMOUNT.search(text, start, end)
    if amount is not None:
        start, end = (amount.end(), end) if amount.start() == start else (start, amount.start())
    while start < end and text[start] in " \t*_`\"'“([~|":
        start += 1
    while end > start and text[end - 1] in " \t*_`\"'”()]~|.:;\\":
        end -= 1
    if text[start:end].count("(") > text[start:end].count(")") and text[end : end + 1] == ")":
        end += 1
    words = text[start:end].split()
    name = " ".join(words)
    is_name = 2 <= len(name) <= MAX_NAME_LENGTH and len(words) <= MAX_CELL_WORDS
    if (
        not is_name
        or name.casefold() in _EMPTY
        or _VALUE.match(name)
        or name[-1] == "?"
        or "~~" in text[start - 2 : end]
    ):
        return
    shape = next(find_shapes(text, start, end), None)
    whole = shape is not None and (shape.start, shape.end) == (start, end)
    type_ = type_of_shape(name, shape.kind, "") if shape is not None and whole else type_of_name(name, "", "")
    kind = "date" if type_ == "Date" or (shape is not None and shape[::2] == (start, "date")) else "name"
    if type_ is None and not whole and not _looks_like_name(words, expected):
        return
    # Many names have the form of a class; the title of the column knows better.
    yield DraftMention(start, end, name, (expected or type_) if type_ in {None, "Class"} else type_, kind, 0.9)


@dataclass
class Topic:
    """The entity that labelled lines below a heading are about, and their dates by label, which are its metadata."""

    mention: DraftMention
    dates: dict[str, str] = field(default_factory=dict[str, str])


class Labels:
    """The labelled lines of a document; they are about the nearest heading above them, if that names an entity."""

    def __init__(self, document: Document, usage: WordUsage, lexicon: Lexicon) -> None:
        self._title = document.title
        self._usage, self._lexicon = usage, lexicon
        self._headings = [block for block in document.blocks if block.kind == "heading"]
        self._starts = [block.start for block in self._headings]
        self._topics: dict[tuple[str, ...], Topic | None] = {}

    def read(
        self, chunk: Chunk, labels: Iterable[tuple[str, Span, Span]]
    ) -> Iterator[tuple[Sequence[DraftMention], Sequence[DraftTriple], Span, Mapping[str, str]]]:
        """The mentions and the triples of each labelled line, its span and its metadata."""
        for label, head, value in labels:
            topic = self._topic(self._path(chunk, head[0]))
            if topic is None or topic.mention.kind == "none":
                continue
            cue = self._lexicon.header(label, topic.mention.type)
            if cue is None or not _fits(cue, topic.mention):
                continue
            if cue.predicate in _DATES and not (cue.predicate == OCCURRED_ON and topic.mention.type in _EVENTS):
                topic.dates[label.casefold()] = chunk.text[slice(*strip_span(chunk.text, value))][:MAX_DATE_LENGTH]
                continue
            mentions, drafts = read_label(chunk.text, topic.mention, label, value, self._lexicon)
            yield mentions, drafts, (head[0], value[1]), topic.dates

    def _path(self, chunk: Chunk, offset: int) -> tuple[str, ...]:
        at = bisect_right(self._starts, chunk.start + offset) - 1
        return self._headings[at].headings if at >= 0 else chunk.headings

    def _topic(self, path: tuple[str, ...]) -> Topic | None:
        if path not in self._topics:
            mention = topic_of((*path[::-1], self._title), self._usage)
            self._topics[path] = Topic(mention) if mention is not None else None
        return self._topics[path]


def _looks_like_name(words: Sequence[str], expected: str | None) -> bool:
    """Whether the words of a cell are a name and no sentence or value: of a column with a type, or capitalised."""
    small = [word for word in words if word[0].islower() and word not in WORDS.joiners and "-" not in word]
    if expected is not None:
        return len(small) <= 3 and len(words) <= MAX_NAME_WORDS
    first = words[0]
    is_identifier = len(words) == 1 and not first.isalpha() and not first[0].isdigit()
    return is_identifier or (not small and first[0].isupper() and len(words) <= MAX_NAME_WORDS)


def topic_of(titles: Iterable[str], usage: WordUsage) -> DraftMention | None:
    """The entity of the first of the titles that is no section such as "Overview"; None if that names no entity."""
    for title in titles:
        name = " ".join(_HEADING_NUMBER.sub("", _EMPHASIS.sub("", title).strip(), count=1).split())
        if not set(name.casefold().split()) <= WORDS.section_titles:
            return _topic_named(name, usage)
    return None


def _topic_named(name: str, usage: WordUsage) -> DraftMention | None:
    shape = next(find_shapes(name), None)
    if (
        shape is not None
        and shape.start == 0
        and shape.kind == "id"
        and name[shape.end : shape.end + 1] in {"", ":", " "}
    ):
        name = name[: shape.end]
        return DraftMention(0, 0, name, type_of_shape(name, "id", ""), "topic", 0.8)
    type_ = usage.known_type(name) or type_of_name(name, "", "")
    words = name.split()
    is_name = shape is not None and (shape.start, shape.end) == (0, len(name)) and shape.kind not in {"date", "quoted"}
    is_name |= type_ is not None or name in usage.hyphenated or (1 <= len(words) <= 4 and _has_name(words, usage))
    has_date = shape is not None and shape.kind == "date"
    if not is_name or has_date or not 2 <= len(name) <= MAX_NAME_LENGTH:
        return None
    return DraftMention(0, 0, name, type_, "topic", 0.8)


def _has_name(words: Sequence[str], usage: WordUsage) -> bool:
    """Whether one of the words of a heading can only be part of a name: "Kafka migration"."""
    return any(
        word in WORDS.exact or word in usage.hyphenated or (word[0].isupper() and not GAZETTEER.is_common(word))
        for word in words
        if word.isalpha() or "-" in word
    ) and not any(word.casefold() in WORDS.relatives | WORDS.pronouns or word.endswith(("ing", "?")) for word in words)


def _fits(cue: Cue, topic: DraftMention) -> bool:
    """Whether what the label asserts can be said of the topic: an incident owns no services."""
    return cue.predicate not in _OF_HOLDERS or topic.type in {None, "Team", "Person", "Organization"}


def read_label(
    text: str, topic: DraftMention, label: str, value: Span, lexicon: Lexicon
) -> tuple[Sequence[DraftMention], Sequence[DraftTriple]]:
    """The mentions of a labelled line, and its triples about the topic."""
    cue = lexicon.header(label, topic.type)
    if cue is None:
        return (), ()
    period = period_in(text, value)
    named = (value[0], period.span[0]) if period is not None and cue.predicate not in EVENTS else value
    mentions = [entity for entity in entities_in(text, named, type_of_header(label)) if _is_name(text, entity)]
    drafts = triples_of_title(text, label, cue, topic, mentions, period)
    return mentions, [
        draft._replace(predicate=cue.date) if "date" in {draft.subject.kind, draft.object.kind} else draft
        for draft in drafts
    ]


def _is_name(text: str, entity: DraftMention) -> bool:
    """Whether the value is a name rather than the start of a sentence."""
    name = entity.name
    following = text[entity.end : entity.end + 1]
    return len(name.split()) <= 5 and (any(map(str.isupper, name)) or following in {"`", ""} or not name.isalpha())
