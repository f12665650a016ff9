"""What the tools that read and ingest answer. Texts of documents are data; nothing here interprets them."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import BaseModel, Field

from mcp_graphrag.server.answers.base import Answer, Listing


class Rank(BaseModel):
    """Where one arm of the search had a hit."""

    arm: str
    rank: int
    score: float


class DocumentOut(Answer):
    """The document of a hit or of a source."""

    uri: str
    title: str
    source: str = ""
    media_type: str = ""
    metadata: dict[str, Any] = {}
    retired_at: str = ""

    def in_words(self) -> str:
        """Title and uri."""
        return f"{self.title} <{self.uri}>"


class RelatedOut(Answer):
    """A chunk edge that led to a passage."""

    from_chunk: Annotated[str, Field(description="Citation of the passage that the edge was walked from.")]
    relation: str
    description: str = ""
    walked: Annotated[str, Field(description="backward: from the edge's target to its source.")] = ""

    def in_words(self) -> str:
        """Why and by which relation, and from where."""
        why = f'"{" ".join(self.description.split())}" ' if self.description else ""
        how = f"{self.relation}, walked {self.walked}" if self.walked else self.relation
        return f"↳ Related: {why}({how}) from {self.from_chunk}"


class HitOut(Answer):
    """A passage that was found."""

    text: str
    score: float
    document: DocumentOut
    citation: str
    headings: list[str] = []
    arms: Annotated[list[Rank], Field(description="With explain: rank and score in each arm.")] = []
    terms: Annotated[list[str], Field(description="With explain: stems of the query in the passage.")] = []
    related: Annotated[list[RelatedOut], Field(description="Chunk edges that led here.")] = []
    also_in: Annotated[list[str], Field(description="Citations of further places of the same text.")] = []
    why: Annotated[list[str], Field(description="With explain: the way here.")] = []

    def in_words(self) -> str:
        """The passage under its title, with citation."""
        where = " > ".join(dict.fromkeys([self.document.title, *self.headings]))
        why = "; ".join(f"{arm.arm} #{arm.rank} ({arm.score:.3g})" for arm in self.arms)
        explained = f"\n[{why}; terms: {', '.join(self.terms) or 'none'}]" if why else ""
        also = [f"↳ Also in {', '.join(self.also_in)}"] if self.also_in else []
        ways = "".join(f"\n{line}" for line in (*also, *(each.in_words() for each in self.related), *self.why))
        return f"### {where}\n{self.text.strip()}\n— {self.citation} (score {self.score:.4g}){explained}{ways}"


class EvidenceOut(Answer):
    """Why a triple is believed."""

    extractor: str
    confidence: float
    source: str = ""
    chunk: Annotated[str, Field(description="Citation; resolve it with get_source.")] = ""
    quote: str = ""
    span: Annotated[list[int], Field(description="Start and end of the quote in the document, in characters.")] = []
    surface: Annotated[str, Field(description="The words behind the predicate.")] = ""
    chunk_text: Annotated[str, Field(description="With include_source: the passage.")] = ""

    def in_words(self) -> str:
        """Quote and citation."""
        quoted = f'"{" ".join(self.quote.split())}" ' if self.quote else ""
        where = self.chunk or self.source
        return f"{quoted}{f'[{where}]' if where else ''} ({self.extractor} {self.confidence:.2g})".strip()


class TripleOut(Answer):
    """Subject, predicate, object by name, with evidence."""

    subject: str
    predicate: str
    object: str
    confidence: float
    subject_type: str = ""
    object_type: str = ""
    metadata: dict[str, Any] = {}
    extractor: str = ""
    evidence: list[EvidenceOut] = []
    valid_from: str = ""
    valid_to: str = ""
    recorded_at: str = ""
    retired_at: str = ""
    inferred_from: list[str] = []
    hop: Annotated[int | None, Field(description="In a neighbourhood: hops from the start.")] = None
    path: Annotated[str, Field(description="In a neighbourhood: the way from the start.")] = ""

    def in_words(self) -> str:
        """One line, and one of evidence."""
        subject = f"{self.subject} ({self.subject_type})" if self.subject_type else self.subject
        object_ = f"{self.object} ({self.object_type})" if self.object_type else self.object
        span = f", valid {self.valid_from or '…'} to {self.valid_to or '…'}" if self.valid_from or self.valid_to else ""
        how = "inferred, " if self.inferred_from else ""
        line = f"{subject} -[{self.predicate}]-> {object_} ({how}confidence {self.confidence:.2g}{span})"
        way = f"\n    via {self.path}" if self.hop and self.hop > 1 else ""
        follows = f"\n    from {'; '.join(self.inferred_from)}" if self.inferred_from else ""
        return f"{line}{way}{follows}" + "".join(f"\n    {each.in_words()}" for each in self.evidence[:1])


class TriplesAnswer(Listing):
    """Triples, the stored ones oldest first, then the inferred ones."""

    triples: list[TripleOut]
    next_cursor: Annotated[str, Field(description="Pass it as cursor for more; absent at the end.")] = ""

    def in_words(self) -> str:
        """A line a triple."""
        listed = "\n".join(triple.in_words() for triple in self.triples)
        more = f"\nnext_cursor: {self.next_cursor}" if self.next_cursor else ""
        return (listed + self.footer() + more).strip()


class NeighbourhoodAnswer(Listing):
    """Triples around an entity, nearest first."""

    entity: Annotated[str, Field(description="The entity that the name was matched to.")]
    matched: Annotated[str, Field(description="How: exact, alias, fuzzy or embedding.")]
    total: Annotated[int, Field(description="How many triples fit, shown or not; a lower bound where truncated.")]
    triples: list[TripleOut]

    def in_words(self) -> str:
        """The start, then hop by hop."""
        lines = [f"{self.entity} ({self.matched} match): {len(self.triples)} of {self.total} triples"]
        for hop in sorted({triple.hop or 0 for triple in self.triples}):
            lines.append(f"hop {hop}:")
            lines += [f"  {triple.in_words()}" for triple in self.triples if triple.hop == hop]
        return "\n".join(lines) + self.footer()


class EntityOut(Answer):
    """A thing the graph knows."""

    name: str
    type: str
    triples: Annotated[int, Field(description="How many triples name it.")]
    score: Annotated[float, Field(description="2 for an equal name; less the less alike.")]
    matched: str
    inferred_types: Annotated[list[str], Field(description="What it is too, by the ontology.")] = []
    aliases: list[str] = []
    description: str = ""
    properties: dict[str, Any] = {}
    mentions: int = 0

    def in_words(self) -> str:
        """One line."""
        known = f", also {', '.join(self.aliases)}" if self.aliases else ""
        counts = f"{self.triples} triples, {self.mentions} mentions"
        said = f"\n    {self.description}" if self.description else ""
        kinds = f", inferred: {', '.join(self.inferred_types)}" if self.inferred_types else ""
        shown = f"{counts}{kinds}{properties_text(self.properties)}{said}"
        return f"{self.name} ({self.type or 'untyped'}{known}): {shown}"


def properties_text(properties: Mapping[str, Any]) -> str:
    """Properties in brackets, "" for none."""
    return f" [{', '.join(f'{key}={value}' for key, value in properties.items())}]" if properties else ""


class EntitiesAnswer(Listing):
    """Entities, best match first."""

    entities: list[EntityOut]

    def in_words(self) -> str:
        """A line an entity."""
        return ("\n".join(entity.in_words() for entity in self.entities) + self.footer()).strip()


class SourceAnswer(Listing):
    """The text behind a citation."""

    citation: str
    document: DocumentOut
    text: str
    span: Annotated[list[int], Field(description="Start and end in the document's text, in characters.")]
    headings: list[str] = []

    def in_words(self) -> str:
        """The text under its document."""
        where = " > ".join([self.document.title, *self.headings])
        return f"### {where} <{self.document.uri}>\n{self.text}{self.footer()}"


class SkippedOut(BaseModel):
    """Something that was not ingested."""

    what: str
    reason: str


class IngestAnswer(Answer):
    """What became of an ingest, so far or in the end."""

    job: Annotated[int, Field(description="Pass it to get_job.")]
    state: Annotated[str, Field(description="running, done, failed or interrupted.")]
    documents: Annotated[int, Field(description="Documents added or updated.")]
    chunks: int
    entities: Annotated[int, Field(description="Entities that are new.")]
    triples: Annotated[int, Field(description="Triples that are new.")]
    added: int = 0
    updated: int = 0
    unchanged: int = 0
    done: int = 0
    total: int = 0
    skipped: list[SkippedOut] = []
    skipped_by_reason: dict[str, int] = {}
    dropped: Annotated[dict[str, int], Field(description="Candidates the extractors left out, by reason.")] = {}
    conflicts: Annotated[list[str], Field(description="The first contradictions that were found; see review.")] = []
    conflicts_found: Annotated[int | None, Field(description="How many there are, if any.")] = None
    warnings: list[str] = []
    error: str = ""
    hint: str = ""

    def in_words(self) -> str:
        """The counts in a sentence, then what was left out."""
        lines = [
            f"Job {self.job} {self.state}.",
            f"Documents: {self.added} added, {self.updated} updated, {self.unchanged} unchanged.",
            f"New: {self.chunks} chunks, {self.entities} entities, {self.triples} triples.",
        ]
        lines += [f"Skipped {count}: {reason}" for reason, count in self.skipped_by_reason.items()]
        lines += [f"  {each.what}: {each.reason}" for each in self.skipped]
        lines += [f"Dropped {count}: {reason}" for reason, count in self.dropped.items()]
        lines += contradictions(self.conflicts_found, self.conflicts)
        return "\n".join([*lines, *self.warnings, *(line for line in (self.error, self.hint) if line)])


class AddTriplesAnswer(Answer):
    """What became of asserted triples."""

    added: Annotated[int, Field(description="Triples that are new.")]
    known: Annotated[int, Field(description="Triples that were stored already; new evidence was kept.")]
    entities_added: int
    triples: list[TripleOut]
    conflicts: Annotated[list[str], Field(description="The first contradictions that were found; see review.")] = []
    conflicts_found: Annotated[int | None, Field(description="How many there are, if any.")] = None
    superseded: Annotated[int | None, Field(description="With supersede: how many triples they have ended.")] = None
    truncated: bool = False
    hint: str = ""

    def in_words(self) -> str:
        """The counts, then a line a triple."""
        head = f"{self.added} triples added, {self.known} known already, {self.entities_added} new entities."
        lines = [head, *(triple.in_words() for triple in self.triples)]
        lines += [f"superseded: {self.superseded}"] if self.superseded else []
        lines += contradictions(self.conflicts_found, self.conflicts)
        return "\n".join([*lines, *([self.hint] if self.hint else [])])


def contradictions(found: int | None, named: Sequence[str]) -> list[str]:
    """How many conflicts were found, and the first of them, a line each."""
    return [f"conflicts_found: {found}", *(f"  {each}" for each in named)] if found else []


class GraphAnswer(Listing):
    """What the graph holds."""

    documents: int
    chunks: int
    entities: int
    triples: int
    types: Annotated[dict[str, int], Field(description="Entities by type; untyped ones under (untyped).")]
    predicates: Annotated[dict[str, int], Field(description="Triples by predicate.")]
    extractors: Annotated[dict[str, int], Field(description="Evidence by extractor.")] = {}
    embedder: str
    ontologies: Annotated[list[str], Field(description="Those in force.")] = []
    recent_documents: list[DocumentOut] = []
    chunks_awaiting_embedding: int = 0
    chunks_awaiting_extraction: int = 0
    toolsets: list[str] = []

    def in_words(self) -> str:
        """A line for each count."""
        lines = [
            f"{self.documents} documents, {self.chunks} chunks, {self.entities} entities, {self.triples} triples",
            f"embedder: {self.embedder}",
            f"ontologies: {', '.join(self.ontologies)}",
            "types: " + (", ".join(f"{name} {count}" for name, count in self.types.items()) or "none"),
            "predicates: " + (", ".join(f"{name} {count}" for name, count in self.predicates.items()) or "none"),
            "extractors: " + (", ".join(f"{name} {count}" for name, count in self.extractors.items()) or "none"),
            f"waiting for embedding: {self.chunks_awaiting_embedding} chunks",
            f"waiting for extraction: {self.chunks_awaiting_extraction} chunks",
            *(f"document: {document.in_words()}" for document in self.recent_documents),
        ]
        return "\n".join(lines) + self.footer()
