"""The records that pass between layers: documents become chunks, chunks become candidates, candidates a graph.

Offsets are in characters, `start` inclusive, `end` exclusive. Times are naive UTC. Confidence is in [0, 1].
"""

from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, field, replace
from datetime import UTC, datetime
from operator import add
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

Ids: TypeAlias = NDArray[np.int64]
Matrix: TypeAlias = NDArray[np.float32]
Metadata: TypeAlias = Mapping[str, Any]
Direction: TypeAlias = Literal["out", "in", "both"]
BlockKind: TypeAlias = Literal["heading", "text", "list", "table", "code", "data"]
PHRASE = "Phrase"  # the type of an entity that is no name, but words of a text and the object of triples
VALUE = "Value"  # in place of the type of an object that is no entity: a number, a date or a short text of a document
GIT_COMMIT, GIT_HISTORY = "text/x-git-commit", "text/x-git-history"  # media types; none of them is searched
Relation: TypeAlias = Literal[
    "references", "elaborates", "depends_on", "contradicts", "part_of", "similar_to", "sequence", "caused_by"
]


# ---- documents become chunks


@dataclass(frozen=True)
class Block:
    """A span of a document's text that is kept together where possible; `headings` is the path of titles above it.

    Extractors find only identifiers in "code", and nothing in "data". A heading block's own title is the last of its
    `headings`. `level` is 1–6 for headings, else 0. With `starts_chunk` a chunk begins with it. `terms` are the
    spans of what it defines, shows or answers, the outermost first.
    """

    kind: BlockKind
    start: int
    end: int
    headings: tuple[str, ...] = ()
    level: int = 0
    starts_chunk: bool = False
    terms: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class Document:
    """One source as read: its text and the blocks that partition it; `note` is as in `ingest.reader.Reading`.

    `uri` is its identity, `source` its origin; `title_given` and `source_given` say that the caller gave these.
    `file_time` is when its file was last changed, None for a text without a file. Its history is asked of git where all
    that this keeps lies in the folders `history_roots`; None allows any, and of others only what is stored is known.
    """

    uri: str
    title: str
    text: str
    media_type: str = "text/plain"
    source: str = ""
    metadata: Metadata = field(default_factory=dict[str, Any])
    blocks: Sequence[Block] = ()
    title_given: bool = False
    source_given: bool = True
    note: str = ""
    file_time: datetime | None = None
    history_roots: Sequence[Path] | None = ()

    @property
    def is_data(self) -> bool:
        """Whether it is in a format that no extractor reads: JSON, CSV, a log."""
        return bool(self.blocks) and all(block.kind == "data" for block in self.blocks)

    @property
    def is_history(self) -> bool:
        """Whether it tells of commits; such a document is not searched."""
        return self.media_type in {GIT_COMMIT, GIT_HISTORY}


@dataclass(frozen=True)
class Chunk:
    """A span of a document: `text == document.text[start:end]`. A document's top-level chunks partition its text.

    `parent` is the ordinal of the chunk that contains it, if any. `context` is what it goes on with: the term of
    a definition, the header of a table.
    """

    ordinal: int
    start: int
    end: int
    text: str
    headings: tuple[str, ...] = ()
    parent: int | None = None
    context: str = ""


@dataclass(frozen=True)
class Skipped:
    """An input that was not ingested, and why."""

    what: str
    reason: str


# ---- chunks become candidates


@dataclass(frozen=True)
class Mention:
    """A span of a chunk that names an entity; offsets count from the chunk's start. `type` is None where unknown."""

    name: str
    type: str | None
    start: int
    end: int


@dataclass(frozen=True)
class Candidate:
    """A triple that an extractor or a caller proposes.

    `surface` is the verb or phrase in the text behind the predicate. `quote` is the supporting text and `start`, `end`
    its span from the chunk's start; None without a chunk. `is_over`: only the past tense says it, of what is no event.
    """

    subject: str
    predicate: str
    object: str
    subject_type: str | None = None
    object_type: str | None = None
    confidence: float = 1.0
    surface: str | None = None
    quote: str | None = None
    start: int | None = None
    end: int | None = None
    source: str | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    metadata: Metadata = field(default_factory=dict[str, Any])
    is_over: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "valid_from", naive_utc(self.valid_from))
        object.__setattr__(self, "valid_to", naive_utc(self.valid_to))


