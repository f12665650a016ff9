r"""What a client found in chunks, as it gives it: as records, or as a text with a line for each triple.

    chunk 12
    Priya Nair | Person | leads | search team | Team | Since March 2021 … the search team | 2021-03..
    | | not uses | Solr | Technology
    name Lucene | Technology | the index
    nothing 13-15, 18

The fields of a triple are subject, type, predicate, object, type, quote and period; the last ones may be left out. An
empty subject or quote is that of the line above, an empty type that which the name had before; "#7" is the entity with
this id. A bar inside a field is written "\|".
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from mcp_graphrag.clean_input import parse_time
from mcp_graphrag.errors import BadInput
from mcp_graphrag.model import Candidate

FIELDS, QUOTE = 7, 5  # how many a triple has, and the place of the quote
MAX_RANGE = 1000  # chunks of one range
CHUNK = re.compile(r"chunk\s+#?(\d{1,15})\s*:?", re.IGNORECASE)
NOTHING = re.compile(r"nothing\s*:?\s*([\d\s,#-]+)", re.IGNORECASE)
NAME = re.compile(r"name\s+", re.IGNORECASE)
BAR = re.compile(r"(?<!\\)\|")
NUMBERED = re.compile(r"#\d{1,15}")
MALFORMED = "not a line of findings"
FORM = "Write: subject | type | predicate | object | type | quote. A bar inside a field is \\|."


class _Malformed(BadInput):
    """A line is none of the form; `mended` is the line that may be meant."""

    def __init__(self, mended: str = "") -> None:
        super().__init__(MALFORMED, FORM)
        self.mended = mended


@dataclass(frozen=True)
class EntityFound:
    """An entity that a chunk is about; `text` is what the chunk calls it where that is not its name."""

    name: str
    type: str = ""
    text: str = ""


@dataclass(frozen=True)
class Findings:
    """What a client found in the chunk with this citation or number; `lines` are those of entities, then of triples."""

    citation: str
    entities: Sequence[EntityFound] = ()
    triples: Sequence[Candidate] = ()
    lines: Sequence[int] = ()


@dataclass(frozen=True)
class Dropped:
    """An item that is not stored: the citation of its chunk, the item in words, the reason, and what would mend it.

    `mended` is the line to give in its place, "" where none is known.
    """

    citation: str
    item: str
    reason: str
    hint: str = ""
    mended: str = ""


def triple_in_words(triple: Candidate) -> str:
    """A triple on one line."""
    return f"{triple.subject} {triple.predicate} {triple.object}"


def line_of(triple: Candidate) -> str:
    """A triple as a line of findings."""
    period = ""
    if triple.valid_from or triple.valid_to:
        period = "..".join(each.date().isoformat() if each else "" for each in (triple.valid_from, triple.valid_to))
    ends = [triple.subject, triple.subject_type, triple.predicate, triple.object, triple.object_type]
    fields = [" ".join((each or "").split()).replace("|", "\\|") for each in (*ends, triple.quote, period)]
    while not fields[-1]:
        fields.pop()
    return " | ".join(fields)


def read_lines(text: str) -> tuple[list[Findings], list[Dropped]]:
    """The findings in a text, by chunk in the order of the text, and the lines that are none of the form."""
    return _Lines().of(text)


@dataclass
class _Chunk:
    entities: list[tuple[int, EntityFound]] = field(default_factory=list[tuple[int, EntityFound]])
    triples: list[tuple[int, Candidate]] = field(default_factory=list[tuple[int, Candidate]])


@dataclass
class _Lines:
    """The reading of one text, from line to line."""

    _chunks: dict[str, _Chunk] = field(default_factory=dict[str, _Chunk])
    _dropped: list[Dropped] = field(default_factory=list[Dropped])
    _types: dict[str, str] = field(default_factory=dict[str, str])
    _chunk: str = ""
    _subject: str = ""
    _quote: str = ""

    def of(self, text: str) -> tuple[list[Findings], list[Dropped]]:
        for number, line in enumerate(text.splitlines(), start=1):
            try:
                self._take(number, line.strip())
            except BadInput as error:
                mended = error.mended if isinstance(error, _Malformed) else ""
                self._dropped.append(Dropped(self._chunk, f"line {number}", error.fact.rstrip("."), error.hint, mended))
        found = [
            Findings(
                number,
                [each for _, each in chunk.entities],
                [each for _, each in chunk.triples],
                [line for line, _ in (*chunk.entities, *chunk.triples)],
            )
            for number, chunk in self._chunks.items()
        ]
        return found, self._dropped

    def _take(self, number: int, line: str) -> None:
        """Take a line. Raises BadInput for one that is none of the form."""
        if not line or line.startswith("```"):
            return
        if found := CHUNK.fullmatch(line):
            self._chunk, self._subject, self._quote = found[1], "", ""
            self._chunks.setdefault(found[1], _Chunk())
        elif found := NOTHING.fullmatch(line):
            for each in _numbers(found[1]):
                self._chunks.setdefault(each, _Chunk())
        elif not self._chunk:
            raise BadInput("no chunk is named above it", "Begin with a line such as: chunk 12")
        else:
            fields = [each.replace("\\|", "|").strip() for each in BAR.split(line)]
            chunk = self._chunks[self._chunk]
            if len(fields) <= 3 and (named := NAME.match(fields[0])):
                name, type_, words = [*fields, "", ""][:3]
                chunk.entities.append((number, EntityFound(*self._typed(name[named.end() :], type_), words)))
            else:
                chunk.triples.append((number, self._triple(fields)))

    def _triple(self, fields: list[str]) -> Candidate:
        if len(fields) == 3:
            raise _Malformed(f"{fields[0]} | | {fields[1]} | {fields[2]}")
        if len(fields) > FIELDS:
            raise _Malformed(" | ".join([*fields[:QUOTE], "\\|".join(fields[QUOTE:])]))
        if len(fields) < 3:
            raise _Malformed
        subject, subject_type, predicate, object_, object_type, quote, period = [*fields, "", "", ""][:FIELDS]
        self._subject, self._quote = subject or self._subject, quote or self._quote
        subject, subject_type = self._typed(self._subject, subject_type)
        object_, object_type = self._typed(object_, object_type)
        valid_from, valid_to = _period(period)
        return Candidate(
            subject,
            predicate,
            object_,
            subject_type or None,
            object_type or None,
            quote=self._quote,
            valid_from=valid_from,
            valid_to=valid_to,
        )

    def _typed(self, name: str, type_: str) -> tuple[str, str]:
        """A name with its type: what it was given first in this text."""
        if type_:
            self._types.setdefault(name, type_)
        return name, self._types.get(name, "")


def _numbers(text: str) -> list[str]:
    """The numbers in "13-15, 18". Raises BadInput for a range that is none."""
    found: list[str] = []
    for part in text.replace("#", "").replace(",", " ").split():
        first, _, last = part.partition("-")
        if not (first.isdigit() and (last or first).isdigit()) or not 0 <= int(last or first) - int(first) < MAX_RANGE:
            raise BadInput(MALFORMED, "Write numbers of chunks: nothing 13-15, 18")
        found += map(str, range(int(first), int(last or first) + 1))
    return found


def _period(text: str) -> tuple[datetime | None, datetime | None]:
    """The dates of "2021..2023", each of which may be missing; a date alone is the first. Raises BadInput."""
    first, _, last = text.partition("..")
    return (
        parse_time(first.strip(), "the first date") if first.strip() else None,
        parse_time(last.strip(), "the last date") if last.strip() else None,
    )
