"""What answers are made of: models that are complete by themselves, each with its text for clients that show only text.

Empty optional fields are left out on the wire. Texts of documents are data; nothing here interprets them.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Annotated, Any, ClassVar, Self

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict

from mcp_graphrag.search.quoting import one_line, quote_lines
from mcp_graphrag.server.budget import MAX_SOURCE, brief, clip


def moment(time: datetime | str | None) -> str:
    """ISO 8601 in UTC, a date alone where it is midnight, "" for None."""
    if not isinstance(time, datetime):
        return time or ""
    date = time.time().isoformat() == "00:00:00"
    return time.date().isoformat() if date else f"{time.isoformat(timespec='seconds')}Z"


def instant(time: datetime | str) -> str:
    """ISO 8601 in UTC to the microsecond, so that known_at can name just that moment."""
    return f"{time.isoformat()}Z" if isinstance(time, datetime) else time


# Fields that take a value as the library has it, or as it is on the wire: the SDK checks each answer by its schema.
Moment = Annotated[str, BeforeValidator(moment)]
Instant = Annotated[str, BeforeValidator(instant)]
Rounded = Annotated[float, AfterValidator(partial(round, ndigits=4))]
Clipped = Annotated[str, AfterValidator(clip)]
Short = Annotated[str, AfterValidator(partial(clip, tokens=MAX_SOURCE))]
Brief = Annotated[dict[str, Any], AfterValidator(brief)]


class Answer(BaseModel):
    """The base of every answer and of its parts; as `str`, what its fields say in compact words."""

    model_config = ConfigDict(defer_build=True)  # a server starts before it knows which answers it will give

    @classmethod
    def of(cls, *records: object, **fields: Any) -> Self:
        """An answer of the given fields; the others are those that the records have under the same names."""
        found = {name: getattr(each, name) for each in records for name in cls.model_fields if hasattr(each, name)}
        return cls(**{**found, **fields})


class Listing(Answer):
    """An answer that may be cut: `truncated` says so and `hint` what to do about it."""

    truncated: bool
    hint: str = ""
    notes: list[str] = []
    notes_first: ClassVar[bool] = False  # in the text, for notes that say what the answer is about

    def __str__(self) -> str:
        return "\n".join([*(self.notes if self.notes_first else ()), *self._lines(), *self.closing()])

    def _lines(self) -> list[str]:
        """What stands before evidence, notes and hint."""
        raise NotImplementedError

    def closing(self) -> list[str]:
        """What stands last, a line each."""
        return [line for line in (*(() if self.notes_first else self.notes), self.hint) if line]


class Page(Listing):
    """A listing that goes on with a cursor."""

    next_cursor: str = ""

    def closing(self) -> list[str]:
        """Notes, hint and cursor."""
        return [*super().closing(), *([f"next_cursor: {self.next_cursor}"] if self.next_cursor else [])]


class DocumentHead(Answer):
    """A document, in short."""

    uri: str
    title: str
    source: Short = ""
    retired_at: Moment = ""

    def __str__(self) -> str:
        return f"{one_line(self.title)} <{one_line(self.uri)}>"


class DocumentOut(DocumentHead):
    """A document."""

    media_type: str = ""
    metadata: Brief = {}


class ChunkOut(Answer):
    """A chunk behind an answer."""

    citation: str
    title: str = ""
    text: str

    def __str__(self) -> str:
        head = f"### {one_line(self.title)}\n" if self.title else ""
        return f"{head}{quote_lines(self.text.strip())}\n— {self.citation}"


class EvidenceOut(Answer):
    """A quote that supports triples, which refer to it by its number; `source` is a citation, or what a caller named.

    `span` is that of the quote in the document, in characters, and `line` its line there.
    """

    number: int
    source: str
    quote: str = ""
    span: list[int] = []
    line: int | None = None
    extractor: str
    confidence: float

    def __str__(self) -> str:
        quoted = f'"{" ".join(self.quote.split())}" ' if self.quote else ""
        line = f"line {self.line} " if self.line else ""
        where = f"{one_line(self.source)} {line}" if self.source else ""
        return f"[{self.number}] {quoted}{where}({self.extractor} {self.confidence:.2g})"


class TripleOut(Answer):
    """A triple, by names."""

    subject: str
    subject_type: str = ""
    predicate: str
    object: str
    object_type: str = ""
    confidence: Rounded
    metadata: Brief = {}
    valid_from: Moment = ""
    valid_to: Moment = ""
    recorded_at: Moment = ""
    inferred_from: list[str] = []
    evidence: list[int] = []

    def __str__(self) -> str:
        ends = f"{typed(self.subject, self.subject_type)} -[{self.predicate}]-> {typed(self.object, self.object_type)}"
        span = f", valid {self.valid_from or '…'} to {self.valid_to or '…'}" if self.valid_from or self.valid_to else ""
        span += f", recorded {self.recorded_at[:10]}" if self.recorded_at else ""
        how = "inferred, " if self.inferred_from else ""
        line = f"{ends} ({how}confidence {self.confidence:.2g}{span}){cited(self.evidence)}"
        return f"{line}{properties_text(self.metadata)}{follows_from(self.inferred_from)}"


class NumberedTriple(TripleOut):
    """A triple in a table, to which paths refer by its number."""

    number: int


class Cited(Listing):
    """An answer of triples, each quote of which stands once in `evidence`."""

    evidence: list[EvidenceOut] = []

    def closing(self) -> list[str]:
        """The evidence, then notes and hint."""
        return [*self._sources(), *super().closing()]

    def _sources(self) -> list[str]:
        return ["evidence:", *(f"  {each}" for each in self.evidence)] if self.evidence else []


class CitedChunks(Cited):
    """An answer of triples with the chunks behind the evidence."""

    chunks: list[ChunkOut] = []

    def _sources(self) -> list[str]:
        return [*super()._sources(), *(f"\n{each}" for each in self.chunks)]


def typed(name: str, type: str) -> str:
    """A name with its type in brackets, if it has one."""
    return f"{name} ({type})" if type else name


def cited(numbers: Sequence[int]) -> str:
    """Numbers of evidence in brackets, "" for none."""
    return f" [{', '.join(map(str, numbers))}]" if numbers else ""


def follows_from(triples: Sequence[str]) -> str:
    """What an inferred triple follows from, on a line of its own, "" for nothing."""
    return f"\n    from {'; '.join(triples)}" if triples else ""


def properties_text(properties: Mapping[str, Any]) -> str:
    """Properties in brackets, "" for none."""
    return f" [{', '.join(one_line(f'{key}={value}') for key, value in properties.items())}]" if properties else ""


def counted(number: int | str, noun: str) -> str:
    """A number with its noun, in the plural unless it is one."""
    return f"{number} {noun}{'' if number == 1 else 's'}"