@dataclass(frozen=True, slots=True)  # as a table has millions of them
class CandidateValue:
    """A number, a date or a short text that a row, a record or a labelled line states of an entity.

    It is no entity itself. `value` is as written, at `start` to `end` of the chunk; `surface` is the heading of its
    column or its label, and `predicate` what that stands for.
    """

    subject: str
    predicate: str
    value: str
    start: int
    end: int
    subject_type: str | None = None
    surface: str | None = None
    confidence: float = 1.0


@dataclass(frozen=True)
class AliasFound:
    """Another name of an entity that a chunk states: "the User Database, also known as UserDB".

    `quote` is the supporting text, at `start` to `end` of the chunk. `type` is the entity's, None where unknown.
    """

    name: str
    alias: str
    quote: str
    start: int
    end: int
    type: str | None = None


@dataclass(frozen=True)
class Extraction:
    """What one extractor found in one chunk; `dropped` counts by reason what was left out.

    `tables` says of each table of the document how it was read; the first chunk has them.
    """

    mentions: Sequence[Mention] = ()
    triples: Sequence[Candidate] = ()
    dropped: Mapping[str, int] = field(default_factory=dict[str, int])
    aliases: Sequence[AliasFound] = ()
    descriptions: Mapping[str, str] = field(default_factory=dict[str, str])  # words of the chunk, by name of a mention
    edges: "Sequence[ChunkEdge]" = ()  # whose ends are places among the chunks of the document
    values: Sequence[CandidateValue] = ()
    tables: Sequence[str] = ()


# ---- what the store answers


@dataclass(frozen=True)
class Origin:
    """Who writes; stored with every change. `operation` groups the changes of a call or job; None starts a new one."""

    tool: str
    client: str = "library"
    request_id: str | None = None
    operation: int | None = None
    job: int | None = None

    def named(self, tool: str) -> "Origin":
        """The origin with this tool, unless it names one."""
        return self if self.tool else replace(self, tool=tool)


@dataclass(frozen=True)
class When:
    """The times that a query is about, in UTC; one with another offset is converted.

    `as_of` is world time: only what held then (valid_from ≤ t < valid_to). `known_at` is knowledge time: only what had
    been recorded and not yet retired. None means any world time, and present knowledge.
    """

    as_of: datetime | None = None
    known_at: datetime | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "as_of", naive_utc(self.as_of))
        object.__setattr__(self, "known_at", naive_utc(self.known_at))


def naive_utc(moment: datetime | None) -> datetime | None:
    """A moment as it is compared and stored: in UTC, without the offset."""
    return moment if moment is None or moment.tzinfo is None else moment.astimezone(UTC).replace(tzinfo=None)


NOW = When()
LIBRARY = Origin("")  # a caller of the Python API that says nothing about itself


@dataclass(frozen=True)
class StoredDocument:
    """A stored document. `retired_at` is None for the version in force, `language` as its words are indexed."""

    id: int
    uri: str
    title: str
    source: str
    media_type: str
    metadata: Metadata
    sha256: str
    length: int
    recorded_at: datetime
    retired_at: datetime | None
    file_time: datetime | None = None
    language: str = "en"


@dataclass(frozen=True)
class StoredChunk:
    """A stored chunk, with its document."""

    id: int
    document: StoredDocument
    ordinal: int
    start: int
    end: int
    headings: tuple[str, ...]
    text: str
    sha256: str
    context: str = ""


@dataclass(frozen=True)
class Entity:
    """A canonical entity. `type` is "" where unknown; `degree` counts its triples in force."""

    id: int
    name: str
    type: str
    aliases: tuple[str, ...] = ()
    description: str = ""
    degree: int = 0
    mentions: int = 0
    properties: Metadata = field(default_factory=dict[str, Any])


