"""Extraction from documents, and what it stores: entities, mentions, aliases and triples, with their conflicts."""

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from mcp_graphrag.chunk_edges.store_edges import EdgeLimits, store_edges
from mcp_graphrag.edit.index_text import embed_entities
from mcp_graphrag.edit.normalize_candidates import drop_misquoted, drop_violations, normalize_predicates
from mcp_graphrag.english.values import read_value
from mcp_graphrag.errors import GraphragError, PartMissing, where_raised
from mcp_graphrag.extract import CodeExtractor, Extractor, IncompleteExtraction, Method, is_project_file
from mcp_graphrag.jobs.ingest_report import IngestReport
from mcp_graphrag.model import AliasFound, Candidate, Chunk, Counts, Document, Extraction, Ids, Skipped
from mcp_graphrag.ontology.past_tense import Statement, is_over
from mcp_graphrag.processor_time import TookTooLong, cpu_limit
from mcp_graphrag.resolve.detect_conflicts import reconcile_conflicts, record_contradictions
from mcp_graphrag.resolve.name_rules import Named
from mcp_graphrag.resolve.reconcile_names import reconcile_homonyms
from mcp_graphrag.resolve.resolve_entities import OF_HISTORY, Group, ResolvedNames, resolve_names
from mcp_graphrag.snapshot import Write
from mcp_graphrag.store import Writer
from mcp_graphrag.store.rows.citations import cite
from mcp_graphrag.store.rows.document_rows import text_hash, to_json
from mcp_graphrag.store.rows.entity_rows import entity_descriptions, update_entities
from mcp_graphrag.store.rows.extraction_rows import add_extractions
from mcp_graphrag.store.rows.mention_rows import NewMention, add_mentions
from mcp_graphrag.store.rows.triple_rows import TripleRows, add_predicates, add_triples
from mcp_graphrag.store.rows.value_rows import NewValue, add_values

log = logging.getLogger(__name__)

MAX_CONFLICTS_NAMED = 5
SECONDS_FOR = 100_000  # characters
OVER_SECONDS = "chunk of a document over document_seconds"
VIOLATES = "against the types of the stored entities"
ONE_ENTITY = "both ends are names of one entity"


@dataclass(frozen=True)
class TextToRead:
    """A document with its top-level chunks; `read_by` are the extractors that have read it."""

    document: Document
    chunks: Sequence[Chunk]
    read_by: frozenset[str] = frozenset()


class Extracted(NamedTuple):
    """What an extractor found in a document, one extraction for each of its chunks."""

    text: TextToRead
    extractions: Sequence[Extraction]


class Placed(NamedTuple):
    """What an extractor found in a stored document, with the ids of that and of its chunks."""

    document_id: int
    chunk_ids: Ids
    found: Extracted

    @property
    def document(self) -> Document:
        """The document."""
        return self.found.text.document

    @property
    def extractions(self) -> Sequence[Extraction]:
        """One extraction for each chunk."""
        return self.found.extractions

    def with_extractions(self, extractions: Sequence[Extraction]) -> "Placed":
        """The same with other extractions."""
        return self._replace(found=self.found._replace(extractions=extractions))

    def by_chunk(self) -> Iterable[tuple[Extraction, Chunk, int]]:
        """Each extraction with its chunk and the id of that."""
        return zip(self.extractions, self.found.text.chunks, self.chunk_ids.tolist(), strict=True)


class Refused(NamedTuple):
    """A triple that is not stored, and why."""

    triple: Candidate
    reason: str


def top_level(chunks: Iterable[tuple[int, Chunk]]) -> list[tuple[int, Chunk]]:
    """The chunks, with their numbers, to which mentions and triples belong; none to their children."""
    return [(number, chunk) for number, chunk in chunks if chunk.parent is None]


def to_read(chunks: Iterable[tuple[int, Chunk]]) -> list[Chunk]:
    """What extractors read of a document."""
    return [chunk for _, chunk in top_level(chunks)]


def extract(
    texts: Iterable[TextToRead], extractor: Extractor, report: IngestReport, *, seconds: float
) -> list[Extracted]:
    """What an extractor finds in the documents that it has not read; in data nothing, but in the files of a project.

    `seconds` of processor time, and as many for each SECONDS_FOR characters, are what a document may take. The report
    tells of documents that the extractor could not read, in whole or in part.
    """
    unread = [text for text in texts if extractor.name not in text.read_by]
    is_code, is_history = isinstance(extractor, CodeExtractor), extractor.name == OF_HISTORY
    skipped = [
        text
        for text in unread
        if text.document.is_data and not is_history and not (is_code and is_project_file(text.document))
    ]
    extracted = [Extracted(text, [Extraction()] * len(text.chunks)) for text in skipped]
    left_out = {id(text) for text in skipped}
    return extracted + _extract(extractor, [text for text in unread if id(text) not in left_out], report, seconds)


