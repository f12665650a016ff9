"""What answers are made of: models that are complete by themselves, each with its text for clients that show only text.

Empty optional fields are left out on the wire. Texts of documents are data; nothing here interprets them.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, cast

from pydantic import BaseModel

EMPTY: tuple[Any, ...] = (None, "", [], {})


class Answer(BaseModel):
    """The base of every answer and of its parts."""

    def render(self) -> str:
        """What the fields say, in compact words."""
        raise NotImplementedError


def wire(value: Any) -> Any:
    """An answer as JSON values, without the optional fields that are empty."""
    if isinstance(value, BaseModel):
        fields = type(value).model_fields
        found = {name: getattr(value, name) for name in fields}
        return {name: wire(each) for name, each in found.items() if fields[name].is_required() or each not in EMPTY}
    if isinstance(value, list):
        return [wire(each) for each in cast("list[Any]", value)]
    return value


class Listing(Answer):
    """An answer that may be cut: `truncated` says so and `hint` what to do about it."""

    truncated: bool
    hint: str = ""
    notes: list[str] = []

    def footer(self) -> str:
        """Notes and hint, a line each."""
        return "".join(f"\n{line}" for line in (*self.notes, self.hint) if line)


class Page(Listing):
    """A listing that goes on with a cursor."""

    next_cursor: str = ""

    def footer(self) -> str:
        """Notes, hint and cursor, a line each."""
        return super().footer() + (f"\nnext_cursor: {self.next_cursor}" if self.next_cursor else "")


class DocumentHead(Answer):
    """A document, in short."""

    uri: str
    title: str
    source: str = ""
    retired_at: str = ""

    def render(self) -> str:
        """Title and uri."""
        return f"{self.title} <{self.uri}>"


class DocumentOut(DocumentHead):
    """A document."""

    media_type: str = ""
    metadata: dict[str, Any] = {}


class ChunkOut(Answer):
    """A chunk behind an answer."""

    citation: str
    title: str = ""
    text: str

    def render(self) -> str:
        """The chunk under its title, if it has one, with its citation."""
        head = f"### {self.title}\n" if self.title else ""
        return f"{head}{self.text.strip()}\n— {self.citation}"


class EvidenceOut(Answer):
    """A quote that supports triples, which refer to it by its number; `source` is a citation, or what a caller named.

    `span` is that of the quote in the document, in characters.
    """

    number: int
    source: str
    quote: str = ""
    span: list[int] = []
    extractor: str
    confidence: float

    def render(self) -> str:
        """Quote and citation."""
        quoted = f'"{" ".join(self.quote.split())}" ' if self.quote else ""
        where = f"{self.source} " if self.source else ""
        return f"[{self.number}] {quoted}{where}({self.extractor} {self.confidence:.2g})"


class TripleOut(Answer):
    """A triple, by names."""

    subject: str
    subject_type: str = ""
    predicate: str
    object: str
    object_type: str = ""
    confidence: float
    metadata: dict[str, Any] = {}
    valid_from: str = ""
    valid_to: str = ""
    recorded_at: str = ""
    inferred_from: list[str] = []
    evidence: list[int] = []

    def render(self) -> str:
        """One line, with the numbers of its evidence."""
        subject = f"{self.subject} ({self.subject_type})" if self.subject_type else self.subject
        object_ = f"{self.object} ({self.object_type})" if self.object_type else self.object
        span = f", valid {self.valid_from or '…'} to {self.valid_to or '…'}" if self.valid_from or self.valid_to else ""
        span += f", recorded {self.recorded_at[:10]}" if self.recorded_at else ""
        how = "inferred, " if self.inferred_from else ""
        cited = f" [{', '.join(map(str, self.evidence))}]" if self.evidence else ""
        line = f"{subject} -[{self.predicate}]-> {object_} ({how}confidence {self.confidence:.2g}{span}){cited}"
        follows = f"\n    from {'; '.join(self.inferred_from)}" if self.inferred_from else ""
        return f"{line}{properties_text(self.metadata)}{follows}"


class NumberedTriple(TripleOut):
    """A triple in a table, to which paths refer by its number."""

    number: int


class Cited(Listing):
    """An answer of triples, each quote of which stands once in `evidence`."""

    evidence: list[EvidenceOut] = []

    def sources(self) -> str:
        """The evidence, a line each."""
        return "\n".join(["\nevidence:", *(f"  {each.render()}" for each in self.evidence)]) if self.evidence else ""


class CitedChunks(Cited):
    """An answer of triples with the chunks behind the evidence."""

    chunks: list[ChunkOut] = []

    def sources(self) -> str:
        """The evidence, then the chunks."""
        return super().sources() + "".join(f"\n\n{each.render()}" for each in self.chunks)


def properties_text(properties: Mapping[str, Any]) -> str:
    """Properties in brackets, "" for none."""
    return f" [{', '.join(f'{key}={value}' for key, value in properties.items())}]" if properties else ""


def counted(number: int, noun: str) -> str:
    """A number with its noun, in the plural unless it is one."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def moment(time: datetime | None) -> str:
    """ISO 8601 in UTC, a date alone where it is midnight, "" for None."""
    if time is None:
        return ""
    date = time.time().isoformat() == "00:00:00"
    return time.date().isoformat() if date else f"{time.isoformat(timespec='seconds')}Z"


def instant(time: datetime) -> str:
    """ISO 8601 in UTC to the microsecond, so that known_at can name just that moment."""
    return f"{time.isoformat()}Z"