@dataclass(frozen=True)
class Evidence:
    """What supports a triple: which source, and where in it.

    `citation` can be resolved with `find_cited`; it is "" for evidence without a chunk. `start` and `end` are offsets
    in the document; `line` is the line of `start`, from 1, None without a chunk; `lines` are further ones of the same
    source code that say it too.
    """

    source: str
    citation: str
    quote: str
    start: int | None
    end: int | None
    extractor: str
    confidence: float
    surface: str | None = None
    line: int | None = None
    lines: Sequence[int] = ()


@dataclass(frozen=True)
class Triple:
    """A triple with names, not ids. `confidence` is that of all its evidence together.

    An inferred one has id 0 and no evidence of its own: `inferred_from` lists the triples it follows from. One with a
    value as its object has id 0 too, and the object the id 0 and the type VALUE. One that `is_over` is not asserted
    today: all of its evidence is in the past tense. `left_out` counts the evidence besides that which it comes with.
    """

    id: int
    subject_id: int
    subject: str
    subject_type: str
    predicate: str
    object_id: int
    object: str
    object_type: str
    confidence: float
    metadata: Metadata = field(default_factory=dict[str, Any])
    evidence: Sequence[Evidence] = ()
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    recorded_at: datetime | None = None
    retired_at: datetime | None = None
    inferred_from: Sequence["Triple"] = ()
    is_over: bool = False
    left_out: int = 0


@dataclass(frozen=True)
class ArmRank:
    """The rank (from 1) and score that one retriever gave a hit, on its own scale: BM25, cosine, PageRank."""

    arm: str
    rank: int
    score: float


@dataclass(frozen=True)
class ChunkEdge:
    """An edge between chunks, by id: `source` cites, elaborates, assumes … `target`.

    Weight in (0, 1]; `description` says why; `extractor` found it. contradicts and similar_to are symmetric: the lower
    id is the source.
    """

    source: int
    target: int
    relation: Relation
    weight: float
    description: str = ""
    extractor: str = ""


@dataclass(frozen=True)
class EdgeStep:
    """The chunk edge that led a walk to a hit: from which chunk (its citation), `forward` or not, by which relation."""

    from_chunk: str
    relation: Relation
    description: str
    weight: float
    hop: int
    forward: bool = True


@dataclass(frozen=True)
class Expanded:
    """An entity that a walk over triples added to an answer, `hop` hops from a seed."""

    entity: str
    type: str
    predicate: str
    from_entity: str
    triple: Triple
    hop: int


@dataclass(frozen=True)
class Community:
    """A cluster of entities. Level 0 is the broadest; `members` are its most central entities, in order.

    `summarised_by` is "extractive" or the model that wrote it. `citations` are those of the sentences that it quotes.
    """

    id: int
    level: int
    parent_id: int | None
    title: str
    summary: str
    summarised_by: str
    size: int
    members: tuple[str, ...] = ()
    citations: tuple[str, ...] = ()
    score: float = 0.0


@dataclass(frozen=True)
class Hit:
    """A chunk that a search found: its `score` is a share of the best one's, in [0, 1]; `arms` has its ranks by arm.

    `related` are the chunk edges that led to it; `why` explains in sentences how it was reached. `parent_text` is the
    text around a child chunk, shown in its place. `also_in` are lower-ranked hits with that text, `line` the first one.
    """

    chunk: StoredChunk
    citation: str
    score: float
    arms: Sequence[ArmRank] = ()
    terms: tuple[str, ...] = ()
    related: Sequence[EdgeStep] = ()
    why: tuple[str, ...] = ()
    parent_text: str = ""
    also_in: Sequence["Hit"] = ()
    line: int | None = None

    @property
    def text(self) -> str:
        """The text to show."""
        return self.parent_text or self.chunk.text


@dataclass(frozen=True)
class Counts:
    """How many documents, chunks, entities, triples and values a write added, or a file holds."""

    documents: int = 0
    chunks: int = 0
    entities: int = 0
    triples: int = 0
    values: int = 0

    def __add__(self, other: "Counts") -> "Counts":
        return Counts(*map(add, astuple(self), astuple(other)))
