"""Triples of Markdown tables: the first column names the row, the other columns' heads are predicates."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from mcp_graphrag.extract.claims import APPROVAL_THRESHOLD, Claim
from mcp_graphrag.extract.entity_types import type_of_header, type_of_name, type_of_shape
from mcp_graphrag.extract.identifiers import find_shapes
from mcp_graphrag.extract.lexicon import RELATED_TO, Cue, Lexicon
from mcp_graphrag.extract.markup import Span, is_rule
from mcp_graphrag.extract.mentions import Found
from mcp_graphrag.extract.periods import period_in, period_of_column

LONGEST_CELL = 8
_EMPTY = frozenset({"", "-", "–", "—", "n/a", "none", "tbd", "null", "?", "…", "..."})
_VALUE = re.compile(
    r"[<>≤≥~+\-$€£]{0,3}\s?\d[\d.,:/]*\s?(?:%|[a-zA-Z]{1,8}(?:/[a-z]{1,6})?)?\Z|(?:yes|no|true|false|[✓✗✔✘xX])\Z",
    re.IGNORECASE,
)
_NOISE = re.compile(r"[*_`\[\]\s]+|\([^()\s]*\)|~~")
_PARTS = re.compile(r",|;|<br ?/?>| and (?=[A-Z`\[*])")
_AMOUNT = re.compile(r"\s*\(?(?:[$€£]\s?\d[\d.,]*\s?[kKmM]?)\)?\s*")
_LIMIT = re.compile(
    r"(?:(?:up to|over|above|below|under|from|to|and|more than|less than|at least|at most|[$€£]\s?\d[\d.,]*\s?[kKmM]?)"
    r"[\s,–-]*){1,8}",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\s*[\d.]{1,6}")
_SCALE = frozenset(["critical", "high", "medium", "low", "severe", "major", "minor", "moderate", "urgent", "normal"])
_LINK = re.compile(r"!?\[([^\[\]]{0,200})\]\([^()]{0,400}\)")


class Cell(NamedTuple):
    """A cell's span within the chunk, without the white space around it."""

    start: int
    end: int


@dataclass(frozen=True)
class Row:
    """What one row of a table says: its mentions, its claims, its plain values by column, and the line itself."""

    line: Span
    mentions: Sequence[Found]
    claims: Sequence[Claim]
    values: dict[str, str]


def read_table(text: str, lines: Sequence[Span], context: str, lexicon: Lexicon) -> Iterator[Row]:
    """The rows of a table. Its header is its own, or the one in `context` where the chunk starts within the table."""
    body = list(lines)
    if len(body) > 1 and is_rule(text[slice(*body[1])].strip()):
        header = _titles(text, body[0])
        body = body[2:]
    else:
        first = next((line for line in context.splitlines() if "|" in line and not is_rule(line.strip())), "")
        header = _titles(first, (0, len(first)))
    if len(header) < 2:
        return
    for line in body:
        if not is_rule(text[slice(*line)].strip()):
            row = _row(text, line, header, lexicon)
            if row is not None:
                yield row


def _titles(text: str, line: Span) -> list[str]:
    return [_NOISE.sub(" ", text[cell.start : cell.end]).strip() for cell in _cells(text, line)]


def _cells(text: str, line: Span) -> list[Cell]:
    start, end = line
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if start < end and text[start] == "|":
        start += 1
    if end > start and text[end - 1] == "|" and text[end - 2] != "\\":
        end -= 1
    cells: list[Cell] = []
    position = start
    for found in re.finditer(r"(?<!\\)\|", text[start:end]):
        cells.append(_trim(text, position, start + found.start()))
        position = start + found.end()
    cells.append(_trim(text, position, end))
    return cells


def _trim(text: str, start: int, end: int) -> Cell:
    part = text[start:end]
    left = len(part) - len(part.lstrip())
    return Cell(min(start + left, end), max(start + left, start + len(part.rstrip())))


def _row(text: str, line: Span, header: Sequence[str], lexicon: Lexicon) -> Row | None:
    cells = _cells(text, line)
    heads = list(entities_in(text, cells[0], type_of_header(header[0])))
    if not heads:
        return None
    row = _Row(text, lexicon, heads[0])
    for title, cell in zip(header[1:], cells[1:], strict=False):
        raw = text[cell.start : cell.end]
        if title and raw.casefold() not in _EMPTY:
            row.read(title, cell, raw)
    return Row(line, row.mentions, list(row.finished()), row.values)