def _extract(
    extractor: Extractor, texts: Sequence[TextToRead], report: IngestReport, seconds: float
) -> list[Extracted]:
    """What the extractor finds in each document; those that it fails on are reported and left out."""
    try:
        with cpu_limit(sum(_seconds_for(text, seconds) for text in texts)):
            found = extractor.extract_all([(text.document, text.chunks) for text in texts])
        return _checked(extractor, texts, found)
    except IncompleteExtraction as error:
        _add_failed(extractor, ((texts[number], place, why) for number, place, why in error.unread), report)
        unread = sum(1 for each in error.found if each is None)
        report.warnings.append(f"{unread} documents are searchable, but {extractor.name} did not read them: {error}")
        report.ends_job = error.ends_job
        return _checked(extractor, texts, error.found)
    except PartMissing as error:
        report.warnings.append(f"{len(texts)} documents are searchable, but {extractor.name} failed: {error}")
        _add_failed(extractor, _chunks_of(texts, error.fact), report)
        return []
    except Exception as error:  # noqa: BLE001
        # What one document brings to light, a defect or slow rules, must not lose what the others say.
        if half := len(texts) // 2:
            return [
                *_extract(extractor, texts[:half], report, seconds),
                *_extract(extractor, texts[half:], report, seconds),
            ]
        if isinstance(error, TookTooLong):
            return _read_in_part(extractor, texts[0], report, seconds)
        uri = texts[0].document.uri
        log.error("%s failed on a document: %s", extractor.name, where_raised(error))  # noqa: TRY400
        fact = error if isinstance(error, GraphragError) else f"a defect ({type(error).__name__}), see the log."
        report.warnings.append(f"{uri} is searchable, but {extractor.name} failed on it: {fact}")
        _add_failed(extractor, _chunks_of(texts, str(fact)), report)
        return []


def _add_failed(extractor: Extractor, chunks: Iterable[tuple[TextToRead, int, str]], report: IngestReport) -> None:
    """Report chunks, each given by its document and place in it, that an extractor could not read, and why."""
    for text, place, why in chunks:
        chunk = text.chunks[place]
        citation = cite(text.document.uri, chunk.start, chunk.end, text_hash(chunk.text))
        report.failed.append(Skipped(citation, f"not read by {extractor.name}: {why}"))


def _chunks_of(texts: Iterable[TextToRead], why: str) -> Iterable[tuple[TextToRead, int, str]]:
    return ((text, place, why) for text in texts for place in range(len(text.chunks)))


def _seconds_for(text: TextToRead, seconds: float) -> float:
    return seconds * (1 + len(text.document.text) / SECONDS_FOR)


