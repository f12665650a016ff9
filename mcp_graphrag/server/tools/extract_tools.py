"""Extraction by the model that calls: chunks handed out with the vocabulary, findings taken back; and rebuilding."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, WithJsonSchema

from mcp_graphrag.chunk_edges.add_edges import EdgeInput
from mcp_graphrag.clean_input import parse_time
from mcp_graphrag.edit.findings_lines import EntityFound, Findings, read_lines
from mcp_graphrag.errors import BadInput
from mcp_graphrag.jobs.lease_chunks import Leased, Wanted
from mcp_graphrag.model import Candidate, StoredChunk
from mcp_graphrag.ontology.map_predicates import denial_of
from mcp_graphrag.search.quoting import one_line, quote_lines
from mcp_graphrag.server.budget import OVERHEAD, cost, pairs_within, within_budget
from mcp_graphrag.server.context import Call
from mcp_graphrag.server.declaration import ARGUMENT, OVER_MCP, Tool
from mcp_graphrag.server.reading_guide import reading_guide
from mcp_graphrag.server.records import Answer, Clipped, Listing, Moment, counted, typed
from mcp_graphrag.server.tools.arguments import Record, Strings
from mcp_graphrag.server.tools.edge_tools import EdgeIn
from mcp_graphrag.server.tools.ingest_tools import IngestAnswer, answer_of_job, check_consent, dry_run_answer
from mcp_graphrag.server.tools.triple_tools import CONFLICTS, found_conflicts

MAX_CHUNKS = 50
MAX_FINDINGS = 200  # chunks of one call as records
MAX_TEXT = 200_000  # characters of findings as lines
MAX_READERS = 5  # that are named


class ChunkToRead(Answer):
    """A chunk to read, with its number."""

    chunk: int
    headings: str = ""
    text: str

    def __str__(self) -> str:
        head = f" {one_line(self.headings)}" if self.headings else ""
        return f"chunk {self.chunk}{head}\n{quote_lines(self.text.strip())}"


class DocumentToRead(Answer):
    """A document with the chunks of it that are to be read."""

    title: str
    uri: str
    chunks: list[ChunkToRead]

    def __str__(self) -> str:
        return "\n".join([f"# {one_line(self.title)} <{one_line(self.uri)}>", *map(str, self.chunks)])


class ChunksAnswer(Listing):
    """Chunks that are the caller's to read until `until`; `awaiting` counts the others that no agent has read."""

    guide: str = ""
    known_names: Annotated[list[str], Field(description="#number name (type).")] = []
    documents: list[DocumentToRead]
    until: Moment = ""
    awaiting: int

    def _lines(self) -> list[str]:
        lines = [self.guide] if self.guide else []
        lines += [f"known names: {'; '.join(self.known_names)}"] if self.known_names else []
        count = sum(len(each.chunks) for each in self.documents)
        until = f" until {self.until}" if self.until else ""
        return [*lines, *map(str, self.documents), f"{counted(count, 'chunk')}{until}; {self.awaiting} others await."]