class _Row:
    """What is known of a row so far."""

    def __init__(self, text: str, lexicon: Lexicon, head: Found) -> None:
        self.mentions = [head]
        self.values: dict[str, str] = {}
        self._text, self._lexicon, self._head = text, lexicon, head
        self._claims: list[Claim] = []
        self._since: datetime | None = None
        self._until: datetime | None = None
        self._limit: str | None = None

    def read(self, title: str, cell: Cell, raw: str) -> None:
        """Take in one cell: the time of the row, a plain value, or what the head is related to."""
        cue = self._lexicon.header(title, self._head.type)
        period = period_of_column(title, raw)
        if period is not None:
            self._since, self._until = period[0] or self._since, period[1] or self._until
        elif _LIMIT.fullmatch(raw):
            self._limit = self.values[title.casefold()] = raw
        elif _is_value(title, raw, cue):
            self.values[title.casefold()] = raw
        elif len(raw.split()) <= LONGEST_CELL or "," in raw:
            self._relate(title, cell, raw)

    def _relate(self, title: str, cell: Cell, raw: str) -> None:
        period = period_in(self._text, cell)
        named = (cell.start, period.span[0]) if period is not None else cell
        found = list(entities_in(self._text, named, type_of_header(title)))
        amount = _AMOUNT.search(raw)
        self.mentions.extend(found)
        for other in found:
            if other.name != self._head.name and self._head.kind != "date":
                claim = _claim(self._head, title, other, self._lexicon)
                claim = claim._replace(amount=amount[0].strip(" ()") if amount is not None else None)
                self._claims.append(claim if period is None else period.put_on(claim, self._text))

    def finished(self) -> Iterator[Claim]:
        """The claims, with the time and the limit that other columns give."""
        for claim in self._claims:
            limited = claim.predicate == APPROVAL_THRESHOLD and claim.amount is None
            yield claim._replace(
                valid_from=claim.valid_from or self._since,
                valid_to=claim.valid_to or self._until,
                amount=self._limit if limited else claim.amount,
            )


def _is_value(title: str, raw: str, cue: Cue | None) -> bool:
    """Whether a cell says "99.9%", "high", "active" or "Tier 1" rather than naming something."""
    if _VALUE.match(raw) and (cue is None or cue.date != "occurred_on" or not re.search(r"\d{4}", raw)):
        return True
    numbered = raw.casefold().startswith(title.casefold()) and _NUMBER.fullmatch(raw, len(title)) is not None
    return cue is None and (numbered or raw.casefold() in _SCALE or not _looks_named(raw))


def _looks_named(raw: str) -> bool:
    """Whether a cell below an unknown head names something, rather than saying "active" or "high"."""
    return (
        any(letter.isupper() for letter in raw[1:] if letter.isalpha()) or raw[:1].isupper() or "`" in raw or "_" in raw
    )


def _claim(head: Found, title: str, other: Found, lexicon: Lexicon) -> Claim:
    cue = lexicon.header(title, head.type)
    if cue is None:
        return Claim(head, RELATED_TO, other, title, 0.5)
    subject, object_ = (other, head) if cue.swap else (head, other)
    expected = (cue.subject, cue.object)
    subject = subject._replace(type=subject.type or expected[0])
    object_ = object_._replace(type=object_.type or expected[1])
    return Claim(subject, cue.predicate, object_, title, 0.8)


def entities_in(text: str, cell: Span, expected: str | None) -> Iterator[Found]:
    """The entities of a cell or a label's value: its parts between commas, without marks and amounts."""
    start, stop = cell
    position = start
    for found in (*_PARTS.finditer(text, start, stop), None):
        end = found.start() if found is not None else stop
        entity = _entity(text, position, end, expected)
        if entity is not None:
            yield entity
        position = found.end() if found is not None else stop


def _entity(text: str, start: int, end: int, expected: str | None) -> Found | None:
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
    raw = text[start:end]
    name = " ".join(raw.split())
    if not 2 <= len(name) <= 200 or len(name.split()) > LONGEST_CELL or name.casefold() in _EMPTY or _VALUE.match(name):
        return None
    shape = next(find_shapes(text, start, end), None)
    whole = shape is not None and (shape.start, shape.end) == (start, end)
    own = type_of_shape(name, shape.kind, "") if shape is not None and whole else type_of_name(name, "", "")
    kind = "date" if own == "Date" else "name"
    fits = own if own is not None and own != "Class" else None
    return Found(start, end, name, fits or expected or own, kind, 0.9)
