"""The sentences of stored chunks that state a claim by their grammar, in other words than its own."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

from mcp_graphrag.errors import UnknownName
from mcp_graphrag.extract import LiteExtractor
from mcp_graphrag.extract.asserted_sentences import AssertedSentence
from mcp_graphrag.index.normalize import normal_form
from mcp_graphrag.index.tokenize import text_terms
from mcp_graphrag.ingest import chunk_document
from mcp_graphrag.ingest.stored_blocks import blocks_of_stored
from mcp_graphrag.lookup.find_entities import link_name
from mcp_graphrag.model import Chunk, Document, StoredChunk
from mcp_graphrag.reason.clauses.clause_words import ESSENTIAL
from mcp_graphrag.reason.parsed.states_claim import ParsedClaim, parse_claim, states
from mcp_graphrag.reason.stated_sentences import is_of_no_release, stated_sentences
from mcp_graphrag.snapshot import Snapshot
from mcp_graphrag.store.rows.document_rows import chunk_ids_of_document, chunks_by_id
from mcp_graphrag.store.rows.entity_rows import entity_labels
from mcp_graphrag.store.rows.mention_rows import mention_spans

_BRACKETS = re.compile(r"[(\[]([^()\[\]]*)[)\]]")
MAX_PARSED = 4  # documents for one claim
MAX_CHUNKS = 12  # of a document with more, only the chunk that is asked for is read
MAX_KEPT = 200  # texts that were read


@dataclass(frozen=True)
class _ParsedText:
    """The sentences that a document or chunk asserts; `names` are those of its entities by what they are called."""

    sentences: Sequence[AssertedSentence]
    names: Mapping[str, str]


class _ParsedTexts:
    """What was read in one generation, by the ids of its chunks."""

    def __init__(self) -> None:
        self.by_chunks: dict[tuple[int, ...], _ParsedText] = {}


class GrammarReader:
    """Reads stored sentences for one claim; `names` are the stored names in it."""

    def __init__(self, snapshot: Snapshot, claim: str, names: Sequence[str]) -> None:
        self._snapshot = snapshot
        self._names = dict(_entity_names(snapshot, names))
        self._claim = _parse_claim(claim, names)
        self._terms = _terms_behind_verb(self._claim) if self._claim else frozenset[str]()
        self._read = set[int]()  # documents

    def stating(self, chunk: StoredChunk) -> Iterator[AssertedSentence]:
        """The sentences of a chunk that state the claim, with places in the document."""
        claim = self._claim
        if claim is None or not self._terms or not self._terms <= {*text_terms(chunk.text)}:
            return
        self._read.add(chunk.document.id)
        if len(self._read) > MAX_PARSED:
            return
        parsed = self._parsed(chunk)
        names = {**self._names, **parsed.names}
        stated = [
            one for one in stated_sentences(chunk, under=is_of_no_release) if self._terms <= {*text_terms(one.text)}
        ]
        for sentence in parsed.sentences if stated and is_of_no_release(" / ".join(chunk.headings)) else ():
            at = sentence.start - chunk.start
            is_stated = any(one.start <= at < one.start + len(one.text) for one in stated)
            is_of_past = sentence.is_of_past and claim.clause.tense != "past"
            if is_stated and not is_of_past and not _doubts(sentence.text) and states(sentence.tree, claim, names):
                yield sentence

    def _parsed(self, chunk: StoredChunk) -> _ParsedText:
        tx = self._snapshot.tx
        kept = self._snapshot.indexes.of_generation(tx, _ParsedTexts).by_chunks
        ids = tuple(chunk_ids_of_document(tx, chunk.document.id))
        key = ids if len(ids) <= MAX_CHUNKS else (chunk.id,)
        if key not in kept:
            if len(kept) > MAX_KEPT:
                kept.clear()
            chunks = [chunk] if key == (chunk.id,) else list(chunks_by_id(tx, ids).values())
            kept[key] = _parse(self._snapshot, chunks)
        return kept[key]


def _doubts(text: str) -> bool:
    """Whether brackets, which have no place in the tree, may limit what a sentence says: "led by A (acting)"."""
    words = {word for inside in _BRACKETS.findall(text) for word in inside.lower().split()}
    return not ESSENTIAL.isdisjoint(words)


def _parse(snapshot: Snapshot, stored: Sequence[StoredChunk]) -> _ParsedText:
    """The sentences of chunks that follow each other, read as one document."""
    first = stored[0].start
    text = "".join(chunk.text for chunk in stored)
    spans = mention_spans(snapshot.tx, [chunk.id for chunk in stored])
    labels = entity_labels(snapshot.tx, {entity for _, entity, _, _ in spans})
    entities: dict[str, set[int]] = {}
    for _, entity, start, end in spans:
        entities.setdefault(text[start - first : end - first], set()).add(entity)
    called = {
        name: labels[min(found)] for name, found in entities.items() if len(found) == 1 and found <= labels.keys()
    }
    source = stored[0].document
    blocks = blocks_of_stored(text, source.media_type)
    document = Document(source.uri, source.title, text, source.media_type, metadata=source.metadata, blocks=blocks)
    chunks = [
        Chunk(number, chunk.start - first, chunk.end - first, chunk.text, chunk.headings)
        for number, chunk in enumerate(stored)
    ]
    extractor = _extractor().with_names({name: label.type or None for name, label in called.items()})
    found = [replace(one, start=one.start + first) for one in extractor.asserted_sentences(document, chunks)]
    return _ParsedText(found, {normal_form(name): normal_form(label.name) for name, label in called.items()})


def _parse_claim(claim: str, names: Sequence[str]) -> ParsedClaim | None:
    document = Document("", "", claim)
    found = _extractor().with_names(dict.fromkeys(names)).asserted_sentences(document, chunk_document(document))
    return parse_claim(found[0].tree) if len(found) == 1 else None


def _entity_names(snapshot: Snapshot, names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The names of the entities that names stand for, in normal form; not of those that several entities have."""
    for name in names:
        try:
            linked = link_name(snapshot, name)
        except UnknownName:
            continue
        if not linked.is_ambiguous:
            yield normal_form(name), normal_form(linked.entities[0].name)


def _terms_behind_verb(claim: ParsedClaim) -> frozenset[str]:
    """The terms of a claim that a sentence with its verb has too: those of all nouns but the subject."""
    behind = [token.text for token in claim.tree.parse.tokens[claim.clause.verb + 1 :]]
    return frozenset(term for text in behind for term in text_terms(text))


@cache
def _extractor() -> LiteExtractor:
    return LiteExtractor()
