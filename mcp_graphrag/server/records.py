"""What answers are made of: models that are complete by themselves, each with its text for clients that show only text.

Empty optional fields are left out on the wire. Texts of documents are data; nothing here interprets them.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime
from functools import partial
from typing import Annotated, Any, ClassVar, Self

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, PrivateAttr

from mcp_graphrag.lookup.query_triples import CODE
from mcp_graphrag.search.quoting import one_line, quote_lines
from mcp_graphrag.server.budget import MAX_SOURCE, brief, clip
from mcp_graphrag.server.written_forms import ShortForms, named, place, written_with


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
    _forms: ShortForms = PrivateAttr(default_factory=ShortForms)

    @property
    def forms(self) -> ShortForms:
        """How its text writes names and citations."""
        return self._forms

    def written(self) -> str:
        """What a client reads that shows only text."""
        with written_with(self._forms):
            return str(self)

    def write_with(self, forms: ShortForms) -> None:
        """Write names and citations of the text in these forms from now on."""
        self._forms = forms

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
        return f"{place(self.uri)}  {one_line(self.title)}"


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
        head = f"{one_line(self.title)}\n" if self.title else "\n"
        return f"{place(self.citation)}  {head}{quote_lines(self.text.strip())}"


class EvidenceOut(Answer):
    """A quote that supports triples, which refer to it by its number; `source` is a citation, or what a caller named.

    `span` is that of the quote in the document, in characters, and `line` its line there; `lines` say it too.
    """

    number: int
    source: str
    quote: str = ""
    span: list[int] = []
    line: int | None = None
    lines: list[int] = []
    extractor: str
    confidence: float

    @property
    def is_code(self) -> bool:
        """Whether its line in the source code says it all."""
        return self.extractor.split(", ")[0] == CODE

    @property
    def place(self) -> str:
        """Where it is: `path:line, line`, or what a caller named."""
        more = "".join(f", {each}" for each in self.lines)
        return f"{place(self.source, self.line)}{more}" if self.source else ""


class TripleOut(Answer):
    """A triple, by names; `left_out` counts its further evidence."""

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
    left_out: int | None = None

    def __str__(self) -> str:
        """Its parts, and in brackets what is not so by default: confidence 1, now, stored as it is."""
        ends = named(self.subject, self.subject_type), self.predicate, named(self.object, self.object_type)
        span = f"{self.valid_from or '…'} to {self.valid_to or '…'}" if self.valid_from or self.valid_to else ""
        sure = f"confidence {self.confidence:.2g}" if round(self.confidence, 2) < 1 else ""
        follows = f"inferred from {'; '.join(self.inferred_from)}" if self.inferred_from else ""
        said = "; ".join(filter(None, (sure, span, follows)))
        return f"{' '.join(ends)}{f' ({said})' if said else ''}{properties_text(self.metadata)}"


class NumberedTriple(TripleOut):
    """A triple in a table, to which paths refer by its number."""

    number: int


class Cited(Listing):
    """An answer of triples, each quote of which stands once in `evidence`."""

    evidence: list[EvidenceOut] = []
    _quoted: set[int] = PrivateAttr(default_factory=set[int])

    def __str__(self) -> str:
        self._quoted = set()
        return super().__str__()

    def lines_of(self, triples: Iterable[TripleOut]) -> list[str]:
        """A line a triple: it, where it is said, and the quote that says it, unless the answer has it or it is code.

        Those of one file stand together below its name.
        """
        by_document: dict[str, list[tuple[str, str, str]]] = {}
        for number, triple in enumerate(triples):
            document, line, more = self._said(triple)
            by_document.setdefault(document or f"\n{number}", []).append((str(triple), line, more))
        lines: list[str] = []
        for document, said in by_document.items():
            if len(said) == 1:
                (told, line, more), where = said[0], document.strip() if "\n" not in document else ""
                lines.append(f"{told}{f'  {where}{line}' if where else ''}{more}")
            else:
                lines += [document, *(f"  {told}  {line}{more}" for told, line, more in said)]
        return lines

    def _said(self, triple: TripleOut) -> tuple[str, str, str]:
        """The document that says a triple first, the line there, as `:12`, and what follows: more evidence, a quote."""
        sources = [self.evidence[number - 1] for number in triple.evidence if number <= len(self.evidence)]
        if not sources:
            return "", "", ""
        first = sources[0]
        document, colon, line = first.place.rpartition(":")
        if not line.replace(", ", "").isdecimal():
            document, colon, line = first.place, "", ""
        others = [each for each in sources[1:] if each.is_code and first.is_code]
        left = (triple.left_out or 0) + len(sources) - 1 - len(others)
        more = "".join(f"; {each.place}" for each in others) + (f" +{left}" if left else "")
        if first.quote and first.number not in self._quoted and not first.is_code:
            self._quoted.add(first.number)
            more += f' "{one_line(first.quote)}"'
        return document, f"{colon}{line}", more


class CitedChunks(Cited):
    """An answer of triples with the chunks behind the evidence."""

    chunks: list[ChunkOut] = []

    def closing(self) -> list[str]:
        """The chunks, then notes and hint."""
        return [*(f"\n{each}" for each in self.chunks), *super().closing()]


def typed(name: str, type: str) -> str:
    """A name with its type in brackets, if it has one."""
    return f"{name} ({type})" if type else name


def properties_text(properties: Mapping[str, Any]) -> str:
    """Properties in brackets, "" for none."""
    return f" [{', '.join(one_line(f'{key}={value}') for key, value in properties.items())}]" if properties else ""


def counted(number: int | str, noun: str) -> str:
    """A number with its noun, in the plural unless it is one."""
    many = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{number} {noun if number == 1 else many}"


def counts_line(**numbers: int) -> str:
    """Numbers with their nouns, in a line."""
    return ", ".join(counted(number, noun.replace("_", " ")) for noun, number in numbers.items())
