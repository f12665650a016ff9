"""What a client found in chunks, stored as what extractors find is: checked, resolved, with its conflicts."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import NamedTuple

import numpy as np

from mcp_graphrag.chunk_edges.add_edges import EdgeInput, check_edges
from mcp_graphrag.edit.check_findings import Around, CheckedFindings, check_findings
from mcp_graphrag.edit.findings_lines import NUMBERED, Dropped, Findings, triple_in_words
from mcp_graphrag.errors import BadInput
from mcp_graphrag.index.normalize import normal_form
from mcp_graphrag.jobs.ingest_report import IngestReport
from mcp_graphrag.jobs.store_extractions import ONE_ENTITY, VIOLATES, Extracted, Placed, TextToRead, store_normalized
from mcp_graphrag.model import Candidate, Chunk, Document, Entity, StoredChunk, StoredDocument
from mcp_graphrag.resolve.name_rules import Named
from mcp_graphrag.resolve.resolve_entities import AGENT
from mcp_graphrag.snapshot import Write
from mcp_graphrag.store import Reader
from mcp_graphrag.store.rows.chunk_edge_rows import add_chunk_edges
from mcp_graphrag.store.rows.citations import resolve_citation
from mcp_graphrag.store.rows.document_rows import chunks_by_id
from mcp_graphrag.store.rows.entity_rows import entities_by_id, match_norms
from mcp_graphrag.store.rows.extraction_rows import drop_repeated_mentions, end_leases

HINTS = {VIOLATES: "Correct the types, or use another predicate.", ONE_ENTITY: "It is found by either name."}


REPLACED = "The document was replaced or removed since.", "Take the chunks that await extraction now."


class ReadByAgent(NamedTuple):
    """The method by which a client reads."""

    name: str = AGENT
    version: str = "1"


@dataclass
class StoredFindings:
    """What became of findings: chunks read, entities and triples that are new, triples stored in all, edges added."""

    chunks: int = 0
    entities: int = 0
    triples: int = 0
    triples_stated: int = 0
    edges: int = 0
    dropped: list[Dropped] = field(default_factory=list[Dropped])
    conflicts: list[str] = field(default_factory=list[str])
    conflicts_found: int = 0


def store_findings(
    write: Write, given: Sequence[Findings], edges: Sequence[EdgeInput], *, strict: bool
) -> StoredFindings:
    """Store the items that their chunks bear out; the others are answered with the reason.

    A chunk counts as read then, even if nothing of it was stored. What is stored already is stored once: the same
    findings again add nothing.
    """
    tx = write.tx
    found = StoredFindings()
    numbered, known = _numbered(tx, given), _known(tx, given)
    texts: dict[int, str] = {}
    checked: dict[int, tuple[StoredChunk, CheckedFindings]] = {}
    for findings in given:
        try:
            chunk = _chunk(tx, findings.citation)
        except BadInput as error:
            found.dropped.append(Dropped(findings.citation, "the whole chunk", error.fact, error.hint))
            continue
        if chunk.id in checked:
            repeated = "A chunk is given once: put all that was found in it together."
            found.dropped.append(Dropped(findings.citation, "the second of this chunk", "chunk given twice", repeated))
            continue
        around = Around(partial(_text_of, tx, chunk.document, texts), known, numbered)
        checked[chunk.id] = chunk, check_findings(chunk, findings, write.ontology, around, strict=strict)
    if checked:
        _store(write, list(checked.values()), found, strict=strict)
    valid, refused = check_edges(tx, edges)
    found.edges = add_chunk_edges(tx, valid)
    found.dropped += [Dropped("", f"{edge.source} {edge.relation} {edge.target}", *why) for edge, why in refused]
    return found


def _store(
    write: Write, checked: Sequence[tuple[StoredChunk, CheckedFindings]], found: StoredFindings, *, strict: bool
) -> None:
    tx, report = write.tx, IngestReport()
    by_document: dict[int, list[tuple[StoredChunk, CheckedFindings]]] = {}
    for chunk, each in checked:
        found.dropped += each.dropped
        by_document.setdefault(chunk.document.id, []).append((chunk, each))
    _join_types(write, [each for _, each in checked])
    placed = [_placed(each) for each in by_document.values()]
    refused = {
        id(triple): reason for triple, reason in store_normalized(write, placed, ReadByAgent(), report, strict=strict)
    }
    chunk_ids = [chunk.id for chunk, _ in checked]
    drop_repeated_mentions(tx, chunk_ids, AGENT)
    end_leases(tx, chunk_ids)
    for _, each in checked:
        found.triples_stated += len(each.extraction.triples)
        found.dropped += [
            Dropped(each.citation, triple_in_words(triple), refused[id(triple)], HINTS[refused[id(triple)]])
            for triple in each.extraction.triples
            if id(triple) in refused
        ]
    found.triples_stated -= len(refused)
    found.chunks = len(checked)
    found.entities, found.triples = report.counts.entities, report.counts.triples
    found.conflicts, found.conflicts_found = report.conflicts_named, report.conflicts


def _join_types(write: Write, checked: Sequence[CheckedFindings]) -> None:
    """Give a name the type that it has already, where one of the two types is the other's supertype.

    Clients differ in how narrow a type they give: a Service here is a Microservice there, and no other thing.
    """
    ontology = write.ontology
    names = [(mention.name, mention.type) for each in checked for mention in each.extraction.mentions]
    names += [named for each in checked for triple in each.extraction.triples for named in _ends(triple)]
    known: dict[str, list[str]] = {}
    for match in match_norms(write.tx, list({normal_form(name) for name, _ in names})):
        if not match.by_alias and match.type:
            known.setdefault(match.norm, []).append(match.type)

    def joined(name: str, type_: str | None) -> str | None:
        if type_ is None:
            return None
        types = known.setdefault(normal_form(name), [])
        near = (one for one in types if ontology.is_a(type_, one) or ontology.is_a(one, type_))
        found = next(near, None)
        if found is None:
            types.append(type_)
        return found or type_

    for each in checked:
        mentions = [replace(one, type=joined(one.name, one.type)) for one in each.extraction.mentions]
        triples = [
            replace(
                one,
                subject_type=joined(one.subject, one.subject_type),
                object_type=joined(one.object, one.object_type),
            )
            for one in each.extraction.triples
        ]
        each.extraction = replace(each.extraction, mentions=mentions, triples=triples)


def _ends(triple: Candidate) -> tuple[Named, Named]:
    return (triple.subject, triple.subject_type), (triple.object, triple.object_type)


def _placed(found: Sequence[tuple[StoredChunk, CheckedFindings]]) -> Placed:
    """What was found in the chunks of one document."""
    stored = found[0][0].document
    document = Document(stored.uri, stored.title, "", stored.media_type, stored.source, stored.metadata)
    chunks = [Chunk(each.ordinal, each.start, each.end, each.text, each.headings) for each, _ in found]
    ids = np.array([chunk.id for chunk, _ in found], dtype=np.int64)
    return Placed(stored.id, ids, Extracted(TextToRead(document, chunks), [each.extraction for _, each in found]))


def _numbered(tx: Reader, given: Iterable[Findings]) -> dict[str, Entity]:
    """The entities that the triples give by number, by that."""
    ends = (end.strip() for each in given for triple in each.triples for end in (triple.subject, triple.object))
    numbers = {end: int(end[1:]) for end in ends if NUMBERED.fullmatch(end)}
    entities = entities_by_id(tx, set(numbers.values()))
    return {end: entities[number] for end, number in numbers.items() if number in entities}


def _known(tx: Reader, given: Iterable[Findings]) -> set[str]:
    """The normal forms of the ends of triples that are names of entities."""
    forms = {normal_form(end) for each in given for triple in each.triples for end in (triple.subject, triple.object)}
    return {match.norm for match in match_norms(tx, sorted(forms))}


def _text_of(tx: Reader, document: StoredDocument, known: dict[int, str]) -> str:
    """The text of a document, read once."""
    if document.id not in known:
        known[document.id] = resolve_citation(tx, document.uri).text
    return known[document.id]


def _chunk(tx: Reader, citation: str) -> StoredChunk:
    """The chunk with a citation or number.

    Raises BadInput for what is no chunk in force, UnknownName for what is not stored.
    """
    if citation.isdecimal():
        numbered = chunks_by_id(tx, [int(citation)]).get(int(citation))
        if numbered is None:
            raise BadInput("No chunk has this number.", "Give the number as `get_chunks_to_extract` gave it.")
        if numbered.document.retired_at is not None:
            raise BadInput(*REPLACED)
        return numbered
    cited = resolve_citation(tx, citation)
    if cited.document.retired_at is not None:
        raise BadInput(*REPLACED)
    found = next((each for each in cited.chunks if (each.start, each.end) == (cited.start, cited.end)), None)
    if found is None:
        raise BadInput(
            "The citation is not that of one chunk.", "Give the citation as `get_chunks_to_extract` gave it."
        )
    return found