def _read_in_part(extractor: Extractor, text: TextToRead, report: IngestReport, seconds: float) -> list[Extracted]:
    """What the extractor finds in the first chunks of a document that takes too long; the others count as dropped.

    Half of the chunks get half of the time, of which again half are read where that is not enough.
    """
    first, inner = replace(text, chunks=text.chunks[: len(text.chunks) // 2]), IngestReport()
    found = _extract(extractor, [first], inner, seconds / 2) if first.chunks else [Extracted(first, ())]
    if not found:  # it fails on them
        report.warnings += inner.warnings
        report.failed += inner.failed
        report.ends_job = inner.ends_job
        return []
    read = found[0].extractions
    every = [*read, *[Extraction(dropped={OVER_SECONDS: 1})] * (len(text.chunks) - len(read))]
    count = sum(OVER_SECONDS not in one.dropped for one in every)
    report.warnings.append(
        f"{text.document.uri} is searchable, but {extractor.name} read only {count} of {len(every)} chunks:"
        f" it took more than {_seconds_for(text, seconds):,.1f} seconds of processor time."
        " Raise document_seconds to let it take more."
    )
    return [Extracted(text, every)]


def _checked(
    extractor: Extractor, texts: Sequence[TextToRead], found: Sequence[Sequence[Extraction] | None]
) -> list[Extracted]:
    return [
        Extracted(text, drop_misquoted(each, text.chunks, extractor))
        for text, each in zip(texts, found, strict=True)
        if each is not None
    ]


def store_extractions(
    write: Write,
    extracted: Sequence[Placed],
    extractor: Extractor,
    report: IngestReport,
    limits: EdgeLimits,
    *,
    strict: bool,
) -> None:
    """Store what an extractor found, chunk edges within the limits; the report counts it.

    With `strict`, without what violates the ontology.
    """
    if not extracted:
        return
    is_history = extractor.name == OF_HISTORY  # no wording of a text that an ontology might map or refuse
    normalized = [
        each.with_extractions(
            each.extractions
            if is_history
            else [normalize_predicates(one, write.ontology, strict=strict) for one in each.extractions]
        )
        for each in extracted
    ]
    store_normalized(write, normalized, extractor, report, strict=strict and not is_history)
    edges = [
        replace(edge, source=int(placed.chunk_ids[edge.source]), target=int(placed.chunk_ids[edge.target]))
        for placed in extracted
        for extraction in placed.extractions
        for edge in extraction.edges
    ]
    store_edges(write.tx, edges, limits)


def store_normalized(
    write: Write, extracted: Sequence[Placed], extractor: Method, report: IngestReport, *, strict: bool
) -> list[Refused]:
    """Store what was found, in the vocabulary of the ontology; the report counts it.

    Answers the triples that are not stored: those between two names of one entity, and with `strict` those that violate
    the types of the stored entities.
    """
    tx, ontology = write.tx, write.ontology
    groups = [Group(_names(each.extractions), each.document_id, _aliases(each.extractions)) for each in extracted]
    resolved = resolve_names(tx, groups, extractor.name)
    refused: list[Refused] = []
    if strict:
        fitting = [
            each.with_extractions(drop_violations(tx, each.extractions, ids, ontology))
            for each, ids in zip(extracted, resolved.ids, strict=True)
        ]
        refused += _refused(extracted, fitting, VIOLATES)
        extracted = fitting
    parted = [_without_loops(each, ids) for each, ids in zip(extracted, resolved.ids, strict=True)]
    refused += _refused(extracted, parted, ONE_ENTITY)
    extracted = parted
    rows = _triple_rows(tx, extracted, resolved)
    placed = add_triples(tx, rows, extractor.name)
    add_mentions(tx, _mention_rows(extracted, resolved), extractor.name)
    values = add_values(tx, _value_rows(tx, extracted, resolved), extractor.name)
    if reconcile_homonyms(tx, {entity_id for ids in resolved.ids for entity_id in ids.values()}):
        contradictions = reconcile_conflicts(tx, ontology)
    else:
        contradictions = record_contradictions(tx, ontology, rows, placed)
    found = [extraction for document in extracted for extraction in document.extractions]
    chunk_ids = np.concatenate([document.chunk_ids for document in extracted])
    counted = [(len(extraction.triples), to_json(extraction.dropped)) for extraction in found]
    add_extractions(tx, (extractor.name, extractor.version), chunk_ids, counted)
    _describe(tx, extracted, resolved)
    embed_entities(tx, write.embedders.static, resolved.fresh)
    for each in extracted:
        for extraction in each.extractions:
            report.dropped.update(extraction.dropped)
            report.add_tables(each.document, extraction.tables)
    new_triples = len(set(placed.triple_ids[placed.is_new].tolist()))
    report.known += len(set(placed.triple_ids[~placed.is_new].tolist()))
    report.counts += Counts(entities=len(resolved.fresh), triples=new_triples, values=values)
    report.conflicts += contradictions.count
    report.conflicts_named += contradictions.examples[: MAX_CONFLICTS_NAMED - len(report.conflicts_named)]
    return refused


def _without_loops(placed: Placed, ids: Mapping[Named, int]) -> Placed:
    """What was found, without triples whose ends turned out to be one entity."""
    kept = [
        [triple for triple in each.triples if ids[_subject(triple)] != ids[_object(triple)]]
        for each in placed.extractions
    ]
    pairs = zip(placed.extractions, kept, strict=True)
    return placed.with_extractions(
        [each if len(triples) == len(each.triples) else replace(each, triples=triples) for each, triples in pairs]
    )


def _refused(before: Iterable[Placed], after: Iterable[Placed], reason: str) -> list[Refused]:
    """The triples of `before` that are not in `after`."""
    kept = {id(triple) for each in after for extraction in each.extractions for triple in extraction.triples}
    triples = (triple for each in before for extraction in each.extractions for triple in extraction.triples)
    return [Refused(triple, reason) for triple in triples if id(triple) not in kept]


def _describe(tx: Writer, extracted: Sequence[Placed], resolved: ResolvedNames) -> None:
    """Store the descriptions that were found, where an entity has none."""
    found: dict[int, str] = {}
    for document, ids in zip(extracted, resolved.ids, strict=True):
        for extraction in document.extractions:
            for mention in extraction.mentions:
                if mention.name in extraction.descriptions:
                    found.setdefault(ids[mention.name, mention.type], extraction.descriptions[mention.name])
    stored = entity_descriptions(tx, found) if found else {}
    lacking = [(entity_id, {"description": text}) for entity_id, text in found.items() if not stored[entity_id][1]]
    if lacking:
        update_entities(tx, lacking)


def _names(extractions: Iterable[Extraction]) -> list[Named]:
    names: list[Named] = []
    for extraction in extractions:
        names += [(mention.name, mention.type) for mention in extraction.mentions]
        for triple in extraction.triples:
            names += [_subject(triple), _object(triple)]
        names += dict.fromkeys((value.subject, value.subject_type) for value in extraction.values)
    return names


def _aliases(extractions: Sequence[Extraction]) -> list[AliasFound]:
    """The aliases, for the types that the names have elsewhere in the document."""
    aliases = [alias for extraction in extractions for alias in extraction.aliases]
    types = dict(_names(extractions)) if aliases else {}
    return [replace(alias, type=types.get(alias.name, alias.type)) for alias in aliases]


def _triple_rows(tx: Writer, extracted: Sequence[Placed], resolved: ResolvedNames) -> TripleRows:
    found = [
        (triple, chunk.start, chunk_id, ids, renamed)
        for document, ids, renamed in zip(extracted, resolved.ids, resolved.renamed, strict=True)
        for extraction, chunk, chunk_id in document.by_chunk()
        for triple in extraction.triples
    ]
    triples = [triple for triple, *_ in found]
    predicates = add_predicates(tx, (triple.predicate for triple in triples))
    return TripleRows(
        [ids[_subject(triple)] for triple, _, _, ids, *_ in found],
        [predicates[triple.predicate] for triple in triples],
        [ids[_object(triple)] for triple, _, _, ids, *_ in found],
        [triple.confidence for triple in triples],
        [triple.quote for triple in triples],
        [chunk_id for _, _, chunk_id, *_ in found],
        [None if triple.start is None else start + triple.start for triple, start, *_ in found],
        [None if triple.end is None else start + triple.end for triple, start, *_ in found],
        [triple.surface for triple in triples],
        [triple.source for triple in triples],
        [triple.valid_from for triple in triples],
        [triple.valid_to for triple in triples],
        [to_json(triple.metadata) if triple.metadata else None for triple in triples],
        [triple.subject if _subject(triple) in renamed else None for triple, _, _, _, renamed in found],
        [triple.object if _object(triple) in renamed else None for triple, _, _, _, renamed in found],
        [triple.is_over or is_over(Statement.of(triple, triple.predicate, triple.surface)) for triple in triples],
    )


def _subject(triple: Candidate) -> Named:
    return triple.subject, triple.subject_type


def _object(triple: Candidate) -> Named:
    return triple.object, triple.object_type


def _mention_rows(extracted: Sequence[Placed], resolved: ResolvedNames) -> list[NewMention]:
    return [
        NewMention(
            chunk_id,
            ids[mention.name, mention.type],
            chunk.start + mention.start,
            chunk.start + mention.end,
            mention.name,
            mention.type,
        )
        for document, ids in zip(extracted, resolved.ids, strict=True)
        for extraction, chunk, chunk_id in document.by_chunk()
        for mention in extraction.mentions
    ]


def _value_rows(tx: Writer, extracted: Sequence[Placed], resolved: ResolvedNames) -> Iterator[NewValue]:
    """The values one by one: a table has millions."""
    found = (one for document in extracted for one in document.extractions)
    predicates = add_predicates(tx, dict.fromkeys(value.predicate for one in found for value in one.values))
    for document, ids, renamed in zip(extracted, resolved.ids, resolved.renamed, strict=True):
        for extraction, chunk, chunk_id in document.by_chunk():
            for value in extraction.values:
                number, _, moment = read_value(value.value)
                named = value.subject, value.subject_type
                said = chunk_id, ids[named], predicates[value.predicate], value.value
                span = chunk.start + value.start, chunk.start + value.end
                name = value.subject if named in renamed else None
                yield NewValue(*said, number, moment, *span, value.confidence, value.surface, name)
