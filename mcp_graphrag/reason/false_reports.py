"""Triples that a document says were wrongly reported: "The paper wrongly said that The Bell stands in Lisbon"."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from mcp_graphrag.extract import LiteExtractor
from mcp_graphrag.index.normalize import normal_form
from mcp_graphrag.index.tokenize import text_terms
from mcp_graphrag.lookup.query_triples import stored_predicate
from mcp_graphrag.model import Chunk, Document, StoredChunk, Triple
from mcp_graphrag.sentences import split_sentences
from mcp_graphrag.snapshot import Snapshot
from mcp_graphrag.store.rows.citations import cite
from mcp_graphrag.store.rows.document_rows import chunks_by_id, text_hash
from mcp_graphrag.store.rows.triple_rows import predicates

MAX_CHUNKS, MAX_TRIPLES = 20, 50  # looked at for one answer
_WRONGLY = ("wrongly", "falsely", "mistakenly", "incorrectly", "erroneously")
_SOUGHT = " ".join(_WRONGLY)
_REPORT = re.compile(
    rf"\b(?:{'|'.join(_WRONGLY)})\s+(?:said|says?|stat(?:ed|es?)|report(?:ed|s)?|claim(?:ed|s)?|not(?:ed|es?)|wr(?:ote|ites?)"
    r"|written|announced?|asserted|alleged|suggested|believed|assumed)\s+(?:that\s+)?(?P<said>[^;:?\n]{5,300})",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class FalseReport:
    """A sentence that calls a report wrong, with its citation, and its chunk with what the report says as its text."""

    quote: str
    chunk: StoredChunk


def said_to_be_wrong(snapshot: Snapshot, triples: Sequence[Triple]) -> dict[int, str]:
    """The triples, by id, that a stored sentence says were wrongly reported, each with that sentence and its citation.

    Of the stored triples, and of those from which an inferred one follows, the first `MAX_TRIPLES` are looked at.
    """
    stored = {one.id: one for triple in triples for one in (triple.inferred_from or [triple]) if one.id}
    found: dict[int, str] = {}
    for triple in list(stored.values())[:MAX_TRIPLES]:
        for report in false_reports(snapshot, f"{triple.subject} {triple.object}"):
            stated = _triples_in(snapshot, report.chunk.text)
            if (normal_form(triple.subject), triple.predicate, normal_form(triple.object)) in stated:
                found[triple.id] = report.quote
    return found


def false_reports(snapshot: Snapshot, words: str) -> Iterator[FalseReport]:
    """The stored sentences that call a report wrong in the chunks that have most of the words."""
    ids = [chunk_id for chunk_id, _ in snapshot.keywords.search(text_terms(f"{words} {_SOUGHT}"), limit=MAX_CHUNKS)]
    for chunk in chunks_by_id(snapshot.tx, ids).values():
        at = 0
        for sentence in split_sentences(chunk.text) if _REPORT.search(chunk.text) else ():
            report = _REPORT.search(sentence)
            if report is not None:
                said = report["said"].strip(" .") + "."
                alone = replace(chunk, document=replace(chunk.document, title=""), text=said, headings=(), context="")
                yield FalseReport(_quoted(chunk, at, sentence), alone)
            at += len(sentence)


def _quoted(chunk: StoredChunk, at: int, sentence: str) -> str:
    said = sentence.strip()
    start = chunk.start + at + len(sentence) - len(sentence.lstrip())
    return f'"{said}" [{cite(chunk.document.uri, start, start + len(said), text_hash(said))}]'


def _triples_in(snapshot: Snapshot, text: str) -> set[tuple[str, str, str]]:
    """The triples of a sentence, by normal forms and stored predicates."""
    document = Document("memory://report", "", text, "text/plain")
    known = predicates(snapshot.tx)
    found: set[tuple[str, str, str]] = set()
    for extraction in LiteExtractor().extract(document, [Chunk(0, 0, len(text), text)]):
        for triple in extraction.triples:
            mapped = stored_predicate(known, triple.predicate, snapshot.ontology)
            ends = normal_form(triple.subject), normal_form(triple.object)
            first, second = reversed(ends) if mapped.swap else ends
            found.add((first, mapped.predicate, second))
    return found