def get_chunks_to_extract(
    call: Call,
    limit: Annotated[int, Field(description="Maximum chunks.", ge=1, le=MAX_CHUNKS)] = 20,
    documents: Annotated[Strings, Field(description="Only of these uris or titles."), ARGUMENT] = [],
    naming: Annotated[str, Field(description="Only chunks that say this name.")] = "",
    guide: Annotated[bool, Field(description="With the guide and the vocabulary.")] = False,
    release: Annotated[Strings, Field(description="Readers that are gone: take their chunks.")] = [],
) -> ChunksAnswer:
    """Take the next chunks to read for triples, numbered, with the names that are known.

    They are yours for some minutes: no other client gets them. Ask for the `guide` once, the first time; give all
    chunks back to `store_extraction`, and take the next ones until none awaits.
    """
    _check_released(call, release)
    told = reading_guide(call.graph.vocabulary(), call.app.names, call.tokens // 2) if guide else ""
    left = call.tokens - OVERHEAD - call.tokens // 10 - cost(told)  # a tenth for the known names
    headed: set[str] = set()

    def fits(chunk: StoredChunk) -> bool:
        nonlocal left
        document = chunk.document
        left -= cost(_chunk_out(chunk)) + (0 if document.uri in headed else cost([document.title, document.uri]))
        headed.add(document.uri)
        return left >= 0

    wanted = Wanted(documents, naming, release, limit)
    found = call.graph.lease_chunks(fits, wanted, origin=call.origin("get_chunks_to_extract"))
    names = {f"#{each.id} {typed(each.name, each.type)}": "" for each in found.known}
    known, _ = pairs_within(names, call.tokens // 10)
    notes = {
        f"{len(found.chunks)} of {limit} chunks: more do not fit into one answer.": left < 0,
        f"{len(names) - len(known)} more known names: `find_entities` finds them.": len(known) < len(names),
    }
    return ChunksAnswer.of(
        found,
        guide=told if found.chunks else "",
        known_names=list(known),
        documents=_by_document(found.chunks),
        until=found.until if found.chunks else "",
        truncated=found.awaiting > 0,
        hint=_next(found, call.client),
        notes=[note for note, applies in notes.items() if applies and found.chunks],
    )


def _check_released(call: Call, readers: Sequence[str]) -> None:
    """Raise BadInput for a reader that is connected to this process."""
    connected = call.app.ownership.readers if call.app.ownership else ()
    for reader in readers:
        if reader != call.client and reader.rpartition("/")[2] in connected:
            raise BadInput(f"The reader '{reader}' is still connected.", "Its chunks are free when its lease ends.")


def _by_document(chunks: Sequence[StoredChunk]) -> list[DocumentToRead]:
    grouped = {chunk.document.id: chunk.document for chunk in chunks}
    return [
        DocumentToRead.of(document, chunks=[_chunk_out(each) for each in chunks if each.document.id == document_id])
        for document_id, document in grouped.items()
    ]


def _chunk_out(chunk: StoredChunk) -> ChunkToRead:
    text = f"{chunk.context}\n{chunk.text}" if chunk.context else chunk.text
    said = f"{chunk.document.title}\n{text}"
    headings = " > ".join(each for each in dict.fromkeys(chunk.headings) if each not in said)
    return ChunkToRead(chunk=chunk.id, headings=headings, text=text)


def _next(found: Leased, client: str) -> str:
    if found.chunks:
        return "Give all of them to `store_extraction`." if found.awaiting else "These are the last ones."
    if found.awaiting:
        held = ", ".join(
            f"{'you have' if each.reader == client else f'{each.reader} has'} {each.chunks} until {each.until:%H:%M:%S}"
            for each in found.leases[:MAX_READERS]
        )
        return f"All that awaits is handed out: {held} UTC. If a reader is gone, its name as release frees its chunks."
    return "No chunk awaits extraction. See `review` for conflicts and names that may be one."


# Most findings come as lines: the schemas of records would cost every client 350 tokens.
LOOSE = WithJsonSchema({"type": "array", "items": {"type": "object"}, "maxItems": MAX_FINDINGS})
RECORDS = (
    "Or as records: citation, entities (name, type, text), triples (subject, predicate, object, quote, negated,"
    " valid_from, valid_to)."
)
EDGES = "How chunks relate: source, target, relation, description, weight, as in `add_edges`."


def _as_text(value: Any) -> Any:
    """A number as text, so that callers may give either."""
    return str(value) if isinstance(value, int) else value


class EntityFoundIn(Record):
    """An entity that the chunk names."""

    name: str
    type: str = ""
    text: Annotated[str, Field(description="The chunk's words for it.")] = ""


class TripleFoundIn(Record):
    """A triple that the chunk states."""

    subject: str
    predicate: str
    object: str
    quote: str
    confidence: float = 1.0
    negated: bool = False
    valid_from: Annotated[str | None, Field(description="ISO date.")] = None
    valid_to: Annotated[str | None, Field(description="ISO date.")] = None


class FindingsIn(Record):
    """What a chunk says; empty lists where it states nothing."""

    citation: Annotated[str, BeforeValidator(_as_text), Field(description="The chunk's number or citation.")]
    entities: list[EntityFoundIn] = []
    triples: list[TripleFoundIn] = []


class DroppedOut(Answer):
    """An item that was not stored."""

    citation: str = ""
    item: Clipped
    reason: str
    hint: str = ""
    mended: Annotated[str, Field(description="The line to give instead.")] = ""

    def __str__(self) -> str:
        where = f"chunk {self.citation} " if self.citation.isdecimal() else f"{self.citation} " if self.citation else ""
        mend = f"Mended: {self.mended}" if self.mended else self.hint
        return f"dropped: {where}{self.item}: {self.reason}. {mend}".rstrip()


class StoredAnswer(Listing):
    """What was stored of the findings, and each item that was not, with the reason."""

    chunks: Annotated[int, Field(description="Read now.")]
    entities_added: int
    triples: Annotated[int, Field(description="Stored, known ones included.")]
    triples_added: int
    edges_added: int = 0
    dropped_by_reason: dict[str, int] = {}
    dropped: list[DroppedOut] = []
    conflicts: list[Clipped] = []
    conflicts_found: int | None = None

    def _lines(self) -> list[str]:
        new = f"{counted(self.entities_added, 'new entity')}, {self.triples_added} new of {self.triples} triples"
        lines = [f"{counted(self.chunks, 'chunk')} read: {new}, {self.edges_added} edges added."]
        lines += [f"Dropped {count}: {reason}" for reason, count in self.dropped_by_reason.items() if self.truncated]
        lines += [str(each) for each in self.dropped]
        lines += [found_conflicts(self.conflicts_found, self.conflicts)] if self.conflicts_found else []
        return [*lines, *(f"  {each}" for each in self.conflicts)]


def store_extraction(
    call: Call,
    findings: Annotated[str, Field(description="Lines of triples, as the guide says.", max_length=MAX_TEXT)] = "",
    chunks: Annotated[list[FindingsIn], Field(max_length=MAX_FINDINGS, description=RECORDS), LOOSE] = [],
    edges: Annotated[list[EdgeIn], Field(max_length=MAX_FINDINGS, description=EDGES), LOOSE] = [],
) -> StoredAnswer:
    """Store what you read in the chunks of `get_chunks_to_extract`.

    A line each: `chunk 12`, then triples as subject | type | predicate | object | type | quote | from..to; `nothing
    13-15` for chunks that state nothing. #7 is a known name, an empty subject or quote that of the line above, "not "
    before a predicate denies, "…" in a quote skips words. What is dropped comes back with the reason, and mended where
    that is known: give that again under its chunk.
    """
    lines, malformed = read_lines(findings)
    if not (lines or malformed or chunks or edges):
        raise BadInput("There is nothing to store.", "Give findings as lines, or chunks as records.")
    found = call.graph.store_findings(
        [*lines, *map(_findings, chunks)],
        [EdgeInput(**dict(each)) for each in edges],
        origin=call.origin("store_extraction"),
    )
    found.dropped[:0] = malformed
    if found.entities:
        call.app.background.embed_soon(call.graph)
    listed, cut = within_budget(map(DroppedOut.of, found.dropped), call.tokens // 2)
    fewer = f"Of {len(found.dropped)} dropped items {len(listed)} are listed." if cut else ""
    return StoredAnswer.of(
        found,
        entities_added=found.entities,
        triples=found.triples_stated,
        triples_added=found.triples,
        edges_added=found.edges,
        dropped_by_reason=Counter(each.reason for each in found.dropped),
        dropped=listed,
        conflicts_found=found.conflicts_found or None,
        truncated=cut,
        notes=[fewer] if fewer else [],
        hint=_after(found.conflicts_found, dropped=bool(found.dropped)),
    )


def _after(conflicts: int, *, dropped: bool) -> str:
    hints = ["Send what was dropped again, mended, under its chunk."] if dropped else []
    return " ".join([*hints, *([CONFLICTS] if conflicts else [])])


def _findings(given: FindingsIn) -> Findings:
    entities = [EntityFound(each.name, each.type, each.text) for each in given.entities]
    return Findings(given.citation, entities, [_candidate(each) for each in given.triples])


def _candidate(given: TripleFoundIn) -> Candidate:
    item = f"{given.subject} {given.predicate} {given.object}"

    def time(value: str | None, what: str) -> datetime | None:
        return parse_time(value, f"{what} of {item}") if value else None

    return Candidate(
        given.subject,
        denial_of(given.predicate) if given.negated else given.predicate,
        given.object,
        confidence=given.confidence,
        quote=given.quote,
        valid_from=time(given.valid_from, "valid_from"),
        valid_to=time(given.valid_to, "valid_to"),
    )


def rebuild(
    call: Call,
    documents: Annotated[Strings, Field(description="Uris or titles."), ARGUMENT] = [],
    extract: Annotated[Strings, Field(description="auto, none, or names of extractors.")] = ["auto"],
    consent: Annotated[bool, Field(description="The user agrees to pay Claude."), OVER_MCP] = False,
    dry_run: Annotated[bool, Field(description="Only estimate.")] = False,
) -> IngestAnswer:
    """Extract anew from the stored chunks, with the extractors and ontologies of now.

    What extractors found is replaced; what callers and agents stored or decided stays. Long work becomes a job: then
    call `get_job`. `forget` with undo 1 takes it back.
    """
    check_consent(extract, given=consent or dry_run, tool=REBUILD.name)
    work = call.graph.rebuild_work(extract, documents)
    if dry_run:
        return dry_run_answer(call.graph.plan_rebuild(work), call.tokens)
    return answer_of_job(call, call.app.background.submit(call.graph, work, call.origin("rebuild"), call.stopped))


GET_CHUNKS_TO_EXTRACT = Tool(
    get_chunks_to_extract, "Get chunks to extract", "get-chunks", reads=False, repeats=False,
    settings=("ontology", "extraction_lease"),
)  # fmt: skip
STORE_EXTRACTION = Tool(
    store_extraction, "Store an extraction", "store-extraction", reads=False, settings=("ontology", "strict")
)
REBUILD = Tool(rebuild, "Extract anew", "rebuild", "admin", reads=False, long=True, settings=("ontology", "strict"))
